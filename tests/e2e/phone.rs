//! The same on a phone.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::Size;

use crate::stage::story;

#[tokio::test]
async fn on_my_phone_i_open_the_drawer_pick_a_session_and_write() {
    story("phone", Size::Phone, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        // Enter breaks the line on a touch screen; the button sends.
        page.write("First line").await;
        page.write(Key::Enter + "").await;
        assert_eq!(page.count("[role=log] [data-message-id]").await, 0);
        page.press("Send").await;
        page.until_state("completed").await;
        let wide = page.script("return document.documentElement.scrollWidth > window.innerWidth", vec![]).await;
        assert_eq!(wide, serde_json::json!(false), "nothing sticks out to the side");
        let seen = "const box = document.querySelector('nav').getBoundingClientRect(); return box.right > 40 && box.left < innerWidth";
        page.press("Sessions").await;
        page.until("the drawer", seen).await;
        page.click(&format!("nav [data-session-id='{session}']")).await;
        page.until("the drawer closed", &format!("return !(() => {{ {seen} }})()")).await;
        let composer = "const box = document.querySelector('textarea[name=prompt]').getBoundingClientRect(); return box.bottom <= innerHeight";
        page.until("the composer in view", composer).await;
    })
    .await;
}

#[tokio::test]
async fn on_my_phone_i_can_copy_an_answer_whatever_comes_after_it() {
    story("phone-copy", Size::Phone, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.write("/tour").await;
        page.press("Send").await;
        page.until_state("completed").await;
        page.write("! echo lantern").await;
        page.press("Run").await;
        page.until("the shell's row", "return !!document.querySelector('[data-kind=bash]')").await;
        // By what follows each: the buttons stand after the last words of a turn, and not between tools.
        let told = "const rows = [...document.querySelectorAll('[role=log] [data-message-id]')];\
            return rows.flatMap((row, index) => row.dataset.kind !== 'assistant' ? [] :\
              [[rows[index + 1]?.dataset.kind, row.querySelector('.row-actions').getBoundingClientRect().height > 0]])";
        let told = page.script(told, vec![]).await;
        let told = told.as_array().unwrap();
        for answer in told {
            assert_eq!(answer[1], json!(answer[0] == "bash"), "{told:?}");
        }
        assert!(told.len() > 2 && told.last().unwrap()[0] == "bash", "{told:?}");
    })
    .await;
}

#[tokio::test]
async fn on_my_phone_the_choices_of_the_title_bar_are_all_of_one_size() {
    story("phone-choices", Size::Phone, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/help").await;
        let sizes = "const size = (of) => getComputedStyle(of).fontSize;\
                     const shown = [...document.querySelectorAll('.title-model, .title-select > span:first-child')];\
                     const fields = [...document.querySelectorAll('.title-select select')];\
                     return { shown: shown.map(size), fields: fields.map((field) => parseFloat(size(field)) >= 16),\
                       words: shown.map((part) => part.textContent),\
                       chosen: fields.map((field) => field.selectedOptions[0].textContent) }";
        let seen = page.script(sizes, vec![]).await;
        assert_eq!(seen["shown"], json!(["13px", "13px", "13px"]), "{seen}");
        assert_eq!(seen["fields"], json!([true, true]), "no phone zooms in: {seen}");
        assert_eq!(seen["words"].as_array().unwrap()[1..], *seen["chosen"].as_array().unwrap(), "{seen}");
    })
    .await;
}

#[tokio::test]
async fn on_my_phone_i_see_that_something_waits_on_me_wherever_i_look() {
    story("phone-waits", Size::Phone, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/tour").await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.script("document.querySelector('[role=log]').scrollTop = 0", vec![]).await;
        page.until(
            "that it waits, far above",
            "return document.querySelector('.jump')?.textContent.trim() === 'Waits for your answer'",
        )
        .await;
        page.open_new_session_form().await;
        let told = "const button = document.querySelector('.sessions-button');\
                    return button.dataset.waiting === '1' && button.ariaLabel === 'Sessions, 1 waiting on me'\
                      && getComputedStyle(button, '::after').content === '\"1\"'";
        page.until("the number at the drawer's button", told).await;
        page.until(
            "no drawer",
            "return document.querySelector('.sidebar').getBoundingClientRect().right <= 0",
        )
        .await;
        page.screenshot("phone-waits").await;
        page.press("Sessions, 1 waiting on me").await;
        page.press("Waiting on me").await;
        page.press("Block").await;
        page.until("nothing that waits", "return !document.querySelector('[data-waiting]')").await;
    })
    .await;
}

#[tokio::test]
async fn a_keyboard_that_lies_over_the_page_does_not_cover_what_i_write() {
    story("phone-keyboard", Size::Phone, async |stage| {
        let page = stage.page();
        // As a browser tells it that makes no room by itself.
        let view = "window.seen = Object.assign(new EventTarget(), {\
                      height: innerHeight, width: innerWidth, scale: 1, pageLeft: 0, pageTop: 0, offsetLeft: 0, offsetTop: 0 });\
                    Object.defineProperty(window, 'visualViewport', { value: window.seen });";
        page.add_init_script(view).await;
        page.enter(&stage.server.link).await;
        page.new_session().await;
        let send = "return document.querySelector('form.composer button[type=submit]').getBoundingClientRect().bottom";
        let resized = "window.seen.height = arguments[0]; window.seen.scale = arguments[1];\
                       window.seen.dispatchEvent(new Event('resize'))";
        let free = page.script(send, vec![]).await.as_f64().unwrap();
        page.script(resized, vec![json!(400), json!(1)]).await;
        page.until_script("Send above the keyboard", &format!("{send} <= 400"), vec![]).await;
        page.script(resized, vec![json!(300), json!(2)]).await;
        page.until_script("nothing moved by zooming", &format!("{send} === arguments[0]"), vec![json!(free)]).await;
        page.script(resized, vec![json!(400), json!(1)]).await;
        page.until_script("Send above the keyboard", &format!("{send} <= 400"), vec![]).await;
        page.script("window.seen.height = innerHeight; window.seen.dispatchEvent(new Event('resize'))", vec![]).await;
        page.until_script("all of the view again", &format!("{send} === arguments[0]"), vec![json!(free)]).await;
    })
    .await;
}
