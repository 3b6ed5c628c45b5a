//! The few fields of a session file's line that the index and the sidebar need. Strings are borrowed and all other
//! fields are skipped without being built. `entry` reads lines in full.

use std::borrow::Cow;
use std::fmt;

use pilothouse_core::conversation::message::StopReason;
use pilothouse_core::session::machine::Evidence;
use serde::de::{Deserialize, Deserializer, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::entry::is_abort_error;
use super::timestamp;

/// One record. A field of the wrong type counts as missing: no field makes a record unreadable.
#[derive(Debug, Default)]
pub struct Record<'a> {
    pub kind: EntryKind,
    pub id: Option<Cow<'a, str>>,
    pub parent: Parent<'a>,
    /// The time it was written, in milliseconds since 1970.
    pub time: Option<u64>,
    /// The timestamp inside the message.
    pub message_time: Option<u64>,
    /// The message's evidence for the state of the session at rest.
    pub evidence: Option<Evidence>,
    pub name: Option<Cow<'a, str>>,
    pub cwd: Option<Cow<'a, str>>,
    pub parent_session: Option<Cow<'a, str>>,
    /// The agent's own id of a session that the server recorded.
    pub agent_session: Option<Cow<'a, str>>,
    /// The agent's id of a session that is to be loaded.
    pub import_session: Option<Cow<'a, str>>,
    /// The author of the session's name: `user`, or empty for the agent.
    pub source: Option<Cow<'a, str>>,
}

