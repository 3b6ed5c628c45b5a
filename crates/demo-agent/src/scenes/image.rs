//! `/image`: a picture as a tool result.

use super::{Block, Call, CallResult, Prop, Scene, Setting, Step, Tool};

const PICTURE: Prop = Prop { name: "lighthouse.png", bytes: include_bytes!("lighthouse.png") };

pub(super) struct Image {
    shown: bool,
}

impl Image {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { shown: false }
    }
}

impl Scene for Image {
    fn props(&self) -> &'static [Prop] {
        &[PICTURE]
    }

    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        if self.shown {
            return Step::say(
                "A lighthouse at dusk, read from a real PNG file. Images from tools appear in their row; images you \
                paste, drop or pick travel with your message: attach one and I tell you what arrived.",
            );
        }
        self.shown = true;
        Step::reply([
            Block::Text("I read a picture.".to_owned()),
            Call::lasting(Tool::Read { path: setting.scratch.join(PICTURE.name).display().to_string() }, 400),
        ])
    }
}
