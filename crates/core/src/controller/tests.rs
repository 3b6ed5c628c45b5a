//! The numbered cases of the message model, as far as they concern the fold alone.

use super::*;
use crate::event::ToolOutput;
use crate::message::{Content, Part, ToolCall};
use crate::ui_message::BashResult;
use serde_json::{Value, json};

/// Rows in the notation of the cases: `U(text)`, `A(text)`, `T(id, phase, result)` …
fn told(controller: &MessageController) -> Vec<String> {
    let rows = controller.rows().iter().map(|row| {
        let mark = match row.mark {
            Some(Mark::Interrupted) => " interrupted",
            Some(Mark::Sending) => " sending",
            Some(Mark::Refused) => " refused",
            None => "",
        };
        let body = match (&row.tool_step, &row.bash_result) {
            (Some(step), _) => {
                let result = step.result.as_ref().map(|result| format!(", {result}")).unwrap_or_default();
                format!("T({}, {}{result})", step.call_id, step.phase.name())
            }
            (_, Some(bash)) => format!("B({})", bash.command),
            _ => {
                let letter = match row.kind {
                    Kind::User => "U",
                    Kind::Assistant => "A",
                    Kind::Thinking => "K",
                    Kind::Error => "E",
                    _ => "S",
                };
                format!("{letter}({})", row.text)
            }
        };
        format!("{body}{mark}")
    });
    rows.collect()
}

fn fold(events: impl IntoIterator<Item = Event>) -> MessageController {
    let mut controller = MessageController::default();
    events.into_iter().for_each(|event| drop(controller.handle_server_event(event)));
    controller
}

fn text(index: usize, delta: &str) -> Event {
    Event::MessageUpdate { update: Update::TextDelta { content_index: index, delta: delta.into() } }
}

fn thinking(index: usize, delta: &str) -> Event {
    Event::MessageUpdate { update: Update::ThinkingDelta { content_index: index, delta: delta.into() } }
}

fn call(index: usize, id: &str, tool: &str) -> Event {
    let tool_call =
        ToolCall { id: id.into(), name: tool.into(), arguments: json!({}), arguments_error: None };
    Event::MessageUpdate { update: Update::ToolcallEnd { content_index: index, tool_call } }
}

fn begin(id: &str) -> Event {
    Event::ToolExecutionStart {
        tool_call_id: id.into(),
        tool_name: "bash".into(),
        args: json!({"command": id}),
    }
}

fn progress(id: &str, output: &str) -> Event {
    Event::ToolExecutionUpdate {
        tool_call_id: id.into(),
        tool_name: "bash".into(),
        partial_result: output_of(output),
    }
}

fn end(id: &str, output: &str, is_error: bool) -> Event {
    Event::ToolExecutionEnd {
        tool_call_id: id.into(),
        tool_name: "bash".into(),
        result: output_of(output),
        is_error,
        duration_ms: None,
    }
}

fn output_of(text: &str) -> ToolOutput {
    ToolOutput { text: text.into(), ..ToolOutput::default() }
}

fn started() -> Event {
    Event::MessageStart { message: assistant(vec![], StopReason::Pending, None) }
}

fn assistant(parts: Vec<Part>, stop_reason: StopReason, error: Option<&str>) -> Message {
    Message::Assistant { content: Content(parts), stop_reason, error_message: error.map(str::to_owned) }
}

fn said(text: &str) -> Part {
    Part::Text { text: text.into() }
}

fn user(text: &str, client_id: Option<&str>) -> Message {
    Message::User { content: Content(vec![said(text)]), client_id: client_id.map(str::to_owned) }
}

fn ended(message: Message) -> Event {
    Event::MessageEnd { message }
}

fn settled() -> Event {
    Event::AgentSettled { aborted: false }
}

#[test]
fn case_01_text_streams_into_one_row() {
    let whole = assistant(vec![said("Hello")], StopReason::Stop, None);
    let controller =
        fold([Event::AgentStart, started(), text(0, "Hel"), text(0, "lo"), ended(whole), settled()]);
    assert_eq!(told(&controller), ["A(Hello)"]);
    assert!(!controller.is_running());
}

#[test]
fn case_02_thinking_then_text_as_history_has_it() {
    let live = fold([started(), thinking(0, "x"), text(1, "y")]);
    let stored = assistant(vec![Part::Thinking { thinking: "x".into() }, said("y")], StopReason::Stop, None);
    let history = MessageController::load_messages_from_history([stored]);
    assert_eq!(told(&live), ["K(x)", "A(y)"]);
    assert_eq!(told(&history), told(&live));
}

#[test]
fn case_03_deltas_need_no_start_and_an_end_of_nothing_does_nothing() {
    let nothing = Event::MessageUpdate { update: Update::TextEnd { content_index: 7, content: "x".into() } };
    assert_eq!(told(&fold([text(0, "a"), nothing])), ["A(a)"]);
}

