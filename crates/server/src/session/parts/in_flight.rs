//! The part of a run that is in no session file yet: the message in progress, running tools, tools whose results were
//! not reported, and shell commands. It is stored from time to time, so that a server that is killed shows it again,
//! marked as interrupted. Deltas of one text are joined.

use pilothouse_core::conversation::limit::{self, BlockText};
use pilothouse_core::conversation::live_output;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::{MESSAGE_PARTS, OPEN_CALLS};
use pilothouse_core::protocol::event::{Event, LAST_BLOCK, Update};

/// Events that rebuild what is in progress.
#[derive(Debug, Default)]
pub(in crate::session) struct InFlight {
    /// The timestamp of the message in progress, which identifies it in the session file once it is complete.
    message: Option<u64>,
    reply: Vec<Event>,
    tools: Vec<Event>,
    shell: Vec<Event>,
    running: bool,
    changed: bool,
}

impl InFlight {
    pub(in crate::session) fn observe(&mut self, event: &Event) {
        let before = (self.reply.len(), self.tools.len(), self.shell.len());
        let extended = self.add(event);
        self.changed |= extended || before != (self.reply.len(), self.tools.len(), self.shell.len());
    }

    /// Adds an event. Returns whether a stored event was extended or replaced, which may leave their number unchanged.
    fn add(&mut self, event: &Event) -> bool {
        match event {
            Event::AgentStart => self.running = true,
            Event::MessageStart { message: Message::Assistant { timestamp, .. } } => {
                self.message = *timestamp;
                self.reply = vec![event.clone()];
            }
            Event::MessageUpdate { update } if !self.reply.is_empty() => {
                self.add_update(event, update);
                return true;
            }
            Event::MessageEnd { message: Message::Assistant { .. } } => {
                self.message = None;
                self.reply.clear();
            }
            Event::MessageEnd { message: Message::ToolResult { tool_call_id, .. } } => {
                self.tools.retain(|known| call_id(known) != Some(tool_call_id));
            }
            Event::ToolExecutionStart { .. } => self.add_tool(event),
            Event::ToolCallChanged { tool_call } => {
                let is_older = |known: &Event| matches!(known, Event::ToolCallChanged { tool_call: older } if older.id == tool_call.id);
                self.tools.retain(|known| !is_older(known));
                self.add_tool(event);
                return true;
            }
            Event::ToolExecutionUpdate { tool_call_id, .. }
            | Event::ToolExecutionEnd { tool_call_id, .. } => {
                // Each update contains all output so far, so the newest is enough.
                let is_start = |known: &Event| {
                    matches!(known, Event::ToolExecutionStart { .. } | Event::ToolCallChanged { .. })
                };
                self.tools.retain(|known| is_start(known) || call_id(known) != Some(tool_call_id));
                self.add_tool(event);
                return true;
            }
            Event::ToolExecutionDelta { tool_call_id, delta } => {
                let output = self.tools.iter_mut().rev().find_map(|known| match known {
                    Event::ToolExecutionUpdate { tool_call_id: of, partial_result, .. }
                        if of == tool_call_id =>
                    {
                        Some((&mut partial_result.text, Some(&mut partial_result.left_out)))
                    }
                    // Without an update before it, only a call of another program is that long.
                    Event::ToolExecutionDelta { tool_call_id: of, delta } if of == tool_call_id => {
                        Some((delta, None))
                    }
                    _ => None,
                });
                match output {
                    Some((output, left_out)) => {
                        live_output::append(output, left_out.unwrap_or(&mut 0), delta);
                    }
                    None => self.add_tool(event),
                }
                return true;
            }
            Event::BashStart { .. } => self.shell.push(event.clone()),
            Event::BashExecutionUpdate { id, delta } => return self.shell_output(id, delta, event),
            Event::BashEnd { id, .. } => {
                self.shell
                    .retain(|known| shell_id(known) != Some(id) || matches!(known, Event::BashStart { .. }));
                if self.running {
                    self.shell.push(event.clone());
                } else {
                    // Outside a run the session file has it by now; during a run it is written when the run ends.
                    self.shell.retain(|known| shell_id(known) != Some(id));
                }
            }
            // The end of the process closes its shell commands, too.
            Event::ProcessExit { shell_lives, .. } => {
                let changed = std::mem::take(&mut self.changed);
                // The results of ended commands are in the session file by now.
                let ended: Vec<String> = self.shell.iter().filter_map(ended_shell_id).collect();
                let mut shell = std::mem::take(&mut self.shell);
                shell.retain(|known| *shell_lives && !shell_id(known).is_some_and(|id| ended.contains(id)));
                *self = Self { changed, shell, ..Self::default() };
            }
            Event::AgentSettled { .. } => {
                self.running = false;
                self.message = None;
                self.reply.clear();
                self.tools.clear();
                // A command that outlives the run is still in progress.
                let ended: Vec<String> = self.shell.iter().filter_map(ended_shell_id).collect();
                self.shell.retain(|known| !shell_id(known).is_some_and(|id| ended.contains(id)));
            }
            _ => {}
        }
        false
    }

