//! What the agent says, and what follows from it: events for the pages, responses for those who asked, steps of the
//! state machine.

use std::time::Duration;

use pilothouse_agents::framing::Line;
use pilothouse_agents::pi::{Incoming, PiCommand, decode};
use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::{Ask, ClosedBy};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::conversation::queue::QueueCounts;
use pilothouse_core::protocol::event::{Event, NoticeLevel};
use pilothouse_core::render::describe::title_from;
use pilothouse_core::session::machine::StateEvent;
use tokio::time::Instant;

use super::Session;
use super::requests::Pending;
use super::restored::said;
use crate::agent::process::{Exit, ProcessEvent};

impl Session {
    pub(super) fn process_event(&mut self, event: ProcessEvent) {
        match event {
            ProcessEvent::Lines(lines) => {
                let mut incoming: Vec<Incoming> = Vec::new();
                for next in lines.into_iter().flat_map(read_line) {
                    // Deltas that arrived together travel together: never reordered, never lost.
                    let joined = match (incoming.last_mut(), &next) {
                        (Some(Incoming::Event(last)), Incoming::Event(next)) => last.join(next),
                        _ => false,
                    };
                    if !joined {
                        incoming.push(next);
                    }
                }
                incoming.into_iter().for_each(|incoming| self.incoming(incoming));
            }
            ProcessEvent::Exited(exit) => self.process_exited(exit),
        }
    }

