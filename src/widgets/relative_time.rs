//! Short texts for the time since an event and for durations. Pure.

const MINUTE: f64 = 60_000.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

/// The time since `then` in its largest unit, such as "3m". Both times are milliseconds since 1970.
pub fn relative_time(then: u64, now: f64) -> String {
    let elapsed = now - then as f64;
    match elapsed {
        _ if elapsed < MINUTE => "now".to_owned(),
        _ if elapsed < HOUR => format!("{}m", units(elapsed, MINUTE)),
        _ if elapsed < DAY => format!("{}h", units(elapsed, HOUR)),
        _ if elapsed < 14.0 * DAY => format!("{}d", units(elapsed, DAY)),
        _ if elapsed < 60.0 * DAY => format!("{}w", units(elapsed, 7.0 * DAY)),
        _ if elapsed < 365.0 * DAY => format!("{}mo", units(elapsed, 30.0 * DAY)),
        _ => format!("{}y", units(elapsed, 365.0 * DAY)),
    }
}

/// The time since `then` in words, such as "3m ago".
pub fn time_ago(then: u64, now: f64) -> String {
    match relative_time(then, now).as_str() {
        "now" => "just now".to_owned(),
        time => format!("{time} ago"),
    }
}

/// A duration with its unit, such as "1.2 s".
pub fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..=999 => format!("{milliseconds} ms"),
        1_000..=59_999 if milliseconds % 1_000 < 100 => format!("{} s", milliseconds / 1_000),
        1_000..=59_999 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ if milliseconds % 60_000 < 1_000 => format!("{} min", milliseconds / 60_000),
        _ => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1_000),
    }
}

fn units(elapsed: f64, unit: f64) -> u64 {
    (elapsed / unit) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_their_largest_unit() {
        let now = 1_800_000_000_000.0;
        let ago = |elapsed: f64| relative_time((now - elapsed) as u64, now);
        assert_eq!(ago(5_000.0), "now");
        assert_eq!(ago(-5_000.0), "now", "a clock that is behind");
        assert_eq!(ago(3.5 * MINUTE), "3m");
        assert_eq!(ago(23.9 * HOUR), "23h");
        assert_eq!(ago(3.0 * DAY), "3d");
        assert_eq!(ago(15.0 * DAY), "2w");
        assert_eq!(ago(100.0 * DAY), "3mo");
        assert_eq!(ago(800.0 * DAY), "2y");
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(duration(42), "42 ms");
        assert_eq!(duration(1_250), "1.2 s");
        assert_eq!(duration(30_000), "30 s");
        assert_eq!(duration(125_000), "2 min 5 s");
        assert_eq!(duration(120_000), "2 min");
    }
}
