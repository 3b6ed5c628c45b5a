//! Opening and creating sessions, answering their asks, and changing their settings.

use std::sync::Arc;

use leptos::prelude::*;
use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::protocol::{AgentInfo, ErrorCode, HubCommand, SessionCommand};
use pilothouse_core::{Mark, MessageController};

use super::{Actions, add_error_row};
use crate::net::read_answer;
use crate::routes::Route;
use crate::store::server::{Loading, Session, Setting};
use crate::widgets::popover::close_popover;

impl Actions {
    /// Returns the session to show, and requests its content from the server unless it is loaded.
    pub fn open(&self, id: &str) -> Session {
        let (session, evicted) = self.server.show(id);
        for id in evicted {
            self.request_hub(HubCommand::CloseSession { session_id: id }, drop);
        }
        if session.loading.with_untracked(|loading| *loading != Loading::Ready) {
            session.loading.set(Loading::Waiting);
            self.request_snapshot(id);
        }
        session
    }

    /// Requests a session's snapshot. While disconnected this has no effect: `load_current_session` runs after the next
    /// hello.
    pub(super) fn request_snapshot(&self, id: &str) {
        let (actions, session_id) = (*self, id.to_owned());
        let command = HubCommand::OpenSession { session_id: id.to_owned() };
        self.request_hub(command, move |outcome| {
            // A request that fails with the connection says nothing about the session.
            if let Err(error) = outcome
                && error.code != ErrorCode::ConnectionLost
                && let Some(session) = actions.server.opened(&session_id)
            {
                session.loading.set(Loading::Missing(error));
            }
        });
    }

    /// Requests the content of a session that was opened while there was no connection.
    pub(super) fn load_current_session(&self) {
        let route = self.route.get_untracked();
        if let Some(session) = route.session_id().and_then(|id| self.server.opened(id))
            && session.loading.with_untracked(|loading| *loading != Loading::Ready)
        {
            self.request_snapshot(&session.id());
        }
    }

    /// Creates a session of the demo agent if there is no other agent, no session, and no other address was
    /// opened.
    pub(super) fn start_demo_session(&self) {
        let only_demo = |agents: &Vec<AgentInfo>| match agents.as_slice() {
            [agent] if agent.demo => Some(agent.name.clone()),
            _ => None,
        };
        let no_sessions = self.server.sessions().with_untracked(Vec::is_empty);
        let on_new_screen = self.route.get_untracked() == Route::New;
        let demo = self.server.agents.with_untracked(only_demo);
        if let Some(demo) = demo.filter(|_| no_sessions && on_new_screen) {
            // If it fails, the form of the new-session screen offers the same choice.
            self.create_session(demo, self.server.default_cwd.get_untracked(), drop);
        }
    }

    /// Creates a session and navigates to it. `on_error` receives the message if it fails.
    pub fn create_session(&self, agent: String, cwd: String, on_error: impl FnOnce(String) + 'static) {
        let actions = *self;
        let created = move |result| match result {
            Ok(id) => actions.navigate_to(Route::Session(id)),
            Err(error) => on_error(error),
        };
        self.request_new_session(HubCommand::NewSession { agent, cwd }, Box::new(created));
    }

    /// Answers an ask. `on_error` receives the message if the server refuses the answer.
    pub fn answer(&self, session_id: &str, answer: SessionCommand, on_error: impl FnOnce(String) + 'static) {
        self.request(session_id, answer, move |outcome| {
            if let Err(error) = outcome {
                on_error(error.message);
            }
        });
    }

    /// Sends again what failed. A refused message is sent with it, so its row and its copy in the composer go.
    pub fn retry(&self, session: Session) {
        let actions = *self;
        self.unless_elsewhere(&session.id(), Arc::new(move || actions.retry_now(session)));
    }

    fn retry_now(&self, session: Session) {
        let client = self.client;
        self.request_in_session(session, SessionCommand::Retry, move |session, outcome| match outcome {
            Ok(_) => {
                let id = session.id();
                let is_refused = |text: &str| {
                    session.with_rows(|rows| {
                        rows.iter().any(|row| row.mark == Some(Mark::Refused) && row.text == text.trim())
                    })
                };
                if client.drafts.of(&id).with_untracked(|draft| is_refused(draft)) {
                    client.drafts.set(&id, String::new());
                    client.drafts.save();
                    client.attachments.clear(&id);
                }
                session.edit(MessageController::remove_refusals);
                session.update_signals();
            }
            Err(error) => add_error_row(session, error.message),
        });
    }

    pub fn resume(&self, session: Session) {
        let actions = *self;
        let then = move || {
            actions.send_or_add_error_row(session, SessionCommand::ResumeSession);
        };
        self.unless_elsewhere(&session.id(), Arc::new(then));
    }

    /// Changes a setting and shows it at once. If the server refuses it, the old value and a notice are shown.
    pub fn set_setting(&self, session: Session, setting: Setting, value: String) {
        let actions = *self;
        let then = move || {
            actions.set_setting_now(session, setting.clone(), value.clone());
        };
        self.unless_elsewhere(&session.id(), Arc::new(then));
    }

    fn set_setting_now(&self, session: Session, setting: Setting, value: String) {
        session.request_setting(setting.clone(), Some(value.clone()));
        let (command, name) = match &setting {
            Setting::ThinkingLevel => {
                (SessionCommand::SetThinkingLevel { level: value }, "the thinking level")
            }
            Setting::Mode => (SessionCommand::SetMode { mode: value }, "the mode"),
            Setting::Option(id) => (SessionCommand::SetOption { option_id: id.clone(), value }, "the option"),
        };
        self.request_in_session(session, command, move |session, outcome| {
            if let Err(error) = outcome {
                session.request_setting(setting, None);
                session.notify(NoticeLevel::Warning, format!("Couldn't change {name}: {}", error.message));
            }
        });
    }

    /// Sets which approvals are answered automatically. `remember` sets or removes the level of new sessions in the
    /// folder. It is shown only once the server has confirmed it.
    pub fn set_auto_approve(&self, session: Session, level: AutoApprove, remember: Option<bool>) {
        let announced = self.client.announced;
        let command = SessionCommand::SetAutoApprove { level, remember };
        self.request_in_session(session, command, move |session, outcome| match outcome {
            Ok(_) => announced.set(format!("Auto-approve: {}", level.label())),
            Err(error) => {
                // The panel shows the level that was chosen.
                close_popover();
                session
                    .notify(NoticeLevel::Warning, format!("Couldn't change auto-approve: {}", error.message));
            }
        });
    }

    /// Makes the agent log in. The callback receives why it failed, if it did.
    pub fn log_in(&self, session: Session, method: String, callback: impl FnOnce(Option<String>) + 'static) {
        self.request(&session.id(), SessionCommand::LogIn { method }, move |outcome| {
            callback(outcome.err().map(|error| error.message));
        });
    }

    /// Loads the page of rows before the loaded ones. Runs `callback` afterwards, also if that failed.
    pub fn load_earlier_rows(&self, session: Session, callback: impl FnOnce() + 'static) {
        let (before, limit) = (session.first(), Some(PAGE_ROWS));
        let command = match session.branch() {
            Some(leaf) => SessionCommand::GetBranch { leaf, before: Some(before), limit },
            None => SessionCommand::GetMessages { before, limit },
        };
        self.request(&session.id(), command, move |outcome| {
            let page = read_answer(outcome);
            if session.is_alive() {
                match page {
                    Ok(page) => session.prepend(page),
                    Err(error) => add_error_row(session, error),
                }
            }
            callback();
        });
    }
}
