//! Scheduled messages: editing and removing them in place, without losing typed text.

use pilothouse_core::conversation::queue::{Lane, Scheduled};
use serde_json::Value;

use super::fake_socket::*;
use super::*;

fn item(id: &str, text: &str) -> Scheduled {
    Scheduled { id: id.into(), lane: Lane::Steer, text: text.into(), ..Scheduled::default() }
}

async fn page_with(items: Vec<Scheduled>) -> Page {
    let mut page = Page::capable().await;
    page.event(Event::QueueUpdate { items }).await;
    page
}

async fn page_in_edit() -> Page {
    let mut page = page_with(vec![item("q", "Look to port")]).await;
    page.press("Edit").await;
    let frame = page.sent("edit_queued").await;
    assert_eq!(
        (&frame["item_id"], &frame["revision"], &frame["edit"]),
        (&json!("q"), &json!(0), &json!("begin"))
    );
    page.answer("edit_queued", Ok(Value::Null)).await;
    let held = Scheduled { under_edit: true, revision: 1, ..item("q", "Look to port") };
    page.event(Event::QueueUpdate { items: vec![held] }).await;
    page
}

#[wasm_bindgen_test]
async fn a_scheduled_message_is_edited_in_place_and_saved_with_its_revision() {
    let page = page_in_edit().await;
    assert!(page.find(".queue-held").is_none(), "it is edited here, not by another client");
    type_into(&page, "textarea[name=scheduled]", "Look to starboard").await;
    press_key(&page, "textarea[name=scheduled]", "Enter").await;
    let frame = page.sent("edit_queued").await;
    assert_eq!(frame["revision"], json!(1));
    assert_eq!(frame["edit"]["finish"]["text"], json!("Look to starboard"));
    page.answer("edit_queued", Ok(Value::Null)).await;
    page.wait_until_gone("textarea[name=scheduled]").await;
}

#[wasm_bindgen_test]
async fn a_refused_edit_shows_a_notice_and_keeps_the_text() {
    let page = page_in_edit().await;
    type_into(&page, "textarea[name=scheduled]", "Look to starboard").await;
    page.press("Save").await;
    page.answer("edit_queued", Err("This message was changed elsewhere.")).await;
    page.wait_for_text(".notices", "changed elsewhere").await;
    let field: HtmlTextAreaElement = page.find("textarea[name=scheduled]").unwrap().unchecked_into();
    assert_eq!(field.value(), "Look to starboard");
}

#[wasm_bindgen_test]
async fn the_edit_of_a_removed_message_moves_to_the_composer() {
    let mut page = page_in_edit().await;
    type_into(&page, "textarea[name=scheduled]", "Look to starboard").await;
    page.event(Event::QueueUpdate { items: Vec::new() }).await;
    assert_eq!(field(&page).value(), "Look to starboard");
    page.wait_for_text(".notices", "no longer queued").await;
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn escape_cancels_the_edit() {
    let page = page_in_edit().await;
    press_key(&page, "textarea[name=scheduled]", "Escape").await;
    let frame = page.sent("edit_queued").await;
    assert_eq!((&frame["edit"], &frame["revision"]), (&json!("cancel"), &json!(1)));
    assert!(page.find("textarea[name=scheduled]").is_none());
}

#[wasm_bindgen_test]
async fn another_clients_edit_is_shown_and_the_button_removes_a_message() {
    let held = Scheduled { under_edit: true, revision: 3, ..item("q", "Ring the bell") };
    let page = page_with(vec![held]).await;
    assert_eq!(page.text(".queue-held"), "Being edited");
    page.press("Remove").await;
    let frame = page.sent("remove_queued").await;
    assert_eq!((&frame["item_id"], &frame["revision"]), (&json!("q"), &json!(3)));
    page.answer("remove_queued", Err("This message is no longer queued.")).await;
    page.wait_for_text(".notices", "no longer queued").await;
}

#[wasm_bindgen_test]
async fn restored_messages_keep_their_images() {
    let page = page_with(vec![item("q", "Look to port")]).await;
    page.press("Restore to editor").await;
    let image = json!({"mimeType": "image/png", "blob": "b1"});
    page.answer("clear_queue", Ok(json!({"restored": [{"text": "Look to port", "images": [image]}]}))).await;
    wait_until("the text", || field(&page).value() == "Look to port").await;
    // The picture itself is fetched from the server, which does not exist here.
    wait_until("the image", || page.find("[data-pending-image]").is_some()).await;
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn a_queue_that_the_agent_cannot_edit_has_no_buttons() {
    let mut page = Page::new().await;
    page.event(Event::QueueUpdate { items: vec![item("q", "Look to port")] }).await;
    assert!(page.find("[data-scheduled=steer]").is_some());
    assert!(page.find("[data-scheduled] button").is_none());
}
