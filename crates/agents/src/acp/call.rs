//! One tool call, merged from its updates. In an update a missing field is unchanged and a list replaces the old one.
//!
//! Agents put the same things in different places: the output of a command is in the content, in `_meta` as deltas, or
//! in the raw output; a diff is of the whole file or of a part of it; the tool's name is in `name`, in `_meta`, in the
//! title, or nowhere.

use agent_client_protocol_schema::v1::{
    ContentBlock, ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolKind as AcpKind,
};
use pilothouse_core::conversation::limit::{self, BlockText};
use pilothouse_core::conversation::live_output;
use pilothouse_core::conversation::message::{CallInfo, Content, Location, Message, Part, ToolCall};
use pilothouse_core::conversation::ui_message::{Image, PATH_ARGUMENTS, Phase, ToolStep};
use pilothouse_core::limits::{CALL_LOCATIONS, NAME_BYTES, ROW_IMAGES, ROW_TEXT_BYTES, ROW_VALUE_BYTES};
use pilothouse_core::protocol::event::{Event, ToolOutput};
use pilothouse_core::render::tool_kind::ToolKind;
use serde_json::{Map, Value, json};

/// A tool call in progress.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) id: String,
    /// The agent's name of the tool; empty if it is unknown.
    name: String,
    kind: AcpKind,
    title: String,
    raw_input: Value,
    raw_output: Value,
    locations: Vec<Location>,
    /// The text of the content.
    text: BlockText,
    images: Vec<Image>,
    /// The diffs with the most context so far.
    diffs: Vec<Value>,
    /// Terminal output that was reported as deltas.
    terminal: BlockText,
    /// The bytes that are left out of the title, the input, the locations and the diffs.
    left_out: [u64; 4],
    /// Whether the call's description has changed since it was last emitted.
    pub(super) is_described: bool,
    new_output: NewOutput,
    /// The output that was last emitted is the terminal's.
    shows_terminal: bool,
    exit_code: Option<i64>,
    status: Option<ToolCallStatus>,
    pub(super) parent: String,
    /// The call is the row of a sub-agent or one of its calls, so that its parent is known.
    pub(super) of_subagent: bool,
    /// The number of open permission requests for this call.
    pub(super) asking: usize,
    /// The user declined a permission request for this call.
    pub(super) rejected: bool,
    /// `ToolExecutionStart` was emitted.
    pub(super) started: bool,
    /// The call as it was last emitted.
    pub(super) shown: ToolCall,
    /// The output as it was last emitted.
    shown_output: String,
    /// The call has a row.
    pub(super) placed: bool,
    /// The call as its assistant message recorded it.
    pub(super) recorded: Option<ToolCall>,
}

/// The change of the output since it was last emitted.
#[derive(Debug, Default)]
enum NewOutput {
    #[default]
    Nothing,
    /// Only terminal output was added.
    Appended(String),
    Changed,
}

impl Call {
    pub(super) fn new(id: String) -> Self {
        Self { id, ..Self::default() }
    }

    /// Merges an update.
    pub(super) fn merge(&mut self, update: ToolCallUpdate) {
        let fields = update.fields;
        if let Some(name) = fields.name.filter(|name| !name.is_empty()) {
            self.set_name(name);
        }
        if let Some(kind) = fields.kind {
            self.kind = kind;
            self.is_described = true;
            self.new_output = NewOutput::Changed;
        }
        if let Some(title) = fields.title {
            self.set_title(title);
        }
        if let Some(status) = fields.status
            && !self.has_ended()
        {
            self.status = Some(status);
            // The agent goes on with it.
            if matches!(status, ToolCallStatus::InProgress | ToolCallStatus::Completed) {
                self.rejected = false;
            }
        }
        if let Some(locations) = fields.locations.filter(|locations| !locations.is_empty()) {
            let location = |location: agent_client_protocol_schema::v1::ToolCallLocation| Location {
                path: location.path.to_string_lossy().into_owned(),
                line: location.line.map(u64::from),
            };
            self.locations = locations.into_iter().map(location).collect();
            let all = self.locations.len();
            self.locations.truncate(CALL_LOCATIONS);
            self.left_out[2] = if all > CALL_LOCATIONS { 1 } else { 0 };
            self.is_described = true;
        }
        // A later update may repeat the input with less in it, such as a permission request with an empty one.
        if let Some(mut input) = fields.raw_input.filter(|input| !is_empty(input) || self.raw_input.is_null())
        {
            self.left_out[1] = limit::cut_value(&mut input, ROW_VALUE_BYTES);
            self.raw_input = input;
            self.is_described = true;
        }
        if let Some(mut output) = fields.raw_output {
            limit::cut_value(&mut output, ROW_VALUE_BYTES);
            self.raw_output = output;
            self.new_output = NewOutput::Changed;
        }
        if let Some(content) = fields.content {
            self.set_content(content);
        }
        if let Some(meta) = update.meta {
            self.merge_meta(&Value::Object(meta.into_iter().collect()));
        }
    }

