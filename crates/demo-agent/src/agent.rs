//! The state that all parts of the agent share: the session, the settings, the queues and the work under way.
//!
//! One lock guards it. It is held only briefly and never across an await. Events are emitted while it is held, so
//! they leave in the order of the changes they describe.

pub(crate) mod models;

use std::{
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use serde_json::Value;
use tokio::sync::{oneshot, watch};

use crate::{
    pace::{Cancel, Pace},
    protocol::{Content, Event, Message},
    scenes::ImageInfo,
    session::{EntryBody, SessionFile, context},
    shell::ProcessGroups,
    stdio::Output,
    tools::Scratch,
};
use models::{MODELS, Model, PROVIDER};

pub(crate) struct Agent {
    pub(crate) output: Output,
    pub(crate) pace: Pace,
    /// The session's folder, in which tools and commands run.
    pub(crate) folder: PathBuf,
    pub(crate) scratch: Scratch,
    pub(crate) groups: ProcessGroups,
    state: Mutex<State>,
}

pub(crate) struct State {
    pub(crate) session: SessionFile,
    pub(crate) model: &'static Model,
    pub(crate) thinking_level: &'static str,
    pub(crate) mode: &'static str,
    pub(crate) queues: Queues,
    pub(crate) work: Option<Work>,
    /// Ends the current wait before a retry.
    pub(crate) retry_wait: Option<Cancel>,
    /// The user's shell commands that are running.
    pub(crate) shells: Vec<Cancel>,
    /// Results of the user's shell commands that are stored when the current run ends.
    pub(crate) finished_shells: Vec<Message>,
    /// Open questions to the user, by request id.
    pub(crate) open_questions: HashMap<String, oneshot::Sender<Value>>,
    pub(crate) auto_retry: bool,
    pub(crate) auto_compaction: bool,
}

/// A run or a compaction. At most one is under way.
#[derive(Clone)]
pub(crate) struct Work {
    pub(crate) kind: WorkKind,
    pub(crate) cancel: Cancel,
    /// Becomes true when the work has ended.
    pub(crate) finished: watch::Receiver<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkKind {
    Run,
    Compaction,
}

/// The user messages that wait to be delivered during a run.
#[derive(Default)]
pub(crate) struct Queues {
    pub(crate) steering: VecDeque<UserMessage>,
    pub(crate) follow_up: VecDeque<UserMessage>,
    /// Deliver all waiting steering messages at once instead of one at a time.
    pub(crate) all_steering: bool,
    pub(crate) all_follow_up: bool,
}

/// A user message that was received but is not yet part of the conversation.
#[derive(Clone, Debug)]
pub(crate) struct UserMessage {
    pub(crate) text: String,
    pub(crate) images: Vec<Content>,
    pub(crate) image_infos: Vec<ImageInfo>,
    pub(crate) timestamp: i64,
}

impl UserMessage {
    pub(crate) fn to_message(&self) -> Message {
        let text = Content::text(self.text.clone());
        Message::User {
            content: std::iter::once(text).chain(self.images.iter().cloned()).collect(),
            timestamp: self.timestamp,
        }
    }
}

impl Queues {
    pub(crate) fn update_event(&self) -> Event<'static> {
        let texts = |queue: &VecDeque<UserMessage>| queue.iter().map(|queued| queued.text.clone()).collect();
        Event::QueueUpdate { steering: texts(&self.steering), follow_up: texts(&self.follow_up) }
    }

    pub(crate) fn len(&self) -> usize {
        self.steering.len() + self.follow_up.len()
    }
}

impl Agent {
    pub(crate) fn open(
        agent_folder: &Path,
        folder: PathBuf,
        session: SessionFile,
        pace: Pace,
        output: Output,
        groups: ProcessGroups,
    ) -> Self {
        let scratch = Scratch::new(agent_folder, session.id());
        let state = State::resume(session);
        Self { output, pace, folder, scratch, groups, state: Mutex::new(state) }
    }

    /// Calls `act` with the locked state. `act` must not block.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Stores the model and the thinking level of a new session.
    pub(crate) fn store_initial_settings(&self) {
        self.with(|state| {
            if state.session.entries().is_empty() {
                state.store_model();
                state.store_thinking_level();
            }
        });
    }
}

impl State {
    /// Restores the model and the thinking level that the session last used.
    fn resume(session: SessionFile) -> Self {
        let entries = session.entries();
        let model = context::newest(entries, "model_change")
            .and_then(|entry| Model::find(entry["provider"].as_str()?, entry["modelId"].as_str()?));
        let level = context::newest(entries, "thinking_level_change")
            .and_then(|entry| entry["thinkingLevel"].as_str())
            .map(models::thinking_level);
        Self {
            model: model.unwrap_or(&MODELS[0]),
            thinking_level: level.unwrap_or(models::DEFAULT_THINKING_LEVEL),
            mode: models::FREE,
            session,
            queues: Queues::default(),
            work: None,
            retry_wait: None,
            shells: Vec::new(),
            finished_shells: Vec::new(),
            open_questions: HashMap::new(),
            auto_retry: true,
            auto_compaction: true,
        }
    }

    pub(crate) fn is_busy_with(&self, kind: WorkKind) -> bool {
        self.work.as_ref().is_some_and(|work| work.kind == kind)
    }

    pub(crate) fn store_model(&mut self) {
        let model_id = self.model.id;
        self.session.append(&EntryBody::ModelChange { provider: PROVIDER, model_id });
    }

    pub(crate) fn store_thinking_level(&mut self) {
        let thinking_level = self.thinking_level;
        self.session.append(&EntryBody::ThinkingLevelChange { thinking_level });
    }

    pub(crate) fn store_message(&mut self, message: &Message) -> Value {
        self.session.append(&EntryBody::Message { message })
    }

    /// Begins work; the caller has checked that none is under way. The caller sets the returned sender to true, or
    /// drops it, when the work has ended.
    pub(crate) fn begin_work(&mut self, kind: WorkKind) -> (Work, watch::Sender<bool>) {
        let (sender, finished) = watch::channel(false);
        let work = Work { kind, cancel: Cancel::new(), finished };
        self.work = Some(work.clone());
        (work, sender)
    }

    /// Ends the work and stores the shell results that waited for its end.
    pub(crate) fn end_work(&mut self) {
        self.work = None;
        for message in std::mem::take(&mut self.finished_shells) {
            self.store_message(&message);
        }
    }
}
