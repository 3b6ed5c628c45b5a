//! Decorations of pi's extensions.

use super::questions::until_notice;
use crate::model::reply::says;
use crate::pi::fixture::{in_both_sizes, story};

#[tokio::test]
async fn i_see_the_decorations_of_an_extension_until_it_removes_them() {
    story("decorated", async |fixture, pi, page| {
        pi.model.will([says("Here.")]);
        page.run("Are you there?").await;
        page.send("/decorate").await;
        until_notice(page, "decorated").await;
        let until_decorated = async || {
            page.until_text_of("[data-status=harbour]", "Tide rising").await;
            page.until_text_of("[data-widget=harbour]", "Berth 1: free\nBerth 2: taken").await;
            page.until_title("the title of the extension", |title| title.contains("pi in the harbour")).await;
            page.until_draft("Text from the extension").await;
        };
        until_decorated().await;
        in_both_sizes(page, "pi-decorated").await;
        page.reload().await;
        until_decorated().await;
        page.write(thirtyfour::Key::Control + "a").await;
        page.send("/undecorate").await;
        until_notice(page, "undecorated").await;
        page.until_absent("[data-status], [data-widget]").await;
        let rows = page.rows().await;
        assert_eq!(rows.len(), 2, "{rows:?}: a command of an extension was sent to the model");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn text_of_an_extension_does_not_replace_my_draft() {
    story("offered", async |_stage, _pi, page| {
        let session = page.session().await;
        let address = page.address().await;
        let tabs = page.open_tab().await;
        page.visit(&address).await;
        page.until_connected().await;
        page.until_present("textarea[name=prompt]").await;
        assert_eq!(page.session().await, session);
        page.write("half a thought").await;
        page.switch_to_tab(&tabs.first).await;
        page.bring_to_front().await;
        page.send("/decorate").await;
        until_notice(page, "decorated").await;
        page.switch_to_tab(&tabs.second).await;
        page.bring_to_front().await;
        page.until_text_in(".offer", "Text from the extension").await;
        assert_eq!(page.draft().await, "half a thought");
        page.press("Use").await;
        page.until_draft("Text from the extension").await;
    })
    .await;
}
