//! The one place that decides where a link may lead. Whoever renders a link asks nobody else.

/// The destination as a browser would read it, if it is one that may be followed: http, https or mailto.
pub fn followable(destination: &str) -> Option<String> {
    let read = as_browsers_read(destination);
    let allowed = is_web(&read) || rest_after(&read, "mailto:").is_some_and(|rest| !rest.is_empty());
    allowed.then_some(read)
}

/// The source of an image, if it is one that may be loaded when somebody asks for it.
pub fn loadable(source: &str) -> Option<String> {
    let read = as_browsers_read(source);
    is_web(&read).then_some(read)
}

/// Browsers drop line breaks and tabs anywhere and control characters around a destination before they look for its
/// scheme. Dropping all of them everywhere cannot turn a refused scheme into an allowed one unseen: the scheme is
/// looked for in what is returned.
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
