//! Cases 1 to 20: streamed messages and tool calls.

use serde_json::{Value, json};

use crate::conversation::controller::Change;
use crate::conversation::controller::test_support::*;
use crate::conversation::message::{Message, Part, StopReason};
use crate::limits::RECENT_CALLS;
use crate::protocol::event::{Event, ToolOutput};
use crate::render::describe::describe_call;

#[test]
fn case_01_text_streams_into_one_row() {
    let controller = fold([
        Event::AgentStart,
        started(),
        text(0, "Hel"),
        text(0, "lo"),
        text_end(0, "Hello"),
        ended(answer("Hello")),
        Event::AgentEnd { will_retry: false },
    ]);
    assert_eq!(notation(&controller), ["A(Hello)"]);
    assert!(!controller.is_running());
}

#[test]
fn case_02_thinking_and_text_equal_the_rows_from_history() {
    let live = fold([started(), thinking(0, "x"), text(1, "y")]);
    assert_eq!(notation(&live), ["K(x)", "A(y)"]);
    let stored = history([assistant(vec![thought("x"), said("y")], StopReason::Stop)]);
    assert_eq!(notation(&stored), notation(&live));
}

#[test]
fn case_03_deltas_need_no_start_and_the_end_of_an_unknown_block_is_ignored() {
    assert_eq!(notation(&fold([text(0, "a"), text_end(7, "x")])), ["A(a)"]);
    assert_eq!(notation(&fold([text_end(0, "x")])), [""; 0]);
}

#[test]
fn case_04_two_interleaved_blocks_are_two_rows() {
    let rows = ["A(ab)", "A(xy)"];
    assert_eq!(notation(&fold([started(), text(0, "a"), text(1, "x"), text(0, "b"), text(1, "y")])), rows);
    let later_first = fold([started(), text(1, "x"), text(0, "a"), text(1, "y"), text(0, "b")]);
    assert_eq!(notation(&later_first), rows, "the order of the message, as in history");
}

#[test]
fn case_05_a_call_runs_and_ends() {
    let mut controller = fold([started(), call(0, "a")]);
    assert_eq!(notation(&controller), ["T(a, calling)"]);
    controller.apply_all([begin("a")]);
    assert_eq!(notation(&controller), ["T(a, running)"]);
    let mut failing = controller.clone();
    controller.apply_all([end("a", "R")]);
    assert_eq!(notation(&controller), ["T(a, done, R)"]);
    failing.apply_all([fail("a", "no")]);
    assert_eq!(notation(&failing), ["T(a, error, no)"]);
}

#[test]
fn case_06_parallel_calls_end_in_any_order_in_their_own_rows() {
    let begun = [started(), call(0, "a"), call(1, "b"), begin("a"), begin("b")];
    let controller = fold(begun.into_iter().chain([end("b", "RB"), end("a", "RA")]));
    assert_eq!(notation(&controller), ["T(a, done, RA)", "T(b, done, RB)"]);
}

#[test]
fn case_07_calls_of_one_message_run_one_after_the_other() {
    let calls = [started(), call(0, "a"), call(1, "b")];
    let runs = [begin("a"), end("a", "RA"), begin("b"), fail("b", "RB")];
    assert_eq!(notation(&fold(calls.into_iter().chain(runs))), ["T(a, done, RA)", "T(b, error, RB)"]);
}

#[test]
fn case_08_a_start_without_a_call_adds_a_row() {
    let controller = fold([begin("a")]);
    assert_eq!(notation(&controller), ["T(a, running)"]);
    let step = controller.rows()[0].tool_step.clone().unwrap();
    assert_eq!((step.tool_name.as_str(), step.tool_args), ("bash", json!({ "command": "a" })));
}

#[test]
fn case_09_an_end_without_a_start_adds_one_finished_row() {
    assert_eq!(notation(&fold([begin("b"), end("a", "R")])), ["T(b, running)", "T(a, done, R)"]);
}

#[test]
fn case_10_updates_replace_the_output_and_are_ignored_after_the_end() {
    let mut controller = fold([begin("a"), progress("a", "1"), progress("a", "1\n2")]);
    assert_eq!(notation(&controller), ["T(a, running, 1\n2)"]);
    controller.apply_all([end("a", "1\n2\n3")]);
    assert_eq!(controller.apply_all([progress("a", "9")]), []);
    assert_eq!(notation(&controller), ["T(a, done, 1\n2\n3)"]);
}

#[test]
fn deltas_extend_the_output_of_a_running_call() {
    let delta =
        |id: &str, text: &str| Event::ToolExecutionDelta { tool_call_id: id.into(), delta: text.into() };
    let mut controller =
        fold([begin("a"), begin("b"), progress("a", "1"), delta("a", "\n2"), delta("b", "x")]);
    assert_eq!(notation(&controller), ["T(a, running, 1\n2)", "T(b, running, x)"]);
    controller.apply_all([end("a", "1\n2\n3")]);
    let ignored = [delta("a", "9"), delta("unknown", "9"), delta("", "9")];
    assert_eq!(controller.apply_all(ignored), []);
    assert_eq!(notation(&controller), ["T(a, done, 1\n2\n3)", "T(b, running, x)"]);
}

