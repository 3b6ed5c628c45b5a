//! Access: what a browser without access and a page of another site can do, and how devices get and lose access.

use std::io::{Read, Write};
use std::sync::mpsc;

use serde_json::json;

use pilothouse_test_support::browser::{Browser, JavaScript, Size};
use pilothouse_test_support::server::code_in;

use crate::fixture::story;

const JS: JavaScript = js!("connection/access");

#[tokio::test]
async fn without_access_i_see_how_to_get_in_and_nothing_else() {
    story("no-access", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.visit(&fixture.server.origin()).await;
        page.until_text_in("body", "doesn't have access yet").await;
        assert_eq!(page.count("nav [data-session-id], [role=log]").await, 0);
        // A wrong link is refused, and its code is removed from the address bar too.
        page.visit("about:blank").await;
        page.visit(&format!("{}/#pair=wrong", fixture.server.origin())).await;
        page.until_address("an address without the code", |address| !address.contains('#')).await;
        page.until_text_in("body", "was used already").await;
        // Another tab gets access, and this one with it.
        let tabs = page.open_tab().await;
        page.enter(&fixture.server.link).await;
        page.switch_to_tab(&tabs.first).await;
        page.until_connected().await;
        // The link is used up; in this browser it does no harm.
        page.visit("about:blank").await;
        page.enter(&fixture.server.link).await;
        let other = Browser::start(Size::Wide).await;
        let there = other.page();
        there.visit(&fixture.server.link).await;
        there.until_text_in("body", "was used already").await;
        // A pasted link gives access, too.
        there.type_into("[name=link]", fixture.server.new_link()).await;
        there.press("Continue").await;
        there.until_connected().await;
        there.reload().await;
        other.quit().await;
    })
    .await;
}

#[tokio::test]
async fn promise_06_a_page_on_another_port_learns_no_secret_and_changes_nothing() {
    story("cross-site", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        let own = fixture.server.origin();
        let prompt = json!({
            "id": "x", "type": "prompt", "session_id": session, "client_id": "evil", "message": "run something",
        });
        let socket = format!("{}/api/socket", own.replace("http", "ws"));
        let credential = page.call(JS, "storedCredential", json!([])).await;
        assert!(credential.as_str().is_some_and(|credential| credential.len() > 43), "{credential}");
        // The page itself may open the socket, so the attempts below fail for their origin.
        assert_eq!(page.call(JS, "openSocket", json!([socket, credential, null])).await, "open");
        assert_eq!(page.call(JS, "openSocket", json!([socket, null, null])).await, "refused");
        // Another port of the same machine is the same site: the browser would send a cookie to it.
        let (address, requests) = foreign_page();
        page.visit(&address).await;
        let request = requests.recv().unwrap().to_lowercase();
        assert!(request.starts_with("get / http/1.1"), "{request}");
        let secret = credential.as_str().unwrap();
        for part in ["cookie:", "authorization:", &secret.to_lowercase(), &code_in(&fixture.server.link).to_lowercase()] {
            assert!(!request.contains(part), "the other server received '{part}': {request}");
        }
        let visible = page.call(JS, "visibleSecrets", json!([])).await;
        assert!(!visible.as_str().unwrap().contains(secret), "{visible}");
        // Even with the credential, a foreign page can do nothing.
        for stolen in [json!(null), credential.clone()] {
            assert_eq!(page.call(JS, "openSocket", json!([socket, stolen, prompt.to_string()])).await, "refused");
        }
        let requests = page.call(JS, "requestAccess", json!([format!("{own}/api/access"), credential])).await;
        assert_eq!(requests, json!(["refused", "refused", "refused", "refused"]));
        page.enter(&fixture.session_address(&session)).await;
        page.run("Is anybody else here?").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1, "the agent got another prompt");
    })
    .await;
}

#[tokio::test]
async fn i_add_rename_and_revoke_devices() {
    story("devices", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.click("[aria-label=Settings]").await;
        page.press("Devices…").await;
        page.until_count("dialog[open] .device", 1).await;
        page.until_text_in("dialog[open] .device", "this browser").await;
        page.press("Add a device").await;
        page.until_text_in("dialog[open] .command-box", "#pair=").await;
        let link = page.text_of("dialog[open] .command-box code").await;

        let phone = Browser::start(Size::Phone).await;
        let there = phone.page();
        there.enter(&link).await;
        // The list shows the new device without being asked, and the used link disappears.
        page.until_count("dialog[open] .device", 2).await;
        page.until_count("dialog[open] .command-box", 0).await;
        let other = "dialog[open] .device:nth-child(2)";
        page.until_text_in(other, "Chrome on").await;
        page.click(&format!("{other} [aria-label=Rename]")).await;
        page.fill("dialog[open] [name=device]", "My phone").await;
        page.press_keys(thirtyfour::Key::Enter + "").await;
        page.until_text_in(other, "My phone").await;
        page.click(&format!("{other} [aria-label=Rename]")).await;
        page.fill("dialog[open] [name=device]", "Nothing").await;
        page.press_keys(thirtyfour::Key::Escape + "").await;
        page.until_text_in(other, "My phone").await;
        page.screenshot("devices").await;

        page.click(&format!("{other} .danger")).await;
        page.until_text_in("dialog.confirm[open]:not(.settings-panel)", "My phone").await;
        page.click("dialog.confirm[open]:not(.settings-panel) .danger").await;
        page.until_count("dialog[open] .device", 1).await;
        there.until_text_in("body", "was revoked").await;
        assert_eq!(there.count("nav [data-session-id], [role=log]").await, 0);
        there.screenshot("revoked-phone").await;
        there.visit(&fixture.server.origin()).await;
        there.until_text_in("body", "was revoked").await;
        phone.quit().await;

        // This browser can give up its own access.
        page.click("dialog[open] .device .danger").await;
        page.click("dialog.confirm[open]:not(.settings-panel) .danger").await;
        page.until_text_in("body", "was revoked").await;
    })
    .await;
}

/// Serves an empty page on its own port, without any policy. Returns its address, and the requests it receives.
fn foreign_page() -> (String, mpsc::Receiver<String>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let (sender, requests) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten().take(8) {
            let mut stream: std::net::TcpStream = stream;
            let mut request = [0; 8192];
            let length = stream.read(&mut request).unwrap_or_default();
            let _ = sender.send(String::from_utf8_lossy(&request[..length]).into_owned());
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            );
        }
    });
    (address, requests)
}
