//! This browser's access: exchanges the pairing code in the address for a credential, and keeps the credential in the
//! page's own storage. Unlike a cookie, it is sent to this server only.

use std::cell::RefCell;

use gloo_net::http::{Request, RequestBuilder, Response};
use serde_json::{Value, json};
use web_sys::Blob;

use crate::browser::local_storage;
use crate::{browser, routes};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    Granted,
    /// The server gives no access, for this reason.
    Denied(String),
    /// The server did not respond.
    Unknown,
}

impl Access {
    pub const fn is_denied(&self) -> bool {
        matches!(self, Self::Denied(_))
    }
}

thread_local! {
    /// The credential of a browser that stores nothing. It is lost on a reload.
    static UNSTORED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Several servers may have the same origin, each under a path of its own.
fn storage_key() -> String {
    format!("pilothouse.credential:{}", routes::base())
}

fn credential() -> Option<String> {
    local_storage::get(&storage_key()).or_else(|| UNSTORED.with_borrow(Clone::clone))
}

fn store(credential: &str) {
    local_storage::set(&storage_key(), credential);
    UNSTORED.set(Some(credential.to_owned()));
}

/// The subprotocols of the WebSocket. The second contains the credential, because browsers send no other header.
pub(super) fn subprotocols() -> Vec<String> {
    let mut protocols = vec!["pilothouse".to_owned()];
    protocols.extend(credential().map(|credential| format!("pilothouse.bearer.{credential}")));
    protocols
}

fn with_credential(request: RequestBuilder) -> RequestBuilder {
    match credential() {
        Some(credential) => request.header("Authorization", &format!("Bearer {credential}")),
        None => request,
    }
}

/// Checks whether this browser has access.
pub async fn check() -> Access {
    outcome(with_credential(Request::get(&address())).send().await).await
}

/// Exchanges a pairing code, or a pasted link that contains one, for access.
pub async fn pair(pasted: &str) -> Access {
    match with_credential(Request::post(&address())).json(&json!({ "code": code_in(pasted) })) {
        Ok(request) => outcome(request.send().await).await,
        Err(_) => Access::Unknown,
    }
}

/// Fetches a resource of the server; `None` if that fails.
pub async fn fetch(address: &str) -> Option<Blob> {
    let response = with_credential(Request::get(address)).send().await.ok().filter(Response::ok)?;
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(response.binary().await.ok()?.as_slice()));
    Blob::new_with_u8_array_sequence(&parts).ok()
}

/// Removes the pairing code from the address and returns it, if there is one. Runs before the router reads the address.
pub fn take_code() -> Option<String> {
    let fragment = browser::fragment();
    // A link of an earlier version contains a token, which the server does not know any more.
    let is_code = fragment.starts_with(CODE_FIELD);
    if is_code || fragment.starts_with("token=") {
        browser::replace_path(&browser::path());
    }
    is_code.then_some(fragment)
}

/// Gains access when the page starts: with the code of the address, or with the stored credential.
pub async fn enter(code: Option<String>) -> Access {
    match code {
        Some(code) => pair(&code).await,
        None => check().await,
    }
}

fn address() -> String {
    routes::server_address("api/access")
}

async fn outcome(response: Result<Response, gloo_net::Error>) -> Access {
    let Ok(response) = response else { return Access::Unknown };
    let (ok, status) = (response.ok(), response.status());
    let text = response.text().await.unwrap_or_default();
    match status {
        _ if ok => {
            // Empty, if this browser had access already.
            let answer: Value = serde_json::from_str(&text).unwrap_or_default();
            if let Some(credential) = answer["credential"].as_str() {
                store(credential);
            }
            Access::Granted
        }
        400..=499 => Access::Denied(text),
        _ => Access::Unknown,
    }
}

const CODE_FIELD: &str = "pair=";

/// Extracts the pairing code: users paste the code alone or the whole link.
fn code_in(pasted: &str) -> &str {
    let pasted = pasted.trim();
    pasted.rsplit_once(CODE_FIELD).map_or(pasted, |(_, code)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_alone_in_a_fragment_or_in_a_link() {
        for pasted in ["abc-1", " abc-1\n", "pair=abc-1", "http://127.0.0.1:7878/#pair=abc-1"] {
            assert_eq!(code_in(pasted), "abc-1");
        }
    }
}
