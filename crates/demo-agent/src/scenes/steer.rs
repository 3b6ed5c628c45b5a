//! `/steer`: a slow task of several turns, so that the user has time to steer it.

use std::time::Duration;

use super::{Block, CallResult, Scene, SceneContext, Step, Tool};

const LEGS: [&str; 5] =
    ["the harbour mouth", "the outer bank", "the old wreck", "the north channel", "the anchorage"];

pub(super) struct SteerScene {
    leg: usize,
}

impl SteerScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { leg: 0 }
    }
}

impl Scene for SteerScene {
    fn next(&mut self, context: &SceneContext, _results: &[CallResult]) -> Step {
        let Some(place) = LEGS.get(self.leg) else {
            return Step::say(
                "All five legs are done. Steering messages were delivered between them; follow-ups are delivered now, \
                at the end. You can edit or remove messages that are still in the queue.",
            );
        };
        let text = if self.leg == 0 {
            format!(
                "I'll survey five places, slowly. **Send me messages while I work**: a steering message is delivered after \
                the next leg, a follow-up when everything is done.\n\nLeg 1 of 5: {place}."
            )
        } else {
            format!("Leg {} of {}: {place}.", self.leg + 1, LEGS.len())
        };
        self.leg += 1;
        let pause = context.pace.shell_sleep(Duration::from_millis(700));
        let command = format!("for depth in 12 9 7 11; do echo \"{place}: $depth m\"; {pause}done");
        Step::reply([Block::Text(text), Block::call(Tool::bash(command), 0)])
    }
}
