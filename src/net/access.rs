//! Access control: exchanges the token in the address for a cookie that scripts cannot read.

use gloo_net::http::{Request, Response};
use serde_json::json;

use crate::{browser, routes};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Granted,
    Denied,
    /// The server rejected the request because of too many attempts.
    Limited,
    /// The server did not respond.
    Unknown,
}

/// Checks whether this browser's cookie is valid.
pub async fn check() -> Access {
    outcome(Request::get(&address()).send().await)
}

/// Exchanges a token, or a pasted address that contains one, for the cookie.
pub async fn trade(pasted: &str) -> Access {
    match Request::post(&address()).json(&json!({ "token": token_in(pasted) })) {
        Ok(request) => outcome(request.send().await),
        Err(_) => Access::Unknown,
    }
}

/// Removes the token from the address and returns it, if there is one. Runs before the router reads the address.
pub fn take_token() -> Option<String> {
    let fragment = browser::fragment();
    fragment.starts_with(TOKEN_FIELD).then(|| {
        browser::replace_path(&browser::path());
        fragment
    })
}

/// Gains access when the page starts: with the token of the address, or with the cookie.
pub async fn enter(token: Option<String>) -> Access {
    if let Some(token) = token
        && trade(&token).await == Access::Granted
    {
        return Access::Granted;
    }
    // A bookmarked address with an expired token must not lock out a browser whose cookie is valid.
    check().await
}

fn address() -> String {
    routes::server_address("api/access")
}

fn outcome(response: Result<Response, gloo_net::Error>) -> Access {
    match response.map(|response| response.status()) {
        Ok(200..=299) => Access::Granted,
        Ok(429) => Access::Limited,
        Ok(400..=499) => Access::Denied,
        _ => Access::Unknown,
    }
}

const TOKEN_FIELD: &str = "token=";

/// Extracts the token: users paste the token alone or the whole printed address.
fn token_in(pasted: &str) -> &str {
    let pasted = pasted.trim();
    match pasted.rfind(TOKEN_FIELD) {
        Some(start) => &pasted[start + TOKEN_FIELD.len()..],
        None => pasted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_alone_in_a_fragment_or_in_an_address() {
        for pasted in ["abc-1", " abc-1\n", "token=abc-1", "http://127.0.0.1:7878/#token=abc-1"] {
            assert_eq!(token_in(pasted), "abc-1");
        }
    }
}