    /// Adds an event of a tool. An agent that never ends its calls cannot make this any longer.
    fn add_tool(&mut self, event: &Event) {
        if self.tools.len() >= OPEN_CALLS {
            self.tools.remove(0);
        }
        self.tools.push(event.clone());
    }

    fn add_update(&mut self, event: &Event, update: &Update) {
        match update {
            Update::TextDelta { content_index, delta } | Update::ThinkingDelta { content_index, delta } => {
                self.add_text(*content_index, delta, event);
            }
            Update::LeftOut { .. } => {
                // Blocks may be interleaved: what follows extends the last event of its own block.
                let mut newest = self.reply.iter_mut().rev().take(INTERLEAVED_EVENTS);
                if !newest.any(|known| known.join(event)) {
                    self.push_update(event.clone());
                }
            }
            _ => {
                // Each has everything about its block.
                let same = |known: &&mut Event| is_same_block(known, update);
                match self.reply.iter_mut().find(same) {
                    Some(known) => known.clone_from(event),
                    None => self.push_update(event.clone()),
                }
            }
        }
    }

    /// Extends the text of a block, in the same way as its row.
    fn add_text(&mut self, index: usize, delta: &str, event: &Event) {
        let newest = self.reply.len().saturating_sub(INTERLEAVED_EVENTS);
        let (mut text, mut left_out) = (None, None);
        for known in &mut self.reply[newest..] {
            let Event::MessageUpdate { update } = known else { continue };
            let is_same = is_delta_of_same_block(update, event);
            if is_same {
                text = delta_mut(update);
            } else if let Update::LeftOut { content_index, bytes } = update
                && *content_index == index
            {
                left_out = Some(bytes);
            }
        }
        let mut new_left_out = 0;
        let has_left_out = left_out.is_some();
        match text {
            Some(text) => limit::append(text, left_out.unwrap_or(&mut new_left_out), delta),
            None => {
                let mut event = event.clone();
                if let Event::MessageUpdate { update } = &mut event
                    && let Some(delta) = delta_mut(update)
                {
                    let block = BlockText::of(std::mem::take(delta), 0);
                    (*delta, new_left_out) = (block.text, block.left_out);
                }
                self.push_update(event);
            }
        }
        if new_left_out > 0 && !has_left_out {
            let update = Update::LeftOut { content_index: index, bytes: new_left_out };
            self.push_update(Event::MessageUpdate { update });
        }
    }

    fn push_update(&mut self, event: Event) {
        if self.reply.len() < UPDATES_PER_PART * MESSAGE_PARTS {
            self.reply.push(event);
        }
    }

    fn shell_output(&mut self, id: &str, delta: &str, event: &Event) -> bool {
        let known = self.shell.iter_mut().find_map(|known| match known {
            Event::BashExecutionUpdate { id: of, delta } if of == id => Some(delta),
            _ => None,
        });
        match known {
            // The row counts what is left out; the end of the command has all of it.
            Some(output) => live_output::append(output, &mut 0, delta),
            None => self.shell.push(event.clone()),
        }
        true
    }

    /// The timestamp of the message in progress and all events, if they have changed since the last call.
    pub(in crate::session) fn take_changes(&mut self) -> Option<(Option<u64>, Vec<Event>)> {
        std::mem::take(&mut self.changed).then(|| (self.message, self.events()))
    }

    /// The timestamp of the message in progress.
    pub(in crate::session) const fn message(&self) -> Option<u64> {
        self.message
    }

    pub(in crate::session) const fn is_changed(&self) -> bool {
        self.changed
    }

    pub(in crate::session) fn events(&self) -> Vec<Event> {
        [&self.reply, &self.tools, &self.shell].into_iter().flatten().cloned().collect()
    }
}

