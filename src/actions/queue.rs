//! Scheduled messages: editing, removing and restoring them to the composer. If the server refuses a change,
//! a notice says so and the user's text is kept.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use pilothouse_core::Image;
use pilothouse_core::conversation::queue::{Queue, Scheduled};
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::protocol::{Command, ErrorCode, QueueEdit, SessionCommand};

use super::Actions;
use crate::net::{OnDisconnect, Outcome};
use crate::store::server::Session;

const NO_LONGER_SCHEDULED: &str =
    "The message you were editing is no longer queued. Your text was kept as a draft.";

impl Actions {
    /// Opens a scheduled message in an editor. The server does not send it to the agent until the edit ends.
    pub fn begin_queue_edit(&self, session: Session, item: &Scheduled) {
        let (actions, item) = (*self, item.clone());
        let begin = edit_command(&item, QueueEdit::Begin);
        self.request_in_session(session, begin, move |session, outcome| match outcome {
            Ok(_) => actions.client.queue_edits.begin(&session.id(), &item.id, item.text),
            Err(error) => session.notify(NoticeLevel::Warning, error.message),
        });
    }

    /// Replaces a scheduled message with the editor's text. The editor stays open until the server confirms.
    pub fn save_queue_edit(&self, session: Session, item_id: &str) {
        let Some(edit) = self.client.queue_edits.of(&session.id(), item_id) else { return };
        let Some(item) = find_scheduled(session, item_id) else { return };
        if edit.text.trim().is_empty() && item.images.is_empty() {
            return session
                .notify(NoticeLevel::Warning, "A message can't be empty. Remove it instead.".to_owned());
        }
        let (actions, id) = (*self, item_id.to_owned());
        let finish = QueueEdit::Finish { text: edit.text.trim().to_owned(), images: item.images.clone() };
        let on_response = move |session: Session, outcome: Outcome| match outcome {
            Ok(_) => actions.client.queue_edits.end(&session.id(), &id),
            Err(error) => session.notify(NoticeLevel::Warning, error.message),
        };
        if item.under_edit {
            return self.request_in_session(session, edit_command(&item, finish), on_response);
        }
        // Another client has ended the edit in the meantime: begin it again.
        let actions = *self;
        let begin = edit_command(&item, QueueEdit::Begin);
        self.request_in_session(session, begin, move |session, outcome| match outcome {
            Ok(_) => {
                let item = Scheduled { revision: item.revision.wrapping_add(1), ..item };
                actions.request_in_session(session, edit_command(&item, finish), on_response);
            }
            Err(error) => on_response(session, Err(error)),
        });
    }

    pub fn cancel_queue_edit(&self, session: Session, item_id: &str) {
        self.client.queue_edits.end(&session.id(), item_id);
        // Another client may have ended the edit already; then the server needs no command.
        if let Some(item) = find_scheduled(session, item_id).filter(|item| item.under_edit) {
            self.request(&session.id(), edit_command(&item, QueueEdit::Cancel), drop);
        }
    }

    pub fn remove_queued(&self, session: Session, item: &Scheduled) {
        self.client.queue_edits.end(&session.id(), &item.id);
        let command = SessionCommand::RemoveQueued { item_id: item.id.clone(), revision: item.revision };
        self.send_or_notify(session, command);
    }

    /// Moves the changed texts of edits whose messages are no longer in the queue to the composer.
    pub fn rescue_queue_edits(&self, session: Session, queue: &Queue) {
        let id = session.id();
        for edit in self.client.queue_edits.take_orphans(&id, |item_id| queue.contains(item_id)) {
            if edit.text.trim() != edit.before.trim() && !edit.text.trim().is_empty() {
                self.client.drafts.put_before(&id, &[edit.text]);
                session.notify(NoticeLevel::Warning, NO_LONGER_SCHEDULED.to_owned());
            }
        }
    }

    /// "Restore to editor": moves the scheduled messages, with their images, to the composer, before the
    /// draft.
    pub fn restore_queue(&self, session: Session) {
        let id = session.id();
        let restoring = self.restoring;
        // The queue stays visible until the server has cleared it: a second click must not send a second
        // command.
        if session.meta.queue().with_untracked(Queue::is_empty)
            || restoring.with_value(|ids| ids.contains(&id))
        {
            return;
        }
        restoring.update_value(|ids| ids.push(id.clone()));
        self.request_restore(id.clone(), SessionCommand::ClearQueue, move |_| {
            restoring.update_value(|ids| ids.retain(|other| *other != id));
        });
    }

    /// Sends a command whose response contains the messages that the server took out of the queue, and
    /// restores them to the composer. `callback` receives whether the response was lost; then
    /// `recover_lost_responses` requests it again after the reconnect.
    pub(super) fn request_restore(
        &self,
        session_id: String,
        command: SessionCommand,
        callback: impl FnOnce(bool) + 'static,
    ) {
        let (actions, request_id) = (*self, Rc::new(RefCell::new(String::new())));
        let sent_id = Rc::clone(&request_id);
        let command = Command::of_session(&session_id, command);
        let on_response = move |outcome: Outcome| {
            let lost = matches!(&outcome, Err(error) if error.code == ErrorCode::ConnectionLost);
            match outcome {
                Ok(data) => actions.restore_to_composer(&session_id, &data),
                Err(_) if lost => actions.record_lost_response(session_id, sent_id.take()),
                Err(_) => {}
            }
            callback(lost);
        };
        request_id.replace(self.send(command, OnDisconnect::Fail, Box::new(on_response)));
    }

    /// Puts the restored messages of a response into the composer. The response counts, not the queue that is
    /// shown: the agent may have received a message in the meantime.
    pub(super) fn restore_to_composer(&self, session_id: &str, data: &serde_json::Value) {
        let (texts, images) = parse_restored(data);
        self.client.drafts.put_before(session_id, &texts);
        self.client.attachments.add(session_id, images);
    }
}

fn edit_command(item: &Scheduled, edit: QueueEdit) -> SessionCommand {
    SessionCommand::EditQueued { item_id: item.id.clone(), revision: item.revision, edit }
}

fn find_scheduled(session: Session, item_id: &str) -> Option<Scheduled> {
    session.meta.queue().with_untracked(|queue| queue.items().iter().find(|item| item.id == item_id).cloned())
}

fn parse_restored(data: &serde_json::Value) -> (Vec<String>, Vec<Image>) {
    let items = data.get("restored").and_then(|items| items.as_array());
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for item in items.into_iter().flatten() {
        texts.extend(item.get("text").and_then(|text| text.as_str()).map(str::to_owned));
        let item_images = item.get("images").cloned().and_then(|found| serde_json::from_value(found).ok());
        images.extend(item_images.unwrap_or_else(Vec::<Image>::new));
    }
    (texts, images)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restored_messages_keep_their_order_and_images() {
        let image = serde_json::json!({"mimeType": "image/png", "blob": "b1"});
        let data = serde_json::json!({"restored": [{"text": "a"}, {"text": "b", "images": [image]}]});
        let (texts, images) = parse_restored(&data);
        assert_eq!(texts, ["a", "b"]);
        assert_eq!(images.iter().map(|image| image.blob.as_str()).collect::<Vec<_>>(), ["b1"]);
        assert!(parse_restored(&serde_json::Value::Null).0.is_empty());
    }
}
