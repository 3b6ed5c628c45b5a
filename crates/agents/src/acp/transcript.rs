//! Turns the updates of a session into the messages of a conversation. An agent streams chunks and tool calls without
//! saying where a message ends, so the messages are made here:
//!
//! - A message has text, thinking, images and tool calls in the order of their arrival. It ends when text follows a
//!   call, when the agent starts another message, when the user is asked or steers, and with the turn.
//! - A result is recorded after the message with its call, and never inside another message.
//! - A turn ends with an assistant message whose stop reason is that of the turn; if need be, an empty one.
//!
//! Folding only the ended messages gives the same rows as folding all events.

use std::collections::{BTreeMap, VecDeque};

use agent_client_protocol_schema::v1::ToolCallUpdate;
use pilothouse_core::conversation::limit::{self, BlockText};
use pilothouse_core::conversation::message::{Content, Message, Part, StopReason, ToolCall};
use pilothouse_core::conversation::plan::{self, PlanStep};
use pilothouse_core::conversation::ui_message::{Image, ToolStep};
use pilothouse_core::limits::{
    LINE_BYTES, MESSAGE_BYTES, MESSAGE_PARTS, NOTICE_BYTES, OPEN_CALLS, ROW_IMAGES, ROW_TEXT_BYTES, SUBAGENTS,
};
use pilothouse_core::protocol::event::{Event, Update};
use pilothouse_core::render::tool_kind::ToolKind;
use serde_json::Value;

use super::call::Call;
use super::connection::Owner;

/// The number of ended calls that are remembered: late updates of them are ignored.
const REMEMBERED_CALLS: usize = 1_000;

/// The number of blocks with which a message ends. Nothing of it is left out: see `limit::cut_content`.
const FULL_MESSAGE_BLOCKS: usize =
    if ROW_IMAGES < MESSAGE_PARTS / 2 { ROW_IMAGES } else { MESSAGE_PARTS / 2 };

/// The number of ended compactions that are remembered.
const REMEMBERED_COMPACTIONS: usize = 100;

/// The conversation as it is being built.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    events: Vec<Event>,
    /// Between `AgentStart` and `AgentSettled`.
    running: bool,
    /// The run has no prompt: the agent works in the background.
    background: bool,
    message: Option<OpenMessage>,
    /// The calls that have not ended, in the order of their arrival.
    calls: Vec<Call>,
    /// The newest calls that have ended, each with the number of its turn.
    ended: VecDeque<(String, u64)>,
    turn: u64,
    /// Results that wait for the end of the open message.
    results: Vec<Message>,
    /// System rows that wait for the end of the open message.
    notes: Vec<Message>,
    /// The text of a system row that is being received in chunks.
    open_note: BlockText,
    /// The stop reason of the last assistant message, if nothing followed it.
    last_reason: Option<StopReason>,
    /// The agent has used ids for its messages.
    has_message_ids: bool,
    /// The sub-agents that the agent has announced, by their session ids.
    subagents: BTreeMap<String, Subagent>,
    has_plan: bool,
    compactions: Compactions,
    /// The plan as a tool last reported it.
    tool_plan: Vec<PlanStep>,
    /// Calls without an id get a number.
    unnamed: u64,
    /// The user has stopped the turn.
    stopping: bool,
    /// The user message of a replay that is being received.
    replayed_user: Vec<Part>,
    replayed_user_id: Option<String>,
}

/// The compactions of the session. At most one is in progress.
#[derive(Debug, Default)]
struct Compactions {
    open: Option<OpenCompaction>,
    /// The ids of those that have ended, oldest first: an agent may report an end several times.
    ended: VecDeque<String>,
}

#[derive(Debug, Default)]
struct OpenCompaction {
    id: String,
    /// The summary as far as it was received in parts.
    summary: String,
    /// `CompactionStart` was emitted.
    is_shown: bool,
}

impl Compactions {
    /// Whether this compaction has ended. One without an id is always a new one.
    fn has_ended(&self, id: &str) -> bool {
        !id.is_empty() && self.ended.iter().any(|ended| ended == id)
    }

    /// Ends a compaction and returns it if it is the one in progress.
    fn end(&mut self, id: &str) -> Option<OpenCompaction> {
        if !id.is_empty() {
            if self.ended.len() >= REMEMBERED_COMPACTIONS {
                self.ended.pop_front();
            }
            self.ended.push_back(id.to_owned());
        }
        // `CompactionEnd` ends whatever was shown as in progress.
        self.open.take().filter(|open| open.id == id)
    }
}

