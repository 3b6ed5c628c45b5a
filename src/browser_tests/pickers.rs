//! The pickers of models, thinking levels and slash commands: filtering, keyboard, and refusals.

use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::ModelInfo;
use serde_json::Value;

use super::fake_socket::*;
use super::*;

fn models(count: usize) -> Value {
    let model = |index: usize| json!({"provider": "north", "id": format!("m{index}"), "name": format!("Model {index}")});
    json!({"models": (0..count).map(model).collect::<Vec<_>>()})
}

fn options(page: &Page, list: &str) -> Vec<String> {
    let found = page.root.query_selector_all(&format!("{list} [role=option] .choice-option-name")).unwrap();
    (0..found.length()).map(|index| found.item(index).unwrap().text_content().unwrap()).collect()
}

fn marked(page: &Page) -> String {
    page.text("[role=option][aria-selected=true] .choice-option-name")
}

#[wasm_bindgen_test]
async fn a_model_is_found_by_typing_and_selected_with_the_keyboard() {
    let mut page = Page::capable().await;
    let model =
        ModelInfo { provider: "north".into(), id: "m1".into(), name: "Model 1".into(), reasoning: false };
    page.event(Event::ModelChanged { model: Some(model) }).await;
    page.press("Model").await;
    page.answer("get_available_models", Ok(models(12))).await;
    assert_eq!(options(&page, "#models").len(), 12);
    assert_eq!(page.text("[role=option][aria-current] .choice-option-name"), "Model 1");
    type_into(&page, ".picker-field", "model 1").await;
    assert_eq!(options(&page, "#models"), ["Model 1", "Model 10", "Model 11"]);
    press_key(&page, ".picker-field", "ArrowDown").await;
    assert_eq!(marked(&page), "Model 10");
    press_key(&page, ".picker-field", "Enter").await;
    let frame = page.sent("set_model").await;
    assert_eq!((&frame["provider"], &frame["model_id"]), (&json!("north"), &json!("m10")));
    page.wait_until_gone("#models").await;
    page.answer("set_model", Err("No key for this provider.")).await;
    page.wait_for_text(".notices", "No key for this provider.").await;
    assert_eq!(page.text(".title-model"), "Model 1", "unchanged until the agent confirms");
}

#[wasm_bindgen_test]
async fn an_agent_without_models_says_what_to_do() {
    let page = Page::capable().await;
    page.press("Model").await;
    page.answer("get_available_models", Ok(models(0))).await;
    page.wait_for_text(".picker-words", "No models available").await;
}

#[wasm_bindgen_test]
async fn a_thinking_level_is_shown_at_once_and_reverted_when_refused() {
    let mut page = Page::capable().await;
    page.event(Event::ThinkingLevelChanged { level: "low".into() }).await;
    let select: HtmlElement = page.find("select").unwrap().unchecked_into();
    js_sys::Reflect::set(&select, &"value".into(), &"high".into()).unwrap();
    select.dispatch_event(&web_sys::Event::new("change").unwrap()).unwrap();
    flush_effects().await;
    let session = page.actions.current_session().unwrap();
    assert_eq!(session.meta.thinking_level().get_untracked(), "high");
    page.delta(0, "meanwhile").await;
    assert_eq!(session.meta.thinking_level().get_untracked(), "high", "other events do not revert it");
    page.answer("set_thinking_level", Err("this model does not think.")).await;
    page.wait_for_text(".notices", "this model does not think").await;
    assert_eq!(session.meta.thinking_level().get_untracked(), "low");
}

async fn page_with_commands(typed: &str) -> Page {
    let page = Page::capable().await;
    type_prompt(&page, typed).await;
    let commands = json!({"commands": [
        {"name": "review", "description": "Look through it", "source": "prompt"},
        {"name": "release", "description": "Tag it", "source": "extension"},
    ]});
    page.answer("get_commands", Ok(commands)).await;
    page
}

#[wasm_bindgen_test]
async fn a_slash_lists_commands_and_enter_inserts_the_selected_one() {
    let page = page_with_commands("/").await;
    assert_eq!(options(&page, "#commands"), ["/review", "/release"]);
    type_prompt(&page, "/re").await;
    press_key(&page, "textarea[name=prompt]", "ArrowDown").await;
    assert_eq!(marked(&page), "/release");
    assert_eq!(
        page.attribute("textarea[name=prompt]", "aria-activedescendant").as_deref(),
        Some("commands-1")
    );
    press_key(&page, "textarea[name=prompt]", "Enter").await;
    assert_eq!(field(&page).value(), "/release ");
    assert!(page.find("#commands").is_none());
    assert!(page.find("[data-kind=user]").is_none(), "not sent yet: arguments may follow");
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn escape_closes_the_commands_and_unknown_ones_are_sent_unchanged() {
    let page = page_with_commands("/re").await;
    press_key(&page, "textarea[name=prompt]", "Escape").await;
    assert!(page.find("#commands").is_none());
    press_key(&page, "textarea[name=prompt]", "Enter").await;
    assert_eq!(page.sent("prompt").await["message"], json!("/re"));
    type_prompt(&page, "/nothing").await;
    page.wait_for_text(".slash-menu", "No matching commands").await;
    press_key(&page, "textarea[name=prompt]", "Enter").await;
    assert_eq!(page.sent("prompt").await["message"], json!("/nothing"));
}
