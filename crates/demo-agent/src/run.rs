//! A run: everything from a user message to `agent_settled`, including steering, follow-ups, retries and aborts.
//!
//! This module decides the order of the turns and delivers queued messages. `turn` plays one step of a scene,
//! `stream` streams one reply, and `compaction` replaces older messages with a summary.

pub(crate) mod compaction;
mod stream;
mod turn;

use std::{collections::VecDeque, path::Path, sync::Arc};

use tokio::sync::watch;

use crate::{
    agent::{Agent, Queues, State, UserMessage, Work, models},
    protocol::{Event, Message},
    scenes::{self, Block, CallResult, Scene, SceneContext, Step},
    session::context,
};

/// The conversation is compacted automatically when fewer tokens than this are left.
const COMPACT_BELOW: u64 = 16_384;

pub(crate) struct Run {
    agent: Arc<Agent>,
    work: Work,
    scene: Box<dyn Scene>,
    /// The scene has played its last step.
    scene_over: bool,
    /// The results of the tool calls in the scene's previous step.
    results: Vec<CallResult>,
    /// All messages since `agent_start`.
    messages: Vec<Message>,
    /// Failed attempts at the current reply.
    attempts: u32,
    then_compact: bool,
}

/// The consequence of a step.
enum NextAction {
    /// Start another turn, because the reply had tool calls or is retried.
    StartTurn,
    /// Settle, unless user messages are queued.
    SettleIfIdle,
    /// Stop: the run was aborted or has failed, and has already settled.
    Stop,
}

/// Starts a run in the background. Sets `finished` when the run has settled.
pub(crate) fn start(agent: &Arc<Agent>, work: Work, finished: watch::Sender<bool>, prompt: UserMessage) {
    let run = Run {
        agent: Arc::clone(agent),
        work,
        scene: scenes::for_prompt(&prompt.text, &prompt.image_infos),
        scene_over: false,
        results: Vec::new(),
        messages: Vec::new(),
        attempts: 0,
        then_compact: false,
    };
    tokio::spawn(async move {
        run.play(prompt).await;
        finished.send_replace(true);
    });
}

impl Run {
    async fn play(mut self, prompt: UserMessage) {
        self.agent.output.emit(&Event::AgentStart);
        self.agent.output.emit(&Event::TurnStart);
        self.store_and_announce(&prompt.to_message());
        let mut delivered = self.deliver_steering();
        loop {
            let step = self.next_step(&delivered);
            delivered = match self.play_step(step).await {
                NextAction::Stop => return,
                NextAction::StartTurn => {
                    self.agent.output.emit(&Event::TurnStart);
                    self.deliver_steering()
                }
                NextAction::SettleIfIdle => match self.deliver_or_settle().await {
                    Some(delivered) => delivered,
                    None => return,
                },
            };
        }
    }

    /// Returns the next step, given the messages that were just delivered. A delivered slash command replaces the
    /// scene; so does any message once the scene is over. Otherwise the scene continues and acknowledges the
    /// messages.
    fn next_step(&mut self, delivered: &[UserMessage]) -> Step {
        let command = delivered.iter().rfind(|message| scenes::is_slash_command(&message.text));
        let replaced_by = command.or(delivered.last().filter(|_| self.scene_over));
        if let Some(message) = replaced_by {
            self.scene = scenes::for_prompt(&message.text, &message.image_infos);
            self.scene_over = false;
            self.results.clear();
        }
        self.write_scene_files();
        let context = self.scene_context();
        let mut step = self.scene.next(&context, &std::mem::take(&mut self.results));
        if replaced_by.is_none()
            && !delivered.is_empty()
            && let Step::Reply(reply) = &mut step
        {
            let texts: Vec<String> = delivered.iter().map(|message| message.text.clone()).collect();
            reply.blocks.insert(0, Block::Text(scenes::acknowledge(&texts)));
        }
        step
    }

    fn scene_context(&self) -> SceneContext {
        self.agent.with(|state| {
            let entries = state.session.entries();
            SceneContext {
                folder: self.agent.folder.clone(),
                scratch: self.agent.scratch.folder().to_owned(),
                pace: self.agent.pace,
                terse: state.model.terse,
                thinking_level: state.thinking_level,
                model: state.model.id,
                user_messages: context::count_role(entries, "user"),
                tokens: context::tokens(&context::messages(entries)),
                compactable: compaction::plan(entries).is_some(),
            }
        })
    }

    fn write_scene_files(&self) {
        for file in self.scene.files() {
            if let Err(error) = self.agent.scratch.write(Path::new(file.name), file.bytes) {
                eprintln!("demo agent: cannot write {}: {error}", file.name);
            }
        }
    }

    async fn play_step(&mut self, step: Step) -> NextAction {
        match step {
            Step::Reply(reply) => self.play_reply(reply).await,
            Step::Fail { blocks, error } => self.play_failure(blocks, error).await,
        }
    }