#[derive(Debug, Default)]
struct OpenMessage {
    blocks: Vec<Block>,
    id: Option<String>,
}

#[derive(Debug)]
enum Block {
    Text(BlockText),
    Thinking(BlockText),
    Image(Image),
    Call(ToolCall),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    Text,
    Thinking,
}

/// A sub-agent. While it works it has an open row.
#[derive(Clone, Debug, Default)]
struct Subagent {
    title: String,
    description: String,
    /// The session of the sub-agent that started it; empty if the agent itself did.
    parent: String,
    /// The call id of its last row.
    row: String,
    rows: u64,
}

/// An update of a sub-agent. A missing field is unchanged.
#[derive(Debug)]
pub(super) struct SubagentUpdate {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) state: Option<SubagentState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubagentState {
    Working,
    Idle,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TurnEnd {
    Done,
    /// Done, with a note for the user.
    DoneWithNote(String),
    Failed(String),
    /// The user stopped it.
    Aborted,
}

impl Transcript {
    /// The events since the last call.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Whether a run is in progress: a turn, work in the background, or a replay.
    pub(super) const fn is_running(&self) -> bool {
        self.running
    }

    pub(super) const fn is_background(&self) -> bool {
        self.background
    }

    /// Starts a run with a prompt.
    pub(super) fn begin_turn(&mut self, content: Content) {
        if self.running {
            self.end_turn(TurnEnd::Done);
        }
        self.turn += 1;
        self.running = true;
        self.events.push(Event::AgentStart);
        self.user_message(content);
    }

    /// Adds a message of the user.
    pub(super) fn user_message(&mut self, content: Content) {
        self.end_message(StopReason::Stop, None);
        let message = Message::User { content, client_id: None, timestamp: None };
        self.events.push(Event::MessageStart { message: message.clone() });
        self.events.push(Event::MessageEnd { message });
        self.last_reason = None;
    }

    /// The user has stopped the run: calls that end from now on were stopped, not rejected.
    pub(super) fn stop(&mut self) {
        self.stopping = self.running;
        self.calls.iter_mut().for_each(|call| call.rejected = false);
    }

    pub(super) const fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Adds a chunk of a replayed user message. Some agents replay internal context as if the user had written it.
    pub(super) fn replayed_user_chunk(&mut self, id: Option<String>, part: Part) {
        if matches!(&part, Part::Text { text } if INTERNAL.iter().any(|start| text.starts_with(start))) {
            return;
        }
        if id.is_some() && id != self.replayed_user_id {
            self.end_replayed_user_message();
        }
        self.replayed_user_id = id.or(self.replayed_user_id.take());
        match (part, self.replayed_user.last_mut()) {
            (Part::Text { text }, _) if linked_image(&text).is_some() => {
                self.replayed_user.extend(linked_image(&text).map(Part::Image));
            }
            (Part::Text { text }, Some(Part::Text { text: last })) if last.len() < ROW_TEXT_BYTES => {
                last.push_str(&text);
            }
            // Bounds what an agent that never ends the message makes of it.
            (part, _) => {
                self.replayed_user.push(part);
                if self.replayed_user.len() > 2 * MESSAGE_PARTS {
                    let mut content = Content(std::mem::take(&mut self.replayed_user));
                    limit::cut_content(&mut content, false);
                    self.replayed_user = content.0;
                }
            }
        }
    }

    fn end_replayed_user_message(&mut self) {
        self.replayed_user_id = None;
        let parts = std::mem::take(&mut self.replayed_user);
        if !parts.is_empty() {
            self.close_calls("");
            self.end_message(StopReason::Stop, None);
            self.user_message(Content(parts));
        }
    }

