//! What of a session is worth saying to somebody who does not see it: turns, never tokens. Pure: how it stood and how
//! it stands tell it.

use pilothouse_core::SessionState;

/// How much of a text is said; who wants more reads it.
const LETTERS: usize = 120;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnState {
    pub state: SessionState,
    /// What the agent wants to know, as long as it does.
    pub question: Option<String>,
    pub retrying: bool,
    pub compacting: bool,
}

impl TurnState {
    /// The question, where the session waits for it: the two are told one after the other, in either order.
    fn asked(&self) -> Option<&str> {
        self.question.as_deref().filter(|_| self.state.waits())
    }
}

/// What to say, if anything. `last` is what was said last in the conversation, an answer or an error.
pub fn news(before: &TurnState, now: &TurnState, last: &str) -> Option<String> {
    let with = |words: &str, text: &str| match beginning(text) {
        text if text.is_empty() => format!("{words}."),
        text => format!("{words}: {text}"),
    };
    let asked = now.asked().filter(|_| now.asked() != before.asked());
    let begins = !before.state.is_active() || before.state.waits();
    match now.state {
        SessionState::WaitingApproval if asked.is_some() => {
            asked.map(|it| with("Waits for your approval", it))
        }
        SessionState::WaitingInput if asked.is_some() => asked.map(|it| with("Waits for your answer", it)),
        _ if now.compacting && !before.compacting => Some("Compacting the conversation…".to_owned()),
        _ if now.retrying && !before.retrying => Some("The model failed. Trying again…".to_owned()),
        SessionState::Creating | SessionState::Streaming if begins => Some("Working…".to_owned()),
        state if state == before.state => None,
        SessionState::Completed if before.state.is_active() => Some(with("The agent has answered", last)),
        SessionState::Error => Some(with("Failed", last)),
        SessionState::Stopped => Some("Stopped.".to_owned()),
        SessionState::Paused => Some("Paused.".to_owned()),
        _ => None,
    }
}

/// The first line of a text, without the signs of Markdown.
fn beginning(text: &str) -> String {
    let words = text.trim().lines().next().unwrap_or_default();
    let plain: String = words.chars().filter(|letter| !"*_`#>|".contains(*letter)).collect();
    match plain.trim().char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &plain.trim()[..end]),
        None => plain.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(state: SessionState) -> TurnState {
        TurnState { state, ..TurnState::default() }
    }

    fn asking(state: SessionState, question: &str) -> TurnState {
        TurnState { question: Some(question.to_owned()), ..at(state) }
    }

    #[test]
    fn a_turn_is_told_by_its_beginning_and_its_end() {
        use SessionState::{Completed, Creating, Idle, Streaming};
        let told = |before, now| news(&at(before), &at(now), "## It is *done*\nand more");
        assert_eq!(told(Idle, Creating).as_deref(), Some("Working…"));
        assert_eq!(told(Creating, Streaming), None);
        assert_eq!(told(Streaming, Streaming), None, "however much is said");
        assert_eq!(told(Streaming, Completed).as_deref(), Some("The agent has answered: It is done"));
        assert_eq!(told(Idle, Completed), None, "nothing has run");
    }

    #[test]
    fn what_waits_is_told_once_with_its_question() {
        use SessionState::{Streaming, WaitingApproval, WaitingInput};
        let first = asking(WaitingApproval, "Run rm?");
        assert_eq!(news(&at(Streaming), &first, "").as_deref(), Some("Waits for your approval: Run rm?"));
        assert_eq!(news(&first, &first, ""), None);
        let second = asking(WaitingInput, "Which one?");
        assert_eq!(news(&first, &second, "").as_deref(), Some("Waits for your answer: Which one?"));
        assert_eq!(news(&second, &at(Streaming), "").as_deref(), Some("Working…"));
    }

    #[test]
    fn what_waits_is_told_in_whichever_order_it_comes() {
        use SessionState::{Streaming, WaitingApproval};
        let (working, waiting) = (at(Streaming), asking(WaitingApproval, "Run rm?"));
        let told = |between: &TurnState| {
            let steps = [&working, between, &waiting, between, &working];
            steps.windows(2).filter_map(|pair| news(pair[0], pair[1], "")).collect::<Vec<_>>()
        };
        let words = ["Waits for your approval: Run rm?", "Working…"];
        assert_eq!(told(&asking(Streaming, "Run rm?")), words, "first the question");
        assert_eq!(told(&at(WaitingApproval)), words, "first the state");
    }

    #[test]
    fn failures_and_stops_are_told() {
        use SessionState::{Error, Stopped, Streaming};
        assert_eq!(news(&at(Streaming), &at(Error), "").as_deref(), Some("Failed."));
        assert_eq!(news(&at(Streaming), &at(Error), "529").as_deref(), Some("Failed: 529"));
        assert_eq!(news(&at(Streaming), &at(Stopped), "half a").as_deref(), Some("Stopped."));
        let again = TurnState { retrying: true, ..at(Streaming) };
        assert_eq!(news(&at(Streaming), &again, "").as_deref(), Some("The model failed. Trying again…"));
    }

    #[test]
    fn only_the_beginning_of_a_long_text_is_said() {
        assert_eq!(beginning(&"ä".repeat(500)).chars().count(), LETTERS + 1);
        assert_eq!(beginning("\n\n> `quoted`"), "quoted");
    }
}
