//! Answers that are long: only what is near the view is built of them, and nobody can tell.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};

use crate::long::{open, row_of_session, stored_session, until_in_view};
use crate::stage::{Stage, story};

/// A session in which the agent's last answer has so many paragraphs, far more than are ever built at once.
fn long_answer(stage: &Stage, paragraphs: usize) {
    let paragraph = |number: usize| {
        format!("Paragraph {number}. {}\n\n", "It is said at some length. ".repeat(1 + number * 7 % 23))
    };
    stored_session(stage, ["Tell me everything".to_owned(), (0..paragraphs).map(paragraph).collect()]);
}

/// What can be seen first of the answer, in scripts; and where a block stands in the next frame that is painted, which
/// is not where it stands when a script looks before that: what is built is made up for last.
const FIRST_BLOCK: &str = "const log = document.querySelector('[role=log]');\
     const frame = () => new Promise((done) => requestAnimationFrame(done));\
     const edge = log.getBoundingClientRect().top;\
     const first = () => [...log.querySelectorAll('.markdown p')].find((p) => p.getBoundingClientRect().bottom > edge);\
     const painted = (block) => new Promise((done) => {\
       const watch = new IntersectionObserver(([seen]) => { watch.disconnect(); done(seen.boundingClientRect.top); });\
       watch.observe(block);\
     });\
     const up = async (steps) => {\
       for (let step = 0; step < steps; step += 1) {\
         log.scrollTop -= 600;\
         for (let count = 0; count < 8; count += 1) await frame();\
       }\
     };";

#[tokio::test]
async fn in_a_long_answer_i_come_back_to_the_paragraph_where_i_was_reading() {
    story("long-answer-back", Size::Wide, async |stage| {
        long_answer(stage, 400);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("Paragraph 399.").await;
        let read = format!(
            "{FIRST_BLOCK} await up(14);\
             return {{ words: first().textContent.slice(0, 16), top: first().getBoundingClientRect().top }};"
        );
        let read = page.async_script(&read).await;
        page.open_new_session_form().await;
        page.click(&row_of_session()).await;
        let there = "const p = [...document.querySelectorAll('[role=log] .markdown p')]\
                       .find((p) => p.textContent.startsWith(arguments[0].words));\
                     return !!p && Math.abs(p.getBoundingClientRect().top - arguments[0].top) <= 2";
        page.until_script("the same paragraph", there, vec![read]).await;
    })
    .await;
}

#[tokio::test]
async fn where_there_is_nothing_left_below_my_old_place_i_follow_the_end() {
    story("long-answer-taller", Size::Wide, async |stage| {
        long_answer(stage, 400);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("Paragraph 399.").await;
        page.script("document.querySelector('[role=log]').scrollTop -= 60", vec![]).await;
        page.until("the way back to the end", "return !!document.querySelector('button.jump')").await;
        page.open_new_session_form().await;
        let taller = json!({"width": 1280, "height": 1200, "deviceScaleFactor": 1, "mobile": false});
        page.cdp("Emulation.setDeviceMetricsOverride", taller).await;
        page.click(&row_of_session()).await;
        let follows = "const log = document.querySelector('[role=log]');\
                       return !!log && log.scrollHeight - log.clientHeight - log.scrollTop <= 2\
                         && log.textContent.includes('Paragraph 399.') && !document.querySelector('button.jump')";
        page.until("the end, and no way to it", follows).await;
    })
    .await;
}

#[tokio::test]
async fn nothing_moves_under_my_eyes_while_i_read_a_long_answer_upwards() {
    story("long-answer-up", Size::Wide, async |stage| {
        long_answer(stage, 400);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("Paragraph 399.").await;
        // After each step what is read stays in its place, while what is above is built and what is below is let go.
        let read = format!(
            "{FIRST_BLOCK} let worst = 0; let most = 0;\
             for (let step = 0; step < 40; step += 1) {{\
               log.scrollTop -= 450;\
               const block = first(); const top = block.getBoundingClientRect().top;\
               for (let count = 0; count < 6; count += 1) {{\
                 worst = Math.max(worst, Math.abs(await painted(block) - top));\
               }}\
               most = Math.max(most, log.querySelectorAll('.markdown p').length);\
             }}\
             return {{ worst, most, far: !log.textContent.includes('Paragraph 399.') }};"
        );
        let read = page.async_script(&read).await;
        assert!(read["worst"].as_f64().unwrap() <= 1.0, "{read}");
        assert!(read["most"].as_u64().unwrap() < 150, "{read}");
        assert_eq!(read["far"], true, "{read}");
    })
    .await;
}

