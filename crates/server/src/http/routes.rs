//! The table of routes and the router built from it. The table lists the access each route requires; the guard decides
//! by the path, and a test checks that both agree.

use axum::extract::{Json, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router, middleware};
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::http::assets;
use crate::http::guard::{self, Access, Entered};
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
        Route {
            method: Method::POST,
            path: "/api/access",
            access: Access::Token,
            handler: || post(exchange_token),
        },
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
struct TokenExchange {
    token: String,
}

async fn exchange_token(
    State(app): State<App>,
    Extension(entered): Extension<Entered>,
    Json(exchange): Json<TokenExchange>,
) -> Response {
    app.guard.exchange_token(&exchange.token, &entered.0)
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
