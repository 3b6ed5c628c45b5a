//! Opens the page in the user's browser.

use std::io::{IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::agent::process::start_and_forget;

/// Opens a link, if the server was started from a terminal of a desktop. The link contains the token, and every user of
/// the machine can see the arguments of a process; the browser therefore gets a file that only its owner can read, and
/// which redirects to the link.
pub fn open(link: &str, data_dir: &Path) {
    let has_desktop = cfg!(target_os = "macos")
        || std::env::var_os("DISPLAY").is_some()
        || std::env::var_os("WAYLAND_DISPLAY").is_some();
    if !has_desktop || !std::io::stdout().is_terminal() {
        return;
    }
    let file = data_dir.join("open.html");
    let _ = std::fs::remove_file(&file);
    let page = format!(
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={link}\"><title>Pilothouse</title>"
    );
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&file)
        .and_then(|mut created| created.write_all(page.as_bytes()));
    if written.is_ok() {
        let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        start_and_forget(program, &file);
    }
}