/// The number of newest events in which the last event of a block is searched for.
const INTERLEAVED_EVENTS: usize = 32;

/// The number of events with which one part of a message is stored: its start, its text, what is left out, its end.
const UPDATES_PER_PART: usize = 4;

/// Whether an event is a newer or older version of this update.
fn is_same_block(known: &Event, update: &Update) -> bool {
    let Event::MessageUpdate { update: known } = known else { return false };
    match (known, update) {
        (Update::TextEnd { content_index: one, .. }, Update::TextEnd { content_index: other, .. })
        | (
            Update::ThinkingEnd { content_index: one, .. },
            Update::ThinkingEnd { content_index: other, .. },
        )
        | (
            Update::ToolcallStart { content_index: one, .. },
            Update::ToolcallStart { content_index: other, .. },
        )
        | (
            Update::ToolcallEnd { content_index: one, .. },
            Update::ToolcallEnd { content_index: other, .. },
        ) => *one != LAST_BLOCK && one == other,
        _ => false,
    }
}

fn is_delta_of_same_block(known: &Update, event: &Event) -> bool {
    let Event::MessageUpdate { update } = event else { return false };
    match (known, update) {
        (Update::TextDelta { content_index: one, .. }, Update::TextDelta { content_index: other, .. })
        | (
            Update::ThinkingDelta { content_index: one, .. },
            Update::ThinkingDelta { content_index: other, .. },
        ) => one == other,
        _ => false,
    }
}

const fn delta_mut(update: &mut Update) -> Option<&mut String> {
    match update {
        Update::TextDelta { delta, .. } | Update::ThinkingDelta { delta, .. } => Some(delta),
        _ => None,
    }
}

fn call_id(event: &Event) -> Option<&String> {
    match event {
        Event::ToolExecutionStart { tool_call_id, .. }
        | Event::ToolExecutionUpdate { tool_call_id, .. }
        | Event::ToolExecutionDelta { tool_call_id, .. }
        | Event::ToolExecutionEnd { tool_call_id, .. } => Some(tool_call_id),
        Event::ToolCallChanged { tool_call } => Some(&tool_call.id),
        _ => None,
    }
}

pub(in crate::session) fn shell_id(event: &Event) -> Option<&String> {
    match event {
        Event::BashStart { id, .. } | Event::BashExecutionUpdate { id, .. } | Event::BashEnd { id, .. } => {
            Some(id)
        }
        _ => None,
    }
}

fn ended_shell_id(event: &Event) -> Option<String> {
    match event {
        Event::BashEnd { id, .. } => Some(id.clone()),
        _ => None,
    }
}

/// Whether an event is part of the message in progress, as opposed to a tool or a shell command.
pub(in crate::session) const fn is_part_of_message(event: &Event) -> bool {
    matches!(event, Event::MessageStart { .. } | Event::MessageUpdate { .. })
}

#[cfg(test)]
pub(in crate::session) mod tests {
    use pilothouse_core::MessageController;
    use pilothouse_core::conversation::message::{Content, StopReason, ToolCall};
    use pilothouse_core::conversation::ui_message::BashResult;
    use pilothouse_core::limits::ROW_TEXT_BYTES;
    use pilothouse_core::protocol::event::ToolOutput;
    use serde_json::json;

    use super::*;

    /// The start of an assistant message with timestamp 7.
    pub(in crate::session) fn message_start() -> Event {
        let message = Message::Assistant {
            content: Content(Vec::new()),
            stop_reason: StopReason::default(),
            error_message: None,
            timestamp: Some(7),
        };
        Event::MessageStart { message }
    }

    fn delta(content_index: usize, delta: &str) -> Event {
        Event::MessageUpdate { update: Update::TextDelta { content_index, delta: delta.to_owned() } }
    }

    fn observed(events: &[Event]) -> InFlight {
        let mut in_flight = InFlight::default();
        events.iter().for_each(|event| in_flight.observe(event));
        in_flight
    }

    #[test]
    fn deltas_of_interleaved_blocks_are_joined_by_block() {
        let in_flight =
            observed(&[message_start(), delta(0, "a"), delta(1, "x"), delta(0, "b"), delta(1, "y")]);
        assert_eq!(in_flight.events(), [message_start(), delta(0, "ab"), delta(1, "xy")]);
        assert_eq!(in_flight.message(), Some(7));
    }

