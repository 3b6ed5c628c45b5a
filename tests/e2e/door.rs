//! The door, from a browser's side.

use std::io::{Read, Write};

use pilothouse_test_support::browser::Size;

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
        let session = page.new_session().await;
        let own = stage.server.origin();
        let prompt = serde_json::json!({
            "id": "x", "type": "prompt", "session_id": session, "client_id": "evil", "message": "run something",
        });
        let attack = format!(
            "const outcomes = [];\
             const socket = new WebSocket('{}/api/socket');\
             outcomes.push(await new Promise((done) => {{\
               socket.onopen = () => {{ socket.send({:?}); done('open'); }};\
               socket.onerror = () => done('refused');\
             }}));\
             for (const [method, mode] of [['GET', 'cors'], ['POST', 'cors'], ['POST', 'no-cors']]) {{\
               outcomes.push(await fetch('{own}/api/access', {{method, mode, credentials: 'include'}})\
                 .then((answer) => String(answer.status), () => 'refused'));\
             }}\
             return outcomes",
            own.replace("http", "ws"),
            prompt.to_string(),
        );
        // The same from our own page goes through: the attack is one.
        let allowed = page.async_script("const socket = new WebSocket('/api/socket');\
            return await new Promise((done) => { socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })");
        assert_eq!(allowed.await, "open");
        // Another port of the same machine is the same site: the cookie travels along.
        page.visit(&foreign_page()).await;
        let tried = page.async_script(&attack).await;
        assert_eq!(tried, serde_json::json!(["refused", "refused", "refused", "refused"]));
        page.visit(&format!("{own}/s/{session}")).await;
        page.until_connected().await;
        page.run("Is anybody else here?").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1, "the agent saw nothing but this");
    })
    .await;
}

/// An empty page on a port of its own, from a server that forbids it nothing.
fn foreign_page() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten().take(8) {
            let mut stream: std::net::TcpStream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    address
}
