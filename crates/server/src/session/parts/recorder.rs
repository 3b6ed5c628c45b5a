//! Records the conversation of an agent that keeps no readable files, in the format that all session files share: a
//! header and entries with id, parent, time and a message. An entry is on disk before its event is published, so that
//! listing, paging, search, export and recovery work as for agents with files of their own.
//!
//! Agents of this kind report no times. The recorder stamps messages, which are recognized by their times, and measures
//! how long tools take.

use std::collections::{BTreeMap, HashMap};
use std::fs::{DirBuilder, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::OPEN_CALLS;
use pilothouse_core::protocol::AgentOption;
use pilothouse_core::protocol::event::{Event, ModelInfo};
use serde_json::{Value, json};
use tokio::time::Instant;

/// When lines that could not be written are tried again.
const RETRY: Duration = Duration::from_secs(5);

/// The version of the format, as in the header.
const VERSION: u32 = 3;

/// The recorder of one session.
#[derive(Clone, Debug)]
pub(in crate::session) struct Recorder {
    /// The file; it exists once something was recorded.
    file: PathBuf,
    has_file: bool,
    session: String,
    agent: String,
    cwd: String,
    /// The agent's own id of the session.
    agent_session: Option<String>,
    /// The agent's id of a session that is to be loaded. Its entries are written when it is complete.
    import: Option<String>,
    /// The lines of the import so far.
    imported: String,
    /// The id of the last entry.
    parent: Option<String>,
    /// The latest time that was given to anything: times are unique and increase.
    last_time: u64,
    /// The time of the assistant message in progress.
    message_time: Option<u64>,
    /// When tools started, or how long they took.
    tools: HashMap<String, ToolTime>,
    /// Entries of shell commands that ended during a run: history has them after the run.
    after_run: Vec<Value>,
    /// Entries that follow the header of a new file.
    with_header: Vec<Value>,
    is_running: bool,
    is_named_by_user: bool,
    /// The settings as they are recorded.
    model: Option<String>,
    thinking_level: Option<String>,
    mode: Option<String>,
    options: BTreeMap<String, String>,
    /// Lines that could not be written yet.
    unwritten: String,
    retry_at: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
enum ToolTime {
    StartedAt(u64),
    Took(u64),
}

/// Lines to append to the file.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) struct Append {
    file: PathBuf,
    lines: String,
}

/// The properties of a session in its file.
#[derive(Debug, Default)]
pub(in crate::session) struct RecordedFacts {
    pub(in crate::session) agent_session: Option<String>,
    /// The agent's id of a session that was not loaded completely.
    pub(in crate::session) import: Option<String>,
    pub(in crate::session) last_entry: Option<String>,
    pub(in crate::session) last_time: u64,
    pub(in crate::session) is_named_by_user: bool,
    pub(in crate::session) model: Option<String>,
    pub(in crate::session) thinking_level: Option<String>,
    pub(in crate::session) mode: Option<String>,
    pub(in crate::session) options: BTreeMap<String, String>,
}

impl Recorder {
    /// The recorder of a session without a file. `folder` contains the session files of the agent.
    pub(in crate::session) fn new(session: &str, agent: &str, cwd: &Path, folder: &Path) -> Self {
        let cwd = cwd.to_string_lossy().into_owned();
        let project = cwd.strip_prefix('/').unwrap_or(&cwd).replace(['/', '\\', ':'], "-");
        let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S-%3fZ");
        Self {
            file: folder.join(format!("--{project}--/{time}_{session}.jsonl")),
            has_file: false,
            session: session.to_owned(),
            agent: agent.to_owned(),
            cwd,
            agent_session: None,
            import: None,
            imported: String::new(),
            parent: None,
            last_time: 0,
            message_time: None,
            tools: HashMap::new(),
            after_run: Vec::new(),
            with_header: Vec::new(),
            is_running: false,
            is_named_by_user: false,
            model: None,
            thinking_level: None,
            mode: None,
            options: BTreeMap::new(),
            unwritten: String::new(),
            retry_at: None,
        }
    }

    /// Continues a file.
    pub(in crate::session) fn continue_file(&mut self, file: &Path, facts: RecordedFacts) {
        self.file = file.to_owned();
        self.has_file = true;
        self.agent_session = facts.agent_session;
        self.import = facts.import;
        self.parent = facts.last_entry;
        self.last_time = self.last_time.max(facts.last_time);
        self.is_named_by_user = facts.is_named_by_user;
        self.model = facts.model;
        self.thinking_level = facts.thinking_level;
        self.mode = facts.mode;
        self.options = facts.options;
    }

    pub(in crate::session) fn file(&self) -> Option<&Path> {
        self.has_file.then_some(self.file.as_path())
    }

    pub(in crate::session) fn agent_session(&self) -> Option<&str> {
        self.agent_session.as_deref()
    }

    /// The agent's id of a session that is to be loaded.
    pub(in crate::session) fn import(&self) -> Option<&str> {
        self.import.as_deref()
    }

    /// Whether something of a session that is to be loaded was received.
    pub(in crate::session) const fn has_part_of_import(&self) -> bool {
        self.import.is_some() && (self.is_running || !self.imported.is_empty())
    }

    /// Creates the file of a session that is to be loaded from the agent.
    pub(in crate::session) fn begin_import(&mut self, id: &str, title: &str, now: u64) -> Option<Append> {
        let title = json!({"type": "session_info", "name": title});
        self.with_header.push(title);
        self.import = Some(id.to_owned());
        self.append(Vec::new(), now)
    }

    /// Drops what was loaded so far: the import failed, or starts again.
    pub(in crate::session) fn reset_import(&mut self) {
        self.imported.clear();
        self.tools.clear();
        self.is_running = false;
        // After a kill during the last write, a part of the import is in the file. It is a branch that is not shown.
        self.parent = None;
    }

    /// Adds what the agent does not report: times of messages and durations of tools. Returns false for an event that
    /// must not be published.
    pub(in crate::session) fn stamp(&mut self, event: &mut Event, now: u64) -> bool {
        match event {
            Event::AgentStart => self.is_running = true,
            Event::MessageStart { message: Message::Assistant { timestamp, .. } } => {
                let time = self.next_time(now);
                self.message_time = Some(time);
                *timestamp = Some(time);
            }
            Event::MessageEnd { message: Message::Assistant { timestamp, .. } } => {
                let time = self.message_time.take();
                *timestamp = Some(time.unwrap_or_else(|| self.next_time(now)));
            }
            Event::MessageStart { message: Message::User { timestamp, .. } } => {
                let time = self.next_time(now);
                self.message_time = Some(time);
                *timestamp = Some(time);
            }
            Event::MessageEnd { message: Message::User { timestamp, .. } } => {
                let time = self.message_time.take();
                *timestamp = Some(time.unwrap_or_else(|| self.next_time(now)));
            }
            Event::ToolExecutionStart { tool_call_id, .. } if self.tools.len() < OPEN_CALLS => {
                self.tools.insert(tool_call_id.clone(), ToolTime::StartedAt(now));
            }
            Event::ToolExecutionEnd { tool_call_id, duration_ms, .. } => {
                if let Some(ToolTime::StartedAt(start)) = self.tools.get(tool_call_id).copied() {
                    let took = now.saturating_sub(start);
                    *duration_ms = Some(took);
                    self.tools.insert(tool_call_id.clone(), ToolTime::Took(took));
                }
            }
            Event::MessageEnd { message: Message::ToolResult { tool_call_id, duration_ms, .. } } => {
                if let Some(ToolTime::Took(took)) = self.tools.remove(tool_call_id) {
                    *duration_ms = Some(took);
                }
            }
            // The user's name for a session stays.
            Event::TitleChanged { .. } => return !self.is_named_by_user,
            _ => {}
        }
        true
    }

    /// The lines that record an event, to be written before it is published.
    pub(in crate::session) fn record(&mut self, event: &Event, now: u64) -> Option<Append> {
        let entry = match event {
            Event::MessageEnd { message } => message_entry(message),
            Event::CompactionEnd { summary: Some(summary), aborted: false, .. } => {
                Some(json!({"type": "compaction", "summary": summary}))
            }
            Event::BashEnd { id, result } => {
                let message = Message::BashExecution { result: result.clone() };
                let mut entry = message_entry(&message);
                // After a kill a command that is recorded must not be shown as running, too.
                if let Some(entry) = &mut entry {
                    entry["clientId"] = id.clone().into();
                }
                if self.is_running {
                    self.after_run.extend(entry);
                    return None;
                }
                entry
            }
            Event::PlanChanged { steps } => Some(json!({"type": "plan", "steps": steps})),
            Event::TitleChanged { title } => Some(json!({"type": "session_info", "name": title})),
            Event::AgentSettled { .. } | Event::ProcessExit { .. } => {
                self.is_running = false;
                self.tools.clear();
                let entries = std::mem::take(&mut self.after_run);
                return self.append(entries, now);
            }
            _ => None,
        };
        // A session without a message has no file; its name and its plan wait for the first.
        if matches!(event, Event::PlanChanged { .. } | Event::TitleChanged { .. }) && !self.has_file {
            self.add_with_header(entry);
            return None;
        }
        self.append(entry.into_iter().collect(), now)
    }

    /// Records the name that the user gives to the session.
    pub(in crate::session) fn rename(&mut self, name: &str, now: u64) -> Option<Append> {
        self.is_named_by_user = true;
        self.append(vec![json!({"type": "session_info", "name": name, "source": "user"})], now)
    }

    /// Records the agent's own id of the session. In a new file the header has it.
    pub(in crate::session) fn set_agent_session(&mut self, id: &str, now: u64) -> Option<Append> {
        if self.agent_session.as_deref() == Some(id) {
            return None;
        }
        self.agent_session = Some(id.to_owned());
        self.import = None;
        if !self.has_file {
            return None;
        }
        self.append(vec![json!({"type": "agent_session", "agentSessionId": id})], now)
    }

    /// The values of the agent's options beyond model, thinking level and mode, as the agent last reported them.
    pub(in crate::session) const fn options(&self) -> &BTreeMap<String, String> {
        &self.options
    }

    /// Records the values of these options, so that another process of the agent gets them.
    pub(in crate::session) fn set_options(&mut self, options: &[AgentOption], now: u64) -> Option<Append> {
        let options: BTreeMap<String, String> =
            options.iter().map(|option| (option.id.clone(), option.value.clone())).collect();
        if options == self.options {
            return None;
        }
        let entry = json!({"type": "options_change", "options": options});
        self.options = options;
        if !self.has_file {
            self.add_with_header([entry]);
            return None;
        }
        self.append(vec![entry], now)
    }

    /// Adds entries that follow the header. Each replaces the one before it of its type.
    fn add_with_header(&mut self, entries: impl IntoIterator<Item = Value>) {
        for entry in entries {
            self.with_header.retain(|known| known["type"] != entry["type"]);
            self.with_header.push(entry);
        }
    }

    /// Records the model, the thinking level and the mode, so that they are known before the agent runs again.
    pub(in crate::session) fn set_settings(
        &mut self,
        model: Option<&ModelInfo>,
        thinking_level: &str,
        mode: &str,
        now: u64,
    ) -> Option<Append> {
        let mut entries = Vec::new();
        let model_id = model.map(|model| model.id.clone());
        if self.model != model_id
            && let Some(model) = model
        {
            self.model = model_id;
            entries.push(json!({"type": "model_change", "provider": model.provider, "modelId": model.id}));
        }
        if self.thinking_level.as_deref().unwrap_or_default() != thinking_level {
            self.thinking_level = Some(thinking_level.to_owned());
            entries.push(json!({"type": "thinking_level_change", "thinkingLevel": thinking_level}));
        }
        if self.mode.as_deref().unwrap_or_default() != mode {
            self.mode = Some(mode.to_owned());
            entries.push(json!({"type": "mode_change", "mode": mode}));
        }
        if !self.has_file {
            self.add_with_header(entries);
            return None;
        }
        self.append(entries, now)
    }

    /// Keeps lines that could not be written for the next attempt.
    pub(in crate::session) fn not_written(&mut self, append: Append, now: Instant) {
        self.unwritten = append.lines;
        self.retry_at = Some(now + RETRY);
    }

    /// When lines that could not be written are tried again.
    pub(in crate::session) const fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    /// The lines that could not be written.
    pub(in crate::session) fn retry(&mut self) -> Option<Append> {
        self.retry_at = None;
        let lines = std::mem::take(&mut self.unwritten);
        (!lines.is_empty()).then(|| Append { file: self.file.clone(), lines })
    }

    fn append(&mut self, mut entries: Vec<Value>, now: u64) -> Option<Append> {
        let is_new = !self.has_file && (!entries.is_empty() || self.import.is_some());
        let mut lines = String::new();
        if is_new {
            self.has_file = true;
            let mut header = json!({
                "type": "session", "version": VERSION, "id": self.session, "timestamp": iso_time(now),
                "cwd": self.cwd, "agent": self.agent, "agentSessionId": self.agent_session,
            });
            if let Some(import) = &self.import {
                header["importSessionId"] = import.clone().into();
            }
            lines.push_str(&format!("{header}\n"));
            entries.splice(0..0, std::mem::take(&mut self.with_header));
        }
        for mut entry in entries {
            let id = uuid::Uuid::now_v7().simple().to_string();
            entry["id"] = id.clone().into();
            entry["parentId"] = self.parent.replace(id).map_or(Value::Null, Value::String);
            entry["timestamp"] = iso_time(self.next_time(now)).into();
            lines.push_str(&format!("{entry}\n"));
        }
        if self.import.is_some() && !is_new {
            self.imported.push_str(&lines);
            return None;
        }
        let unwritten = self.retry().map(|append| append.lines).unwrap_or_default();
        let lines = unwritten + &std::mem::take(&mut self.imported) + &lines;
        (!lines.is_empty()).then(|| Append { file: self.file.clone(), lines })
    }

    fn next_time(&mut self, now: u64) -> u64 {
        self.last_time = now.max(self.last_time + 1);
        self.last_time
    }
}

impl Append {
    /// Appends the lines and flushes them to the disk. `check` says whether the data folder may be written; it is called
    /// before and after, and nothing is appended unless both succeed. Blocks.
    pub(in crate::session) fn write(&self, check: impl Fn() -> std::io::Result<()>) -> std::io::Result<()> {
        // Creating the file must not create the data folder again.
        check()?;
        if let Some(folder) = self.file.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file =
            OpenOptions::new().create(true).read(true).append(true).mode(0o600).open(&self.file)?;
        // The end of a line may be missing after a kill; the next line must not become part of it.
        let mut last = [b'\n'];
        let length = file.seek(SeekFrom::End(0))?;
        if length > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        let separator = if last == [b'\n'] { "" } else { "\n" };
        let written = file.write_all(format!("{separator}{}", self.lines).as_bytes());
        written.and_then(|()| file.sync_data()).and_then(|()| check()).inspect_err(|_| {
            // The lines are written again as a whole.
            let _ = file.set_len(length);
        })
    }
}

/// The entry of a message. The client's id of a prompt is not part of the conversation.
fn message_entry(message: &Message) -> Option<Value> {
    let message = match message {
        Message::Hidden => return None,
        Message::Custom { content, display } => {
            return Some(json!({"type": "custom_message", "content": content, "display": display}));
        }
        Message::CompactionSummary { summary } => {
            return Some(json!({"type": "compaction", "summary": summary}));
        }
        Message::User { content, timestamp, .. } => {
            Message::User { content: content.clone(), client_id: None, timestamp: *timestamp }
        }
        other => other.clone(),
    };
    Some(json!({"type": "message", "message": message}))
}

fn iso_time(milliseconds: u64) -> String {
    let time = i64::try_from(milliseconds).ok().and_then(|time| jiff::Timestamp::from_millisecond(time).ok());
    time.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use pilothouse_agents::history::entry::SessionHistory;
    use pilothouse_core::conversation::message::{Content, Part, StopReason};
    use pilothouse_core::conversation::ui_message::BashResult;

    use super::*;

    fn recorder(folder: &Path) -> Recorder {
        Recorder::new("01a1e225-0cbb-7711-81c4-11ead64558e7", "claude", Path::new("/ship"), folder)
    }

    fn write(append: Option<Append>) {
        append.unwrap().write(|| Ok(())).unwrap();
    }

    fn user(text: &str) -> Event {
        let content = Content(vec![Part::Text { text: text.to_owned() }]);
        Event::MessageEnd {
            message: Message::User { content, client_id: Some("c".to_owned()), timestamp: None },
        }
    }

    fn reply(text: &str) -> Event {
        Event::MessageEnd {
            message: Message::Assistant {
                content: Content(vec![Part::Text { text: text.to_owned() }]),
                stop_reason: StopReason::Stop,
                error_message: None,
                timestamp: None,
            },
        }
    }

    fn read(recorder: &Recorder) -> SessionHistory {
        SessionHistory::parse(&std::fs::read(recorder.file().unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn a_conversation_is_read_as_it_was_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        assert_eq!(recorder.set_agent_session("theirs", 1), None, "the header will have it");
        for mut event in [user("Hello"), reply("Hi")] {
            assert!(recorder.stamp(&mut event, 1_700_000_000_000));
            write(recorder.record(&event, 1_700_000_000_000));
        }
        write(recorder.rename("A name", 1_700_000_000_000));
        write(recorder.set_agent_session("another", 1_700_000_000_000));
        let history = read(&recorder);
        assert_eq!((history.cwd.as_str(), history.title()), ("/ship", "A name".to_owned()));
        let times: Vec<u64> = history.messages.iter().filter_map(Message::timestamp).collect();
        assert_eq!(times.len(), 2);
        assert!(times[0] < times[1], "times are unique, even within one millisecond");
        let bytes = std::fs::read(recorder.file().unwrap()).unwrap();
        assert!(!String::from_utf8(bytes).unwrap().contains("clientId"));
    }

    #[test]
    fn a_torn_line_does_not_harm_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        write(recorder.record(&user("one"), 1));
        let file = recorder.file().unwrap().to_owned();
        let mut open = OpenOptions::new().append(true).open(&file).unwrap();
        open.write_all(b"{\"type\":\"mess").unwrap();
        write(recorder.record(&user("two"), 2));
        assert_eq!(read(&recorder).messages.len(), 2);
    }

    #[test]
    fn a_shell_command_that_ends_during_a_run_follows_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        recorder.stamp(&mut Event::AgentStart, 1);
        write(recorder.record(&user("work"), 1));
        let bash = Event::BashEnd {
            id: "b".to_owned(),
            result: BashResult { command: "ls".to_owned(), ..BashResult::default() },
        };
        assert_eq!(recorder.record(&bash, 2), None);
        write(recorder.record(&reply("done"), 3));
        write(recorder.record(&Event::AgentSettled { aborted: false }, 4));
        assert!(matches!(read(&recorder).messages.last(), Some(Message::BashExecution { .. })));
    }

    #[test]
    fn lines_that_could_not_be_written_are_written_with_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        let lost = recorder.record(&user("one"), 1).unwrap();
        recorder.not_written(lost, Instant::now());
        assert!(recorder.retry_at().is_some());
        write(recorder.record(&user("two"), 2));
        assert_eq!(read(&recorder).messages.len(), 2);
        assert_eq!((recorder.retry_at(), recorder.retry()), (None, None));
        let lost = recorder.record(&user("three"), 3).unwrap();
        recorder.not_written(lost, Instant::now());
        write(recorder.retry());
        assert_eq!(read(&recorder).messages.len(), 3);
    }

    #[test]
    fn an_import_is_recorded_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        write(recorder.begin_import("s1", "Old work", 1));
        assert_eq!(recorder.record(&user("half of it"), 2), None);
        assert_eq!(recorder.import(), Some("s1"));
        assert_eq!((read(&recorder).title().as_str(), read(&recorder).messages.len()), ("Old work", 0));
        recorder.reset_import();
        for (event, now) in [(user("one"), 3), (reply("two"), 4)] {
            assert_eq!(recorder.record(&event, now), None);
        }
        write(recorder.set_agent_session("s1", 5));
        assert_eq!((recorder.import(), read(&recorder).messages.len()), (None, 2));
        write(recorder.record(&user("three"), 6));
        assert_eq!(read(&recorder).messages.len(), 3);
    }

    #[test]
    fn a_part_of_an_import_in_the_file_is_not_shown_after_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        write(recorder.begin_import("s1", "Old work", 1));
        recorder.record(&user("one"), 2);
        let all = recorder.set_agent_session("s1", 3).unwrap();
        let first_line = all.lines.lines().next().unwrap();
        write(Some(Append { file: all.file.clone(), lines: format!("{first_line}\n") }));
        let file = recorder.file().unwrap().to_owned();
        let mut next = self::recorder(folder.path());
        next.continue_file(
            &file,
            RecordedFacts { import: Some("s1".to_owned()), ..RecordedFacts::default() },
        );
        next.reset_import();
        next.record(&user("one"), 5);
        write(next.set_agent_session("s1", 6));
        assert_eq!(read(&next).messages.len(), 1);
    }

    #[test]
    fn the_name_of_the_user_is_not_replaced_by_the_agent() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        let mut title = Event::TitleChanged { title: "The agent's".to_owned() };
        assert!(recorder.stamp(&mut title, 1));
        write(recorder.rename("Mine", 1));
        assert!(!recorder.stamp(&mut title, 2));
    }
}
