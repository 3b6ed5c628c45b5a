//! Cases 23 to 39, as far as they concern the reducer: user messages and shell commands.

use crate::conversation::controller::test_support::*;
use crate::conversation::controller::{Change, MessageController};
use crate::conversation::message::{Content, Message, Part};
use crate::conversation::ui_message::{BashResult, Image};
use crate::protocol::event::Event;

#[test]
fn case_23_the_confirmation_of_an_optimistic_row_adds_no_second_row() {
    let mut controller = MessageController::default();
    assert_eq!(controller.create_user_message("c1", "hi".into(), vec![]), [Change::Inserted(0)]);
    assert_eq!(notation(&controller), ["U(hi) sending"]);
    let id = controller.rows()[0].id.clone();
    assert_eq!(controller.apply_all([starts(user_of("c1", "hi")), ended(user("hi"))]), [Change::Touched(0)]);
    assert_eq!(notation(&controller), ["U(hi)"]);
    assert_eq!(controller.rows()[0].id, id);
    assert_eq!(controller.apply_all([starts(user_of("c1", "hi")), ended(user_of("c1", "hi"))]), []);
}

#[test]
fn a_confirmation_after_other_rows_places_the_prompt_after_them() {
    let mut controller = fold([started(), text(0, "A")]);
    controller.create_user_message("c1", "hi".into(), vec![]);
    controller.apply_all([text(0, "B"), text(1, "C")]);
    assert_eq!(notation(&controller), ["A(AB)", "A(C)", "U(hi) sending"]);
    controller.apply_all([starts(user_of("c1", "hi"))]);
    assert_eq!(notation(&controller), ["A(AB)", "A(C)", "U(hi)"]);
}

#[test]
fn case_24_a_message_from_another_tab_gets_a_row() {
    assert_eq!(notation(&fold([starts(user_of("elsewhere", "hi"))])), ["U(hi)"]);
}

#[test]
fn two_messages_with_equal_text_are_two_rows() {
    let twice = [user("go"), user("go")];
    assert_eq!(notation(&history(twice.clone())), ["U(go)", "U(go)"]);
    let live = twice.into_iter().flat_map(|message| [starts(message.clone()), ended(message)]);
    assert_eq!(notation(&fold(live)), ["U(go)", "U(go)"]);
}

#[test]
fn the_end_of_a_user_message_sets_its_final_images() {
    let image = Image { mime_type: "image/png".into(), data: "AAAA".into(), ..Image::default() };
    let whole = Message::User {
        content: Content(vec![said("look"), Part::Image(image)]),
        client_id: None,
        timestamp: None,
    };
    assert_eq!(notation(&fold([starts(user("look")), ended(whole.clone())])), ["U(look)+image"]);
    assert_eq!(notation(&history([whole])), ["U(look)+image"]);
}

#[test]
fn case_32_a_refused_prompt_keeps_its_text_and_gets_one_error_row() {
    let mut controller = MessageController::default();
    controller.create_user_message("c1", "hi".into(), vec![]);
    controller.mark_refused("c1");
    controller.create_error_message("c1", "no".into());
    controller.create_error_message("c1", "no".into());
    assert_eq!(notation(&controller), ["U(hi) refused", "E(no)"]);
    controller.create_user_message("c2", "again".into(), vec![]);
    assert_eq!(notation(&controller), ["U(again) sending"], "a new prompt removes earlier refusals");
}

#[test]
fn case_34_a_shell_command_while_idle_equals_its_row_from_history() {
    let result = BashResult {
        command: "ls".into(),
        output: "a\nb".into(),
        exit_code: Some(1),
        cancelled: true,
        truncated: true,
        ..BashResult::default()
    };
    let ends = Event::BashEnd { id: "b".into(), result: result.clone() };
    let live = fold([ended(answer("done")), settled(), bash_start("b", "ls"), ends]);
    let stored = history([answer("done"), Message::BashExecution { result }]);
    assert_eq!(notation(&live), ["A(done)", "B(ls)"]);
    assert_eq!(live.rows()[1].bash_result, stored.rows()[1].bash_result);
}

#[test]
fn case_35_a_shell_row_stays_pending_until_the_run_ends() {
    let run = [Event::AgentStart, bash_start("b", "ls"), bash_end("b", "ls"), ended(answer("working"))];
    let mut controller = fold(run);
    assert_eq!(notation(&controller), ["A(working)", "B(ls)"]);
    controller.apply_all([settled(), starts(user("next"))]);
    assert_eq!(notation(&controller), ["A(working)", "B(ls)", "U(next)"]);
    let stored = history([answer("working"), Message::BashExecution { result: bash("ls") }, user("next")]);
    assert_eq!(notation(&stored), notation(&controller));
}

#[test]
fn a_repeated_shell_command_adds_no_second_row() {
    let whole = [bash_start("b", "ls"), bash_end("b", "ls")];
    let mut controller = fold(whole.clone());
    assert_eq!(controller.apply_all(whole), []);
    assert_eq!(notation(&controller), ["B(ls)"]);
}

#[test]
fn shell_commands_of_a_run_are_in_the_order_they_ended() {
    let starts = [Event::AgentStart, bash_start("1", "slow"), bash_start("2", "quick")];
    let mut controller = fold(starts.into_iter().chain([bash_end("2", "quick"), bash_end("1", "slow")]));
    assert_eq!(notation(&controller), ["B(quick)", "B(slow)"]);
    controller.apply_all([settled()]);
    assert_eq!(notation(&controller), ["B(quick)", "B(slow)"]);
}

#[test]
fn a_process_exit_cancels_running_shell_commands() {
    let controller = fold([bash_start("1", "sleep"), died()]);
    let result = controller.rows()[0].bash_result.clone().unwrap();
    assert!(result.cancelled && !result.running);
}

#[test]
fn a_shell_row_that_outlives_the_run_stays_pending_until_it_ends() {
    let mut controller = fold([Event::AgentStart, bash_start("b", "sleep"), ended(answer("x")), settled()]);
    assert!(controller.rows()[1].bash_result.as_ref().unwrap().running);
    controller.apply_all([bash_end("b", "sleep"), starts(user("next"))]);
    assert_eq!(notation(&controller), ["A(x)", "B(sleep)", "U(next)"]);
}
