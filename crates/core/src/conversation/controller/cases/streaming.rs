//! Cases 1 to 20: what an agent streams.

use serde_json::{Value, json};

use crate::conversation::controller::Change;
use crate::conversation::controller::sample::*;
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
    assert_eq!(told(&controller), ["A(Hello)"]);
    assert!(!controller.is_running());
}

#[test]
fn case_02_thinking_then_text_as_history_has_it() {
    let live = fold([started(), thinking(0, "x"), text(1, "y")]);
    assert_eq!(told(&live), ["K(x)", "A(y)"]);
    let stored = history([assistant(vec![thought("x"), said("y")], StopReason::Stop)]);
    assert_eq!(told(&stored), told(&live));
}

#[test]
fn case_03_deltas_need_no_start_and_an_end_of_nothing_does_nothing() {
    assert_eq!(told(&fold([text(0, "a"), text_end(7, "x")])), ["A(a)"]);
    assert_eq!(told(&fold([text_end(0, "x")])), [""; 0]);
}

#[test]
fn case_04_two_interleaved_blocks_are_two_rows() {
    let rows = ["A(ab)", "A(xy)"];
    assert_eq!(told(&fold([started(), text(0, "a"), text(1, "x"), text(0, "b"), text(1, "y")])), rows);
    let later_first = fold([started(), text(1, "x"), text(0, "a"), text(1, "y"), text(0, "b")]);
    assert_eq!(told(&later_first), rows, "in the order of the message, as history has it");
}

#[test]
fn case_05_a_call_runs_and_ends() {
    let mut controller = fold([started(), call(0, "a")]);
    assert_eq!(told(&controller), ["T(a, calling)"]);
    controller.take([begin("a")]);
    assert_eq!(told(&controller), ["T(a, running)"]);
    let mut failing = controller.clone();
    controller.take([end("a", "R")]);
    assert_eq!(told(&controller), ["T(a, done, R)"]);
    failing.take([fail("a", "no")]);
    assert_eq!(told(&failing), ["T(a, error, no)"]);
}

#[test]
fn case_06_parallel_calls_end_in_any_order_in_their_own_rows() {
    let begun = [started(), call(0, "a"), call(1, "b"), begin("a"), begin("b")];
    let controller = fold(begun.into_iter().chain([end("b", "RB"), end("a", "RA")]));
    assert_eq!(told(&controller), ["T(a, done, RA)", "T(b, done, RB)"]);
}

#[test]
fn case_07_calls_of_one_message_run_one_after_the_other() {
    let calls = [started(), call(0, "a"), call(1, "b")];
    let runs = [begin("a"), end("a", "RA"), begin("b"), fail("b", "RB")];
    assert_eq!(told(&fold(calls.into_iter().chain(runs))), ["T(a, done, RA)", "T(b, error, RB)"]);
}

#[test]
fn case_08_a_start_without_a_call_makes_a_row() {
    let controller = fold([begin("a")]);
    assert_eq!(told(&controller), ["T(a, running)"]);
    let step = controller.rows()[0].tool_step.clone().unwrap();
    assert_eq!((step.tool_name.as_str(), step.tool_args), ("bash", json!({ "command": "a" })));
}

#[test]
fn case_09_an_end_without_a_begin_makes_one_finished_row() {
    assert_eq!(told(&fold([begin("b"), end("a", "R")])), ["T(b, running)", "T(a, done, R)"]);
}

#[test]
fn case_10_updates_replace_and_none_counts_after_the_end() {
    let mut controller = fold([begin("a"), progress("a", "1"), progress("a", "1\n2")]);
    assert_eq!(told(&controller), ["T(a, running, 1\n2)"]);
    controller.take([end("a", "1\n2\n3")]);
    assert_eq!(controller.take([progress("a", "9")]), []);
    assert_eq!(told(&controller), ["T(a, done, 1\n2\n3)"]);
}

#[test]
fn case_11_the_same_end_twice_changes_nothing() {
    let mut controller = fold([begin("a"), end("a", "R")]);
    let before = controller.clone();
    assert_eq!(controller.take([end("a", "R"), fail("a", "other"), begin("a")]), []);
    assert_eq!(controller, before);
}

#[test]
fn case_12_the_result_message_adds_no_row_and_finishes_what_was_missed() {
    let mut controller = fold([begin("a"), end("a", "R")]);
    assert_eq!(controller.take([starts(result("a", "R")), ended(result("a", "R"))]), []);
    let missed = fold([begin("a"), starts(result("a", "R")), ended(result("a", "R"))]);
    assert_eq!(told(&missed), ["T(a, done, R)"]);
}

#[test]
fn calls_that_share_an_id_or_have_none_get_their_results_in_order() {
    for id in ["same", ""] {
        let calls = [started(), call(0, id), call(1, id)];
        let first = [begin(id), end(id, "1"), ended(result(id, "1"))];
        let second = [begin(id), end(id, "2"), ended(result(id, "2"))];
        let in_turn = fold(calls.clone().into_iter().chain(first.clone()).chain(second.clone()));
        let rows = [format!("T({id}, done, 1)"), format!("T({id}, done, 2)")];
        assert_eq!(told(&in_turn), rows);
        let order = [0, 3, 1, 4, 2, 5].map(|place| [&first[..], &second[..]].concat()[place].clone());
        assert_eq!(told(&fold(calls.into_iter().chain(order))), rows, "side by side");
    }
}

