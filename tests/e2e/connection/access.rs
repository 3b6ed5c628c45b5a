//! Access: what a browser without the token and a page of another site can do.

use std::io::{Read, Write};

use serde_json::json;

use pilothouse_test_support::browser::{JavaScript, Size};

use crate::fixture::story;

const JS: JavaScript = js!("connection/access");

#[tokio::test]
async fn without_the_token_i_see_how_to_get_in_and_nothing_else() {
    story("no-token", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.visit(&fixture.server.origin()).await;
        page.until_text_in("body", "address").await;
        assert_eq!(page.count("nav [data-session-id], [role=log]").await, 0);
        // A wrong token is refused, and is removed from the address bar too.
        page.visit("about:blank").await;
        page.visit(&format!("{}/#token=wrong", fixture.server.origin())).await;
        page.until_address("an address without the token", |address| !address.contains('#')).await;
        page.until_text_in("body", "address").await;
        page.visit("about:blank").await;
        page.enter(&fixture.server.link).await;
    })
    .await;
}

#[tokio::test]
async fn a_page_of_another_site_can_change_nothing() {
    story("cross-site", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        let own = fixture.server.origin();
        let prompt = json!({
            "id": "x", "type": "prompt", "session_id": session, "client_id": "evil", "message": "run something",
        });
        let socket = format!("{}/api/socket", own.replace("http", "ws"));
        // The page itself may open the socket, so the attempts below fail for their origin.
        assert_eq!(page.call(JS, "openSocket", json!([socket, null])).await, "open");
        // Another port of the same machine is the same site: the browser sends the cookie along.
        page.visit(&foreign_page()).await;
        assert_eq!(page.call(JS, "openSocket", json!([socket, prompt.to_string()])).await, "refused");
        let requests = page.call(JS, "requestAccess", json!([format!("{own}/api/access")])).await;
        assert_eq!(requests, json!(["refused", "refused", "refused"]));
        page.enter(&fixture.session_address(&session)).await;
        page.run("Is anybody else here?").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1, "the agent got another prompt");
    })
    .await;
}

/// Serves an empty page on its own port, without any policy, and returns its address.
fn foreign_page() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten().take(8) {
            let mut stream: std::net::TcpStream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            );
        }
    });
    address
}