#[test]
fn case_11_a_repeated_end_changes_nothing() {
    let mut controller = fold([begin("a"), end("a", "R")]);
    let before = controller.clone();
    assert_eq!(controller.apply_all([end("a", "R"), fail("a", "other"), begin("a")]), []);
    assert_eq!(controller, before);
}

#[test]
fn case_12_the_result_message_adds_no_row_and_replaces_a_missing_end() {
    let mut controller = fold([begin("a"), end("a", "R")]);
    assert_eq!(controller.apply_all([starts(result("a", "R")), ended(result("a", "R"))]), []);
    let missed = fold([begin("a"), starts(result("a", "R")), ended(result("a", "R"))]);
    assert_eq!(notation(&missed), ["T(a, done, R)"]);
}

#[test]
fn calls_that_share_an_id_or_have_none_get_their_results_in_order() {
    for id in ["same", ""] {
        let calls = [started(), call(0, id), call(1, id)];
        let first = [begin(id), end(id, "1"), ended(result(id, "1"))];
        let second = [begin(id), end(id, "2"), ended(result(id, "2"))];
        let in_turn = fold(calls.clone().into_iter().chain(first.clone()).chain(second.clone()));
        let rows = [format!("T({id}, done, 1)"), format!("T({id}, done, 2)")];
        assert_eq!(notation(&in_turn), rows);
        let order = [0, 3, 1, 4, 2, 5].map(|place| [&first[..], &second[..]].concat()[place].clone());
        assert_eq!(notation(&fold(calls.into_iter().chain(order))), rows, "side by side");
    }
}

#[test]
fn late_results_find_their_calls_in_a_message_with_many_calls() {
    let ids: Vec<String> = (0..3 * RECENT_CALLS).map(|number| format!("c{number}")).collect();
    let mut controller = fold([Event::AgentStart, started()]);
    for (index, id) in ids.iter().enumerate() {
        controller.apply_all([call(index, id), begin(id), end(id, id)]);
    }
    let parts = ids.iter().map(|id| Part::ToolCall(tool_call(id))).collect();
    controller.apply_all([ended(assistant(parts, StopReason::ToolUse))]);
    let results = ids.iter().map(|id| ended(result(id, id)));
    assert_eq!(controller.apply_all(results), []);
    assert_eq!(controller.rows().len(), ids.len());
    controller.apply_all([settled(), Event::AgentStart, started(), call(0, "next")]);
    assert!(controller.fold().calls.len() <= RECENT_CALLS, "finished calls are forgotten");
}

#[test]
fn case_13_the_end_of_a_run_closes_open_calls() {
    let mut controller = fold([begin("a"), Event::AgentEnd { will_retry: false }]);
    assert_eq!(notation(&controller), ["T(a, error) interrupted"]);
    assert!(!controller.has_open_call());
    controller.apply_all([end("a", "late")]);
    assert_eq!(notation(&controller), ["T(a, done, late)"], "a late end completes the closed row");
}

#[test]
fn case_14_a_failed_message_adds_an_error_row_live_and_from_history() {
    assert_eq!(notation(&fold([started(), ended(failed("429"))])), ["E(429)"]);
    assert_eq!(notation(&history([failed("429")])), ["E(429)"]);
}

#[test]
fn successive_failed_attempts_share_one_row() {
    let retry = Event::AgentEnd { will_retry: true };
    assert_eq!(notation(&fold([ended(failed("500")), retry, ended(failed("429")), settled()])), ["E(429)"]);
    let stored = history([failed("500"), failed("429"), user("again"), failed("500")]);
    assert_eq!(notation(&stored), ["E(429)", "U(again)", "E(500)"]);
}

#[test]
fn case_15_an_aborted_message_keeps_its_text_and_is_marked() {
    let aborted = assistant(vec![said("Hel")], StopReason::Aborted);
    assert_eq!(notation(&fold([started(), text(0, "Hel"), ended(aborted.clone())])), ["A(Hel) interrupted"]);
    assert_eq!(notation(&history([aborted])), ["A(Hel) interrupted"]);
    let nothing = assistant(vec![], StopReason::Aborted);
    assert_eq!(
        notation(&history([answer("done"), nothing])),
        ["A(done)"],
        "the earlier message is not marked"
    );
}