    /// Adds a chunk of a message of the agent.
    pub(super) fn chunk(&mut self, kind: TextKind, id: Option<String>, part: Part, is_warning: bool) {
        if matches!(&part, Part::Text { text } if text.is_empty()) {
            return;
        }
        if matches!(&part, Part::Text { text } if text.starts_with(MODE_UPDATE)) {
            return;
        }
        self.begin_run();
        // An agent that has ids for its messages has none for those that are not the model's.
        let continues =
            self.message.as_ref().is_some_and(|message| message.id.is_none() && !message.has_calls());
        let is_unnamed = id.is_none() && self.has_message_ids && kind == TextKind::Text && !continues;
        self.has_message_ids |= id.is_some() && kind == TextKind::Text;
        self.close_rejected();
        match &part {
            Part::Text { text } if is_warning => {
                self.close_note();
                return self.note(text.trim().to_owned());
            }
            Part::Text { text } if is_unnamed => return self.open_note.append(text),
            _ => self.close_note(),
        }
        let is_other = self.message.as_ref().is_some_and(|message| {
            let has_call = message.blocks.iter().any(|block| matches!(block, Block::Call(_)));
            has_call || message.is_full() || (id.is_some() && message.id.is_some() && message.id != id)
        });
        if is_other {
            self.end_message(StopReason::ToolUse, None);
        }
        let message = self.open_message();
        message.id = id.or(message.id.take());
        match (part, kind) {
            (Part::Image(image), _) => {
                let content_index = message.blocks.len();
                message.blocks.push(Block::Image(image.clone()));
                self.events.push(Event::MessageUpdate { update: Update::Image { content_index, image } });
            }
            (Part::Text { text }, kind) => self.text(kind, text),
            _ => {}
        }
    }

    fn text(&mut self, kind: TextKind, mut delta: String) {
        let blocks = &mut self.open_message().blocks;
        match (blocks.last(), kind) {
            (Some(Block::Text(_)), TextKind::Text) => {}
            (Some(Block::Thinking(block)), TextKind::Thinking) => {
                // Some agents send thoughts one by one, each with a heading.
                if is_heading(&delta) && !block.text.ends_with('\n') {
                    delta.insert_str(0, "\n\n");
                }
            }
            (_, TextKind::Text) => blocks.push(Block::Text(BlockText::default())),
            (_, TextKind::Thinking) => blocks.push(Block::Thinking(BlockText::default())),
        }
        let content_index = blocks.len() - 1;
        let Some(Block::Text(block) | Block::Thinking(block)) = blocks.last_mut() else { return };
        let before = (block.text.len(), block.left_out);
        block.append(&delta);
        let delta = block.text[before.0..].to_owned();
        let bytes = block.left_out - before.1;
        let update = match kind {
            TextKind::Text => Update::TextDelta { content_index, delta },
            TextKind::Thinking => Update::ThinkingDelta { content_index, delta },
        };
        if block.text.len() > before.0 {
            self.events.push(Event::MessageUpdate { update });
        }
        if bytes > 0 {
            self.events.push(Event::MessageUpdate { update: Update::LeftOut { content_index, bytes } });
        }
    }

    /// Ends the system row that is being received.
    fn close_note(&mut self) {
        if let Some(note) = self.take_open_note() {
            self.add_note(note);
        }
    }

    fn take_open_note(&mut self) -> Option<Message> {
        let BlockText { text, left_out } = std::mem::take(&mut self.open_note);
        let text = text.trim();
        (!text.is_empty()).then(|| note_message(text.to_owned(), left_out))
    }

    /// Adds a row that the agent did not write as an answer. It follows the open message.
    pub(super) fn note(&mut self, text: String) {
        if !text.trim().is_empty() {
            self.add_note(note_message(text, 0));
        }
    }

    fn add_note(&mut self, note: Message) {
        self.notes.push(note);
        let has_calls = self.message.as_ref().is_some_and(OpenMessage::has_calls);
        if !has_calls {
            self.end_message(StopReason::Stop, None);
        }
    }

    /// A compaction is in progress.
    pub(super) fn compaction_started(&mut self, id: String) {
        if self.compactions.has_ended(&id) {
            return;
        }
        let open = self.compactions.open.get_or_insert_default();
        if open.id != id {
            open.id = id;
            open.summary.clear();
        }
        if !std::mem::replace(&mut open.is_shown, true) {
            self.events.push(Event::CompactionStart { reason: String::new() });
        }
    }

    /// Adds a part of a compaction's summary.
    pub(super) fn compaction_chunk(&mut self, id: &str, text: &str) {
        if self.compactions.has_ended(id) {
            return;
        }
        let open = self.compactions.open.get_or_insert_default();
        if open.id != id {
            id.clone_into(&mut open.id);
            open.summary.clear();
        }
        let room = ROW_TEXT_BYTES.saturating_sub(open.summary.len());
        // One letter more, so that the summary is recognized as too long.
        open.summary.push_str(&text[..text.ceil_char_boundary(room.saturating_add(1).min(text.len()))]);
    }

