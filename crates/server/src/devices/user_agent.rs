//! The name of a new device, from the `User-Agent` header of its browser.

/// The first part that a header contains decides: most browsers also name those they descend from.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Macintosh", "Mac"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// A name such as "Chrome on Android".
pub fn name_of_browser(user_agent: &str) -> String {
    let find = |known: &[(&str, &'static str)]| {
        known.iter().find(|(part, _)| user_agent.contains(part)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        (None, None) => "Browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_named_after_browser_and_system() {
        let mozilla = "Mozilla/5.0";
        let webkit = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
        for (header, name) in [
            (
                format!("{mozilla} (X11; Linux x86_64) {webkit} HeadlessChrome/156.0 Safari/537.36"),
                "Chrome on Linux",
            ),
            (
                format!("{mozilla} (Linux; Android 14) {webkit} Chrome/156.0 Mobile Safari/537.36"),
                "Chrome on Android",
            ),
            (
                format!(
                    "{mozilla} (iPhone; CPU iPhone OS 18_0 like Mac OS X) {webkit} Version/18.0 Safari/604.1"
                ),
                "Safari on iPhone",
            ),
            (
                format!("{mozilla} (Windows NT 10.0) {webkit} Chrome/156.0 Safari/537.36 Edg/156.0"),
                "Edge on Windows",
            ),
            (
                format!("{mozilla} (Macintosh; Intel Mac OS X 15.0; rv:150.0) Gecko/20100101 Firefox/150.0"),
                "Firefox on Mac",
            ),
            ("curl/8.0".to_owned(), "Browser"),
            (String::new(), "Browser"),
        ] {
            assert_eq!(name_of_browser(&header), name, "{header}");
        }
    }
}
