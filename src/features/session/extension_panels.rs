//! The panels between timeline and composer: the widgets and statuses of the agent's extensions, and a text that the agent
//! offers for the composer.

use leptos::prelude::*;
use pilothouse_core::protocol::{ExtensionWidget, SessionMetaStoreFields};
use pilothouse_core::render::visible_text::visible_string;
use web_sys::Element;

use crate::actions::use_actions;
use crate::dom::build::{button, glyph, icon_button, rebuilt, with_attributes};
use crate::dom::element::{append, set, with_class, with_text};
use crate::reactive::effect;
use crate::store::server::Session;
use crate::widgets::icon::Icon;

fn status_panel(class: &str, icon: Icon, text: &Element) -> Element {
    let panel = with_attributes("div", &[("class", class), ("role", "status")]);
    append(&panel, &glyph(icon));
    append(&panel, text);
    panel
}

/// The extensions' widgets, one box each, and a line with their statuses.
pub fn extension_panels(session: Session) -> AnyView {
    let shown = |tag, class, attribute, widget: &ExtensionWidget| {
        let element = with_text(tag, class, &plain_text(&widget.lines));
        set(&element, attribute, &widget.key);
        element
    };
    let widgets = rebuilt("contents", move |place| {
        session.meta.widgets().with(|widgets| {
            widgets
                .iter()
                .for_each(|widget| append(place, &shown("pre", "beside widget", "data-widget", widget)));
        });
    });
    let statuses = rebuilt("contents", move |place| {
        session.meta.statuses().with(|statuses| {
            let line = with_class("p", "beside statuses");
            statuses.iter().for_each(|status| append(&line, &shown("span", "status", "data-status", status)));
            if !statuses.is_empty() {
                append(place, &line);
            }
        });
    });
    [widgets, statuses].into_any()
}

/// The lines without terminal colours and with invisible characters made visible.
fn plain_text(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| visible_string(&strip_colours(line))).collect();
    lines.join("\n")
}

/// Removes the escape sequences for colours; other escape sequences stay.
fn strip_colours(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let mut stripped = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('m') {
            Some((codes, rest)) if codes.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') => {
                stripped.push_str(rest)
            }
            _ => {
                stripped.push_str("\x1b[");
                stripped.push_str(part);
            }
        }
    }
    stripped
}

/// A text that the agent offers for the composer. An empty composer accepts it at once; otherwise the user decides.
pub fn offered_text(session: Session) -> AnyView {
    let drafts = use_actions().client.drafts;
    let draft = drafts.of(&session.id());
    let accept = move || {
        if let Some(text) = session.offered.get_untracked() {
            drafts.set(&session.id(), text);
            session.offered.set(None);
        }
    };
    effect(move || {
        if session.offered.with(Option::is_some) && draft.with_untracked(|draft| draft.trim().is_empty()) {
            accept();
        }
    });
    rebuilt("contents", move |place| {
        let Some(text) = session.offered.get() else { return };
        let words = with_text("span", "offer-words", "Suggested text: ");
        append(&words, &with_text("q", "", &text));
        let use_it = button("button", None, "Use", accept);
        set(&use_it, "title", "Replaces your draft");
        let dismiss =
            icon_button("button icon-only quiet", Icon::Close, "Dismiss", move || session.offered.set(None));
        let panel = status_panel("beside offer", Icon::Edit, &words);
        append(&panel, &use_it);
        append(&panel, &dismiss);
        append(place, &panel);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_stripped_and_invisible_characters_shown() {
        assert_eq!(strip_colours("\x1b[1;31mred\x1b[0m rest"), "red rest");
        assert_eq!(strip_colours("a\x1b[2Jb"), "a\x1b[2Jb");
        assert!(plain_text(&["a\u{200b}b".into()]).contains("200B"));
    }
}
