//! Pictures that I send.

use crate::browser::Size;
use crate::page::Page;
use crate::stage::story;

/// Drops a picture of 8 × 8 pixels on the composer, drawn by the browser itself.
pub async fn drop_picture(page: &Page) {
    page.async_script(
        "const canvas = document.createElement('canvas'); canvas.width = canvas.height = 8;\
         canvas.getContext('2d').fillRect(0, 0, 8, 8);\
         const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));\
         const data = new DataTransfer(); data.items.add(new File([blob], 'square.png', { type: 'image/png' }));\
         document.querySelector('form.composer').dispatchEvent(\
           new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));",
    )
    .await;
}

const IN_THE_ROW: &str = "const image = document.querySelector('[data-kind=user] img');\
                          return !!image?.complete && image.naturalWidth === 8";

#[tokio::test]
async fn i_send_a_picture_and_it_stands_in_my_message_also_after_a_reload() {
    story("picture", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        drop_picture(&page).await;
        page.until(
            "its preview",
            "return document.querySelectorAll('[data-pending-image] img').length === 1",
        )
        .await;
        page.run("What is this?").await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
        page.until("the picture", IN_THE_ROW).await;
        page.rows_after_reload().await;
        page.until("the picture again", IN_THE_ROW).await;
    })
    .await;
}

#[tokio::test]
async fn a_picture_larger_than_a_model_looks_at_is_made_smaller_before_it_is_sent() {
    story("picture-scaled", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.async_script(
            "const canvas = document.createElement('canvas'); canvas.width = 3000; canvas.height = 1500;\
             canvas.getContext('2d').fillRect(0, 0, 3000, 1500);\
             const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));\
             const data = new DataTransfer(); data.items.add(new File([blob], 'wide.png', { type: 'image/png' }));\
             document.querySelector('form.composer').dispatchEvent(\
               new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));",
        )
        .await;
        let scaled = "const image = document.querySelector('[data-pending-image] img');\
                      return !!image?.complete && image.naturalWidth === 2000 && image.naturalHeight === 1000";
        page.until("the smaller one", scaled).await;
    })
    .await;
}

#[tokio::test]
async fn what_is_no_picture_is_refused_before_it_is_sent() {
    story("no-picture", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.script(
            "const data = new DataTransfer(); data.items.add(new File(['<svg/>'], 'x.png', { type: 'image/png' }));\
             document.querySelector('form.composer').dispatchEvent(\
               new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))",
            vec![],
        )
        .await;
        page.until("words", "return document.querySelector('.picture-problem')?.textContent.includes('Only PNG')").await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_scheduled_picture_comes_back_to_the_composer_and_can_be_sent_again() {
    story("picture-restored", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait-tool go").await;
        page.until_tool("running").await;
        drop_picture(&page).await;
        page.until("its preview", "return !!document.querySelector('[data-pending-image]')").await;
        page.send("And this one").await;
        page.until("it scheduled", "return !!document.querySelector('[data-scheduled] img')").await;
        page.press("Restore to editor").await;
        page.until("it back", "return !!document.querySelector('[data-pending-image] img')").await;
        assert_eq!(page.draft().await, "And this one");
        stage.release("go");
        page.until_state("completed").await;
        page.run("").await;
        page.until("the picture", IN_THE_ROW).await;
    })
    .await;
}
