//! Announcements to screen readers: how turns begin and end, which sessions wait, and that the connection is
//! back. Streamed text is never announced. One live region speaks all of them.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::render::failure::failure_text;
use pilothouse_core::render::visible_text::visible_string;
use pilothouse_core::{Kind, SessionState, UiMessage};

use super::notifications::{SessionStates, new_alerts};
use super::sidebar::session_label::title_or_placeholder;
use crate::actions::use_actions;
use crate::net::ConnectionState;
use crate::reactive::effect;
use crate::routes::Route;
use crate::store::server::{Loading, Session};

/// The maximum number of announced characters of a text.
const MAX_CHARACTERS: usize = 120;

/// The live region. Also announces what concerns no open session: a restored connection and other sessions'
/// alerts.
#[component]
pub fn Announcer() -> impl IntoView {
    let actions = use_actions();
    let announced = actions.client.announced;
    // The banner announces the loss.
    Effect::new(move |before: Option<ConnectionState>| {
        let now = actions.client.connection.get();
        if before == Some(ConnectionState::Lost) && now == ConnectionState::Open {
            announced.set("Reconnected.".to_owned());
        }
        now
    });
    let states = StoredValue::new(SessionStates::new());
    effect(move || {
        let alerts = actions.server.sessions().with(|sessions| {
            states.try_update_value(|states| new_alerts(states, sessions)).unwrap_or_default()
        });
        let is_open = |id: &str| matches!(actions.route.get_untracked(), Route::Session(open) if open == id);
        for alert in alerts.into_iter().filter(|alert| !is_open(&alert.session_id)) {
            announced.set(format!("{}: {}", title_or_placeholder(&alert.title), alert.text));
        }
    });
    view! { <div class="visually-hidden" role="status" data-announcer="">{move || announced.get()}</div> }
}

/// Announces the turns of the open session as long as the current owner lives.
pub fn announce_turns(session: Session) {
    let announced = use_actions().client.announced;
    let previous = StoredValue::new(None::<TurnState>);
    effect(move || {
        if session.loading.with(|loading| *loading != Loading::Ready) {
            return;
        }
        let now = TurnState {
            state: session.meta.state().get(),
            question: session.meta.asks().with(|asks| asks.last().map(|ask| visible_string(&ask.title))),
            retrying: session.meta.retry().with(Option::is_some),
            compacting: session.meta.compacting().get(),
        };
        let last_reply = session.with_rows(last_reply);
        let before = previous.try_update_value(|previous| previous.replace(now.clone())).flatten();
        if let Some(text) = before.and_then(|before| announcement(&before, &now, &last_reply)) {
            announced.set(text);
        }
    });
}

/// The agent's last answer or error since the last user message, or an empty text.
fn last_reply(rows: &[UiMessage]) -> String {
    let counts = |row: &&UiMessage| matches!(row.kind, Kind::User | Kind::Assistant | Kind::Error);
    let last = rows.iter().rev().find(counts).filter(|row| row.kind != Kind::User);
    let text = |row: &UiMessage| match row.kind {
        Kind::Error => failure_text(&row.text).into_owned(),
        _ => row.text.clone(),
    };
    last.map(text).unwrap_or_default()
}

/// The part of a session's state that announcements depend on. `announcement` compares two of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TurnState {
    state: SessionState,
    /// The title of the open ask.
    question: Option<String>,
    retrying: bool,
    compacting: bool,
}

impl TurnState {
    /// The question, if the session also waits: state and question change one after the other, in either
    /// order.
    fn open_question(&self) -> Option<&str> {
        self.question.as_deref().filter(|_| self.state.waits())
    }
}

