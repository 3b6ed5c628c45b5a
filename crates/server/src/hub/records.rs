//! What users do to sessions as a whole: pin, archive, mark as read, draft, delete. It is stored, then changed in memory
//! and broadcast. No agent learns of it, and only deleting touches a session file, which is moved to the trash.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pilothouse_core::conversation::queue::{Scheduled, restored_text};
use pilothouse_core::limits::DRAFT_BYTES;
use pilothouse_core::protocol::{CommandError, ErrorCode, ServerFrame};
use tokio::sync::{mpsc, oneshot};

use super::{Hub, broadcast};
use crate::clock::now_ms;
use crate::session::Input;
use crate::store::{SessionRecord, Write};

impl Hub {
    pub async fn pin(&self, id: &str, pinned: bool) -> Result<(), CommandError> {
        let (agent, cwd) = self.agent_and_folder(id);
        let write = Write::SetPinned { session: id.to_owned(), agent, cwd, pinned };
        self.change_record(id, write, move |record| record.pinned = pinned).await
    }

    pub async fn archive(&self, id: &str, archived: bool) -> Result<(), CommandError> {
        let (agent, cwd) = self.agent_and_folder(id);
        let write = Write::SetArchived { session: id.to_owned(), agent, cwd, archived };
        self.change_record(id, write, move |record| record.archived = archived).await
    }

    pub async fn mark_read(&self, id: &str) -> Result<(), CommandError> {
        let at = now_ms();
        let write = Write::MarkRead { session: id.to_owned(), at };
        self.change_record(id, write, move |record| record.read_at = record.read_at.max(at)).await
    }

    pub async fn set_draft(&self, id: &str, text: String) -> Result<(), CommandError> {
        if text.len() > DRAFT_BYTES {
            return Err(CommandError::invalid(format!("A draft may have up to {DRAFT_BYTES} bytes.")));
        }
        let write = Write::SetDraft { session: id.to_owned(), draft: text.clone() };
        self.change_record(id, write, move |record| record.draft = text).await
    }

    /// Moves scheduled messages to the editor; `left` stay in the queue. They are in the draft before they are nowhere
    /// else, since the reply that returns them may get lost.
    pub async fn restore_to_draft(
        &self,
        id: &str,
        restored: &[Scheduled],
        left: Vec<Scheduled>,
    ) -> Result<(), CommandError> {
        let lock = self.record_lock(id)?;
        let _locked = lock.lock().await;
        let draft = restored_text(restored.iter().map(|item| item.text.as_str()), &self.draft(id));
        let session = || id.to_owned();
        let writes = vec![
            Write::SetDraft { session: session(), draft: draft.clone() },
            Write::SettlePrompts {
                session: session(),
                client_ids: restored.iter().map(|item| item.id.clone()).collect(),
            },
            Write::SaveQueue { session: session(), items: left },
        ];
        self.store.write(writes).result().await?;
        self.apply_to_record(id, |record| record.draft = draft)
    }

    pub fn draft(&self, id: &str) -> String {
        self.state().sessions.get(id).map(|entry| entry.record.draft.clone()).unwrap_or_default()
    }

    fn agent_and_folder(&self, id: &str) -> (String, String) {
        let state = self.state();
        let entry = state.sessions.get(id);
        entry.map(|entry| (entry.summary.agent.clone(), entry.summary.cwd.clone())).unwrap_or_default()
    }

    /// Stores a change of a session's record, then makes it and broadcasts it.
    async fn change_record(
        &self,
        id: &str,
        write: Write,
        change: impl FnOnce(&mut SessionRecord),
    ) -> Result<(), CommandError> {
        let lock = self.record_lock(id)?;
        let _locked = lock.lock().await;
        self.store.write(vec![write]).result().await?;
        self.apply_to_record(id, change)
    }

    fn record_lock(&self, id: &str) -> Result<Arc<tokio::sync::Mutex<()>>, CommandError> {
        let state = self.state();
        let entry = state.sessions.get(id).ok_or_else(CommandError::no_such_session)?;
        Ok(entry.record_lock.clone())
    }

    fn apply_to_record(&self, id: &str, change: impl FnOnce(&mut SessionRecord)) -> Result<(), CommandError> {
        let mut state = self.state();
        let entry = state.sessions.get_mut(id).ok_or_else(CommandError::no_such_session)?;
        let before = entry.summary();
        change(&mut entry.record);
        let after = entry.summary();
        if after != before {
            let changed = vec![after];
            broadcast(&mut state, &ServerFrame::SessionsChanged { changed, removed: Vec::new() });
        }
        Ok(())
    }

