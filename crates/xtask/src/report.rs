//! The output of the commands: lines that start with the kind of work, in colour on a terminal.

use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Reports what the command does, for example `  page     building into target/page`.
pub(crate) fn line(kind: &str, text: &str) {
    plain(&format!("  {} {text}", painted(&format!("{kind:<8}"), "36")));
}

/// Reports something unexpected that is not an error.
pub(crate) fn note(text: &str) {
    plain(&format!("  {} {text}", painted("note    ", "33")));
}

pub(crate) fn failure(text: &str) {
    plain(&format!("{} {text}", painted("error:", "31")));
}

/// Prints a line. A closed output (`cargo xtask test | head`) does not stop the command. Unit tests of this crate print
/// nothing: readers of a log could take their summary line for the real one.
pub(crate) fn plain(text: &str) {
    if cfg!(test) {
        return;
    }
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
}

/// Colours text with an ANSI code if the output is a terminal.
pub(crate) fn painted(text: &str, code: &str) -> String {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        String::from(text)
    }
}

/// A duration in the form `0.4 s`, `12 s` or `3 min 05 s`.
pub(crate) fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// Numbers the long steps of a command, so that the user knows what remains.
#[derive(Default)]
pub(crate) struct Progress {
    done: usize,
    total: usize,
}

impl Progress {
    /// Adds steps that are still to do.
    pub(crate) fn add(&mut self, steps: usize) {
        self.total += steps;
    }

    /// Reports the start of the next step, for example `step 2 of 4: trunk 0.21.14, about 6 minutes`.
    pub(crate) fn next(&mut self, what: &str, duration: &str) {
        self.done += 1;
        line("step", &format!("{} of {}: {what}, {duration}", self.done, self.total));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_readable_unit() {
        assert_eq!(elapsed(Duration::from_millis(420)), "0.4 s");
        assert_eq!(elapsed(Duration::from_secs(12)), "12 s");
        assert_eq!(elapsed(Duration::from_secs(185)), "3 min 05 s");
    }
}
