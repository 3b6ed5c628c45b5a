//! Conversations that are long: they open at once, only what is near the view is built, and nothing moves under the
//! reader's eyes.

use serde_json::{Value, json};
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::session_file::{self, SessionFile};

use crate::stage::{Stage, story};

/// A session of the demo's with so many messages, as if it had been talked in for long.
fn long_session(stage: &Stage, messages: usize) {
    stored_session(
        stage,
        (0..messages).map(|number| {
            format!("Message {number}. {}", "It is said at some length. ".repeat(1 + number * 7 % 23))
        }),
    );
}

/// A session of the demo's in which these texts were said, in turn by the person and the agent.
pub fn stored_session(stage: &Stage, texts: impl IntoIterator<Item = String>) {
    let mut file = SessionFile::numbered(1, &stage.project.path().to_string_lossy());
    for (number, words) in texts.into_iter().enumerate() {
        if number % 2 == 0 {
            file.user(&words);
        } else {
            file.assistant(json!([{"type": "text", "text": words}]));
        }
    }
    stage.add_session(file);
}

pub fn row_of_session() -> String {
    format!("nav [data-session-id='{}']", session_file::numbered_id(1))
}

/// Opens that session.
pub async fn open(stage: &Stage, page: &Page) {
    page.enter(&stage.server.link).await;
    let row = row_of_session();
    page.until("its row", &format!("return !!document.querySelector(\"{row}\")")).await;
    page.click(&row).await;
}

async fn built(page: &Page) -> u64 {
    page.count("[role=log] [data-message-id]").await
}

/// Whether the row with these words can be seen.
pub async fn until_in_view(page: &Page, words: &str) {
    let seen = "const row = [...document.querySelectorAll('[role=log] [data-message-id]')]\
                  .find((row) => row.textContent.includes(arguments[0]));\
                const box = row?.getBoundingClientRect();\
                return !!box && box.top >= 0 && box.top <= innerHeight";
    page.until_script(&format!("'{words}' in view"), seen, vec![json!(words)]).await;
}

#[tokio::test]
async fn i_open_ten_thousand_messages_at_once_and_find_the_first_of_them() {
    story("long", Size::Wide, async |stage| {
        long_session(stage, 10_000);
        let page = stage.page();
        open(stage, &page).await;
        until_in_view(&page, "Message 9999.").await;
        assert!(built(&page).await < 150, "{} rows are built", built(&page).await);
        page.write(Key::Control + "f").await;
        page.fill("[name=find]", "Message 17.").await;
        page.until("the count", "return document.querySelector('.find-words')?.textContent === '1 of 1'")
            .await;
        until_in_view(&page, "Message 17.").await;
        page.until("the mark", "return !!document.querySelector('[data-found]')").await;
        assert!(built(&page).await < 250, "{} rows are built", built(&page).await);
        page.press("Close").await;
        page.press_starting("Jump to latest").await;
        until_in_view(&page, "Message 9999.").await;
    })
    .await;
}

#[tokio::test]
async fn nothing_moves_under_my_eyes_when_older_messages_come_above() {
    story("long-up", Size::Wide, async |stage| {
        long_session(stage, 2_000);
        let page = stage.page();
        open(stage, &page).await;
        until_in_view(&page, "Message 1999.").await;
        // Up to where the rows held end: more are fetched, and what is read stays in its place, frame by frame.
        let watched = page
            .async_script(
                "const log = document.querySelector('[role=log]');\
                 const frame = () => new Promise((done) => requestAnimationFrame(done));\
                 const held = () => Number(log.querySelector('[data-chunk]').dataset.chunk);\
                 const before = held();\
                 for (let step = 0; step < 400 && log.scrollTop > 900; step += 1) { log.scrollTop -= 700; await frame(); }\
                 const edge = log.getBoundingClientRect().top;\
                 const row = [...log.querySelectorAll('[data-message-id]')].find((row) => row.getBoundingClientRect().bottom > edge);\
                 const top = row.getBoundingClientRect().top;\
                 let worst = 0;\
                 for (let count = 0; count < 2000 && (held() === before || count < 120); count += 1) {\
                   await frame();\
                   worst = Math.max(worst, Math.abs(row.getBoundingClientRect().top - top));\
                 }\
                 return { worst, came: held() < before, there: row.isConnected };",
            )
            .await;
        assert_eq!((&watched["came"], &watched["there"]), (&json!(true), &json!(true)), "{watched}");
        assert!(watched["worst"].as_f64().unwrap() <= 1.0, "{watched}");
    })
    .await;
}

