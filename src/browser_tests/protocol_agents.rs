//! Features of agents with the Agent Client Protocol: permission requests, forms, plans, options, auto-approve, logins.

use pilothouse_core::ToolStep;
use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::conversation::ask::form::{FieldKind, FieldOption, FormField};
use pilothouse_core::conversation::ask::{Ask, AskKind, Choice, ChoiceKind};
use pilothouse_core::conversation::plan::{PlanState, PlanStep};
use pilothouse_core::protocol::{AgentOption, Login, LoginKind, LoginMethod, OptionChoice};
use serde_json::Value;

use super::fake_socket::*;
use super::*;

fn permission(tool: &str, args: Value) -> Ask {
    let choice = |id: &str, name: &str, kind| Choice { id: id.into(), name: name.into(), kind };
    Ask {
        id: "p1".into(),
        kind: AskKind::Permission,
        approval: true,
        title: "`rm -r nets`".into(),
        choices: vec![
            choice("always", "Always allow", ChoiceKind::AllowAlways),
            choice("once", "Allow", ChoiceKind::AllowOnce),
            choice("no", "Reject", ChoiceKind::RejectOnce),
        ],
        tool: Some(Box::new(ToolStep {
            call_id: "call-1".into(),
            tool_name: tool.into(),
            tool_args: args,
            ..ToolStep::default()
        })),
        ..Ask::default()
    }
}

#[wasm_bindgen_test]
async fn a_permission_shows_the_exact_command_once_and_sends_the_id_of_the_choice() {
    let mut page = Page::capable().await;
    page.event(Event::AskOpened { ask: Box::new(permission("bash", json!({"command": "rm -r nets"}))) })
        .await;
    assert_eq!(page.text("[data-ask-kind=permission] .ask-exact"), "rm -r nets");
    assert_eq!(page.text("[data-ask-kind=permission] h2"), "Run this command?");
    assert_eq!(page.text("[data-answer=yes]"), "Allow");
    assert_eq!(page.text("[data-answer=no]"), "Reject");
    assert_eq!(page.attribute("[data-choice='1']", "data-answer").as_deref(), Some("yes"), "displayed first");
    assert_eq!(page.attribute("[data-choice='1']", "aria-keyshortcuts").as_deref(), Some("Alt+Y Alt+1"));
    assert_eq!(page.text("[data-choice='3']"), "Always allow");
    wait_until("the end to be seen", || page.find("[data-choice='3']:enabled").is_some()).await;
    page.press("Always allow").await;
    assert_eq!(page.sent("answer").await["answer"], json!({"choose": "always"}));
    assert!(page.find("[data-answer=yes]:disabled").is_some());
    page.answer("answer", Err("Too late.")).await;
    page.wait_for_text("[data-ask-id] .problem", "Too late.").await;
    assert!(page.find("[data-answer=yes]:disabled").is_none());
}

#[wasm_bindgen_test]
async fn a_permission_for_an_edit_shows_the_diff_and_its_row_waits() {
    let mut page = Page::capable().await;
    let args = json!({"path": "/harbour/net.txt", "oldText": "old", "newText": "new"});
    page.event(Event::ToolExecutionStart {
        tool_call_id: "call-1".into(),
        tool_name: "edit".into(),
        args: args.clone(),
    })
    .await;
    assert_eq!(page.attribute("[data-kind=tool]", "data-phase").as_deref(), Some("running"));
    page.event(Event::AskOpened { ask: Box::new(permission("edit", args)) }).await;
    assert!(page.text("[data-ask-id] .diff").contains("new"));
    assert_eq!(page.attribute("[data-kind=tool]", "data-phase").as_deref(), Some("calling"));
    assert!(page.text("[data-kind=tool]").contains("Waiting for approval"));
}

