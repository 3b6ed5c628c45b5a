//! Access control: one layer in front of every route and the WebSocket. Admitted clients can run commands on this
//! machine. Nothing behind this layer checks access again, and nothing bypasses it.
//!
//! It checks, in this order: the Host is one of ours (against DNS rebinding), the Origin of a WebSocket or a change is
//! our own page (against cross-site requests), the credential is valid. Every response, including a refusal, carries
//! the security headers.

pub mod credential;
pub mod headers;
pub mod hosts;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{ORIGIN, SET_COOKIE, UPGRADE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use credential::Credential;
use headers::SecurityHeaders;
use hosts::{AllowedHost, AllowedHosts};

/// The configuration of the access checks.
#[derive(Debug)]
pub struct Guard {
    pub hosts: AllowedHosts,
    pub credential: Credential,
    pub headers: SecurityHeaders,
}

/// The access that a route requires, as listed in the table of routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No credential: the files of the page and `/health`.
    Open,
    /// Our own Origin, and the token in the body, which is exchanged for the cookie.
    Token,
    /// The cookie; for a WebSocket or a change also our own Origin.
    Credential,
}

/// The verified host of a request, as a request extension.
#[derive(Clone, Debug)]
pub struct Entered(pub AllowedHost);

/// The middleware that checks every request.
pub async fn layer(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api");
    let mut response = match guard.check(&request) {
        Ok(host) => {
            request.extensions_mut().insert(Entered(host));
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    };
    guard.headers.apply(response.headers_mut(), is_api);
    response
}

/// The reason why a request is refused. The texts help the user and reveal nothing to an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Host,
    Origin,
    Credential,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Host => {
                (StatusCode::MISDIRECTED_REQUEST, "Host name not allowed. Add it with --allowed-host.\n")
            }
            Self::Origin => (StatusCode::FORBIDDEN, "This request didn't come from the Pilothouse page.\n"),
            Self::Credential => {
                (StatusCode::UNAUTHORIZED, "Open the address that pilothouse printed when it started.\n")
            }
        };
        (status, text).into_response()
    }
}

impl Guard {
    fn check(&self, request: &Request) -> Result<AllowedHost, Refusal> {
        let headers = request.headers();
        let host = self.hosts.find(headers, request.uri().authority()).ok_or(Refusal::Host)?.clone();
        let access = access_to(request.method(), request.uri().path());
        if access == Access::Open {
            return Ok(host);
        }
        let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
        if (is_change || headers.contains_key(UPGRADE) || request.uri().path() == "/api/socket")
            && !is_own_origin(headers, &host)
        {
            return Err(Refusal::Origin);
        }
        if access == Access::Credential && !self.credential.has_valid_cookie(headers) {
            return Err(Refusal::Credential);
        }
        Ok(host)
    }

    /// Exchanges a valid token for the cookie; refuses any other.
    pub fn exchange_token(&self, token: &str, host: &AllowedHost) -> Response {
        if !self.credential.is_valid_token(token) {
            return Refusal::Credential.into_response();
        }
        let cookie = self.credential.cookie(host.scheme == "https");
        (StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response()
    }
}

/// The access that a path requires. Everything below `/api` requires the credential even if it is not in the table of
/// routes, so that a new route cannot be left open by mistake.
pub fn access_to(method: &Method, path: &str) -> Access {
    match path {
        "/api/access" if method == Method::POST => Access::Token,
        _ if path == "/api" || path.starts_with("/api/") => Access::Credential,
        _ => Access::Open,
    }
}

/// Whether the Origin is exactly that of our page. A missing, repeated or `null` Origin and another port, scheme or
/// sub-domain do not count.
fn is_own_origin(headers: &HeaderMap, host: &AllowedHost) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (Some(origin), None) => origin.as_bytes() == host.origin().as_bytes(),
        _ => false,
    }
}
