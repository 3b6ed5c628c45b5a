//! One line of a session file, looked at lightly: what it takes to find it again and to tell a session's row in the
//! sidebar. Texts are borrowed, everything else is passed over without being built. What a line says in full is read
//! by `history`.

use std::borrow::Cow;
use std::fmt;

use pilothouse_core::conversation::message::StopReason;
use pilothouse_core::session::machine::Evidence;
use serde::de::{Deserialize, Deserializer, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::entry::is_stop_in_disguise;
use super::timestamp;

/// Of a wrong type is as good as not there: no field makes a record unreadable.
#[derive(Debug, Default)]
pub struct Record<'a> {
    pub kind: EntryKind,
    pub id: Option<Cow<'a, str>>,
    pub parent: Parent<'a>,
    /// When it was written, in milliseconds since 1970.
    pub time: Option<u64>,
    /// When the message was made, as it says itself.
    pub message_time: Option<u64>,
    /// What it tells of how the session rests.
    pub evidence: Option<Evidence>,
    pub name: Option<Cow<'a, str>>,
    pub cwd: Option<Cow<'a, str>>,
    pub parent_session: Option<Cow<'a, str>>,
}

/// The entry before this one in its branch.
#[derive(Debug, Default)]
pub enum Parent<'a> {
    #[default]
    Nobody,
    Named(Cow<'a, str>),
    /// There is one, but it cannot be told which.
    Unreadable,
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
    /// Known to pi, and nothing that is shown.
    Silent,
    #[default]
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
    ToolResult,
    /// Shell commands, extensions' messages, summaries.
    Other,
    /// Gives no row, whatever it says.
    Hidden,
}

impl EntryKind {
    fn of(name: &str) -> Self {
        match name {
            "session" => Self::Session,
            "message" => Self::Message(Role::Hidden),
            "custom_message" => Self::CustomMessage,
            "compaction" => Self::Compaction,
            "branch_summary" => Self::BranchSummary,
            "session_info" => Self::SessionInfo,
            "model_change" => Self::ModelChange,
            "thinking_level_change" => Self::ThinkingLevelChange,
            "context_edit" | "custom" | "label" | "usage" => Self::Silent,
            _ => Self::Unknown,
        }
    }

    /// Whether reading it in full can change what is shown of the conversation.
    pub const fn is_shown(self) -> bool {
        !matches!(
            self,
            Self::Session | Self::Message(Role::Hidden) | Self::SessionInfo | Self::Silent | Self::Unknown
        )
    }
}

/// What is looked at of a message.
#[derive(Default)]
struct Said {
    role: Option<Role>,
    time: Option<u64>,
    stop_reason: StopReason,
    stopped: bool,
}

impl Said {
    fn evidence(&self) -> Option<Evidence> {
        match self.role? {
            Role::User | Role::ToolResult => Some(Evidence::after_request()),
            Role::Assistant if self.stopped && self.stop_reason == StopReason::Error => {
                Some(Evidence::after_reply(StopReason::Aborted))
            }
            Role::Assistant => Some(Evidence::after_reply(self.stop_reason)),
            Role::Other | Role::Hidden => None,
        }
    }
}

fn role(name: &str) -> Role {
    match name {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "toolResult" => Role::ToolResult,
        "bashExecution" | "custom" | "compactionSummary" | "branchSummary" => Role::Other,
        _ => Role::Hidden,
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Record<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Record<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a record of a session file")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record<'de>, A::Error> {
                let mut record = Record::default();
                let mut said = Said::default();
                while let Some(Scalar::Text(key)) = map.next_key()? {
                    match &*key {
                        "type" => {
                            record.kind =
                                EntryKind::of(&map.next_value::<Scalar>()?.text().unwrap_or_default())
                        }
                        "id" => record.id = map.next_value::<Scalar>()?.text(),
                        "parentId" => record.parent = map.next_value::<Scalar>()?.parent(),
                        "timestamp" => record.time = map.next_value::<Scalar>()?.time(),
                        "message" => said = map.next_value::<Scalar>()?.message(),
                        "name" => record.name = map.next_value::<Scalar>()?.text(),
                        "cwd" => record.cwd = map.next_value::<Scalar>()?.text(),
                        "parentSession" => record.parent_session = map.next_value::<Scalar>()?.text(),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                if matches!(record.kind, EntryKind::Message(_)) {
                    record.kind = EntryKind::Message(said.role.unwrap_or(Role::Hidden));
                    record.message_time = said.time;
                    record.evidence = said.evidence();
                }
                Ok(record)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// What a field can be, as far as it is looked at; whatever else stands there is passed over.
enum Scalar<'a> {
    Text(Cow<'a, str>),
    Number(u64),
    Message(Said),
    Nothing,
    Other,
}

impl<'a> Scalar<'a> {
    fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// As text or as milliseconds.
    fn time(self) -> Option<u64> {
        match self {
            Self::Text(text) => timestamp::milliseconds(&text),
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    fn message(self) -> Said {
        match self {
            Self::Message(said) => said,
            _ => Said::default(),
        }
    }

    fn parent(self) -> Parent<'a> {
        match self {
            Self::Text(text) if text.is_empty() => Parent::Nobody,
            Self::Text(text) => Parent::Named(text),
            Self::Nothing => Parent::Nobody,
            _ => Parent::Unreadable,
        }
    }

    fn stop_reason(self) -> StopReason {
        let text = self.text().unwrap_or_default();
        let reason: Result<StopReason, serde::de::value::Error> =
            StopReason::deserialize((&*text).into_deserializer());
        reason.unwrap_or_default()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Scalar<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("anything")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Number(number))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Other)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Other)
            }

            fn visit_unit<E>(self) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Nothing)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Scalar::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar<'de>, A::Error> {
                let mut said = Said::default();
                while let Some(Scalar::Text(key)) = map.next_key()? {
                    match &*key {
                        "role" => said.role = map.next_value::<Scalar>()?.text().map(|name| role(&name)),
                        "timestamp" => said.time = map.next_value::<Scalar>()?.time(),
                        "stopReason" => said.stop_reason = map.next_value::<Scalar>()?.stop_reason(),
                        "errorMessage" => {
                            let text = map.next_value::<Scalar>()?.text();
                            said.stopped = text.is_some_and(|text| is_stop_in_disguise(&text));
                        }
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Scalar::Message(said))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