fn form() -> Ask {
    let option = |value: &str| FieldOption { value: value.into(), ..FieldOption::default() };
    let field = |name: &str, kind| FormField { name: name.into(), kind, ..FormField::default() };
    let options = vec![option("red"), option("blue")];
    Ask {
        id: "f1".into(),
        kind: AskKind::Form,
        title: "Paint it?".into(),
        fields: vec![
            FormField { required: true, ..field("boat", FieldKind::Text) },
            field("coats", FieldKind::Integer),
            field("dry", FieldKind::Boolean),
            FormField { options, ..field("colour", FieldKind::Choice) },
        ],
        ..Ask::default()
    }
}

#[wasm_bindgen_test]
async fn a_form_is_checked_kept_as_a_draft_and_sent() {
    let mut page = Page::capable().await;
    page.event(Event::AskOpened { ask: Box::new(form()) }).await;
    page.press("Submit").await;
    assert_eq!(page.text("[data-field=boat] .problem"), "boat is required.");
    assert!(!page.has_sent("answer"));
    type_into(&page, "[data-field=boat] input", "Argo").await;
    type_into(&page, "[data-field=coats] input", "2").await;
    for selector in ["[data-field=dry] input", "[data-field=colour] label:last-of-type input"] {
        page.find(selector).unwrap().unchecked_into::<HtmlElement>().click();
    }
    flush_effects().await;
    // A snapshot builds the card anew.
    page.receive(ServerFrame::Snapshot(Box::new(page.server.snapshot()))).await;
    page.press("Submit").await;
    let answer = json!({"form": {"boat": "Argo", "coats": 2, "dry": true, "colour": "blue"}});
    assert_eq!(page.sent("answer").await["answer"], answer);
}

#[wasm_bindgen_test]
async fn a_pattern_matches_anywhere_unless_it_has_anchors() {
    let mut page = Page::capable().await;
    let field = |name: &str, pattern: &str| FormField {
        name: name.into(),
        pattern: pattern.into(),
        ..FormField::default()
    };
    let fields = vec![field("part", "[0-9]{2}"), field("whole", "^[0-9]{2}$")];
    page.event(Event::AskOpened { ask: Box::new(Ask { fields, ..form() }) }).await;
    type_into(&page, "[data-field=part] input", "berth 12 b").await;
    type_into(&page, "[data-field=whole] input", "berth 12").await;
    page.press("Submit").await;
    assert_eq!(page.text("[data-field=part] .problem"), "");
    assert_ne!(page.text("[data-field=whole] .problem"), "");
    type_into(&page, "[data-field=whole] input", "12").await;
    page.press("Submit").await;
    assert_eq!(page.sent("answer").await["answer"], json!({"form": {"part": "berth 12 b", "whole": "12"}}));
}

#[wasm_bindgen_test]
async fn a_form_can_be_declined() {
    let mut page = Page::capable().await;
    page.event(Event::AskOpened { ask: Box::new(form()) }).await;
    page.press("Decline").await;
    assert_eq!(page.sent("answer").await["answer"], json!({"confirm": false}));
}

#[wasm_bindgen_test]
async fn a_plan_is_one_line_above_the_composer() {
    let mut page = Page::capable().await;
    assert!(page.find(".plan-panel:not([hidden])").is_none());
    let step = |text: &str, state| PlanStep { text: text.into(), state };
    let steps = vec![step("Look", PlanState::Done), step("Mend", PlanState::Doing)];
    page.event(Event::PlanChanged { steps }).await;
    assert_eq!(page.text(".plan-panel summary"), "Plan: 1 of 2 — Mend");
    assert_eq!(page.attribute(".plan-panel", "data-plan").as_deref(), Some("1/2"));
    page.event(Event::PlanChanged { steps: Vec::new() }).await;
    assert!(page.find(".plan-panel:not([hidden])").is_none());
}

