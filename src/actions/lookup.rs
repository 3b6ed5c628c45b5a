//! Searching sessions, showing a found row, and listing the files, models and commands that the user can
//! choose from.

use std::sync::Arc;

use leptos::prelude::*;
use pilothouse_core::json::FromJson;
use pilothouse_core::protocol::event::{ModelInfo, NoticeLevel};
use pilothouse_core::protocol::{
    AgentCommand, FoundFiles, FoundRow, FoundRows, HubCommand, SearchResults, SessionCommand,
};

use super::Actions;
use super::timeline::FirstMatch;
use crate::net::{Outcome, read_answer};
use crate::routes::{self, Route};
use crate::store::server::Session;

impl Actions {
    pub fn search(&self, query: String, callback: impl FnOnce(Result<SearchResults, String>) + 'static) {
        self.request_hub(HubCommand::Search { query }, move |outcome| callback(read_answer(outcome)));
    }

    /// Opens a session and, if an entry is given, scrolls to the row that shows it.
    pub fn navigate_to_entry(&self, session_id: String, entry: Option<String>) {
        let current = self.current_session().filter(|session| session.id() == session_id);
        match (current, entry) {
            (Some(session), Some(entry)) => {
                self.client.sidebar_open.set(false);
                self.show_entry(session, entry, false);
            }
            (_, entry) => {
                let fragment = entry.map(|entry| routes::entry_fragment(&entry));
                self.navigate_to_fragment(Route::Session(session_id), fragment, false);
            }
        }
    }

    /// Shows the row or entry that the fragment of the address names, if it names one.
    pub fn show_fragment(&self, session: Session, fragment: &str) {
        if let Some(position) = routes::parse_message_fragment(fragment) {
            self.show_row(session, position, FirstMatch::default());
        } else if let Some(entry) = routes::parse_entry_fragment(fragment) {
            // The address of the entry leads on to its branch: going back must not end up here again.
            self.show_entry(session, entry, true);
        }
    }

    /// Asks the server which row shows an entry, and scrolls to that row. If it is on another branch, that is opened.
    fn show_entry(&self, session: Session, entry: String, replace: bool) {
        let actions = *self;
        self.request_in_session(session, SessionCommand::FindRow { entry }, move |session, outcome| {
            match read_answer::<FoundRow>(outcome) {
                Ok(FoundRow { row, branch: None }) => {
                    actions.load_and_show_row(session, row, FirstMatch::default());
                }
                Ok(FoundRow { row, branch: Some(leaf) }) => {
                    let route = Route::Branch { session: session.id(), leaf };
                    actions.navigate_to_fragment(route, Some(routes::message_fragment(row)), replace);
                }
                Err(error) => session.notify(NoticeLevel::Warning, error),
            }
        });
    }

    /// Finds the positions of a session's rows that contain the query.
    pub fn find_rows(
        &self,
        session: Session,
        query: String,
        callback: impl FnOnce(Result<FoundRows, String>) + 'static,
    ) {
        self.request(&session.id(), SessionCommand::FindRows { query }, move |outcome| {
            callback(read_answer(outcome))
        });
    }

    /// Scrolls to a row of the current session, and loads it first if necessary.
    pub fn show_row(&self, session: Session, position: usize, first_match: FirstMatch) {
        if position > session.first() && session.row_id_at(position).is_none() {
            let text = "Message not found in this conversation.";
            return session.notify(NoticeLevel::Warning, text.to_owned());
        }
        self.load_and_show_row(session, position, first_match);
    }

    fn load_and_show_row(&self, session: Session, position: usize, first_match: FirstMatch) {
        let (timeline, key) = (self.timeline, session.key());
        let show = move |is_loaded: bool| {
            if is_loaded {
                timeline.show_row(&key, position, first_match);
            }
        };
        self.load_rows_back_to(session, position, Box::new(show));
    }

    /// Loads earlier rows, page by page, until the row at this position is loaded. The callback receives
    /// whether it is.
    pub fn load_rows_back_to(&self, session: Session, position: usize, callback: Box<dyn FnOnce(bool)>) {
        if session.row_id_at(position).is_some() {
            return callback(true);
        }
        let (actions, first) = (*self, session.first());
        if position > first {
            return callback(false);
        }
        self.load_earlier_rows(session, move || {
            // Stop if the last request has loaded no rows.
            match session.is_alive() && session.first() < first {
                true => actions.load_rows_back_to(session, position, callback),
                false => callback(false),
            }
        });
    }

    /// Finds the paths in the session's folder that match the query. There are none if the request fails.
    pub fn find_files(&self, session: Session, query: String, callback: impl FnOnce(Vec<String>) + 'static) {
        self.request(&session.id(), SessionCommand::FindFiles { query }, move |outcome| {
            callback(read_answer::<FoundFiles>(outcome).unwrap_or_default().paths);
        });
    }

    pub fn list_models(
        &self,
        session: Session,
        callback: impl FnOnce(Result<Vec<ModelInfo>, String>) + 'static,
    ) {
        self.request(&session.id(), SessionCommand::GetAvailableModels, move |outcome| {
            callback(read_list(outcome, "models"))
        });
    }

    pub fn set_model(&self, session: Session, provider: String, model_id: String) {
        let actions = *self;
        let then = move || {
            let (provider, model_id) = (provider.clone(), model_id.clone());
            actions.send_command(&session.id(), SessionCommand::SetModel { provider, model_id });
        };
        self.unless_elsewhere(&session.id(), Arc::new(then));
    }

    pub fn list_commands(
        &self,
        session: Session,
        callback: impl FnOnce(Result<Vec<AgentCommand>, String>) + 'static,
    ) {
        self.request(&session.id(), SessionCommand::GetCommands, move |outcome| {
            callback(read_list(outcome, "commands"))
        });
    }
}

/// Deserializes the list under `key` in the data of a response.
fn read_list<T: FromJson>(outcome: Outcome, key: &str) -> Result<Vec<T>, String> {
    let list =
        outcome.map_err(|error| error.message)?.get_mut(key).map(serde_json::Value::take).unwrap_or_default();
    read_answer(Ok(list))
}
