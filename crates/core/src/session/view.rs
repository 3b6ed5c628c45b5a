//! `SessionView`: everything a page shows of one session, folded from its events. The server keeps one per live
//! session and hands out snapshots of it; the page keeps one per session it has opened. Both apply the same events.

use crate::conversation::ask::Ask;
use crate::conversation::controller::{ControllerSnapshot, MessageController, Report};
use crate::conversation::queue::Queue;
use crate::limits::{EXTENSION_KEYS, PAGE_ROWS};
use crate::protocol::event::{ContextUsage, Event, ModelInfo};
use crate::protocol::{Beside, Capabilities, MessagesPage, RetryNote, Snapshot};
use crate::session::machine::SessionState;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionView {
    pub session_id: String,
    pub epoch: String,
    /// The last applied event.
    pub seq: u64,
    pub agent: String,
    pub cwd: String,
    pub title: String,
    pub controller: MessageController,
    pub state: SessionState,
    /// Why it is in that state, where that needs words.
    pub reason: String,
    pub queue: Queue,
    pub asks: Vec<Ask>,
    pub context_usage: Option<ContextUsage>,
    pub model: Option<ModelInfo>,
    pub thinking_level: String,
    pub mode: String,
    pub retry: Option<RetryNote>,
    pub compacting: bool,
    pub capabilities: Capabilities,
    pub elsewhere: bool,
    /// Of the device that wrote there last; a page takes it up when it opens the session, and not again.
    pub draft: String,
    pub statuses: Vec<Beside>,
    pub widgets: Vec<Beside>,
    pub window_title: String,
}

/// What became of an event with a sequence number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    Changed(Report),
    /// Seen before: nothing to do.
    Old,
    /// Events are missing in between: a snapshot is needed.
    Gap,
}

impl SessionView {
    /// Applies an event in its turn.
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
        match &event {
            Event::SessionState { state, reason } => {
                self.state = *state;
                self.reason.clone_from(reason);
            }
            Event::QueueUpdate { items } => self.queue.replace(items.clone()),
            Event::ContextUsage { usage } => self.context_usage = Some(usage.clone()),
            Event::CapabilitiesChanged { capabilities } => self.capabilities.clone_from(capabilities),
            Event::ModelChanged { model } => self.model.clone_from(model),
            Event::TitleChanged { title } => self.title.clone_from(title),
            Event::AgentSettled { .. } => self.rest(),
            // The conversation's alone.
            Event::AgentStart
            | Event::AgentEnd { .. }
            | Event::MessageStart { .. }
            | Event::MessageUpdate { .. }
            | Event::MessageEnd { .. }
            | Event::ToolExecutionStart { .. }
            | Event::ToolExecutionUpdate { .. }
            | Event::ToolExecutionEnd { .. } => {}
            rare => self.apply_rare(rare),
        }
        self.controller.handle_server_event(event)
    }

    /// What most conversations do without. By itself, so that a page can load it later.
    #[inline(never)]
    fn apply_rare(&mut self, event: &Event) {
        match event {
            // The same question delivered twice is one card.
            Event::AskOpened { ask } if !self.asks.iter().any(|open| open.id == ask.id) => {
                self.asks.push(ask.clone());
            }
            Event::AskClosed { ask_id, .. } => self.asks.retain(|ask| ask.id != *ask_id),
            Event::ThinkingLevelChanged { level } => self.thinking_level.clone_from(level),
            Event::ModeChanged { mode } => self.mode.clone_from(mode),
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
            Event::StatusChanged { key, text } => put(&mut self.statuses, key, text.as_slice()),
            Event::WidgetChanged { key, lines } => put(&mut self.widgets, key, lines),
            Event::WindowTitle { title } => self.window_title.clone_from(title),
            Event::Elsewhere { active } => self.elsewhere = *active,
            Event::ProcessExit { .. } => {
                self.rest();
                self.asks.clear();
                self.statuses.clear();
                self.widgets.clear();
                self.window_title.clear();
            }
            _ => {}
        }
    }

    fn rest(&mut self) {
        self.retry = None;
        self.compacting = false;
    }

    /// The end of the conversation and where everything stands.
    pub fn snapshot(&self) -> Snapshot {
        let saved = self.controller.snapshot(PAGE_ROWS);
        Snapshot {
            session_id: self.session_id.clone(),
            epoch: self.epoch.clone(),
            seq: self.seq,
            agent: self.agent.clone(),
            cwd: self.cwd.clone(),
            title: self.title.clone(),
            total: self.controller.total(),
            first: saved.first,
            messages: saved.rows,
            streaming: saved.fold,
            state: self.state,
            reason: self.reason.clone(),
            queue: self.queue.clone(),
            asks: self.asks.clone(),
            context_usage: self.context_usage.clone(),
            model: self.model.clone(),
            thinking_level: self.thinking_level.clone(),
            mode: self.mode.clone(),
            retry: self.retry.clone(),
            compacting: self.compacting,
            capabilities: self.capabilities.clone(),
            elsewhere: self.elsewhere,
            draft: self.draft.clone(),
            statuses: self.statuses.clone(),
            widgets: self.widgets.clone(),
            window_title: self.window_title.clone(),
        }
    }

    pub fn restore(snapshot: Snapshot) -> Self {
        Self {
            session_id: snapshot.session_id,
            epoch: snapshot.epoch,
            seq: snapshot.seq,
            agent: snapshot.agent,
            cwd: snapshot.cwd,
            title: snapshot.title,
            controller: MessageController::restore(ControllerSnapshot {
                first: snapshot.first,
                rows: snapshot.messages,
                fold: snapshot.streaming,
            }),
            state: snapshot.state,
            reason: snapshot.reason,
            queue: snapshot.queue,
            asks: snapshot.asks,
            context_usage: snapshot.context_usage,
            model: snapshot.model,
            thinking_level: snapshot.thinking_level,
            mode: snapshot.mode,
            retry: snapshot.retry,
            compacting: snapshot.compacting,
            capabilities: snapshot.capabilities,
            elsewhere: snapshot.elsewhere,
            draft: snapshot.draft,
            statuses: snapshot.statuses,
            widgets: snapshot.widgets,
            window_title: snapshot.window_title,
        }
    }

    /// Up to `limit` rows before index `before`.
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

/// Sets what is shown under a key; no lines take it away. Their number is bounded: an extension may run wild.
fn put(shown: &mut Vec<Beside>, key: &str, lines: &[String]) {
    let place = shown.iter().position(|beside| beside.key == key);
    match place {
        Some(place) if lines.is_empty() => drop(shown.remove(place)),
        Some(place) => shown[place].lines = lines.to_vec(),
        None if lines.is_empty() || shown.len() >= EXTENSION_KEYS => {}
        None => shown.push(Beside { key: key.to_owned(), lines: lines.to_vec() }),
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
