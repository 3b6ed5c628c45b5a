//! What is being said and done at this moment and stands in no file of the agent's yet: the reply under way, tools
//! that run or whose results are not told yet, shell commands. It is noted now and then, so that a server that is
//! killed shows it again, marked as interrupted. Pieces of one text are one piece here.

use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::BASH_OUTPUT_BYTES;
use pilothouse_core::protocol::event::{Event, Update};

#[derive(Debug, Default)]
pub(super) struct InFlight {
    /// The time of the reply under way, by which it is found in the agent's file once it is complete.
    message: Option<u64>,
    reply: Vec<Event>,
    tools: Vec<Event>,
    shell: Vec<Event>,
    running: bool,
    changed: bool,
}

impl InFlight {
    pub(super) fn see(&mut self, event: &Event) {
        let before = (self.reply.len(), self.tools.len(), self.shell.len());
        let told = self.take_in(event);
        self.changed |= told || before != (self.reply.len(), self.tools.len(), self.shell.len());
    }

    /// Whether something was added to what is noted, beyond what the number of events tells.
    fn take_in(&mut self, event: &Event) -> bool {
        match event {
            Event::AgentStart => self.running = true,
            Event::MessageStart { message: Message::Assistant { timestamp, .. } } => {
                self.message = *timestamp;
                self.reply = vec![event.clone()];
            }
            Event::MessageUpdate { update } if !self.reply.is_empty() => {
                self.step(event, update);
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
            Event::ToolExecutionUpdate { tool_call_id, .. }
            | Event::ToolExecutionEnd { tool_call_id, .. } => {
                // All output so far, not what was added: the newest is enough.
                let is_start = |known: &Event| matches!(known, Event::ToolExecutionStart { .. });
                self.tools.retain(|known| is_start(known) || call_id(known) != Some(tool_call_id));
                self.tools.push(event.clone());
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
                    // The agent has written it down by now; during a run it does so at its end.
                    self.shell.retain(|known| shell_id(known) != Some(id));
                }
            }
            Event::AgentSettled { .. } | Event::ProcessExit { .. } => {
                self.running = false;
                self.message = None;
                self.reply.clear();
                self.tools.clear();
                // A command that outlives the run is still under way.
                let ended: Vec<String> = self.shell.iter().filter_map(ended_shell_id).collect();
                self.shell.retain(|known| !shell_id(known).is_some_and(|id| ended.contains(id)));
            }
            _ => {}
        }
        false
    }

    fn step(&mut self, event: &Event, update: &Update) {
        let of_text = matches!(update, Update::TextDelta { .. } | Update::ThinkingDelta { .. });
        // Blocks may take turns: a piece belongs to the last piece of its own block.
        let joined =
            of_text && self.reply.iter_mut().rev().take(BLOCKS_AT_ONCE).any(|known| known.join(event));
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
            Some(output) if output.len() + delta.len() <= BASH_OUTPUT_BYTES => output.push_str(delta),
            Some(_) => {}
            None => self.shell.push(event.clone()),
        }
        true
    }

    /// The time of the reply under way, and everything to note, if it has changed since it was noted last.
    pub(super) fn changes_to_note(&mut self) -> Option<(Option<u64>, Vec<Event>)> {
        std::mem::take(&mut self.changed).then(|| (self.message, self.events()))
    }

    /// The time of the reply under way.
    pub(super) const fn message(&self) -> Option<u64> {
        self.message
    }

    pub(super) const fn is_changed(&self) -> bool {
        self.changed
    }

    pub(super) fn events(&self) -> Vec<Event> {
        [&self.reply, &self.tools, &self.shell].into_iter().flatten().cloned().collect()
    }
}

/// Blocks of one reply that take turns.
const BLOCKS_AT_ONCE: usize = 16;

fn call_id(event: &Event) -> Option<&String> {
    match event {
        Event::ToolExecutionStart { tool_call_id, .. }
        | Event::ToolExecutionUpdate { tool_call_id, .. }
        | Event::ToolExecutionEnd { tool_call_id, .. } => Some(tool_call_id),
        _ => None,
    }
}

fn shell_id(event: &Event) -> Option<&String> {
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
