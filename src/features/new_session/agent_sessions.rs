//! Sessions that only the chosen agent knows, to continue one of them here.

use std::cell::Cell;

use leptos::prelude::*;
use pilothouse_core::protocol::{AgentInfo, AgentSession};
use web_sys::Element;

use super::agent_choice::title_of;
use crate::actions::Actions;
use crate::dom::build::{button, disclosure, on, progress, with_attributes};
use crate::dom::element::{append, clear, set, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::features::sidebar::session_label::title_or_placeholder;
use crate::reactive::memo;
use crate::routes::Route;
use crate::widgets::lazy_part;
use crate::widgets::lazy_part::lazy_part;
use crate::widgets::relative_time::relative_time;

/// The list of one agent.
#[derive(Clone, Copy)]
struct AgentList {
    actions: Actions,
    agent: StoredValue<String>,
    folder: Memo<String>,
    /// None until the first page has arrived.
    sessions: RwSignal<Option<Vec<AgentSession>>>,
    next_cursor: RwSignal<Option<String>>,
    /// The work in progress.
    busy: RwSignal<Option<String>>,
    problem: RwSignal<Option<String>>,
    /// The id of the session whose import failed.
    failed: RwSignal<Option<String>>,
    /// The number of requests. The reply to a request that was cancelled is ignored.
    requests: RwSignal<u64>,
}

/// A disclosure with the agent's sessions, if the agent lists them. Those of the chosen folder come first.
pub fn agent_sessions(place: &Element, actions: Actions, agent: Memo<String>, folder: Memo<String>) {
    let frame = with_class("div", "contents");
    append(place, &frame);
    let listed = memo(move || {
        let lists = |agents: &Vec<AgentInfo>| {
            let agent = agents.iter().find(|info| agent.with(|name| info.name == *name))?;
            agent.lists_sessions.then(|| (agent.name.clone(), title_of(agent).to_owned()))
        };
        actions.server.agents.with(lists)
    });
    render_effect(Box::new(move || {
        clear(&frame);
        if let Some((name, title)) = listed.get() {
            let list = AgentList {
                actions,
                agent: StoredValue::new(name),
                folder,
                sessions: RwSignal::new(None),
                next_cursor: RwSignal::new(None),
                busy: RwSignal::new(None),
                problem: RwSignal::new(None),
                failed: RwSignal::new(None),
                requests: RwSignal::new(0),
            };
            append(&frame, &list.disclosure(&format!("Continue a session of {title}…")));
        }
    }));
}

lazy_part!(list_builder in agent_sessions: fn(AgentList, &Element) = AgentList::build);

impl AgentList {
    /// A disclosure whose content is loaded when it is first opened.
    fn disclosure(self, summary: &str) -> Element {
        let details = disclosure("more agent-sessions", summary);
        let content = with_class("div", "");
        append(&details, &content);
        let (owner, was_opened) = (Owner::current().unwrap_or_default(), Cell::new(false));
        on(&details, "toggle", move |_| {
            if !was_opened.replace(true) {
                let build = move |build: fn(Self, &Element), place: &Element| build(self, place);
                owner.with(|| lazy_part::show(&content, list_builder, build));
            }
        });
        details
    }

    fn build(self, content: &Element) {
        self.load();
        if let Some(details) = content.parent_element() {
            on(&details, "toggle", move |_| {
                if self.sessions.with_untracked(Option::is_none) && self.busy.get_untracked().is_none() {
                    self.load();
                }
            });
        }
        let content = content.clone();
        render_effect(Box::new(move || {
            clear(&content);
            let problem = self.problem.get();
            if let Some(sessions) = self.sessions.get() {
                let (here, elsewhere) = self.folder.with(|folder| by_folder(sessions, folder));
                let both = !here.is_empty() && !elsewhere.is_empty();
                if here.is_empty() && elsewhere.is_empty() {
                    append(&content, &with_text("p", "faint", "No sessions to continue."));
                }
                for (heading, sessions) in [("In this folder", here), ("In other folders", elsewhere)] {
                    if both {
                        append(&content, &with_text("h2", "form-label", heading));
                    }
                    sessions.into_iter().for_each(|session| append(&content, &self.entry(session)));
                }
            }
            if let Some(problem) = &problem {
                let line = with_text("p", "problem", problem);
                set(&line, "role", "alert");
                append(&content, &line);
            }
            if let Some(words) = self.busy.get() {
                append(&content, &progress(&words, move || self.cancel()));
            } else if self.next_cursor.with(Option::is_some) || problem.is_some() {
                let label = if problem.is_some() { "Try again" } else { "Show more" };
                let act = move || self.retry();
                append(&content, &button("button quiet", None, label, act));
            }
        }));
    }

    fn entry(self, session: AgentSession) -> Element {
        let now = self.actions.client.now.get_untracked();
        let time = session.modified.map(|modified| relative_time(modified, now)).unwrap_or_default();
        let entry = with_attributes("button", &[("type", "button"), ("class", "folder-entry")]);
        set(&entry, "data-agent-session", &session.id);
        for part in [
            &with_text("span", "agent-session-title", &title_or_placeholder(&session.title)),
            &with_text("span", "faint agent-session-folder", &session.cwd),
            &with_text("span", "faint", &time),
        ] {
            append(&entry, part);
        }
        on(&entry, "click", move |_| self.import(&session));
        entry
    }

    /// Continues a session here.
    fn import(self, session: &AgentSession) {
        if self.busy.get_untracked().is_some() {
            return;
        }
        let request = self.begin("Loading the session…");
        let id = session.id.clone();
        self.actions.import_session(
            self.agent.get_value(),
            session.clone(),
            move |imported| match imported {
                _ if !self.end(request) => {}
                Ok(id) => self.actions.navigate_to(Route::Session(id)),
                Err(error) => {
                    self.failed.set(Some(id));
                    self.problem.set(Some(error));
                }
            },
        );
    }

    /// Repeats the import that failed, or loads the first or the next page.
    fn retry(self) {
        let failed = self.failed.get_untracked();
        let sessions = self.sessions.get_untracked().unwrap_or_default();
        match sessions.iter().find(|session| failed.as_ref() == Some(&session.id)) {
            Some(session) => self.import(session),
            None => self.load(),
        }
    }

    /// Loads the first or the next page.
    fn load(self) {
        let request = self.begin("Loading…");
        let cursor = self.next_cursor.get_untracked();
        let is_first = cursor.is_none();
        self.actions.list_agent_sessions(self.agent.get_value(), cursor, move |page| {
            if !self.end(request) {
                return;
            }
            match page {
                Ok(page) => {
                    self.next_cursor.set(page.next_cursor);
                    let mut sessions =
                        self.sessions.get_untracked().filter(|_| !is_first).unwrap_or_default();
                    sessions.extend(page.sessions);
                    self.sessions.set(Some(sessions));
                }
                Err(error) => self.problem.set(Some(error)),
            }
        });
    }

    /// Begins a request and returns its number.
    fn begin(self, words: &str) -> u64 {
        let request = self.requests.get_untracked() + 1;
        self.requests.set(request);
        self.failed.set(None);
        self.problem.set(None);
        self.busy.set(Some(words.to_owned()));
        request
    }

    /// Ends a request. Returns false if it was cancelled, or if the list is gone.
    fn end(self, request: u64) -> bool {
        let is_current = self.requests.try_get_untracked() == Some(request);
        if is_current {
            self.busy.set(None);
        }
        is_current
    }

    fn cancel(self) {
        self.requests.set(self.requests.get_untracked() + 1);
        // With a list, the user chooses again from it.
        self.problem.set(self.sessions.with_untracked(Option::is_none).then(|| "Cancelled.".to_owned()));
        self.busy.set(None);
    }
}

/// The sessions of a folder and all others, each in their order.
fn by_folder(sessions: Vec<AgentSession>, folder: &str) -> (Vec<AgentSession>, Vec<AgentSession>) {
    let folder = folder.trim_end_matches('/');
    sessions.into_iter().partition(|session| session.cwd.trim_end_matches('/') == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_the_chosen_folder_come_first() {
        let session =
            |id: &str, cwd: &str| AgentSession { id: id.into(), cwd: cwd.into(), ..AgentSession::default() };
        let sessions = vec![session("1", "/a"), session("2", "/b/"), session("3", "/b/c")];
        let (here, elsewhere) = by_folder(sessions, "/b");
        let ids = |sessions: Vec<AgentSession>| -> Vec<String> {
            sessions.into_iter().map(|session| session.id).collect()
        };
        assert_eq!((ids(here), ids(elsewhere)), (vec!["2".to_owned()], vec!["1".to_owned(), "3".to_owned()]));
    }
}
