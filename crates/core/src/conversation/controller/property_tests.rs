//! Properties that hold for every sequence of events, valid or hostile.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::test_support::*;
use super::{Change, ControllerSnapshot, Fold, MessageController};
use crate::conversation::message::{Content, Message, Part, StopReason, ToolCall};
use crate::conversation::ui_message::{Image, Mark, UiMessage};
use crate::protocol::event::{Event, LAST_BLOCK, ToolOutput, Update};

/// A small set of ids, one of them empty, so that ids collide.
fn id() -> impl Strategy<Value = String> {
    select(vec!["", "a", "b", "c"]).prop_map(str::to_owned)
}

fn tool() -> impl Strategy<Value = String> {
    select(vec!["bash", "read"]).prop_map(str::to_owned)
}

fn words() -> impl Strategy<Value = String> {
    select(vec!["", " ", "x", "hello", "\n", "ü\u{2028}"]).prop_map(str::to_owned)
}

fn index() -> impl Strategy<Value = usize> {
    select(vec![0, 1, 2, 7, LAST_BLOCK])
}

fn output() -> impl Strategy<Value = ToolOutput> {
    words().prop_map(|text| ToolOutput { text, ..ToolOutput::default() })
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        words().prop_map(|text| Part::Text { text }),
        words().prop_map(|thinking| Part::Thinking { thinking }),
        (id(), tool()).prop_map(|(id, name)| Part::ToolCall(ToolCall { id, name, ..ToolCall::default() })),
        Just(Part::Unknown(json!({ "type": "resource" }))),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let content = || prop::collection::vec(part(), 0..4).prop_map(Content);
    let reason = select(vec![StopReason::Stop, StopReason::ToolUse, StopReason::Error, StopReason::Aborted]);
    let client = prop::option::of(select(vec!["1", "2"]).prop_map(str::to_owned));
    prop_oneof![
        (content(), client).prop_map(|(content, client_id)| Message::User {
            content,
            client_id,
            timestamp: None
        }),
        (content(), reason).prop_map(|(content, stop_reason)| Message::Assistant {
            content,
            stop_reason,
            error_message: None,
            timestamp: None
        }),
        (id(), tool(), content(), any::<bool>()).prop_map(|(tool_call_id, tool_name, content, is_error)| {
            Message::ToolResult {
                tool_call_id,
                tool_name,
                content,
                details: None,
                is_error,
                duration_ms: None,
                call: None,
            }
        }),
        words().prop_map(|summary| Message::CompactionSummary { summary }),
        words().prop_map(|words| Message::Answered { words }),
        (content(), any::<bool>()).prop_map(|(content, display)| Message::Custom { content, display }),
        words().prop_map(|command| Message::BashExecution { result: bash(&command) }),
    ]
}

fn update() -> impl Strategy<Value = Update> {
    prop_oneof![
        4 => (index(), words()).prop_map(|(content_index, delta)| Update::TextDelta { content_index, delta }),
        2 => (index(), words())
            .prop_map(|(content_index, delta)| Update::ThinkingDelta { content_index, delta }),
        1 => (index(), words()).prop_map(|(content_index, content)| Update::TextEnd { content_index, content }),
        1 => (index(), words())
            .prop_map(|(content_index, content)| Update::ThinkingEnd { content_index, content }),
        1 => (index(), id(), tool()).prop_map(|(content_index, id, tool_name)| Update::ToolcallStart {
            content_index,
            id,
            tool_name
        }),
        2 => (index(), id(), tool()).prop_map(|(content_index, id, name)| Update::ToolcallEnd {
            content_index,
            tool_call: ToolCall { id, name, arguments: json!({ "n": 1 }), ..ToolCall::default() },
        }),
        1 => index().prop_map(|content_index| Update::Image { content_index, image: Image::default() }),
        1 => Just(Update::Unknown),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        1 => Just(Event::AgentStart),
        1 => any::<bool>().prop_map(|will_retry| Event::AgentEnd { will_retry }),
        1 => any::<bool>().prop_map(|aborted| Event::AgentSettled { aborted }),
        1 => any::<bool>().prop_map(|expected| Event::ProcessExit {
            code: Some(1),
            signal: None,
            expected,
            stderr: vec![],
            shell_lives: false
        }),
        2 => message().prop_map(|message| Event::MessageStart { message }),
        4 => message().prop_map(|message| Event::MessageEnd { message }),
        8 => update().prop_map(|update| Event::MessageUpdate { update }),
        3 => (id(), tool()).prop_map(|(tool_call_id, tool_name)| Event::ToolExecutionStart {
            tool_call_id,
            tool_name,
            args: json!({ "n": 2 })
        }),
        3 => (id(), tool(), output()).prop_map(|(tool_call_id, tool_name, partial_result)| {
            Event::ToolExecutionUpdate { tool_call_id, tool_name, partial_result }
        }),
        2 => (id(), words()).prop_map(|(tool_call_id, delta)| Event::ToolExecutionDelta { tool_call_id, delta }),
        3 => (id(), tool(), output(), any::<bool>()).prop_map(|(tool_call_id, tool_name, result, is_error)| {
            Event::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, duration_ms: None }
        }),
        1 => (id(), words()).prop_map(|(id, command)| Event::BashStart {
            id,
            command,
            exclude_from_context: false
        }),
        1 => (id(), words()).prop_map(|(id, delta)| Event::BashExecutionUpdate { id, delta }),
        1 => (id(), words()).prop_map(|(id, command)| bash_end(&id, &command)),
        1 => words().prop_map(|summary| Event::CompactionEnd {
            summary: Some(summary),
            aborted: false,
            error: None
        }),
        1 => (id(), tool()).prop_map(|(id, name)| Event::ToolCallChanged {
            tool_call: ToolCall { id, name, arguments: json!({ "n": 3 }), ..ToolCall::default() },
        }),
        1 => Just(Event::Unknown),
    ]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(event(), 0..60)
}

