//! Pending rows, which follow the body: prompts that the server has not confirmed, errors that only this page
//! shows, and the user's shell commands until their place in history is known. There are only ever a few of them.

use super::{Change, MessageController, Report, row_text};
use crate::conversation::limit::BlockText;
use crate::conversation::live_output;
use crate::conversation::message::Content;
use crate::conversation::ui_message::{BashResult, Image, Kind, Mark, UiMessage};

impl MessageController {
    /// Adds the page's optimistic row for a prompt that it sends. The server's confirmation moves it into the
    /// body.
    pub fn create_user_message(&mut self, client_id: &str, text: String, images: Vec<Image>) -> Report {
        let mut report = self.remove_refusals();
        let id = user_row_id(client_id);
        let mark = Some(Mark::Sending);
        report.extend(self.push_pending(UiMessage {
            id,
            kind: Kind::User,
            text,
            images,
            mark,
            ..UiMessage::default()
        }));
        report
    }

    /// Removes errors and refused prompts. Without this they would stay below all new rows.
    pub fn remove_refusals(&mut self) -> Report {
        let mut report = Report::new();
        let local = |message: &UiMessage| message.kind == Kind::Error || message.mark == Some(Mark::Refused);
        while let Some(position) = self.rows[self.fold.body - self.first..].iter().position(local) {
            self.remove(self.fold.body + position, &mut report);
        }
        report
    }

    /// Adds an error that only this page shows, such as a refused command.
    pub fn create_error_message(&mut self, id: &str, text: String) -> Report {
        self.push_pending(UiMessage {
            id: format!("e-{id}"),
            kind: Kind::Error,
            text,
            ..UiMessage::default()
        })
    }

    /// Marks a prompt that the server refused. The row keeps the text, so that the user can recover it.
    pub fn mark_refused(&mut self, client_id: &str) -> Report {
        let mut report = Report::new();
        if let Some(row) = self.find_pending(&user_row_id(client_id)) {
            self.change(row, &mut report, |message| {
                message.mark.replace(Mark::Refused) != Some(Mark::Refused)
            });
        }
        report
    }

    /// Removes the row of a prompt that the server scheduled. It has no row until the agent accepts it.
    pub fn remove_user_message(&mut self, client_id: &str) -> Report {
        let mut report = Report::new();
        if let Some(row) = self.find_pending(&user_row_id(client_id)) {
            self.remove(row, &mut report);
        }
        report
    }

    /// The row of a user message that the agent accepted. A repeated client id refers to the same row.
    pub(super) fn user_row(
        &mut self,
        content: &Content,
        client_id: Option<String>,
        report: &mut Report,
    ) -> usize {
        let id = client_id.map(|client_id| user_row_id(&client_id)).unwrap_or_default();
        if let Some(row) = self.find_named_row(&id) {
            self.set_user_content(row, content, report);
            return row;
        }
        // A transcript ends the assistant message before the next user message.
        self.fold.blocks = None;
        if let Some(row) = self.find_pending(&id) {
            if row == self.fold.body {
                // The optimistic row is already in the place of the confirmed one.
                self.adopt_first_pending();
                self.set_user_content(row, content, report);
                return row;
            }
            self.remove(row, report);
        }
        let (BlockText { text, left_out }, images) = (row_text(content), content.images());
        let message =
            UiMessage { id: id.clone(), kind: Kind::User, text, images, left_out, ..UiMessage::default() };
        let row = self.push(message, report);
        self.remember_name(row, &id);
        row
    }

    pub(super) fn set_user_content(&mut self, row: usize, content: &Content, report: &mut Report) {
        self.change(row, report, |message| {
            let (BlockText { text, left_out }, images) = (row_text(content), content.images());
            let differs = message.text != text
                || message.left_out != left_out
                || message.images != images
                || message.mark.is_some();
            (message.text, message.left_out) = (text, left_out);
            message.images = images;
            message.mark = None;
            differs
        });
    }

    /// Makes the first pending row the last row of the body.
    fn adopt_first_pending(&mut self) {
        let row = self.fold.body;
        let Some(id) = self.rows.get(row - self.first).map(|message| message.id.clone()) else { return };
        self.fold.body += 1;
        self.fold.next_id += 1;
        self.remember_name(row, &id);
    }

