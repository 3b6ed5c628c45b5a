//! The list of the last answers to approvals.

use leptos::prelude::*;
use pilothouse_core::protocol::{ApprovalEntry, ApprovalLog, HubCommand};
use web_sys::Element;

use crate::actions::{Actions, use_actions};
use crate::dom::build::{disclosure, with_attributes};
use crate::dom::element::{append, with_class, with_text};
use crate::features::sidebar::session_label::session_title;
use crate::net::read_answer;
use crate::widgets::relative_time::time_ago;
use crate::widgets::visible_text::{exact_text, visible_text};

pub(super) fn build(place: &Element) {
    let actions = use_actions();
    let words = with_text("p", "confirm-words", "");
    let list = with_class("ul", "settings-list");
    let problem = with_attributes("p", &[("class", "problem"), ("role", "alert")]);
    for part in [&words, &list, &problem] {
        append(place, part);
    }
    actions.request_hub(HubCommand::ListApprovals, move |outcome| match read_answer(outcome) {
        Ok(ApprovalLog { entries, file }) => {
            let text = if entries.is_empty() {
                "No agent has asked for an approval yet.".to_owned()
            } else {
                format!("The last answers to what agents asked for. All of them are in {file} on the server.")
            };
            words.set_text_content(Some(&text));
            entries.iter().for_each(|entry| append(&list, &item(actions, entry)));
        }
        Err(text) => problem.set_text_content(Some(&text)),
    });
}

fn item(actions: Actions, entry: &ApprovalEntry) -> Element {
    let session = actions.server.summary(&entry.session);
    let title = session.map_or_else(|| "a deleted session".to_owned(), |session| session_title(&session));
    let ago = time_ago(entry.at, actions.client.now.get_untracked());
    let item = with_class("li", "approval");
    append(&item, &visible_text("div", "device-name", &entry.answer));
    append(&item, &with_text("div", "device-facts", &format!("{ago} · {} · {title}", entry.device)));
    // The first line is the question, which an agent writes.
    let shown = disclosure("approval-text", "What was shown");
    append(&shown, &exact_text(&entry.shown));
    append(&item, &shown);
    item
}
