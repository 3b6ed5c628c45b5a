//! Synchronisation of drafts between the user's devices. A draft is sent to the server when it is saved, and
//! adopted from there when a session is opened and its composer is empty.

use leptos::prelude::*;
use pilothouse_core::limits::DRAFT_BYTES;
use pilothouse_core::protocol::{HubCommand, SessionCommand};

use super::Actions;

impl Actions {
    /// Sends a draft to the server, unless the server has it or it is too long.
    pub(super) fn sync_draft(&self, session_id: &str, text: &str) {
        let is_known =
            self.server_drafts.with_value(|drafts| drafts.get(session_id).is_some_and(|known| known == text));
        if is_known || text.len() > DRAFT_BYTES {
            return;
        }
        let (actions, id, text) = (*self, session_id.to_owned(), text.to_owned());
        let command = HubCommand::SetDraft { session_id: session_id.to_owned(), text: text.clone() };
        self.request_hub(command, move |outcome| match outcome {
            Ok(_) => actions.set_server_draft(id, text),
            Err(_) => actions.unsent_drafts.update_value(|ids| {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }),
        });
    }

    /// Sends the drafts, after a reconnect, that could not be sent before.
    pub(super) fn sync_unsent_drafts(&self) {
        for id in self.unsent_drafts.try_update_value(std::mem::take).unwrap_or_default() {
            let text = self.client.drafts.of(&id).get_untracked();
            self.sync_draft(&id, &text);
        }
    }

    /// Stores the id of a restore request whose response was lost with the connection.
    pub(super) fn record_lost_response(&self, session_id: String, request_id: String) {
        self.lost_responses.update_value(|lost| lost.push((session_id, request_id)));
    }

    /// Requests the lost responses again after a reconnect, and restores their messages to the composer.
    pub(super) fn recover_lost_responses(&self) {
        for (id, request) in self.lost_responses.try_update_value(std::mem::take).unwrap_or_default() {
            let actions = *self;
            let command = SessionCommand::GivenBack { request: request.clone() };
            self.request(&id.clone(), command, move |outcome| match outcome {
                Ok(data) if data.get("restored").is_some() => actions.restore_to_composer(&id, &data),
                // The server no longer has the response, but has put the messages before the draft as well.
                Ok(data) => {
                    let draft = data.get("draft").and_then(|draft| draft.as_str()).unwrap_or_default();
                    let known = actions.server_drafts.with_value(|drafts| drafts.get(&id).cloned());
                    let restored = draft.strip_suffix(known.unwrap_or_default().as_str());
                    if let Some(text) = restored.map(str::trim_end).filter(|text| !text.is_empty()) {
                        actions.client.drafts.put_before(&id, &[text.to_owned()]);
                    }
                    actions.set_server_draft(id.clone(), draft.to_owned());
                    let text = actions.client.drafts.of(&id).get_untracked();
                    actions.sync_draft(&id, &text);
                }
                Err(_) => actions.record_lost_response(id, request),
            });
        }
    }

    /// Puts the draft of a newly opened session, which another device may have written, into an empty
    /// composer.
    pub(super) fn adopt_server_draft(&self, session_id: &str) {
        let Some(session) = self.server.opened(session_id) else { return };
        let Some(draft) = session.take_server_draft() else { return };
        self.set_server_draft(session_id.to_owned(), draft.clone());
        let is_empty = self.client.drafts.of(session_id).with_untracked(String::is_empty);
        if is_empty && !draft.is_empty() {
            self.client.drafts.set(session_id, draft);
        }
    }

    fn set_server_draft(&self, session_id: String, text: String) {
        self.server_drafts.update_value(|drafts| {
            drafts.insert(session_id, text);
        });
    }
}
