//! What is scheduled: changing it, taking it away, taking it back into the composer. A refusal is said, and nothing
//! that was written is lost by it.

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
    "The message you were changing is no longer scheduled. Your text is in the composer.";

impl Actions {
    /// Takes a scheduled message into an editor; until that is over it is not sent.
    pub fn edit_queued(&self, session: Session, item: &Scheduled) {
        let (actions, item) = (*self, item.clone());
        let begin = change(&item, QueueEdit::Begin);
        self.ask_in(session, begin, move |session, outcome| match outcome {
            Ok(_) => actions.client.queue_edits.begin(&session.id(), &item.id, item.text),
            Err(error) => session.notify(NoticeLevel::Warning, error.message),
        });
    }

    /// What was written in the editor becomes the message. The editor stays open until the server has it.
    pub fn save_queued(&self, session: Session, item_id: &str) {
        let Some(edit) = self.client.queue_edits.of(&session.id(), item_id) else { return };
        let Some(item) = scheduled(session, item_id) else { return };
        if edit.text.trim().is_empty() && item.images.is_empty() {
            return session
                .notify(NoticeLevel::Warning, "An empty message is not sent; remove it instead.".to_owned());
        }
        let (actions, id) = (*self, item_id.to_owned());
        let finish = QueueEdit::Finish { text: edit.text.trim().to_owned(), images: item.images.clone() };
        let done = move |session: Session, outcome: Outcome| match outcome {
            Ok(_) => actions.client.queue_edits.end(&session.id(), &id),
            Err(error) => session.notify(NoticeLevel::Warning, error.message),
        };
        if item.under_edit {
            return self.ask_in(session, change(&item, finish), done);
        }
        // Somebody has ended the editing meanwhile: it begins anew, for this text.
        let actions = *self;
        let begin = change(&item, QueueEdit::Begin);
        self.ask_in(session, begin, move |session, outcome| match outcome {
            Ok(_) => {
                let item = Scheduled { revision: item.revision.wrapping_add(1), ..item };
                actions.ask_in(session, change(&item, finish), done);
            }
            Err(error) => done(session, Err(error)),
        });
    }

    pub fn cancel_queued(&self, session: Session, item_id: &str) {
        self.client.queue_edits.end(&session.id(), item_id);
        // Somebody may have ended it already: then there is nothing left to say.
        if let Some(item) = scheduled(session, item_id).filter(|item| item.under_edit) {
            self.ask(&session.id(), change(&item, QueueEdit::Cancel), drop);
        }
    }

    pub fn remove_queued(&self, session: Session, item: &Scheduled) {
        self.client.queue_edits.end(&session.id(), &item.id);
        let command = SessionCommand::RemoveQueued { item_id: item.id.clone(), revision: item.revision };
        self.order_in(session, command);
    }

    /// The queue changed: what was being written about a message that is gone goes to the composer.
    pub fn rescue_edits(&self, session: Session, queue: &Queue) {
        let id = session.id();
        for edit in self.client.queue_edits.take_orphans(&id, |item_id| queue.contains(item_id)) {
            if edit.text.trim() != edit.before.trim() && !edit.text.trim().is_empty() {
                self.client.drafts.put_before(&id, &[edit.text]);
                session.notify(NoticeLevel::Warning, NO_LONGER_SCHEDULED.to_owned());
            }
        }
    }

    /// "Restore to editor": the scheduled messages come back before the draft, with their pictures.
    pub fn restore_queue(&self, session: Session) {
        let id = session.id();
        let restoring = self.restoring;
        // The queue is shown until the server has cleared it: a second press in between is the same wish.
        if session.meta.queue().with_untracked(Queue::is_empty)
            || restoring.with_value(|ids| ids.contains(&id))
        {
            return;
        }
        restoring.update_value(|ids| ids.push(id.clone()));
        self.ask_back(id.clone(), SessionCommand::ClearQueue, move |_| {
            restoring.update_value(|ids| ids.retain(|other| *other != id));
        });
    }

    /// Asks for something whose answer gives texts back. `done` hears whether that answer got lost: then it is asked
    /// for again when the connection is back.
    pub(super) fn ask_back(&self, id: String, command: SessionCommand, done: impl FnOnce(bool) + 'static) {
        let (actions, request) = (*self, Rc::new(RefCell::new(String::new())));
        let known = Rc::clone(&request);
        self.with_connection(|connection| {
            let command = Command::of_session(&id, command);
            let sent = connection.request(command, OnDisconnect::Fail, move |outcome| {
                let lost = matches!(&outcome, Err(error) if error.code == ErrorCode::ConnectionLost);
                match outcome {
                    Ok(data) => actions.put_back(&id, &data),
                    Err(_) if lost => actions.miss_given_back(id, known.take()),
                    Err(_) => {}
                }
                done(lost);
            });
            request.replace(sent);
        });
    }

    /// What the server took out of the queue comes into the composer. Its word counts: a message may have been taken
    /// up in the meantime.
    pub(super) fn put_back(&self, session_id: &str, data: &serde_json::Value) {
        let (texts, images) = restored(data);
        self.client.drafts.put_before(session_id, &texts);
        self.client.attachments.add(session_id, images);
    }
}

fn change(item: &Scheduled, edit: QueueEdit) -> SessionCommand {
    SessionCommand::EditQueued { item_id: item.id.clone(), revision: item.revision, edit }
}

fn scheduled(session: Session, item_id: &str) -> Option<Scheduled> {
    session.meta.queue().with_untracked(|queue| queue.items().iter().find(|item| item.id == item_id).cloned())
}

fn restored(data: &serde_json::Value) -> (Vec<String>, Vec<Image>) {
    let items = data.get("restored").and_then(|items| items.as_array());
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for item in items.into_iter().flatten() {
        texts.extend(item.get("text").and_then(|text| text.as_str()).map(str::to_owned));
        let of_item = item.get("images").cloned().and_then(|found| serde_json::from_value(found).ok());
        images.extend(of_item.unwrap_or_else(Vec::<Image>::new));
    }
    (texts, images)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_took_out_comes_back_in_order_with_its_pictures() {
        let image = serde_json::json!({"mimeType": "image/png", "blob": "b1"});
        let data = serde_json::json!({"restored": [{"text": "a"}, {"text": "b", "images": [image]}]});
        let (texts, images) = restored(&data);
        assert_eq!(texts, ["a", "b"]);
        assert_eq!(images.iter().map(|image| image.blob.as_str()).collect::<Vec<_>>(), ["b1"]);
        assert!(restored(&serde_json::Value::Null).0.is_empty());
    }
}
