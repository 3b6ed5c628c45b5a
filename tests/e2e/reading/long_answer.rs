//! Long answers: only blocks near the view are built, and the reader does not notice.

use serde_json::{Value, json};
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{COMPOSER, JavaScript, Page, Size};

use crate::fixture::{Fixture, story};
use crate::reading::long_conversation::{open, row_of_session, stored_session};

const JS: JavaScript = js!("reading/long_answer");
const FIND: JavaScript = js!("reading/find");

/// Paragraphs of one word and a number.
fn short_paragraphs(count: usize) -> String {
    (0..count).map(|number| format!("Paragraph {number}.\n\n")).collect()
}

/// Stores a session with an answer of 400 paragraphs, far more than are ever built at once, and opens it.
async fn open_long_answer(fixture: &Fixture, page: &Page) {
    let paragraph = |number: usize| {
        format!("Paragraph {number}. {}\n\n", "It is said at some length. ".repeat(1 + number * 7 % 23))
    };
    stored_session(fixture, ["Tell me everything".to_owned(), (0..400).map(paragraph).collect()]);
    open(fixture, page).await;
    page.until_text("Paragraph 399.").await;
}

#[tokio::test]
async fn in_a_long_answer_i_return_to_the_paragraph_i_was_reading() {
    story("long-answer-back", Size::Wide, async |fixture| {
        let page = fixture.page();
        open_long_answer(fixture, &page).await;
        let place = page.call(JS, "scrollUp", json!([14])).await;
        page.open_new_session_form().await;
        page.click(&row_of_session()).await;
        page.until_call(&format!("the paragraph at {place}"), JS, "isParagraphAt", json!([place])).await;
    })
    .await;
}

#[tokio::test]
async fn when_my_old_place_is_the_end_now_the_view_follows_the_end() {
    story("long-answer-taller", Size::Wide, async |fixture| {
        let page = fixture.page();
        open_long_answer(fixture, &page).await;
        page.call(JS, "scrollBy", json!([-60])).await;
        page.until_present("button.jump").await;
        page.open_new_session_form().await;
        page.emulate_window(1280, 1200, 1).await;
        page.click(&row_of_session()).await;
        page.until_text("Paragraph 399.").await;
        page.until_call("the end of the conversation", JS, "isAtEnd", json!([])).await;
        page.until_absent("button.jump").await;
    })
    .await;
}

#[tokio::test]
async fn nothing_moves_while_i_read_a_long_answer_upwards() {
    story("long-answer-up", Size::Wide, async |fixture| {
        let page = fixture.page();
        open_long_answer(fixture, &page).await;
        let read = page.call(JS, "watchScrollingUp", json!([])).await;
        assert!(read["moved"].as_f64().unwrap() <= 1.0, "{read}");
        assert!(read["most"].as_u64().unwrap() < 150, "too many paragraphs were built: {read}");
        assert_eq!(read["isEndDropped"], true, "{read}");
    })
    .await;
}

#[tokio::test]
async fn nothing_moves_when_i_scroll_up_in_the_moment_in_which_blocks_are_built() {
    story("long-answer-moment", Size::Wide, async |fixture| {
        let page = fixture.page();
        open_long_answer(fixture, &page).await;
        let read = page.call(JS, "scrollWhileBuilding", json!([])).await;
        assert!(read["grown"].as_f64().unwrap() > 100.0, "the estimated heights were exact: {read}");
        assert!(read["moved"].as_f64().unwrap() <= 1.0, "{read}");
    })
    .await;
}

#[tokio::test]
async fn i_stay_where_i_scroll_in_the_moment_in_which_i_copy() {
    story("long-answer-copy-and-go", Size::Wide, async |fixture| {
        let page = fixture.page();
        open_long_answer(fixture, &page).await;
        let position = page.call(JS, "scrollAfterCopying", json!([])).await;
        page.until_present("button.jump").await;
        assert_eq!(page.call(JS, "position", json!([])).await, position);
    })
    .await;
}

/// Copies the selection and pastes it into the composer. The text must contain these paragraphs.
async fn until_copied(page: &Page, paragraphs: [u32; 5]) {
    page.press_keys(Key::Control + "c").await;
    page.click(COMPOSER).await;
    page.press_keys(Key::Control + "v").await;
    page.until_call("the paragraphs in the composer", JS, "isPasted", json!([paragraphs])).await;
}

#[tokio::test]
async fn i_copy_a_selection_with_paragraphs_that_are_not_built() {
    story("long-copied", Size::Wide, async |fixture| {
        let page = fixture.page();
        open_long_answer(fixture, &page).await;
        let selected: String = page.call_as(JS, "selectParagraphs", json!([])).await;
        assert!(!selected.contains("Paragraph 200."), "a paragraph far from the view is built");
        until_copied(&page, [0, 100, 200, 300, 399]).await;
    })
    .await;
}

