//! The fixture of a story with a real agent: its home, a model server, and a program that starts the agent with an
//! environment of these alone.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::server::{ServerSetup, built_binary};

use crate::fixture::{Fixture, project, story_with};
use crate::model::Model;
use crate::model::reply::{Reply, calls};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    Claude,
    Opencode,
}

pub struct RealAgent {
    pub model: Model,
    pub agent: Agent,
    folder: tempfile::TempDir,
}

impl RealAgent {
    pub fn new(agent: Agent) -> Self {
        let folder = tempfile::Builder::new().prefix(agent.name()).tempdir().unwrap();
        let real = Self { model: Model::start(), agent, folder };
        std::fs::create_dir_all(real.path("home")).unwrap();
        std::fs::create_dir_all(real.path("tmp")).unwrap();
        let text = match agent {
            Agent::Claude => real.claude(),
            Agent::Opencode => real.opencode(),
        };
        std::fs::write(real.program(), text).unwrap();
        std::fs::set_permissions(real.program(), PermissionsExt::from_mode(0o755)).unwrap();
        real
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self) -> PathBuf {
        self.path("agent")
    }

    /// The lines that every agent's program begins with.
    fn environment(&self) -> String {
        let node = named("PILOTHOUSE_NODE");
        format!(
            "#!/bin/sh\nexport PATH='{}:/usr/bin:/bin' HOME='{}' TMPDIR='{}' LANG=C.UTF-8\n",
            node.parent().unwrap().display(),
            self.path("home").display(),
            self.path("tmp").display(),
        )
    }

    fn claude(&self) -> String {
        format!(
            "{}export ANTHROPIC_BASE_URL='http://127.0.0.1:{}' ANTHROPIC_API_KEY=sk-ant-test\n\
             export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1\n\
             export CLAUDE_CODE_MAX_RETRIES=1 CLAUDE_CODE_ENABLE_TASKS=0\n\
             exec '{}' '{}'\n",
            self.environment(),
            self.model.port,
            named("PILOTHOUSE_NODE").display(),
            named("PILOTHOUSE_CLAUDE").display(),
        )
    }

    fn opencode(&self) -> String {
        let config = json!({
            "autoupdate": false, "share": "disabled",
            "model": "scripted/scripted-1", "small_model": "scripted/scripted-1", "enabled_providers": ["scripted"],
            "permission": {"bash": "ask", "edit": "ask"},
            "provider": {"scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": format!("http://127.0.0.1:{}/v1", self.model.port), "apiKey": "x"},
                "models": {"scripted-1": {
                    "tool_call": true, "reasoning": true, "attachment": true,
                    "modalities": {"input": ["text", "image"], "output": ["text"]},
                    "limit": {"context": 128_000, "output": 8_192},
                }},
            }},
        });
        let folder = self.path("home/.config/opencode");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("opencode.json"), config.to_string()).unwrap();
        format!(
            "{}export OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1\n\
             export OPENCODE_DISABLE_DEFAULT_PLUGINS=1\nexec '{}' acp\n",
            self.environment(),
            named("PILOTHOUSE_OPENCODE").display(),
        )
    }

    /// Offers this agent under its name.
    pub fn configure(&self, setup: ServerSetup) -> ServerSetup {
        setup.agent(&format!("{}=acp:'{}'", self.agent.name(), self.program().display()))
    }
}

impl Agent {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Opencode => "opencode",
        }
    }

    /// A reply that runs a shell command.
    pub fn runs(self, command: &str) -> Reply {
        let tool = match self {
            Self::Claude => "Bash",
            Self::Opencode => "bash",
        };
        calls(tool, json!({"command": command, "description": "Run a command"}))
    }

    /// A reply that reads a file.
    pub fn reads(self, file: &Path) -> Reply {
        match self {
            Self::Claude => calls("Read", json!({ "file_path": file })),
            Self::Opencode => calls("read", json!({ "filePath": file })),
        }
    }

    /// A reply that replaces text in a file.
    pub fn edits(self, file: &Path, old: &str, new: &str) -> Reply {
        match self {
            Self::Claude => calls("Edit", json!({"file_path": file, "old_string": old, "new_string": new})),
            Self::Opencode => calls("edit", json!({"filePath": file, "oldString": old, "newString": new})),
        }
    }
}

fn named(variable: &str) -> PathBuf {
    let path = std::env::var_os(variable).map(PathBuf::from).unwrap_or_default();
    assert!(path.is_file(), "{variable} names no file; run the tests with `cargo xtask test e2e`");
    path
}

/// The requests of the agent's own conversation with the model, as text.
pub fn heard(model: &Model) -> String {
    Value::Array(model.requests()).to_string()
}

/// A story that begins with a new session of the agent.
pub async fn story(agent: Agent, name: &str, tell: impl AsyncFnOnce(&mut Fixture, &RealAgent, &Page)) {
    let project = project();
    let real = RealAgent::new(agent);
    let setup = real.configure(ServerSetup::new(&built_binary()));
    story_with(&format!("{}-{name}", agent.name()), Size::Wide, project, setup, async |fixture| {
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        page.new_session_of(agent.name()).await;
        tell(fixture, &real, &page).await;
        assert!(real.model.has_said_everything(), "the script of the model has replies left");
    })
    .await;
}
