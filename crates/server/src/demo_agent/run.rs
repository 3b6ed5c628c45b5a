//! A run: from a user message to `agent_settled`, turn by turn, with steering, follow-ups, retries and aborts.
//!
//! Decides the order of things and plays the steps of a scene. How a reply streams, what a tool does and what is said
//! are elsewhere.

use std::{path::Path, sync::Arc};

use tokio::sync::watch;

use super::{
    agent::{Agent, Queued, Work},
    compaction, context,
    message::{AssistantMessage, Message, StopReason},
    retry::{self, Waited},
    scenes::{self, Block, Call, CallResult, Reply, Scene, Setting, Step},
    stream::{Ending, Stream},
    tools::{self, NumberedCall, Workbench},
    wire::Event,
};

/// When so few tokens are left, the conversation is compacted by itself.
const COMPACT_BELOW: u64 = 16_384;

pub(crate) struct Run {
    agent: Arc<Agent>,
    work: Work,
    scene: Box<dyn Scene>,
    /// The scene has said its last word.
    scene_over: bool,
    results: Vec<CallResult>,
    /// All messages since `agent_start`.
    messages: Vec<Message>,
    /// Failed attempts of the present reply.
    attempts: u32,
    then_compact: bool,
}

/// What a step leads to.
enum After {
    /// The reply had tool calls, or is tried again.
    AnotherTurn,
    /// The reply was the last unless somebody has queued something.
    MaybeDone,
    /// Aborted, or failed for good; everything has been said.
    Over,
}

