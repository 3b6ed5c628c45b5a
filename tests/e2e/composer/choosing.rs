//! Models, thinking levels, modes and commands, as the agent offers them.

use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::Size;

use crate::fixture::story;

const LEVELS: &str = "select[title^=Thinking]";
const MODES: &str = "select[title=Mode]";

#[tokio::test]
async fn i_choose_a_thinking_level_and_another_tab_shows_it() {
    story("thinking-level", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        page.run("Hello").await;
        page.until_at_least(&format!("{LEVELS} option"), 2).await;
        let tabs = page.open_tab().await;
        page.enter(&fixture.session_address(&session)).await;
        page.until_at_least(&format!("{LEVELS} option"), 2).await;
        page.switch_to_tab(&tabs.first).await;
        let level = page.attribute(&format!("{LEVELS} option:not(:checked)"), "value").await;
        page.choose_option(LEVELS, &level).await;
        page.switch_to_tab(&tabs.second).await;
        page.until_value(LEVELS, &level).await;
        page.reload().await;
        page.until_value(LEVELS, &level).await;
    })
    .await;
}

#[tokio::test]
async fn i_choose_another_model() {
    story("model", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("Hello").await;
        page.press("Model").await;
        page.until_at_least("#models [role=option]", 2).await;
        let other = "#models [role=option]:not([aria-current])";
        let name = page.text_of(&format!("{other} .choice-option-name")).await;
        page.click(other).await;
        page.until_text_of(".title-model", &name).await;
        page.reload().await;
        page.until_text_of(".title-model", &name).await;
    })
    .await;
}

#[tokio::test]
async fn a_slash_lists_the_commands_and_i_pick_one_with_the_keyboard() {
    story("slash", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.write("/to").await;
        page.until_present("#commands [role=option]").await;
        let name = page.text_of("#commands [aria-selected=true] .choice-option-name").await;
        page.write(Key::Tab + "").await;
        page.until_draft(&format!("{name} ")).await;
    })
    .await;
}

#[tokio::test]
async fn i_let_the_agent_ask_first_and_answer_by_a_number() {
    story("mode", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("Hello").await;
        page.until_at_least(&format!("{MODES} option"), 2).await;
        page.choose_option(MODES, "ask").await;
        page.reload().await;
        page.until_value(MODES, "ask").await;
        page.send("/run echo allowed").await;
        page.until_state("waiting_approval").await;
        page.press_keys(Key::Alt + "1").await;
        page.until_text("The command has ended.").await;
    })
    .await;
}
