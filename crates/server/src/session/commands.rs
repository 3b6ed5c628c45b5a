//! What pages ask of a session. Bad input gets a sentence and changes nothing.

use pilothouse_agents::pi::PiCommand;
use pilothouse_core::SessionState;
use pilothouse_core::ask::{Answer, ClosedBy};
use pilothouse_core::event::Event;
use pilothouse_core::limits::{
    CLIENT_ID_BYTES, PAGE_ROWS, PROMPT_BYTES, PROMPT_IMAGES, REMEMBERED_CLIENT_IDS, SCHEDULED_MESSAGES,
};
use pilothouse_core::machine::StateEvent;
use pilothouse_core::queue::{Lane, Scheduled};
use pilothouse_core::turns::last_user_message;
use pilothouse_core::ui_message::{BashResult, Image};
use pilothouse_core::wire::Command;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::Session;
use super::requests::{Pending, Waiter};
use crate::page_link::PageLink;

/// A prompt that waits for the end of a stop.
#[derive(Debug)]
pub(super) struct Held {
    waiter: Waiter,
    client_id: String,
    message: String,
    images: Vec<Image>,
    lane: Lane,
}

impl Session {
    pub(super) fn command(&mut self, page: &PageLink, request: String, command: Command) {
        let name = command.name();
        let outcome = match command {
            Command::Prompt { client_id, message, images, streaming_behavior } => {
                let waiter = Waiter { page: page.clone(), request, command: name };
                return self.prompt(waiter, client_id, message, images, streaming_behavior);
            }
            Command::GetCommands => return self.ask_agent(page, request, name, PiCommand::GetCommands),
            Command::GetAvailableModels => {
                return self.ask_agent(page, request, name, PiCommand::GetAvailableModels);
            }
            Command::SetModel { provider, model_id } => {
                return self.ask_agent(page, request, name, PiCommand::SetModel { provider, model_id });
            }
            Command::SetThinkingLevel { level } => {
                return self.ask_agent(page, request, name, PiCommand::SetThinkingLevel { level });
            }
            Command::ResumeSession => {
                let waiter = Waiter { page: page.clone(), request, command: name };
                return self.prompt_again(waiter, "Please go on from where you were stopped.".to_owned());
            }
            Command::Retry => match self.last_user_text() {
                Some(text) => {
                    return self.prompt_again(Waiter { page: page.clone(), request, command: name }, text);
                }
                None => Err("There is no message to send again.".to_owned()),
            },
            Command::GetMessages { before, limit } => {
                let limit = limit.unwrap_or(PAGE_ROWS).min(PAGE_ROWS);
                serde_json::to_value(self.view.page_before(before, limit)).map_err(|error| error.to_string())
            }
            Command::Abort => Ok(self.abort()),
            Command::ClearQueue => Ok(json!({ "restored": self.clear_queue() })),
            Command::Bash { client_id, command, exclude_from_context } => {
                self.bash(client_id, command, exclude_from_context)
            }
            Command::AbortBash => {
                self.request(PiCommand::AbortBash, Pending::Silent);
                Ok(Value::Null)
            }
            Command::Answer { ask_id, answer } => self.answer(&ask_id, answer),
            _ => Err(format!("'{name}' is not a command for a session.")),
        };
        page.respond(request, name, outcome);
    }

    fn prompt(&mut self, waiter: Waiter, client_id: String, message: String, images: Vec<Image>, lane: Lane) {
        if let Some((_, known)) = self.client_ids.iter().find(|(known, _)| *known == client_id) {
            // Sent again after a lost connection: the agent sees it once.
            return match known {
                Some(outcome) => waiter.respond(outcome.clone()),
                None => self.wait_for_prompt(&client_id, waiter),
            };
        }
        if let Err(why) = check_client_id(&client_id).and_then(|()| check_prompt(&message, &images)) {
            return waiter.respond(Err(why));
        }
        let active = self.machine.state().is_active();
        if (active && self.view.queue.is_full()) || self.held.len() >= SCHEDULED_MESSAGES {
            return waiter.respond(Err("Too many messages are waiting already.".to_owned()));
        }
        if self.stop_deadline.is_some() || self.ending {
            // The run that was stopped has not ended yet: what it still says is not about this prompt.
            return self.held.push(Held { waiter, client_id, message, images, lane });
        }
        self.remember(client_id.clone());
        if active {
            let (id, text) = (client_id.clone(), message.clone());
            let mut scheduled = Scheduled { id, lane, text, images: images.clone(), ..Scheduled::default() };
            scheduled.images.iter_mut().for_each(|image| self.origin.blobs.take(image));
            if let Err(why) = self.view.queue.schedule(scheduled) {
                return self.prompt_refused(&client_id, vec![waiter], &why.to_string());
            }
            self.emit_queue();
        } else {
            self.begin_run();
            self.starting.push_back(client_id.clone());
        }
        let pending = Pending::Prompt { client_id, waiting: vec![waiter] };
        let restarted = self.process.is_none();
        match self.ensure_process() {
            Ok(()) => {
                if self.ready {
                    self.step(StateEvent::SessionCreated, "");
                }
                self.request(PiCommand::Prompt { message, images, lane }, pending);
                if restarted {
                    self.schedule_again();
                }
            }
            Err(why) => {
                self.fail(pending, &why);
                self.step(StateEvent::ProcessError, &why);
            }
        }
    }