/// Returns the announcement for a change, if any. `last_reply` is the last answer or error of the
/// conversation.
fn announcement(before: &TurnState, now: &TurnState, last_reply: &str) -> Option<String> {
    let with_detail = |event: &str, detail: &str| match first_line(detail) {
        detail if detail.is_empty() => format!("{event}."),
        detail => format!("{event}: {detail}"),
    };
    let new_question = now.open_question().filter(|_| now.open_question() != before.open_question());
    let starts = !before.state.is_active() || before.state.waits();
    match now.state {
        SessionState::WaitingApproval if new_question.is_some() => {
            new_question.map(|question| with_detail("Waiting for your approval", question))
        }
        SessionState::WaitingInput if new_question.is_some() => {
            new_question.map(|question| with_detail("Waiting for your answer", question))
        }
        _ if now.compacting && !before.compacting => Some("Compacting conversation…".to_owned()),
        _ if now.retrying && !before.retrying => Some("The request failed. Retrying…".to_owned()),
        SessionState::Creating | SessionState::Streaming if starts => Some("Working…".to_owned()),
        state if state == before.state => None,
        SessionState::Completed if before.state.is_active() => {
            Some(with_detail("The agent replied", last_reply))
        }
        SessionState::Error => Some(with_detail("Failed", last_reply)),
        SessionState::Stopped => Some("Stopped.".to_owned()),
        SessionState::Paused => Some("Paused.".to_owned()),
        _ => None,
    }
}

/// The first line of a text without Markdown characters, shortened.
fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let plain: String = line.chars().filter(|character| !"*_`#>|".contains(*character)).collect();
    match plain.trim().char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &plain.trim()[..end]),
        None => plain.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(state: SessionState) -> TurnState {
        TurnState { state, ..TurnState::default() }
    }

    fn asking(state: SessionState, question: &str) -> TurnState {
        TurnState { question: Some(question.to_owned()), ..turn(state) }
    }

    #[test]
    fn the_start_and_the_end_of_a_turn_are_announced() {
        use SessionState::{Completed, Creating, Idle, Streaming};
        let announced = |before, now| announcement(&turn(before), &turn(now), "## It is *done*\nand more");
        assert_eq!(announced(Idle, Creating).as_deref(), Some("Working…"));
        assert_eq!(announced(Creating, Streaming), None);
        assert_eq!(announced(Streaming, Streaming), None, "streaming is not announced");
        assert_eq!(announced(Streaming, Completed).as_deref(), Some("The agent replied: It is done"));
        assert_eq!(announced(Idle, Completed), None, "nothing has run");
    }

    #[test]
    fn a_question_is_announced_once() {
        use SessionState::{Streaming, WaitingApproval, WaitingInput};
        let first = asking(WaitingApproval, "Run rm?");
        assert_eq!(
            announcement(&turn(Streaming), &first, "").as_deref(),
            Some("Waiting for your approval: Run rm?")
        );
        assert_eq!(announcement(&first, &first, ""), None);
        let second = asking(WaitingInput, "Which one?");
        assert_eq!(announcement(&first, &second, "").as_deref(), Some("Waiting for your answer: Which one?"));
        assert_eq!(announcement(&second, &turn(Streaming), "").as_deref(), Some("Working…"));
    }

    #[test]
    fn a_question_is_announced_whether_it_or_the_state_changes_first() {
        use SessionState::{Streaming, WaitingApproval};
        let (working, waiting) = (turn(Streaming), asking(WaitingApproval, "Run rm?"));
        let announced = |between: &TurnState| {
            let steps = [&working, between, &waiting, between, &working];
            steps.windows(2).filter_map(|pair| announcement(pair[0], pair[1], "")).collect::<Vec<_>>()
        };
        let expected = ["Waiting for your approval: Run rm?", "Working…"];
        assert_eq!(announced(&asking(Streaming, "Run rm?")), expected, "first the question");
        assert_eq!(announced(&turn(WaitingApproval)), expected, "first the state");
    }

    #[test]
    fn failures_and_stops_are_announced() {
        use SessionState::{Error, Stopped, Streaming};
        assert_eq!(announcement(&turn(Streaming), &turn(Error), "").as_deref(), Some("Failed."));
        assert_eq!(announcement(&turn(Streaming), &turn(Error), "529").as_deref(), Some("Failed: 529"));
        assert_eq!(announcement(&turn(Streaming), &turn(Stopped), "half a").as_deref(), Some("Stopped."));
        let retrying = TurnState { retrying: true, ..turn(Streaming) };
        assert_eq!(
            announcement(&turn(Streaming), &retrying, "").as_deref(),
            Some("The request failed. Retrying…")
        );
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(first_line(&"ä".repeat(500)).chars().count(), MAX_CHARACTERS + 1);
        assert_eq!(first_line("\n\n> `quoted`"), "quoted");
    }
}
