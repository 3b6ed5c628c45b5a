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

/// Reads the address, and follows it when the person goes back and forward.
pub fn follow() -> RwSignal<Route> {
    let route = RwSignal::new(parse(&browser::path()));
    let _ = window_event_listener(leptos::ev::popstate, move |_| route.set(parse(&browser::path())));
    route
}

/// Goes there and tells the address bar.
pub fn go(route: RwSignal<Route>, to: Route) {
    if route.with_untracked(|now| *now != to) {
        browser::push_path(&path_of(&to));
        route.set(to);
    }
}

pub fn path_of(route: &Route) -> String {
    match route {
        Route::New => base().to_owned(),
        Route::Session(id) => format!("{}s/{}", base(), encode(id)),
    }
}

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

fn base() -> &'static str {
    BASE.get_or_init(|| split(&browser::path()).0.to_owned())
}

fn parse(path: &str) -> Route {
    match split(path).1 {
        Some(id) if !id.is_empty() => Route::Session(decode(id)),
        _ => Route::New,
    }
}

/// The base of a path, and the session it names.
fn split(path: &str) -> (&str, Option<&str>) {
    if let Some((before, id)) = path.rsplit_once("/s/")
        && !id.contains('/')
    {
        return (&path[..=before.len()], Some(id));
    }
    let end = path.rfind('/').map_or(0, |slash| slash + 1);
    (if end == 0 { "/" } else { &path[..end] }, None)
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

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut position = 0;
    while position < bytes.len() {
        let escaped = (bytes[position] == b'%')
            .then(|| text.get(position + 1..position + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(escaped.unwrap_or(bytes[position]));
        position += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_its_address() {
        assert_eq!(parse("/s/abc-1"), Route::Session("abc-1".into()));
        assert_eq!(parse("/"), Route::New);
        assert_eq!(parse("/s/"), Route::New);
        assert_eq!(parse("/elsewhere"), Route::New);
    }

    #[test]
    fn the_base_is_what_stands_before_the_page() {
        assert_eq!(split("/").0, "/");
        assert_eq!(split("/s/x").0, "/");
        assert_eq!(split("/tools/pilot/").0, "/tools/pilot/");
        assert_eq!(split("/tools/pilot/s/x"), ("/tools/pilot/", Some("x")));
    }

    #[test]
    fn an_odd_id_cannot_leave_its_place_in_the_path() {
        let odd = "../a b/ü?#%41";
        let encoded = encode(odd);
        assert!(encoded.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.%".contains(&byte)));
        assert_eq!(decode(&encoded), odd);
        assert_eq!(decode("%zz%4"), "%zz%4");
    }
}
