//! Devices: pairing, the list, revoking, expiry, the limit for wrong credentials, and the commands for them.

use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Output;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pilothouse_core::protocol::{
    DeviceInfo, DeviceList, ErrorCode, HubCommand, PairingLinks, SessionCommand,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use pilothouse_test_support::client::Client;
use pilothouse_test_support::disk_faults::DiskFaults;
use pilothouse_test_support::http::{self, credential_in, pair};
use pilothouse_test_support::server::{ServerSetup, TestServer, code_in};
use pilothouse_test_support::wait::until_some;

use crate::{binary, server};

/// Whether the server accepts a credential.
async fn status(server: &TestServer, credential: &str) -> u16 {
    let authorization = format!("Bearer {credential}");
    http::request(server, "GET", "/api/access", &[("Authorization", &authorization)], "").await.status
}

async fn devices(client: &mut Client) -> Vec<DeviceInfo> {
    let list = client.ask_hub(HubCommand::ListDevices).await.unwrap();
    serde_json::from_value::<DeviceList>(list).unwrap().devices
}

fn id_of(credential: &str) -> String {
    credential.split_once('.').unwrap().0.to_owned()
}

/// The content of every file in the data folder.
fn stored_bytes(server: &TestServer) -> Vec<u8> {
    let files = std::fs::read_dir(&server.data).unwrap().flatten().filter(|entry| entry.path().is_file());
    files.flat_map(|entry| std::fs::read(entry.path()).unwrap()).collect()
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test]
async fn promise_02_a_pairing_code_is_exchanged_once_and_only_by_the_page() {
    let (server, _project) = server();
    let code = code_in(&server.link);
    let body = format!("{{\"code\":\"{code}\"}}");
    for origin in
        ["http://evil.example", "null", &format!("http://127.0.0.1:{}", server.port.wrapping_add(1))]
    {
        let foreign = http::request(&server, "POST", "/api/access", &[("Origin", origin)], &body).await;
        assert_eq!(foreign.status, 403, "{origin}");
    }
    assert_eq!(http::request(&server, "POST", "/api/access", &[], &body).await.status, 403, "no Origin");
    assert_eq!(pair(&server, "wrong", &[]).await.status, 401);
    let paired = pair(&server, &code, &[]).await;
    assert_eq!(paired.header("set-cookie"), None);
    assert_eq!(paired.header("cache-control"), Some("no-store"));
    let credential = credential_in(&paired);
    let (_, secret) = credential.split_once('.').unwrap();
    assert!(URL_SAFE_NO_PAD.decode(secret).unwrap().len() >= 32, "{credential}");
    assert_eq!(status(&server, &credential).await, 204);
    let again = pair(&server, &code, &[]).await;
    assert_eq!(again.status, 401);
    assert!(again.body.contains("was used already"), "{}", again.body);
    // Only hashes are stored.
    let stored = stored_bytes(&server);
    assert!(contains(&stored, &id_of(&credential)), "the device is not in the store");
    assert!(!contains(&stored, secret) && !contains(&stored, &code));
}

#[tokio::test]
async fn codes_and_credentials_are_all_different_and_survive_a_restart() {
    let (mut server, _project) = server();
    let codes: HashSet<String> = (0..5).map(|_| server.new_code()).collect();
    assert_eq!(codes.len(), 5);
    let credential = http::credential(&server).await;
    server.kill_and_restart();
    assert_eq!(status(&server, &credential).await, 204);
    let mut credentials = HashSet::from([credential]);
    for code in codes {
        assert!(credentials.insert(credential_in(&pair(&server, &code, &[]).await)));
    }
}

#[tokio::test]
async fn a_code_that_a_paired_browser_opens_is_used_up_and_adds_no_device() {
    let (server, _project) = server();
    let authorization = http::authorization(&server).await;
    let code = server.new_code();
    let opened = pair(&server, &code, &[("Authorization", &authorization)]).await;
    assert_eq!((opened.status, opened.body.as_str()), (204, ""));
    assert_eq!(pair(&server, &code, &[]).await.status, 401);
    let mut client = Client::connect(&server).await;
    assert_eq!(devices(&mut client).await.len(), 1);
}

#[tokio::test]
async fn a_credential_belongs_to_the_origin_that_was_paired() {
    let (server, _project) = server();
    let authorization = http::authorization(&server).await;
    let request = async |host: &str| {
        let headers = [("Host", host), ("Authorization", authorization.as_str())];
        http::request(&server, "GET", "/api/access", &headers, "").await.status
    };
    assert_eq!(request(&format!("127.0.0.1:{}", server.port)).await, 204);
    assert_eq!(request(&format!("localhost:{}", server.port)).await, 401);
    assert_eq!(request(&format!("[::1]:{}", server.port)).await, 401);
}

#[tokio::test]
async fn the_cookie_and_the_token_of_an_earlier_version_give_no_access_and_the_page_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "0123456789012345678901234567890123456789012").unwrap();
    let setup = ServerSetup::new(binary()).argument("--cwd").argument(folder.path());
    let server = setup.start_in(folder);
    assert!(!token.exists(), "the old token is kept");
    let cookie = format!("a=b; pilothouse_{}=old", server.port);
    let refused = http::request(&server, "GET", "/api/access", &[("Cookie", &cookie)], "").await;
    assert_eq!(refused.status, 401);
    assert!(refused.body.contains("no longer valid"), "{}", refused.body);
    let paired = pair(&server, &code_in(&server.link), &[("Cookie", &cookie)]).await;
    let removed = paired.header("set-cookie").unwrap();
    assert!(removed.starts_with(&format!("pilothouse_{}=;", server.port)) && removed.contains("Max-Age=0"));
    assert_eq!(status(&server, &credential_in(&paired)).await, 204);
}