#[tokio::test]
async fn i_copy_everything_with_long_answers_far_above() {
    story("long-copied-all", Size::Wide, async |fixture| {
        let later = (0..70).map(|number| format!("Message {number}."));
        let texts = ["Tell me everything".to_owned(), short_paragraphs(120)];
        stored_session(fixture, texts.into_iter().chain(later));
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_row_in_view("Message 69.").await;
        page.call(JS, "selectEverything", json!([])).await;
        until_copied(&page, [0, 30, 60, 90, 119]).await;
    })
    .await;
}

#[tokio::test]
async fn text_at_the_end_of_a_long_answer_is_found_without_scrolling_away() {
    story("long-found-end", Size::Wide, async |fixture| {
        let answer = format!("{}A lamp at the very end.", short_paragraphs(120));
        stored_session(fixture, ["Tell me everything".to_owned(), answer]);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_text("A lamp at the very end").await;
        page.write(Key::Control + "f").await;
        page.fill("[name=find]", "lamp at the").await;
        page.until_call("the found text in view", FIND, "isFoundInView", json!([])).await;
    })
    .await;
}

/// Opens the session and returns at how many of twenty heights of the view the first frame showed no text.
async fn blank_heights(page: &Page) -> Value {
    page.call(JS, "watchFirstFrame", json!([])).await;
    page.click(&row_of_session()).await;
    page.call(JS, "blankHeights", json!([])).await
}

#[tokio::test]
async fn the_first_frame_of_a_long_answer_is_complete_wherever_i_was_reading() {
    story("long-first-frame", Size::Wide, async |fixture| {
        // Short paragraphs in a tall window: it takes many to fill the view.
        fixture.browser.driver.set_window_rect(0, 0, 1280, 2_400).await.unwrap();
        stored_session(fixture, ["Tell me everything".to_owned(), short_paragraphs(400)]);
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        let at_end = blank_heights(&page).await;
        // The buttons below the answer are not text.
        assert!(at_end.as_u64().unwrap() <= 2, "{at_end} of 20 heights are blank at the end");
        page.call(JS, "scrollUp", json!([6])).await;
        page.open_new_session_form().await;
        page.until_absent("[role=log]").await;
        assert_eq!(blank_heights(&page).await, 0, "blank heights at the old place");
    })
    .await;
}

#[tokio::test]
async fn escape_leaves_no_highlight_when_the_hit_was_about_to_be_shown() {
    story("long-escape", Size::Wide, async |fixture| {
        let answer = format!("A lamp at the start.\n\n{}", short_paragraphs(300));
        stored_session(fixture, ["Tell me everything".to_owned(), answer]);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_text("Paragraph 299.").await;
        for _ in 0..3 {
            page.write(Key::Control + "f").await;
            page.until_present("[name=find]").await;
            assert_eq!(page.call(FIND, "escapeOnFirstHit", json!(["lamp at the"])).await, false);
        }
    })
    .await;
}

#[tokio::test]
async fn the_search_steps_through_every_place_in_every_message() {
    story("found-places", Size::Wide, async |fixture| {
        let filler = "It is said at some length. ".repeat(120);
        let answer = format!(
            "A **red** lantern.\n\n{filler}\n\nThe red\nlantern again.\n\n{filler}\n\n\
             And [a red lantern](https://example.org/lamp)."
        );
        stored_session(fixture, ["Where is the red lantern?".to_owned(), answer]);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_text("Where is the red lantern?").await;
        page.write(Key::Control + "f").await;
        page.fill("[name=find]", "red lantern").await;
        let until_at = async |(position, row): (&str, &str)| {
            page.until_call(position, FIND, "isCurrentPlace", json!([position, row])).await;
        };
        let steps = [
            ("2 of 2, match 3 of 3", "And a red"),
            ("2 of 2, match 2 of 3", "And a red"),
            ("2 of 2, match 1 of 3", "And a red"),
            ("1 of 2", "Where is"),
        ];
        for step in steps {
            until_at(step).await;
            page.press_keys(Key::Enter + "").await;
        }
        until_at(steps[0]).await;
        page.press_keys(Key::Shift + Key::Enter).await;
        until_at(steps[3]).await;
        page.press_keys(Key::Shift + Key::Enter).await;
        until_at(steps[2]).await;
        // The address of a link is not shown, so it is not found.
        page.fill("[name=find]", "example.org").await;
        page.until_text_of(".find-words", "No results").await;
        page.screenshot("found-places").await;
    })
    .await;
}