    /// Delivers queued messages, or settles the run if there are none.
    async fn deliver_or_settle(&mut self) -> Option<Vec<UserMessage>> {
        if let Some(delivered) = self.deliver_any(&[Event::TurnStart]) {
            return Some(delivered);
        }
        self.end_agent(false);
        self.compact_if_wanted().await;
        // Messages may have been queued in the meantime. The check and settling happen under one lock, so that no
        // message stays behind in the queue.
        if self.settle_unless_queued() {
            return None;
        }
        self.deliver_any(&[Event::AgentStart, Event::TurnStart])
    }

    async fn compact_if_wanted(&mut self) {
        let nearly_full = self.agent.with(|state| {
            let tokens = context::tokens(&context::messages(state.session.entries()));
            state.auto_compaction && tokens + COMPACT_BELOW > models::CONTEXT_WINDOW
        });
        if std::mem::take(&mut self.then_compact) || nearly_full {
            // A failure was already announced and does not change how the run ends.
            let _ = compaction::compact(&self.agent, "threshold", &self.work.cancel).await;
        }
    }

    fn end_turn(&self, message: &Message, tool_results: &[Message]) {
        self.agent.output.emit(&Event::TurnEnd { message, tool_results });
    }

    fn end_agent(&mut self, will_retry: bool) {
        let messages = std::mem::take(&mut self.messages);
        self.agent.output.emit(&Event::AgentEnd { messages: &messages, will_retry });
    }

    fn settle(&mut self, aborted: bool) -> NextAction {
        self.end_agent(false);
        self.settle_only(aborted)
    }

    fn settle_only(&self, aborted: bool) -> NextAction {
        self.agent.scratch.clear();
        self.agent.with(|state| {
            self.agent.output.emit(&Event::AgentSettled { aborted });
            state.end_work();
        });
        NextAction::Stop
    }

    /// Settles unless messages are queued, and returns whether it did. After an abort it always settles; the queue
    /// is kept for the next run.
    fn settle_unless_queued(&self) -> bool {
        let aborted = self.work.cancel.is_cancelled();
        self.agent.scratch.clear();
        self.agent.with(|state| {
            let settles = aborted || state.queues.len() == 0;
            if settles {
                self.agent.output.emit(&Event::AgentSettled { aborted });
                state.end_work();
            }
            settles
        })
    }
}

impl Run {
    /// Delivers one or all steering messages, depending on the steering mode.
    fn deliver_steering(&mut self) -> Vec<UserMessage> {
        let agent = Arc::clone(&self.agent);
        agent.with(|state| self.deliver(state, |queues| (&mut queues.steering, queues.all_steering)))
    }

    /// Delivers steering messages, or follow-ups if there are none. Emits `openings` first, unless both queues are
    /// empty.
    fn deliver_any(&mut self, openings: &[Event]) -> Option<Vec<UserMessage>> {
        let agent = Arc::clone(&self.agent);
        // One lock for all steps, so that the queue cannot be cleared in between.
        agent.with(|state| {
            if state.queues.len() == 0 {
                return None;
            }
            for opening in openings {
                agent.output.emit(opening);
            }
            let steering = self.deliver(state, |queues| (&mut queues.steering, queues.all_steering));
            if steering.is_empty() {
                return Some(self.deliver(state, |queues| (&mut queues.follow_up, queues.all_follow_up)));
            }
            Some(steering)
        })
    }

    /// Moves messages from a queue into the conversation: all of them, or only the first.
    fn deliver(
        &mut self,
        state: &mut State,
        queue_and_mode: fn(&mut Queues) -> (&mut VecDeque<UserMessage>, bool),
    ) -> Vec<UserMessage> {
        let agent = Arc::clone(&self.agent);
        let mut delivered = Vec::new();
        loop {
            let (queue, all) = queue_and_mode(&mut state.queues);
            let Some(queued) = queue.pop_front() else { return delivered };
            agent.output.emit(&state.queues.update_event());
            let message = queued.to_message();
            agent.output.emit(&Event::MessageStart { message: &message });
            self.end_message(&agent, state, &message);
            delivered.push(queued);
            if !all {
                return delivered;
            }
        }
    }

    /// Stores and announces a message that did not stream.
    fn store_and_announce(&mut self, message: &Message) {
        self.agent.output.emit(&Event::MessageStart { message });
        self.store_and_announce_end(message);
    }

    /// Stores a message, announces its end, and returns the id of its entry.
    fn store_and_announce_end(&mut self, message: &Message) -> String {
        let agent = Arc::clone(&self.agent);
        agent.with(|state| self.end_message(&agent, state, message))
    }

    fn end_message(&mut self, agent: &Agent, state: &mut State, message: &Message) -> String {
        let entry = state.store_message(message);
        agent.output.emit(&Event::MessageEnd { message });
        self.messages.push(message.clone());
        entry["id"].as_str().unwrap_or_default().to_owned()
    }
}
