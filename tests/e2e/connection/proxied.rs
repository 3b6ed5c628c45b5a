//! The page below a path of a real reverse proxy, nginx.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::process::signal;
use pilothouse_test_support::server::{ServerSetup, built_binary};
use pilothouse_test_support::wait;

use crate::fixture::{project, story_with};

/// nginx with its files in a folder. Dropping it ends it.
struct Nginx {
    process: Child,
    _folder: tempfile::TempDir,
}

impl Nginx {
    /// Forwards `/pilot/` to a server, with the configuration of the README.
    fn start(port: u16, server_port: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let temporary: String =
            temporary.iter().map(|kind| format!("{kind}_temp_path {};\n", path(kind))).collect();
        let configuration = format!(
            "daemon off; worker_processes 1; pid {};\nevents {{}}\nhttp {{\n{temporary}access_log off;\n\
             map $http_upgrade $connection_upgrade {{ default upgrade; '' close; }}\n\
             server {{ listen 127.0.0.1:{port};\n{} }}\n}}\n",
            path("pid"),
            readme_location().replace("127.0.0.1:4780", &format!("127.0.0.1:{server_port}"))
        );
        std::fs::write(folder.path().join("nginx.conf"), configuration).unwrap();
        let program = std::env::var_os("PILOTHOUSE_NGINX").unwrap_or_else(|| "nginx".into());
        let process = Command::new(program)
            .args(["-e", "stderr", "-c", &path("nginx.conf"), "-p"])
            .arg(folder.path())
            .stdin(Stdio::null())
            .spawn()
            .expect("nginx is needed; run `cargo xtask setup`");
        Self { process, _folder: folder }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        signal(self.process.id(), "TERM");
        let _ = self.process.wait();
    }
}

/// The `location` block that the README recommends.
fn readme_location() -> String {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, block) = readme.split_once("location /pilot/ {").expect("the README shows no location block");
    let (block, _) = block.split_once('}').unwrap();
    format!("location /pilot/ {{{block}}}")
}

#[tokio::test]
async fn promise_09_everything_works_below_a_path_of_a_reverse_proxy() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let setup = ServerSetup::new(&built_binary());
    let setup = setup.argument("--allowed-host").argument(format!("127.0.0.1:{port}"));
    story_with("proxied", Size::Wide, project(), setup, async |fixture| {
        let _nginx = Nginx::start(port, fixture.server.port);
        wait::until("nginx", || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
        let page = fixture.page();
        let own = format!("http://127.0.0.1:{port}");
        let (_, fragment) = fixture.server.link.split_once('#').unwrap();
        let session = page.first_visit(&format!("{own}/pilot/#{fragment}")).await;
        assert_eq!(page.address().await, format!("{own}/pilot/s/{session}"));
        page.run("/image").await;
        page.until_image("[role=log] img", 1).await;
        // The highlighter is loaded when code appears.
        page.run("/tour").await;
        let coloured = json!(["code-function", "npm"]);
        page.until_call("coloured code", js!("reading/code"), "isColoured", coloured).await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        page.until_image("[role=log] img", 1).await;
        let origins = page.call(js!("connection/first_visit"), "requestedOrigins", json!([])).await;
        assert_eq!(origins, json!([own]));
        // A link for another device has the path.
        page.click("[aria-label=Settings]").await;
        page.press("Devices…").await;
        page.press("Add a device").await;
        page.until_text_in("dialog[open] .command-box", &format!("{own}/pilot/#pair=")).await;
    })
    .await;
}
