//! pi in a terminal, as its user works with it: `script` gives it a pseudo-terminal.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

use pilothouse_test_support::wait::until;

/// A terminal with a program. Dropping it closes the terminal, which ends the program.
pub struct Terminal {
    process: Child,
    input: ChildStdin,
    output: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Runs a command line in a terminal of 120 columns.
    pub fn start(command_line: &str, folder: &Path) -> Self {
        let mut command = Command::new("/usr/bin/script");
        command.args(["-qfec", &format!("stty rows 40 cols 120; exec {command_line}"), "/dev/null"]);
        command.current_dir(folder).env_clear().env("TERM", "xterm-256color").env("SHELL", "/bin/sh");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let mut stdout = process.stdout.take().unwrap();
        let output = Arc::new(Mutex::new(Vec::new()));
        let written = output.clone();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut chunk) {
                written.lock().unwrap().extend_from_slice(&chunk[..length]);
            }
        });
        Self { process, input, output }
    }

    /// Waits until the terminal has shown this text.
    pub fn until_shown(&self, text: &str) {
        until(&format!("{text} in the terminal"), || {
            let output = self.output.lock().unwrap();
            output.windows(text.len()).any(|shown| shown == text.as_bytes()).then_some(())
        });
    }

    /// Types a line.
    pub fn enter(&mut self, line: &str) {
        self.input.write_all(format!("{line}\r").as_bytes()).unwrap();
        self.input.flush().unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