    /// A compaction succeeded. Without a `summary` it is the one that was received in parts.
    pub(super) fn compaction_done(&mut self, id: &str, summary: Option<String>) {
        if self.compactions.has_ended(id) {
            return;
        }
        let parts = self.compactions.end(id).map(|open| open.summary);
        let summary = [summary, parts].into_iter().flatten().find(|summary| !summary.trim().is_empty());
        let summary = summary.unwrap_or_else(|| "The agent compacted the conversation.".to_owned());
        self.end_message(StopReason::Stop, None);
        self.events.push(Event::CompactionEnd { summary: Some(summary), aborted: false, error: None });
    }

    /// A compaction failed or was cancelled.
    pub(super) fn compaction_failed(&mut self, id: &str, error: Option<String>) {
        if !self.compactions.has_ended(id) {
            self.compactions.end(id);
            self.events.push(Event::CompactionEnd { summary: None, aborted: true, error });
        }
    }

    /// Whether a compaction is in progress.
    pub(super) fn is_compacting(&self) -> bool {
        self.compactions.open.as_ref().is_some_and(|open| open.is_shown)
    }

    /// Gives up a compaction whose end the agent has not reported.
    pub(super) fn abandon_compaction(&mut self) {
        if self.compactions.open.take().is_some_and(|open| open.is_shown) {
            self.events.push(Event::CompactionEnd { summary: None, aborted: true, error: None });
        }
    }

    /// Adds or updates a call. `is_new` says whether the agent announces it, as opposed to updating it.
    pub(super) fn call(&mut self, update: ToolCallUpdate, is_new: bool, parent: &str) {
        let mut id = update.tool_call_id.to_string();
        if id.is_empty() {
            let is_subagent = |call: &Call| self.subagents.values().any(|known| known.row == call.id);
            let of_same_agent = |call: &&Call| {
                let is_own = if parent.is_empty() { !call.of_subagent } else { call.parent == parent };
                is_own && !is_subagent(call)
            };
            match self.calls.iter().rfind(of_same_agent) {
                Some(last) if !is_new => id.clone_from(&last.id),
                _ => {
                    self.unnamed += 1;
                    id = format!("call-{}", self.unnamed);
                }
            }
        }
        if !self.calls.iter().any(|call| call.id == id) && self.is_past(&id, is_new) {
            return;
        }
        self.begin_output();
        if !self.calls.iter().any(|call| call.id == id) {
            self.close_rejected();
            let mut call = Call::new(id.clone());
            parent.clone_into(&mut call.parent);
            call.of_subagent = !parent.is_empty();
            self.add_call(call);
        }
        self.change_call(&id, |call| call.merge(update));
        self.plan_of_call(&id);
        self.settle_call(&id);
    }

    /// Whether a call has ended and this update is a late one. An agent may use an id again in a later turn.
    fn is_past(&self, id: &str, is_new: bool) -> bool {
        let ended = self.ended.iter().rfind(|(ended, _)| ended == id);
        ended.is_some_and(|(_, turn)| !is_new || *turn == self.turn)
    }

    fn add_call(&mut self, mut call: Call) {
        if self.calls.len() >= OPEN_CALLS
            && let Some(oldest) = self.calls.first().map(|call| call.id.clone())
        {
            self.end_call(&oldest, false, "");
        }
        call.shown = call.tool_call();
        if self.message.as_ref().is_some_and(OpenMessage::is_full) {
            self.end_message(StopReason::ToolUse, None);
        }
        let message = self.open_message();
        message.blocks.push(Block::Call(call.shown.clone()));
        self.calls.push(call);
    }

    /// Changes a call and shows what has changed.
    fn change_call(&mut self, id: &str, change: impl FnOnce(&mut Call)) {
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id) else { return };
        change(call);
        // Most updates only add output.
        if !std::mem::take(&mut call.is_described) && call.placed {
            return;
        }
        let now = call.tool_call();
        let blocks = self.message.iter_mut().flat_map(|message| message.blocks.iter_mut().enumerate());
        let block = blocks.into_iter().find_map(|(index, block)| match block {
            Block::Call(shown) if shown.id == id => Some((index, shown)),
            _ => None,
        });
        match block {
            Some((content_index, shown)) => {
                // The first report of a call is shown with everything that came with it.
                let is_first = !std::mem::replace(&mut call.placed, true);
                if is_first || *shown != now {
                    *shown = now.clone();
                    let update = Update::ToolcallEnd { content_index, tool_call: now.clone() };
                    self.events.push(Event::MessageUpdate { update });
                }
            }
            None if call.shown != now => {
                self.events.push(Event::ToolCallChanged { tool_call: now.clone() });
            }
            None => {}
        }
        call.shown = now;
    }

