//! What stands between the timeline and the composer beside the queue: that another program works here, what the
//! agent's extensions show, and a text that the agent offers.

use leptos::prelude::*;
use pilothouse_core::protocol::ExtensionWidget as Shown;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::render::visible_text::visible_string;

use crate::actions::use_actions;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};

#[component]
pub fn ElsewhereBanner(session: Session) -> impl IntoView {
    view! {
        <Show when=move || session.meta.external_writer().get()>
            <p class="beside elsewhere" role="status">
                <Glyph icon=Icon::Globe />
                "Another program is working in this session. You are following it."
            </p>
        </Show>
    }
}

/// Boxes of lines, and a quiet line of states.
#[component]
pub fn Extensions(session: Session) -> impl IntoView {
    let key = |shown: &Shown| format!("{}\n{}", shown.key, shown.lines.join("\n"));
    let widget = |shown: Shown| {
        view! { <pre class="beside widget" data-widget=shown.key>{readable(&shown.lines)}</pre> }.into_any()
    };
    let status = |shown: Shown| {
        view! { <span class="status" data-status=shown.key>{readable(&shown.lines)}</span> }.into_any()
    };
    view! {
        <For each=move || session.meta.widgets().get() key=key children=widget />
        <Show when=move || !session.meta.statuses().with(Vec::is_empty)>
            <p class="beside statuses"><For each=move || session.meta.statuses().get() key=key children=status /></p>
        </Show>
    }
}

/// Line by line with nothing hidden; colours of a terminal mean nothing here.
fn readable(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| visible_string(&without_colours(line))).collect();
    lines.join("\n")
}

fn without_colours(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('m') {
            Some((codes, rest)) if codes.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') => {
                plain.push_str(rest)
            }
            _ => {
                plain.push_str("\x1b[");
                plain.push_str(part);
            }
        }
    }
    plain
}

/// A text of the agent's for the composer: into an empty one at once, else as an offer.
#[component]
pub fn OfferedText(session: Session) -> impl IntoView {
    let drafts = use_actions().client.drafts;
    let draft = drafts.of(&session.id());
    let take = move || {
        if let Some(text) = session.offered.get_untracked() {
            drafts.set(&session.id(), text);
            session.offered.set(None);
        }
    };
    Effect::new(move |_| {
        if session.offered.with(Option::is_some) && draft.with_untracked(|draft| draft.trim().is_empty()) {
            take();
        }
    });
    view! {
        <Show when=move || session.offered.with(Option::is_some)>
            <div class="beside offer" role="status">
                <Glyph icon=Icon::Edit />
                <span class="offer-words">
                    "The agent offers a text: " <q>{move || session.offered.get()}</q>
                </span>
                <button type="button" class="button" title="In place of what is written" on:click=move |_| take()>"Use it"</button>
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
    fn colours_go_and_everything_else_stays_and_is_seen() {
        assert_eq!(without_colours("\x1b[1;31mred\x1b[0m rest"), "red rest");
        assert_eq!(without_colours("a\x1b[2Jb"), "a\x1b[2Jb");
        assert!(readable(&["a\u{200b}b".into()]).contains("200B"));
    }
}
