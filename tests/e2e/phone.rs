//! The same on a phone.

use crate::browser::Size;
use crate::stage::story;

#[tokio::test]
async fn on_my_phone_i_open_the_drawer_pick_a_session_and_write() {
    story("phone", Size::Phone, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        // Enter breaks the line on a touch screen; the button sends.
        page.send("First line").await;
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