#[test]
fn case_16_the_message_end_is_authoritative_and_keeps_ids_and_order() {
    let mut controller = fold([started(), text(0, "Helo"), text(2, "gone")]);
    let id = controller.rows()[0].id.clone();
    let whole = assistant(vec![said("Hello"), thought("late")], StopReason::Stop);
    let report = controller.apply_all([ended(whole)]);
    assert_eq!(notation(&controller), ["A(Hello)", "K(late)"]);
    assert_eq!(controller.rows()[0].id, id);
    assert_eq!(report, [Change::Touched(0), Change::Inserted(1), Change::Removed(2)]);
}

#[test]
fn case_17_long_arguments_are_kept_and_described_in_one_line() {
    let args = json!({ "content": "x".repeat(5_000), "path": "src/main.rs" });
    let controller = fold([begin_with("a", args.clone())]);
    let step = controller.rows()[0].tool_step.clone().unwrap();
    assert_eq!(step.tool_args, args);
    assert_eq!(describe_call(&step).target, "src/main.rs");
    let command = json!({ "command": format!("cat <<E\n{}", "y".repeat(5_000)) });
    let controller = fold([begin_with("a", command)]);
    assert_eq!(describe_call(controller.rows()[0].tool_step.as_ref().unwrap()).target, "cat <<E");
}

#[test]
fn case_18_results_of_any_shape_become_text_or_images() {
    let shapes = [
        (json!("plain"), "plain"),
        (json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]), "a\nb"),
        (json!({ "content": [{ "type": "text", "text": "c" }], "details": {} }), "c"),
        (json!(17), "17"),
        (json!(null), ""),
        (json!({ "x": 1 }), "{\"x\":1}"),
        (json!(true), "true"),
        (json!([1, 2]), "1\n2"),
        (json!({ "content": { "x": 1 } }), "{\"x\":1}"),
        (json!({ "content": [{ "type": "resource", "uri": "a" }] }), "{\"type\":\"resource\",\"uri\":\"a\"}"),
        (json!([{ "type": "text", "text": "a" }, { "type": "resource" }]), "a"),
    ];
    for (value, text) in shapes {
        assert_eq!(ToolOutput::from_value(value).text, text);
    }
    let image = json!({ "content": [{ "type": "image", "data": "AAAA", "mimeType": "image/png" }] });
    let end = Event::ToolExecutionEnd {
        tool_call_id: "a".into(),
        tool_name: "read".into(),
        result: ToolOutput::from_value(image),
        is_error: false,
        duration_ms: None,
    };
    assert_eq!(notation(&fold([begin("a"), end])), ["T(a, done, )+image"]);
}

#[test]
fn case_19_a_steering_message_separates_the_texts() {
    let rows = ["A(A)", "U(left)", "A(B)"];
    let steer = [starts(user("left")), ended(user("left"))];
    let whole = [started(), text(0, "A"), ended(answer("A"))];
    assert_eq!(
        notation(&fold(whole.into_iter().chain(steer.clone()).chain([started(), text(0, "B")]))),
        rows
    );
    let without_ends = [text(0, "A")].into_iter().chain(steer).chain([text(0, "B")]);
    assert_eq!(notation(&fold(without_ends)), rows);
}

#[test]
fn case_20_summaries_and_displayed_custom_messages_get_rows() {
    let custom = |display: bool| json!({ "role": "custom", "content": "note", "display": display });
    let message = |value: Value| Message::from_value(value);
    let messages = [
        message(json!({ "role": "compactionSummary", "summary": "so far" })),
        message(json!({ "role": "branchSummary", "summary": "elsewhere" })),
        message(custom(true)),
        message(custom(false)),
    ];
    let rows = ["S(so far)", "S(elsewhere)", "S(note)"];
    assert_eq!(notation(&history(messages.clone())), rows);
    assert_eq!(notation(&fold(messages.map(ended))), rows);
    let compacted = Event::CompactionEnd { summary: Some("so far".into()), aborted: false, error: None };
    assert_eq!(notation(&fold([compacted])), ["S(so far)"]);
}

#[test]
fn blank_text_has_no_row() {
    let mut controller = fold([started(), text(0, "  \n"), thinking(1, "")]);
    assert_eq!(notation(&controller), [""; 0]);
    controller.apply_all([text(0, "x")]);
    assert_eq!(notation(&controller), ["A(  \nx)"], "leading blank text is kept");
    let blank = vec![said(" "), thought("\n"), Part::Unknown(json!(1))];
    assert_eq!(notation(&history([assistant(blank, StopReason::Stop)])), [""; 0]);
}

#[test]
fn reports_list_exactly_the_changed_rows() {
    let mut controller = fold([started(), text(0, "a")]);
    assert_eq!(controller.apply_all([text(0, "b")]), [Change::Touched(0)]);
    assert_eq!(controller.apply_all([text(1, "c")]), [Change::Inserted(1)]);
    assert_eq!(controller.apply_all([text(2, "  "), text(0, ""), Event::Unknown]), []);
}
