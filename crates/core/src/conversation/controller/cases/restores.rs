//! Cases 53 to 63: a snapshot at any point leads to the same rows.

use serde_json::json;

use crate::conversation::controller::test_support::*;
use crate::conversation::controller::tool_calls::Stage;
use crate::conversation::controller::{ControllerSnapshot, Fold, MessageController};
use crate::conversation::ui_message::{Kind, Phase, ToolStep, UiMessage};
use crate::protocol::event::Event;

fn running(controller: &MessageController) -> Vec<(&str, usize)> {
    controller.open_calls().collect()
}

/// A controller restored from rows alone, without the rest of the fold.
fn only_rows(rows: Vec<UiMessage>) -> MessageController {
    let fold = Fold { body: rows.len(), ..Fold::default() };
    MessageController::restore(ControllerSnapshot { first: 0, rows, fold })
}

fn running_row(id: &str) -> UiMessage {
    let step = ToolStep {
        call_id: id.into(),
        tool_name: "bash".into(),
        phase: Phase::Running,
        ..ToolStep::default()
    };
    UiMessage { kind: Kind::Tool, tool_step: Some(step), ..UiMessage::default() }
}

#[test]
fn case_53_a_call_ends_after_a_restore() {
    let mut controller = fold([ended(user("go")), begin("c1")]).restored();
    assert_eq!(running(&controller), [("c1", 1)], "the restored map contains the call");
    assert_eq!(controller.restored(), controller, "a second restore changes nothing");
    controller.apply_all([end("c1", "R")]);
    assert_eq!(notation(&controller), ["U(go)", "T(c1, done, R)"]);
}

#[test]
fn case_54_a_call_ends_after_a_restore_and_the_end_of_the_run() {
    let mut controller = fold([begin("c1")]).restored();
    controller.apply_all([settled(), end("c1", "R")]);
    assert_eq!(notation(&controller), ["T(c1, done, R)"]);
}

#[test]
fn case_55_the_order_of_restore_call_end_and_run_end_does_not_matter() {
    let mut settled_first = fold([begin("c1"), settled()]).restored();
    settled_first.apply_all([end("c1", "R")]);
    let mut ended_first = fold([begin("c1")]).restored();
    ended_first.apply_all([end("c1", "R"), settled()]);
    assert_eq!(notation(&settled_first), ["T(c1, done, R)"]);
    assert_eq!(notation(&ended_first), ["T(c1, done, R)"]);
}

#[test]
fn case_56_a_missing_map_entry_is_rebuilt_from_the_id_in_its_row() {
    let mut controller = only_rows(vec![running_row("c1"), running_row("c2")]);
    assert_eq!(running(&controller), [("c1", 0), ("c2", 1)]);
    controller.apply_all([end("c2", "R")]);
    assert_eq!(notation(&controller), ["T(c1, running)", "T(c2, done, R)"]);
}

#[test]
fn case_57_without_ids_an_end_matches_the_oldest_running_row_of_the_tool() {
    let mut one = only_rows(vec![running_row("")]);
    one.apply_all([end("c1", "R")]);
    assert_eq!(notation(&one), ["T(c1, done, R)"]);
    let mut two = only_rows(vec![running_row(""), running_row("")]);
    two.apply_all([end("c1", "R")]);
    assert_eq!(notation(&two), ["T(c1, done, R)", "T(, running)"]);
}

#[test]
fn case_58_a_map_entry_without_a_row_is_kept_and_changes_no_row() {
    let fold_of = |row: usize| {
        let call = json!({ "id": "c1", "tool": "bash", "row": row, "stage": "running", "claimed": true, "told": false });
        serde_json::from_value::<Fold>(json!({ "body": 1, "next_id": 1, "calls": [call] })).unwrap()
    };
    for row in [0, 7] {
        let rows = history([answer("text")]).rows().to_vec();
        let mut controller =
            MessageController::restore(ControllerSnapshot { first: 0, rows, fold: fold_of(row) });
        assert_eq!(controller.apply_all([settled()]), []);
        let kept: Vec<_> =
            controller.fold().calls.iter().map(|call| (call.id.as_str(), call.stage)).collect();
        assert_eq!(kept, [("c1", Stage::Running)]);
        controller.apply_all([end("c1", "R")]);
        assert_eq!(notation(&controller), ["A(text)", "T(c1, done, R)"]);
        assert_eq!(controller.fold().calls.len(), 1, "the next end resolves the entry");
    }
}

#[test]
fn case_59_a_map_entry_for_a_completed_row_does_not_change_it() {
    let done = fold([begin("c1"), end("c1", "R")]);
    let mut snapshot = done.snapshot(usize::MAX);
    snapshot.fold = fold([begin("c1")]).fold().clone();
    let mut controller = MessageController::restore(snapshot);
    assert_eq!(running(&controller), []);
    assert_eq!(controller.apply_all([end("c1", "other"), settled()]), []);
    assert_eq!(notation(&controller), ["T(c1, done, R)"]);
}

