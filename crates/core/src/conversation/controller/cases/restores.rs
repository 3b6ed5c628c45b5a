//! Cases 53 to 66: the same rows, wherever a snapshot is taken.

use serde_json::json;

use crate::conversation::controller::calls::Stage;
use crate::conversation::controller::sample::*;
use crate::conversation::controller::{Fold, MessageController, Saved};
use crate::conversation::ui_message::{Kind, Phase, ToolStep, UiMessage};
use crate::protocol::event::Event;

fn running(controller: &MessageController) -> Vec<(&str, usize)> {
    controller.running_calls().collect()
}

/// Rows of a snapshot whose fold was lost.
fn only_rows(rows: Vec<UiMessage>) -> MessageController {
    let fold = Fold { body: rows.len(), ..Fold::default() };
    MessageController::restore(Saved { first: 0, rows, fold })
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
fn case_53_a_restore_between_begin_and_end() {
    let mut controller = fold([ended(user("go")), begin("c1")]).cut();
    assert_eq!(running(&controller), [("c1", 1)], "the map holds the call before any new event");
    assert_eq!(controller.cut(), controller, "restoring twice gives the same");
    controller.take([end("c1", "R")]);
    assert_eq!(told(&controller), ["U(go)", "T(c1, done, R)"]);
}

#[test]
fn case_54_a_restore_then_the_end_of_the_run_then_the_end() {
    let mut controller = fold([begin("c1")]).cut();
    controller.take([settled(), end("c1", "R")]);
    assert_eq!(told(&controller), ["T(c1, done, R)"]);
}

#[test]
fn case_55_the_order_of_restore_end_and_run_end_does_not_matter() {
    let mut settled_first = fold([begin("c1"), settled()]).cut();
    settled_first.take([end("c1", "R")]);
    let mut ended_first = fold([begin("c1")]).cut();
    ended_first.take([end("c1", "R"), settled()]);
    assert_eq!(told(&settled_first), ["T(c1, done, R)"]);
    assert_eq!(told(&ended_first), ["T(c1, done, R)"]);
}

#[test]
fn case_56_a_lost_entry_is_found_again_by_the_id_on_its_row() {
    let mut controller = only_rows(vec![running_row("c1"), running_row("c2")]);
    assert_eq!(running(&controller), [("c1", 0), ("c2", 1)]);
    controller.take([end("c2", "R")]);
    assert_eq!(told(&controller), ["T(c1, running)", "T(c2, done, R)"]);
}

#[test]
fn case_57_without_an_id_the_oldest_running_row_of_the_tool_is_meant() {
    let mut one = only_rows(vec![running_row("")]);
    one.take([end("c1", "R")]);
    assert_eq!(told(&one), ["T(c1, done, R)"]);
    let mut two = only_rows(vec![running_row(""), running_row("")]);
    two.take([end("c1", "R")]);
    assert_eq!(told(&two), ["T(c1, done, R)", "T(, running)"]);
}

#[test]
fn case_58_an_entry_without_a_row_stays_and_touches_nothing() {
    let fold_of = |row: usize| {
        let call = json!({ "id": "c1", "tool": "bash", "row": row, "stage": "running", "claimed": true, "told": false });
        serde_json::from_value::<Fold>(json!({ "body": 1, "next_id": 1, "calls": [call] })).unwrap()
    };
    for row in [0, 7] {
        let rows = history([answer("text")]).rows().to_vec();
        let mut controller = MessageController::restore(Saved { first: 0, rows, fold: fold_of(row) });
        assert_eq!(controller.take([settled()]), []);
        let kept: Vec<_> =
            controller.fold().calls.iter().map(|call| (call.id.as_str(), call.stage)).collect();
        assert_eq!(kept, [("c1", Stage::Running)]);
        controller.take([end("c1", "R")]);
        assert_eq!(told(&controller), ["A(text)", "T(c1, done, R)"]);
        assert_eq!(controller.fold().calls.len(), 1, "and is resolved by the next pass");
    }
}

#[test]
fn case_59_an_entry_at_a_completed_row_is_not_applied_to_it() {
    let done = fold([begin("c1"), end("c1", "R")]);
    let mut saved = done.snapshot(usize::MAX);
    saved.fold = fold([begin("c1")]).fold().clone();
    let mut controller = MessageController::restore(saved);
    assert_eq!(running(&controller), []);
    assert_eq!(controller.take([end("c1", "other"), settled()]), []);
    assert_eq!(told(&controller), ["T(c1, done, R)"]);
}

#[test]
fn case_60_never_begun_but_ended_is_one_completed_row_at_the_tail() {
    let mut controller = fold([ended(user("go")), begin("a")]).cut();
    controller.take([end("c1", "R")]);
    assert_eq!(told(&controller), ["U(go)", "T(a, running)", "T(c1, done, R)"]);
    assert_eq!(running(&controller), [("a", 1)]);
}

#[test]
fn case_61_banners_stay_together() {
    let banner =
        |text: &str| Event::CompactionEnd { summary: Some(text.into()), aborted: false, error: None };
    let around = [begin("c0"), banner("one"), banner("two"), begin("c1")];
    let mut controller = fold(around).cut();
    controller.take([end("c1", "R")]);
    controller = controller.cut();
    controller.take([end("c0", "R"), end("c2", "R")]);
    assert_eq!(told(&controller)[1..3], ["S(one)", "S(two)"]);
}

#[test]
fn case_62_an_unknown_row_is_a_placeholder_and_counts() {
    let rows = json!([
        { "id": "r0", "kind": "user", "text": "hi" },
        { "id": "r1", "kind": "hologram", "text": "new", "depth": 3 },
        { "id": "r2", "kind": "tool", "tool_step": "of another shape" },
        17,
        { "id": "r4", "kind": "assistant", "text": "bye", "mark": "sparkling" },
    ]);
    let rows: Vec<UiMessage> = serde_json::from_value(rows).unwrap();
    let controller = only_rows(rows);
    let unknown = "S(A message of a kind this version does not know.)";
    assert_eq!(told(&controller), ["U(hi)", "S(new)", unknown, unknown, "A(bye)"]);
    assert_eq!(controller.broken_invariant(), None);
}

#[test]
fn case_63_failures_and_stops_close_rows_for_good() {
    let begun = || [Event::AgentStart, begin("a"), begin("b")];
    let mut crashed = fold(begun().into_iter().chain([died()]));
    let exit = "E(The agent's process ended with exit code 1.)";
    assert_eq!(crashed.take([died()]), [], "the same end again");
    assert_eq!(told(&crashed), ["T(a, error) interrupted", "T(b, error) interrupted", exit]);
    let mut cancelled = fold(begun().into_iter().chain([stopped()]));
    assert_eq!(told(&cancelled), ["T(a, error) cancelled", "T(b, error) cancelled"]);
    for controller in [&mut crashed, &mut cancelled] {
        assert_eq!(controller.take([progress("a", "x"), begin("b"), settled()]), [], "nothing spins again");
        let count = controller.rows().len();
        controller.take([end("a", "R")]);
        assert_eq!((told(controller)[0].as_str(), controller.rows().len()), ("T(a, done, R)", count));
    }
}

#[test]
fn a_page_that_holds_only_the_end_stays_in_step_with_the_server() {
    let mut server = fold((0..30).map(|number| ended(user(&number.to_string()))));
    server.take([begin("far")]);
    server.take((0..5).map(|_| ended(user("later"))));
    server.take([started(), text(3, "hidden"), text(5, "last")]);
    let mut page = server.cut_to(1);
    let first = page.first();
    // A block before the first row that the page holds, and the removal of one.
    for (event, moved) in [
        (end("far", "R"), 0),
        (text(0, "before"), 1),
        (begin("x"), 1),
        (ended(answer("before")), 0),
        (settled(), 0),
    ] {
        server.take([event.clone()]);
        page.take([event]);
        assert_eq!(page.fold(), server.fold());
        assert_eq!(page.total(), server.total());
        assert_eq!(page.rows(), &server.rows()[page.first()..]);
        assert_eq!(page.first(), first + moved);
    }
}

#[test]
fn rows_aside_stay_aside_in_a_page_of_few_rows() {
    let mut server = fold([answer("x"), answer("y")].map(ended));
    server.take([Event::AgentStart, bash_start("1", "a"), bash_start("2", "b")]);
    let mut page = server.cut_to(1);
    for event in [bash_end("1", "a"), ended(answer("z")), bash_end("2", "b"), settled()] {
        server.take([event.clone()]);
        page.take([event]);
        assert_eq!((page.fold(), page.rows()), (server.fold(), &server.rows()[page.first()..]));
    }
    assert_eq!(told(&page), ["A(z)", "B(a)", "B(b)"]);
}

#[test]
fn a_flood_of_open_calls_is_bounded_and_leaves_no_spinner() {
    let mut controller = MessageController::default();
    for number in 0..crate::limits::OPEN_CALLS + 10 {
        controller.handle_server_event(begin(&number.to_string()));
    }
    assert_eq!(controller.broken_invariant(), None);
    controller.take([settled()]);
    assert!(controller.rows().iter().all(|row| row.tool_step.as_ref().unwrap().phase == Phase::Error));
}