#[test]
fn case_04_two_interleaved_blocks_are_two_rows() {
    assert_eq!(
        told(&fold([started(), text(0, "a"), text(1, "x"), text(0, "b"), text(1, "y")])),
        ["A(ab)", "A(xy)"]
    );
}

#[test]
fn case_05_a_call_runs_and_ends() {
    let mut controller = fold([started(), call(0, "a", "bash")]);
    assert_eq!(told(&controller), ["T(a, calling)"]);
    controller.handle_server_event(begin("a"));
    assert_eq!(told(&controller), ["T(a, running)"]);
    controller.handle_server_event(end("a", "R", false));
    assert_eq!(told(&controller), ["T(a, done, R)"]);
}

#[test]
fn case_06_parallel_calls_end_in_any_order_in_their_own_rows() {
    let events = [
        started(),
        call(0, "a", "bash"),
        call(1, "b", "bash"),
        begin("a"),
        begin("b"),
        end("b", "RB", false),
        end("a", "RA", true),
    ];
    assert_eq!(told(&fold(events)), ["T(a, error, RA)", "T(b, done, RB)"]);
}

#[test]
fn case_08_a_start_without_a_call_makes_a_row() {
    assert_eq!(told(&fold([begin("a")])), ["T(a, running)"]);
}

#[test]
fn case_09_an_end_without_a_begin_makes_one_finished_row() {
    assert_eq!(told(&fold([end("a", "R", false)])), ["T(a, done, R)"]);
}

#[test]
fn case_10_updates_replace_and_none_counts_after_the_end() {
    let events = [
        begin("a"),
        progress("a", "1"),
        progress("a", "1\n2"),
        end("a", "1\n2\n3", false),
        progress("a", "9"),
    ];
    assert_eq!(told(&fold(events)), ["T(a, done, 1\n2\n3)"]);
}

#[test]
fn case_11_and_12_the_same_end_twice_and_the_result_message_change_nothing() {
    let mut controller = fold([begin("a"), end("a", "R", false)]);
    let before = controller.clone();
    assert_eq!(controller.handle_server_event(end("a", "other", true)), []);
    let result = Message::ToolResult {
        tool_call_id: "a".into(),
        tool_name: "bash".into(),
        content: Content(vec![said("R")]),
        details: None,
        is_error: false,
        duration_ms: None,
    };
    assert_eq!(controller.handle_server_event(ended(result)), []);
    assert_eq!(controller, before);
}

#[test]
fn case_13_a_settled_run_leaves_no_spinner_and_a_late_end_upgrades_its_row() {
    let mut controller = fold([begin("a"), settled()]);
    assert_eq!(told(&controller), ["T(a, error) interrupted"]);
    controller.handle_server_event(end("a", "late", false));
    assert_eq!(told(&controller), ["T(a, done, late)"]);
}

#[test]
fn case_14_a_failed_message_is_an_error_row_live_and_from_history() {
    let failed = assistant(vec![], StopReason::Error, Some("429"));
    assert_eq!(told(&fold([started(), ended(failed.clone())])), ["E(429)"]);
    assert_eq!(told(&MessageController::load_messages_from_history([failed])), ["E(429)"]);
}

#[test]
fn attempts_that_fail_one_after_the_other_are_one_row() {
    let failed = |error| assistant(vec![], StopReason::Error, Some(error));
    let events =
        [ended(failed("500")), Event::AgentEnd { will_retry: true }, ended(failed("429")), settled()];
    assert_eq!(told(&fold(events)), ["E(429)"]);
    let history = [failed("500"), failed("429"), user("again", None), failed("500")];
    assert_eq!(
        told(&MessageController::load_messages_from_history(history)),
        ["E(429)", "U(again)", "E(500)"]
    );
}

#[test]
fn case_15_an_aborted_message_keeps_its_text_marked() {
    let aborted = assistant(vec![said("Hel")], StopReason::Aborted, None);
    assert_eq!(told(&fold([started(), text(0, "Hel"), ended(aborted.clone())])), ["A(Hel) interrupted"]);
    assert_eq!(told(&MessageController::load_messages_from_history([aborted])), ["A(Hel) interrupted"]);
}

#[test]
fn case_16_the_end_is_authoritative_and_ids_and_places_stay() {
    let mut controller = fold([started(), text(0, "Helo"), text(1, "gone")]);
    let id = controller.rows()[0].id.clone();
    controller.handle_server_event(ended(assistant(vec![said("Hello")], StopReason::Stop, None)));
    assert_eq!(told(&controller), ["A(Hello)"]);
    assert_eq!(controller.rows()[0].id, id);
}

#[test]
fn case_19_steering_stands_between_the_texts() {
    let events = [
        started(),
        text(0, "A"),
        ended(assistant(vec![said("A")], StopReason::Stop, None)),
        Event::MessageStart { message: user("go left", None) },
        ended(user("go left", None)),
        started(),
        text(0, "B"),
    ];
    assert_eq!(told(&fold(events)), ["A(A)", "U(go left)", "A(B)"]);
}

