//! Cases 40 to 52: live events and history give the same list.

use serde_json::{Value, json};

use crate::conversation::controller::sample::*;
use crate::conversation::message::{Message, Part, StopReason};
use crate::protocol::event::{Event, LAST_BLOCK};

#[test]
fn case_40_a_delta_without_a_message_opens_one() {
    assert_eq!(
        told(&fold([ended(user("hi")), text(LAST_BLOCK, "Hel"), text(LAST_BLOCK, "lo")])),
        ["U(hi)", "A(Hello)"]
    );
}

#[test]
fn case_41_a_delta_after_a_call_is_a_new_text_behind_it() {
    let rows = ["A(before)", "T(a, calling)", "A(after)"];
    assert_eq!(told(&fold([started(), text(0, "before"), call(1, "a"), text(2, "after")])), rows);
    let unnumbered = [text(LAST_BLOCK, "before"), call(LAST_BLOCK, "a"), text(LAST_BLOCK, "after")];
    assert_eq!(told(&fold(unnumbered)), rows);
    let only_running = [text(LAST_BLOCK, "before"), begin("a"), text(LAST_BLOCK, "after")];
    assert_eq!(told(&fold(only_running)), ["A(before)", "T(a, running)", "A(after)"]);
}

#[test]
fn case_42_the_same_start_twice_is_one_row_with_the_later_arguments() {
    let controller = fold([begin_with("a", json!({})), begin_with("a", json!({ "command": "ls" }))]);
    assert_eq!(told(&controller), ["T(a, running)"]);
    assert_eq!(controller.rows()[0].tool_step.as_ref().unwrap().tool_args, json!({ "command": "ls" }));
}

#[test]
fn case_43_an_end_before_its_call_pairs_when_the_call_appears() {
    let mut controller = fold([started(), end("a", "R"), call(0, "a")]);
    assert_eq!(told(&controller), ["T(a, done, R)"]);
    assert_eq!(controller.rows()[0].tool_step.as_ref().unwrap().tool_args, json!({ "command": "a" }));
    controller.take([begin("a")]);
    assert_eq!(told(&controller), ["T(a, done, R)"], "the late start brings no spinner");
    controller.take([settled(), started(), call(0, "a")]);
    assert_eq!(told(&controller), ["T(a, done, R)", "T(a, calling)"], "in a later run it is another call");
}

#[test]
fn case_44_after_a_result_the_next_delta_is_a_new_message() {
    let events = [started(), text(0, "A"), call(1, "a"), begin("a"), ended(result("a", "R")), text(0, "B")];
    assert_eq!(told(&fold(events)), ["A(A)", "T(a, done, R)", "A(B)"]);
}

#[test]
fn case_45_the_final_message_leaves_the_list_as_it_is() {
    let mut controller = fold([Event::AgentStart, started(), thinking(0, "x"), text(1, "y"), call(2, "a")]);
    let whole = vec![thought("x"), said("y"), Part::ToolCall(tool_call("a"))];
    assert_eq!(controller.take([ended(assistant(whole, StopReason::ToolUse))]), []);
    controller.take([begin("a"), end("a", "R"), ended(result("a", "R"))]);
    assert_eq!(controller.take([Event::AgentEnd { will_retry: false }, settled()]), []);
}

#[test]
fn case_46_a_final_text_longer_than_what_streamed_replaces_it() {
    let mut controller = fold([started(), text(0, "Hel"), text_end(0, "Hello")]);
    assert_eq!(told(&controller), ["A(Hello)"]);
    controller.take([ended(answer("Hello you"))]);
    assert_eq!(told(&controller), ["A(Hello you)"]);
}

#[test]
fn case_47_a_final_without_text_leaves_no_empty_row() {
    let mut controller = fold([Event::AgentStart, started(), text(0, " ")]);
    controller.take([ended(assistant(vec![], StopReason::Stop)), settled()]);
    assert_eq!(told(&controller), [""; 0]);
    assert!(!controller.is_running());
}

#[test]
fn case_48_a_text_shorter_than_what_is_shown_is_ignored() {
    let mut controller = fold([started(), text(0, "Hello")]);
    assert_eq!(controller.take([text_end(0, "Hel")]), []);
    assert_eq!(told(&controller), ["A(Hello)"]);
    controller.take([ended(answer("Hel"))]);
    assert_eq!(told(&controller), ["A(Hel)"], "only the message's end may take something back");
}

#[test]
fn case_49_deltas_of_another_run_are_not_mixed_into_this_one() {
    let controller = fold([started(), text(0, "first"), settled(), Event::AgentStart, text(0, "second")]);
    assert_eq!(told(&controller), ["A(first) interrupted", "A(second)"]);
    let unsettled = fold([Event::AgentStart, text(0, "first"), Event::AgentStart, text(0, "second")]);
    assert_eq!(told(&unsettled), told(&controller));
}

#[test]
fn case_50_an_error_is_one_row_and_closes_the_run() {
    let failed = [ended(failed("overloaded")), Event::AgentEnd { will_retry: false }, settled()];
    let controller = fold([Event::AgentStart, begin("a")].into_iter().chain(failed));
    assert_eq!(told(&controller), ["T(a, error) interrupted", "E(overloaded)"]);
    assert!(!controller.is_running());
}

#[test]
fn case_52_spellings_of_parts_give_equal_rows() {
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
    assert_eq!(told(&read(json!("hi"))), told(&read(json!([{ "type": "text", "text": "hi" }]))));
}