#[tokio::test]
async fn i_come_back_to_the_place_where_i_was_reading() {
    story("long-back", Size::Wide, async |stage| {
        long_session(stage, 600);
        let page = stage.page();
        open(stage, &page).await;
        until_in_view(&page, "Message 599.").await;
        let scrolled = page
            .async_script(
                "const log = document.querySelector('[role=log]');\
                 const frame = () => new Promise((done) => requestAnimationFrame(done));\
                 for (let step = 0; step < 8; step += 1) { log.scrollTop -= 600; await frame(); await frame(); }\
                 const edge = log.getBoundingClientRect().top;\
                 const row = [...log.querySelectorAll('[data-message-id]')].find((row) => row.getBoundingClientRect().bottom > edge);\
                 return { id: row.dataset.messageId, top: row.getBoundingClientRect().top };",
            )
            .await;
        page.open_new_session_form().await;
        page.click(&row_of_session()).await;
        let there = "const row = [...document.querySelectorAll('[role=log] [data-message-id]')]\
                       .find((row) => row.dataset.messageId === arguments[0].id);\
                     return !!row && Math.abs(row.getBoundingClientRect().top - arguments[0].top) <= 2";
        page.until_script("the same place", there, vec![scrolled]).await;
    })
    .await;
}

#[tokio::test]
async fn i_load_the_page_again_and_am_where_i_was_reading() {
    told_reload(Size::Wide, 1).await;
}

#[tokio::test]
async fn on_my_phone_i_load_the_page_again_and_am_where_i_was_reading() {
    told_reload(Size::Phone, 1).await;
}

#[tokio::test]
async fn among_many_tools_too_i_load_the_page_again_and_am_where_i_was_reading() {
    told_reload(Size::Wide, 12).await;
}

/// A session that is read far up, farther than what comes with it, with a row open there: which, and where it stands.
async fn read_far_up(stage: &Stage, page: &Page, calls: usize) -> Value {
    let mut file = SessionFile::numbered(1, &stage.project.path().to_string_lossy());
    for number in 0..300 {
        file.user(&format!(
            "Message {number}. {}",
            "It is said at some length. ".repeat(1 + number * 7 % 23)
        ));
        let call = |call| json!({"type": "toolCall", "id": format!("c{number}-{call}"), "name": "bash", "arguments": {"command": "ls"}});
        file.assistant(json!([{"type": "thinking", "thinking": "Shall I?\n\nI shall."}]));
        file.assistant((0..calls).map(call).collect());
    }
    stage.add_session(file);
    open(stage, page).await;
    until_in_view(page, "Message 299.").await;
    let read = "const log = document.querySelector('[role=log]');\
                const frame = () => new Promise((done) => requestAnimationFrame(done));\
                const first = () => Number(log.querySelector('[data-kind=user]')?.textContent.match(/Message (\\d+)/)[1] ?? 999);\
                while (first() > FAR) { log.scrollTop -= 600; await frame(); await frame(); }\
                const edge = log.getBoundingClientRect().top;\
                const row = [...log.querySelectorAll('[data-kind=tool]')].find((row) => row.getBoundingClientRect().top > edge + 50);\
                row.querySelector('.row-line').click();\
                for (let count = 0; count < 6; count += 1) await frame();\
                return { id: row.dataset.messageId, top: row.getBoundingClientRect().top };";
    let far = if calls > 1 { 250 } else { 180 };
    page.async_script(&read.replace("FAR", &far.to_string())).await
}

