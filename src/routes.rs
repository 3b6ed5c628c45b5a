//! What the address says: which session is open. Also where the server is: always where the page came from.

use std::sync::OnceLock;

use leptos::prelude::*;

use crate::browser;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// The form for a new session.
    #[default]
    New,
    Session(String),
}

/// The folder the page is served under, `/` unless a proxy puts it below a path of its own.
static BASE: OnceLock<String> = OnceLock::new();

/// The address of a route, for a link.
pub fn path_of(route: &Route) -> String {
    format!("{}{}", base().trim_end_matches('/'), path_below_base(route))
}

/// The same as the router wants it, which knows the base by itself.
pub fn path_below_base(route: &Route) -> String {
    match route {
        Route::New => "/".to_owned(),
        Route::Session(id) => format!("/s/{}", encode(id)),
    }
}

/// What an address asks for; one that says nothing here asks for the form.
pub fn of_path(path: &str) -> Route {
    match path.rsplit_once("/s/") {
        Some((_, id)) if !id.is_empty() && !id.contains('/') => Route::Session(browser::decoded(id)),
        _ => Route::New,
    }
}

/// The address of one message of a session, to be given away. Messages are counted from one.
pub fn message_address(session_id: &str, position: usize) -> String {
    let origin = window().location().origin().unwrap_or_default();
    format!("{origin}{}#{MESSAGE}{}", path_of(&Route::Session(session_id.to_owned())), position + 1)
}

/// The message that the part of an address behind `#` names, by its place in the conversation.
pub fn message_in(fragment: &str) -> Option<usize> {
    fragment.strip_prefix(MESSAGE)?.parse::<usize>().ok()?.checked_sub(1)
}

/// The fragment of the address of an entry in the agent's session file.
pub fn entry_fragment(entry: &str) -> String {
    format!("{ENTRY}{}", encode(entry))
}

/// The entry that a fragment names.
pub fn entry_in(fragment: &str) -> Option<String> {
    fragment.strip_prefix(ENTRY).filter(|entry| !entry.is_empty()).map(browser::decoded)
}

const MESSAGE: &str = "m";
const ENTRY: &str = "entry-";

pub fn server_address(path: &str) -> String {
    format!("{}{path}", base())
}

/// The page's own address decides; nothing else can choose another server.
pub fn socket_address() -> String {
    let location = window().location();
    let scheme = if location.protocol().as_deref() == Ok("https:") { "wss" } else { "ws" };
    format!("{scheme}://{}{}", location.host().unwrap_or_default(), server_address("api/socket"))
}

pub fn blob_address(session_id: &str, blob: &str) -> String {
    server_address(&format!("api/blobs/{}/{}", encode(session_id), encode(blob)))
}

pub fn base() -> &'static str {
    BASE.get_or_init(|| base_of(&browser::path()).to_owned())
}

/// What stands before the page's own part of a path.
fn base_of(path: &str) -> &str {
    if let Some((before, id)) = path.rsplit_once("/s/")
        && !id.contains('/')
    {
        return &path[..=before.len()];
    }
    let end = path.rfind('/').map_or(0, |slash| slash + 1);
    if end == 0 { "/" } else { &path[..end] }
}

/// Ids are plain by construction; whatever is not, is kept from changing the path.
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
    fn the_base_is_what_stands_before_the_page() {
        assert_eq!(base_of("/"), "/");
        assert_eq!(base_of("/s/x"), "/");
        assert_eq!(base_of("/elsewhere"), "/");
        assert_eq!(base_of("/tools/pilot/"), "/tools/pilot/");
        assert_eq!(base_of("/tools/pilot/s/x"), "/tools/pilot/");
    }

    #[test]
    fn a_message_is_named_by_its_place() {
        assert_eq!(message_in("m12"), Some(11));
        for other in ["", "m", "m0", "m-1", "m1x", "12", "token=m12"] {
            assert_eq!(message_in(other), None, "{other}");
        }
    }

    #[test]
    fn an_odd_id_cannot_leave_its_place_in_the_path() {
        let path = path_below_base(&Route::Session("../a b/ü?#%41".into()));
        let id = path.strip_prefix("/s/").unwrap();
        assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.%".contains(&byte)), "{id}");
    }
}
