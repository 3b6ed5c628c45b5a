//! The part of a run that is in no session file yet: the message in progress, running tools, tools whose results were
//! not reported, and shell commands. It is stored from time to time, so that a server that is killed shows it again,
//! marked as interrupted. Deltas of one text are joined.

use pilothouse_core::conversation::live_output;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::protocol::event::{Event, Update};

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
            Event::ToolExecutionStart { .. } => self.tools.push(event.clone()),
            Event::ToolCallChanged { tool_call } => {
                let is_older = |known: &Event| matches!(known, Event::ToolCallChanged { tool_call: older } if older.id == tool_call.id);
                self.tools.retain(|known| !is_older(known));
                self.tools.push(event.clone());
                return true;
            }
            Event::ToolExecutionUpdate { tool_call_id, .. }
            | Event::ToolExecutionEnd { tool_call_id, .. } => {
                // Each update contains all output so far, so the newest is enough.
                let is_start = |known: &Event| {
                    matches!(known, Event::ToolExecutionStart { .. } | Event::ToolCallChanged { .. })
                };
                self.tools.retain(|known| is_start(known) || call_id(known) != Some(tool_call_id));
                self.tools.push(event.clone());
                return true;
            }
            Event::ToolExecutionDelta { tool_call_id, delta } => {
                let output = self.tools.iter_mut().rev().find_map(|known| match known {
                    Event::ToolExecutionUpdate { tool_call_id: of, partial_result, .. }
                        if of == tool_call_id =>
                    {
                        Some(&mut partial_result.text)
                    }
                    Event::ToolExecutionDelta { tool_call_id: of, delta } if of == tool_call_id => {
                        Some(delta)
                    }
                    _ => None,
                });
                match output {
                    Some(output) => live_output::append(output, delta),
                    None => self.tools.push(event.clone()),
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

    fn add_update(&mut self, event: &Event, update: &Update) {
        let of_text = matches!(update, Update::TextDelta { .. } | Update::ThinkingDelta { .. });
        // Blocks may be interleaved: a delta extends the last delta of its own block.
        let joined =
            of_text && self.reply.iter_mut().rev().take(INTERLEAVED_BLOCKS).any(|known| known.join(event));
        if !joined {
            self.reply.push(event.clone());
        }
    }

    fn shell_output(&mut self, id: &str, delta: &str, event: &Event) -> bool {
        let known = self.shell.iter_mut().find_map(|known| match known {
            Event::BashExecutionUpdate { id: of, delta } if of == id => Some(delta),
            _ => None,
        });
        match known {
            Some(output) => live_output::append(output, delta),
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

/// The number of blocks of one message that may be interleaved.
const INTERLEAVED_BLOCKS: usize = 16;

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
    use pilothouse_core::conversation::message::{Content, StopReason};
    use pilothouse_core::conversation::ui_message::BashResult;
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