#[test]
fn case_60_an_end_without_a_start_adds_one_completed_row_at_the_end() {
    let mut controller = fold([ended(user("go")), begin("a")]).restored();
    controller.apply_all([end("c1", "R")]);
    assert_eq!(notation(&controller), ["U(go)", "T(a, running)", "T(c1, done, R)"]);
    assert_eq!(running(&controller), [("a", 1)]);
}

#[test]
fn case_61_adjacent_banners_stay_adjacent() {
    let banner =
        |text: &str| Event::CompactionEnd { summary: Some(text.into()), aborted: false, error: None };
    let around = [begin("c0"), banner("one"), banner("two"), begin("c1")];
    let mut controller = fold(around).restored();
    controller.apply_all([end("c1", "R")]);
    controller = controller.restored();
    controller.apply_all([end("c0", "R"), end("c2", "R")]);
    assert_eq!(notation(&controller)[1..3], ["S(one)", "S(two)"]);
}

#[test]
fn case_62_an_unknown_row_becomes_a_placeholder() {
    let rows = json!([
        { "id": "r0", "kind": "user", "text": "hi" },
        { "id": "r1", "kind": "hologram", "text": "new", "depth": 3 },
        { "id": "r2", "kind": "tool", "tool_step": "of another shape" },
        17,
        { "id": "r4", "kind": "assistant", "text": "bye", "mark": "sparkling" },
    ]);
    let rows: Vec<UiMessage> = serde_json::from_value(rows).unwrap();
    let controller = only_rows(rows);
    let unknown = "S(This version of Pilothouse can't show this message.)";
    assert_eq!(notation(&controller), ["U(hi)", "S(new)", unknown, unknown, "A(bye)"]);
    assert_eq!(controller.broken_invariant(), None);
}

#[test]
fn case_63_failures_and_stops_close_open_rows() {
    let begun = || [Event::AgentStart, begin("a"), begin("b")];
    let mut crashed = fold(begun().into_iter().chain([died()]));
    let exit = "E(The agent exited with code 1.)";
    assert_eq!(crashed.apply_all([died()]), [], "a repeated exit changes nothing");
    assert_eq!(notation(&crashed), ["T(a, error) interrupted", "T(b, error) interrupted", exit]);
    let mut cancelled = fold(begun().into_iter().chain([stopped()]));
    assert_eq!(notation(&cancelled), ["T(a, error) cancelled", "T(b, error) cancelled"]);
    for controller in [&mut crashed, &mut cancelled] {
        assert_eq!(
            controller.apply_all([progress("a", "x"), begin("b"), settled()]),
            [],
            "a closed row is not reopened"
        );
        let count = controller.rows().len();
        controller.apply_all([end("a", "R")]);
        assert_eq!((notation(controller)[0].as_str(), controller.rows().len()), ("T(a, done, R)", count));
    }
}

#[test]
fn a_page_that_holds_only_the_end_stays_in_step_with_the_server() {
    let mut server = fold((0..30).map(|number| ended(user(&number.to_string()))));
    server.apply_all([begin("far")]);
    server.apply_all((0..5).map(|_| ended(user("later"))));
    server.apply_all([started(), text(3, "hidden"), text(5, "last")]);
    let mut page = server.restored_with(1);
    let first = page.first();
    // These events insert and remove a block before the first row that the page holds.
    for (event, moved) in [
        (end("far", "R"), 0),
        (text(0, "before"), 1),
        (begin("x"), 1),
        (ended(answer("before")), 0),
        (settled(), 0),
    ] {
        server.apply_all([event.clone()]);
        page.apply_all([event]);
        assert_eq!(page.fold(), server.fold());
        assert_eq!(page.total(), server.total());
        assert_eq!(page.rows(), &server.rows()[page.first()..]);
        assert_eq!(page.first(), first + moved);
    }
}

#[test]
fn pending_rows_stay_pending_in_a_page_that_holds_few_rows() {
    let mut server = fold([answer("x"), answer("y")].map(ended));
    server.apply_all([Event::AgentStart, bash_start("1", "a"), bash_start("2", "b")]);
    let mut page = server.restored_with(1);
    for event in [bash_end("1", "a"), ended(answer("z")), bash_end("2", "b"), settled()] {
        server.apply_all([event.clone()]);
        page.apply_all([event]);
        assert_eq!((page.fold(), page.rows()), (server.fold(), &server.rows()[page.first()..]));
    }
    assert_eq!(notation(&page), ["A(z)", "B(a)", "B(b)"]);
}

#[test]
fn the_number_of_open_calls_is_bounded_and_the_run_end_closes_all() {
    let mut controller = MessageController::default();
    for number in 0..crate::limits::OPEN_CALLS + 10 {
        controller.handle_server_event(begin(&number.to_string()));
    }
    assert_eq!(controller.broken_invariant(), None);
    controller.apply_all([settled()]);
    assert!(controller.rows().iter().all(|row| row.tool_step.as_ref().unwrap().phase == Phase::Error));
}
