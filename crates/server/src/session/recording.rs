//! Sessions of agents that keep no readable files: recording the conversation, loading a session that only the agent
//! knows, and shell commands that the server runs.

use pilothouse_core::conversation::message::{Content, Message, Part};
use pilothouse_core::conversation::ui_message::{BashResult, Kind};
use pilothouse_core::limits::SHELL_CONTEXT_BYTES;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{CommandError, ErrorCode};
use pilothouse_core::session::machine::StateEvent;
use tokio::time::Instant;

use super::parts::journal::ask_record;
use super::parts::recorder::{Append, Recorder};
use super::{Session, read_from_disk};
use crate::agent::process::ShellEvent;
use crate::clock::now_ms;
use crate::store::Write;

impl Session {
    /// Writes lines of the recorder. If that fails, they are kept for the next attempt, and clients see a banner.
    pub(super) async fn append(&mut self, append: Option<Append>) -> Result<(), CommandError> {
        let Some(append) = append else { return Ok(()) };
        let folder = self.hub.store().folder().clone();
        let write = move || (append.write(|| Ok(folder.check()?)), append);
        let written = tokio::task::spawn_blocking(write).await;
        let (result, append) = match written {
            Ok((result, append)) => (result, append),
            Err(error) => return Err(CommandError::new(ErrorCode::Internal, error.to_string())),
        };
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        match result {
            Ok(()) => {
                self.origin.file = recorder.file().map(ToOwned::to_owned);
                self.hub.set_recording_problem(&self.origin.id, None);
                Ok(())
            }
            Err(error) => {
                recorder.not_written(append, Instant::now());
                // The store finds out at once whether this is a problem of the whole data folder.
                self.hub.store().submit(vec![Write::Touch]);
                let text = format!("The conversation could not be recorded: {error}.");
                tracing::warn!(session = %self.origin.id, text);
                self.hub.set_recording_problem(&self.origin.id, Some(text.clone()));
                Err(CommandError::new(ErrorCode::NotStored, text))
            }
        }
    }

    /// Writes what a user action records. If that fails, nothing of it is recorded: the user is told, and decides again.
    pub(super) async fn append_or_undo(
        &mut self,
        record: impl FnOnce(&mut Recorder) -> Option<Append>,
    ) -> Result<(), CommandError> {
        let before = self.recorder.clone();
        let append = self.recorder.as_mut().and_then(record);
        let result = self.append(append).await;
        if result.is_err() {
            self.recorder = before;
        }
        result
    }

    /// Returns an error while a session that only the agent knows is not loaded completely: its file begins with what
    /// the agent reports.
    pub(super) fn check_loaded(&self) -> Result<(), CommandError> {
        if self.has_import() {
            let text =
                "This session isn't loaded from the agent yet. Wait until it is, or try again to load it.";
            return Err(CommandError::new(ErrorCode::Busy, text));
        }
        Ok(())
    }

    /// Records an event, if this session is recorded, and publishes it.
    pub(super) async fn record_and_publish(&mut self, event: Event) {
        let append = self.recorder.as_mut().and_then(|recorder| recorder.record(&event, now_ms()));
        // An event of the agent is shown even if it could not be recorded.
        let _ = self.append(append).await;
        self.publish(event);
    }

    /// Ends the message in progress in the file and in the rows, so that a row of the session follows it in both.
    pub(super) async fn end_message_in_progress(&mut self) {
        if self.recorder.is_none() {
            return;
        }
        self.agent.end_message();
        while let Some(event) = self.agent.next_conversation_event() {
            // Boxed, because the end of a message may itself lead here.
            Box::pin(self.session_event(event)).await;
        }
    }

    /// Records how an unanswered question ended.
    pub(super) async fn record_ask(&mut self, words: String) {
        let record = ask_record(words);
        if self.recorder.is_some() {
            self.end_message_in_progress().await;
            return self.record_and_publish(record).await;
        }
        self.journal.submit(vec![self.journal.add_extra(vec![record.clone()])]);
        self.publish(record);
    }

    /// Adds a row that tells the user something about the session.
    pub(super) async fn note(&mut self, text: String) {
        self.end_message_in_progress().await;
        let content = Content(vec![Part::Text { text }]);
        let message = Message::Custom { content, display: true };
        self.record_and_publish(Event::MessageEnd { message }).await;
    }

    /// Records the agent's own id of the session.
    pub(super) async fn agent_session_started(&mut self, id: &str) {
        let append = self.recorder.as_mut().and_then(|recorder| recorder.set_agent_session(id, now_ms()));
        let _ = self.append(append).await;
    }

