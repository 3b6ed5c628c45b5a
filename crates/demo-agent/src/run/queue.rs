//! User messages on their way into the conversation: the prompt itself, steering between turns, follow-ups at the end.

use std::{collections::VecDeque, sync::Arc};

use super::Run;
use crate::{
    agent::{Agent, Queued, Queues, State},
    message::Message,
    wire::Event,
};

impl Run {
    /// Takes up steering messages, one or all as the mode says.
    pub(super) fn take_steering(&mut self) -> Vec<Queued> {
        let agent = Arc::clone(&self.agent);
        agent.with(|state| self.take(state, |queues| (&mut queues.steering, queues.all_steering)))
    }

    /// Steering first, then follow-ups; `openings` are announced only if there is something.
    pub(super) fn take_any(&mut self, openings: &[Event]) -> Option<Vec<Queued>> {
        let agent = Arc::clone(&self.agent);
        // One step: nobody may clear the queue in between.
        agent.with(|state| {
            if state.queues.len() == 0 {
                return None;
            }
            for opening in openings {
                agent.output.emit(opening);
            }
            let steered = self.take(state, |queues| (&mut queues.steering, queues.all_steering));
            if steered.is_empty() {
                return Some(self.take(state, |queues| (&mut queues.follow_up, queues.all_follow_up)));
            }
            Some(steered)
        })
    }

    fn take(
        &mut self,
        state: &mut State,
        which: fn(&mut Queues) -> (&mut VecDeque<Queued>, bool),
    ) -> Vec<Queued> {
        let agent = Arc::clone(&self.agent);
        let mut taken = Vec::new();
        loop {
            let (queue, all) = which(&mut state.queues);
            let Some(queued) = queue.pop_front() else { return taken };
            agent.output.emit(&state.queues.update());
            let message = queued.message();
            agent.output.emit(&Event::MessageStart { message: &message });
            self.note_end(&agent, state, &message);
            taken.push(queued);
            if !all {
                return taken;
            }
        }
    }

    pub(super) fn deliver(&mut self, queued: &Queued) {
        self.announce(&queued.message());
    }

    /// Stores a message that is complete from the start, and announces it.
    pub(super) fn announce(&mut self, message: &Message) {
        self.agent.output.emit(&Event::MessageStart { message });
        self.store_and_announce_end(message);
    }

    /// Returns the id of the stored entry.
    pub(super) fn store_and_announce_end(&mut self, message: &Message) -> String {
        let agent = Arc::clone(&self.agent);
        agent.with(|state| self.note_end(&agent, state, message))
    }

    fn note_end(&mut self, agent: &Agent, state: &mut State, message: &Message) -> String {
        let entry = state.store_message(message);
        agent.output.emit(&Event::MessageEnd { message });
        self.messages.push(message.clone());
        entry["id"].as_str().unwrap_or_default().to_owned()
    }
}