/// Starts a run in the background. `finished` tells when it has settled.
pub(crate) fn start(agent: &Arc<Agent>, work: Work, finished: watch::Sender<bool>, prompt: Queued) {
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
    async fn play(mut self, prompt: Queued) {
        self.agent.output.emit(&Event::AgentStart);
        self.agent.output.emit(&Event::TurnStart);
        self.deliver(&prompt);
        let mut news = self.take_steering();
        loop {
            let step = self.next_step(&news);
            news = match self.play_step(step).await {
                After::Over => return,
                After::AnotherTurn => {
                    self.agent.output.emit(&Event::TurnStart);
                    self.take_steering()
                }
                After::MaybeDone => match self.take_or_settle().await {
                    Some(news) => news,
                    None => return,
                },
            };
        }
    }

    /// The scene's next step, with regard to messages that were just delivered.
    fn next_step(&mut self, news: &[Queued]) -> Step {
        let command = news.iter().rfind(|queued| scenes::is_slash_command(&queued.text));
        let replaced_by = command.or(news.last().filter(|_| self.scene_over));
        if let Some(queued) = replaced_by {
            self.scene = scenes::for_prompt(&queued.text, &queued.image_infos);
            self.scene_over = false;
            self.results.clear();
        }
        self.lay_out_props();
        let setting = self.setting();
        let mut step = self.scene.next(&setting, &std::mem::take(&mut self.results));
        if replaced_by.is_none()
            && !news.is_empty()
            && let Step::Reply(reply) = &mut step
        {
            let texts: Vec<String> = news.iter().map(|queued| queued.text.clone()).collect();
            reply.blocks.insert(0, Block::Text(scenes::acknowledge(&texts)));
        }
        step
    }

    fn setting(&self) -> Setting {
        self.agent.with(|state| {
            let entries = state.session.entries();
            Setting {
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

    fn lay_out_props(&self) {
        for prop in self.scene.props() {
            if let Err(error) = self.agent.scratch.write(Path::new(prop.name), prop.bytes) {
                eprintln!("demo agent: cannot write {}: {error}", prop.name);
            }
        }
    }

    async fn play_step(&mut self, step: Step) -> After {
        match step {
            Step::Reply(reply) => self.play_reply(reply).await,
            Step::Fail { blocks, error } => self.play_failure(blocks, error).await,
        }
    }

    async fn play_reply(&mut self, reply: Reply) -> After {
        let blocks = self.without_thinking_if_off(reply.blocks);
        let calls = self.number(&blocks);
        let message = self.stream(&blocks, &calls, &Ending::Whole).await;
        let aborted = stop_reason(&message) == Some(StopReason::Aborted);
        self.store_and_announce_end(&message);
        if self.attempts > 0 && !aborted {
            self.agent.output.emit(&Event::AutoRetryEnd {
                success: true,
                attempt: self.attempts,
                final_error: None,
            });
            self.attempts = 0;
        }
        if aborted {
            return self.end_aborted(&message);
        }
        self.then_compact |= reply.then_compact;
        if calls.is_empty() {
            self.scene_over = true;
            self.end_turn(&message, &[]);
            if self.work.cancel.is_cancelled() {
                return self.settle(true);
            }
            return After::MaybeDone;
        }
        let results = self.run_tools(&calls).await;
        self.end_turn(&message, &results);
        if self.work.cancel.is_cancelled() {
            return self.abort_after_tools();
        }
        After::AnotherTurn
    }

    async fn stream(&self, blocks: &[Block], calls: &[NumberedCall], ending: &Ending) -> Message {
        let stream = Stream::new(&self.agent, &self.work.cancel);
        stream.play(blocks, calls, ending).await
    }

    fn without_thinking_if_off(&self, blocks: Vec<Block>) -> Vec<Block> {
        let off = self.agent.with(|state| state.thinking_level == "off");
        let wanted = |block: &Block| !(off && matches!(block, Block::Thinking(_)));
        blocks.into_iter().filter(wanted).collect()
    }

    /// Gives every call its id: they count through the session.
    fn number(&self, blocks: &[Block]) -> Vec<NumberedCall> {
        let before = self.agent.with(|state| context::count_calls(state.session.entries()));
        let calls = blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            _ => None,
        });
        let numbered = |(place, call): (usize, &Call)| NumberedCall {
            id: format!("call_{}", before + place + 1),
            call: call.clone(),
        };
        calls.enumerate().map(numbered).collect()
    }

    async fn run_tools(&mut self, calls: &[NumberedCall]) -> Vec<Message> {
        let bench = Workbench { agent: &self.agent, cancel: &self.work.cancel };
        let results = tools::run_all(&bench, calls).await;
        for result in &results {
            self.announce(result);
        }
        self.results = results.iter().filter_map(call_result).collect();
        results
    }

    async fn play_failure(&mut self, blocks: Vec<Block>, error: String) -> After {
        let message = if blocks.is_empty() {
            self.wait_for_first_token().await;
            Stream::new(&self.agent, &self.work.cancel).fail_at_once(&error)
        } else {
            let blocks = self.without_thinking_if_off(blocks);
            self.stream(&blocks, &[], &Ending::Broken(error.clone())).await
        };
        let entry = self.store_and_announce_end(&message);
        if stop_reason(&message) == Some(StopReason::Aborted) {
            return self.end_aborted(&message);
        }
        self.end_turn(&message, &[]);
        let will_retry = self.agent.with(|state| state.auto_retry) && self.attempts < retry::MAX_ATTEMPTS;
        self.end_agent(will_retry);
        if !will_retry {
            if self.attempts > 0 {
                self.agent.output.emit(&Event::AutoRetryEnd {
                    success: false,
                    attempt: self.attempts,
                    final_error: Some(&error),
                });
            }
            return self.settle_only(false);
        }
        self.attempts += 1;
        match retry::wait(&self.agent, &self.work.cancel, self.attempts, &error, &entry).await {
            Waited::TryAgain => {
                self.agent.output.emit(&Event::AgentStart);
                After::AnotherTurn
            }
            Waited::Cancelled => self.settle_only(self.work.cancel.is_cancelled()),
        }
    }

    async fn wait_for_first_token(&self) {
        self.agent.pace.wait(std::time::Duration::from_millis(400), &self.work.cancel).await;
    }

    /// What follows an abort while tools ran: one more turn, which is over before it begins.
    fn abort_after_tools(&mut self) -> After {
        self.agent.output.emit(&Event::TurnStart);
        self.take_steering();
        let message = Stream::new(&self.agent, &self.work.cancel).fail_at_once("This operation was aborted");
        self.store_and_announce_end(&message);
        self.end_aborted(&message)
    }

    fn end_aborted(&mut self, message: &Message) -> After {
        self.end_turn(message, &[]);
        self.settle(true)
    }

    /// Takes up what is queued, or settles if nothing is.
    async fn take_or_settle(&mut self) -> Option<Vec<Queued>> {
        if let Some(news) = self.take_any(&[Event::TurnStart]) {
            return Some(news);
        }
        self.end_agent(false);
        self.compact_if_wanted().await;
        // Whatever was queued in the meantime must not be left lying: settling and looking are one step.
        if self.settle_unless_queued() {
            return None;
        }
        self.take_any(&[Event::AgentStart, Event::TurnStart])
    }

    async fn compact_if_wanted(&mut self) {
        let nearly_full = self.agent.with(|state| {
            let tokens = context::tokens(&context::messages(state.session.entries()));
            state.auto_compaction && tokens + COMPACT_BELOW > super::models::CONTEXT_WINDOW
        });
        if std::mem::take(&mut self.then_compact) || nearly_full {
            // A failure has been announced; the run ends as it would have.
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

    fn settle(&mut self, aborted: bool) -> After {
        self.end_agent(false);
        self.settle_only(aborted)
    }

    fn settle_only(&self, aborted: bool) -> After {
        self.agent.scratch.clear();
        self.agent.with(|state| {
            self.agent.output.emit(&Event::AgentSettled { aborted });
            state.end_work();
        });
        After::Over
    }

    /// After an abort the queue stays as it is, for the next run.
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

    fn take_steering(&mut self) -> Vec<Queued> {
        let mut news = Vec::new();
        let agent = Arc::clone(&self.agent);
        agent.with(|state| {
            let queues = &mut state.queues;
            while let Some(queued) = queues.steering.pop_front() {
                agent.output.emit(&queues.update());
                news.push(queued);
                if !queues.all_steering {
                    break;
                }
            }
        });
        for queued in &news {
            self.deliver(queued);
        }
        news
    }

    /// Steering first, then follow-ups; `openings` are announced only if there is something.
    fn take_any(&mut self, openings: &[Event]) -> Option<Vec<Queued>> {
        let agent = Arc::clone(&self.agent);
        if agent.with(|state| state.queues.len() == 0) {
            return None;
        }
        for opening in openings {
            agent.output.emit(opening);
        }
        let steered = self.take_steering();
        if !steered.is_empty() {
            return Some(steered);
        }
        let mut news = Vec::new();
        agent.with(|state| {
            let queues = &mut state.queues;
            while let Some(queued) = queues.follow_up.pop_front() {
                agent.output.emit(&queues.update());
                news.push(queued);
                if !queues.all_follow_up {
                    break;
                }
            }
        });
        for queued in &news {
            self.deliver(queued);
        }
        Some(news)
    }

    fn deliver(&mut self, queued: &Queued) {
        self.announce(&queued.message());
    }

    /// Stores a message that is complete from the start, and announces it.
    fn announce(&mut self, message: &Message) {
        self.agent.output.emit(&Event::MessageStart { message });
        self.store_and_announce_end(message);
    }

    /// Returns the id of the stored entry.
    fn store_and_announce_end(&mut self, message: &Message) -> String {
        let entry = self.agent.with(|state| {
            let entry = state.store_message(message);
            self.agent.output.emit(&Event::MessageEnd { message });
            entry
        });
        self.messages.push(message.clone());
        entry["id"].as_str().unwrap_or_default().to_owned()
    }
}

fn stop_reason(message: &Message) -> Option<StopReason> {
    match message {
        Message::Assistant(AssistantMessage { stop_reason, .. }) => Some(*stop_reason),
        _ => None,
    }
}

fn call_result(message: &Message) -> Option<CallResult> {
    match message {
        Message::ToolResult { content, is_error, .. } => Some(CallResult {
            text: content.iter().filter_map(super::message::Content::as_text).collect(),
            is_error: *is_error,
        }),
        _ => None,
    }
}
