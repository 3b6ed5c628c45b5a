//! `/steer`: a slow task of several turns, made to be steered.

use std::time::Duration;

use super::{Block, Call, CallResult, Scene, Setting, Step, Tool};

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
    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        let Some(place) = LEGS.get(self.leg) else {
            return Step::say(
                "All five legs are done. Steering messages were taken up between them, follow-ups come now, after the \
                end. Messages still in the queue can be edited or removed before I reach them.",
            );
        };
        let text = if self.leg == 0 {
            format!(
                "I survey five places, slowly. **Send me messages while I work**: a steering message is taken up after \
                the next leg, a follow-up when all is done.\n\nLeg 1 of 5: {place}."
            )
        } else {
            format!("Leg {} of {}: {place}.", self.leg + 1, LEGS.len())
        };
        self.leg += 1;
        let pause = setting.pace.shell_sleep(Duration::from_millis(700));
        let command = format!("for depth in 12 9 7 11; do echo \"{place}: $depth m\"; {pause}done");
        Step::reply([Block::Text(text), Call::lasting(Tool::bash(command), 0)])
    }
}
