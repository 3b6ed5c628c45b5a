//! Messages that are too large to be sent: the user is told at once, keeps the text, and nothing is sent again and again.

use pilothouse_core::Image;
use pilothouse_core::limits::CLIENT_FRAME_BYTES;

use super::fake_socket::*;
use super::*;

#[wasm_bindgen_test]
async fn a_message_above_the_limit_is_not_sent_and_returns_to_the_composer() {
    let page = Page::capable().await;
    // Of a type that the page does not show: the browser need not read so much of it.
    let image =
        Image { mime_type: "image/x".into(), data: "A".repeat(CLIENT_FRAME_BYTES), ..Image::default() };
    let (attachments, id) = (page.actions.client.attachments, page.server.meta.session_id.clone());
    attachments.add(&id, vec![image]);
    type_prompt(&page, "Look").await;
    press_enter(&page, false, false).await;
    page.wait_for_text("[data-kind=error]", "too large to be sent (33.5 MB). The limit is 33.5 MB.").await;
    assert!(!page.has_sent("prompt"));
    wait_until("the text", || field(&page).value() == "Look").await;
    assert_eq!(attachments.images(&id).len(), 1);
    attachments.clear(&id);
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn a_message_that_closed_the_connection_as_too_large_is_not_sent_again() {
    let page = Page::capable().await;
    type_prompt(&page, "Hello").await;
    press_enter(&page, false, false).await;
    page.sent("prompt").await;
    js(
        "wire.sent = []; wire.first = wire.socket; wire.socket.dispatchEvent(new CloseEvent('close', { code: 4009 }))",
    );
    page.wait_for_text("[data-kind=error]", "too large to be sent").await;
    wait_until("the text to come back", || field(&page).value() == "Hello").await;
    wait_until("another connection", || js("return wire.socket !== wire.first").is_truthy()).await;
    js("wire.socket.open()");
    wait_until("the hello", || page.has_sent("hello")).await;
    assert!(!page.has_sent("prompt"));
    type_prompt(&page, "").await;
}