    fn incoming(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Response(response) => self.response(response),
            Incoming::Event(event) if event.is_void() => {}
            Incoming::Event(event) => self.agent_event(event),
            Incoming::Waiting { steering, follow_up } => {
                self.waiting = Some(QueueCounts { steering, follow_up })
            }
            Incoming::Ask(ask) => self.ask(ask),
            Incoming::BashOutput { request_id, delta } => {
                if let Some((_, Pending::Bash { client_id, .. })) = self.pending.get(&request_id) {
                    self.emit(Event::BashExecutionUpdate { id: client_id.clone(), delta });
                }
            }
            Incoming::Junk => {
                tracing::warn!(session = %self.origin.id, "the agent wrote a line that is no JSON object")
            }
        }
    }

    fn agent_event(&mut self, mut event: Event) {
        if let Event::MessageStart { message: Message::User { content, client_id, timestamp } } = &mut event {
            let text = content.text();
            if self.view.title.is_empty() {
                self.emit(Event::TitleChanged { title: title_from(&text) });
                self.tell_hub();
            }
            *client_id = self.name_user_message(&text);
            tracing::debug!(session = %self.origin.id, ?client_id, ?timestamp, "the agent took up a message");
            if let (Some(client_id), Some(timestamp)) = (client_id, timestamp) {
                self.hub.store().prompt_told(&self.origin.id, client_id, *timestamp);
                self.told.push((client_id.clone(), *timestamp));
            }
        }
        // Before 1.0 a run seems to have failed when it is about to be tried again.
        if matches!(event, Event::AutoRetryStart { .. }) && self.machine.state() == SessionState::Error {
            self.step(StateEvent::Retry, "");
        }
        let retitled = matches!(event, Event::TitleChanged { .. });
        let step = self.follower.step(&event);
        let settled = matches!(event, Event::AgentSettled { .. });
        let compacted = matches!(event, Event::CompactionEnd { .. });
        self.emit(event);
        if let Some(step) = step {
            // What is asked is left by an answer, not by what runs beside it.
            let waits =
                matches!(self.machine.state(), SessionState::WaitingApproval | SessionState::WaitingInput)
                    && !self.view.asks.is_empty();
            if settled || !waits {
                let failed = step == StateEvent::Failed;
                let reason = if failed { self.follower.last_error().to_owned() } else { String::new() };
                self.step(step, &reason);
            }
        }
        if settled {
            self.stop_deadline = None;
            self.request(PiCommand::GetSessionStats, Pending::Statistics);
            self.follow_own_file();
            self.settle_told();
            self.note_in_flight();
            self.release_held();
            self.give_rest();
        }
        if compacted && !self.view.controller.is_running() {
            self.agents_copy.offer_again();
            self.stop_deadline = None;
            self.request(PiCommand::GetSessionStats, Pending::Statistics);
            self.release_held();
            self.give_rest();
        }
        if retitled {
            self.tell_hub();
        }
    }

    /// The page that sent a user message recognises it by its client id. A message that starts a run comes before all
    /// that was scheduled for it, unless its text is that of a scheduled one: what the agent tells of its queue may be
    /// behind what it was given.
    fn name_user_message(&mut self, text: &str) -> Option<String> {
        let same = self.starting.iter().position(|prompt| prompt.text == text);
        let scheduled = self.view.queue.sendable().any(|item| item.text == text);
        let starts = same.or((!scheduled && !self.starting.is_empty()).then_some(0));
        if let Some(prompt) = starts.and_then(|place| self.starting.remove(place)) {
            return Some(prompt.client_id);
        }
        let taken = self.view.queue.remove_accepted(text, self.waiting)?;
        self.agents_copy.taken_up(&taken.id);
        self.emit_queue();
        Some(taken.id)
    }

    fn ask(&mut self, mut ask: Ask) {
        ask.approval = ask.is_approval_request();
        if let Some(milliseconds) = ask.timeout_ms {
            self.ask_deadlines.push((Instant::now() + Duration::from_millis(milliseconds), ask.id.clone()));
        }
        let approval = ask.approval;
        // A command of an extension's asks without a request to a model: it is at work all the same.
        if self.ready && self.machine.state() == SessionState::Creating {
            self.step(StateEvent::RequestStarted, "");
        }
        self.emit(Event::AskOpened { ask });
        self.keep_asks();
        self.step_into_ask(approval);
        self.tell_hub();
    }

    /// A prompt that led to no run leaves no spinner behind.
    pub(super) fn end_unstarted_run(&mut self, how: StateEvent, reason: &str) {
        if !self.view.controller.is_running() {
            if self.machine.state() == SessionState::Creating {
                self.machine.apply(StateEvent::SessionCreated);
                self.machine.apply(StateEvent::RequestStarted);
            }
            self.step(how, reason);
        }
    }

    /// Every exit reaches the machine, whatever the state; nothing that waited for the process waits on.
    fn process_exited(&mut self, exit: Exit) {
        let expected = std::mem::take(&mut self.ending);
        tracing::info!(session = %self.origin.id, code = ?exit.code, signal = ?exit.signal, expected, "agent ended");
        self.process = None;
        self.ready = false;
        self.waiting = None;
        self.stop_deadline = None;
        self.ask_deadlines.clear();
        for ask in self.view.asks.clone() {
            self.record_ask(&ask, ask.process_ended_text());
            self.emit(Event::AskClosed { ask_id: ask.id, by: ClosedBy::Stopped });
        }
        self.keep_asks();
        self.take_in_rest();
        // Its queue is gone with it: what was to be changed can be changed.
        self.queue_lost();
        // Its shell commands are closed by its end, with what they said so far.
        self.pending.retain(|_, (_, pending)| !matches!(pending, Pending::Bash { .. }));
        self.fail_all_pending("The agent's process ended.");
        // Taken by the agent and never told: Resume sends it.
        for lost in std::mem::take(&mut self.starting) {
            self.emit(said(&lost));
            self.unsent.push(lost);
        }
        self.resuming = None;
        let success = exit.code == Some(0);
        let reason = exit.stderr.last().cloned().unwrap_or_default();
        let exit = Event::ProcessExit { code: exit.code, signal: exit.signal, expected, stderr: exit.stderr };
        self.settle_told();
        self.keep_interrupted(&exit);
        // What is open when we gave way to another program is that program's, and goes on.
        if !(expected && self.view.elsewhere) {
            self.emit(exit);
        }
        self.note_in_flight();
        self.step(StateEvent::ProcessExit { success, expected }, &reason);
        self.release_held();
    }
}

fn read_line(line: Line) -> Vec<Incoming> {
    match line {
        Line::Complete(line) => decode(&line),
        Line::TooLong { bytes } => vec![Incoming::Event(Event::Notice {
            level: NoticeLevel::Warning,
            text: format!("The agent wrote a line of {bytes} bytes; it is too long and was left out."),
        })],
    }
}