#[tokio::test]
async fn devices_are_listed_renamed_and_revoked_and_their_connections_close_at_once() {
    let (mut server, project) = server();
    let mut own = Client::connect(&server).await;
    let headers = [("User-Agent", "Mozilla/5.0 (Linux; Android 14) Chrome/156.0 Safari/537.36")];
    let phone = credential_in(&pair(&server, &server.new_code(), &headers).await);
    let listed = devices(&mut own).await;
    assert_eq!(listed.len(), 2);
    assert!(listed[0].current && listed[0].connected && !listed[1].current && !listed[1].connected);
    let (phone_id, origin) = (id_of(&phone), server.origin());
    assert_eq!((listed[1].id.as_str(), listed[1].name.as_str()), (phone_id.as_str(), "Chrome on Android"));
    assert!(
        listed.iter().all(|device| device.origin == origin && device.created > 0 && device.last_used > 0)
    );

    let rename = |name: &str| HubCommand::RenameDevice { device_id: phone_id.clone(), name: name.to_owned() };
    own.ask_hub(rename("  My phone ")).await.unwrap();
    for bad in ["", " ", "a\nb", &"x".repeat(61)] {
        assert_eq!(own.ask_hub(rename(bad)).await.unwrap_err().code, ErrorCode::InvalidRequest, "{bad}");
    }
    let changes = own.device_changes;
    assert!(changes >= 2, "the pages are not told about changes");

    // Two connections of the phone, one of which has not greeted yet.
    let first = Client::connect_as(&server, &phone).await;
    let mut second = Client::connect_as(&server, &phone).await;
    let session = second.new_session(project.path()).await;
    assert_eq!(devices(&mut own).await[1].name, "My phone");
    assert!(devices(&mut own).await[1].connected);
    own.ask_hub(HubCommand::RevokeDevice { device_id: phone_id.clone() }).await.unwrap();
    assert_eq!(first.until_closed().await, Some(4003));
    assert_eq!(second.until_closed().await, Some(4003));
    assert_eq!(status(&server, &phone).await, 401);
    assert_eq!(devices(&mut own).await.len(), 1);
    own.open(&session).await;
    let gone = own.ask_hub(HubCommand::RevokeDevice { device_id: phone_id }).await.unwrap_err();
    assert_eq!(gone.code, ErrorCode::InvalidRequest);

    server.kill_and_restart();
    assert_eq!(status(&server, &phone).await, 401, "the access is back after a restart");
    // A device that revokes its own access loses its connection, too.
    let mut own = Client::connect(&server).await;
    let id = id_of(http::shared_credential(&server).await);
    own.send_hub(HubCommand::RevokeDevice { device_id: id }).await;
    assert_eq!(own.until_closed().await, Some(4003));
}

