//! Properties of a session file as a whole, independent of the active branch: its header, its name, its title.

use pilothouse_core::conversation::message::{Content, Message};
use pilothouse_core::conversation::plan::PlanStep;
use pilothouse_core::render::describe::title_from;

use super::entry::{EntryContent, parse_object, read_entry};
use super::record::{EntryKind, Role};
use super::records::FoundRecord;

/// The last turn of a session, in milliseconds since 1970; 0 if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastTurn {
    pub session_created: u64,
    /// The time of the user's newest message.
    pub prompted: u64,
    /// The time of the newest message of the user or the model.
    pub written: u64,
    /// The agent was at work when it wrote the newest message.
    pub is_open: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileFacts {
    pub id: String,
    pub cwd: String,
    /// The file of the session this one was forked from.
    pub parent_session: Option<String>,
    /// The time of creation, in milliseconds since 1970.
    pub created: Option<u64>,
    /// The latest name given to the session.
    pub name: Option<String>,
    /// The user gave the latest name.
    pub is_named_by_user: bool,
    /// The agent's own id of a session that the server recorded.
    pub agent_session: Option<String>,
    /// The agent's id of a session that is to be loaded: its conversation is not complete here.
    pub import: Option<String>,
    /// The agent's latest plan.
    pub plan: Vec<PlanStep>,
    /// The title made from the first user message, for a session without a name.
    default_title: String,
    /// The time of the newest message of the user or the model, in milliseconds since 1970.
    pub last_message_time: Option<u64>,
    /// The time of the user's newest message.
    pub last_user_time: Option<u64>,
    has_header: bool,
    /// The first record is not a header: this is not a session file.
    is_foreign: bool,
}

impl FileFacts {
    /// Whether this is a session file, as far as it was read.
    pub const fn is_session(&self) -> bool {
        self.has_header
    }

    /// The name of the session, or a title made from its first user message.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.default_title.clone())
    }

    /// The times by which the author of the last turn is found. `is_open` says whether the turn has ended.
    pub fn last_turn(&self, is_open: bool) -> LastTurn {
        LastTurn {
            session_created: self.created.unwrap_or_default(),
            prompted: self.last_user_time.unwrap_or_default(),
            written: self.last_message_time.unwrap_or_default(),
            is_open,
        }
    }

    /// The time of the newest message, or of the header if there is none.
    pub fn modified(&self) -> Option<u64> {
        self.last_message_time.or(self.created)
    }

    /// Adds the next record. Returns whether it is an entry of the conversation's tree.
    pub(super) fn add_record(&mut self, found: &FoundRecord<'_>) -> bool {
        let record = &found.record;
        if !self.has_header {
            self.is_foreign |= record.kind != EntryKind::Session;
            if !self.is_foreign {
                self.id = record.id.as_deref().unwrap_or_default().to_owned();
                self.cwd = record.cwd.as_deref().unwrap_or_default().to_owned();
                self.parent_session = record.parent_session.as_deref().map(str::to_owned);
                self.created = record.time;
                self.agent_session = record.agent_session.as_deref().map(str::to_owned);
                self.import = record.import_session.as_deref().map(str::to_owned);
                self.has_header = true;
            }
            return false;
        }
        match record.kind {
            EntryKind::Session => return false,
            EntryKind::SessionInfo => {
                self.name = record.name.as_deref().filter(|name| !name.is_empty()).map(str::to_owned);
                self.is_named_by_user = record.source.as_deref() == Some("user");
            }
            EntryKind::Plan => self.plan = plan_in(found.bytes),
            EntryKind::Hidden if record.agent_session.is_some() => {
                self.agent_session = record.agent_session.as_deref().map(str::to_owned);
                self.import = None;
            }
            EntryKind::Message(role @ (Role::User | Role::Assistant)) => {
                let time = record.message_time.or(record.time);
                self.last_message_time = self.last_message_time.max(time);
                if role == Role::User {
                    self.last_user_time = self.last_user_time.max(time);
                    if self.default_title.is_empty() {
                        self.default_title = title_of_user_message(found.bytes);
                    }
                }
            }
            _ => {}
        }
        true
    }
}

fn plan_in(entry: &[u8]) -> Vec<PlanStep> {
    let steps = parse_object(entry).map(|mut entry| entry["steps"].take());
    steps.and_then(|steps| serde_json::from_value(steps).ok()).unwrap_or_default()
}

fn title_of_user_message(entry: &[u8]) -> String {
    match read_entry(entry) {
        Some(EntryContent::Message(Message::User { content: Content(parts), .. })) => {
            title_from(&Content(parts).text())
        }
        _ => String::new(),
    }
}
