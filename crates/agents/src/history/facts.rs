//! What is true of a session file as a whole, whichever branch is shown: its header, its name, its first words.

use pilothouse_core::conversation::message::{Content, Message};
use pilothouse_core::render::describe::title_from;

use super::entry::{EntryContent, read_entry};
use super::record::{EntryKind, Role};
use super::records::FoundRecord;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileFacts {
    pub id: String,
    pub cwd: String,
    /// The file of the session this one was forked from.
    pub parent_session: Option<String>,
    /// When it was made, in milliseconds since 1970.
    pub created: Option<u64>,
    /// The name given last.
    pub name: Option<String>,
    /// The title that the first words of the person make.
    first_words: String,
    /// The newest message of the person's or the model's.
    pub spoken: Option<u64>,
    has_header: bool,
    /// The first record is no header: this is a file of something else.
    foreign: bool,
}

impl FileFacts {
    /// Whether this is a session file, as far as it was read.
    pub const fn is_session(&self) -> bool {
        self.has_header
    }

    /// The given name, else the first words.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.first_words.clone())
    }

    /// The newest message, else the header's time.
    pub fn modified(&self) -> Option<u64> {
        self.spoken.or(self.created)
    }

    /// Whether the record is an entry of the conversation's tree.
    pub(super) fn add_record(&mut self, found: &FoundRecord<'_>) -> bool {
        let record = &found.record;
        if !self.has_header {
            self.foreign |= record.kind != EntryKind::Session;
            if !self.foreign {
                self.id = record.id.as_deref().unwrap_or_default().to_owned();
                self.cwd = record.cwd.as_deref().unwrap_or_default().to_owned();
                self.parent_session = record.parent_session.as_deref().map(str::to_owned);
                self.created = record.time;
                self.has_header = true;
            }
            return false;
        }
        match record.kind {
            EntryKind::Session => return false,
            EntryKind::SessionInfo => {
                self.name = record.name.as_deref().filter(|name| !name.is_empty()).map(str::to_owned);
            }
            EntryKind::Message(role @ (Role::User | Role::Assistant)) => {
                self.spoken = self.spoken.max(record.message_time.or(record.time));
                if role == Role::User && self.first_words.is_empty() {
                    self.first_words = words(found.bytes);
                }
            }
            _ => {}
        }
        true
    }
}

fn words(entry: &[u8]) -> String {
    match read_entry(entry) {
        Some(EntryContent::Message(Message::User { content: Content(parts), .. })) => {
            title_from(&Content(parts).text())
        }
        _ => String::new(),
    }
}
