//! The session file, in pi's format: a header line, then entries that each name their parent.
//!
//! Like pi, nothing is written before the first user message, so that a session that was only looked at leaves no
//! file behind; from then on every entry is appended the moment it exists. What an entry means is not decided here.

pub(crate) mod context;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::protocol::{Message, Usage};

/// The version of the format that pi 1.5.0 writes.
const VERSION: u32 = 3;

pub(crate) struct SessionFile {
    path: PathBuf,
    header: Header,
    entries: Vec<Value>,
    /// `None` until the first user message.
    file: Option<File>,
    /// The lines that wait for the file.
    unwritten: Vec<String>,
}

#[derive(Serialize)]
struct Header {
    r#type: &'static str,
    version: u32,
    id: String,
    timestamp: String,
    cwd: String,
}

/// One entry without the fields that every entry has.
#[derive(Serialize, Debug)]
#[serde(untagged)]
pub(crate) enum Body<'a> {
    #[serde(rename_all = "camelCase")]
    ModelChange {
        provider: &'a str,
        model_id: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    ThinkingLevelChange {
        thinking_level: &'a str,
    },
    Message {
        message: &'a Message,
    },
    /// A message of a recording, as it is.
    RecordedMessage {
        message: &'a Value,
    },
    SessionInfo {
        name: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    ContextEdit {
        target_id: &'a str,
        replacement: Option<()>,
    },
    #[serde(rename_all = "camelCase")]
    Compaction {
        summary: &'a str,
        first_kept_entry_id: &'a str,
        tokens_before: u64,
        details: &'a Value,
        usage: &'a Usage,
        from_hook: bool,
    },
}

impl Body<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::ModelChange { .. } => "model_change",
            Self::ThinkingLevelChange { .. } => "thinking_level_change",
            Self::Message { .. } | Self::RecordedMessage { .. } => "message",
            Self::SessionInfo { .. } => "session_info",
            Self::ContextEdit { .. } => "context_edit",
            Self::Compaction { .. } => "compaction",
        }
    }

    fn is_user_message(&self) -> bool {
        match self {
            Self::Message { message } => matches!(message, Message::User { .. }),
            Self::RecordedMessage { message } => message["role"] == "user",
            _ => false,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    r#type: &'static str,
    id: &'a str,
    parent_id: Option<&'a str>,
    timestamp: String,
    #[serde(flatten)]
    body: &'a Body<'a>,
}

impl SessionFile {
    /// Opens the session with this id below `agent_folder`, or prepares a new one.
    pub(crate) fn open(agent_folder: &Path, cwd: &Path, id: &str) -> io::Result<Self> {
        let folder = agent_folder.join("sessions").join(folder_name(cwd));
        match find(&folder, id)? {
            Some(path) => Self::load(path, cwd, id),
            None => {
                let timestamp = iso_time();
                let path = folder.join(format!("{}_{id}.jsonl", file_time(&timestamp)));
                Ok(Self::empty(path, new_header(cwd, id, timestamp)))
            }
        }
    }

    /// A new session that ends before this entry, written at once. None if there is no such entry.
    pub(crate) fn fork(&self, entry_id: &str) -> Option<Self> {
        let end = self.entries.iter().position(|entry| entry.get("id").is_some_and(|id| id == entry_id))?;
        let id = uuid::Uuid::now_v7().to_string();
        let timestamp = iso_time();
        let path = self.path.with_file_name(format!("{}_{id}.jsonl", file_time(&timestamp)));
        let mut fork = Self::empty(path, new_header(Path::new(&self.header.cwd), &id, timestamp));
        for entry in &self.entries[..end] {
            fork.append_recorded(&entry.to_string());
        }
        Some(fork)
    }

    fn empty(path: PathBuf, header: Header) -> Self {
        Self { path, header, entries: Vec::new(), file: None, unwritten: Vec::new() }
    }

    fn load(path: PathBuf, cwd: &Path, id: &str) -> io::Result<Self> {
        let bytes = fs::read(&path)?;
        let mut session = Self::empty(path, new_header(cwd, id, iso_time()));
        let mut file = OpenOptions::new().append(true).open(&session.path)?;
        // A line cut off by a kill must not swallow the next one.
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            file.write_all(b"\n")?;
        }
        session.file = Some(file);
        session.entries = bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
            .filter(|entry| entry.get("type").is_some_and(|kind| kind != "session"))
            .collect();
        Ok(session)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn id(&self) -> &str {
        &self.header.id
    }

    pub(crate) fn entries(&self) -> &[Value] {
        &self.entries
    }

    /// The id of the last entry: the parent of the next.
    pub(crate) fn leaf(&self) -> Option<&str> {
        self.entries.last()?.get("id")?.as_str()
    }

    /// Appends an entry and returns it as stored.
    pub(crate) fn append(&mut self, body: &Body) -> Value {
        let id = self.fresh_id();
        let entry =
            Entry { r#type: body.kind(), id: &id, parent_id: self.leaf(), timestamp: iso_time(), body };
        let line = serde_json::to_string(&entry).unwrap_or_default();
        self.append_line(line, body.is_user_message())
    }

    /// Appends an entry that was recorded elsewhere, as it is spelled there; twice is once.
    pub(crate) fn append_recorded(&mut self, line: &str) {
        let entry: Value = serde_json::from_str(line).unwrap_or_default();
        let known = self.entries.iter().any(|have| have.get("id") == entry.get("id"));
        if !known {
            let is_user_message = entry.pointer("/message/role").is_some_and(|role| role == "user");
            self.append_line(line.to_owned(), is_user_message);
        }
    }

    fn append_line(&mut self, line: String, opens_the_file: bool) -> Value {
        let entry = serde_json::from_str(&line).unwrap_or(Value::Object(Map::new()));
        self.entries.push(Value::clone(&entry));
        self.unwritten.push(line);
        if let Err(error) = self.write_out(opens_the_file) {
            // The conversation goes on in memory; a person reads stderr.
            eprintln!("demo agent: cannot write {}: {error}", self.path.display());
        }
        entry
    }

    fn write_out(&mut self, open: bool) -> io::Result<()> {
        if self.file.is_none() && open {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
            writeln!(file, "{}", serde_json::to_string(&self.header)?)?;
            self.file = Some(file);
        }
        if let Some(file) = &mut self.file {
            for line in self.unwritten.drain(..) {
                // One write per line, so that a kill cuts at most the last.
                file.write_all((line + "\n").as_bytes())?;
            }
        }
        Ok(())
    }

    /// Eight hexadecimal digits that no other entry has.
    fn fresh_id(&self) -> String {
        loop {
            let random = uuid::Uuid::now_v7().simple().to_string();
            let id = random.get(24..).unwrap_or_default().to_owned();
            if !self.entries.iter().rev().any(|entry| entry.get("id").is_some_and(|have| *have == *id)) {
                return id;
            }
        }
    }
}

fn new_header(cwd: &Path, id: &str, timestamp: String) -> Header {
    Header {
        r#type: "session",
        version: VERSION,
        id: id.to_owned(),
        timestamp,
        cwd: cwd.to_string_lossy().into_owned(),
    }
}

/// `/home/user/project` becomes `--home-user-project--`.
fn folder_name(cwd: &Path) -> String {
    let path = cwd.to_string_lossy();
    let name = path.strip_prefix('/').unwrap_or(&path).replace(['/', '\\', ':'], "-");
    format!("--{name}--")
}

fn find(folder: &Path, id: &str) -> io::Result<Option<PathBuf>> {
    let suffix = format!("_{id}.jsonl");
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut found: Vec<PathBuf> = files
        .filter_map(Result::ok)
        .filter(|file| file.file_name().to_string_lossy().ends_with(&suffix))
        .map(|file| file.path())
        .collect();
    found.sort();
    Ok(found.pop())
}

/// Milliseconds since 1970, as in a message's `timestamp`.
pub(crate) fn milliseconds() -> i64 {
    Timestamp::now().as_millisecond()
}

/// `2026-11-16T02:17:21.345Z`, as in a session entry's `timestamp`.
pub(crate) fn iso_time() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// `2026-11-16T02-17-21-345Z`: the same, fit for a file name.
pub(crate) fn file_time(iso: &str) -> String {
    iso.replace([':', '.'], "-")
}

#[cfg(test)]
mod tests;