#[tokio::test]
async fn a_device_that_is_not_used_loses_its_access_and_a_connected_one_does_not() {
    let project = tempfile::tempdir().unwrap();
    let second_in_days = 1.0 / 86_400.0;
    let days = ServerSetup::new(binary()).project(project.path()).argument("--device-days");
    let server = days.argument(second_in_days.to_string()).start();
    let connected = http::credential(&server).await;
    let mut client = Client::connect_as(&server, &connected).await;
    let unused = http::credential(&server).await;
    assert_eq!(devices(&mut client).await.len(), 2);
    until_some("the end of the access", async || (devices(&mut client).await.len() == 1).then_some(())).await;
    assert_eq!(status(&server, &unused).await, 401);
    assert_eq!(status(&server, &connected).await, 204);
}

#[tokio::test]
async fn promise_07_after_ten_wrong_credentials_none_is_checked_for_a_while() {
    let (server, _project) = server();
    let valid = http::credential(&server).await;
    // Another address, from which a valid credential came.
    let known = Ipv4Addr::new(127, 0, 0, 3);
    assert_eq!(attempt_from(&server, known, &valid).await.0, 204);
    // Credentials, unknown ids and codes count together. A request without a credential is no attempt.
    for number in 0..5 {
        assert_eq!(status(&server, &format!("{}.wrong{number}", id_of(&valid))).await, 401);
        assert_eq!(http::request(&server, "GET", "/api/access", &[], "").await.status, 401);
    }
    for number in 0..3 {
        assert_eq!(pair(&server, &format!("wrong{number}"), &[]).await.status, 401);
    }
    assert_eq!(status(&server, "unknown.wrong").await, 401);
    assert_eq!(status(&server, "nonsense").await, 401);
    let authorization = format!("Bearer {valid}");
    let limited =
        http::request(&server, "GET", "/api/access", &[("Authorization", &authorization)], "").await;
    assert_eq!(limited.status, 429, "a valid credential is checked, so that guesses are, too");
    let seconds: u64 = limited.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert!(limited.body.contains(&format!("{seconds} seconds")), "{}", limited.body);
    assert_eq!(pair(&server, &server.new_code(), &[]).await.status, 429);
    let upgrade = format!(
        "GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\nOrigin: http://127.0.0.1:{0}\r\nConnection: Upgrade\r\n\
         Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
         Sec-WebSocket-Protocol: pilothouse, pilothouse.bearer.{valid}\r\n\r\n",
        server.port
    );
    assert_eq!(http::raw(&server, &upgrade).await.status, 429);
    // In total, too: but strangers keep no known address out.
    assert_eq!(attempt_from(&server, Ipv4Addr::new(127, 0, 0, 2), &valid).await.0, 429);
    assert_eq!(attempt_from(&server, known, &valid).await.0, 204);
    for path in ["/", "/health"] {
        assert_eq!(http::request(&server, "GET", path, &[], "").await.status, 200, "{path}");
    }
    assert!(server.log().contains("too many wrong credentials"), "{}", server.log());
}

/// Checks a credential from another address of this machine. Returns the status.
async fn attempt_from(server: &TestServer, address: Ipv4Addr, credential: &str) -> (u16, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((address, 0))).unwrap();
    let mut stream = socket.connect(SocketAddr::from(([127, 0, 0, 1], server.port))).await.unwrap();
    let request = format!(
        "GET /api/access HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nAuthorization: Bearer {credential}\r\n\r\n",
        server.port
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    (response.split(' ').nth(1).unwrap().parse().unwrap(), response)
}

#[tokio::test]
async fn a_page_creates_a_link_with_a_qr_code_for_its_own_address() {
    let (server, _project) = server();
    let mut client = Client::connect(&server).await;
    let address = format!("http://localhost:{}/", server.port);
    let reply = client.ask_hub(HubCommand::CreatePairingLink { address: address.clone() }).await.unwrap();
    let links: PairingLinks = serde_json::from_value(reply).unwrap();
    let [link] = links.links.as_slice() else { panic!("{links:?}") };
    assert!(link.link.starts_with(&format!("{address}#pair=")) && link.local, "{}", link.link);
    assert!(link.qr.starts_with("data:image/svg+xml;base64,"));
    credential_in(&pair(&server, &code_in(&link.link), &[]).await);
    while client.device_changes == 0 {
        client.receive_frame().await;
    }
    assert_eq!(devices(&mut client).await.len(), 2);
}

