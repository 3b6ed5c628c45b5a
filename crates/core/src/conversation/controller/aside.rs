//! Rows that stand aside, behind the conversation proper: prompts the server has not confirmed, errors of this page
//! alone, and the user's shell commands until their place in history is known.

use super::{Change, MessageController, Report};
use crate::conversation::message::Content;
use crate::conversation::ui_message::{BashResult, Image, Kind, Mark, UiMessage};
use crate::limits::BASH_OUTPUT_BYTES;

impl MessageController {
    /// The page's own row for a prompt it has just sent. The server's echo takes its place.
    pub fn create_user_message(&mut self, client_id: &str, text: String, images: Vec<Image>) -> Report {
        let mut report = self.forget_refusals();
        let id = user_row_id(client_id);
        let mark = Some(Mark::Sending);
        report.extend(self.push_aside(UiMessage {
            id,
            kind: Kind::User,
            text,
            images,
            mark,
            ..UiMessage::default()
        }));
        report
    }

    /// What this page alone shows of earlier refusals goes when the person sends something new; it would sink below
    /// everything that comes.
    fn forget_refusals(&mut self) -> Report {
        let mut report = Report::new();
        let local = |message: &UiMessage| message.kind == Kind::Error || message.mark == Some(Mark::Refused);
        while let Some(position) = self.rows[self.fold.body - self.first..].iter().position(local) {
            self.remove(self.fold.body + position, &mut report);
        }
        report
    }

    /// An error of this page alone, such as a refused command.
    pub fn create_error_message(&mut self, id: &str, text: String) -> Report {
        self.push_aside(UiMessage { id: format!("e-{id}"), kind: Kind::Error, text, ..UiMessage::default() })
    }

    /// The page's own row for a shell command it has just sent.
    pub fn create_bash_result_message(
        &mut self,
        id: &str,
        command: String,
        exclude_from_context: bool,
    ) -> Report {
        let mut report = Report::new();
        self.bash_start(id, command, exclude_from_context, &mut report);
        report
    }

    /// The server refused a prompt: its row says so, and its text can be recovered from it.
    pub fn mark_refused(&mut self, client_id: &str) -> Report {
        let mut report = Report::new();
        if let Some(row) = self.aside(&user_row_id(client_id)) {
            self.change(row, &mut report, |message| {
                message.mark.replace(Mark::Refused) != Some(Mark::Refused)
            });
        }
        report
    }

    /// A prompt that was scheduled instead of started has no row until it is taken up.
    pub fn forget_user_message(&mut self, client_id: &str) -> Report {
        let mut report = Report::new();
        if let Some(row) = self.aside(&user_row_id(client_id)) {
            self.remove(row, &mut report);
        }
        report
    }

    /// A user message that the agent has taken up. The same one told again is the same row.
    pub(super) fn user_row(
        &mut self,
        content: &Content,
        client_id: Option<String>,
        report: &mut Report,
    ) -> usize {
        let id = client_id.map(|client_id| user_row_id(&client_id)).unwrap_or_default();
        if let Some(row) = self.named(&id) {
            self.set_user_content(row, content, report);
            return row;
        }
        // In a transcript the assistant's message is over before the person speaks.
        self.fold.blocks = None;
        if let Some(row) = self.aside(&id) {
            if row == self.fold.body {
                // The optimistic row stands exactly where the confirmed one belongs: it stays.
                self.take_in_next();
                self.set_user_content(row, content, report);
                return row;
            }
            self.remove(row, report);
        }
        let (text, images) = (content.text(), content.images());
        let message = UiMessage { id: id.clone(), kind: Kind::User, text, images, ..UiMessage::default() };
        let row = self.push(message, report);
        self.remember_name(row, &id);
        row
    }

    pub(super) fn set_user_content(&mut self, row: usize, content: &Content, report: &mut Report) {
        self.change(row, report, |message| {
            let (text, images) = (content.text(), content.images());
            let differs = message.text != text || message.images != images || message.mark.is_some();
            message.text = text;
            message.images = images;
            message.mark = None;
            differs
        });
    }

    /// The first row that stands aside becomes the last of the conversation.
    fn take_in_next(&mut self) {
        let row = self.fold.body;
        let Some(id) = self.rows.get(row - self.first).map(|message| message.id.clone()) else { return };
        self.fold.body += 1;
        self.fold.next_id += 1;
        self.remember_name(row, &id);
    }

    #[inline(never)]
    pub(super) fn bash_start(
        &mut self,
        id: &str,
        command: String,
        exclude_from_context: bool,
        report: &mut Report,
    ) {
        let result = BashResult { command, exclude_from_context, running: true, ..BashResult::default() };
        report.extend(self.push_aside(UiMessage {
            id: bash_row_id(id),
            kind: Kind::Bash,
            bash_result: Some(result),
            ..UiMessage::default()
        }));
    }

    #[inline(never)]
    pub(super) fn bash_update(&mut self, id: &str, delta: &str, report: &mut Report) {
        if let Some(row) = self.aside(&bash_row_id(id)) {
            self.change(row, report, |message| {
                let Some(result) = message.bash_result.as_mut().filter(|result| result.running) else {
                    return false;
                };
                result.output.push_str(delta);
                keep_tail(&mut result.output);
                true
            });
        }
    }

    #[inline(never)]
    pub(super) fn bash_end(&mut self, id: &str, result: BashResult, report: &mut Report) {
        let Some(row) = self.aside(&bash_row_id(id)) else { return };
        self.change(row, report, |message| message.bash_result.replace(result.clone()) != Some(result));
        if self.fold.running {
            self.order_bash_row(row - self.first, report);
        } else {
            self.bring_in_bash_rows(report);
        }
    }

    /// History has shell commands in the order they ended: one that ends stands before those that still run.
    fn order_bash_row(&mut self, held: usize, report: &mut Report) {
        let start = self.fold.body - self.first;
        if let Some(position) = self.rows[start..held].iter().position(is_running_bash) {
            self.move_row(held, start + position, report);
        }
    }

    /// Nobody is left to end them.
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

    /// Finished shell rows become part of the conversation, in the order they ended.
    pub(super) fn bring_in_bash_rows(&mut self, report: &mut Report) {
        let finished =
            |message: &UiMessage| message.bash_result.as_ref().is_some_and(|result| !result.running);
        loop {
            let start = self.fold.body - self.first;
            let Some(position) = self.rows[start..].iter().position(finished) else { return };
            if position > 0 {
                // Something of this page alone stands before it, such as a prompt that is still being sent.
                self.move_row(start + position, start, report);
            }
            self.take_in_next();
        }
    }

    fn push_aside(&mut self, message: UiMessage) -> Report {
        if self.aside(&message.id).is_some() || self.named(&message.id).is_some() {
            return Report::new();
        }
        self.rows.push(message);
        vec![Change::Inserted(self.rows.len() - 1)]
    }

    /// The index of a row that stands aside. There are only ever a few.
    fn aside(&self, id: &str) -> Option<usize> {
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

/// Whether a row's id was chosen by a page.
pub(super) fn is_named_by_a_page(id: &str) -> bool {
    id.starts_with("u-") || id.starts_with("b-")
}

fn bash_row_id(id: &str) -> String {
    format!("b-{id}")
}

/// Live output is a view of the end; the complete result comes with the command's end.
fn keep_tail(output: &mut String) {
    if output.len() > BASH_OUTPUT_BYTES {
        let mut cut = output.len() - BASH_OUTPUT_BYTES / 2;
        while !output.is_char_boundary(cut) {
            cut += 1;
        }
        output.drain(..cut);
    }
}