#[tokio::test]
async fn nothing_moves_when_i_go_up_in_the_moment_in_which_more_is_built() {
    story("long-answer-moment", Size::Wide, async |stage| {
        long_answer(stage, 400);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("Paragraph 399.").await;
        // All of the answer is built at once for the copy, far more than the reader goes up, and before the browser
        // has told of that.
        let read = format!(
            "{FIRST_BLOCK} const last = [...log.querySelectorAll('.markdown p')].at(-1);\
             for (let before = 0; before !== last.getBoundingClientRect().top;) {{\
               before = last.getBoundingClientRect().top;\
               for (let count = 0; count < 6; count += 1) await frame();\
             }}\
             const height = log.scrollHeight;\
             document.activeElement.blur();\
             getSelection().selectAllChildren(last.closest('.markdown'));\
             log.scrollTop -= 60;\
             const block = first(); const top = block.getBoundingClientRect().top;\
             window.dispatchEvent(new Event('copy'));\
             const moved = Math.max(Math.abs(await painted(block) - top), Math.abs(await painted(block) - top));\
             return {{ moved, grown: Math.abs(log.scrollHeight - height) }};"
        );
        let read = page.async_script(&read).await;
        assert!(read["grown"].as_f64().unwrap() > 100.0, "what is guessed is not what is built: {read}");
        assert!(read["moved"].as_f64().unwrap() <= 1.0, "{read}");
    })
    .await;
}

#[tokio::test]
async fn i_am_left_where_i_go_in_the_moment_in_which_i_copy() {
    story("long-answer-copy-and-go", Size::Wide, async |stage| {
        long_answer(stage, 400);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("Paragraph 399.").await;
        // What is selected stands there already, so that nothing changes its size.
        let go = format!(
            "{FIRST_BLOCK} const last = [...log.querySelectorAll('.markdown p')].at(-1);\
             for (let count = 0; count < 12; count += 1) await frame();\
             document.activeElement.blur();\
             getSelection().selectAllChildren(last);\
             window.dispatchEvent(new Event('copy'));\
             log.scrollTop -= 60;\
             return log.scrollTop;"
        );
        let place = page.async_script(&go).await;
        page.until("the way back to the end", "return !!document.querySelector('button.jump')").await;
        let stays = "return document.querySelector('[role=log]').scrollTop === arguments[0]";
        assert_eq!(page.script(stays, vec![place]).await, json!(true));
    })
    .await;
}

/// Copies what is selected and pastes it where one writes: these paragraphs are in it.
async fn until_copied(page: &Page, paragraphs: [u32; 5]) {
    page.press_keys(Key::Control + "c").await;
    page.click("textarea[name=prompt]").await;
    page.press_keys(Key::Control + "v").await;
    let copied = "const words = document.querySelector('textarea[name=prompt]').value;\
                  return arguments[0].every((number) => words.includes(`Paragraph ${number}.`))";
    page.until_script("all of it", copied, vec![json!(paragraphs)]).await;
}

#[tokio::test]
async fn all_that_i_have_selected_is_copied_also_what_is_far_away() {
    story("long-copied", Size::Wide, async |stage| {
        long_answer(stage, 400);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("Paragraph 399.").await;
        let selected = page
            .script(
                "const all = document.querySelectorAll('[role=log] .markdown p');\
                 document.querySelector('[role=log]').focus();\
                 getSelection().setBaseAndExtent(all[0], 0, all[all.length - 1], 1);\
                 return getSelection().toString().includes('Paragraph 200.')",
                vec![],
            )
            .await;
        assert_eq!(selected, false, "only what is near the view is built");
        until_copied(&page, [0, 100, 200, 300, 399]).await;
    })
    .await;
}

#[tokio::test]
async fn everything_that_stands_here_is_copied_also_long_answers_far_above() {
    story("long-copied-all", Size::Wide, async |stage| {
        let long: String = (0..120).map(|number| format!("Paragraph {number}.\n\n")).collect();
        let later = (0..70).map(|number| format!("Message {number}."));
        stored_session(stage, ["Tell me everything".to_owned(), long].into_iter().chain(later));
        let page = stage.page();
        open(stage, &page).await;
        until_in_view(&page, "Message 69.").await;
        page.script(
            "document.querySelector('[role=log]').focus(); getSelection().selectAllChildren(document.body)",
            vec![],
        )
        .await;
        until_copied(&page, [0, 30, 60, 90, 119]).await;
    })
    .await;
}

#[tokio::test]
async fn words_at_the_end_of_a_long_answer_are_found_where_i_am() {
    story("long-found-end", Size::Wide, async |stage| {
        let long: String = (0..120).map(|number| format!("Paragraph {number}.\n\n")).collect();
        stored_session(stage, ["Tell me everything".to_owned(), format!("{long}A lamp at the very end.")]);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("A lamp at the very end").await;
        page.write(Key::Control + "f").await;
        page.fill("[name=find]", "lamp at the").await;
        let seen = "const [range] = CSS.highlights.get('found') ?? []; const box = range?.getBoundingClientRect();\
                    const view = document.querySelector('[role=log]').getBoundingClientRect();\
                    return !!box && box.height > 0 && box.top >= view.top && box.bottom <= view.bottom";
        page.until("the words in view", seen).await;
    })
    .await;
}

