//! The page's routes, and the addresses of the server's endpoints. The server is always the one that served the page.

use std::sync::OnceLock;

use leptos::prelude::*;

use crate::browser;

/// The screen an address leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// The form for a new session.
    #[default]
    New,
    /// The session with this id.
    Session(String),
    /// The branch of a session's file that ends with the entry `leaf`. Its address is that of the session with a query.
    Branch { session: String, leaf: String },
}

impl Route {
    /// The session on the screen, whichever branch of it.
    pub fn session_id(&self) -> Option<&str> {
        match self {
            Self::New => None,
            Self::Session(id) | Self::Branch { session: id, .. } => Some(id),
        }
    }
}

/// The path the page is served under: `/`, unless a proxy puts it below a prefix.
static BASE: OnceLock<String> = OnceLock::new();

/// The path of a route, for a link's `href`.
pub fn path_of(route: &Route) -> String {
    format!("{}{}", base().trim_end_matches('/'), path_below_base(route))
}

/// The path of a route without the base, as the router expects it.
pub fn path_below_base(route: &Route) -> String {
    match route {
        Route::New => "/".to_owned(),
        Route::Session(id) => format!("/s/{}", encode(id)),
        Route::Branch { session, leaf } => format!("/s/{}?{BRANCH_KEY}{}", encode(session), encode(leaf)),
    }
}

/// The route of a path with its query. Unknown paths lead to the form for a new session.
pub fn parse(path: &str, query: &str) -> Route {
    match path.rsplit_once("/s/") {
        Some((_, id)) if !id.is_empty() && !id.contains('/') => {
            let session = browser::decode_uri_component(id);
            let mut parts = query.trim_start_matches('?').split('&');
            match parts.find_map(|part| part.strip_prefix(BRANCH_KEY)).filter(|leaf| !leaf.is_empty()) {
                Some(leaf) => Route::Branch { session, leaf: browser::decode_uri_component(leaf) },
                None => Route::Session(session),
            }
        }
        _ => Route::New,
    }
}

/// The absolute address of the page.
pub fn page_address() -> String {
    format!("{}{}", window().location().origin().unwrap_or_default(), base())
}

/// The absolute address of one message, for sharing. The fragment counts messages from one.
pub fn message_address(route: &Route, position: usize) -> String {
    let origin = window().location().origin().unwrap_or_default();
    format!("{origin}{}#{}", path_of(route), message_fragment(position))
}

/// The fragment of the address of the message at this position.
pub fn message_fragment(position: usize) -> String {
    format!("{MESSAGE_PREFIX}{}", position + 1)
}

/// The position in the conversation of the message that a URL fragment names, counted from zero.
pub fn parse_message_fragment(fragment: &str) -> Option<usize> {
    fragment.strip_prefix(MESSAGE_PREFIX)?.parse::<usize>().ok()?.checked_sub(1)
}

/// The fragment of the address of an entry in the agent's session file.
pub fn entry_fragment(entry: &str) -> String {
    format!("{ENTRY_PREFIX}{}", encode(entry))
}

/// The entry that a URL fragment names.
pub fn parse_entry_fragment(fragment: &str) -> Option<String> {
    fragment.strip_prefix(ENTRY_PREFIX).filter(|entry| !entry.is_empty()).map(browser::decode_uri_component)
}

/// Precedes the last entry of a branch in a query.
const BRANCH_KEY: &str = "branch=";

/// The prefix of an entry's id in a URL fragment.
const ENTRY_PREFIX: &str = "entry-";

/// The prefix of a message's number in a URL fragment.
const MESSAGE_PREFIX: &str = "m";

/// The address of a path on the server.
pub fn server_address(path: &str) -> String {
    format!("{}{path}", base())
}

/// The address of the WebSocket, derived only from the page's own address: nothing can redirect it to another server.
pub fn socket_address() -> String {
    let location = window().location();
    let scheme = if location.protocol().as_deref() == Ok("https:") { "wss" } else { "ws" };
    format!("{scheme}://{}{}", location.host().unwrap_or_default(), server_address("api/socket"))
}

/// The address of an image that the server stores for a session.
pub fn blob_address(session_id: &str, blob: &str) -> String {
    server_address(&format!("api/blobs/{}/{}", encode(session_id), encode(blob)))
}

/// The path the page is served under, with a slash at its end.
pub fn base() -> &'static str {
    BASE.get_or_init(|| base_of(&browser::path()).to_owned())
}

/// The part of a path in front of the page's own routes.
fn base_of(path: &str) -> &str {
    if let Some((before, id)) = path.rsplit_once("/s/")
        && !id.contains('/')
    {
        return &path[..=before.len()];
    }
    let end = path.rfind('/').map_or(0, |slash| slash + 1);
    if end == 0 { "/" } else { &path[..end] }
}

/// Percent-encodes an id. Ids are plain by construction; this keeps any other from changing the path.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_the_part_before_the_route() {
        assert_eq!(base_of("/"), "/");
        assert_eq!(base_of("/s/x"), "/");
        assert_eq!(base_of("/elsewhere"), "/");
        assert_eq!(base_of("/tools/pilot/"), "/tools/pilot/");
        assert_eq!(base_of("/tools/pilot/s/x"), "/tools/pilot/");
    }

    #[test]
    fn a_message_fragment_holds_its_number() {
        assert_eq!(parse_message_fragment("m12"), Some(11));
        for other in ["", "m", "m0", "m-1", "m1x", "12", "token=m12"] {
            assert_eq!(parse_message_fragment(other), None, "{other}");
        }
    }

    #[test]
    fn a_branch_is_in_the_query() {
        let route = Route::Branch { session: "a".into(), leaf: "@7/?&#".into() };
        assert_eq!(path_below_base(&route), "/s/a?branch=%407%2F%3F%26%23");
        assert_eq!(route.session_id(), Some("a"));
    }

    #[test]
    fn an_odd_id_cannot_change_the_path() {
        let path = path_below_base(&Route::Session("../a b/ü?#%41".into()));
        let id = path.strip_prefix("/s/").unwrap();
        assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.%".contains(&byte)), "{id}");
    }
}
