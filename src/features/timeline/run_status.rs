//! The line below the last row: the state of the run, and buttons to retry or resume it. Its height never
//! changes, so that nothing moves when a run ends. `announcements` informs screen readers.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::render::failure::failure_text;
use pilothouse_core::{Kind, Mark, SessionState};

use crate::actions::use_actions;
use crate::dom::build::elapsed_seconds;
use crate::net::ConnectionState;
use crate::reactive::memo;
use crate::store::server::{Row, Session};
use crate::widgets::icon::{Glyph, Icon, LiveGlyph};

#[component]
pub fn RunStatus(session: Session) -> impl IntoView {
    let actions = use_actions();
    let state = memo(move || session.meta.state().get());
    // While a message is being sent, the state still describes the previous run and is not shown.
    let on_its_way = memo(move || !state.get().is_active() && ends_in_unsent(session));
    let connected = memo(move || actions.client.connection.get() == ConnectionState::Open);
    let starting = memo(move || state.get() == SessionState::Creating);
    // Counts from the moment in which the page learns that the agent is starting.
    let elapsed = memo(move || starting.get().then(elapsed_seconds));
    let words = memo(move || match (on_its_way.get() && !session.meta.compacting().get(), connected.get()) {
        (true, false) => "Waiting for connection".to_owned(),
        (true, true) => String::new(),
        (false, _) if starting.get() => {
            let agent = session.meta.agent().with(|agent| actions.server.agent_title(agent));
            starting_words(&agent, elapsed.get().map(|seconds| seconds.get()).unwrap_or_default())
        }
        (false, _) => status_words(session),
    });
    let compacting = memo(move || session.meta.compacting().get());
    // An unfinished run of another program cannot be resumed here.
    let elsewhere = memo(move || session.meta.external_writer().get());
    let at_work_there = move || elsewhere.get() && state.get() == SessionState::Paused;
    let icon = Signal::derive(move || match state.get() {
        _ if compacting.get() || at_work_there() => Icon::Spinner,
        _ if on_its_way.get() => Icon::Plug,
        SessionState::WaitingApproval | SessionState::WaitingInput => Icon::Question,
        SessionState::Error => Icon::Alert,
        SessionState::Paused => Icon::Pause,
        SessionState::Stopped => Icon::Stop,
        _ => Icon::Spinner,
    });
    // The error row of a failed run has its own Retry button.
    let offer_retry = move || {
        state.get() == SessionState::Error
            && !elsewhere.get()
            && !on_its_way.get()
            && !session.rows.with(|rows| ends_in_error(rows))
            // The login card offers to try again.
            && session.meta.login().with(Option::is_none)
    };
    let offer_resume = move || {
        !compacting.get() && !on_its_way.get() && !elsewhere.get() && state.get().show_resume_button()
    };
    let resume_label = move || if state.get() == SessionState::Completed { "Continue" } else { "Resume" };
    let of = move || match state.get() {
        _ if compacting.get() || at_work_there() => "streaming",
        _ if on_its_way.get() => "sending",
        state => state.name(),
    };
    view! {
        <div class="run-status" data-of=of>
            <Show when=move || !words.with(String::is_empty)>
                <LiveGlyph icon />
                <span class="run-words">{move || words.get()}</span>
            </Show>
            <Show when=offer_retry>
                <button type="button" class="button quiet" on:click=move |_| actions.retry(session)>
                    <Glyph icon=Icon::Retry />
                    "Retry"
                </button>
            </Show>
            <Show when=offer_resume>
                <button type="button" class="button quiet" on:click=move |_| actions.resume(session)>
                    <Glyph icon=Icon::Play />
                    {resume_label}
                </button>
            </Show>
        </div>
    }
}

pub fn ends_in_error(rows: &[Row]) -> bool {
    rows.last().is_some_and(|row| row.kind() == Kind::Error)
}

/// Whether the last row, apart from shell commands, is a message that the server has not confirmed.
fn ends_in_unsent(session: Session) -> bool {
    session.rows.with(|rows| {
        let last = rows.iter().rfind(|row| row.kind() != Kind::Bash);
        last.is_some_and(|row| session.read(row, |message| message.mark == Some(Mark::Sending)))
    })
}

fn starting_words(agent: &str, seconds: u64) -> String {
    match seconds {
        0 => format!("Starting {agent}…"),
        seconds => format!("Starting {agent}… {seconds} s"),
    }
}

fn status_words(session: Session) -> String {
    let with_reason = |words: &str| {
        let reason = session.meta.reason().get();
        if reason.is_empty() { words.to_owned() } else { format!("{words} · {}", failure_text(&reason)) }
    };
    match session.meta.state().get() {
        _ if session.meta.compacting().get() => "Compacting conversation…".to_owned(),
        SessionState::Streaming => match session.meta.retry().get() {
            Some(note) => {
                format!("{}: {}", note.words(), failure_text(&note.error_message))
            }
            None => "Working…".to_owned(),
        },
        SessionState::WaitingApproval => "Waiting for your approval".to_owned(),
        SessionState::WaitingInput => "Waiting for your answer".to_owned(),
        SessionState::Paused if session.meta.external_writer().get() => "Running elsewhere".to_owned(),
        SessionState::Paused => with_reason("Paused"),
        SessionState::Error if session.rows.with(|rows| ends_in_error(rows)) => "Run failed".to_owned(),
        SessionState::Error => with_reason("Run failed"),
        SessionState::Stopped => with_reason("Stopped"),
        SessionState::Idle | SessionState::Creating | SessionState::Completed => String::new(),
    }
}
