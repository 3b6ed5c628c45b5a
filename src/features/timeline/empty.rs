//! The placeholder of an empty conversation.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use web_sys::Element;

use crate::actions::use_actions;
use crate::dom::build::rebuilt;
use crate::dom::element::{append, with_class, with_text};
use crate::store::server::Session;

pub fn empty_conversation(session: Session) -> AnyView {
    let server = use_actions().server;
    rebuilt("empty-state", move |place| {
        let agent = session.meta.agent().get();
        if server.agents.with(|agents| agents.iter().any(|other| other.demo && other.name == agent)) {
            append_demo_words(place);
        }
        let (title, folder) = (server.agent_title(&agent), session.meta.cwd().get());
        let words = ["Send a message to start. ", &title, " works in ", &folder, "."];
        append(place, &sentence(&words, "strong"));
    })
}

/// An introduction to the demo agent, and how to install a real one.
fn append_demo_words(place: &Element) {
    append(place, &with_text("h2", "", "Welcome to Pilothouse"));
    for words in [
        &[
            "This is the built-in demo. It has no model, but its tools really run. Try ",
            "/tour",
            " or ",
            "/plan",
            ".",
        ][..],
        &[
            "Pilothouse works with pi, Claude Code, Codex, Gemini, opencode and many others. To install one, open New \
           session and see More agents, for example:",
        ],
        &["", "npm install -g @earendil-works/pi-coding-agent"],
    ] {
        append(place, &sentence(words, "code"));
    }
}

/// A paragraph whose parts are text and code in turn. The first code is in `tag`.
fn sentence(parts: &[&str], tag: &str) -> Element {
    let paragraph = with_class("p", "");
    for (index, part) in parts.iter().enumerate() {
        let tag = match index {
            1 => tag,
            index if index % 2 == 1 => "code",
            _ => "span",
        };
        append(&paragraph, &with_text(tag, "", part));
    }
    paragraph
}