#[test]
fn many_calls_of_one_message_find_their_results_however_late() {
    let ids: Vec<String> = (0..3 * RECENT_CALLS).map(|number| format!("c{number}")).collect();
    let mut controller = fold([Event::AgentStart, started()]);
    for (index, id) in ids.iter().enumerate() {
        controller.take([call(index, id), begin(id), end(id, id)]);
    }
    let parts = ids.iter().map(|id| Part::ToolCall(tool_call(id))).collect();
    controller.take([ended(assistant(parts, StopReason::ToolUse))]);
    let results = ids.iter().map(|id| ended(result(id, id)));
    assert_eq!(controller.take(results), []);
    assert_eq!(controller.rows().len(), ids.len());
    controller.take([settled(), Event::AgentStart, started(), call(0, "next")]);
    assert!(controller.fold().calls.len() <= RECENT_CALLS, "what is over is forgotten in the end");
}

#[test]
fn case_13_the_end_of_a_run_leaves_no_spinner() {
    let mut controller = fold([begin("a"), Event::AgentEnd { will_retry: false }]);
    assert_eq!(told(&controller), ["T(a, error) interrupted"]);
    assert!(!controller.has_open_call());
    controller.take([end("a", "late")]);
    assert_eq!(told(&controller), ["T(a, done, late)"], "a real end that comes late takes the row's place");
}

#[test]
fn case_14_a_failed_message_is_an_error_row_live_and_from_history() {
    assert_eq!(told(&fold([started(), ended(failed("429"))])), ["E(429)"]);
    assert_eq!(told(&history([failed("429")])), ["E(429)"]);
}

#[test]
fn attempts_that_fail_one_after_the_other_are_one_row() {
    let retry = Event::AgentEnd { will_retry: true };
    assert_eq!(told(&fold([ended(failed("500")), retry, ended(failed("429")), settled()])), ["E(429)"]);
    let stored = history([failed("500"), failed("429"), user("again"), failed("500")]);
    assert_eq!(told(&stored), ["E(429)", "U(again)", "E(500)"]);
}

#[test]
fn case_15_an_aborted_message_keeps_its_text_marked() {
    let aborted = assistant(vec![said("Hel")], StopReason::Aborted);
    assert_eq!(told(&fold([started(), text(0, "Hel"), ended(aborted.clone())])), ["A(Hel) interrupted"]);
    assert_eq!(told(&history([aborted])), ["A(Hel) interrupted"]);
    let nothing = assistant(vec![], StopReason::Aborted);
    assert_eq!(told(&history([answer("done"), nothing])), ["A(done)"], "the message before is not to blame");
}

#[test]
fn case_16_the_end_is_authoritative_and_ids_and_places_stay() {
    let mut controller = fold([started(), text(0, "Helo"), text(2, "gone")]);
    let id = controller.rows()[0].id.clone();
    let whole = assistant(vec![said("Hello"), thought("late")], StopReason::Stop);
    let report = controller.take([ended(whole)]);
    assert_eq!(told(&controller), ["A(Hello)", "K(late)"]);
    assert_eq!(controller.rows()[0].id, id);
    assert_eq!(report, [Change::Touched(0), Change::Inserted(1), Change::Removed(2)]);
}

#[test]
fn case_17_long_arguments_are_kept_whole_and_described_in_a_line() {
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
fn case_18_results_of_any_shape_become_text_or_image() {
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
    assert_eq!(told(&fold([begin("a"), end])), ["T(a, done, )+image"]);
}

#[test]
fn case_19_steering_stands_between_the_texts() {
    let rows = ["A(A)", "U(left)", "A(B)"];
    let steer = [starts(user("left")), ended(user("left"))];
    let whole = [started(), text(0, "A"), ended(answer("A"))];
    assert_eq!(told(&fold(whole.into_iter().chain(steer.clone()).chain([started(), text(0, "B")]))), rows);
    let without_ends = [text(0, "A")].into_iter().chain(steer).chain([text(0, "B")]);
    assert_eq!(told(&fold(without_ends)), rows);
}

#[test]
fn case_20_summaries_and_messages_on_display_are_rows() {
    let custom = |display: bool| json!({ "role": "custom", "content": "note", "display": display });
    let message = |value: Value| Message::from_value(value);
    let messages = [
        message(json!({ "role": "compactionSummary", "summary": "so far" })),
        message(json!({ "role": "branchSummary", "summary": "elsewhere" })),
        message(custom(true)),
        message(custom(false)),
    ];
    let rows = ["S(so far)", "S(elsewhere)", "S(note)"];
    assert_eq!(told(&history(messages.clone())), rows);
    assert_eq!(told(&fold(messages.map(ended))), rows);
    let compacted = Event::CompactionEnd { summary: Some("so far".into()), aborted: false, error: None };
    assert_eq!(told(&fold([compacted])), ["S(so far)"]);
}

#[test]
fn blank_text_gives_no_row() {
    let mut controller = fold([started(), text(0, "  \n"), thinking(1, "")]);
    assert_eq!(told(&controller), [""; 0]);
    controller.take([text(0, "x")]);
    assert_eq!(told(&controller), ["A(  \nx)"], "what was blank belongs to what follows");
    let blank = vec![said(" "), thought("\n"), Part::Unknown(json!(1))];
    assert_eq!(told(&history([assistant(blank, StopReason::Stop)])), [""; 0]);
}

#[test]
fn reports_name_exactly_the_rows_that_changed() {
    let mut controller = fold([started(), text(0, "a")]);
    assert_eq!(controller.take([text(0, "b")]), [Change::Touched(0)]);
    assert_eq!(controller.take([text(1, "c")]), [Change::Inserted(1)]);
    assert_eq!(controller.take([text(2, "  "), text(0, ""), Event::Unknown]), []);
}
