//! Pictures that I send.

use serde_json::json;
use thirtyfour::By;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};

use crate::stage::{Stage, story};

/// Makes `data` carry pictures of 8 × 8 pixels, drawn by the browser itself.
fn carrying(count: usize) -> String {
    format!(
        "const canvas = document.createElement('canvas'); canvas.width = canvas.height = 8;\
         canvas.getContext('2d').fillRect(0, 0, 8, 8);\
         const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));\
         const data = new DataTransfer();\
         for (let number = 0; number < {count}; number += 1)\
           data.items.add(new File([blob], `square-${{number}}.png`, {{ type: 'image/png' }}));"
    )
}

const DROPPED: &str = "document.querySelector('form.composer').dispatchEvent(\
    new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));";
/// Where one reads, and not where one writes.
const DROPPED_ABOVE: &str = "document.querySelector('[role=log]').dispatchEvent(\
    new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));";
const PASTED: &str = "document.querySelector('textarea[name=prompt]').dispatchEvent(\
    new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));";

pub async fn drop_picture(page: &Page) {
    page.async_script(&(carrying(1) + DROPPED)).await;
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

/// Waits until the browser keeps the pictures of so many sessions: it writes them down in its own time.
pub async fn until_kept(page: &Page, sessions: usize) {
    until_kept_as(page, "", sessions).await;
}

/// The same of those that are kept under names that begin so.
pub async fn until_kept_as(page: &Page, prefix: &str, sessions: usize) {
    let kept = format!(
        "const ended = (request) => new Promise((done, failed) => {{\
           request.onsuccess = () => done(request.result); request.onerror = () => failed(request.error); }});\
         for (;;) {{\
           const database = await ended(indexedDB.open('pilothouse'));\
           const keys = await ended(database.transaction('texts').objectStore('texts').getAllKeys());\
           database.close();\
           if (keys.filter((key) => key.startsWith('{prefix}')).length === {sessions}) return true;\
           await new Promise((done) => setTimeout(done, 20));\
         }}"
    );
    assert_eq!(page.async_script(&kept).await, json!(true));
}

#[tokio::test]
async fn a_picture_that_waits_is_still_there_after_a_reload_until_i_send_it() {
    story("picture-kept", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.async_script(&(carrying(1) + PASTED)).await;
        let one = "return document.querySelectorAll('[data-pending-image] img').length === 1";
        page.until("its preview", one).await;
        until_kept(&page, 1).await;
        page.reload().await;
        page.until("it again", one).await;
        // What is added now stands behind it.
        drop_picture(&page).await;
        page.until("both", "return document.querySelectorAll('[data-pending-image] img').length === 2").await;
        page.press("Remove image").await;
        page.until("one of them", one).await;
        page.run("What is this?").await;
        page.until("the picture", IN_THE_ROW).await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
        until_kept(&page, 0).await;
        page.reload().await;
        page.until("the picture", IN_THE_ROW).await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_picture_that_waits_goes_with_its_session() {
    story("picture-forgotten", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("Hello").await;
        drop_picture(&page).await;
        page.until("its preview", "return !!document.querySelector('[data-pending-image] img')").await;
        until_kept(&page, 1).await;
        page.choose_in_session_menu("Delete…").await;
        page.press("Delete").await;
        page.until("the form", "return !!document.querySelector('main.new-session')").await;
        until_kept(&page, 0).await;
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

#[tokio::test]
async fn i_paste_a_picture_and_a_pasted_text_stays_a_text() {
    story("picture-pasted", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.async_script(&(carrying(1) + PASTED)).await;
        page.until("its preview", "return !!document.querySelector('[data-pending-image] img')").await;
        // Some programs put a picture of the text beside it.
        let both = carrying(1) + "data.setData('text/plain', 'words');" + PASTED;
        page.async_script(&both).await;
        page.run("What is this?").await;
        page.until("the picture", IN_THE_ROW).await;
        assert_eq!(page.count("[data-kind=user] img").await, 1);
    })
    .await;
}

#[tokio::test]
async fn i_pick_a_picture_take_it_out_and_pick_it_again() {
    told_picture_picked(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_pick_a_picture() {
    told_picture_picked(Size::Phone).await;
}

async fn told_picture_picked(size: Size) {
    story("picture-picked", size, async |stage| {
        let picture = stage.project.path().join("lighthouse.png");
        let bytes = include_bytes!("../../crates/demo-agent/src/scenes/lighthouse.png");
        std::fs::write(&picture, bytes).unwrap();
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        let one = "return document.querySelectorAll('[data-pending-image] img').length === 1";
        for _ in 0..2 {
            let picker = page.driver.find(By::Css("input[name=images]")).await.unwrap();
            picker.send_keys(picture.to_str().unwrap()).await.unwrap();
            page.until("its preview", one).await;
            page.press("Remove image").await;
            page.until("it gone", "return !document.querySelector('[data-pending-image]')").await;
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_too_much_or_too_large_is_said_before_it_is_sent() {
    story("picture-limits", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.async_script(&(carrying(9) + DROPPED)).await;
        page.until("words", "return document.querySelector('.picture-problem')?.textContent.includes('at most 8')").await;
        assert_eq!(page.count("[data-pending-image]").await, 8);
        for _ in 0..8 {
            page.press("Remove image").await;
        }
        page.until("none", "return !document.querySelector('[data-pending-image]')").await;
        let large = "const data = new DataTransfer();\
                     const head = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);\
                     data.items.add(new File([head, new Uint8Array(6 * 1024 * 1024)], 'large.png', { type: 'image/png' }));"
            .to_owned();
        page.async_script(&(large + DROPPED)).await;
        page.until("words", "return document.querySelector('.picture-problem')?.textContent.includes('At most 5 MB')").await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 0, "nothing was sent");
    })
    .await;
}

async fn look_at_a_picture(stage: &Stage, page: &Page) {
    page.enter(&stage.server.link).await;
    page.new_session().await;
    page.fill_composer("/image").await;
    page.click("form.composer button[type=submit]").await;
    page.until_state("completed").await;
    let loaded = "const image = document.querySelector('.row-image img'); return !!image?.complete && image.naturalWidth > 0";
    page.until("the picture", loaded).await;
    page.click(".row-image").await;
    let open = "const image = document.querySelector('dialog.viewer[open] img');\
                const box = image?.getBoundingClientRect();\
                return !!image?.complete && box.width > 0 && box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight";
    page.until("it in full", open).await;
}

const CLOSED: &str = "return !document.querySelector('dialog.viewer[open]')";

#[tokio::test]
async fn i_look_at_a_picture_in_full_and_close_it_by_key_and_by_button() {
    story("viewer", Size::Wide, async |stage| {
        let page = stage.page();
        look_at_a_picture(stage, &page).await;
        page.press_keys(Key::Escape + "").await;
        page.until("it closed", CLOSED).await;
        page.until("the keyboard where it was", "return document.activeElement?.matches('.row-image')").await;
        page.press_keys(Key::Enter + "").await;
        page.until("it again", "return !!document.querySelector('dialog.viewer[open] img')").await;
        page.click(".viewer-close").await;
        page.until("it closed", CLOSED).await;
    })
    .await;
}

#[tokio::test]
async fn on_my_phone_i_look_at_a_picture_and_a_touch_closes_it() {
    story("viewer-phone", Size::Phone, async |stage| {
        let page = stage.page();
        look_at_a_picture(stage, &page).await;
        page.click("dialog.viewer img").await;
        page.until("it closed", CLOSED).await;
    })
    .await;
}

#[tokio::test]
async fn i_drop_pictures_anywhere_and_one_that_is_none_leaves_the_others() {
    story("picture-anywhere", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let first = page.new_session().await;
        let with_a_text = carrying(2).replacen(
            "for (let",
            "data.items.add(new File(['no picture'], 'notes.png', { type: 'image/png' })); for (let",
            1,
        );
        page.async_script(&(with_a_text + DROPPED_ABOVE)).await;
        page.until("both", "return document.querySelectorAll('[data-pending-image] img').length === 2").await;
        let problem = "return document.querySelector('.picture-problem').textContent";
        page.until("the word", &format!("{problem}.startsWith('Only PNG')")).await;
        page.open_new_session_form().await;
        page.new_session().await;
        assert_eq!(page.script(problem, vec![]).await, "", "it is about another session");
        page.click(&format!("nav [data-session-id='{first}']")).await;
        page.until("both again", "return document.querySelectorAll('[data-pending-image] img').length === 2")
            .await;
    })
    .await;
}

#[tokio::test]
async fn i_fork_from_a_message_and_its_picture_comes_along() {
    story("picture-fork", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("Hello").await;
        drop_picture(&page).await;
        page.until("its preview", "return !!document.querySelector('[data-pending-image] img')").await;
        page.run("What is this?").await;
        page.until("the picture", IN_THE_ROW).await;
        page.script(
            "[...document.querySelectorAll('[data-kind=user]')].at(-1).querySelector('[aria-label^=Fork]').click()",
            vec![],
        )
        .await;
        page.until_draft("What is this?").await;
        page.until("its preview again", "return document.querySelectorAll('[data-pending-image] img').length === 1").await;
        page.run("").await;
        page.until("the picture", IN_THE_ROW).await;
    })
    .await;
}
