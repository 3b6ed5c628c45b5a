//! Access control: one layer in front of every route and the WebSocket. Admitted clients can run commands on this
//! machine. Nothing behind this layer checks access again, and nothing bypasses it.
//!
//! It checks, in this order: the Host is one of ours (against DNS rebinding), the Origin of a WebSocket or a change is
//! our own page (against cross-site requests), there were not too many wrong credentials, the credential is valid.
//! A credential is sent in the `Authorization` header or, for a WebSocket, as a subprotocol. Browsers send both only
//! because the page says so, unlike a cookie, which they send to every port of a host. Every response, including a
//! refusal, carries the security headers.

pub mod headers;
pub mod hosts;
mod limiter;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, ORIGIN, RETRY_AFTER, SEC_WEBSOCKET_PROTOCOL, UPGRADE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::devices::{DeviceAccess, Devices, PairingError};
use headers::SecurityHeaders;
use hosts::{AllowedHost, AllowedHosts};
use limiter::Limiter;

/// The subprotocol of the page's WebSocket.
pub const SUBPROTOCOL: &str = "pilothouse";

/// The beginning of the second subprotocol that the page offers; the credential follows it.
const SUBPROTOCOL_CREDENTIAL: &str = "pilothouse.bearer.";

const SOCKET_PATH: &str = "/api/socket";

/// The configuration and state of the access checks.
#[derive(Debug)]
pub struct Guard {
    pub hosts: AllowedHosts,
    pub headers: SecurityHeaders,
    devices: Devices,
    limiter: Limiter,
    /// The beginning of the cookie with which earlier versions gave access.
    old_cookie: String,
}

/// The access that a route requires, as listed in the table of routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No credential: the files of the page and `/health`.
    Open,
    /// Our own Origin, and a pairing code in the body, which is exchanged for a credential.
    Pairing,
    /// The credential of a device; for a WebSocket or a change also our own Origin.
    Credential,
}

/// The address of the client that sent a request, as a request extension.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// What was verified about a request, as a request extension.
#[derive(Clone, Debug)]
pub struct Entered {
    pub host: AllowedHost,
    /// The device, if the request has a valid credential and its route requires one.
    pub device: Option<DeviceAccess>,
}

/// The middleware that checks every request.
pub async fn layer(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api");
    let mut response = match guard.check(&request) {
        Ok(entered) => {
            request.extensions_mut().insert(entered);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    };
    guard.headers.apply(response.headers_mut(), is_api);
    response
}

/// The reason why a request is refused. The texts are for the user, and reveal nothing to an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Host,
    Origin,
    /// There is no credential.
    NoCredential,
    /// There is a cookie of an earlier version.
    OldCookie,
    WrongCredential,
    WrongCode,
    /// There were too many wrong credentials; the next one is checked after this time.
    TooMany(Duration),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Host => {
                (StatusCode::MISDIRECTED_REQUEST, "Host name not allowed. Add it with --allowed-host.")
            }
            Self::Origin => (StatusCode::FORBIDDEN, "This request didn't come from the Pilothouse page."),
            Self::NoCredential => (StatusCode::UNAUTHORIZED, "This browser doesn't have access yet."),
            Self::OldCookie => (
                StatusCode::UNAUTHORIZED,
                "Since its last update Pilothouse gives access to each browser separately, with a link that works once. The access that this browser had is no longer valid.",
            ),
            Self::WrongCredential => (
                StatusCode::UNAUTHORIZED,
                "The access of this browser was revoked, or it expired because it wasn't used.",
            ),
            Self::WrongCode => (
                StatusCode::UNAUTHORIZED,
                "This link is not valid: it was used already, or it is older than a day.",
            ),
            Self::TooMany(delay) => {
                let seconds = delay.as_secs().max(1);
                let text = format!("Too many attempts. Try again in {seconds} seconds.\n");
                return (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds)], text).into_response();
            }
        };
        (status, format!("{text}\n")).into_response()
    }
}

impl Guard {
    pub fn new(hosts: AllowedHosts, headers: SecurityHeaders, devices: Devices, port: u16) -> Self {
        let old_cookie = format!("pilothouse_{port}=");
        Self { hosts, headers, devices, limiter: Limiter::default(), old_cookie }
    }

    fn check(&self, request: &Request) -> Result<Entered, Refusal> {
        let (headers, path) = (request.headers(), request.uri().path());
        let host = self.hosts.find(headers, request.uri().authority()).ok_or(Refusal::Host)?;
        let access = access_to(request.method(), path);
        if access == Access::Open {
            return Ok(Entered { host, device: None });
        }
        let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
        let is_socket = path == SOCKET_PATH;
        if (is_change || is_socket || headers.contains_key(UPGRADE)) && !is_own_origin(headers, &host) {
            return Err(Refusal::Origin);
        }
        let device = match credential(headers, is_socket) {
            Some(credential) => self.attempt(address_of(request), || {
                self.devices.check(credential, &host.origin()).ok_or(Refusal::WrongCredential)
            }),
            None if self.has_old_cookie(headers) => Err(Refusal::OldCookie),
            None => Err(Refusal::NoCredential),
        };
        match device {
            Ok(device) => Ok(Entered { host, device: Some(device) }),
            // A browser without a valid credential may get one.
            Err(refusal) if access == Access::Pairing && !matches!(refusal, Refusal::TooMany(_)) => {
                Ok(Entered { host, device: None })
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Exchanges a pairing code for the credential of a new device. If the browser has access already, the code is only
    /// used up: it may be in the browser's history.
    pub async fn pair(
        &self,
        code: &str,
        entered: Entered,
        address: IpAddr,
        name: &str,
    ) -> Result<Option<String>, PairingError> {
        if entered.device.is_some() {
            self.devices.discard_code(code);
            return Ok(None);
        }
        let check = || self.devices.take_code(code).ok_or(Refusal::WrongCode);
        let code = self.attempt(address, check).map_err(PairingError::Refused)?;
        self.devices.pair(code, &entered.host.origin(), name).await.map(Some)
    }

    /// Checks a credential or a pairing code, unless there were too many wrong ones.
    fn attempt<T>(&self, address: IpAddr, check: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
        self.limiter.attempt(address, Instant::now(), check).map_err(Refusal::TooMany)?
    }

    /// Whether the browser got its access from an earlier version of Pilothouse.
    pub fn has_old_cookie(&self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(';')).any(|cookie| cookie.trim().starts_with(&self.old_cookie))
    }

    /// The value of the `Set-Cookie` header that removes the cookie of an earlier version.
    pub fn removed_cookie(&self) -> String {
        format!("{}; Path=/; Max-Age=0", self.old_cookie)
    }
}

/// The credential of a request.
fn credential(headers: &HeaderMap, is_socket: bool) -> Option<&str> {
    if is_socket {
        let offered = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
        let mut offered = offered.flat_map(|value| value.split(','));
        return offered.find_map(|protocol| protocol.trim().strip_prefix(SUBPROTOCOL_CREDENTIAL));
    }
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// The address of the client, which `connections` adds to every request.
fn address_of(request: &Request) -> IpAddr {
    request.extensions().get::<Peer>().map_or(Ipv4Addr::UNSPECIFIED.into(), |Peer(address)| address.ip())
}

/// The access that a path requires. Everything below `/api` requires a credential even if it is not in the table of
/// routes, so that a new route cannot be left open by mistake.
pub fn access_to(method: &Method, path: &str) -> Access {
    match path {
        "/api/access" if method == Method::POST => Access::Pairing,
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
