//! The session file in pi's format: a header line, then entries that refer to their parents.
//!
//! As in pi, nothing is written before the first user message, so that a session that was only opened leaves no
//! file. From then on every entry is written as soon as it is appended. `context` interprets the entries.

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
    /// The folder for sessions that are made from this one, if it is not that of the file.
    folder: Option<PathBuf>,
    header: Header,
    entries: Vec<Value>,
    /// `None` until the first user message.
    file: Option<File>,
    /// Entries from before the file was created.
    pending: Vec<String>,
}

#[derive(Serialize)]
struct Header {
    r#type: &'static str,
    version: u32,
    id: String,
    timestamp: String,
    cwd: String,
}

/// The fields of an entry that depend on its type.
#[derive(Serialize, Debug)]
#[serde(untagged)]
pub(crate) enum EntryBody<'a> {
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
    /// A message from a recording, unchanged.
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

impl EntryBody<'_> {
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
    body: &'a EntryBody<'a>,
}

impl SessionFile {
    /// Opens the session with this id below `agent_folder`, or creates one that has no file yet.
    pub(crate) fn open(agent_folder: &Path, cwd: &Path, id: &str) -> io::Result<Self> {
        let folder = agent_folder.join("sessions").join(folder_name(cwd));
        match find_file(&folder, id)? {
            Some(path) => Self::load(path, cwd, id),
            None => {
                let timestamp = iso_time();
                let path = folder.join(format!("{}_{id}.jsonl", file_time(&timestamp)));
                Ok(Self::empty(path, new_header(cwd, id, timestamp)))
            }
        }
    }

    /// Opens a session file. Sessions that are made from it are stored in `folder`.
    pub(crate) fn open_file(path: &Path, cwd: &Path, folder: Option<PathBuf>) -> io::Result<Self> {
        let text = fs::read_to_string(path)?;
        let header: Value = serde_json::from_str(text.lines().next().unwrap_or_default())?;
        let id = header.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self { folder, ..Self::load(path.to_owned(), cwd, &id)? })
    }

    /// Copies the entries before this one into a new session. Returns `None` if there is no such entry.
    pub(crate) fn fork(&self, entry_id: &str) -> Option<Self> {
        let end = self.entries.iter().position(|entry| entry.get("id").is_some_and(|id| id == entry_id))?;
        Some(self.copy_until(end))
    }

    /// Copies all entries into a new session.
    pub(crate) fn copy(&self) -> Self {
        self.copy_until(self.entries.len())
    }

    fn copy_until(&self, end: usize) -> Self {
        let id = uuid::Uuid::now_v7().to_string();
        let timestamp = iso_time();
        let name = format!("{}_{id}.jsonl", file_time(&timestamp));
        let path =
            self.folder.as_ref().map_or_else(|| self.path.with_file_name(&name), |folder| folder.join(&name));
        let mut copy = Self::empty(path, new_header(Path::new(&self.header.cwd), &id, timestamp));
        for entry in &self.entries[..end] {
            copy.append_recorded(&entry.to_string());
        }
        copy
    }

    fn empty(path: PathBuf, header: Header) -> Self {
        Self { path, folder: None, header, entries: Vec::new(), file: None, pending: Vec::new() }
    }

    fn load(path: PathBuf, cwd: &Path, id: &str) -> io::Result<Self> {
        let bytes = fs::read(&path)?;
        let mut session = Self::empty(path, new_header(cwd, id, iso_time()));
        let mut file = OpenOptions::new().append(true).open(&session.path)?;
        // If a kill cut the last line off, the next entry must not continue it.
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

    /// The id of the last entry, which is the parent of the next one.
    pub(crate) fn leaf(&self) -> Option<&str> {
        self.entries.last()?.get("id")?.as_str()
    }

    /// Appends an entry and returns it in its stored form.
    pub(crate) fn append(&mut self, body: &EntryBody) -> Value {
        let id = self.new_entry_id();
        let entry =
            Entry { r#type: body.kind(), id: &id, parent_id: self.leaf(), timestamp: iso_time(), body };
        let line = serde_json::to_string(&entry).unwrap_or_default();
        self.append_line(line, body.is_user_message())
    }

    /// Appends an entry of a recording or another session, byte for byte. Does nothing if an entry with its id exists.
    pub(crate) fn append_recorded(&mut self, line: &str) {
        let entry: Value = serde_json::from_str(line).unwrap_or_default();
        let exists = self.entries.iter().any(|other| other.get("id") == entry.get("id"));
        if !exists {
            let is_user_message = entry.pointer("/message/role").is_some_and(|role| role == "user");
            self.append_line(line.to_owned(), is_user_message);
        }
    }

    fn append_line(&mut self, line: String, creates_file: bool) -> Value {
        let entry = serde_json::from_str(&line).unwrap_or(Value::Object(Map::new()));
        self.entries.push(Value::clone(&entry));
        self.pending.push(line);
        if let Err(error) = self.write_pending(creates_file) {
            // The conversation continues in memory.
            eprintln!("demo agent: cannot write {}: {error}", self.path.display());
        }
        entry
    }

    fn write_pending(&mut self, create: bool) -> io::Result<()> {
        if self.file.is_none() && create {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
            writeln!(file, "{}", serde_json::to_string(&self.header)?)?;
            self.file = Some(file);
        }
        if let Some(file) = &mut self.file {
            for line in self.pending.drain(..) {
                // One write per line, so that a kill cuts off at most the last one.
                file.write_all((line + "\n").as_bytes())?;
            }
        }
        Ok(())
    }

    /// Returns eight hexadecimal digits that no other entry has as its id.
    fn new_entry_id(&self) -> String {
        loop {
            let random = uuid::Uuid::now_v7().simple().to_string();
            let id = random.get(24..).unwrap_or_default().to_owned();
            if !self.entries.iter().rev().any(|entry| entry.get("id").is_some_and(|other| *other == *id)) {
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

/// The folder for sessions of a project: `/home/user/project` becomes `--home-user-project--`.
fn folder_name(cwd: &Path) -> String {
    let path = cwd.to_string_lossy();
    let name = path.strip_prefix('/').unwrap_or(&path).replace(['/', '\\', ':'], "-");
    format!("--{name}--")
}

/// Finds the newest file of the session with this id.
fn find_file(folder: &Path, id: &str) -> io::Result<Option<PathBuf>> {
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

/// The current time in milliseconds since 1970, as in the `timestamp` of a message.
pub(crate) fn milliseconds() -> i64 {
    Timestamp::now().as_millisecond()
}

/// The current time as in the `timestamp` of an entry: `2026-11-16T02:17:21.345Z`.
pub(crate) fn iso_time() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The same time in the form that file names use: `2026-11-16T02-17-21-345Z`.
pub(crate) fn file_time(iso: &str) -> String {
    iso.replace([':', '.'], "-")
}

#[cfg(test)]
mod tests;
