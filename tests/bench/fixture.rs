//! The fixture of a run: the stored conversations, the real server with an agent that plays the answers, a proxy for
//! each page, and a browser.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_test_support::browser::{Browser, Page, Size};
use pilothouse_test_support::process::processor_time;
use pilothouse_test_support::proxy::{self, Proxy, ServedFile};
use pilothouse_test_support::scripted_agent::{PI_VERSION, write_stand_in};
use pilothouse_test_support::server::{ServerSetup, TestServer, built_binary};

use crate::answer;
use crate::history;

/// Turns of the conversations that are compared.
pub const LENGTHS: [usize; 2] = [100, 5_000];

/// Turns of the conversation that is shown first, so that the browser compiles the code before anything is measured.
pub const FIRST: usize = 5;

/// The page of plain elements, which the proxies serve.
const FLOOR: [ServedFile; 2] = [
    ServedFile { path: "/floor", content_type: "text/html", content: include_str!("floor.html") },
    ServedFile { path: "/floor.js", content_type: "text/javascript", content: include_str!("floor.js") },
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Floor,
    Page,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Page => "page",
        }
    }

    /// The name of a figure of this page.
    pub fn figure(self, what: &str) -> String {
        format!("{}/{what}", self.name())
    }

    /// The session of a page. Pages share none: the server treats a session that was opened or prompted before differently.
    pub fn session(self, turns: usize, round: usize) -> String {
        format!("bench-{}-{turns}-{round}", self.name())
    }
}

pub struct Fixture {
    pub server: TestServer,
    pub browser: Browser,
    hosts: [String; 2],
    _proxies: [Proxy; 2],
    _folder: tempfile::TempDir,
}

impl Fixture {
    pub async fn new(rounds: usize, deltas: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agent = folder.path().join("agent");
        let project = folder.path().join("project");
        for round in 0..rounds {
            // A project for each round: of many sessions in one project the sidebar shows only the newest.
            let project = project.join(round.to_string());
            std::fs::create_dir_all(&project).unwrap();
            for kind in [Kind::Floor, Kind::Page] {
                for turns in LENGTHS.into_iter().chain([FIRST]) {
                    history::write(&agent, &project, &kind.session(turns, round), turns);
                }
            }
        }
        // Both pages go through a proxy, so that neither has the shorter way.
        let (floor, floor_host) = proxy::bind();
        let (page, page_host) = proxy::bind();
        let binary = built_binary();
        let config = write_configuration(folder.path(), &binary, deltas);
        let setup = ServerSetup::new(&binary).project(&project).argument("--config").argument(&config);
        let hosts = [&floor_host, &page_host];
        let setup = hosts.iter().fold(setup, |setup, host| setup.argument("--allowed-host").argument(host));
        let server = setup.start();
        let proxies = [floor, page].map(|listener| Proxy::start(listener, server.port, &FLOOR));
        let browser = Browser::start(Size::Wide).await;
        Self { server, browser, hosts: [floor_host, page_host], _proxies: proxies, _folder: folder }
    }

    pub fn page(&self) -> Page {
        self.browser.page()
    }

    /// The address of a page, with a pairing code for a browser without access.
    pub fn address(&self, kind: Kind) -> String {
        match kind {
            Kind::Floor => format!("http://{}/floor#pair={}", self.hosts[0], self.server.new_code()),
            Kind::Page => format!("http://{}/#pair={}", self.hosts[1], self.server.new_code()),
        }
    }

    /// The address of a session, with a pairing code for a browser without access.
    pub fn session_link(&self, kind: Kind, session: &str) -> String {
        let code = self.server.new_code();
        match kind {
            Kind::Floor => format!("http://{}/floor#session={session}&pair={code}", self.hosts[0]),
            Kind::Page => format!("http://{}/s/{session}#pair={code}", self.hosts[1]),
        }
    }

    /// Waits until the server is idle: it uses almost no processor time for a second. It indexes new conversations
    /// first.
    pub async fn until_idle(&self) {
        let mut second = tokio::time::interval(Duration::from_secs(1));
        second.tick().await;
        let mut before = processor_time(self.server.process_id());
        loop {
            second.tick().await;
            let now = processor_time(self.server.process_id());
            if now - before <= 2 {
                return;
            }
            before = now;
        }
    }
}

/// Writes the configuration of an agent that plays the answers, and returns its path.
fn write_configuration(folder: &Path, binary: &Path, deltas: usize) -> PathBuf {
    let answers = folder.join("answers.jsonl");
    std::fs::write(&answers, answer::script(deltas).records()).unwrap();
    let play = format!(
        r#"exec '{}' demo-agent --session-id "$id" --script '{}' --pace realistic"#,
        binary.display(),
        answers.display()
    );
    let program = write_stand_in(folder, binary, PI_VERSION, &play);
    let config = folder.join("config.toml");
    let text = format!(
        "[[agent]]\nname = 'bench'\ncommand = ['sh', '{}']\nenv = {{ PI_CODING_AGENT_DIR = '{}' }}\n",
        program.display(),
        folder.join("agent").display()
    );
    std::fs::write(&config, text).unwrap();
    config
}