    /// Ends the session's agent, moves its file to the trash and forgets everything stored for it.
    pub async fn delete_session(self: &Arc<Self>, id: &str) -> Result<(), CommandError> {
        let (inputs, file) = {
            let mut state = self.state();
            let entry = state.sessions.get_mut(id).filter(|entry| !entry.deleting);
            let entry = entry.ok_or_else(CommandError::no_such_session)?;
            if entry.summary.external_writer {
                let text = "Another program is working in this session. End it there first.";
                return Err(CommandError::new(ErrorCode::ExternalWriter, text));
            }
            entry.deleting = true;
            (entry.inputs.clone(), entry.file.clone())
        };
        // A task of its own: a client that disconnects meanwhile leaves nothing half-done.
        let (hub, session) = (self.clone(), id.to_owned());
        let deleted = tokio::spawn(async move {
            let deleted = hub.end_and_delete(&session, inputs, file).await;
            if deleted.is_err()
                && let Some(entry) = hub.state().sessions.get_mut(&session)
            {
                entry.deleting = false;
            }
            deleted
        });
        deleted.await.map_err(|error| CommandError::new(ErrorCode::Internal, error.to_string()))?
    }

    async fn end_and_delete(
        self: &Arc<Self>,
        id: &str,
        inputs: Option<mpsc::Sender<Input>>,
        file: Option<PathBuf>,
    ) -> Result<(), CommandError> {
        // The disk is tried before anything is ended or moved.
        self.store.write(vec![Write::SetInFlight { session: id.to_owned(), note: None }]).result().await?;
        if let Some(inputs) = inputs {
            let (done, ended) = oneshot::channel();
            if inputs.send(Input::Shutdown { done }).await.is_ok() {
                let _ = ended.await;
            }
        }
        // It may have created its file since the list was read.
        let file = match file {
            Some(file) => Some(file),
            None => {
                self.refresh().await;
                self.state().sessions.get(id).and_then(|entry| entry.file.clone())
            }
        };
        let moved = match file {
            Some(file) => {
                let trash = self.trash.clone();
                let target = file.clone();
                let moved = tokio::task::spawn_blocking(move || move_to(&trash, &target)).await;
                let moved =
                    moved.map_err(|error| CommandError::new(ErrorCode::Internal, error.to_string()))?;
                Some((file, moved.map_err(|text| CommandError::new(ErrorCode::NotStored, text))?))
            }
            None => None,
        };
        if let Err(error) =
            self.store.write(vec![Write::ForgetSession { session: id.to_owned() }]).result().await
        {
            // Not deleted after all: the file goes back to where it was.
            if let Some((file, trashed)) = moved {
                let _ = tokio::task::spawn_blocking(move || move_file(&trashed, &file)).await;
            }
            return Err(error.into());
        }
        self.search.forget(id);
        let mut state = self.state();
        state.sessions.remove(id);
        let removed = vec![id.to_owned()];
        broadcast(&mut state, &ServerFrame::SessionsChanged { changed: Vec::new(), removed });
        Ok(())
    }
}

/// Moves a file to the trash and returns its new path. The time in the name keeps files of the same name apart.
fn move_to(trash: &Path, file: &Path) -> Result<PathBuf, String> {
    let text =
        |error: std::io::Error| format!("{} could not be moved to the trash: {error}.", file.display());
    std::fs::create_dir_all(trash).map_err(text)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let target = trash.join(format!("{}-{name}", now_ms()));
    move_file(file, &target).map_err(text)?;
    Ok(target)
}

/// Another file system needs a copy.
fn move_file(from: &Path, to: &Path) -> std::io::Result<()> {
    if std::fs::rename(from, to).is_ok() {
        return Ok(());
    }
    std::fs::copy(from, to)?;
    std::fs::remove_file(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_trash_is_complete_and_gone_from_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (file, trash) = (folder.path().join("a.jsonl"), folder.path().join("trash"));
        std::fs::write(&file, "line\n").unwrap();
        let target = move_to(&trash, &file).unwrap();
        assert!(!file.exists());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "line\n");
        assert!(move_to(&trash, &file).unwrap_err().contains("could not be moved"));
        move_file(&target, &file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "line\n");
    }
}
