//! What the parts of the agent share: the session, the settings, the queues, and who is at work.
//!
//! One lock, held only for a moment and never across a wait. Events are handed over while it is held, so that what
//! goes out is in the order of what happened.

pub(crate) mod models;

use std::{
    collections::{HashMap, VecDeque},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use serde_json::Value;
use tokio::sync::{oneshot, watch};

use crate::{
    pace::{Cancel, Pace},
    protocol::{Content, Event, Message},
    scenes::ImageInfo,
    session::{Body, SessionFile, context},
    shell::ProcessGroups,
    stdio::Output,
    tools::Scratch,
};
use models::{MODELS, Model, PROVIDER};

pub(crate) struct Agent {
    pub(crate) output: Output,
    pub(crate) pace: Pace,
    /// The session's folder: tools and commands run here.
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
    /// Ends the wait before a retry, while there is one.
    pub(crate) retry_wait: Option<Cancel>,
    /// The user's own shell commands that run.
    pub(crate) shells: Vec<Cancel>,
    /// Their results, as long as a run keeps them out of the session.
    pub(crate) finished_shells: Vec<Message>,
    pub(crate) dialogs: HashMap<String, oneshot::Sender<Value>>,
    pub(crate) auto_retry: bool,
    pub(crate) auto_compaction: bool,
}

/// A run or a compaction: there is one at a time.
#[derive(Clone)]
pub(crate) struct Work {
    pub(crate) kind: WorkKind,
    pub(crate) cancel: Cancel,
    pub(crate) finished: watch::Receiver<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkKind {
    Run,
    Compaction,
}

#[derive(Default)]
pub(crate) struct Queues {
    pub(crate) steering: VecDeque<Queued>,
    pub(crate) follow_up: VecDeque<Queued>,
    /// Take up all waiting messages at once instead of one.
    pub(crate) all_steering: bool,
    pub(crate) all_follow_up: bool,
}

/// A user message that has been sent but not yet taken up.
#[derive(Clone, Debug)]
pub(crate) struct Queued {
    pub(crate) text: String,
    pub(crate) images: Vec<Content>,
    pub(crate) image_infos: Vec<ImageInfo>,
    pub(crate) timestamp: i64,
}

impl Queued {
    pub(crate) fn message(&self) -> Message {
        let text = Content::text(self.text.clone());
        Message::User {
            content: std::iter::once(text).chain(self.images.iter().cloned()).collect(),
            timestamp: self.timestamp,
        }
    }
}

impl Queues {
    pub(crate) fn update(&self) -> Event<'static> {
        let texts = |queue: &VecDeque<Queued>| queue.iter().map(|queued| queued.text.clone()).collect();
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
        session_id: &str,
        pace: Pace,
        output: Output,
        groups: ProcessGroups,
    ) -> io::Result<Self> {
        let session = SessionFile::open(agent_folder, &folder, session_id)?;
        let state = State::resume(session);
        let scratch = Scratch::new(agent_folder, session_id);
        Ok(Self { output, pace, folder, scratch, groups, state: Mutex::new(state) })
    }

    /// Looks at or changes the state; must not wait for anything.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what a new session starts with.
    pub(crate) fn begin_session(&self) {
        self.with(|state| {
            if state.session.entries().is_empty() {
                state.store_model();
                state.store_thinking_level();
            }
        });
    }
}

impl State {
    /// The state a session left behind: its last model and thinking level.
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
            dialogs: HashMap::new(),
            auto_retry: true,
            auto_compaction: true,
        }
    }

    pub(crate) fn is_at(&self, kind: WorkKind) -> bool {
        self.work.as_ref().is_some_and(|work| work.kind == kind)
    }

    pub(crate) fn store_model(&mut self) {
        let model_id = self.model.id;
        self.session.append(&Body::ModelChange { provider: PROVIDER, model_id });
    }

    pub(crate) fn store_thinking_level(&mut self) {
        let thinking_level = self.thinking_level;
        self.session.append(&Body::ThinkingLevelChange { thinking_level });
    }

    pub(crate) fn store_message(&mut self, message: &Message) -> Value {
        self.session.append(&Body::Message { message })
    }

    /// Begins work, which nobody else may be at. The sender is dropped or set when it ends.
    pub(crate) fn begin(&mut self, kind: WorkKind) -> (Work, watch::Sender<bool>) {
        let (sender, finished) = watch::channel(false);
        let work = Work { kind, cancel: Cancel::new(), finished };
        self.work = Some(work.clone());
        (work, sender)
    }

    /// Ends work; shell results that had to wait are stored now.
    pub(crate) fn end_work(&mut self) {
        self.work = None;
        for message in std::mem::take(&mut self.finished_shells) {
            self.store_message(&message);
        }
    }
}