    /// The first title of an agent that has no field for the tool's name may be that name.
    fn set_title(&mut self, mut title: String) {
        if self.title.is_empty() && self.name.is_empty() && is_tool_name(&title) {
            self.set_name(title.clone());
        }
        let all = title.len();
        limit::shorten(&mut title, ROW_TEXT_BYTES);
        self.left_out[0] = if all > ROW_TEXT_BYTES { 1 } else { 0 };
        self.title = title;
        self.is_described = true;
    }

    fn set_name(&mut self, mut name: String) {
        limit::shorten(&mut name, NAME_BYTES);
        self.name = name;
        self.is_described = true;
    }

    /// The number of bytes that are left out of what describes the call.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out.iter().fold(0, |all, bytes| bytes.saturating_add(all))
    }

    fn set_content(&mut self, content: Vec<ToolCallContent>) {
        let mut texts = Vec::new();
        let mut diffs = Vec::new();
        let mut images = Vec::new();
        for item in content {
            match item {
                ToolCallContent::Content(content) => match content.content {
                    ContentBlock::Text(text) => texts.push(text.text),
                    ContentBlock::Image(image) => images.push(Image {
                        mime_type: image.mime_type,
                        data: image.data,
                        ..Image::default()
                    }),
                    other => texts.extend(resource_text(&other)),
                },
                ToolCallContent::Diff(diff) => {
                    let mut block = json!({
                        "type": "diff",
                        "path": diff.path.to_string_lossy(),
                        "newText": diff.new_text,
                    });
                    if let Some(old) = diff.old_text {
                        block["oldText"] = old.into();
                    }
                    if let Some(meta) = diff.meta.filter(|meta| meta.contains_key("kind")) {
                        block["_meta"] = Value::Object(meta.into_iter().collect());
                    }
                    diffs.push(block);
                }
                // The output of a terminal arrives in `_meta`.
                _ => {}
            }
        }
        let mut text = without_fence(&texts.join("\n\n"));
        let left_out = limit::cut_row(&mut text);
        self.text = BlockText { text, left_out };
        images.truncate(ROW_IMAGES);
        self.images = images;
        self.new_output = NewOutput::Changed;
        // The last diff of a file may be the poorest.
        let is_poorer = paths_of(&diffs) == paths_of(&self.diffs) && size_of(&diffs) < size_of(&self.diffs);
        if !diffs.is_empty() && !is_poorer {
            let mut diffs = Value::Array(diffs);
            self.left_out[3] = limit::cut_value(&mut diffs, ROW_VALUE_BYTES);
            self.diffs = match diffs {
                Value::Array(diffs) => diffs,
                mark => vec![mark],
            };
        }
    }

    fn merge_meta(&mut self, meta: &Value) {
        let text = |pointer: &str| meta.pointer(pointer).and_then(Value::as_str);
        if let Some(name) = text("/claudeCode/toolName") {
            self.set_name(name.to_owned());
        }
        if let Some(parent) = text("/claudeCode/parentToolUseId").filter(|_| !self.of_subagent) {
            parent.clone_into(&mut self.parent);
            limit::shorten_id(&mut self.parent);
            self.is_described = true;
        }
        for data in
            ["/terminal_output/data", "/terminal_output_delta/data"].iter().filter_map(|key| text(key))
        {
            self.append_output(data);
        }
        if let Some(code) = meta.pointer("/terminal_exit/exit_code").and_then(Value::as_i64) {
            self.exit_code = Some(code);
        }
    }

    /// Adds output, of which only the end is kept if it is very long.
    pub(super) fn append_output(&mut self, data: &str) {
        live_output::append(&mut self.terminal.text, &mut self.terminal.left_out, data);
        match &mut self.new_output {
            NewOutput::Nothing => self.new_output = NewOutput::Appended(data.to_owned()),
            NewOutput::Appended(appended) if appended.len() < ROW_TEXT_BYTES => appended.push_str(data),
            _ => self.new_output = NewOutput::Changed,
        }
    }

    pub(super) const fn has_ended(&self) -> bool {
        matches!(self.status, Some(ToolCallStatus::Completed | ToolCallStatus::Failed))
    }

    pub(super) const fn has_failed(&self) -> bool {
        matches!(self.status, Some(ToolCallStatus::Failed))
    }

    pub(super) const fn is_running(&self) -> bool {
        matches!(self.status, Some(ToolCallStatus::InProgress))
    }

    /// Whether the agent has said that the call does not run yet.
    pub(super) const fn is_pending(&self) -> bool {
        matches!(self.status, Some(ToolCallStatus::Pending))
    }

    pub(super) fn set_running(&mut self) {
        if !self.has_ended() {
            self.status = Some(ToolCallStatus::InProgress);
        }
    }

    pub(super) fn add_image(&mut self, image: Image) {
        if self.images.len() < ROW_IMAGES {
            self.images.push(image);
        }
    }

    /// Makes this the row of a sub-agent, with the arguments that `ToolView::Delegate` reads.
    pub(super) fn set_delegate(&mut self, title: &str, description: &str) {
        let prompt = if description.is_empty() { title } else { description };
        let input = json!({"description": title, "prompt": prompt});
        if !self.of_subagent || self.raw_input != input {
            "task".clone_into(&mut self.name);
            title.clone_into(&mut self.title);
            self.raw_input = input;
            self.is_described = true;
        }
        self.of_subagent = true;
    }

    /// The call in the vocabulary that all agents share.
    pub(super) fn tool_call(&self) -> ToolCall {
        let name = self.tool_name();
        ToolCall {
            id: self.id.clone(),
            arguments: self.arguments(),
            arguments_error: None,
            info: CallInfo {
                title: self.title.clone(),
                locations: self.locations.clone(),
                parent: self.parent.clone(),
                own_name: if self.name == name { String::new() } else { self.name.clone() },
            },
            name,
        }
    }

    /// The agent's name of the tool if it is a well-known one of the declared kind, else the name of the kind.
    fn tool_name(&self) -> String {
        let is_known = ToolKind::verb(&self.name).is_some();
        let kind = ToolKind::of(&self.name);
        let (fits, by_kind) = match self.kind {
            AcpKind::Execute => (kind == ToolKind::Shell, "bash"),
            AcpKind::Read => (matches!(kind, ToolKind::Read | ToolKind::List), "read"),
            AcpKind::Edit => (matches!(kind, ToolKind::Edit | ToolKind::Write), "edit"),
            AcpKind::Search => (matches!(kind, ToolKind::Search | ToolKind::Find | ToolKind::List), "search"),
            AcpKind::Fetch => (kind == ToolKind::Web, "fetch"),
            AcpKind::Delete => (false, "delete"),
            AcpKind::Move => (false, "move"),
            AcpKind::Think => (!self.name.is_empty(), "think"),
            AcpKind::SwitchMode => (false, "switch_mode"),
            _ => (!self.name.is_empty(), "tool"),
        };
        let own = matches!(self.kind, AcpKind::Think | AcpKind::Other) || is_known;
        if fits && own { self.name.clone() } else { by_kind.to_owned() }
    }

    /// The arguments, completed from the title and the locations.
    fn arguments(&self) -> Value {
        let mut arguments = match &self.raw_input {
            Value::Object(input) => input.clone(),
            Value::Null => Map::new(),
            other => Map::from_iter([("input".to_owned(), other.clone())]),
        };
        let lacks = |arguments: &Map<String, Value>, keys: &[&str]| {
            !keys.iter().any(|key| arguments.contains_key(*key))
        };
        match self.kind {
            // Agents without names and input have the command as the title.
            AcpKind::Execute if lacks(&arguments, &["command", "cmd"]) && self.name.is_empty() => {
                arguments.insert("command".to_owned(), self.title.clone().into());
            }
            AcpKind::Read | AcpKind::Edit | AcpKind::Delete if lacks(&arguments, &PATH_ARGUMENTS) => {
                if let [location] = &self.locations[..] {
                    arguments.insert("path".to_owned(), location.path.clone().into());
                }
            }
            _ => {}
        }
        Value::Object(arguments)
    }

    /// The output as far as it is known.
    pub(super) fn output(&self) -> ToolOutput {
        let mut details = Map::new();
        if let Some(code) = self.exit_code() {
            details.insert("exitCode".to_owned(), code.into());
        }
        if let Some(patch) = self.raw_output.pointer("/metadata/diff").and_then(Value::as_str) {
            details.insert("diff".to_owned(), patch.into());
        }
        if !self.diffs.is_empty() {
            details.insert("content".to_owned(), Value::Array(self.diffs.clone()));
        }
        let BlockText { text, left_out } = self.output_text();
        ToolOutput {
            text,
            images: self.images.clone(),
            details: (!details.is_empty()).then_some(Value::Object(details)),
            left_out,
        }
    }

    /// The event that shows the output since the last one, if there is any.
    pub(super) fn new_output(&mut self) -> Option<Event> {
        let tool_call_id = self.id.clone();
        let change = std::mem::take(&mut self.new_output);
        match change {
            NewOutput::Nothing => return None,
            // Takes no longer than what was added: a row appends it in the same way.
            NewOutput::Appended(delta) if self.shows_terminal => {
                self.shown_output.clear();
                return Some(Event::ToolExecutionDelta { tool_call_id, delta });
            }
            _ => {}
        }
        let BlockText { text, left_out } = self.output_text();
        self.shows_terminal = self.is_terminal_shown();
        let event = match text.strip_prefix(&self.shown_output) {
            Some("") => return None,
            Some(delta) if !self.shown_output.is_empty() && left_out == 0 => {
                Event::ToolExecutionDelta { tool_call_id, delta: delta.to_owned() }
            }
            _ => {
                let partial_result = ToolOutput { text: text.clone(), left_out, ..ToolOutput::default() };
                let tool_name = self.shown.name.clone();
                Event::ToolExecutionUpdate { tool_call_id, tool_name, partial_result }
            }
        };
        self.shown_output = text;
        Some(event)
    }

    /// Whether the output is exactly the terminal's.
    fn is_terminal_shown(&self) -> bool {
        self.text.text.trim().is_empty() && !self.terminal.text.is_empty() && self.kind != AcpKind::Read
    }

    fn output_text(&self) -> BlockText {
        let BlockText { text, left_out } = if !self.text.text.trim().is_empty() {
            self.text.clone()
        } else if !self.terminal.text.is_empty() {
            self.terminal.clone()
        } else {
            raw_text(&self.raw_output).into()
        };
        let mut text = if self.kind == AcpKind::Read { without_line_numbers(text) } else { text };
        let left_out = left_out.saturating_add(limit::cut_row(&mut text));
        BlockText { text, left_out }
    }

    /// The output that cannot be a description, and the bytes that are left out of it.
    pub(super) fn raw_output_text(&self) -> (String, u64) {
        let is_empty = self.terminal.text.is_empty();
        let mut text = if is_empty { raw_text(&self.raw_output) } else { self.terminal.text.clone() };
        let left_out = limit::cut_row(&mut text);
        (text, left_out.saturating_add(self.terminal.left_out))
    }

    fn exit_code(&self) -> Option<i64> {
        let raw = || {
            ["/exit_code", "/exitCode", "/metadata/exit"]
                .iter()
                .find_map(|key| self.raw_output.pointer(key)?.as_i64())
        };
        self.exit_code.or_else(raw).filter(|_| self.kind == AcpKind::Execute)
    }

    /// The call as a permission request shows it.
    pub(super) fn step(&self) -> ToolStep {
        let ToolCall { id, name, arguments, info, .. } = self.tool_call();
        let details = self.output().details;
        ToolStep {
            call_id: id,
            tool_name: name,
            tool_args: arguments,
            phase: Phase::Calling,
            details,
            info,
            ..ToolStep::default()
        }
    }

    /// The message with the call's result.
    pub(super) fn result(&self, output: &ToolOutput, is_error: bool) -> Message {
        let call = self.tool_call();
        let mut parts = vec![Part::Text { text: output.text.clone() }];
        parts.extend((output.left_out > 0).then_some(Part::LeftOut { bytes: output.left_out }));
        parts.extend(output.images.iter().cloned().map(Part::Image));
        Message::ToolResult {
            tool_call_id: self.id.clone(),
            tool_name: call.name.clone(),
            content: Content(parts),
            details: output.details.clone(),
            is_error,
            duration_ms: None,
            call: (self.recorded.as_ref() != Some(&call)).then(|| Box::new(call)),
        }
    }
}

