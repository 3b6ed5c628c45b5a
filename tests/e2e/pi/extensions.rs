//! What pi's extensions show beside the conversation.

use super::questions::until_notice;
use super::reply::says;
use super::stage::{in_both_sizes, story};

#[tokio::test]
async fn i_see_what_an_extension_shows_until_it_takes_it_away() {
    story("decorated", async |stage, pi, page| {
        pi.model.will([says("Here.")]);
        page.run("Are you there?").await;
        page.send("/decorate").await;
        until_notice(page, "decorated").await;
        let shown = "return document.querySelector('[data-status=harbour]')?.textContent === 'Tide rising' &&\
                     document.querySelector('[data-widget=harbour]')?.textContent === 'Berth 1: free\\nBerth 2: taken' &&\
                     document.title.includes('pi in the harbour') &&\
                     document.querySelector('textarea[name=prompt]').value === 'Text from the extension'";
        page.until("all of it", shown).await;
        in_both_sizes(page, "pi-decorated").await;
        page.reload().await;
        page.until("all of it again", shown).await;
        page.write(thirtyfour::Key::Control + "a").await;
        page.send("/undecorate").await;
        until_notice(page, "undecorated").await;
        page.until("nothing", "return !document.querySelector('[data-status], [data-widget]')").await;
        let rows = page.rows().await;
        assert_eq!(rows.len(), 2, "{rows:?}: commands of extensions are not said to the model");
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn a_text_of_an_extensions_does_not_replace_what_i_am_writing() {
    story("offered", async |_stage, _pi, page| {
        let session = page.attribute("main[data-session-id]", "data-session-id").await;
        let address = page.driver.current_url().await.unwrap();
        let tabs = page.open_tab().await;
        page.visit(address.as_str()).await;
        page.until_connected().await;
        page.until("the composer", "return !!document.querySelector('textarea[name=prompt]')").await;
        assert_eq!(page.attribute("main[data-session-id]", "data-session-id").await, session);
        page.write("half a thought").await;
        page.switch_to_tab(&tabs.first).await;
        page.bring_to_front().await;
        page.send("/decorate").await;
        until_notice(page, "decorated").await;
        page.switch_to_tab(&tabs.second).await;
        page.bring_to_front().await;
        page.until(
            "the offer",
            "return document.querySelector('.offer')?.textContent.includes('Text from the extension')",
        )
        .await;
        assert_eq!(page.draft().await, "half a thought");
        page.press("Use it").await;
        page.until(
            "it",
            "return document.querySelector('textarea[name=prompt]').value === 'Text from the extension'",
        )
        .await;
    })
    .await;
}
