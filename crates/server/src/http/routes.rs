//! The table of routes and the router built from it. The table lists the access each route requires; the guard decides
//! by the path, and a test checks that both agree.

use axum::extract::{Json, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router, middleware};
use pilothouse_core::limits::DEVICES;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::devices::{PairingError, name_of_browser};
use crate::http::assets;
use crate::http::guard::{self, Access, Entered, Peer};
use crate::socket;

/// A route and the access it requires.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub access: Access,
    handler: fn() -> MethodRouter<App>,
}

/// All routes except the files of the page.
pub fn table() -> Vec<Route> {
    vec![
        Route { method: Method::GET, path: "/health", access: Access::Open, handler: || get(health) },
        Route {
            method: Method::GET,
            path: "/api/access",
            access: Access::Credential,
            handler: || get(check_access),
        },
        Route { method: Method::POST, path: "/api/access", access: Access::Pairing, handler: || post(pair) },
        Route {
            method: Method::GET,
            path: "/api/socket",
            access: Access::Credential,
            handler: || get(socket::upgrade),
        },
        Route {
            method: Method::GET,
            path: "/api/blobs/{session}/{blob}",
            access: Access::Credential,
            handler: || get(blob),
        },
    ]
}

/// The router of all routes and the page, behind the guard.
pub fn router(app: App) -> Router {
    let mut router = Router::new();
    for route in table() {
        router = router.route(route.path, (route.handler)());
    }
    let guard = app.guard.clone();
    router.fallback(assets::serve).with_state(app).layer(middleware::from_fn_with_state(guard, guard::layer))
}

async fn health() -> Response {
    Json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")})).into_response()
}

/// Succeeds if the client has access. The page asks this first, because a refused WebSocket does not reveal the reason.
async fn check_access() -> StatusCode {
    StatusCode::NO_CONTENT
}

#[derive(Deserialize)]
struct PairingRequest {
    code: String,
}

/// Exchanges a pairing code for a credential. The response is empty if the browser has access already.
async fn pair(
    State(app): State<App>,
    Extension(entered): Extension<Entered>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
    Json(request): Json<PairingRequest>,
) -> Response {
    let user_agent = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name = name_of_browser(user_agent);
    let mut response = match app.guard.pair(&request.code, entered, peer.ip(), &name).await {
        Ok(Some(credential)) => Json(json!({ "credential": credential })).into_response(),
        Ok(None) => StatusCode::NO_CONTENT.into_response(),
        Err(PairingError::Refused(refusal)) => refusal.into_response(),
        Err(PairingError::TooManyDevices) => {
            let text =
                format!("{DEVICES} devices have access already. Revoke the access of one of them first.\n");
            (StatusCode::CONFLICT, text).into_response()
        }
        Err(PairingError::Failed(error)) => {
            (StatusCode::INTERNAL_SERVER_ERROR, format!("{}\n", error.message)).into_response()
        }
    };
    if response.status().is_success()
        && app.guard.has_old_cookie(&headers)
        && let Ok(removed) = HeaderValue::from_str(&app.guard.removed_cookie())
    {
        response.headers_mut().insert(SET_COOKIE, removed);
    }
    response
}

async fn blob(State(app): State<App>, Path((session, blob)): Path<(String, String)>) -> Response {
    let Some(blobs) = app.hub.blobs(&session) else { return image_not_found() };
    // Blocking, because the image may have to be read from the session's file.
    match tokio::task::spawn_blocking(move || blobs.get(&blob)).await.ok().flatten() {
        Some(blob) => {
            let headers =
                [(CONTENT_TYPE, blob.mime_type), (CACHE_CONTROL, "private, max-age=31536000, immutable")];
            (headers, blob.bytes.clone()).into_response()
        }
        None => image_not_found(),
    }
}

fn image_not_found() -> Response {
    (StatusCode::NOT_FOUND, "Image not found.\n").into_response()
}
