//! The composer's attachments: type checks, preview, sending, and restoring after a refusal.

use pilothouse_core::limits::{IMAGE_BYTES, PROMPT_IMAGES};
use serde_json::Value;

use super::fake_socket::*;
use super::*;

/// The header of a PNG file of one pixel, which is all that the page checks.
const PNG: &str = "new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1])";

/// Drops files with these contents on the composer.
async fn drop_files(page: &Page, contents: &[String]) {
    let files: String =
        contents.iter().map(|content| format!("data.items.add(new File([{content}], 'x.png'));")).collect();
    let event = js(&format!(
        "const data = new DataTransfer(); {files} return new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }})"
    ));
    page.find("form.composer").unwrap().dispatch_event(&event.unchecked_into()).unwrap();
    flush_effects().await;
}

fn pending(page: &Page) -> u32 {
    page.root.query_selector_all("[data-pending-image]").unwrap().length()
}

#[wasm_bindgen_test]
async fn dropped_images_are_shown_removed_and_sent_with_the_text() {
    let page = Page::capable().await;
    drop_files(&page, &[PNG.to_owned(), PNG.to_owned()]).await;
    wait_until("both", || pending(&page) == 2).await;
    page.press("Remove image").await;
    assert_eq!(pending(&page), 1);
    type_prompt(&page, "What is this?").await;
    press_enter(&page, false, false).await;
    let frame = page.sent("prompt").await;
    assert_eq!(
        frame["images"],
        json!([{"mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"}])
    );
    assert_eq!(pending(&page), 0);
    assert!(page.find("[data-kind=user] img").is_some());
    page.answer("prompt", Err("The queue is full. Try again after a message is sent.")).await;
    wait_until("it to come back", || pending(&page) == 1).await;
    assert_eq!(field(&page).value(), "What is this?");
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn an_image_can_be_sent_without_text() {
    let page = Page::capable().await;
    drop_files(&page, &[PNG.to_owned()]).await;
    wait_until("it", || pending(&page) == 1).await;
    page.press("Send").await;
    assert_eq!(page.sent("prompt").await["message"], json!(""));
}

#[wasm_bindgen_test]
async fn other_files_and_too_many_images_are_refused_with_a_reason() {
    let page = Page::capable().await;
    drop_files(&page, &["'<svg/>'".to_owned()]).await;
    page.wait_for_text(".picture-problem", "Only PNG").await;
    drop_files(&page, &[format!("new Blob([{PNG}, new Uint8Array({IMAGE_BYTES})])")]).await;
    page.wait_for_text(".picture-problem", "5.2 MB per image").await;
    assert_eq!(pending(&page), 0);
    let many = vec![PNG.to_owned(); PROMPT_IMAGES + 1];
    drop_files(&page, &many).await;
    page.wait_for_text(".picture-problem", "up to 8 images").await;
    assert_eq!(pending(&page) as usize, PROMPT_IMAGES);
}

#[wasm_bindgen_test]
async fn an_image_with_too_many_pixels_is_refused_before_it_is_decoded() {
    let page = Page::capable().await;
    js(
        "wire.decoded = 0; wire.decode ??= window.createImageBitmap; window.createImageBitmap = (...all) => { wire.decoded += 1; return wire.decode.apply(window, all); }",
    );
    // 30,000 pixels on each side.
    let bomb = PNG.replace("0, 0, 0, 1, 0, 0, 0, 1", "0, 0, 117, 48, 0, 0, 117, 48");
    drop_files(&page, &[bomb]).await;
    page.wait_for_text(".picture-problem", "30000 × 30000 pixels").await;
    drop_files(&page, &[PNG.replace(", 0, 0, 0, 1])", "])")]).await;
    page.wait_for_text(".picture-problem", "damaged").await;
    assert_eq!((pending(&page), js("return wire.decoded").as_f64()), (0, Some(0.0)));
}

#[wasm_bindgen_test]
async fn an_agent_without_image_support_refuses_images() {
    let page = Page::new().await;
    assert!(page.find("[aria-label='Add images']").is_none());
    drop_files(&page, &[PNG.to_owned()]).await;
    page.wait_for_text(".picture-problem", "doesn't support images").await;
}

#[wasm_bindgen_test]
async fn a_steering_message_is_sent_with_its_images() {
    let mut page = Page::capable().await;
    page.event(Event::SessionState { state: SessionState::Streaming, reason: String::new() }).await;
    drop_files(&page, &[PNG.to_owned()]).await;
    wait_until("it", || pending(&page) == 1).await;
    page.press("Follow-up").await;
    let frame = page.sent("prompt").await;
    assert_eq!(
        (&frame["streamingBehavior"], frame["images"].as_array().map(Vec::len)),
        (&json!("followUp"), Some(1))
    );
    page.answer("prompt", Ok(Value::Null)).await;
}
