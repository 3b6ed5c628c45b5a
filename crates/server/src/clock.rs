//! Wall-clock time in milliseconds since 1970, the unit of every stored and transmitted time.

use std::time::{SystemTime, UNIX_EPOCH};

/// The current time.
pub fn now_ms() -> u64 {
    unix_ms(SystemTime::now())
}

/// Converts a system time; times before 1970 become 0.
pub fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