/// The previous entry in the branch.
#[derive(Debug, Default)]
pub enum Parent<'a> {
    #[default]
    Absent,
    Id(Cow<'a, str>),
    /// The field has a value that is not an id.
    Invalid,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryKind {
    /// The header.
    Session,
    Message(Role),
    CustomMessage,
    Compaction,
    BranchSummary,
    SessionInfo,
    ModelChange,
    ThinkingLevelChange,
    /// The agent's mode, in sessions that the server recorded.
    ModeChange,
    /// The agent's other options, in sessions that the server recorded.
    OptionsChange,
    /// The agent's plan, in sessions that the server recorded.
    Plan,
    /// Known to pi and never shown.
    Hidden,
    #[default]
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
    ToolResult,
    /// Shell commands, messages of extensions, summaries.
    Other,
    /// Never shown as a row.
    Hidden,
}

impl EntryKind {
    fn from_name(name: &str) -> Self {
        match name {
            "session" => Self::Session,
            "message" => Self::Message(Role::Hidden),
            "custom_message" => Self::CustomMessage,
            "compaction" => Self::Compaction,
            "branch_summary" => Self::BranchSummary,
            "session_info" => Self::SessionInfo,
            "model_change" => Self::ModelChange,
            "thinking_level_change" => Self::ThinkingLevelChange,
            "mode_change" => Self::ModeChange,
            "options_change" => Self::OptionsChange,
            "plan" => Self::Plan,
            "context_edit" | "custom" | "label" | "usage" | "agent_session" => Self::Hidden,
            _ => Self::Unknown,
        }
    }

    /// Whether this is something that the user or the model said or did. A branch without any is not shown.
    pub const fn is_said(self) -> bool {
        matches!(self, Self::Message(Role::User | Role::Assistant | Role::Other))
    }

    /// Whether entries of this kind can change the rows or the settings of the conversation.
    pub const fn is_shown(self) -> bool {
        !matches!(
            self,
            Self::Session
                | Self::Message(Role::Hidden)
                | Self::SessionInfo
                | Self::Plan
                | Self::Hidden
                | Self::Unknown
        )
    }
}

/// The fields of a message.
#[derive(Default)]
struct MessageFields {
    role: Option<Role>,
    time: Option<u64>,
    stop_reason: StopReason,
    is_abort: bool,
}

impl MessageFields {
    fn evidence(&self) -> Option<Evidence> {
        match self.role? {
            Role::User | Role::ToolResult => Some(Evidence::after_request()),
            Role::Assistant if self.is_abort && self.stop_reason == StopReason::Error => {
                Some(Evidence::after_reply(StopReason::Aborted))
            }
            Role::Assistant => Some(Evidence::after_reply(self.stop_reason)),
            Role::Other | Role::Hidden => None,
        }
    }
}

fn role_from_name(name: &str) -> Role {
    match name {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "toolResult" => Role::ToolResult,
        "bashExecution" | "custom" | "compactionSummary" | "branchSummary" | "answered" => Role::Other,
        _ => Role::Hidden,
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Record<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RecordVisitor;
        impl<'de> Visitor<'de> for RecordVisitor {
            type Value = Record<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a record of a session file")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record<'de>, A::Error> {
                let mut record = Record::default();
                let mut message = MessageFields::default();
                while let Some(FieldValue::Text(key)) = map.next_key()? {
                    match &*key {
                        "type" => {
                            record.kind = EntryKind::from_name(
                                &map.next_value::<FieldValue>()?.text().unwrap_or_default(),
                            )
                        }
                        "id" => record.id = map.next_value::<FieldValue>()?.text(),
                        "parentId" => record.parent = map.next_value::<FieldValue>()?.parent(),
                        "timestamp" => record.time = map.next_value::<FieldValue>()?.time(),
                        "message" => message = map.next_value::<FieldValue>()?.message(),
                        "name" => record.name = map.next_value::<FieldValue>()?.text(),
                        "cwd" => record.cwd = map.next_value::<FieldValue>()?.text(),
                        "parentSession" => record.parent_session = map.next_value::<FieldValue>()?.text(),
                        "agentSessionId" => record.agent_session = map.next_value::<FieldValue>()?.text(),
                        "importSessionId" => record.import_session = map.next_value::<FieldValue>()?.text(),
                        "source" => record.source = map.next_value::<FieldValue>()?.text(),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                if matches!(record.kind, EntryKind::Message(_)) {
                    record.kind = EntryKind::Message(message.role.unwrap_or(Role::Hidden));
                    record.message_time = message.time;
                    record.evidence = message.evidence();
                }
                Ok(record)
            }
        }
        deserializer.deserialize_map(RecordVisitor)
    }
}

/// The value of a field as far as it matters here; the content of anything else is skipped.
enum FieldValue<'a> {
    Text(Cow<'a, str>),
    Number(u64),
    Message(MessageFields),
    Null,
    Other,
}

impl<'a> FieldValue<'a> {
    fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Accepts ISO 8601 text and milliseconds since 1970.
    fn time(self) -> Option<u64> {
        match self {
            Self::Text(text) => timestamp::parse_unix_ms(&text),
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    fn message(self) -> MessageFields {
        match self {
            Self::Message(message) => message,
            _ => MessageFields::default(),
        }
    }

    fn parent(self) -> Parent<'a> {
        match self {
            Self::Text(text) if text.is_empty() => Parent::Absent,
            Self::Text(text) => Parent::Id(text),
            Self::Null => Parent::Absent,
            _ => Parent::Invalid,
        }
    }

    fn stop_reason(self) -> StopReason {
        let text = self.text().unwrap_or_default();
        let reason: Result<StopReason, serde::de::value::Error> =
            StopReason::deserialize((&*text).into_deserializer());
        reason.unwrap_or_default()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for FieldValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldVisitor;
        impl<'de> Visitor<'de> for FieldVisitor {
            type Value = FieldValue<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("anything")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<FieldValue<'de>, E> {
                Ok(FieldValue::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<FieldValue<'de>, E> {
                Ok(FieldValue::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<FieldValue<'de>, E> {
                Ok(FieldValue::Number(number))
            }

            fn visit_i64<E>(self, _: i64) -> Result<FieldValue<'de>, E> {
                Ok(FieldValue::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<FieldValue<'de>, E> {
                Ok(FieldValue::Other)
            }

            fn visit_bool<E>(self, _: bool) -> Result<FieldValue<'de>, E> {
                Ok(FieldValue::Other)
            }

            fn visit_unit<E>(self) -> Result<FieldValue<'de>, E> {
                Ok(FieldValue::Null)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<FieldValue<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(FieldValue::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FieldValue<'de>, A::Error> {
                let mut message = MessageFields::default();
                while let Some(FieldValue::Text(key)) = map.next_key()? {
                    match &*key {
                        "role" => {
                            message.role =
                                map.next_value::<FieldValue>()?.text().map(|name| role_from_name(&name))
                        }
                        "timestamp" => message.time = map.next_value::<FieldValue>()?.time(),
                        "stopReason" => message.stop_reason = map.next_value::<FieldValue>()?.stop_reason(),
                        "errorMessage" => {
                            let text = map.next_value::<FieldValue>()?.text();
                            message.is_abort = text.is_some_and(|text| is_abort_error(&text));
                        }
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(FieldValue::Message(message))
            }
        }
        deserializer.deserialize_any(FieldVisitor)
    }
}
