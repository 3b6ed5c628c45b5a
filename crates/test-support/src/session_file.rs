//! Session files in pi's format: JSON lines, a header and entries, each with an id and the id of its parent.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

const TIME: &str = "2026-01-01T00:00:00.000Z";
const FIRST_MESSAGE: u64 = 1_767_225_600_000;

/// The time of appended entries, later than anything that the server or its agents write.
const LATE_TIME: &str = "2096-10-02T07:06:40.000Z";
const LATE_MESSAGE: u64 = 4_000_000_000_000;

/// A session file under construction, for histories that no agent has to produce first.
pub struct SessionFile {
    id: String,
    text: String,
    entries: u64,
}

impl SessionFile {
    pub fn new(id: &str, cwd: &str) -> Self {
        let header = json!({"type": "session", "version": 3, "id": id, "timestamp": TIME, "cwd": cwd});
        Self { id: id.to_owned(), text: format!("{header}\n"), entries: 0 }
    }

    /// A session with the id `numbered_id(number)`.
    pub fn numbered(number: usize, cwd: &str) -> Self {
        Self::new(&numbered_id(number), cwd)
    }

    pub fn title(&mut self, name: &str) {
        self.entry(json!({"type": "session_info", "name": name}));
    }

    pub fn user(&mut self, text: &str) {
        self.message(json!({"role": "user", "content": [{"type": "text", "text": text}]}));
    }

    pub fn assistant(&mut self, content: Value) {
        self.message(json!({"role": "assistant", "stopReason": "stop", "content": content}));
    }

    /// Adds a message, a millisecond after the previous one unless it has a timestamp.
    pub fn message(&mut self, mut message: Value) {
        if message.get("timestamp").is_none() {
            message["timestamp"] = json!(FIRST_MESSAGE + self.entries);
        }
        self.entry(json!({"type": "message", "message": message}));
    }

    /// Adds an entry with a new id after the previous one.
    pub fn entry(&mut self, entry: Value) {
        let parent = self.entries.checked_sub(1).map(|before| format!("e{before}"));
        let line = line(entry, &format!("e{}", self.entries), &json!(parent), TIME);
        self.entries += 1;
        self.text.push_str(&line);
    }

    /// Writes the file into the folder of a project and returns the id of the session.
    pub fn write(self, project_folder: &Path) -> String {
        std::fs::create_dir_all(project_folder).unwrap();
        let file = project_folder.join(format!("2026-01-01T00-00-00-000Z_{}.jsonl", self.id));
        std::fs::write(file, self.text).unwrap();
        self.id
    }
}

/// Returns a session id in the format of pi.
pub fn numbered_id(number: usize) -> String {
    format!("01a1e500-0000-7000-8000-{number:012}")
}

/// The entry as a line of the file, with its common fields in front, as pi writes them.
fn line(mut entry: Value, id: &str, parent: &Value, time: &str) -> String {
    let mut whole = json!({"type": entry["type"].take(), "id": id, "parentId": parent, "timestamp": time});
    for (key, value) in entry.as_object_mut().unwrap() {
        if whole.get(key).is_none() {
            whole[key] = value.take();
        }
    }
    format!("{whole}\n")
}

/// Reads the lines of a session file: the header and the entries.
pub fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Asserts that every entry follows the one before it, so that the conversation has one branch.
pub fn assert_one_branch(file: &Path) {
    for pair in lines(file)[1..].windows(2) {
        assert_eq!(pair[1]["parentId"], pair[0]["id"], "the session file has a branch: {pair:?}");
    }
}

/// Appends an entry after the last one, as another program does.
pub fn append_entry(file: &Path, entry: Value) {
    let lines = lines(file);
    let id = format!("appended{}", lines.len());
    let line = line(entry, &id, &lines[lines.len() - 1]["id"], LATE_TIME);
    std::fs::File::options().append(true).open(file).unwrap().write_all(line.as_bytes()).unwrap();
}

/// Appends a user message after this entry, as another program does that went back to it. Returns the message's id.
pub fn append_aside(file: &Path, parent: &Value, text: &str) -> String {
    let id = format!("appended{}", lines(file).len());
    append_branch(file, parent, json!({"role": "user", "content": text}));
    id
}

/// Appends a message after the last entry, as another program does.
pub fn append_message(file: &Path, mut message: Value) {
    message["timestamp"] = json!(LATE_MESSAGE + lines(file).len() as u64);
    append_entry(file, json!({"type": "message", "message": message}));
}

/// Appends a message after an earlier entry, as a program does that has not noticed the later ones.
pub fn append_branch(file: &Path, parent: &Value, mut message: Value) {
    let count = lines(file).len();
    message["timestamp"] = json!(LATE_MESSAGE + count as u64);
    let entry = json!({"type": "message", "message": message});
    let line = line(entry, &format!("appended{count}"), parent, LATE_TIME);
    std::fs::File::options().append(true).open(file).unwrap().write_all(line.as_bytes()).unwrap();
}

/// Appends a prompt and its answer, as another program does.
pub fn append_exchange(file: &Path, prompt: &str, answer: &str) {
    append_message(file, json!({"role": "user", "content": prompt}));
    let content = json!([{"type": "text", "text": answer}]);
    append_message(file, json!({"role": "assistant", "stopReason": "stop", "content": content}));
}

#[cfg(test)]
mod tests {
    use pilothouse_agents::history::entry::SessionHistory;

    use super::*;

    #[test]
    fn writes_and_continues_a_file_that_reads_as_one_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SessionFile::numbered(1, "/harbour");
        file.title("Lights");
        file.user("How many?");
        file.assistant(json!([{"type": "text", "text": "Two."}]));
        let id = file.write(folder.path());
        let path = folder.path().join(format!("2026-01-01T00-00-00-000Z_{id}.jsonl"));
        append_exchange(&path, "And now?", "Three.");
        assert_one_branch(&path);
        let history = SessionHistory::parse(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!((history.messages.len(), &lines(&path)[0]["id"]), (4, &json!(numbered_id(1))));
    }
}