/// Whether a title is the name of a tool rather than a description: one word in lower case.
fn is_tool_name(title: &str) -> bool {
    !title.is_empty()
        && title
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_-".contains(letter))
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

fn paths_of(diffs: &[Value]) -> Vec<&str> {
    diffs.iter().filter_map(|diff| diff.get("path")?.as_str()).collect()
}

fn size_of(diffs: &[Value]) -> usize {
    let length = |diff: &Value, key: &str| diff.get(key).and_then(Value::as_str).map_or(0, str::len);
    diffs.iter().map(|diff| length(diff, "oldText") + length(diff, "newText")).sum()
}

/// The text of a resource in the content.
fn resource_text(block: &ContentBlock) -> Option<String> {
    let value = serde_json::to_value(block).ok()?;
    let text = value.pointer("/resource/text").or_else(|| value.get("uri")).and_then(Value::as_str);
    text.map(str::to_owned)
}

/// The text in a raw output, in the fields that agents use. Other values are shown as JSON.
fn raw_text(output: &Value) -> String {
    match output {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(_) => ToolOutput::from_value(output.clone()).text,
        Value::Object(fields) => {
            let text =
                ["output", "formatted_output", "aggregated_output", "stdout", "text", "error", "message"]
                    .iter()
                    .find_map(|key| fields.get(*key)?.as_str());
            let only_status = || {
                fields
                    .keys()
                    .all(|key| ["exit_code", "exitCode", "metadata", "success"].contains(&key.as_str()))
            };
            match text {
                Some(text) => text.to_owned(),
                None if only_status() => String::new(),
                None => output.to_string(),
            }
        }
        other => other.to_string(),
    }
}

/// Removes a fence around the whole text.
fn without_fence(text: &str) -> String {
    let trimmed = text.trim();
    let inner = || {
        let (language, rest) = trimmed.strip_prefix("```")?.split_once('\n')?;
        let body = rest.strip_suffix("```")?;
        (!language.contains('`') && !body.contains("\n```")).then(|| body.strip_suffix('\n').unwrap_or(body))
    };
    inner().unwrap_or(text).to_owned()
}

/// Removes line numbers that count up without gaps, as some agents add them to the text of a file.
fn without_line_numbers(text: String) -> String {
    let mut next = None;
    let mut plain = Vec::new();
    for line in text.lines() {
        let Some((number, rest)) = line.split_once(['\t', '→']) else { return text };
        let Ok(number) = number.trim().parse::<u64>() else { return text };
        if next.is_some_and(|next| next != number) {
            return text;
        }
        next = Some(number + 1);
        plain.push(rest);
    }
    plain.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(updates: &[Value]) -> Call {
        let mut call = Call::new("c".to_owned());
        for update in updates {
            let mut update = update.clone();
            update["toolCallId"] = "c".into();
            call.merge(serde_json::from_value(update).unwrap());
        }
        call
    }

    fn described(call: &Call) -> (String, Value) {
        let ToolCall { name, arguments, .. } = call.tool_call();
        (name, arguments)
    }

    #[test]
    fn the_tool_is_named_by_its_kind_unless_its_name_is_well_known() {
        let named = |value: Value| described(&call(&[value])).0;
        assert_eq!(named(json!({"name": "exec_command", "kind": "read", "title": "Read file 'x'"})), "read");
        assert_eq!(named(json!({"name": "exec_command", "kind": "execute"})), "bash");
        assert_eq!(named(json!({"_meta": {"claudeCode": {"toolName": "Write"}}, "kind": "edit"})), "Write");
        assert_eq!(named(json!({"_meta": {"claudeCode": {"toolName": "Task"}}, "kind": "think"})), "Task");
        assert_eq!(named(json!({"title": "todowrite", "kind": "other"})), "todowrite");
        assert_eq!(named(json!({"name": "mcp__issues__read", "kind": "other"})), "mcp__issues__read");
        assert_eq!(named(json!({"name": "mcp__issues__read", "kind": "read"})), "read");
        assert_eq!(named(json!({"title": "Ask somebody"})), "tool");
        assert_eq!(named(json!({"kind": "teleport", "name": "x"})), "x", "an unknown kind");
    }

    #[test]
    fn the_arguments_are_completed_from_title_and_locations() {
        let shell = call(&[json!({"kind": "execute", "title": "ls -l"})]);
        assert_eq!(described(&shell), ("bash".to_owned(), json!({"command": "ls -l"})));
        let pending =
            call(&[json!({"kind": "execute", "title": "Terminal", "name": "Bash", "rawInput": {}})]);
        assert_eq!(described(&pending).1, json!({}), "a title of an agent with names is not a command");
        let read = call(&[json!({"kind": "read", "locations": [{"path": "/a", "line": 3}]})]);
        assert_eq!(described(&read).1, json!({"path": "/a"}));
        let words = call(&[json!({"kind": "other", "rawInput": ["a"]})]);
        assert_eq!(described(&words).1, json!({"input": ["a"]}));
    }

    #[test]
    fn the_output_is_found_in_content_deltas_and_raw_output() {
        let output = |updates: &[Value]| call(updates).output();
        let content = json!({"content": [{"type": "content", "content": {"type": "text", "text": "```console\nhi\n```"}}]});
        assert_eq!(output(&[content]).text, "hi");
        let delta =
            |text: &str| json!({"kind": "execute", "_meta": {"terminal_output_delta": {"data": text}}});
        let exit = json!({"_meta": {"terminal_exit": {"exit_code": 3}}});
        let streamed = output(&[delta("a\n"), delta("b\n"), exit]);
        assert_eq!((streamed.text.as_str(), streamed.details), ("a\nb\n", Some(json!({"exitCode": 3}))));
        assert_eq!(
            output(&[json!({"rawOutput": {"output": "o", "metadata": {"exit": 1}}, "kind": "execute"})]).text,
            "o"
        );
        assert_eq!(output(&[json!({"rawOutput": {"exit_code": 0}})]).text, "");
        assert_eq!(output(&[json!({"rawOutput": {"rows": 3}})]).text, "{\"rows\":3}");
        assert_eq!(output(&[json!({"rawOutput": [{"type": "text", "text": "t"}]})]).text, "t");
        let numbered = json!({"kind": "read", "rawOutput": "7\ta\n8\tb"});
        assert_eq!(output(&[numbered]).text, "a\nb");
        assert_eq!(
            without_line_numbers("1\ta\n3\tb".to_owned()),
            "1\ta\n3\tb",
            "a table is not numbered lines"
        );
    }

    #[test]
    fn only_new_output_is_emitted() {
        let delta =
            |text: &str| json!({"toolCallId": "c", "_meta": {"terminal_output_delta": {"data": text}}});
        let mut call = Call::new("c".to_owned());
        let mut emitted = |update: Value| {
            call.merge(serde_json::from_value(update).unwrap());
            match call.new_output()? {
                Event::ToolExecutionUpdate { partial_result, .. } => Some(("all", partial_result.text)),
                Event::ToolExecutionDelta { delta, .. } => Some(("delta", delta)),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(emitted(delta("a")), Some(("all", "a".to_owned())));
        assert_eq!(emitted(delta("b")), Some(("delta", "b".to_owned())));
        assert_eq!(emitted(json!({"toolCallId": "c"})), None);
        let other = json!([{"type": "content", "content": {"type": "text", "text": "other"}}]);
        let replaced = emitted(json!({"toolCallId": "c", "content": other}));
        assert_eq!(replaced, Some(("all", "other".to_owned())));
    }

    #[test]
    fn the_diff_with_more_context_stays() {
        let diff = |old: &str, new: &str| json!({"content": [{"type": "diff", "path": "/a", "oldText": old, "newText": new}]});
        let call = call(&[diff("one\ntwo\n", "one\n2\n"), diff("two", "2")]);
        let details = call.output().details.unwrap();
        assert_eq!(details["content"][0]["oldText"], "one\ntwo\n");
    }

    #[test]
    fn a_status_never_goes_back() {
        let call = call(&[json!({"status": "completed"}), json!({"status": "in_progress"})]);
        assert!(call.has_ended() && !call.is_running());
    }
}