#[tokio::test]
async fn a_code_is_still_valid_if_the_device_could_not_be_stored() {
    let project = tempfile::tempdir().unwrap();
    let faults = DiskFaults::new();
    let server = faults.apply(ServerSetup::new(binary()).project(project.path())).start();
    let mut client = Client::connect(&server).await;
    let code = server.new_code();
    faults.fill();
    let failed = pair(&server, &code, &[]).await;
    assert_eq!(failed.status, 500);
    assert!(failed.body.contains("disk is full"), "{}", failed.body);
    let output = run(&server, &["link"]);
    assert!(!output.status.success() && error(&output).contains("disk is full"), "{}", error(&output));
    let id = id_of(http::shared_credential(&server).await);
    let rename = HubCommand::RenameDevice { device_id: id, name: "never stored".to_owned() };
    assert_eq!(client.ask_hub(rename).await.unwrap_err().code, ErrorCode::NotStored);
    assert_ne!(devices(&mut client).await[0].name, "never stored");
    faults.repair();
    let credential = until_some("a working disk", async || {
        let paired = pair(&server, &code, &[]).await;
        (paired.status == 200).then(|| credential_in(&paired))
    })
    .await;
    // A revoked device has no access even if that could not be stored.
    faults.fill();
    let revoke = HubCommand::RevokeDevice { device_id: id_of(&credential) };
    let unsaved = client.ask_hub(revoke).await.unwrap_err();
    assert!(unsaved.code == ErrorCode::NotStored && unsaved.message.contains("no access now"), "{unsaved:?}");
    assert_eq!(status(&server, &credential).await, 401);
    faults.repair();
}

fn run(server: &TestServer, arguments: &[&str]) -> Output {
    server.program(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn the_command_line_lists_renames_and_revokes_devices_with_and_without_a_server() {
    let (mut server, _project) = server();
    let empty = run(&server, &["devices"]);
    assert!(text(&empty).contains("No browser has access"), "{}", text(&empty));
    let credential = http::credential(&server).await;
    let other = http::credential(&server).await;
    let client = Client::connect_as(&server, &credential).await;
    let (id, other_id) = (id_of(&credential), id_of(&other));
    assert!(run(&server, &["devices", "rename", &id, "Desk"]).status.success());
    let listed = text(&run(&server, &["devices", "list"]));
    let line = listed.lines().find(|line| line.starts_with(&id)).unwrap();
    assert!(line.contains("Desk") && line.contains(&server.origin()) && line.ends_with("now"), "{listed}");
    assert!(run(&server, &["devices", "revoke", &id]).status.success());
    assert_eq!(client.until_closed().await, Some(4003));
    let unknown = run(&server, &["devices", "revoke", &id]);
    assert!(!unknown.status.success() && error(&unknown).contains("not in the list"), "{}", error(&unknown));

    server.kill();
    let listed = text(&run(&server, &["devices"]));
    assert!(listed.contains(&other_id) && !listed.contains(&id), "{listed}");
    let link = run(&server, &["link"]);
    assert!(!link.status.success() && error(&link).contains("not running"), "{}", error(&link));
    assert!(run(&server, &["devices", "revoke", &other_id]).status.success());
    server.restart();
    assert_eq!(status(&server, &other).await, 401);
    let missing = server.data.join("none");
    let output =
        std::process::Command::new(binary()).args(["link", "--data-dir"]).arg(&missing).output().unwrap();
    assert!(!output.status.success() && error(&output).contains("no data folder"), "{}", error(&output));
}

#[tokio::test]
async fn an_agent_cannot_give_access_to_others() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let file = project.path().join("link");
    let program = binary();
    let (program, data, output) = (program.display(), server.data.display(), file.display());
    // Its parent has ended when the server answers.
    let command = format!(
        "(setsid sh -c '\"{program}\" link --data-dir \"{data}\" >\"{output}\" 2>&1; echo done >>\"{output}\"' &); sleep 600"
    );
    let shell = SessionCommand::Bash { client_id: "b".into(), command, exclude_from_context: false };
    client.ask(&session, shell).await.unwrap();
    let answer = async || std::fs::read_to_string(&file).ok().filter(|text| text.contains("done"));
    let answer = until_some("the answer", answer).await;
    assert!(answer.contains("does not work within a session") && !answer.contains("http"), "{answer}");
    assert!(text(&run(&server, &["link"])).contains("http"));
}
