//! Conversations recorded from the real pi: the index, the records of each process, the session files.

pub mod acp;
mod fold;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use fold::{RecordingFold, events_of};

/// One recorded scenario.
pub struct Scenario {
    /// Prefixed with the version of pi unless it is the newest: `v0.73.1/plain-text`.
    pub name: String,
    folder: PathBuf,
    entry: Value,
}

/// One recorded run of pi.
pub struct Process {
    /// The recorded lines, each `{"dir": "in" | "out", "t": milliseconds, "line": object}`.
    pub records: Vec<Value>,
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

/// The folder of the recordings.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pi")
}

/// All recorded scenarios, of both versions of pi.
pub fn scenarios() -> Vec<Scenario> {
    let newest = folder();
    let mut all = Vec::new();
    for (folder, prefix) in [(newest.clone(), ""), (newest.join("v0.73.1"), "v0.73.1/")] {
        let index = std::fs::read_to_string(folder.join("index.json")).unwrap();
        let Value::Array(entries) = serde_json::from_str(&index).unwrap() else {
            panic!("index.json holds no list");
        };
        all.extend(entries.into_iter().map(|entry| Scenario {
            name: format!("{prefix}{}", entry["scenario"].as_str().unwrap()),
            folder: folder.clone(),
            entry,
        }));
    }
    all
}

impl Scenario {
    /// The version of pi that was recorded.
    pub fn version(&self) -> &str {
        self.entry["pi"].as_str().unwrap()
    }

    pub fn processes(&self) -> Vec<Process> {
        let processes = self.entry["processes"].as_array().unwrap();
        processes
            .iter()
            .map(|process| {
                let file =
                    std::fs::read_to_string(self.folder.join(process["file"].as_str().unwrap())).unwrap();
                let exit = &process["exit"];
                Process {
                    records: file.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
                    code: exit["code"].as_i64().map(|code| i32::try_from(code).unwrap()),
                    signal: (exit["signal"] == "SIGKILL").then_some(9),
                }
            })
            .collect()
    }

    /// The records of all processes, in order.
    pub fn records(&self) -> impl Iterator<Item = Value> {
        self.processes().into_iter().flat_map(|process| process.records)
    }

    /// The session files at the end of the scenario, each with the id of its session.
    pub fn session_files(&self) -> Vec<(String, Vec<u8>)> {
        let sessions = self.entry["sessions"].as_array().unwrap().iter();
        let names = sessions.map(|session| session["file"].as_str().unwrap());
        let last = names.filter(|name| !name.ends_with(".after-kill.jsonl"));
        last.map(|name| {
            let file = std::fs::read(self.folder.join(name)).unwrap();
            let header: Value =
                serde_json::from_slice(file.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
            (header["id"].as_str().unwrap().to_owned(), file)
        })
        .collect()
    }
}
