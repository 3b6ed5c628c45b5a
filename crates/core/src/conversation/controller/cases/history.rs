//! Cases 40 to 52: live events and history produce the same rows.

use serde_json::{Value, json};

use crate::conversation::controller::test_support::*;
use crate::conversation::message::{Message, Part, StopReason};
use crate::protocol::event::{Event, LAST_BLOCK};

#[test]
fn case_40_a_delta_without_a_message_opens_one() {
    assert_eq!(
        notation(&fold([ended(user("hi")), text(LAST_BLOCK, "Hel"), text(LAST_BLOCK, "lo")])),
        ["U(hi)", "A(Hello)"]
    );
}

#[test]
fn case_41_a_delta_after_a_call_starts_a_new_text_row() {
    let rows = ["A(before)", "T(a, calling)", "A(after)"];
    assert_eq!(notation(&fold([started(), text(0, "before"), call(1, "a"), text(2, "after")])), rows);
    let unnumbered = [text(LAST_BLOCK, "before"), call(LAST_BLOCK, "a"), text(LAST_BLOCK, "after")];
    assert_eq!(notation(&fold(unnumbered)), rows);
    let only_running = [text(LAST_BLOCK, "before"), begin("a"), text(LAST_BLOCK, "after")];
    assert_eq!(notation(&fold(only_running)), ["A(before)", "T(a, running)", "A(after)"]);
}

#[test]
fn case_42_a_repeated_start_updates_the_arguments_of_its_row() {
    let controller = fold([begin_with("a", json!({})), begin_with("a", json!({ "command": "ls" }))]);
    assert_eq!(notation(&controller), ["T(a, running)"]);
    assert_eq!(controller.rows()[0].tool_step.as_ref().unwrap().tool_args, json!({ "command": "ls" }));
}

#[test]
fn case_43_an_end_before_its_call_is_paired_with_the_call() {
    let mut controller = fold([started(), end("a", "R"), call(0, "a")]);
    assert_eq!(notation(&controller), ["T(a, done, R)"]);
    assert_eq!(controller.rows()[0].tool_step.as_ref().unwrap().tool_args, json!({ "command": "a" }));
    controller.apply_all([begin("a")]);
    assert_eq!(notation(&controller), ["T(a, done, R)"], "a late start does not reopen the row");
    controller.apply_all([settled(), started(), call(0, "a")]);
    assert_eq!(
        notation(&controller),
        ["T(a, done, R)", "T(a, calling)"],
        "the same id in a later run is another call"
    );
}

#[test]
fn case_44_a_delta_after_a_result_starts_a_new_message() {
    let events = [started(), text(0, "A"), call(1, "a"), begin("a"), ended(result("a", "R")), text(0, "B")];
    assert_eq!(notation(&fold(events)), ["A(A)", "T(a, done, R)", "A(B)"]);
}

#[test]
fn case_45_the_final_message_changes_no_row() {
    let mut controller = fold([Event::AgentStart, started(), thinking(0, "x"), text(1, "y"), call(2, "a")]);
    let whole = vec![thought("x"), said("y"), Part::ToolCall(tool_call("a"))];
    assert_eq!(controller.apply_all([ended(assistant(whole, StopReason::ToolUse))]), []);
    controller.apply_all([begin("a"), end("a", "R"), ended(result("a", "R"))]);
    assert_eq!(controller.apply_all([Event::AgentEnd { will_retry: false }, settled()]), []);
}

#[test]
fn case_46_a_final_text_longer_than_the_streamed_text_replaces_it() {
    let mut controller = fold([started(), text(0, "Hel"), text_end(0, "Hello")]);
    assert_eq!(notation(&controller), ["A(Hello)"]);
    controller.apply_all([ended(answer("Hello you"))]);
    assert_eq!(notation(&controller), ["A(Hello you)"]);
}

#[test]
fn case_47_a_final_message_without_text_leaves_no_empty_row() {
    let mut controller = fold([Event::AgentStart, started(), text(0, " ")]);
    controller.apply_all([ended(assistant(vec![], StopReason::Stop)), settled()]);
    assert_eq!(notation(&controller), [""; 0]);
    assert!(!controller.is_running());
}

#[test]
fn case_48_a_text_end_shorter_than_the_row_is_ignored() {
    let mut controller = fold([started(), text(0, "Hello")]);
    assert_eq!(controller.apply_all([text_end(0, "Hel")]), []);
    assert_eq!(notation(&controller), ["A(Hello)"]);
    controller.apply_all([ended(answer("Hel"))]);
    assert_eq!(notation(&controller), ["A(Hel)"], "only the message's end may shorten a row");
}

#[test]
fn case_49_deltas_of_another_run_start_a_new_row() {
    let controller = fold([started(), text(0, "first"), settled(), Event::AgentStart, text(0, "second")]);
    assert_eq!(notation(&controller), ["A(first) interrupted", "A(second)"]);
    let unsettled = fold([Event::AgentStart, text(0, "first"), Event::AgentStart, text(0, "second")]);
    assert_eq!(notation(&unsettled), notation(&controller));
}

#[test]
fn case_50_an_error_adds_one_row_and_closes_the_run() {
    let failed = [ended(failed("overloaded")), Event::AgentEnd { will_retry: false }, settled()];
    let controller = fold([Event::AgentStart, begin("a")].into_iter().chain(failed));
    assert_eq!(notation(&controller), ["T(a, error) interrupted", "E(overloaded)"]);
    assert!(!controller.is_running());
}

#[test]
fn case_52_all_spellings_of_content_parts_produce_equal_rows() {
    let read = |content: Value| {
        let message = json!({ "role": "assistant", "content": content, "stopReason": "toolUse" });
        history([Message::from_value(message)])
    };
    let spelled = |part: Value| read(json!([part])).rows()[0].tool_step.clone().unwrap();
    let plain =
        spelled(json!({ "type": "toolCall", "id": "a", "name": "read", "arguments": { "path": "x" } }));
    let used = spelled(json!({ "type": "tool_use", "id": "a", "name": "read", "input": { "path": "x" } }));
    let called =
        spelled(json!({ "type": "tool_call", "id": "a", "name": "read", "arguments": "{\"path\":\"x\"}" }));
    assert_eq!(plain, used);
    assert_eq!(plain, called);
    assert_eq!(notation(&read(json!("hi"))), notation(&read(json!([{ "type": "text", "text": "hi" }]))));
}
