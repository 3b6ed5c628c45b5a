//! Listing folders for the folder picker of the new-session form.

use pilothouse_core::protocol::{DirectoryListing, HubCommand};

use super::Actions;
use crate::net::read_answer;

impl Actions {
    /// Lists the subfolders of a path. The empty path means the server's default folder.
    pub fn list_folder(
        &self,
        path: String,
        callback: impl FnOnce(Result<DirectoryListing, String>) + 'static,
    ) {
        self.request_hub(HubCommand::ListDirectory { path }, move |outcome| callback(read_answer(outcome)));
    }
}