#[test]
fn case_23_the_echo_of_an_optimistic_row_adds_no_second() {
    let mut controller = MessageController::default();
    assert_eq!(controller.create_user_message("c1", "hi".into(), vec![]), [Change::Inserted(0)]);
    assert_eq!(told(&controller), ["U(hi) sending"]);
    controller.handle_server_event(Event::MessageStart { message: user("hi", Some("c1")) });
    controller.handle_server_event(ended(user("hi", Some("c1"))));
    assert_eq!(told(&controller), ["U(hi)"]);
}

#[test]
fn case_32_a_refused_prompt_keeps_its_text() {
    let mut controller = MessageController::default();
    controller.create_user_message("c1", "hi".into(), vec![]);
    controller.mark_refused("c1");
    controller.create_error_message("c1", "no".into());
    assert_eq!(told(&controller), ["U(hi) refused", "E(no)"]);
    controller.create_user_message("c2", "again".into(), vec![]);
    assert_eq!(told(&controller), ["U(again) sending"], "refusals do not pile up below what follows");
}

#[test]
fn case_35_a_shell_row_stands_aside_until_the_run_is_over() {
    let bash = BashResult { command: "ls".into(), exit_code: Some(0), ..BashResult::default() };
    let mut controller = fold([
        Event::AgentStart,
        Event::BashStart { id: "b".into(), command: "ls".into(), exclude_from_context: false },
        Event::BashEnd { id: "b".into(), result: bash },
        text(0, "working"),
    ]);
    assert_eq!(told(&controller), ["A(working)", "B(ls)"]);
    controller.handle_server_event(settled());
    controller.handle_server_event(Event::MessageStart { message: user("next", None) });
    assert_eq!(told(&controller), ["A(working)", "B(ls)", "U(next)"]);
}

#[test]
fn case_52_spellings_of_parts_give_equal_rows() {
    let spelled = |part: Value| {
        let message = json!({"role": "assistant", "content": [part], "stopReason": "toolUse"});
        let controller = MessageController::load_messages_from_history([Message::from_value(message)]);
        controller.rows()[0].tool_step.clone().unwrap()
    };
    let plain = spelled(json!({"type": "toolCall", "id": "a", "name": "read", "arguments": {"path": "x"}}));
    assert_eq!(
        plain,
        spelled(json!({"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}}))
    );
    assert_eq!(
        plain,
        spelled(json!({"type": "tool_call", "id": "a", "name": "read", "arguments": "{\"path\":\"x\"}"}))
    );
}

#[test]
fn case_53_to_55_a_restore_in_between_changes_nothing() {
    let events = [
        started(),
        call(0, "a", "bash"),
        begin("a"),
        progress("a", "1"),
        end("a", "R", false),
        settled(),
        text(0, "x"),
    ];
    let whole = fold(events.clone());
    for cut in 0..=events.len() {
        let before = fold(events[..cut].iter().cloned());
        let snapshot = serde_json::to_string(before.fold()).unwrap();
        let fold = serde_json::from_str(&snapshot).unwrap();
        let mut restored = MessageController::restore(0, before.rows().to_vec(), fold);
        events[cut..].iter().cloned().for_each(|event| drop(restored.handle_server_event(event)));
        assert_eq!(restored, whole, "cut at {cut}");
    }
}

#[test]
fn a_page_that_holds_only_the_end_stays_in_step_with_the_server() {
    let mut server = fold((0..30).map(|number| ended(user(&number.to_string(), None))));
    server.handle_server_event(begin("far"));
    (0..5).for_each(|_| drop(server.handle_server_event(ended(user("later", None)))));
    let first = server.total() - 3;
    let mut page = MessageController::restore(first, server.rows()[first..].to_vec(), server.fold().clone());
    for event in [end("far", "R", false), started(), text(0, "x"), settled()] {
        server.handle_server_event(event.clone());
        page.handle_server_event(event);
    }
    assert_eq!(page.rows(), &server.rows()[first..]);
    assert_eq!(page.total(), server.total());
}

#[test]
fn reports_name_exactly_the_rows_that_changed() {
    let mut controller = fold([started(), text(0, "a")]);
    assert_eq!(controller.handle_server_event(text(0, "b")), [Change::Touched(0)]);
    assert_eq!(controller.handle_server_event(text(1, "c")), [Change::Inserted(1)]);
    assert_eq!(controller.handle_server_event(text(2, "  ")), [], "blank text gives no row");
    assert_eq!(controller.handle_server_event(Event::Unknown), []);
}

#[test]
fn case_18_results_of_any_shape_become_text_or_image() {
    let shapes = [
        (json!("plain"), "plain"),
        (json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "a\nb"),
        (json!({"content": [{"type": "text", "text": "c"}], "details": {}}), "c"),
        (json!(17), "17"),
        (json!(null), ""),
        (json!({"x": 1}), "{\"x\":1}"),
    ];
    for (value, text) in shapes {
        assert_eq!(ToolOutput::from_value(value).text, text);
    }
    let image = json!({"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]});
    assert_eq!(ToolOutput::from_value(image).images.len(), 1);
}
