//! Who may enter: the token in the address is traded for a cookie the page itself can never read.

use gloo_net::http::{Request, Response};
use serde_json::json;

use crate::{browser, routes};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Granted,
    Denied,
    /// Too many attempts.
    Limited,
    /// The server could not be asked.
    Unknown,
}

/// Whether this browser's cookie is good.
pub async fn check() -> Access {
    outcome(Request::get(&address()).send().await)
}

/// Trades a token, or a pasted address that carries one, for the cookie.
pub async fn trade(pasted: &str) -> Access {
    match Request::post(&address()).json(&json!({ "token": token_in(pasted) })) {
        Ok(request) => outcome(request.send().await),
        Err(_) => Access::Unknown,
    }
}

/// At the start of the page: uses a token in the address and takes it out of there, whether it worked or not.
pub async fn enter() -> Access {
    let fragment = browser::fragment();
    if fragment.starts_with(TOKEN_FIELD) {
        browser::replace_path(&browser::path());
        let traded = trade(&fragment).await;
        // An old address must not lock out a browser whose cookie is good.
        return if traded == Access::Granted { traded } else { check().await };
    }
    check().await
}

fn address() -> String {
    routes::server_address("api/access")
}

fn outcome(answer: Result<Response, gloo_net::Error>) -> Access {
    match answer.map(|response| response.status()) {
        Ok(200..=299) => Access::Granted,
        Ok(429) => Access::Limited,
        Ok(400..=499) => Access::Denied,
        _ => Access::Unknown,
    }
}

const TOKEN_FIELD: &str = "token=";

/// A person may paste the token alone or the whole address that was printed.
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
    fn a_token_is_found_alone_in_a_fragment_and_in_a_whole_address() {
        for pasted in ["abc-1", " abc-1\n", "token=abc-1", "http://127.0.0.1:7878/#token=abc-1"] {
            assert_eq!(token_in(pasted), "abc-1");
        }
    }
}