/// An action of the page between two server events.
#[derive(Clone, Debug)]
enum LocalAction {
    Send(String),
    Refuse(String),
    Remove(String),
}

fn local_action() -> impl Strategy<Value = LocalAction> {
    let client = || select(vec!["1", "2", "3"]).prop_map(str::to_owned);
    prop_oneof![
        client().prop_map(LocalAction::Send),
        client().prop_map(LocalAction::Refuse),
        client().prop_map(LocalAction::Remove),
    ]
}

fn act(controller: &mut MessageController, action: &LocalAction) -> Vec<Change> {
    match action {
        LocalAction::Send(client) => controller.create_user_message(client, "mine".into(), vec![]),
        LocalAction::Refuse(client) => {
            let mut report = controller.mark_refused(client);
            report.extend(controller.create_error_message(client, "no".into()));
            report
        }
        LocalAction::Remove(client) => controller.remove_user_message(client),
    }
}

/// Applies a report to a copy of the list, as a page does: only the reported rows change.
fn apply_report(list: &mut Vec<UiMessage>, report: &[Change], rows: &[UiMessage]) {
    for (position, change) in report.iter().enumerate() {
        match *change {
            Change::Inserted(at) => list.insert(at, UiMessage::default()),
            Change::Removed(at) => drop(list.remove(at)),
            Change::Touched(_) => {}
        }
        // The page reads rows after the whole report, at their final position.
        if let Change::Inserted(at) | Change::Touched(at) = *change {
            let place = report[position + 1..].iter().try_fold(at, |at, later| match *later {
                Change::Inserted(other) if other <= at => Some(at + 1),
                Change::Removed(other) if other < at => Some(at - 1),
                Change::Removed(other) if other == at => None,
                _ => Some(at),
            });
            if let Some(place) = place {
                list[at] = rows[place].clone();
            }
        }
    }
}