async fn told_reload(size: Size, calls: usize) {
    story("long-reloaded", size, async |stage| {
        let page = stage.page();
        let read = read_far_up(stage, &page, calls).await;
        page.reload().await;
        let there = "const row = [...document.querySelectorAll('[role=log] [data-message-id]')]\
                       .find((row) => row.dataset.messageId === arguments[0].id);\
                     return !!row && Math.abs(row.getBoundingClientRect().top - arguments[0].top) <= 2\
                       && row.querySelector('.row-line').ariaExpanded === 'true' && !!row.querySelector('.tool-details')";
        page.until_script("the same place", there, vec![read]).await;
        // Who is at the end stays there.
        page.press_starting("Jump to latest").await;
        until_in_view(&page, "Message 299.").await;
        page.reload().await;
        until_in_view(&page, "Message 299.").await;
    })
    .await;
}

/// Does something while the place where one was reading is not there yet, and looks whether one is left there.
async fn go_on_meanwhile(name: &str, act: impl AsyncFnOnce(&Page)) {
    story(name, Size::Wide, async |stage| {
        let page = stage.page();
        read_far_up(stage, &page, 1).await;
        // What is asked for of the older messages is held back until it is let go.
        let hold = "const send = WebSocket.prototype.send; window.held = [];\
                    WebSocket.prototype.send = function (data) {\
                      const ask = () => send.call(this, data);\
                      if (window.held && String(data).includes('get_messages')) window.held.push(ask); else ask();\
                    }";
        page.add_init_script(hold).await;
        page.reload().await;
        page.until("older messages to be asked for", "return window.held?.length > 0").await;
        until_in_view(&page, "Message 299.").await;
        act(&page).await;
        let stand = "const log = document.querySelector('[role=log]');\
                     for (let count = 0; count < 10; count += 1) await new Promise((done) => requestAnimationFrame(done));\
                     const row = [...log.querySelectorAll('[data-message-id]')].at(-1);\
                     return { top: row.getBoundingClientRect().top, height: log.scrollHeight }";
        let before = page.async_script(stand).await;
        page.script("const held = window.held; window.held = null; held.forEach((ask) => ask())", vec![]).await;
        let more = "return document.querySelector('[role=log]').scrollHeight > arguments[0].height + 1000";
        page.until_script("older messages", more, vec![before.clone()]).await;
        let still = "for (let count = 0; count < 20; count += 1) await new Promise((done) => requestAnimationFrame(done));\
                     return [...document.querySelectorAll('[data-message-id]')].at(-1).getBoundingClientRect().top";
        let top = page.async_script(still).await.as_f64().unwrap();
        assert!((top - before["top"].as_f64().unwrap()).abs() <= 2.0, "{top} and {before}");
    })
    .await;
}

#[tokio::test]
async fn before_my_old_place_is_there_i_go_on_and_am_left_where_i_am() {
    go_on_meanwhile("long-gone-on", async |page| {
        page.script("document.querySelector('[role=log]').scrollTop -= 300", vec![]).await;
    })
    .await;
}

#[tokio::test]
async fn before_my_old_place_is_there_i_write_and_am_left_where_i_am() {
    go_on_meanwhile("long-written-on", async |page| page.write("And now").await).await;
}

