//! Finding: words in all sessions, the place where they stand, and what an agent offers to choose from.

use leptos::prelude::*;
use pilothouse_core::protocol::event::{ModelInfo, NoticeLevel};
use pilothouse_core::protocol::{
    AgentCommand, FoundFiles, FoundRows, HubCommand, SearchResults, SessionCommand,
};
use serde::de::DeserializeOwned;

use super::Actions;
use super::timeline::FirstMatch;
use crate::net::{Outcome, read_answer};
use crate::routes::{self, Route};
use crate::store::server::Session;

impl Actions {
    pub fn search(&self, query: String, done: impl FnOnce(Result<SearchResults, String>) + 'static) {
        self.ask_hub(HubCommand::Search { query }, move |outcome| done(read_answer(outcome)));
    }

    /// Opens a session at an entry that was found; without an entry, just the session.
    pub fn go_to(&self, session_id: String, entry: Option<String>) {
        let open = self.current().filter(|session| session.id() == session_id);
        match (open, entry) {
            (Some(session), Some(entry)) => {
                self.client.sidebar_open.set(false);
                self.show_entry(session, entry);
            }
            (_, entry) => {
                let fragment = entry.map(|entry| routes::entry_fragment(&entry));
                self.go_to_fragment(Route::Session(session_id), fragment);
            }
        }
    }

    /// Shows the row or entry that the fragment of the address names, if it names one.
    pub fn show_fragment(&self, session: Session, fragment: &str) {
        if let Some(position) = routes::parse_message_fragment(fragment) {
            self.show_row(session, position, FirstMatch::default());
        } else if let Some(entry) = routes::parse_entry_fragment(fragment) {
            self.show_entry(session, entry);
        }
    }

    fn show_entry(&self, session: Session, entry: String) {
        let (timeline, id) = (self.timeline, session.id());
        self.find_row(session, entry, move |position| {
            timeline.show_row(&id, position, FirstMatch::default());
        });
    }

    /// Finds the place of the row that shows an entry, and fetches what is before the rows held until it is there.
    pub fn find_row(&self, session: Session, entry: String, found: impl FnOnce(usize) + 'static) {
        let actions = *self;
        self.ask_in(session, SessionCommand::FindRow { entry }, move |session, outcome| {
            let row = outcome.map_err(|error| error.message).and_then(|data| {
                let row = data.get("row").and_then(serde_json::Value::as_u64);
                row.and_then(|row| usize::try_from(row).ok())
                    .ok_or_else(|| "This place is no longer part of the conversation.".to_owned())
            });
            match row {
                Ok(row) => actions.fetch_until(session, row, Box::new(|row| _ = row.map(found))),
                Err(error) => session.notify(NoticeLevel::Warning, error),
            }
        });
    }

    /// The rows of a session that have certain words, by their place.
    pub fn find_rows(
        &self,
        session: Session,
        query: String,
        done: impl FnOnce(Result<FoundRows, String>) + 'static,
    ) {
        self.ask(&session.id(), SessionCommand::FindRows { query }, move |outcome| {
            done(read_answer(outcome))
        });
    }

    /// Brings the reader to a row of the session that is shown.
    pub fn show_row(&self, session: Session, position: usize, first_match: FirstMatch) {
        if position > session.first() && session.row_id_at(position).is_none() {
            let text = "This message is not part of the conversation.";
            return session.notify(NoticeLevel::Warning, text.to_owned());
        }
        let (timeline, id) = (self.timeline, session.id());
        let show = move |position: Option<usize>| {
            if let Some(position) = position {
                timeline.show_row(&id, position, first_match);
            }
        };
        self.fetch_until(session, position, Box::new(show));
    }

    /// Has the rows of a session fetched back to this place, which is told when it is there, or none if it cannot be.
    pub fn fetch_until(&self, session: Session, row: usize, done: Box<dyn FnOnce(Option<usize>)>) {
        if session.row_id_at(row).is_some() {
            return done(Some(row));
        }
        let (actions, id, first) = (*self, session.id(), session.first());
        if row > first {
            return done(None);
        }
        self.show_earlier(session, move || {
            // Where nothing came, nothing will.
            match actions.server.opened(&id).filter(|session| session.first() < first) {
                Some(session) => actions.fetch_until(session, row, done),
                None => done(None),
            }
        });
    }

    /// Paths of the session's folder that fit these letters; none where the server cannot tell.
    pub fn files(&self, session: Session, query: String, done: impl FnOnce(Vec<String>) + 'static) {
        self.ask(&session.id(), SessionCommand::FindFiles { query }, move |outcome| {
            done(read_answer::<FoundFiles>(outcome).unwrap_or_default().paths);
        });
    }

    pub fn models(&self, session: Session, done: impl FnOnce(Result<Vec<ModelInfo>, String>) + 'static) {
        let id = session.id();
        self.ask(&id, SessionCommand::GetAvailableModels, move |outcome| done(list_in(outcome, "models")));
    }

    pub fn set_model(&self, session: Session, provider: String, model_id: String) {
        self.order(&session.id(), SessionCommand::SetModel { provider, model_id });
    }

    pub fn commands(&self, session: Session, done: impl FnOnce(Result<Vec<AgentCommand>, String>) + 'static) {
        self.ask(&session.id(), SessionCommand::GetCommands, move |outcome| {
            done(list_in(outcome, "commands"))
        });
    }
}

fn list_in<T: DeserializeOwned>(outcome: Outcome, key: &str) -> Result<Vec<T>, String> {
    let list =
        outcome.map_err(|error| error.message)?.get_mut(key).map(serde_json::Value::take).unwrap_or_default();
    read_answer(Ok(list))
}
