//! How the commands speak: calm lines with the kind of work in front, colour only on a terminal.

use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Says what is going on, for example `  set-up   trunk 0.21.14 → target/tools`.
pub(crate) fn line(kind: &str, text: &str) {
    plain(&format!("  {} {text}", painted(&format!("{kind:<8}"), "36")));
}

/// Says what happened all the same, or will not happen.
pub(crate) fn note(text: &str) {
    plain(&format!("  {} {text}", painted("note    ", "33")));
}

pub(crate) fn failure(text: &str) {
    plain(&format!("{} {text}", painted("error:", "31")));
}

/// A closed output (`cargo xtask test | head`) is no reason to stop working. Our own tests stay silent:
/// a made-up closing line among theirs would be taken for a real one.
pub(crate) fn plain(text: &str) {
    if cfg!(test) {
        return;
    }
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
}

/// Colours text with an ANSI code where someone can see it.
pub(crate) fn painted(text: &str, code: &str) -> String {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        String::from(text)
    }
}

/// Time as people say it: `0.4 s`, `12 s`, `3 min 05 s`.
pub(crate) fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_time_as_people_do() {
        assert_eq!(elapsed(Duration::from_millis(420)), "0.4 s");
        assert_eq!(elapsed(Duration::from_secs(12)), "12 s");
        assert_eq!(elapsed(Duration::from_secs(185)), "3 min 05 s");
    }
}