    /// What was scheduled with a process that is gone is scheduled with the new one.
    fn schedule_again(&mut self) {
        let scheduled: Vec<Scheduled> = self.view.queue.to_send().cloned().collect();
        for Scheduled { id, lane, text, mut images, .. } in scheduled {
            images.iter_mut().for_each(|image| self.origin.blobs.give_back(image));
            let pending = Pending::Prompt { client_id: id, waiting: Vec::new() };
            self.request(PiCommand::Prompt { message: text, images, lane }, pending);
        }
    }

    /// The stop is over: prompts that came meanwhile take their turn.
    pub(super) fn release_held(&mut self) {
        for Held { waiter, client_id, message, images, lane } in std::mem::take(&mut self.held) {
            self.prompt(waiter, client_id, message, images, lane);
        }
    }

    fn begin_run(&mut self) {
        let event = match self.machine.state() {
            SessionState::Idle => StateEvent::StartSession,
            SessionState::Error => StateEvent::Retry,
            _ => StateEvent::SendMessage,
        };
        self.step(event, "");
    }

    fn prompt_again(&mut self, waiter: Waiter, text: String) {
        if self.machine.state().is_active() {
            return waiter.respond(Err("The agent is already at work.".to_owned()));
        }
        let client_id = uuid::Uuid::now_v7().to_string();
        self.prompt(waiter, client_id, text, Vec::new(), Lane::Steer);
    }

    fn last_user_text(&self) -> Option<String> {
        last_user_message(self.view.controller.rows()).map(|row| row.text.clone())
    }

    fn wait_for_prompt(&mut self, wanted: &str, waiter: Waiter) {
        for pending in self.pending.values_mut() {
            if let Pending::Prompt { client_id, waiting } = pending
                && client_id == wanted
            {
                return waiting.push(waiter);
            }
        }
        waiter.respond(Err("This was sent before, as something else.".to_owned()));
    }

    fn remember(&mut self, client_id: String) {
        if self.client_ids.len() >= REMEMBERED_CLIENT_IDS {
            self.client_ids.pop_front();
        }
        self.client_ids.push_back((client_id, None));
    }

    /// The prompt did not reach the agent, or the agent would not have it.
    pub(super) fn prompt_refused(&mut self, client_id: &str, waiting: Vec<Waiter>, why: &str) {
        self.starting.retain(|starting| starting != client_id);
        self.forget_scheduled(client_id);
        self.prompt_done(client_id, waiting, &Err(why.to_owned()));
    }

    pub(super) fn forget_scheduled(&mut self, client_id: &str) {
        if self.view.queue.forget(client_id) {
            self.emit_queue();
        }
    }

    pub(super) fn emit_queue(&mut self) {
        self.emit(Event::QueueUpdate { items: self.view.queue.items().to_vec() });
    }

    /// Takes everything back that is scheduled, in order.
    fn clear_queue(&mut self) -> Vec<Scheduled> {
        let restored = self.view.queue.restore();
        if !restored.is_empty() {
            if self.process.is_some() {
                self.request(PiCommand::ClearQueue, Pending::Silent);
            }
            self.emit_queue();
        }
        restored
    }

    /// Stop: the queue is cleared and given back, dialogs are closed, then the run is aborted. pi keeps its queue
    /// over an abort, and does not answer one while a dialog is open.
    fn abort(&mut self) -> Value {
        let restored = self.clear_queue();
        for ask in self.view.asks.clone() {
            self.tell_agent(&PiCommand::AnswerDialog { ask_id: ask.id.clone(), answer: Answer::Cancel });
            self.close_ask(&ask.id, ClosedBy::Stopped);
        }
        if self.machine.state().is_active() && self.process.is_some() {
            self.request(PiCommand::Abort, Pending::Silent);
            self.expect_stop();
        }
        self.step(StateEvent::CancelSession, "");
        json!({ "restored": restored })
    }

