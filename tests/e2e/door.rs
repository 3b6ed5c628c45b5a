//! The door, from a browser's side.

use crate::browser::Size;
use crate::stage::story;

#[tokio::test]
async fn without_the_token_i_see_how_to_get_in_and_nothing_else() {
    story("no-token", Size::Wide, async |stage| {
        let page = stage.page();
        page.visit(&stage.server.origin()).await;
        page.until("the way in", "return document.body.innerText.includes('address')").await;
        assert_eq!(page.count("nav [data-session-id], [role=log]").await, 0);
        // A wrong token is refused, and leaves the address bar all the same.
        page.visit("about:blank").await;
        page.visit(&format!("{}/#token=wrong", stage.server.origin())).await;
        page.until("a clean address", "return location.hash === ''").await;
        page.until("the way in", "return document.body.innerText.includes('address')").await;
        page.visit("about:blank").await;
        page.enter(&stage.server.link).await;
    })
    .await;
}

#[tokio::test]
async fn a_page_of_another_site_can_change_nothing() {
    story("cross-site", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        let own = stage.server.origin();
        // Another server on this machine: another origin, the same site, so that cookies would travel.
        let other = crate::stage::story_server();
        page.visit(&format!("{}/none.txt", other.origin())).await;
        let tried = page
            .async_script(&format!(
                "const outcomes = [];\
                 const socket = new WebSocket('{}/api/socket');\
                 outcomes.push(await new Promise((done) => {{ socket.onopen = () => done('socket'); socket.onerror = () => done('refused'); }}));\
                 outcomes.push(await fetch('{own}/api/access', {{credentials: 'include'}}).then(() => 'read', () => 'refused'));\
                 outcomes.push(await fetch('{own}/api/access', {{method: 'POST', mode: 'no-cors', credentials: 'include', body: '{{}}'}}).then((answer) => answer.type, () => 'refused'));\
                 return outcomes",
                own.replace("http", "ws")
            ))
            .await;
        assert_eq!(tried[0], "refused", "{tried}");
        assert_eq!(tried[1], "refused", "{tried}");
        assert_ne!(tried[2], "basic", "{tried}");
    })
    .await;
}
