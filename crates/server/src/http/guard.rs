//! Decides who may enter: one layer in front of every route and the socket. Since this server runs commands for
//! whoever it lets in, nothing behind this layer checks again, and nothing beside it decides.
//!
//! In order: the Host is one we answer to (DNS rebinding), the Origin of a socket or a change is our own page
//! (cross-site requests), the credential is good. Every answer, also a refusal, carries the security headers.

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

#[derive(Debug)]
pub struct Guard {
    pub hosts: AllowedHosts,
    pub credential: Credential,
    pub headers: SecurityHeaders,
}

/// What a route asks for. The table of routes names it for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The static page and `/health`.
    Open,
    /// Trades the token for the cookie: needs our own Origin, and the token in its body.
    Token,
    /// Needs the cookie; a socket or a change also needs our own Origin.
    Credential,
}

/// The address a request came in under, as proven by this layer.
#[derive(Clone, Debug)]
pub struct Entered(pub AllowedHost);

pub async fn layer(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let is_interface = request.uri().path().starts_with("/api");
    let mut response = match guard.check(&request) {
        Ok(host) => {
            request.extensions_mut().insert(Entered(host));
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    };
    guard.headers.apply(response.headers_mut(), is_interface);
    response
}

/// Why a request may not enter. The words tell the person at the browser what to do, and an attacker nothing.
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
                (StatusCode::MISDIRECTED_REQUEST, "This server does not answer to that host name.\n")
            }
            Self::Origin => {
                (StatusCode::FORBIDDEN, "This request did not come from Pilothouse's own page.\n")
            }
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
        let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
        if (changes || headers.contains_key(UPGRADE) || request.uri().path() == "/api/socket")
            && !is_own_origin(headers, &host)
        {
            return Err(Refusal::Origin);
        }
        if access == Access::Credential && !self.credential.cookie_is_good(headers) {
            return Err(Refusal::Credential);
        }
        Ok(host)
    }

    /// The answer to a token: the cookie if it is the right one.
    pub fn trade(&self, token: &str, host: &AllowedHost) -> Response {
        if !self.credential.token_is_good(token) {
            return Refusal::Credential.into_response();
        }
        let cookie = self.credential.cookie(host.scheme == "https");
        (StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response()
    }
}

/// Everything below `/api` needs the credential, known route or not: a new one cannot be left open by mistake.
pub fn access_to(method: &Method, path: &str) -> Access {
    match path {
        "/api/access" if method == Method::POST => Access::Token,
        _ if path == "/api" || path.starts_with("/api/") => Access::Credential,
        _ => Access::Open,
    }
}

/// Required and exact: missing, doubled, `null`, another port, scheme or sub-domain is refused.
fn is_own_origin(headers: &HeaderMap, host: &AllowedHost) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (Some(origin), None) => origin.as_bytes() == host.origin().as_bytes(),
        _ => false,
    }
}
