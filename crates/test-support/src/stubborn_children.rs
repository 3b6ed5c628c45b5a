//! Processes that try to outlive the one that started them.

use std::path::{Path, PathBuf};

use crate::process::{is_alive, signal, until_gone};
use crate::wait::until_some;

/// Starts the processes in the folder `$1` and returns when all run. Each writes its id into a file with its name:
/// `setsid` has its own session, `cleared` has its own session and no environment, `stubborn` ignores TERM, `forked` has
/// lost its parent, and `daemon` all of these.
const SCRIPT: &str = r#"
cd "$1" || exit 1
body='echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 600'
deaf="trap '' TERM; $body"
setsid sh -c "$body" setsid &
env -i setsid sh -c "$body" cleared &
sh -c "$deaf" stubborn &
(sh -c "$body" forked &)
env -i sh -c 'setsid sh -c "$1" "$0" & exit' daemon "$deaf" &
for name in setsid cleared stubborn forked daemon; do
    until [ -e "$name" ]; do sleep 0.01; done
done
"#;

/// The names of the processes and of their files.
pub const NAMES: [&str; 5] = ["setsid", "cleared", "stubborn", "forked", "daemon"];

/// Writes the script into the folder in which it starts the processes. Returns the command that runs it.
pub fn write_script(folder: &Path) -> String {
    std::fs::write(folder.join("children.sh"), SCRIPT).unwrap();
    let folder = folder.display();
    format!("sh '{folder}/children.sh' '{folder}'")
}

/// The processes that a script starts in a folder. Those that are left are killed at the end of the test.
pub struct StubbornChildren {
    folder: PathBuf,
}

impl StubbornChildren {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The command that starts the processes and returns when they run.
    pub fn command(&self) -> String {
        write_script(&self.folder)
    }

    /// Waits until the processes run, and returns their names and ids.
    pub async fn until_started(&self) -> Vec<(&'static str, u32)> {
        let mut started = Vec::new();
        for name in NAMES {
            started.push((name, until_some(name, async || self.id(name)).await));
        }
        started
    }

    /// Waits until all processes have ended, and removes their files.
    pub fn until_gone(&self) {
        for (name, id) in self.running() {
            eprintln!("waiting for the end of {name}");
            until_gone(id);
        }
        NAMES.iter().for_each(|name| std::fs::remove_file(self.folder.join(name)).unwrap());
    }

    /// The processes that run.
    pub fn running(&self) -> Vec<(&'static str, u32)> {
        let started = NAMES.iter().filter_map(|name| Some((*name, self.id(name)?)));
        started.filter(|(_, id)| is_alive(*id)).collect()
    }

    fn id(&self, name: &str) -> Option<u32> {
        std::fs::read_to_string(self.folder.join(name)).ok()?.trim().parse().ok()
    }
}

impl Drop for StubbornChildren {
    fn drop(&mut self) {
        self.running().into_iter().for_each(|(_, id)| signal(id, "KILL"));
    }
}
