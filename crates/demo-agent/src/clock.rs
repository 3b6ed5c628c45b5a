//! The two spellings of time that pi uses: milliseconds in messages, ISO 8601 in entries and file names.

use jiff::Timestamp;

/// Milliseconds since 1970, as in a message's `timestamp`.
pub(crate) fn milliseconds() -> i64 {
    Timestamp::now().as_millisecond()
}

/// `2026-11-16T02:17:21.345Z`, as in a session entry's `timestamp`.
pub(crate) fn iso_time() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// `2026-11-16T02-17-21-345Z`: the same, fit for a file name.
pub(crate) fn file_time(iso: &str) -> String {
    iso.replace([':', '.'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_have_pi_s_shape() {
        let iso = iso_time();
        assert_eq!(iso.len(), "2026-11-16T02:17:21.345Z".len());
        assert!(iso.ends_with('Z'));
        assert_eq!(file_time("2026-11-16T02:17:21.345Z"), "2026-11-16T02-17-21-345Z");
    }
}
