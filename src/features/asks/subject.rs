//! The subject of an ask: its question, and for an approval the exact command, diff or arguments.

use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::conversation::ask::subject::Subject;
use web_sys::Element;

use super::outside_link;
use crate::dom::element::{append, with_text};
use crate::features::rows::diff;
use crate::widgets::visible_text::{EXACT, exact_text, visible_text};

/// Appends the question and its subject. `folder` is the session's. Returns the parts that a user must have seen to
/// approve.
pub fn append_to(card: &Element, ask: &Ask, folder: &str) -> Vec<Element> {
    let subject = Subject::of(ask);
    let mut parts = vec![visible_text("h2", "ask-title", &subject.question)];
    let message_class = if subject.is_message_exact { EXACT } else { "ask-message" };
    append_text(&mut parts, EXACT, &subject.details);
    append_text(&mut parts, message_class, &subject.message);
    parts.extend(subject.diffs.iter().map(|change| diff::render(change, folder)));
    append_text(&mut parts, EXACT, &subject.exact);
    parts.extend(subject.facts.iter().map(|(label, text)| fact(&format!("{label}: "), text)));
    // The folder in which a command runs is part of what is approved.
    if ask.approval && !folder.is_empty() {
        parts.push(fact("In ", folder));
    }
    if !ask.url.is_empty() {
        parts.push(fact("Opens ", host_of(&ask.url)));
    }
    parts.iter().for_each(|part| append(card, part));
    if !ask.url.is_empty() {
        append(card, &outside_link("button", &ask.url, "Open page"));
    }
    parts
}

/// Adds a text, and the number of its lines if there are several.
fn append_text(parts: &mut Vec<Element>, class: &str, text: &str) {
    let lines = text.lines().count();
    if class == EXACT && lines > 1 {
        parts.push(with_text("p", "ask-place", &format!("{lines} lines")));
    }
    if !text.is_empty() {
        parts.push(if class == EXACT { exact_text(text) } else { visible_text("div", class, text) });
    }
}

fn fact(label: &str, text: &str) -> Element {
    let line = with_text("p", "ask-place", label);
    append(&line, &visible_text("code", "", text));
    line
}

/// The host of a web address, with its port. An address without one is returned whole.
fn host_of(address: &str) -> &str {
    let Some((_, rest)) = address.split_once("://") else { return address };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_the_one_that_the_browser_visits() {
        assert_eq!(host_of("https://example.com/login?x"), "example.com");
        assert_eq!(host_of("https://bank.com@evil.example:8080/"), "evil.example:8080");
        assert_eq!(host_of("mailto:x"), "mailto:x");
    }
}