    /// Shows that a call runs, its output, and its end.
    fn settle_call(&mut self, id: &str) {
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id) else { return };
        if call.has_ended() {
            let is_error = call.has_failed();
            let note = match (is_error, self.stopping, call.rejected) {
                (true, true, _) => ABORTED,
                (true, false, true) if call.output().text.trim().is_empty() => REJECTED,
                _ => "",
            };
            return self.end_call(id, is_error, note);
        }
        if call.is_running() && call.asking == 0 {
            let tool_call_id = call.id.clone();
            if !std::mem::replace(&mut call.started, true) {
                self.events.push(Event::ToolExecutionStart {
                    tool_call_id: tool_call_id.clone(),
                    tool_name: call.shown.name.clone(),
                    args: call.shown.arguments.clone(),
                });
            }
            self.events.extend(call.new_output());
        }
    }

    /// Ends a call. `note` is added to its output.
    fn end_call(&mut self, id: &str, is_error: bool, note: &str) {
        let Some(position) = self.calls.iter().position(|call| call.id == id) else { return };
        let mut call = self.calls.remove(position);
        let is_in_message =
            self.message.as_ref().is_some_and(|message| message.calls().any(|known| known == id));
        if is_in_message {
            call.recorded = Some(call.shown.clone());
        }
        let mut output = call.output();
        limit::cut_output(&mut output);
        if !call.started && !call.has_ended() && (call.is_pending() || !note.is_empty()) {
            // The content of a call that never ran is a description, not an output.
            (output.text, output.left_out) = call.raw_output_text();
        }
        if !note.is_empty() && !output.text.trim_end().ends_with(note) {
            let before = output.text.trim_end().to_owned();
            output.text = if before.is_empty() { note.to_owned() } else { format!("{before}\n\n{note}") };
        }
        self.events.push(Event::ToolExecutionEnd {
            tool_call_id: call.id.clone(),
            tool_name: call.shown.name.clone(),
            result: output.clone(),
            is_error,
            duration_ms: None,
        });
        self.results.push(call.result(&output, is_error));
        if self.ended.len() >= REMEMBERED_CALLS {
            self.ended.pop_front();
        }
        self.ended.push_back((call.id, self.turn));
        let is_complete = self.message.as_ref().is_some_and(|message| {
            let mut calls = message.calls().peekable();
            calls.peek().is_some() && calls.all(|id| !self.calls.iter().any(|call| call.id == id))
        });
        if is_complete {
            self.end_message(StopReason::ToolUse, None);
        } else if self.message.is_none() {
            self.flush();
        }
    }

    /// Ends the calls that the user rejected and that the agent has not mentioned since.
    fn close_rejected(&mut self) {
        let rejected = self.calls.iter().filter(|call| call.rejected && call.asking == 0);
        for id in rejected.map(|call| call.id.clone()).collect::<Vec<_>>() {
            self.end_call(&id, true, REJECTED);
        }
    }

    /// Ends all calls at the end of a turn. Without a `note` they count as done: some agents never report success.
    fn close_calls(&mut self, note: &str) {
        while let Some(call) = self.calls.first() {
            let (id, rejected) = (call.id.clone(), call.rejected);
            match note {
                "" if rejected => self.end_call(&id, true, REJECTED),
                "" => self.end_call(&id, false, ""),
                note => self.end_call(&id, true, note),
            }
        }
    }

    /// Prepares a permission request for a call and returns the call as the card shows it. The message ends, so that
    /// the row that records the answer follows it.
    pub(super) fn ask(&mut self, update: ToolCallUpdate, session: &str, owner: Owner) -> (ToolStep, u64) {
        let id = update.tool_call_id.to_string();
        let is_known = self.calls.iter().any(|call| call.id == id);
        let fields = &update.fields;
        let is_described = fields.title.is_some() || fields.kind.is_some() || fields.raw_input.is_some();
        // A request that only names an unknown call has no row: nothing would be in it.
        let has_row = is_known || (is_described && !id.is_empty() && !self.is_past(&id, true));
        match owner {
            Owner::Session if has_row => self.call(update.clone(), true, ""),
            Owner::Subagent if has_row => self.subagent_tool_call(session, update.clone(), true),
            _ => {}
        }
        self.end_message(StopReason::ToolUse, None);
        match self.calls.iter_mut().find(|call| call.id == id) {
            Some(call) => {
                call.asking += 1;
                (call.step(), call.left_out())
            }
            None => {
                let mut call = Call::new(id);
                call.merge(update);
                (call.step(), call.left_out())
            }
        }
    }

    /// Prepares a question to the user.
    pub(super) fn question(&mut self) {
        self.end_replayed_user_message();
        self.end_message(StopReason::ToolUse, None);
    }

    /// A permission request for a call was answered. An approved call runs, whether the agent says so or not.
    pub(super) fn answered(&mut self, id: &str, approved: bool) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
            call.asking = call.asking.saturating_sub(1);
            if approved {
                call.rejected = false;
                call.set_running();
            } else if !self.stopping {
                call.rejected = true;
            }
            if call.asking == 0 && approved {
                self.settle_call(id);
            }
        }
    }

    /// The agent withdrew a permission request: it was decided elsewhere.
    pub(super) fn withdrawn(&mut self, id: &str) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
            call.asking = call.asking.saturating_sub(1);
        }
        self.settle_call(id);
    }

    /// Whether a call has not ended.
    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    pub(super) fn has_subagent(&self, session: &str) -> bool {
        self.subagents.contains_key(session)
    }

    /// Applies what the agent reports about a sub-agent. An idle one may work again, which is shown as another row.
    pub(super) fn subagent(&mut self, session: &str, update: SubagentUpdate, parent: &str) {
        let is_new = !self.has_subagent(session);
        if is_new && self.subagents.len() >= SUBAGENTS {
            return;
        }
        let known = self.subagents.entry(session.to_owned()).or_default();
        if is_new && parent != session {
            parent.clone_into(&mut known.parent);
        }
        known.title = update.title.unwrap_or(std::mem::take(&mut known.title));
        known.description = update.description.unwrap_or(std::mem::take(&mut known.description));
        limit::shorten(&mut known.title, LINE_BYTES);
        limit::shorten(&mut known.description, NOTICE_BYTES);
        let row = known.row.clone();
        let is_open = self.calls.iter().any(|call| call.id == row);
        match update.state {
            Some(SubagentState::Idle) if !is_open => {}
            Some(SubagentState::Idle) => {
                self.show_subagent(session);
                self.end_call(&row, false, "");
            }
            None if !is_open && !is_new => {}
            None | Some(SubagentState::Working) => drop(self.show_subagent(session)),
        }
    }

    /// Shows a sub-agent as working and returns the id of its row.
    fn show_subagent(&mut self, session: &str) -> String {
        let Some(mut known) = self.subagents.get(session).cloned() else { return String::new() };
        let is_open = self.calls.iter().any(|call| call.id == known.row);
        self.begin_output();
        if !is_open {
            self.close_rejected();
            known.rows += 1;
            known.row = match known.rows {
                1 => format!("subagent-{session}"),
                number => format!("subagent-{session}#{number}"),
            };
            let mut call = Call::new(known.row.clone());
            call.parent =
                self.subagents.get(&known.parent).map(|parent| parent.row.clone()).unwrap_or_default();
            self.add_call(call);
            self.subagents.insert(session.to_owned(), known.clone());
        }
        self.change_call(&known.row, |call| {
            call.set_delegate(&known.title, &known.description);
            call.set_running();
        });
        self.settle_call(&known.row);
        known.row
    }

    /// Adds content of a sub-agent to the output of its row.
    pub(super) fn subagent_content(&mut self, session: &str, part: Part) {
        if matches!(&part, Part::Text { text } if text.is_empty()) {
            return;
        }
        let row = self.show_subagent(session);
        self.change_call(&row, |call| match part {
            Part::Text { text } => call.append_output(&text),
            Part::Image(image) => call.add_image(image),
            _ => {}
        });
        self.settle_call(&row);
    }

    /// Adds or updates a call of a sub-agent.
    pub(super) fn subagent_tool_call(&mut self, session: &str, update: ToolCallUpdate, is_new: bool) {
        let id = update.tool_call_id.to_string();
        let is_known = self.calls.iter().any(|call| call.id == id) || self.is_past(&id, is_new);
        let row = if is_known { self.row_of_subagent(session) } else { self.show_subagent(session) };
        self.call(update, is_new, &row);
    }

    fn row_of_subagent(&self, session: &str) -> String {
        self.subagents.get(session).map(|known| known.row.clone()).unwrap_or_default()
    }

    /// Replaces the plan.
    pub(super) fn plan(&mut self, steps: Vec<PlanStep>) {
        self.has_plan = true;
        self.events.push(Event::PlanChanged { steps });
    }

    /// Some agents report their plan only as the arguments of a tool.
    fn plan_of_call(&mut self, id: &str) {
        let call = self.calls.iter().find(|call| call.id == id).map(|call| &call.shown);
        let steps = call
            .filter(|call| !self.has_plan && ToolKind::of(&call.name) == ToolKind::Plan)
            .and_then(|call| plan::steps(&call.arguments));
        if let Some(steps) = steps.filter(|steps| *steps != self.tool_plan) {
            self.tool_plan.clone_from(&steps);
            self.events.push(Event::PlanChanged { steps });
        }
    }

    /// Ends the run.
    pub(super) fn end_turn(&mut self, end: TurnEnd) {
        self.end_replayed_user_message();
        if !self.running {
            return;
        }
        let (reason, error, note) = match end {
            TurnEnd::Done if self.stopping => {
                self.close_calls(ABORTED);
                (StopReason::Aborted, None, None)
            }
            TurnEnd::Done => (StopReason::Stop, None, None),
            TurnEnd::DoneWithNote(note) => (StopReason::Stop, None, Some(note)),
            TurnEnd::Aborted => {
                self.close_calls(ABORTED);
                (StopReason::Aborted, None, None)
            }
            TurnEnd::Failed(error) => {
                self.drop_repeated_error(&error);
                self.close_calls(FAILED);
                (StopReason::Error, Some(error), None)
            }
        };
        self.close_calls("");
        self.end_message(reason, error.clone());
        if let Some(text) = note {
            self.note(text);
        }
        if self.last_reason != Some(reason) || error.is_some() && self.last_reason != Some(StopReason::Error)
        {
            self.end_empty_message(reason, error);
        }
        self.abandon_compaction();
        self.running = false;
        self.background = false;
        self.stopping = false;
        self.events.push(Event::AgentSettled { aborted: reason == StopReason::Aborted });
    }

    /// Some agents also write an error as an answer. The message's end is authoritative, so its row disappears.
    fn drop_repeated_error(&mut self, error: &str) {
        if is_same_error(&self.open_note.text, error) {
            self.open_note = BlockText::default();
        }
        if let Some(message) = &mut self.message
            && let Some(Block::Text(block)) = message.blocks.last()
            && is_same_error(&block.text, error)
        {
            message.blocks.pop();
        }
    }

    /// The text of the last block, for an agent that reports an error as an answer and nothing else.
    pub(super) fn last_text(&self) -> Option<String> {
        if !self.open_note.text.is_empty() {
            return Some(self.open_note.text.trim().to_owned());
        }
        match self.message.as_ref()?.blocks.last()? {
            Block::Text(block) => Some(block.text.trim().to_owned()),
            _ => None,
        }
    }

    /// Starts a run in the background for output without a prompt.
    fn begin_output(&mut self) {
        self.begin_run();
        self.close_note();
    }

    fn begin_run(&mut self) {
        self.end_replayed_user_message();
        if !self.running {
            self.running = true;
            self.background = true;
            self.turn += 1;
            self.events.push(Event::AgentStart);
        }
    }

    /// A replay has no prompts of ours, but is not work in the background either.
    pub(super) fn begin_replay(&mut self) {
        self.running = true;
        self.turn += 1;
        self.events.push(Event::AgentStart);
    }

    fn open_message(&mut self) -> &mut OpenMessage {
        if self.message.is_none() {
            let message = assistant(Vec::new(), StopReason::Pending, None);
            self.events.push(Event::MessageStart { message });
        }
        self.message.get_or_insert_default()
    }

    /// Ends the open message, then records what had to wait for it.
    fn end_message(&mut self, reason: StopReason, error: Option<String>) {
        if let Some(message) = self.message.take() {
            let reason =
                if message.has_calls() && reason == StopReason::Stop { StopReason::ToolUse } else { reason };
            for id in message.calls() {
                if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
                    call.recorded = Some(call.shown.clone());
                }
            }
            let parts = message.blocks.into_iter().flat_map(Block::into_parts).collect();
            self.events.push(Event::MessageEnd { message: assistant(parts, reason, error) });
            self.last_reason = Some(reason);
        }
        self.flush();
    }

    fn end_empty_message(&mut self, reason: StopReason, error: Option<String>) {
        self.events.push(Event::MessageStart { message: assistant(Vec::new(), StopReason::Pending, None) });
        self.events.push(Event::MessageEnd { message: assistant(Vec::new(), reason, error) });
        self.last_reason = Some(reason);
    }

    /// Records results and notes.
    fn flush(&mut self) {
        let note = self.take_open_note();
        self.notes.extend(note);
        if !self.results.is_empty() || !self.notes.is_empty() {
            self.last_reason = None;
        }
        for message in self.results.drain(..).chain(self.notes.drain(..)) {
            self.events.push(Event::MessageEnd { message });
        }
    }
}

