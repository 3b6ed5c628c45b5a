//! Other branches of a session's file: reading one, finding the branch of a message, and continuing one in a new session.

use leptos::prelude::*;
use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::protocol::{BranchPage, Command, CommandError, ErrorCode, Forked, SessionCommand};

use super::Actions;
use crate::net::{OnDisconnect, read_answer};
use crate::routes::Route;
use crate::store::server::{Loading, Session};

impl Actions {
    /// Loads the newest rows of a branch. `callback` receives whether the session continues this branch.
    pub fn load_branch(&self, branch: Session, leaf: String, callback: impl FnOnce(bool) + 'static) {
        let (actions, id) = (*self, branch.id());
        let command = SessionCommand::GetBranch { leaf, before: None, limit: Some(PAGE_ROWS) };
        let on_answer = move |outcome: Result<_, CommandError>| {
            if !branch.is_alive() {
                return;
            }
            if let Err(error) = &outcome {
                return branch.loading.set(Loading::Missing(error.clone()));
            }
            match read_answer::<BranchPage>(outcome) {
                Ok(page) => {
                    let title = actions.server.summary(&id).map(|summary| summary.title).unwrap_or_default();
                    callback(page.current);
                    branch.show_branch(page, title);
                }
                Err(error) => {
                    branch.loading.set(Loading::Missing(CommandError::new(ErrorCode::Internal, error)));
                }
            }
        };
        let command = Command::of_session(&branch.id(), command);
        self.send(command, OnDisconnect::Resend, Box::new(on_answer));
    }

    /// Creates a session with the conversation of a branch, and navigates to it. `on_error` receives the message if it
    /// fails.
    pub fn continue_branch(&self, id: &str, leaf: String, on_error: impl FnOnce(String) + 'static) {
        let actions = *self;
        self.request(id, SessionCommand::ForkBranch { leaf }, move |outcome| {
            match read_answer::<Forked>(outcome) {
                Ok(forked) => actions.navigate_to(Route::Session(forked.session_id)),
                Err(error) => on_error(error),
            }
        });
    }
}

/// The route of the screen that shows these rows.
pub fn route_of(session: Session) -> Route {
    match session.branch() {
        Some(leaf) => Route::Branch { session: session.id(), leaf },
        None => Route::Session(session.id()),
    }
}
