//! What people do to sessions as a whole: pin, archive, read, draft, delete. Kept in the store; none of it is told to
//! an agent, and only deleting touches its file, which goes to the trash.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pilothouse_core::SessionState;
use pilothouse_core::conversation::queue::{Scheduled, restored_text};
use pilothouse_core::limits::DRAFT_BYTES;
use pilothouse_core::protocol::{NO_SUCH_SESSION, ServerFrame, SessionSummary};
use tokio::sync::{mpsc, oneshot};

use super::{Entry, Hub, broadcast};
use crate::clock::now_ms;
use crate::session::Input;
use crate::store::SessionRecord;

impl Entry {
    /// The row of the sidebar: what the session tells, and what people did to it.
    pub(super) fn shown(&self) -> SessionSummary {
        let rests = !self.summary.state.is_active() && self.summary.state != SessionState::Idle;
        // One that was made here is known from its beginning.
        let read_at = self.record.read_at.max(self.record.created);
        SessionSummary {
            pinned: self.record.pinned,
            archived: self.record.archived,
            // One that was never opened here is not news.
            unread: rests && read_at > 0 && self.summary.modified > read_at,
            ..self.summary.clone()
        }
    }
}

impl Hub {
    pub fn pin(&self, id: &str, pinned: bool) -> Result<(), String> {
        self.change_record(id, |record| record.pinned = pinned)?;
        let (agent, cwd) = self.place_of(id);
        self.store.set_pinned(id, &agent, &cwd, pinned);
        Ok(())
    }

    pub fn archive(&self, id: &str, archived: bool) -> Result<(), String> {
        self.change_record(id, |record| record.archived = archived)?;
        let (agent, cwd) = self.place_of(id);
        self.store.set_archived(id, &agent, &cwd, archived);
        Ok(())
    }

    pub fn mark_read(&self, id: &str) -> Result<(), String> {
        let at = now_ms();
        self.change_record(id, |record| record.read_at = at)?;
        self.store.mark_read(id, at);
        Ok(())
    }

    pub fn set_draft(&self, id: &str, text: &str) -> Result<(), String> {
        if text.len() > DRAFT_BYTES {
            return Err(format!("A draft is kept up to {DRAFT_BYTES} bytes."));
        }
        let mut state = self.state();
        let entry = state.sessions.get_mut(id).ok_or(NO_SUCH_SESSION)?;
        if entry.record.draft != text {
            text.clone_into(&mut entry.record.draft);
            drop(state);
            self.store.set_draft(id, text);
        }
        Ok(())
    }

    /// Messages come back to the editor; `left` stay in the queue. The answer that gives them back may get lost: they
    /// are in the draft before they are nowhere else.
    pub fn take_back(&self, id: &str, taken: &[Scheduled], left: &[Scheduled]) {
        let draft = restored_text(taken.iter().map(|item| item.text.as_str()), &self.draft(id));
        let ids: Vec<&str> = taken.iter().map(|item| item.id.as_str()).collect();
        match self.store.take_back(id, &ids, left, &draft) {
            Ok(()) => {
                if let Some(entry) = self.state().sessions.get_mut(id) {
                    entry.record.draft = draft;
                }
            }
            Err(error) => tracing::error!(session = id, "what was taken back could not be kept: {error:#}"),
        }
    }

    pub fn draft(&self, id: &str) -> String {
        self.state().sessions.get(id).map(|entry| entry.record.draft.clone()).unwrap_or_default()
    }

    fn place_of(&self, id: &str) -> (String, String) {
        let state = self.state();
        state
            .sessions
            .get(id)
            .map(|entry| (entry.summary.agent.clone(), entry.summary.cwd.clone()))
            .unwrap_or_default()
    }

    fn change_record(&self, id: &str, change: impl FnOnce(&mut SessionRecord)) -> Result<(), String> {
        let mut state = self.state();
        let entry = state.sessions.get_mut(id).ok_or(NO_SUCH_SESSION)?;
        let before = entry.shown();
        change(&mut entry.record);
        let shown = entry.shown();
        if shown != before {
            broadcast(
                &mut state,
                &ServerFrame::SessionsChanged { changed: vec![shown], removed: Vec::new() },
            );
        }
        Ok(())
    }

    /// Ends the session's agent, moves its file to the trash and forgets what was kept beside it.
    pub async fn delete_session(self: &Arc<Self>, id: &str) -> Result<(), String> {
        let (inputs, file) = {
            let mut state = self.state();
            let entry = state.sessions.get_mut(id).filter(|entry| !entry.deleting).ok_or(NO_SUCH_SESSION)?;
            if entry.summary.elsewhere {
                return Err("Another program is working in this session. End it there first.".to_owned());
            }
            entry.deleting = true;
            (entry.inputs.clone(), entry.file.clone())
        };
        // A page that goes away meanwhile leaves nothing half-done.
        let (hub, of) = (self.clone(), id.to_owned());
        let deleted = tokio::spawn(async move {
            let deleted = hub.end_and_move(&of, inputs, file).await;
            if deleted.is_err()
                && let Some(entry) = hub.state().sessions.get_mut(&of)
            {
                entry.deleting = false;
            }
            deleted
        });
        deleted.await.map_err(|error| error.to_string())?
    }

    async fn end_and_move(
        self: &Arc<Self>,
        id: &str,
        inputs: Option<mpsc::Sender<Input>>,
        file: Option<PathBuf>,
    ) -> Result<(), String> {
        if let Some(inputs) = inputs {
            let (done, ended) = oneshot::channel();
            if inputs.send(Input::Shutdown { done }).await.is_ok() {
                let _ = ended.await;
            }
        }
        // It may have written its first file since the list was read.
        let file = match file {
            Some(file) => Some(file),
            None => {
                self.refresh().await;
                self.state().sessions.get(id).and_then(|entry| entry.file.clone())
            }
        };
        if let Some(file) = file {
            let trash = self.trash.clone();
            let moved = tokio::task::spawn_blocking(move || move_to(&trash, &file)).await;
            moved.map_err(|error| error.to_string())??;
        }
        self.store.forget_session(id);
        self.search.forget(id);
        let mut state = self.state();
        state.sessions.remove(id);
        broadcast(
            &mut state,
            &ServerFrame::SessionsChanged { changed: Vec::new(), removed: vec![id.to_owned()] },
        );
        Ok(())
    }
}

/// Two files of one name do not meet: the time is put before it. Another file system may need a copy.
fn move_to(trash: &Path, file: &Path) -> Result<(), String> {
    let words =
        |error: std::io::Error| format!("{} could not be moved to the trash: {error}", file.display());
    std::fs::create_dir_all(trash).map_err(words)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let target: PathBuf = trash.join(format!("{}-{name}", now_ms()));
    if std::fs::rename(file, &target).is_ok() {
        return Ok(());
    }
    std::fs::copy(file, &target).map_err(words)?;
    std::fs::remove_file(file).map_err(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_to_the_trash_is_whole_there_and_gone_here() {
        let folder = tempfile::tempdir().unwrap();
        let (file, trash) = (folder.path().join("a.jsonl"), folder.path().join("trash"));
        std::fs::write(&file, "line\n").unwrap();
        move_to(&trash, &file).unwrap();
        assert!(!file.exists());
        let kept: Vec<_> = std::fs::read_dir(&trash).unwrap().flatten().collect();
        assert_eq!(kept.len(), 1);
        assert_eq!(std::fs::read_to_string(kept[0].path()).unwrap(), "line\n");
        assert!(move_to(&trash, &file).unwrap_err().contains("could not be moved"));
    }
}
