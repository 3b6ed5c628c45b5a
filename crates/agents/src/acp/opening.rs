//! Opening a session: what the agent says of itself, the request that opens the session, and what follows a refusal.
//! Decides only; the connection sends the requests.

use pilothouse_core::json::Object;
use pilothouse_core::protocol::{Capabilities, Login, LoginMethod};
use serde_json::{Value, json};

use super::rpc::RpcError;
use super::{PROTOCOL_VERSION, login};
use crate::connection::Open;

#[derive(Debug)]
pub(super) struct Opening {
    /// The command that started the agent, for login methods that run it in a terminal.
    program: Vec<String>,
    session: Open,
    abilities: Abilities,
    login_methods: Vec<LoginMethod>,
}

/// The agent's abilities, from its answer to `initialize`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Abilities {
    pub(super) load: bool,
    pub(super) resume: bool,
    pub(super) list: bool,
    pub(super) close: bool,
    pub(super) delete: bool,
    pub(super) set_title: bool,
    pub(super) steering: bool,
}

/// The agent's name and version.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Introduction {
    pub(super) title: Option<String>,
    pub(super) version: Option<String>,
}

/// The next step towards an open session.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// No session is needed.
    Ready,
    New {
        folder: String,
    },
    /// A new session in place of one that the agent does not continue, for this reason.
    Replace {
        folder: String,
        reason: String,
    },
    Resume {
        session_id: String,
        folder: String,
    },
    Load {
        session_id: String,
        folder: String,
    },
    Fail(String),
}

impl Opening {
    pub(super) fn new(program: Vec<String>) -> Self {
        let (abilities, login_methods) = (Abilities::default(), Vec::new());
        Self { program, session: Open::Nothing, abilities, login_methods }
    }

    /// Begins to open a session. Returns the parameters of `initialize`.
    pub(super) fn begin(&mut self, session: Open) -> Value {
        self.session = session;
        json!({
            "protocolVersion": PROTOCOL_VERSION,
            "clientCapabilities": {
                // Agents have files and terminals of their own; through us they would gain nothing.
                "fs": {"readTextFile": false, "writeTextFile": false},
                "terminal": false,
                "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
                "elicitation": {"form": {}, "url": {}},
                "auth": {"terminal": true},
                "subagents": {},
                "_meta": {"terminal_output": true},
            },
            "clientInfo": {"name": "pilothouse", "title": "Pilothouse", "version": env!("CARGO_PKG_VERSION")},
        })
    }

    /// Reads the answer to `initialize`, also into the capabilities known so far. Returns the reason if the agent cannot
    /// be used.
    pub(super) fn introduced(
        &mut self,
        result: Value,
        capabilities: &mut Capabilities,
    ) -> Result<Introduction, String> {
        let mut result = Object::of(result).unwrap_or_default();
        let version = result.number("protocolVersion");
        if version != PROTOCOL_VERSION {
            return Err(format!(
                "The agent speaks version {version} of the Agent Client Protocol, but Pilothouse supports only version \
                 {PROTOCOL_VERSION}. Install another version of the agent."
            ));
        }
        let mut agent = result.object("agentCapabilities");
        let mut sessions = agent.object("sessionCapabilities");
        let has = |sessions: &mut Object, key: &str| sessions.take(key).is_object();
        self.abilities = Abilities {
            load: agent.flag("loadSession"),
            resume: has(&mut sessions, "resume"),
            list: has(&mut sessions, "list"),
            close: has(&mut sessions, "close"),
            delete: has(&mut sessions, "delete"),
            set_title: has(&mut sessions, "title"),
            steering: result.object("_meta").object("steering").flag("supported"),
        };
        self.login_methods = login::methods(result.take("authMethods"), &self.program);
        capabilities.images = agent.object("promptCapabilities").flag("image");
        capabilities.resume = self.abilities.load || self.abilities.resume;
        capabilities.list_sessions = self.abilities.list;
        capabilities.mid_turn = self.abilities.steering;
        let mut info = result.object("agentInfo");
        let (title, version) = (info.optional_text("title"), info.optional_text("version"));
        Ok(Introduction { title: title.or_else(|| info.optional_text("name")), version })
    }

    pub(super) const fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// Whether a session that only the agent knows is loaded, with its conversation.
    pub(super) const fn is_import(&self) -> bool {
        matches!(self.session, Open::Import { .. })
    }

    /// The request that opens the session. A resumed session is not replayed, so it is preferred.
    pub(super) fn first_step(&self) -> Step {
        let Abilities { load, resume, .. } = self.abilities;
        match self.session.clone() {
            Open::Nothing => Step::Ready,
            Open::New { folder } => Step::New { folder },
            Open::Stored { session_id, folder } if resume => Step::Resume { session_id, folder },
            Open::Stored { session_id, folder } | Open::Import { session_id, folder } if load => {
                Step::Load { session_id, folder }
            }
            Open::Import { session_id, folder } if resume => Step::Resume { session_id, folder },
            Open::Stored { folder, .. } => Step::Replace { folder, reason: String::new() },
            Open::Import { .. } => Step::Fail("The agent can't continue earlier sessions.".to_owned()),
        }
    }

    /// The step after the agent has refused to continue a session, by any error: it may have forgotten the session.
    pub(super) fn step_after(&self, error: &RpcError, by_resume: bool) -> Step {
        match self.session.clone() {
            Open::Stored { session_id, folder } if by_resume && self.abilities.load => {
                Step::Load { session_id, folder }
            }
            Open::Stored { folder, .. } => Step::Replace { folder, reason: error.text() },
            _ => Step::Fail(error.text()),
        }
    }

    /// The login that the agent needs, with its methods.
    pub(super) fn login(&self, message: String) -> Login {
        Login { message, methods: self.login_methods.clone() }
    }

    pub(super) fn has_login_method(&self, id: &str) -> bool {
        self.login_methods.iter().any(|known| known.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(session: Open, capabilities: Value) -> Opening {
        let mut opening = Opening::new(Vec::new());
        opening.begin(session);
        let result = json!({"protocolVersion": 1, "agentCapabilities": capabilities});
        opening.introduced(result, &mut Capabilities::default()).unwrap();
        opening
    }

    #[test]
    fn a_stored_session_is_resumed_else_loaded_else_replaced() {
        let (session_id, folder) = ("s".to_owned(), "/f".to_owned());
        let stored = || Open::Stored { session_id: session_id.clone(), folder: folder.clone() };
        let both = json!({"loadSession": true, "sessionCapabilities": {"resume": {}}});
        let error = || RpcError::default();
        let resume = Step::Resume { session_id: session_id.clone(), folder: folder.clone() };
        let load = Step::Load { session_id: session_id.clone(), folder: folder.clone() };
        let opening_of_both = opening(stored(), both);
        assert_eq!(opening_of_both.first_step(), resume);
        assert_eq!(opening_of_both.step_after(&error(), true), load);
        let replace = opening_of_both.step_after(&error(), false);
        assert!(matches!(replace, Step::Replace { reason, .. } if !reason.is_empty()));
        let replace = opening(stored(), json!({})).first_step();
        assert_eq!(replace, Step::Replace { folder: folder.clone(), reason: String::new() });
        // A session that only the agent knows is never replaced by an empty one.
        let import = Open::Import { session_id, folder };
        let importing = opening(import.clone(), json!({"loadSession": true}));
        assert_eq!(importing.first_step(), load);
        assert!(matches!(importing.step_after(&error(), false), Step::Fail(_)));
        assert!(matches!(opening(import, json!({})).first_step(), Step::Fail(_)));
    }
}
