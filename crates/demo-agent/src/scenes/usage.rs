//! `/usage`: how full the context is.

use super::{CallResult, Scene, Setting, Step};
use crate::models::CONTEXT_WINDOW;

pub(super) struct Usage;

impl Usage {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for Usage {
    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        let percent = setting.tokens as f64 * 100.0 / CONTEXT_WINDOW as f64;
        Step::say(format!(
            "| | |\n|---|---|\n| model | `{}` |\n| thinking | `{}` |\n| context | {} of {CONTEXT_WINDOW} tokens ({percent:.2} %) |\n\
            | cost | nothing: no model is asked |\n\nA token is taken as four characters. `/long` fills the context \
            quickly, `/compact` empties it.",
            setting.model, setting.thinking_level, setting.tokens
        ))
    }
}