    pub(super) fn bash_start(
        &mut self,
        id: &str,
        command: String,
        exclude_from_context: bool,
        report: &mut Report,
    ) {
        let result = BashResult { command, exclude_from_context, running: true, ..BashResult::default() };
        report.extend(self.push_pending(UiMessage {
            id: bash_row_id(id),
            kind: Kind::Bash,
            bash_result: Some(result),
            ..UiMessage::default()
        }));
    }

    pub(super) fn bash_update(&mut self, id: &str, delta: &str, report: &mut Report) {
        if let Some(row) = self.find_pending(&bash_row_id(id)) {
            self.change(row, report, |message| {
                let Some(result) = message.bash_result.as_mut().filter(|result| result.running) else {
                    return false;
                };
                live_output::append(&mut result.output, &mut result.left_out, delta);
                true
            });
        }
    }

    pub(super) fn bash_end(&mut self, id: &str, result: BashResult, report: &mut Report) {
        let Some(row) = self.find_pending(&bash_row_id(id)) else { return };
        self.change(row, report, |message| message.bash_result.replace(result.clone()) != Some(result));
        if self.fold.running {
            self.move_before_running_bash(row - self.first, report);
        } else {
            self.adopt_finished_bash_rows(report);
        }
    }

    /// Moves a finished shell row before those that still run, since history stores commands in the order they
    /// ended.
    fn move_before_running_bash(&mut self, held: usize, report: &mut Report) {
        let start = self.fold.body - self.first;
        if let Some(position) = self.rows[start..held].iter().position(is_running_bash) {
            self.move_row(held, start + position, report);
        }
    }

    /// Marks all running shell commands as cancelled. Their process is gone, so no end will follow.
    pub(super) fn close_running_bash(&mut self, report: &mut Report) {
        for held in self.fold.body - self.first..self.rows.len() {
            self.change(self.first + held, report, |message| {
                let running = message.bash_result.as_mut().filter(|result| result.running);
                running.map(|result| (result.running, result.cancelled) = (false, true)).is_some()
            });
        }
    }

    fn move_row(&mut self, from: usize, to: usize, report: &mut Report) {
        let message = self.rows.remove(from);
        self.rows.insert(to, message);
        report.extend([Change::Removed(from), Change::Inserted(to)]);
    }

    /// Moves finished shell rows into the body, in the order in which they ended.
    pub(super) fn adopt_finished_bash_rows(&mut self, report: &mut Report) {
        let finished =
            |message: &UiMessage| message.bash_result.as_ref().is_some_and(|result| !result.running);
        loop {
            let start = self.fold.body - self.first;
            let Some(position) = self.rows[start..].iter().position(finished) else { return };
            // Other pending rows may be before it, such as a prompt that is still being sent.
            if position > 0 {
                self.move_row(start + position, start, report);
            }
            self.adopt_first_pending();
        }
    }

    /// Adds a pending row, unless a row with this id exists.
    fn push_pending(&mut self, message: UiMessage) -> Report {
        if self.find_pending(&message.id).is_some() || self.find_named_row(&message.id).is_some() {
            return Report::new();
        }
        self.rows.push(message);
        vec![Change::Inserted(self.rows.len() - 1)]
    }

    /// The number of the pending row with this id.
    fn find_pending(&self, id: &str) -> Option<usize> {
        let start = self.fold.body - self.first;
        let position = self.rows[start..].iter().position(|message| !id.is_empty() && message.id == id)?;
        Some(self.fold.body + position)
    }
}

fn is_running_bash(message: &UiMessage) -> bool {
    message.bash_result.as_ref().is_some_and(|result| result.running)
}

fn user_row_id(client_id: &str) -> String {
    format!("u-{client_id}")
}

/// Whether a client chose this row id, as opposed to the reducer.
pub(super) fn is_client_row_id(id: &str) -> bool {
    id.starts_with("u-") || id.starts_with("b-")
}

fn bash_row_id(id: &str) -> String {
    format!("b-{id}")
}