    /// Records the model, the thinking level and the mode.
    pub(super) async fn record_settings(&mut self) {
        let meta = self.log.meta();
        let append = self.recorder.as_mut().and_then(|recorder| {
            recorder.set_settings(meta.model.as_ref(), &meta.thinking_level, &meta.mode, now_ms())
        });
        let _ = self.append(append).await;
    }

    /// Records the agent's options.
    pub(super) async fn record_options(&mut self) {
        let meta = self.log.meta();
        let append =
            self.recorder.as_mut().and_then(|recorder| recorder.set_options(&meta.options, now_ms()));
        let _ = self.append(append).await;
    }

    /// When lines that could not be written are tried again.
    pub(super) fn recording_retry_at(&self) -> Option<Instant> {
        self.recorder.as_ref().and_then(Recorder::retry_at)
    }

    /// Writes what could not be written before.
    pub(super) async fn retry_recording(&mut self) {
        let append = self.recorder.as_mut().and_then(Recorder::retry);
        let _ = self.append(append).await;
    }

    /// Loads a session that only the agent knows.
    pub(super) async fn begin_import(&mut self, agent_session: String, title: String) {
        // From the start, so that a kill during the import leaves a session that continues.
        let append = self
            .recorder
            .as_mut()
            .and_then(|recorder| recorder.begin_import(&agent_session, title.trim(), now_ms()));
        let _ = self.append(append).await;
        self.set_title(title.trim().to_owned());
        self.import_session().await;
    }

    /// Whether a session that only the agent knows is to be loaded.
    pub(super) fn has_import(&self) -> bool {
        self.recorder.as_ref().is_some_and(|recorder| recorder.import().is_some())
    }

    /// Drops what was loaded, because the import failed. The next attempt starts from the beginning.
    pub(super) async fn discard_import(&mut self) {
        if let Some(recorder) = self.recorder.as_mut().filter(|recorder| recorder.has_part_of_import()) {
            recorder.reset_import();
            let recovered = read_from_disk(&self.origin, &self.hub).await;
            self.log.replace_rows(recovered.extras.into_iter().flat_map(|extra| extra.events));
        }
    }

    pub(super) async fn import_session(&mut self) {
        self.begin_run();
        if let Err(error) = self.ensure_process().await {
            self.transition(StateEvent::ProcessError, &error.message);
        }
    }

    pub(super) async fn shell_event(&mut self, event: ShellEvent) {
        match event {
            ShellEvent::Output { id, text } => {
                if let Some(event) = self.shell.local_output(&id, text) {
                    self.publish(event);
                }
            }
            ShellEvent::Ended { id, code } => {
                if let Some(finished) = self.shell.local_end(&id, code) {
                    self.record_and_publish(finished.end).await;
                }
            }
        }
    }

    /// The output of shell commands since the last prompt, for an agent whose commands the server runs: the agent has
    /// not seen them.
    pub(super) fn shell_context(&self) -> Vec<String> {
        if self.origin.agent.has_shell() {
            return Vec::new();
        }
        let rows = self.log.view().controller.rows().iter().rev();
        let recent = rows.take_while(|row| row.kind != Kind::User || row.mark.is_some());
        let results = recent.filter_map(|row| row.bash_result.as_ref());
        let mut context: Vec<String> = results
            .filter(|result| !result.running && !result.exclude_from_context)
            .map(shell_text)
            .collect();
        context.reverse();
        context
    }
}

/// A command and its output as the agent gets them. Of a long output it gets the end.
fn shell_text(result: &BashResult) -> String {
    let output = result.output.trim_end();
    let start = output.ceil_char_boundary(output.len().saturating_sub(SHELL_CONTEXT_BYTES));
    let cut = if start > 0 { "[the beginning is left out]\n" } else { "" };
    let ended = match (result.cancelled, result.exit_code) {
        (true, _) => "It was cancelled.".to_owned(),
        (false, Some(code)) => format!("It exited with code {code}."),
        (false, None) => "It ended.".to_owned(),
    };
    format!(
        "I ran `{}` in a shell. {ended} Its output:\n\n```\n{cut}{}\n```",
        result.command,
        &output[start..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_gets_the_end_of_a_long_output() {
        let output = format!("{}end", "ü".repeat(SHELL_CONTEXT_BYTES));
        let text = shell_text(&BashResult {
            command: "make".to_owned(),
            output,
            exit_code: Some(2),
            ..BashResult::default()
        });
        assert!(text.starts_with("I ran `make` in a shell. It exited with code 2."), "{}", &text[..60]);
        assert!(text.contains("[the beginning is left out]") && text.ends_with("end\n```"));
        assert!(text.len() < SHELL_CONTEXT_BYTES + 300);
    }
}
