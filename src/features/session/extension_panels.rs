//! The panels between timeline and composer: a banner while another program writes the session, the widgets and statuses
//! of the agent's extensions, and a text that the agent offers for the composer.

use leptos::prelude::*;
use pilothouse_core::protocol::{ExtensionWidget, SessionMetaStoreFields};
use pilothouse_core::render::visible_text::visible_string;

use crate::actions::use_actions;
use crate::reactive::effect;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};

/// A banner while another program writes the session's file.
#[component]
pub fn ExternalWriterBanner(session: Session) -> impl IntoView {
    view! {
        <Show when=move || session.meta.external_writer().get()>
            <p class="beside elsewhere" role="status">
                <Glyph icon=Icon::Globe />
                "Another program is working in this session. Its changes appear here."
            </p>
        </Show>
    }
}

/// The extensions' widgets, one box each, and a line with their statuses.
#[component]
pub fn ExtensionPanels(session: Session) -> impl IntoView {
    let key = |widget: &ExtensionWidget| format!("{}\n{}", widget.key, widget.lines.join("\n"));
    let panel = |widget: ExtensionWidget| {
        view! { <pre class="beside widget" data-widget=widget.key>{plain_text(&widget.lines)}</pre> }
            .into_any()
    };
    let status = |widget: ExtensionWidget| {
        view! { <span class="status" data-status=widget.key>{plain_text(&widget.lines)}</span> }.into_any()
    };
    view! {
        <For each=move || session.meta.widgets().get() key=key children=panel />
        <Show when=move || !session.meta.statuses().with(Vec::is_empty)>
            <p class="beside statuses"><For each=move || session.meta.statuses().get() key=key children=status /></p>
        </Show>
    }
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
#[component]
pub fn OfferedText(session: Session) -> impl IntoView {
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
    view! {
        <Show when=move || session.offered.with(Option::is_some)>
            <div class="beside offer" role="status">
                <Glyph icon=Icon::Edit />
                <span class="offer-words">
                    "Suggested text: " <q>{move || session.offered.get()}</q>
                </span>
                <button type="button" class="button" title="Replaces your draft" on:click=move |_| accept()>"Use"</button>
                <button
                    type="button"
                    class="button icon-only quiet"
                    aria-label="Dismiss"
                    on:click=move |_| session.offered.set(None)
                >
                    <Glyph icon=Icon::Close />
                </button>
            </div>
        </Show>
    }
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
