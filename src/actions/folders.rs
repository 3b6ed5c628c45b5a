//! Looking into folders, for the new session's form.

use pilothouse_core::protocol::{DirectoryListing, HubCommand};

use super::Actions;
use crate::net::{OnDisconnect, read_answer};

impl Actions {
    /// The sub-folders of a path; the empty path is the server's default folder.
    pub fn list_folder(&self, path: String, done: impl FnOnce(Result<DirectoryListing, String>) + 'static) {
        self.with_connection(|connection| {
            connection.request(
                HubCommand::ListDirectory { path }.into(),
                OnDisconnect::Fail,
                move |outcome| {
                    done(read_answer(outcome));
                },
            );
        });
    }
}
