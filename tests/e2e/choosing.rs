//! Models, thinking levels and commands, as the agent offers them.

use serde_json::json;

use pilothouse_test_support::browser::Size;

use crate::stage::story;

#[tokio::test]
async fn i_choose_how_hard_it_thinks_and_another_tab_sees_it() {
    story("thinking-level", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("Hello").await;
        page.until("the levels", "return document.querySelectorAll('select[title^=Thinking] option').length > 1").await;
        let choose = "const select = document.querySelector('select[title^=Thinking]');\
                      const other = [...select.options].map((option) => option.value).find((value) => value !== select.value);\
                      select.value = other; select.dispatchEvent(new Event('change')); return other";
        let address = page.driver.current_url().await.unwrap().to_string();
        let tabs = page.open_tab().await;
        page.enter(&address).await;
        page.until("the levels", "return document.querySelectorAll('select[title^=Thinking] option').length > 1").await;
        page.switch_to_tab(&tabs.first).await;
        let chosen = page.script(choose, vec![]).await;
        let shown = "return document.querySelector('select[title^=Thinking]')?.value === arguments[0]";
        page.switch_to_tab(&tabs.second).await;
        page.until_script("the level in the other tab", shown, vec![json!(chosen)]).await;
        page.reload().await;
        page.until_script("the level", shown, vec![json!(chosen)]).await;
    })
    .await;
}

#[tokio::test]
async fn i_choose_another_model() {
    story("model", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("Hello").await;
        page.press("Model").await;
        page.until("the models", "return document.querySelectorAll('#models [role=option]').length > 1").await;
        let other = "const other = document.querySelector('#models [role=option]:not([aria-current])');\
                     const name = other.querySelector('.choice-option-name').textContent; other.click(); return name";
        let name = page.script(other, vec![]).await;
        let shown = "return document.querySelector('.title-model')?.textContent === arguments[0]";
        page.until_script("its name", shown, vec![name.clone()]).await;
        page.reload().await;
        page.until_script("its name again", shown, vec![name]).await;
    })
    .await;
}

#[tokio::test]
async fn a_slash_shows_the_commands_and_i_pick_one_by_the_keyboard() {
    story("slash", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.write("/to").await;
        page.until("the commands", "return document.querySelectorAll('#commands [role=option]').length > 0").await;
        let name = page.script("return document.querySelector('#commands [aria-selected=true] .choice-option-name').textContent", vec![]).await;
        page.write(thirtyfour::Key::Tab + "").await;
        let name = format!("{} ", name.as_str().unwrap());
        assert_eq!(page.draft().await, name);
    })
    .await;
}

#[tokio::test]
async fn i_let_it_ask_first_and_choose_by_a_number() {
    story("mode", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("Hello").await;
        page.until("the modes", "return document.querySelectorAll('select[title=Mode] option').length > 1")
            .await;
        page.script(
            "const select = document.querySelector('select[title=Mode]');\
             select.value = 'ask'; select.dispatchEvent(new Event('change'))",
            vec![],
        )
        .await;
        page.reload().await;
        page.until("the mode", "return document.querySelector('select[title=Mode]')?.value === 'ask'").await;
        page.send("/run echo allowed").await;
        page.until_state("waiting_approval").await;
        page.press_keys(thirtyfour::Key::Alt + "1").await;
        page.until_text("The command has ended.").await;
    })
    .await;
}
