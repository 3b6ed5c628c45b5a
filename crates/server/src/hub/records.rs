//! Changes of sessions as a whole: pin, archive, mark as read, draft, delete. Each is stored, then made in memory and
//! broadcast. None of them involves the agent; deleting moves the session file to the trash.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::conversation::queue::{Scheduled, restored_text};
use pilothouse_core::limits::DRAFT_BYTES;
use pilothouse_core::protocol::{CommandError, ErrorCode, ServerFrame, SessionSummary};
use tokio::sync::{mpsc, oneshot};

use super::{Hub, broadcast};
use crate::clock::now_ms;
use crate::session::Input;
use crate::store::{Durable, SessionRecord, Write};

/// A change of a record that is on its way to the disk.
pub type RecordChange = Result<Durable, CommandError>;

// Each change is queued for the disk when it is called, so that changes keep the order of their commands, and made in
// memory when it is committed.
impl Hub {
    pub fn pin(self: &Arc<Self>, id: &str, pinned: bool) -> RecordChange {
        self.change_record(
            id,
            |session, summary| Write::SetPinned {
                session,
                agent: summary.agent.clone(),
                cwd: summary.cwd.clone(),
                pinned,
            },
            move |record| record.pinned = pinned,
        )
    }

    pub fn archive(self: &Arc<Self>, id: &str, archived: bool) -> RecordChange {
        self.change_record(
            id,
            |session, summary| Write::SetArchived {
                session,
                agent: summary.agent.clone(),
                cwd: summary.cwd.clone(),
                archived,
            },
            move |record| record.archived = archived,
        )
    }

    pub fn mark_read(self: &Arc<Self>, id: &str) -> RecordChange {
        let at = now_ms();
        let write = |session, _: &SessionSummary| Write::MarkRead { session, at };
        self.change_record(id, write, move |record| record.read_at = record.read_at.max(at))
    }

    /// Stores which approvals of a session are answered automatically, and with `folder_level` which of new sessions in
    /// its folder.
    pub fn set_auto_approve(
        self: &Arc<Self>,
        id: &str,
        level: AutoApprove,
        folder_level: Option<AutoApprove>,
    ) -> RecordChange {
        let folder = self.state().sessions.get(id).map(|entry| entry.summary.cwd.clone());
        let change = self.change_record(
            id,
            |session, summary| Write::SetAutoApprove {
                session,
                agent: summary.agent.clone(),
                cwd: summary.cwd.clone(),
                level,
            },
            move |record| record.auto_approve = level,
        )?;
        if let (Some(folder), Some(level)) = (folder, folder_level) {
            return Ok(self.store.write(vec![Write::SetFolderAutoApprove { folder, level }]));
        }
        Ok(change)
    }

    pub fn auto_approve(&self, id: &str) -> AutoApprove {
        self.state().sessions.get(id).map(|entry| entry.record.auto_approve).unwrap_or_default()
    }

    pub fn set_draft(self: &Arc<Self>, id: &str, text: String) -> RecordChange {
        if text.len() > DRAFT_BYTES {
            return Err(CommandError::invalid(format!(
                "The draft is too long. The limit is {DRAFT_BYTES} bytes."
            )));
        }
        self.request_draft(id, &text)?;
        let draft = text.clone();
        let write = |session, _: &SessionSummary| Write::SetDraft { session, draft };
        self.change_record(id, write, move |record| record.draft = text)
    }

    /// Moves scheduled messages to the editor; `left` stay in the queue. The draft and the queue are
    /// written together, because the reply that returns the messages may get lost.
    pub async fn restore_to_draft(
        self: &Arc<Self>,
        id: &str,
        restored: &[Scheduled],
        left: Vec<Scheduled>,
    ) -> Result<(), CommandError> {
        let draft = restored_text(restored.iter().map(|item| item.text.as_str()), &self.draft(id));
        self.request_draft(id, &draft)?;
        let session = || id.to_owned();
        let writes = vec![
            Write::SetDraft { session: session(), draft: draft.clone() },
            Write::SettlePrompts {
                session: session(),
                client_ids: restored.iter().map(|item| item.id.clone()).collect(),
            },
            Write::SaveQueue { session: session(), items: left },
        ];
        let (hub, session) = (self.clone(), id.to_owned());
        let stored = self
            .store
            .write_then(writes, move || hub.apply_to_record(&session, |record| record.draft = draft));
        let result = stored.result().await;
        if result.is_err() {
            self.draft_not_stored(id);
        }
        Ok(result?)
    }