    #[test]
    fn a_text_that_is_too_long_is_stored_as_its_row_shows_it() {
        let mut events = vec![message_start(), delta(0, &" ".repeat(5_000))];
        for number in 0..300 {
            events.push(delta(number % 2, &"ü€".repeat(ROW_TEXT_BYTES / 600 - 1)));
        }
        events.extend((0..100).map(|_| delta(0, &"x".repeat(10_000))));
        let shown = |events: &[Event]| {
            let mut controller = MessageController::default();
            events.iter().for_each(|event| drop(controller.handle_server_event(event.clone())));
            controller.rows().to_vec()
        };
        let in_flight = observed(&events);
        let size = serde_json::to_string(&in_flight.events()).unwrap().len();
        assert!(size < 2 * ROW_TEXT_BYTES + 1_000, "{size} bytes in {} events", in_flight.events().len());
        let rows = shown(&events);
        assert!(rows[0].left_out > 400_000, "{}", rows[0].left_out);
        assert!(shown(&in_flight.events()) == rows);
    }

    #[test]
    fn a_call_that_changes_often_is_stored_once() {
        let changed = |number: u32| {
            let arguments = json!({ "content": "x".repeat(1_000), "number": number });
            let tool_call = ToolCall { id: "t".to_owned(), arguments, ..ToolCall::default() };
            Event::MessageUpdate { update: Update::ToolcallEnd { content_index: 0, tool_call } }
        };
        let mut in_flight = observed(&[message_start()]);
        (0..1_000).for_each(|number| in_flight.observe(&changed(number)));
        assert_eq!(in_flight.events(), [message_start(), changed(999)]);
        let start = |number: u32| Event::ToolExecutionStart {
            tool_call_id: number.to_string(),
            tool_name: "read".to_owned(),
            args: json!({}),
        };
        (0..10_000).for_each(|number| in_flight.observe(&start(number)));
        assert_eq!(in_flight.events().len(), 2 + OPEN_CALLS);
    }

    #[test]
    fn deltas_of_a_tool_extend_its_last_output() {
        let id = || "t".to_owned();
        let start =
            Event::ToolExecutionStart { tool_call_id: id(), tool_name: "bash".to_owned(), args: json!({}) };
        let update = |text: &str| Event::ToolExecutionUpdate {
            tool_call_id: id(),
            tool_name: "bash".to_owned(),
            partial_result: ToolOutput { text: text.to_owned(), ..ToolOutput::default() },
        };
        let more = |delta: &str| Event::ToolExecutionDelta { tool_call_id: id(), delta: delta.to_owned() };
        let extended = observed(&[start.clone(), update("a"), more("b"), more("c")]);
        assert_eq!(extended.events(), [start.clone(), update("abc")]);
        assert_eq!(observed(&[start.clone(), more("b"), more("c")]).events(), [start, more("bc")]);
    }

    #[test]
    fn changes_are_taken_once() {
        let mut in_flight = observed(&[message_start()]);
        assert_eq!(in_flight.take_changes(), Some((Some(7), vec![message_start()])));
        assert_eq!(in_flight.take_changes(), None);
        in_flight.observe(&delta(0, "a"));
        in_flight.observe(&delta(0, "b"));
        assert!(in_flight.is_changed(), "a joined delta is a change, too");
    }

    #[test]
    fn the_end_of_a_run_leaves_only_shell_commands_that_still_run() {
        let shell = |id: &str| Event::BashStart {
            id: id.to_owned(),
            command: "make".to_owned(),
            exclude_from_context: false,
        };
        let ended = Event::BashEnd { id: "done".to_owned(), result: BashResult::default() };
        let tool = Event::ToolExecutionStart {
            tool_call_id: "t".to_owned(),
            tool_name: "read".to_owned(),
            args: json!({}),
        };
        let mut in_flight =
            observed(&[Event::AgentStart, message_start(), tool, shell("done"), shell("on"), ended]);
        assert_eq!(in_flight.events().len(), 5, "during a run an ended command is kept");
        in_flight.observe(&Event::AgentSettled { aborted: false });
        assert_eq!(in_flight.events(), [shell("on")]);
        let exit = Event::ProcessExit {
            code: None,
            signal: Some(9),
            expected: false,
            stderr: Vec::new(),
            shell_lives: false,
        };
        in_flight.observe(&exit);
        assert_eq!(in_flight.events(), [], "the process closes its commands");
        assert!(in_flight.is_changed());
    }
}
