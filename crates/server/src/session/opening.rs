//! How a session is opened: the agent's own file, and what is kept beside it, become what is shown. Opening changes
//! nothing on the agent's side.

use std::sync::{Arc, Mutex};

use pilothouse_core::protocol::event::ModelInfo;
use pilothouse_core::render::describe::title_from;
use pilothouse_core::session::machine::Machine;
use pilothouse_core::{MessageController, SessionState};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::restored::Restored;
use super::{Origin, Session};
use crate::history::HistoryFile;
use crate::hub::Hub;
use crate::session::event_buffer::EventBuffer;

/// Reads the agent's file, and what is kept beside it.
pub(super) fn read(origin: &Origin, hub: &Hub) -> (Option<HistoryFile>, Restored) {
    let scanned = origin.file.as_deref().and_then(|file| hub.scan(file));
    let restored = Restored::of(hub.store(), &origin.id, &origin.blobs, scanned.as_ref());
    (scanned.map(|scanned| scanned.fold(&restored.extras, &origin.blobs)), restored)
}

/// The same of a session that is open, to find something in it.
pub(super) fn read_beside(origin: &Origin, hub: &Hub) -> Option<HistoryFile> {
    let scanned = HistoryFile::scan(origin.file.as_deref()?)?;
    let extras = Restored::beside(hub.store(), &origin.id, &scanned);
    Some(scanned.fold(&extras, &origin.blobs))
}

/// Reads a whole file in the session's own loop, which has to know it before it goes on; other tasks do not wait.
pub(super) fn aside<T>(work: impl FnOnce() -> T) -> T {
    let runs_several =
        Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if runs_several { tokio::task::block_in_place(work) } else { work() }
}

impl Session {
    /// Takes the conversation as it is on disk for what is shown, in a new life of the session.
    pub(super) fn show(&mut self, history: Option<HistoryFile>, restored: Restored) {
        let unfinished = restored.interrupted || !restored.unsent.is_empty() || !restored.queue.is_empty();
        let view = &mut self.view;
        view.epoch = uuid::Uuid::now_v7().simple().to_string();
        view.seq = 0;
        let mut state = SessionState::Idle;
        match &history {
            Some(history) => {
                state = history.resting_state();
                view.title = history.title();
                // What the agent calls it is known when the agent runs.
                let named = |(provider, id): (&str, &str)| ModelInfo {
                    provider: provider.to_owned(),
                    id: id.to_owned(),
                    ..ModelInfo::default()
                };
                view.model = history.model().map(named);
                view.thinking_level = history.thinking_level().unwrap_or_default().to_owned();
                // What another program has begun may still run.
                view.controller =
                    if view.elsewhere { history.newest_rows_running() } else { history.newest_rows() };
            }
            None => {
                view.controller = MessageController::default();
                for extra in &restored.extras {
                    for event in extra.events.clone() {
                        view.controller.handle_server_event(event);
                    }
                }
            }
        }
        if unfinished && matches!(state, SessionState::Idle | SessionState::Completed | SessionState::Stopped)
        {
            state = SessionState::Paused;
        }
        if view.title.is_empty()
            && let Some(prompt) = restored.unsent.first()
        {
            view.title = title_from(&prompt.text);
        }
        view.queue = restored.queue;
        self.machine = Machine::resting_in(state);
        self.view.state = self.machine.state();
        self.replay = EventBuffer::default();
        self.unsent = restored.unsent;
        self.reread = false;
        self.judged = history.as_ref().map_or(0, HistoryFile::entry_count);
        self.history = history.map(|history| Arc::new(Mutex::new(history)));
    }
}
