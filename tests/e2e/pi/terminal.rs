//! pi in a terminal, as its user works with it: `script` gives it a pseudo-terminal.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

use pilothouse_test_support::wait::until;

/// The question which terminal this is, and the answer of a simple one.
const ATTRIBUTES_QUERY: &[u8] = b"\x1b[c";
const ATTRIBUTES: &[u8] = b"\x1b[?62;c";

/// A terminal with a program. Dropping it closes the terminal, which ends the program.
pub struct Terminal {
    process: Child,
    input: Arc<Mutex<ChildStdin>>,
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
        let input = Arc::new(Mutex::new(process.stdin.take().unwrap()));
        let mut stdout = process.stdout.take().unwrap();
        let output = Arc::new(Mutex::new(Vec::new()));
        let (written, answers) = (output.clone(), input.clone());
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut chunk) {
                let mut written = written.lock().unwrap();
                // A query may be divided between two chunks.
                let start = written.len().saturating_sub(ATTRIBUTES_QUERY.len() - 1);
                written.extend_from_slice(&chunk[..length]);
                let queries = written[start..].windows(ATTRIBUTES_QUERY.len());
                // pi waits for each answer before it accepts input.
                for _ in queries.filter(|bytes| *bytes == ATTRIBUTES_QUERY) {
                    let _ = answers.lock().unwrap().write_all(ATTRIBUTES);
                }
            }
        });
        Self { process, input, output }
    }

    /// Waits until the terminal has shown this text.
    pub fn until_shown(&self, text: &str) {
        self.until_shown_after(0, text);
    }

    fn until_shown_after(&self, start: usize, text: &str) {
        until(&format!("{text} in the terminal"), || {
            let output = self.output.lock().unwrap();
            output[start..].windows(text.len()).any(|shown| shown == text.as_bytes()).then_some(())
        });
    }

    /// Types a line, and presses Enter once the program has shown it.
    pub fn enter(&self, line: &str) {
        let start = self.output.lock().unwrap().len();
        self.input.lock().unwrap().write_all(line.as_bytes()).unwrap();
        self.until_shown_after(start, line);
        self.input.lock().unwrap().write_all(b"\r").unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
