//! Waiting for conditions, with a limit.

use std::time::{Duration, Instant};

use crate::PATIENCE;

/// The pause between two looks at a condition.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits until `look` returns a value. Blocks the thread.
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    poll_blocking(look).unwrap_or_else(|| panic!("timed out waiting for {what}"))
}

/// Looks until there is a value, and returns `None` when the limit is reached. Blocks the thread.
pub fn poll_blocking<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let found = look();
        if found.is_some() {
            return found;
        }
        std::thread::sleep(PAUSE);
    }
    None
}

/// Waits until a condition holds that needs no `await`.
#[cfg(any(feature = "browser", feature = "client"))]
pub async fn until_true(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "timed out waiting for {what}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// Waits until `look` returns a value.
#[cfg(any(feature = "browser", feature = "client"))]
pub async fn until_some<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    poll(look).await.unwrap_or_else(|| panic!("timed out waiting for {what}"))
}

/// Looks until there is a value, and returns `None` when the limit is reached.
#[cfg(any(feature = "browser", feature = "client"))]
pub async fn poll<T>(mut look: impl AsyncFnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let found = look().await;
        if found.is_some() {
            return found;
        }
        tokio::time::sleep(PAUSE).await;
    }
    None
}