    /// The composer's text as it was last received, which may not be on disk yet.
    pub fn draft(&self, id: &str) -> String {
        let state = self.state();
        let Some(entry) = state.sessions.get(id) else { return String::new() };
        entry.requested_draft.as_ref().unwrap_or(&entry.record.draft).clone()
    }

    /// A draft could not be stored: the one on disk counts again.
    pub fn draft_not_stored(&self, id: &str) {
        if let Some(entry) = self.state().sessions.get_mut(id) {
            entry.requested_draft = None;
        }
    }

    fn request_draft(&self, id: &str, draft: &str) -> Result<(), CommandError> {
        let mut state = self.state();
        let entry = state.sessions.get_mut(id).ok_or_else(CommandError::no_such_session)?;
        entry.requested_draft = Some(draft.to_owned());
        Ok(())
    }

    /// Queues a change of a session's record. It is made in memory and broadcast when it is on disk.
    fn change_record(
        self: &Arc<Self>,
        id: &str,
        write: impl FnOnce(String, &SessionSummary) -> Write,
        change: impl FnOnce(&mut SessionRecord) + Send + 'static,
    ) -> RecordChange {
        let state = self.state();
        let entry = state.sessions.get(id).ok_or_else(CommandError::no_such_session)?;
        let write = write(id.to_owned(), &entry.summary);
        let (hub, session) = (self.clone(), id.to_owned());
        // Under the lock, so that two changes have the same order here and on disk.
        Ok(self.store.write_then(vec![write], move || hub.apply_to_record(&session, change)))
    }

    fn apply_to_record(&self, id: &str, change: impl FnOnce(&mut SessionRecord)) {
        let mut state = self.state();
        let Some(entry) = state.sessions.get_mut(id) else { return };
        let before = entry.summary();
        change(&mut entry.record);
        let after = entry.summary();
        if after != before {
            let changed = vec![after];
            broadcast(&mut state, &ServerFrame::SessionsChanged { changed, removed: Vec::new() });
        }
    }

    /// Ends the session's agent, moves its file to the trash and forgets everything stored for it.
    pub async fn delete_session(self: &Arc<Self>, id: &str) -> Result<(), CommandError> {
        let (inputs, file) = {
            let mut state = self.state();
            let entry = state.sessions.get_mut(id).filter(|entry| !entry.deleting);
            let entry = entry.ok_or_else(CommandError::no_such_session)?;
            if entry.summary.external_writer {
                let text = "Another program is working in this session. Stop it there first.";
                return Err(CommandError::new(ErrorCode::ExternalWriter, text));
            }
            entry.deleting = true;
            (entry.inputs.clone(), entry.file.clone())
        };
        let own_copy = self
            .state()
            .sessions
            .get(id)
            .and_then(|entry| Some((entry.agent.clone(), entry.agent_session.clone()?)));
        // A task of its own: a client that disconnects meanwhile leaves nothing half-done.
        let (hub, session) = (self.clone(), id.to_owned());
        let deleted = tokio::spawn(async move {
            let deleted = hub.end_and_delete(&session, inputs, file).await;
            if let (Ok(()), Some((agent, agent_session))) = (&deleted, own_copy) {
                hub.delete_agent_session(agent, agent_session);
            }
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
        self.store.write(vec![Write::Touch]).result().await?;
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
    let text = |error: std::io::Error| format!("Couldn't move {} to the trash: {error}.", file.display());
    DirBuilder::new().recursive(true).mode(0o700).create(trash).map_err(text)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let target = trash.join(format!("{}-{name}", now_ms()));
    move_file(file, &target).map_err(text)?;
    Ok(target)
}

/// Moves a file, by copying it if the target is on another file system.
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
        assert!(move_to(&trash, &file).unwrap_err().contains("Couldn't move"));
        move_file(&target, &file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "line\n");
    }
}