#[wasm_bindgen_test]
async fn auto_approve_is_chosen_in_a_popover_and_shown_once_it_is_confirmed() {
    let mut page = Page::capable().await;
    assert_eq!(page.attribute("main", "data-auto-approve").as_deref(), Some("off"));
    page.press("Auto-approve").await;
    wait_until("the levels", || page.find("[data-level=edits]").is_some()).await;
    assert_eq!(page.attribute("[data-level=off]", "aria-pressed").as_deref(), Some("true"));
    page.find("[data-level=edits]").unwrap().unchecked_into::<HtmlElement>().click();
    let frame = page.sent("set_auto_approve").await;
    assert_eq!((&frame["level"], &frame["remember"]), (&json!("edits"), &json!(false)));
    assert_eq!(page.attribute("main", "data-auto-approve").as_deref(), Some("off"));
    page.event(Event::AutoApproveChanged { level: AutoApprove::Edits, folder: AutoApprove::Off }).await;
    assert_eq!(page.attribute("main", "data-auto-approve").as_deref(), Some("edits"));
    assert!(page.text(".auto-approve").contains("Auto-approve: Edits in this folder"));
}

#[wasm_bindgen_test]
async fn an_option_is_shown_at_once_and_reverted_when_refused() {
    let mut page = Page::capable().await;
    let choice = |value: &str| OptionChoice { value: value.into(), ..OptionChoice::default() };
    let effort = AgentOption {
        id: "effort".into(),
        name: "Effort".into(),
        value: "low".into(),
        choices: vec![choice("low"), choice("high")],
        ..AgentOption::default()
    };
    let fast = AgentOption {
        id: "fast".into(),
        name: "Fast".into(),
        value: "false".into(),
        ..AgentOption::default()
    };
    page.event(Event::OptionsChanged { options: vec![effort, fast] }).await;
    page.press("Options").await;
    wait_until("the options", || page.find(".options [role=switch]").is_some()).await;
    assert_eq!(page.attribute(".options [role=switch]", "aria-checked").as_deref(), Some("false"));
    page.press("Fast").await;
    assert_eq!(page.attribute(".options [role=switch]", "aria-checked").as_deref(), Some("true"));
    let frame = page.sent("set_option").await;
    assert_eq!((&frame["option_id"], &frame["value"]), (&json!("fast"), &json!("true")));
    page.answer("set_option", Err("Not with this model.")).await;
    page.wait_for_text(".notices", "Couldn't change the option: Not with this model.").await;
    assert_eq!(page.attribute(".options [role=switch]", "aria-checked").as_deref(), Some("false"));
}

#[wasm_bindgen_test]
async fn a_login_offers_the_agents_methods() {
    let mut page = Page::capable().await;
    let method =
        |id: &str, kind| LoginMethod { id: id.into(), name: id.into(), kind, ..LoginMethod::default() };
    let login = Login {
        message: "Please log in.".into(),
        methods: vec![
            LoginMethod { variables: vec!["API_KEY".into()], ..method("env", LoginKind::Environment) },
            LoginMethod { command: "agent login".into(), ..method("terminal", LoginKind::Terminal) },
            method("browser", LoginKind::Agent),
            method("other", LoginKind::Agent),
        ],
    };
    page.event(Event::LoginChanged { login: Some(login) }).await;
    assert!(page.text("[data-login]").contains("Please log in."));
    assert_eq!(page.text("[data-login-method=env] code"), "API_KEY");
    assert_eq!(page.text("[data-login-method=terminal] code"), "agent login");
    page.press("Log in").await;
    assert_eq!(page.sent("log_in").await["method"], json!("browser"));
    assert_eq!(page.text("[data-login] [role=status]"), "Logging in…", "without the seconds");
    assert!(page.text("[data-login] .progress").contains("0 s"));
    page.answer("log_in", Err("Refused.")).await;
    page.wait_for_text("[data-login-method=browser] .problem", "Refused.").await;
    assert_eq!(page.text("[data-login-method=other]"), "otherLog in", "only where it failed");
    page.press("Try again").await;
    page.sent("retry").await;
    page.event(Event::LoginChanged { login: None }).await;
    assert!(page.find("[data-login]").is_none());
}
