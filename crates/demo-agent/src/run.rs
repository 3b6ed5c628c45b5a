//! A run: from a user message to `agent_settled`, turn by turn, with steering, follow-ups, retries and aborts.
//!
//! Decides the order of things. `turn` plays one step of a scene, `queue` takes up what the user sends meanwhile; how a
//! reply streams, what a tool does and what is said are elsewhere.

pub(crate) mod compaction;
mod stream;
mod turn;

use std::{collections::VecDeque, path::Path, sync::Arc};

use tokio::sync::watch;

use crate::{
    agent::{Agent, Queued, Queues, State, Work, models},
    protocol::{Event, Message},
    scenes::{self, Block, CallResult, Scene, Setting, Step},
    session::context,
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
            state.auto_compaction && tokens + COMPACT_BELOW > models::CONTEXT_WINDOW
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
}

impl Run {
    /// Takes up steering messages, one or all as the mode says.
    fn take_steering(&mut self) -> Vec<Queued> {
        let agent = Arc::clone(&self.agent);
        agent.with(|state| self.take(state, |queues| (&mut queues.steering, queues.all_steering)))
    }

    /// Steering first, then follow-ups; `openings` are announced only if there is something.
    fn take_any(&mut self, openings: &[Event]) -> Option<Vec<Queued>> {
        let agent = Arc::clone(&self.agent);
        // One step: nobody may clear the queue in between.
        agent.with(|state| {
            if state.queues.len() == 0 {
                return None;
            }
            for opening in openings {
                agent.output.emit(opening);
            }
            let steered = self.take(state, |queues| (&mut queues.steering, queues.all_steering));
            if steered.is_empty() {
                return Some(self.take(state, |queues| (&mut queues.follow_up, queues.all_follow_up)));
            }
            Some(steered)
        })
    }

    fn take(
        &mut self,
        state: &mut State,
        which: fn(&mut Queues) -> (&mut VecDeque<Queued>, bool),
    ) -> Vec<Queued> {
        let agent = Arc::clone(&self.agent);
        let mut taken = Vec::new();
        loop {
            let (queue, all) = which(&mut state.queues);
            let Some(queued) = queue.pop_front() else { return taken };
            agent.output.emit(&state.queues.update());
            let message = queued.message();
            agent.output.emit(&Event::MessageStart { message: &message });
            self.note_end(&agent, state, &message);
            taken.push(queued);
            if !all {
                return taken;
            }
        }
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
        let agent = Arc::clone(&self.agent);
        agent.with(|state| self.note_end(&agent, state, message))
    }

    fn note_end(&mut self, agent: &Agent, state: &mut State, message: &Message) -> String {
        let entry = state.store_message(message);
        agent.output.emit(&Event::MessageEnd { message });
        self.messages.push(message.clone());
        entry["id"].as_str().unwrap_or_default().to_owned()
    }
}