proptest! {
    #[test]
    fn hostile_sequences_keep_the_invariants_and_report_every_change(
        steps in prop::collection::vec(
            prop_oneof![5 => event().prop_map(Ok), 1 => local_action().prop_map(Err)],
            0..60,
        )
    ) {
        let mut controller = MessageController::default();
        let mut shown: Vec<UiMessage> = Vec::new();
        for step in steps {
            let ids: Vec<String> = controller.rows().iter().map(|row| row.id.clone()).collect();
            let report = match &step {
                Ok(event) => controller.handle_server_event(event.clone()),
                Err(action) => act(&mut controller, action),
            };
            prop_assert_eq!(controller.broken_invariant(), None, "after {:?}", step);
            apply_report(&mut shown, &report, controller.rows());
            prop_assert_eq!(&shown[..], controller.rows(), "{:?} after {:?}", report, step);
            // A row that is neither inserted nor removed keeps its id and its order.
            let mut kept: Vec<Option<&String>> = ids.iter().map(Some).collect();
            for change in &report {
                match *change {
                    Change::Inserted(at) => kept.insert(at, None),
                    Change::Removed(at) => drop(kept.remove(at)),
                    Change::Touched(_) => {}
                }
            }
            prop_assert_eq!(kept.len(), controller.rows().len());
            for (kept, row) in kept.iter().zip(controller.rows()) {
                prop_assert!(kept.is_none_or(|id| *id == row.id), "{:?} after {:?}", report, step);
            }
        }
    }

    #[test]
    fn a_snapshot_at_any_point_changes_nothing(events in events(), window in 0_usize..20) {
        let mut server = MessageController::default();
        let mut page = server.restored();
        for (number, event) in events.into_iter().enumerate() {
            server.handle_server_event(event.clone());
            page.handle_server_event(event);
            prop_assert_eq!(&server.restored(), &server, "a restored snapshot equals the original");
            prop_assert_eq!(page.fold(), server.fold());
            prop_assert_eq!(page.rows(), &server.rows()[page.first()..]);
            if number % 7 == 0 {
                // The page reconnects and holds fewer rows.
                page = server.restored_with(window);
            }
        }
    }

    #[test]
    fn a_hostile_snapshot_is_repaired(
        events in events(),
        later in events(),
        body in 0_usize..100,
        first in select(vec![0, 3, usize::MAX]),
        rows in prop::collection::vec(0_usize..40, 0..6),
    ) {
        let snapshot = fold(events).snapshot(30);
        let calls: Vec<_> = rows.iter().map(|row| {
            json!({ "id": "a", "tool": "bash", "row": row, "stage": "running", "claimed": false, "told": false })
        }).collect();
        let blocks: Vec<_> = rows.iter().map(|row| json!({ "index": row, "kind": "assistant", "row": row })).collect();
        let named: Vec<_> = rows.iter().map(|row| json!({ "id": "u-1", "row": row })).collect();
        let hostile: Fold = serde_json::from_value(json!({
            "body": body, "next_id": 0, "running": true, "open_user": rows.first(), "failure": rows.last(),
            "blocks": blocks, "calls": calls, "named": named,
        })).unwrap();
        let hostile = ControllerSnapshot { first, rows: snapshot.rows, fold: hostile };
        let mut controller = MessageController::restore(hostile);
        prop_assert_eq!(controller.broken_invariant(), None);
        prop_assert_eq!(&controller.restored(), &controller, "a second repair changes nothing");
        for event in later {
            controller.handle_server_event(event);
            prop_assert_eq!(controller.broken_invariant(), None);
        }
    }

    #[test]
    fn a_repeated_end_changes_nothing(events in events()) {
        let mut controller = MessageController::default();
        for event in events {
            controller.handle_server_event(event.clone());
            let with_id = match &event {
                Event::ToolExecutionEnd { tool_call_id, .. }
                | Event::MessageEnd { message: Message::ToolResult { tool_call_id, .. } } => {
                    // Without an id, or with an id that several calls share, a second end belongs to the next
                    // call.
                    let mut steps = controller.rows().iter().filter_map(|row| row.tool_step.as_ref());
                    let unique = steps.by_ref().filter(|step| step.call_id == *tool_call_id).count() == 1;
                    !tool_call_id.is_empty() && unique
                }
                Event::AgentSettled { .. } | Event::AgentEnd { .. } | Event::ProcessExit { .. } => true,
                Event::MessageEnd { message: Message::User { client_id: Some(_), .. } } => true,
                _ => false,
            };
            if with_id {
                let before = controller.clone();
                prop_assert_eq!(controller.handle_server_event(event), []);
                prop_assert_eq!(&controller, &before);
            }
        }
    }

    #[test]
    fn repeated_ends_in_any_order_converge(
        order in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
        again in prop::collection::vec(0_usize..6, 0..8),
        settle_after in 0_usize..7,
    ) {
        let names = ["a", "b", "c", "d", "e", "f"];
        let mut controller = fold([Event::AgentStart, started()]);
        controller.apply_all(names.iter().enumerate().map(|(index, id)| call(index, id)));
        controller.apply_all(names.map(begin));
        for (count, position) in order.iter().chain(&again).enumerate() {
            if count == settle_after {
                controller.apply_all([settled()]);
            }
            let id = names[*position];
            let ends = if count % 2 == 0 { end(id, id) } else { ended(result(id, id)) };
            controller.apply_all([ends]);
        }
        let expected = names.map(|id| format!("T({id}, done, {id})"));
        prop_assert_eq!(notation(&controller), expected);
    }

    #[test]
    fn any_streaming_of_a_message_ends_with_the_rows_from_history(
        parts in prop::collection::vec(part(), 0..5),
        order in prop::collection::vec((0_usize..5, 1_usize..4), 0..12),
        aborted in any::<bool>(),
    ) {
        let reason = if aborted { StopReason::Aborted } else { StopReason::Stop };
        let whole = assistant(parts.clone(), reason);
        let mut live = fold([Event::AgentStart, started()]);
        for (index, length) in order {
            let piece = |text: &str| text.chars().take(length).collect::<String>();
            match parts.get(index) {
                Some(Part::Text { text: whole }) => drop(live.apply_all([text(index, &piece(whole))])),
                Some(Part::Thinking { thinking: whole }) => drop(live.apply_all([thinking(index, &piece(whole))])),
                Some(Part::ToolCall(tool_call)) => {
                    let update = Update::ToolcallEnd { content_index: index, tool_call: tool_call.clone() };
                    live.apply_all([Event::MessageUpdate { update }]);
                }
                _ => {}
            }
        }
        live.apply_all([ended(whole.clone()), settled()]);
        prop_assert_eq!(notation(&live), notation(&history([whole])));
        prop_assert!(live.rows().iter().all(|row| row.mark != Some(Mark::Sending)));
    }
}