/// The beginnings of internal context that Gemini replays as messages of the user.
const INTERNAL: [&str; 2] = ["<session_context>", "[Function Response:"];
/// The beginning of Gemini's answer to a change of its mode.
const MODE_UPDATE: &str = "[MODE_UPDATE]";

/// The length from which a text inside an error counts as the error.
const SAME_ERROR_BYTES: usize = 20;
/// How much longer than the error a text may be that repeats it.
const ERROR_PREFIX_BYTES: usize = 40;

const REJECTED: &str = "Rejected.";
/// The words by which a call that was stopped by the user is recognized.
const ABORTED: &str = "Operation aborted";
const FAILED: &str = "Not finished, because the request failed.";

impl OpenMessage {
    fn has_calls(&self) -> bool {
        self.calls().next().is_some()
    }

    /// Whether what follows belongs into another message.
    fn is_full(&self) -> bool {
        let length = |block: &Block| match block {
            Block::Text(block) | Block::Thinking(block) => block.text.len(),
            Block::Image(_) | Block::Call(_) => 0,
        };
        self.blocks.len() >= FULL_MESSAGE_BLOCKS
            || self.blocks.iter().map(length).sum::<usize>() > MESSAGE_BYTES / 2
    }

    fn calls(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call.id.as_str()),
            _ => None,
        })
    }
}

