//! Decides which destinations links and images may have. This is the only place that does.

/// The destination as a browser reads it, if it may be followed: http, https or mailto.
pub fn followable(destination: &str) -> Option<String> {
    let read = as_browsers_read(destination);
    let allowed = is_web(&read) || rest_after(&read, "mailto:").is_some_and(|rest| !rest.is_empty());
    allowed.then_some(read)
}

/// The source of an image, if it may be loaded at the user's request: http or https.
pub fn loadable(source: &str) -> Option<String> {
    let read = as_browsers_read(source);
    is_web(&read).then_some(read)
}

/// Before browsers determine the scheme, they drop line breaks and tabs everywhere, and control characters at both
/// ends. Dropping all control characters everywhere is safe, because the scheme is checked in the returned text.
fn as_browsers_read(destination: &str) -> String {
    let kept: String = destination.chars().filter(|character| !character.is_control()).collect();
    kept.trim_matches(' ').to_owned()
}

fn is_web(read: &str) -> bool {
    let rest = rest_after(read, "https://").or_else(|| rest_after(read, "http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '\\', '?', '#', ' ']))
}

fn rest_after<'a>(read: &'a str, scheme: &str) -> Option<&'a str> {
    let head = read.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| read.get(scheme.len()..).unwrap_or_default())
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
