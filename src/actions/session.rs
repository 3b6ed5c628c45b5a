//! Opening, creating and steering sessions as a whole.

use leptos::prelude::*;
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::protocol::{AgentInfo, Command, HubCommand, SessionCommand};

use super::Actions;
use crate::browser;
use crate::net::{OnDisconnect, Outcome, read_answer};
use crate::routes::Route;
use crate::store::server::{Loading, Session};

impl Actions {
    /// The session to show; asks the server for it if need be.
    pub fn open(&self, id: &str) -> Session {
        let (session, evicted) = self.server.show(id);
        for id in evicted {
            self.ask_hub(HubCommand::CloseSession { session_id: id }, drop);
        }
        if session.loading.with_untracked(|loading| *loading != Loading::Ready) {
            session.loading.set(Loading::Waiting);
            self.reopen(id);
        }
        session
    }

    /// Asks for a snapshot. Without a connection, the welcome of the next one asks.
    pub(super) fn reopen(&self, id: &str) {
        let (actions, own_id) = (*self, id.to_owned());
        self.with_connection(|connection| {
            if !connection.is_open() {
                return;
            }
            let open = HubCommand::OpenSession { session_id: id.to_owned() };
            connection.request(open.into(), OnDisconnect::Fail, move |outcome| {
                // A lost connection says nothing about the session.
                let connected = actions.connection.get_value().is_some_and(|connection| connection.is_open());
                if let (Err(error), true, Some(session)) =
                    (outcome, connected, actions.server.opened(&own_id))
                {
                    session.loading.set(Loading::Missing(error));
                }
            });
        });
    }

    /// After a welcome: what was asked for while there was no connection.
    pub(super) fn open_what_is_missing(&self) {
        if let Some(session) = self.current()
            && session.loading.with_untracked(|loading| *loading != Loading::Ready)
        {
            self.reopen(&session.id());
        }
    }

    /// Who comes for the first time, to a place where nothing else is installed, is met by the demo.
    pub(super) fn begin_with_the_demo(&self) {
        let alone = |agents: &Vec<AgentInfo>| match agents.as_slice() {
            [agent] if agent.demo => Some(agent.name.clone()),
            _ => None,
        };
        let nothing_yet = self.server.sessions.with_untracked(Vec::is_empty);
        let asked_for = self.route.get_untracked() == Route::New;
        if let Some(demo) = self.server.agents.with_untracked(alone).filter(|_| nothing_yet && asked_for) {
            // The form stands there, with the same choice, should it not come to it.
            self.create(demo, self.server.default_cwd.get_untracked(), drop);
        }
    }

    /// Creates a session and goes there; a refusal goes to `failed` in words.
    pub fn create(&self, agent: String, cwd: String, failed: impl FnOnce(String) + 'static) {
        let actions = *self;
        self.with_connection(|connection| {
            let create = HubCommand::NewSession { agent, cwd };
            connection.request(create.into(), OnDisconnect::Fail, move |outcome| {
                let id = outcome.map_err(|error| error.message).and_then(|data| {
                    let id = data.get("session_id").and_then(|id| id.as_str()).map(str::to_owned);
                    id.ok_or_else(|| "The server did not say which session it made.".to_owned())
                });
                match id {
                    Ok(id) => actions.go(Route::Session(id)),
                    Err(error) => failed(error),
                }
            });
        });
    }

    /// Answers a question; `failed` gets the words of a refusal.
    pub fn answer(
        &self,
        session_id: &str,
        ask_id: String,
        answer: Answer,
        failed: impl FnOnce(String) + 'static,
    ) {
        self.ask(session_id, SessionCommand::Answer { ask_id, answer }, move |outcome| {
            if let Err(error) = outcome {
                failed(error.message);
            }
        });
    }

    pub fn retry(&self, session: Session) {
        self.tell(session, SessionCommand::Retry);
    }

    pub fn resume(&self, session: Session) {
        self.tell(session, SessionCommand::ResumeSession);
    }

    /// Shown at once; rolled back with a message when refused.
    pub fn set_thinking_level(&self, session: Session, level: String) {
        session.request_thinking_level(Some(level.clone()));
        self.ask_in(session, SessionCommand::SetThinkingLevel { level }, move |session, outcome| {
            if let Err(error) = outcome {
                session.request_thinking_level(None);
                session.notify(
                    NoticeLevel::Warning,
                    format!("The thinking level stays as it was: {}", error.message),
                );
            }
        });
    }

    /// The same with the way the agent works.
    pub fn set_mode(&self, session: Session, mode: String) {
        session.request_mode(Some(mode.clone()));
        self.ask_in(session, SessionCommand::SetMode { mode }, move |session, outcome| {
            if let Err(error) = outcome {
                session.request_mode(None);
                session.notify(NoticeLevel::Warning, format!("The mode stays as it was: {}", error.message));
            }
        });
    }

    /// Fetches the rows before those held; `done` is called when they are in the list.
    pub fn show_earlier(&self, session: Session, done: impl FnOnce() + 'static) {
        let (actions, id) = (*self, session.id());
        let command = SessionCommand::GetMessages { before: session.first(), limit: Some(PAGE_ROWS) };
        self.with_connection(|connection| {
            connection.request(
                Command::of_session(&id.clone(), command),
                OnDisconnect::Fail,
                move |outcome| {
                    let page = read_answer(outcome);
                    if let Some(session) = actions.server.opened(&id) {
                        match page {
                            Ok(page) => session.prepend(page),
                            Err(error) => say(session, error),
                        }
                    }
                    done();
                },
            );
        });
    }

    /// A command whose effect comes back as events; only a refusal is said.
    pub(super) fn tell(&self, session: Session, command: SessionCommand) {
        let (actions, id) = (*self, session.id());
        self.with_connection(|connection| {
            connection.request(
                Command::of_session(&id.clone(), command),
                OnDisconnect::Fail,
                move |outcome: Outcome| {
                    if let (Err(error), Some(session)) = (outcome, actions.server.opened(&id)) {
                        say(session, error.message);
                    }
                },
            );
        });
    }
}

/// A row that only this page has.
pub(super) fn say(session: Session, error: String) {
    session.edit(|controller| controller.create_error_message(&browser::unique_id(), error));
    session.update_signals();
}