#[tokio::test]
async fn i_come_back_to_my_place_though_the_page_had_let_go_of_the_session() {
    story("long-evicted", Size::Wide, async |stage| {
        long_session(stage, 600);
        let cwd = stage.project.path().to_string_lossy().into_owned();
        let others = (2..=10).map(|number| {
            let mut file = SessionFile::numbered(number, &cwd);
            file.user(&format!("Something else, {number}"));
            stage.add_session(file)
        });
        let others: Vec<String> = others.collect();
        let page = stage.page();
        open(stage, &page).await;
        until_in_view(&page, "Message 599.").await;
        let read = "const log = document.querySelector('[role=log]');\
             const edge = log.getBoundingClientRect().top;\
             const frame = () => new Promise((done) => requestAnimationFrame(done));\
             const first = () => [...log.querySelectorAll('[data-message-id]')].find((row) => row.getBoundingClientRect().bottom > edge);\
             const number = () => Number(first().textContent.match(/Message ([0-9]+)/)[1]);\
             while (number() >= 470) { log.scrollTop -= 900; await frame(); await frame(); await frame(); }\
             for (let count = 0; count < 20; count += 1) await frame();\
             return { id: first().dataset.messageId, number: number(), top: first().getBoundingClientRect().top };";
        let read = page.async_script(read).await;
        assert!(read["number"].as_u64().unwrap() < 480, "{read}: farther away than what comes with a session");
        for id in others {
            page.click(&format!("nav [data-session-id='{id}']")).await;
            page.until("it", &format!("return !!document.querySelector('main[data-session-id=\"{id}\"] [data-kind=user]')")).await;
        }
        page.click(&row_of_session()).await;
        let there = "const row = [...document.querySelectorAll('[role=log] [data-message-id]')]\
                       .find((row) => row.dataset.messageId === arguments[0].id);\
                     return !!row && Math.abs(row.getBoundingClientRect().top - arguments[0].top) <= 2";
        page.until_script("the same place", there, vec![read]).await;
    })
    .await;
}

#[tokio::test]
async fn a_row_above_that_grows_leaves_what_i_read_in_its_place() {
    story("long-grow", Size::Wide, async |stage| {
        long_session(stage, 300);
        let page = stage.page();
        open(stage, &page).await;
        until_in_view(&page, "Message 299.").await;
        let moved: Value = page
            .async_script(
                "const log = document.querySelector('[role=log]');\
                 const frame = () => new Promise((done) => requestAnimationFrame(done));\
                 for (let step = 0; step < 3; step += 1) { log.scrollTop -= 500; await frame(); await frame(); }\
                 const rows = [...log.querySelectorAll('[data-message-id]')];\
                 const edge = log.getBoundingClientRect().top;\
                 const index = rows.findIndex((row) => row.getBoundingClientRect().bottom > edge);\
                 const top = rows[index].getBoundingClientRect().top;\
                 rows[index - 2].style.paddingBottom = '333px';\
                 await frame(); await frame();\
                 return Math.abs(rows[index].getBoundingClientRect().top - top);",
            )
            .await;
        assert!(moved.as_f64().unwrap() <= 1.0, "{moved}");
    })
    .await;
}

#[tokio::test]
async fn what_i_have_selected_stays_when_i_scroll_far_away() {
    story("long-selected", Size::Wide, async |stage| {
        long_session(stage, 600);
        let page = stage.page();
        open(stage, &page).await;
        until_in_view(&page, "Message 599.").await;
        let kept = page
            .async_script(
                "const log = document.querySelector('[role=log]');\
                 const frames = async (count) => { for (; count > 0; count -= 1) await new Promise((done) => requestAnimationFrame(done)); };\
                 for (let step = 0; step < 12; step += 1) { log.scrollTop -= 700; await frames(6); }\
                 const edge = log.getBoundingClientRect().top;\
                 const visible = [...log.querySelectorAll('[data-message-id]')].filter((row) => row.getBoundingClientRect().top > edge);\
                 const [row, other] = [visible[0], visible[0].closest('[data-chunk]')];\
                 document.activeElement.blur();\
                 getSelection().selectAllChildren(row);\
                 const words = getSelection().toString();\
                 log.scrollTop = log.scrollHeight; await frames(30);\
                 const stays = row.isConnected && getSelection().toString() === words && words.length > 0;\
                 return { stays, away: other.getBoundingClientRect().bottom < -1000 };",
            )
            .await;
        assert_eq!(kept, json!({"stays": true, "away": true}));
    })
    .await;
}