/// Goes to the session and tells, of the first frame that shows something of it, at how many of twenty heights of the
/// view nothing stands that was said.
const BLANK_AT_FIRST: &str = "document.querySelector(arguments[0]).click();\
     const painted = () => new Promise((done) => requestAnimationFrame(() => {\
       const { port1, port2 } = new MessageChannel(); port1.onmessage = done; port2.postMessage(null); }));\
     while (!document.querySelector('[role=log] .markdown p')) await painted();\
     const view = document.querySelector('[role=log]').getBoundingClientRect();\
     const said = [...document.querySelectorAll('[role=log] .markdown p')].map((p) => p.getBoundingClientRect());\
     return Array.from({ length: 20 }, (_, part) => view.top + 8 + (view.height - 16) * part / 20)\
       .filter((height) => !said.some((box) => box.top - 24 <= height && box.bottom + 24 >= height)).length;";

#[tokio::test]
async fn a_long_answer_is_there_with_its_first_frame_wherever_i_was_reading() {
    story("long-first-frame", Size::Wide, async |stage| {
        // Short paragraphs in a high window: it takes many to fill the view.
        stage.browser.driver.set_window_rect(0, 0, 1280, 2_400).await.unwrap();
        let short: String = (0..400).map(|number| format!("Paragraph {number}.\n\n")).collect();
        stored_session(stage, ["Tell me everything".to_owned(), short]);
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let row = row_of_session();
        page.until("its row", &format!("return !!document.querySelector(\"{row}\")")).await;
        let blank = BLANK_AT_FIRST.replace("arguments[0]", &format!("\"{row}\""));
        let at_end = page.async_script(&blank).await;
        // What stands below the answer in its turn is not its text.
        assert!(at_end.as_u64().unwrap() <= 2, "{at_end} of 20 blank at the end");
        page.async_script(&format!("{FIRST_BLOCK} await up(6); return null")).await;
        page.open_new_session_form().await;
        page.until("another page", "return !document.querySelector('[role=log]')").await;
        assert_eq!(page.async_script(&blank).await, 0, "blank where I was reading");
    })
    .await;
}

#[tokio::test]
async fn escape_leaves_no_mark_though_the_words_were_just_about_to_be_shown() {
    story("long-escape", Size::Wide, async |stage| {
        let long: String = (0..300).map(|number| format!("Paragraph {number}.\n\n")).collect();
        stored_session(stage, ["Tell me everything".to_owned(), format!("A lamp at the start.\n\n{long}")]);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("Paragraph 299.").await;
        for _ in 0..3 {
            page.write(Key::Control + "f").await;
            // With the word that it was found, before anything is built for it.
            let script = "const field = document.querySelector('[name=find]');\
                 const words = document.querySelector('.find-words');\
                 const told = new Promise((done) => new MutationObserver((_, observer) => {\
                   if (!words.textContent.includes('1 of 1')) return;\
                   observer.disconnect();\
                   field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));\
                   done();\
                 }).observe(words, { subtree: true, childList: true, characterData: true }));\
                 field.value = 'lamp at the'; field.dispatchEvent(new Event('input', { bubbles: true }));\
                 await told;\
                 for (let count = 0; count < 20; count += 1) await new Promise((done) => requestAnimationFrame(done));\
                 return CSS.highlights.has('found') || !!document.querySelector('[data-marked], [name=find]')";
            assert_eq!(page.async_script(script).await, false);
        }
    })
    .await;
}

#[tokio::test]
async fn i_go_through_every_place_that_has_the_words_and_not_only_through_messages() {
    story("found-places", Size::Wide, async |stage| {
        let filler = "It is said at some length. ".repeat(120);
        let answer = format!("A **red** lantern.\n\n{filler}\n\nThe red\nlantern again.\n\n{filler}\n\nAnd [a red lantern](https://example.org/lamp).");
        stored_session(stage, ["Where is the red lantern?".to_owned(), answer]);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("Where is the red lantern?").await;
        page.write(Key::Control + "f").await;
        page.fill("[name=find]", "red lantern").await;
        let told = "const here = [...(CSS.highlights.get('here') ?? [])][0]; const box = here?.getBoundingClientRect();\
                    const view = document.querySelector('[role=log]').getBoundingClientRect();\
                    return document.querySelector('.find-words').textContent === arguments[0]\
                      && here.startContainer.parentElement.closest('[data-kind]').textContent.includes(arguments[1])\
                      && box.top >= view.top && box.bottom <= view.bottom";
        let steps = [
            ("2 of 2, place 3 of 3", "And a red"),
            ("2 of 2, place 2 of 3", "And a red"),
            ("2 of 2, place 1 of 3", "And a red"),
            ("1 of 2", "Where is"),
        ];
        for (words, row) in steps {
            page.until_script(words, told, vec![json!(words), json!(row)]).await;
            page.press_keys(Key::Enter + "").await;
        }
        page.until_script("round to the end", told, vec![json!(steps[0].0), json!(steps[0].1)]).await;
        page.press_keys(Key::Shift + Key::Enter).await;
        page.until_script("downwards", told, vec![json!("1 of 2"), json!("Where is")]).await;
        page.press_keys(Key::Shift + Key::Enter).await;
        page.until_script("from above", told, vec![json!(steps[2].0), json!(steps[2].1)]).await;
        page.fill("[name=find]", "example.org").await;
        page.until("nothing that is not shown", "return document.querySelector('.find-words').textContent === 'Nothing found'").await;
        page.screenshot("found-places").await;
    })
    .await;
}