impl Block {
    fn into_parts(self) -> impl Iterator<Item = Part> {
        let (part, bytes) = match self {
            Self::Text(BlockText { text, left_out }) => (Part::Text { text }, left_out),
            Self::Thinking(BlockText { text, left_out }) => (Part::Thinking { thinking: text }, left_out),
            Self::Image(image) => (Part::Image(image), 0),
            Self::Call(call) => (Part::ToolCall(call), 0),
        };
        std::iter::once(part).chain((bytes > 0).then_some(Part::LeftOut { bytes }))
    }
}

fn note_message(text: String, left_out: u64) -> Message {
    let mut parts = vec![Part::Text { text }];
    parts.extend((left_out > 0).then_some(Part::LeftOut { bytes: left_out }));
    Message::Custom { content: Content(parts), display: true }
}

fn assistant(parts: Vec<Part>, stop_reason: StopReason, error_message: Option<String>) -> Message {
    Message::Assistant { content: Content(parts), stop_reason, error_message, timestamp: None }
}

/// An image that Codex replays as a link with its data.
fn linked_image(text: &str) -> Option<Image> {
    let data = text.trim().strip_prefix("[@image](data:")?.strip_suffix(')')?;
    let (mime_type, data) = data.split_once(";base64,")?;
    Some(Image { mime_type: mime_type.to_owned(), data: data.to_owned(), ..Image::default() })
}

