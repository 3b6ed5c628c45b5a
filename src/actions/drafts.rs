//! Drafts for the person's other devices: told to the server when the typing rests, taken up when a session is opened
//! here and nothing is written yet.

use leptos::prelude::*;
use pilothouse_core::limits::DRAFT_BYTES;
use pilothouse_core::protocol::{HubCommand, SessionCommand};

use super::Actions;

impl Actions {
    /// The typing in a session rests.
    pub(super) fn draft_rests(&self, session_id: &str, text: &str) {
        let known =
            self.served_drafts.with_value(|drafts| drafts.get(session_id).is_some_and(|held| held == text));
        if known || text.len() > DRAFT_BYTES {
            return;
        }
        let (actions, id, text) = (*self, session_id.to_owned(), text.to_owned());
        let command = HubCommand::SetDraft { session_id: session_id.to_owned(), text: text.clone() };
        self.ask_hub(command, move |outcome| match outcome {
            Ok(_) => actions.know_draft(id, text),
            // Said again when the connection is back.
            Err(_) => actions.unserved.update_value(|ids| {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }),
        });
    }

    /// After a welcome: what could not be told while there was no connection.
    pub(super) fn tell_drafts(&self) {
        for id in self.unserved.try_update_value(std::mem::take).unwrap_or_default() {
            let text = self.client.drafts.of(&id).get_untracked();
            self.draft_rests(&id, &text);
        }
    }

    /// The answer to this request, which was to give texts back, got lost: it is asked for when the connection is back.
    pub(super) fn miss_given_back(&self, session_id: String, request: String) {
        self.missed.update_value(|missed| missed.push((session_id, request)));
    }

    /// After a welcome, before any draft is told.
    pub(super) fn fetch_given_back(&self) {
        for (id, request) in self.missed.try_update_value(std::mem::take).unwrap_or_default() {
            let actions = *self;
            let command = SessionCommand::GivenBack { request: request.clone() };
            self.ask(&id.clone(), command, move |outcome| match outcome {
                Ok(data) if data.get("restored").is_some() => actions.put_back(&id, &data),
                // The server does not remember, but has put the texts into the draft as well.
                Ok(data) => {
                    let served = data.get("draft").and_then(|draft| draft.as_str()).unwrap_or_default();
                    let known = actions.served_drafts.with_value(|drafts| drafts.get(&id).cloned());
                    let given_back = served.strip_suffix(known.unwrap_or_default().as_str());
                    if let Some(text) = given_back.map(str::trim_end).filter(|text| !text.is_empty()) {
                        actions.client.drafts.put_before(&id, &[text.to_owned()]);
                    }
                    actions.know_draft(id.clone(), served.to_owned());
                    let text = actions.client.drafts.of(&id).get_untracked();
                    actions.draft_rests(&id, &text);
                }
                Err(_) => actions.miss_given_back(id, request),
            });
        }
    }

    /// A session was opened: an empty composer takes what another device left.
    pub(super) fn take_up_draft(&self, session_id: &str) {
        let Some(session) = self.server.opened(session_id) else { return };
        let Some(served) = session.take_server_draft() else { return };
        self.know_draft(session_id.to_owned(), served.clone());
        let empty = self.client.drafts.of(session_id).with_untracked(String::is_empty);
        if empty && !served.is_empty() {
            self.client.drafts.set(session_id, served);
        }
    }

    fn know_draft(&self, session_id: String, text: String) {
        self.served_drafts.update_value(|drafts| {
            drafts.insert(session_id, text);
        });
    }
}
