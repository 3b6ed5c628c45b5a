//! What to call a session. Pure.

use pilothouse_core::protocol::SessionSummary;

pub fn title_words(summary: &SessionSummary) -> String {
    title_or_new(&summary.title)
}

pub fn title_or_new(title: &str) -> String {
    if title.trim().is_empty() { "New session".to_owned() } else { title.to_owned() }
}