    fn bash(
        &mut self,
        client_id: String,
        command: String,
        exclude_from_context: bool,
    ) -> Result<Value, String> {
        if command.trim().is_empty() || command.len() > PROMPT_BYTES {
            return Err("A shell command is between one and a million characters long.".to_owned());
        }
        check_client_id(&client_id)?;
        if self.client_ids.iter().any(|(known, _)| *known == client_id) {
            return Ok(Value::Null);
        }
        self.ensure_process()?;
        self.remember(client_id.clone());
        self.emit(Event::BashStart { id: client_id.clone(), command: command.clone(), exclude_from_context });
        let result = BashResult {
            command: command.clone(),
            exclude_from_context,
            running: true,
            ..BashResult::default()
        };
        self.request(PiCommand::Bash { command, exclude_from_context }, Pending::Bash { client_id, result });
        Ok(Value::Null)
    }

    /// The first answer counts; a late or foreign one is refused and says so.
    fn answer(&mut self, ask_id: &str, answer: Answer) -> Result<Value, String> {
        let Some(ask) = self.view.asks.iter().find(|ask| ask.id == ask_id) else {
            return Err(
                "This question is closed: it was answered, has expired, or the run was stopped.".to_owned()
            );
        };
        if !ask.accepts(&answer) {
            return Err("That is not an answer to this question.".to_owned());
        }
        let declined = matches!(answer, Answer::Cancel | Answer::Confirm(false));
        self.tell_agent(&PiCommand::AnswerDialog { ask_id: ask_id.to_owned(), answer });
        self.close_ask(ask_id, if declined { ClosedBy::Declined } else { ClosedBy::Answer });
        Ok(Value::Null)
    }

    pub(super) fn close_ask(&mut self, ask_id: &str, by: ClosedBy) {
        self.ask_deadlines.retain(|(_, waiting)| waiting != ask_id);
        self.emit(Event::AskClosed { ask_id: ask_id.to_owned(), by });
        match self.machine.state() {
            SessionState::WaitingApproval if by == ClosedBy::Answer => {
                self.step(StateEvent::ApproveAction, "")
            }
            SessionState::WaitingApproval | SessionState::Creating => self.step(StateEvent::RejectAction, ""),
            SessionState::WaitingInput => self.step(StateEvent::SendMessage, ""),
            _ => {}
        }
        // Another question may be open behind the one just closed.
        if let Some(approval) = self.view.asks.first().map(|ask| ask.approval) {
            self.step_into_ask(approval);
        }
    }

    pub(super) fn step_into_ask(&mut self, approval: bool) {
        let partial = false;
        let event =
            if approval { StateEvent::AskApproval { partial } } else { StateEvent::AskFollowup { partial } };
        self.step(event, "");
    }

    /// The agent takes an expired question as not answered and tells nobody: neither does silence mean yes here.
    pub(super) fn expire_asks(&mut self, now: Instant) {
        let (expired, open) =
            std::mem::take(&mut self.ask_deadlines).into_iter().partition(|(when, _)| *when <= now);
        self.ask_deadlines = open;
        let expired: Vec<(Instant, String)> = expired;
        for (_, ask_id) in expired {
            self.close_ask(&ask_id, ClosedBy::Expired);
        }
    }

    fn ask_agent(&mut self, page: &PageLink, request: String, name: &'static str, command: PiCommand) {
        match self.ensure_process() {
            Ok(()) => self.request(command, Pending::Page { page: page.clone(), request, command: name }),
            Err(why) => page.respond(request, name, Err(why)),
        }
    }
}

fn check_client_id(client_id: &str) -> Result<(), String> {
    let proper = (1..=CLIENT_ID_BYTES).contains(&client_id.len());
    proper.then_some(()).ok_or_else(|| "A client id is between one and 64 characters long.".to_owned())
}

fn check_prompt(message: &str, images: &[Image]) -> Result<(), String> {
    if message.trim().is_empty() && images.is_empty() {
        return Err("The message is empty.".to_owned());
    }
    if message.len() > PROMPT_BYTES {
        return Err(format!("The message is {} bytes long; {PROMPT_BYTES} is the limit.", message.len()));
    }
    if images.len() > PROMPT_IMAGES {
        return Err(format!("The message has {} images; {PROMPT_IMAGES} is the limit.", images.len()));
    }
    crate::blobs::check_images(images)
}
