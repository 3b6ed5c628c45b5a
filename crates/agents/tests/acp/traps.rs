//! The peculiarities of real agents, by recording: `acp.md` lists them.

use pilothouse_agents::{AgentEvent, Reply, Request};
use pilothouse_core::Kind;
use pilothouse_core::protocol::event::Event;
use pilothouse_test_support::recordings::acp::{Played, Player};

use crate::{events, fold, recording, rows_of};

#[test]
fn trap_02_files_are_never_written_for_an_agent() {
    let refused = Player::play(&recording("opencode/edit-diff")).into_iter().any(
        |played| matches!(played, Played::Write(line) if line["error"]["code"] == -32601 && line["id"] == 1),
    );
    assert!(refused);
    assert!(
        rows_of("opencode/edit-diff").iter().any(|row| row.starts_with("tool edit") && row.contains("done"))
    );
}

#[test]
fn trap_03_shell_output_is_found_wherever_it_is() {
    for name in ["codex/tool-streaming", "claude-agent/tool-streaming", "opencode/tool-streaming"] {
        let rows = rows_of(name);
        assert!(rows.iter().any(|row| row.contains("tick 5")), "{name}: {rows:#?}");
    }
}

#[test]
fn trap_04_a_rejected_call_ends_as_an_error_and_the_run_does_not_fail() {
    for agent in ["claude-agent", "claude-agent-0.49", "codex", "gemini", "kilo", "opencode"] {
        let rows = rows_of(&format!("{agent}/tool-reject"));
        let tools: Vec<&String> = rows.iter().filter(|row| row.starts_with("tool")).collect();
        assert!(tools.iter().any(|row| row.contains(" error ")), "{agent}: {rows:#?}");
        assert!(!rows.iter().any(|row| row.starts_with("error")), "{agent}: {rows:#?}");
    }
}

#[test]
fn trap_05_a_permission_before_its_call_makes_one_row() {
    for name in ["kilo/edit-diff", "gemini/edit-diff", "opencode/edit-diff", "codex/edit-diff"] {
        let edits = rows_of(name).iter().filter(|row| row.starts_with("tool edit")).count();
        assert_eq!(edits, 1, "{name}: {:#?}", rows_of(name));
    }
}

#[test]
fn trap_06_a_second_prompt_is_never_sent_into_a_running_turn() {
    for agent in ["claude-agent", "codex", "gemini", "opencode"] {
        let played = Player::play(&recording(&format!("{agent}/prompt-while-busy")));
        let mut running = 0;
        for step in &played {
            match step {
                Played::Write(line) if line["method"] == "session/prompt" => running += 1,
                Played::Event(AgentEvent::Session(Event::AgentSettled { .. })) => running -= 1,
                _ => {}
            }
            assert!(running <= 1, "{agent}");
        }
    }
}

#[test]
fn trap_07_a_provider_error_is_one_error_row() {
    for agent in ["claude-agent", "claude-agent-0.49", "codex", "gemini", "kilo", "opencode"] {
        let rows = rows_of(&format!("{agent}/provider-error"));
        let errors: Vec<&String> = rows.iter().filter(|row| row.starts_with("error")).collect();
        assert!(!errors.is_empty(), "{agent}: {rows:#?}");
        assert!(errors[0].contains("scripted provider failure"), "{agent}: {rows:#?}");
        let repeated =
            rows.iter().filter(|row| row.starts_with("assistant") && row.contains("provider failure"));
        assert_eq!(repeated.count(), 0, "{agent}: {rows:#?}");
    }
}

#[test]
fn trap_10_a_replay_is_imported_once_and_in_order() {
    for agent in ["claude-agent", "claude-agent-0.49", "codex", "kilo", "opencode"] {
        let replayed = conversation(&format!("{agent}/load-replay"));
        let live = conversation(&format!("{agent}/history-setup"));
        assert!(live.len() >= 10, "{agent}: {live:#?}");
        // The recorded client sends one more prompt after the replay.
        assert_eq!(replayed[..live.len()], live, "{agent}: the order differs");
        let users = replayed[live.len()..].iter().filter(|(is_user, _)| *is_user).count();
        assert_eq!(users, 1, "{agent}: {replayed:#?}");
    }
}

/// The texts of the user and of the agent in their order, each with whether it is the user's. Texts of the agent that
/// follow each other are joined.
fn conversation(name: &str) -> Vec<(bool, String)> {
    let mut texts: Vec<(bool, String)> = Vec::new();
    for row in fold(events(&recording(name))).rows() {
        let is_user = match row.kind {
            Kind::User => true,
            Kind::Assistant => false,
            _ => continue,
        };
        match texts.last_mut() {
            Some((false, last)) if !is_user => last.push_str(&row.text),
            _ => texts.push((is_user, row.text.trim().to_owned())),
        }
    }
    texts
}

#[test]
fn steering_injects_a_message_into_the_running_turn() {
    for agent in ["codex", "claude-agent"] {
        let played = Player::play(&recording(&format!("{agent}/steering")));
        let replies: Vec<bool> = played
            .iter()
            .filter_map(|played| match played {
                Played::Reply(Request::Prompt { text, .. }, reply) if text.starts_with("Steer") => {
                    Some(matches!(reply, Ok(Reply::Prompt(_))))
                }
                _ => None,
            })
            .collect();
        assert_eq!(replies.first(), Some(&true), "{agent}");
        assert!(
            rows_of(&format!("{agent}/steering"))
                .iter()
                .any(|row| row.contains("user") && row.contains("Steer"))
        );
    }
}