/// Whether a chunk begins with a line in bold type.
fn is_heading(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.len() > 4 && first.starts_with("**") && first.trim_end().ends_with("**")
}

/// Whether a text that the agent wrote is the error that it reports, apart from a prefix and the spelling. An answer
/// that only quotes the error is longer.
fn is_same_error(text: &str, error: &str) -> bool {
    let is_json =
        matches!(serde_json::from_str(text), Ok(Value::Object(fields)) if fields.contains_key("error"));
    let normal = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (text, error) = (normal(text), normal(error));
    let is_part = text.len() >= SAME_ERROR_BYTES && error.contains(&text);
    let is_hardly_longer = text.len() <= error.len() + error.len().min(ERROR_PREFIX_BYTES);
    let is_around = (is_json || is_hardly_longer) && text.contains(&error);
    !error.is_empty() && (text == error || is_part || is_around)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_text_that_is_the_error_counts_as_the_error() {
        let error = "Rate limit reached for requests";
        let json = format!(
            "{{\"error\": {{\"message\": \"{error}\", \"type\": \"requests\", \"code\": null, \"param\": null}}}}"
        );
        for same in
            [error, "API Error:  Rate limit reached\nfor requests", "limit reached for requests", &json]
        {
            assert!(is_same_error(same, error), "{same}");
        }
        let answer =
            format!("The log says \"{error}\". That means that the quota of the organization is used up.");
        for other in [answer.as_str(), "limit", ""] {
            assert!(!is_same_error(other, error), "{other}");
        }
        assert!(!is_same_error("anything", ""));
    }
}
