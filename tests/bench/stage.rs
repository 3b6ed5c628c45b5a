//! Everything a run needs: the conversations, the real server with the demo agent that plays the answers, the ways to
//! it, and a browser.

use std::path::Path;
use std::time::Duration;

use pilothouse_test_support::browser::{Browser, Page, Size};
use pilothouse_test_support::process::processor_time;
use pilothouse_test_support::server::{ServerSetup, TestServer, built_binary};

use crate::answer;
use crate::history;
use crate::way;

/// Turns of the conversations that are compared.
pub const LENGTHS: [usize; 2] = [100, 5_000];

/// Turns of one that is only looked at: what a page runs for the first time is compiled then.
pub const FIRST: usize = 5;

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

    /// The name under which something of this page is told.
    pub fn figure(self, what: &str) -> String {
        format!("{}/{what}", self.name())
    }

    /// Everybody has conversations of their own: one that was opened or spoken in before is another to the server.
    pub fn session(self, turns: usize, round: usize) -> String {
        format!("bench-{}-{turns}-{round}", self.name())
    }
}

pub struct Stage {
    pub server: TestServer,
    pub browser: Browser,
    hosts: [String; 2],
    _folder: tempfile::TempDir,
}

impl Stage {
    pub async fn new(rounds: usize, deltas: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agent = folder.path().join("agent");
        let project = folder.path().join("project");
        for round in 0..rounds {
            // A folder each: of many sessions in one the sidebar shows only the newest.
            let project = project.join(round.to_string());
            std::fs::create_dir_all(&project).unwrap();
            for kind in [Kind::Floor, Kind::Page] {
                for turns in LENGTHS.into_iter().chain([FIRST]) {
                    history::write(&agent, &project, &kind.session(turns, round), turns);
                }
            }
        }
        std::fs::write(folder.path().join("answers.jsonl"), answer::script(deltas)).unwrap();
        let (floor, floor_host) = way::listener();
        let (page, page_host) = way::listener();
        let binary = built_binary();
        let config = folder.path().join("config.toml");
        std::fs::write(&config, configuration(folder.path(), &binary)).unwrap();
        let setup = ServerSetup::new(&binary).project(&project).argument("--config").argument(&config);
        let hosts = [&floor_host, &page_host];
        let setup = hosts.iter().fold(setup, |setup, host| setup.argument("--allowed-host").argument(host));
        let server = setup.start();
        for listener in [floor, page] {
            way::open(listener, server.port);
        }
        let browser = Browser::start(Size::Wide).await;
        Self { server, browser, hosts: [floor_host, page_host], _folder: folder }
    }

    pub fn page(&self) -> Page {
        self.browser.page()
    }

    /// Where a page is to be found. The token opens the door, and later ones find it open.
    pub fn address(&self, kind: Kind) -> String {
        match kind {
            Kind::Floor => format!("http://{}/floor", self.hosts[0]),
            Kind::Page => format!("http://{}/#token={}", self.hosts[1], self.server.token),
        }
    }

    /// Until the server has nothing left to do but to wait: it puts new conversations into its index first.
    pub async fn until_quiet(&self) {
        let mut before = processor_time(self.server.process_id());
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let now = processor_time(self.server.process_id());
            if now - before <= 2 {
                return;
            }
            before = now;
        }
    }
}

/// The demo agent in the place of pi, with the answers as its script.
fn configuration(folder: &Path, binary: &Path) -> String {
    let here = folder.display();
    let script = format!(
        r#"case "$*" in
    *--version*) echo 1.5.0; exit;;
    *--no-session*) exec '{binary}' demo-agent;;
esac
for word; do :; done; id=${{word##*_}}; id=${{id%.jsonl}}
exec '{binary}' demo-agent --session-id "$id" --script '{here}/answers.jsonl' --pace realistic
"#,
        binary = binary.display(),
    );
    std::fs::write(folder.join("agent.sh"), script).unwrap();
    format!(
        "[[agent]]\nname = 'bench'\ncommand = ['sh', '{here}/agent.sh']\nenv = {{ PI_CODING_AGENT_DIR = '{here}/agent' }}\n"
    )
}
