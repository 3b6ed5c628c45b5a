//! The fixture of a story with the real pi: its folders, a model server, and a program that starts pi with an
//! environment of these alone.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::server::{ServerSetup, built_binary};
use pilothouse_test_support::session_file;

use crate::fixture::{Fixture, project, story_with};
use crate::model::Model;
use crate::pi::terminal::Terminal;

/// The generations of pi that are in use.
#[derive(Clone, Copy)]
pub enum Generation {
    Current,
    /// Before 1.0.
    Old,
}

pub struct Pi {
    pub model: Model,
    folder: tempfile::TempDir,
    project: PathBuf,
}

impl Pi {
    /// The current pi, for a story with several agents.
    pub fn for_project(project: &Path) -> Self {
        Self::new(Generation::Current, project)
    }

    fn new(generation: Generation, project: &Path) -> Self {
        let model = Model::start();
        let folder = tempfile::Builder::new().prefix("pi-").tempdir().unwrap();
        let pi = Self { model, folder, project: project.to_owned() };
        for name in ["home", "tmp", "agent/extensions"] {
            std::fs::create_dir_all(pi.path(name)).unwrap();
        }
        let models = include_str!("../../pi/models.json").replace("PORT", &pi.model.port.to_string());
        std::fs::write(pi.path("agent/models.json"), models).unwrap();
        std::fs::write(pi.path("agent/settings.json"), include_str!("../../pi/settings.json")).unwrap();
        let extension = include_str!("../../pi/harbour-extension.ts");
        std::fs::write(pi.path("agent/extensions/harbour.ts"), extension).unwrap();
        pi.write_program(generation);
        pi
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a program that starts pi, whatever is installed on the machine. It keeps the environment, which is clean
    /// because the server's is, and contains the server's mark.
    fn write_program(&self, generation: Generation) {
        let node = named("PILOTHOUSE_NODE");
        let script = named(match generation {
            Generation::Current => "PILOTHOUSE_PI",
            Generation::Old => "PILOTHOUSE_OLD_PI",
        });
        let own = |name: &str| self.path(name).display().to_string();
        let text = format!(
            "#!/bin/sh\nexport PATH='{}:/usr/bin:/bin' HOME='{}' TMPDIR='{}' LANG=C.UTF-8\n\
             export PI_CODING_AGENT_DIR='{}' PI_OFFLINE=1 PI_TELEMETRY=0 PI_SKIP_VERSION_CHECK=1\n\
             exec '{}' '{}' \"$@\"\n",
            node.parent().unwrap().display(),
            own("home"),
            own("tmp"),
            own("agent"),
            node.display(),
            script.display(),
        );
        std::fs::write(self.program(), text).unwrap();
        std::fs::set_permissions(self.program(), PermissionsExt::from_mode(0o755)).unwrap();
    }

    pub fn program(&self) -> PathBuf {
        self.path("pi")
    }

    /// Offers this pi.
    pub fn configure(&self, setup: ServerSetup) -> ServerSetup {
        setup
            .agent(&format!("pi=pi:'{}'", self.program().display()))
            .env("PI_CODING_AGENT_DIR", self.path("agent"))
    }

    /// Runs pi as in a terminal, in the same project.
    pub fn in_terminal(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.program());
        command.args(arguments).current_dir(&self.project).env_clear().stdin(Stdio::null());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// Starts pi in a terminal, in the same project, and waits until it accepts input.
    pub fn terminal(&self, arguments: &[&str]) -> Terminal {
        let program = self.program();
        let line = format!("'{}' {}", program.display(), arguments.join(" "));
        let terminal = Terminal::start(&line, &self.project);
        terminal.until_shown("example-large");
        terminal
    }

    /// Writes a file to pi's folder, such as a skill.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The entries of the only session file.
    pub fn entries(&self) -> Vec<Value> {
        let files = self.session_files();
        assert_eq!(files.len(), 1, "one session: {files:?}");
        session_file::lines(&files[0])
    }

    /// pi's session files.
    pub fn session_files(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.path("agent/sessions")).into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten());
        files.map(|file| file.path()).collect()
    }
}

/// Saves screenshots, wide and as on a phone.
pub async fn in_both_sizes(page: &Page, name: &str) {
    page.screenshot(&format!("{name}-wide")).await;
    let phone = json!({"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true});
    page.cdp("Emulation.setDeviceMetricsOverride", phone).await;
    page.until_animations_end().await;
    page.screenshot(&format!("{name}-phone")).await;
    page.cdp("Emulation.clearDeviceMetricsOverride", json!({})).await;
}

fn named(variable: &str) -> PathBuf {
    let path = std::env::var_os(variable).map(PathBuf::from).unwrap_or_default();
    assert!(path.is_file(), "{variable} names no file; run the tests with `cargo xtask test e2e`");
    path
}

/// A story that begins with a new session of pi.
pub async fn story(name: &str, tell: impl AsyncFnOnce(&mut Fixture, &Pi, &Page)) {
    story_of(Generation::Current, name, tell).await;
}

pub async fn story_of(generation: Generation, name: &str, tell: impl AsyncFnOnce(&mut Fixture, &Pi, &Page)) {
    let begin = async |fixture: &mut Fixture, pi: &Pi, page: &Page| {
        page.new_session_of("pi").await;
        tell(fixture, pi, page).await;
    };
    story_prepared(generation, name, |_| {}, begin).await;
}

/// A story that begins with the form. `prepare` changes pi before the server starts.
pub async fn story_prepared(
    generation: Generation,
    name: &str,
    prepare: impl FnOnce(&Pi),
    tell: impl AsyncFnOnce(&mut Fixture, &Pi, &Page),
) {
    let project = project();
    let pi = Pi::new(generation, project.path());
    prepare(&pi);
    let setup = pi.configure(ServerSetup::new(&built_binary()));
    story_with(&format!("pi-{name}"), Size::Wide, project, setup, async |fixture| {
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        tell(fixture, &pi, &page).await;
        assert!(pi.model.has_said_everything(), "the script of the model has replies left");
    })
    .await;
}
