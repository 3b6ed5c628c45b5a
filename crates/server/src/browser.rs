//! Opens the page in the person's browser, where there is one.

use std::io::{IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::agent::process::start_and_forget;

/// Does nothing when nobody sits in front of this machine. The address carries the token, and arguments of a process
/// can be seen by every user of the machine: so the browser is given a file, only the owner can read, that leads on.
pub fn open(link: &str, data_dir: &Path) {
    let desktop = cfg!(target_os = "macos")
        || std::env::var_os("DISPLAY").is_some()
        || std::env::var_os("WAYLAND_DISPLAY").is_some();
    if !desktop || !std::io::stdout().is_terminal() {
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
