//! The dialog "About this agent": its name, version and protocol, and what it can do.

use leptos::prelude::*;
use pilothouse_core::protocol::{Capabilities, SessionMetaStoreFields};
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

use crate::actions::Actions;
use crate::dom::build::{button, on, with_attributes, with_children};
use crate::dom::element::{append, set, with_class, with_text};
use crate::store::server::Session;
use crate::widgets::icon::Icon;

const LABEL: &str = "About this agent";

/// Opens the dialog. It is removed when it is closed.
pub fn show(actions: Actions, session: Session) {
    let name = session.meta.agent().get_untracked();
    let agents = actions.server.agents.get_untracked();
    let info = agents.into_iter().find(|agent| agent.name == name).unwrap_or_default();
    let dialog = with_attributes("dialog", &[("class", "confirm help"), ("aria-label", LABEL)]);
    let closed = dialog.clone();
    let close = move || closed.unchecked_ref::<HtmlDialogElement>().close();
    let close_button = button("button icon-only quiet", Some(Icon::Close), "", close);
    set(&close_button, "aria-label", "Close");
    let title = untrack(|| actions.server.agent_title(&name));
    let heading = with_text("h2", "confirm-title", &title);
    append(&dialog, &with_children("div", "help-head", &[&heading, &close_button]));
    let facts = with_class("dl", "shortcuts");
    let version = info.version.unwrap_or_else(|| "Unknown".to_owned());
    let protocol = match info.dialect.as_str() {
        "acp" => "Agent Client Protocol",
        "pi" => "pi RPC",
        other => other,
    };
    for (name, value) in [("Version", version.as_str()), ("Protocol", protocol)] {
        append(&facts, &with_text("dt", "", name));
        append(&facts, &with_text("dd", "", value));
    }
    append(&dialog, &facts);
    append(&dialog, &with_text("h3", "shortcut-part", "What it can do"));
    let list = with_class("ul", "plan");
    let has_options = session.meta.options().with_untracked(|options| !options.is_empty());
    for (name, can) in abilities(&session.meta.capabilities().get_untracked(), has_options) {
        let mark = with_text("span", "plan-mark", if can { "✓" } else { "–" });
        set(&mark, "role", "img");
        set(&mark, "aria-label", if can { "Yes" } else { "No" });
        append(&list, &with_children("li", "plan-step", &[&mark, &with_text("span", "", name)]));
    }
    append(&dialog, &list);
    let removed = dialog.clone();
    on(&dialog, "close", move |_| removed.remove());
    if let Some(body) = document().body() {
        append(&body, &dialog);
        let _ = dialog.unchecked_ref::<HtmlDialogElement>().show_modal();
    }
}

fn abilities(can: &Capabilities, has_options: bool) -> [(&'static str, bool); 11] {
    let steering = if can.steering {
        "Reads new messages while it works"
    } else {
        "Reads new messages while it works (they wait in the queue)"
    };
    [
        ("Images in messages", can.images),
        (steering, can.steering),
        ("Choice of the model", can.models),
        ("Thinking levels", !can.thinking_levels.is_empty()),
        ("Modes", !can.modes.is_empty()),
        ("Further options", has_options),
        ("Slash commands", can.commands),
        ("Compaction of the conversation", can.compact),
        ("Forks", can.fork),
        ("Continues sessions after a restart", can.resume),
        ("Lists its own sessions", can.list_sessions),
    ]
}
