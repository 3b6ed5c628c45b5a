//! `SessionView`: the state of one session, folded from its events. The server keeps one per live session and sends
//! snapshots of it; the page keeps one per session that it has opened. Both apply the same events.

use crate::conversation::controller::{ControllerSnapshot, MessageController, Report};
use crate::limits::{EXTENSION_KEYS, OPEN_ASKS, PAGE_ROWS};
use crate::protocol::event::Event;
use crate::protocol::{ExtensionWidget, MessagesPage, RetryNote, SessionMeta, Snapshot};

/// A session's metadata, its rows, and the sequence number they correspond to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionView {
    pub epoch: String,
    /// The last applied event.
    pub seq: u64,
    pub meta: SessionMeta,
    pub controller: MessageController,
}

/// The result of applying a numbered event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    Changed(Report),
    /// The event was applied before.
    Old,
    /// Events are missing in between: a snapshot is needed.
    Gap,
}

impl SessionView {
    /// Applies an event if it is the next one.
    pub fn apply_numbered(&mut self, seq: u64, event: Event) -> Applied {
        if seq <= self.seq {
            return Applied::Old;
        }
        if seq - 1 > self.seq {
            return Applied::Gap;
        }
        Applied::Changed(self.apply(event))
    }

    /// Applies the next event.
    pub fn apply(&mut self, event: Event) -> Report {
        self.seq = self.seq.saturating_add(1);
        self.meta.apply(&event);
        self.controller.handle_server_event(event)
    }

    /// The metadata and the newest rows.
    pub fn snapshot(&self) -> Snapshot {
        let saved = self.controller.snapshot(PAGE_ROWS);
        Snapshot {
            epoch: self.epoch.clone(),
            seq: self.seq,
            total: self.controller.total(),
            first: saved.first,
            messages: saved.rows,
            streaming: saved.fold,
            meta: self.meta.clone(),
        }
    }

    /// Restores the view that a snapshot was made of; older rows are not part of it.
    pub fn restore(snapshot: Snapshot) -> Self {
        let Snapshot { epoch, seq, total: _, first, messages, streaming, meta } = snapshot;
        let controller =
            MessageController::restore(ControllerSnapshot { first, rows: messages, fold: streaming });
        Self { epoch, seq, meta, controller }
    }

    /// Returns up to `limit` rows before index `before`.
    pub fn page_before(&self, before: usize, limit: usize) -> MessagesPage {
        let rows = self.controller.rows();
        let held = self.controller.first();
        let end = before.saturating_sub(held).min(rows.len());
        let start = end.saturating_sub(limit);
        MessagesPage {
            first: held + start,
            total: self.controller.total(),
            messages: rows[start..end].to_vec(),
        }
    }
}

impl SessionMeta {
    /// Applies what an event changes beside the rows.
    fn apply(&mut self, event: &Event) {
        match event {
            Event::SessionState { state, reason } => {
                self.state = *state;
                self.reason.clone_from(reason);
            }
            Event::QueueUpdate { items } => self.queue.replace(items.clone()),
            Event::ContextUsage { usage } => self.context_usage = Some(usage.clone()),
            Event::CapabilitiesChanged { capabilities } => self.capabilities.clone_from(capabilities),
            Event::ModelChanged { model } => self.model.clone_from(model),
            Event::TitleChanged { title } => self.title.clone_from(title),
            Event::AgentSettled { .. } => self.end_run(),
            // A question that is delivered twice is shown once.
            Event::AskOpened { ask }
                if self.asks.len() < OPEN_ASKS && !self.asks.iter().any(|open| open.id == ask.id) =>
            {
                self.asks.push(ask.as_ref().clone());
            }
            Event::AskClosed { ask_id, .. } => self.asks.retain(|ask| ask.id != *ask_id),
            Event::ThinkingLevelChanged { level } => self.thinking_level.clone_from(level),
            Event::ModeChanged { mode } => self.mode.clone_from(mode),
            Event::OptionsChanged { options } => self.options.clone_from(options),
            Event::PlanChanged { steps } => self.plan.clone_from(steps),
            Event::LoginChanged { login } => self.login.clone_from(login),
            Event::AutoApproveChanged { level, folder } => {
                self.auto_approve = *level;
                self.folder_auto_approve = *folder;
            }
            Event::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                self.retry = Some(RetryNote {
                    attempt: *attempt,
                    max_attempts: *max_attempts,
                    delay_ms: *delay_ms,
                    error_message: error_message.clone(),
                });
            }
            Event::AutoRetryEnd { .. } => self.retry = None,
            Event::CompactionStart { .. } => self.compacting = true,
            Event::CompactionEnd { .. } => self.compacting = false,
            Event::StatusChanged { key, text } => set_widget(&mut self.statuses, key, text.as_slice()),
            Event::WidgetChanged { key, lines } => set_widget(&mut self.widgets, key, lines),
            Event::WindowTitle { title } => self.window_title.clone_from(title),
            Event::Elsewhere { active, program } => {
                self.external_writer = *active;
                self.external_program.clone_from(program);
            }
            Event::BranchesChanged { branches } => self.branches.clone_from(branches),
            Event::ProcessExit { .. } => {
                self.end_run();
                self.asks.clear();
                self.statuses.clear();
                self.widgets.clear();
                self.window_title.clear();
            }
            // The others change rows only.
            _ => {}
        }
    }

    fn end_run(&mut self) {
        self.retry = None;
        self.compacting = false;
    }
}

/// Sets the lines under a key; no lines remove it. The number of keys is bounded.
fn set_widget(shown: &mut Vec<ExtensionWidget>, key: &str, lines: &[String]) {
    let position = shown.iter().position(|widget| widget.key == key);
    match position {
        Some(position) if lines.is_empty() => drop(shown.remove(position)),
        Some(position) => shown[position].lines = lines.to_vec(),
        None if lines.is_empty() || shown.len() >= EXTENSION_KEYS => {}
        None => shown.push(ExtensionWidget { key: key.to_owned(), lines: lines.to_vec() }),
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
