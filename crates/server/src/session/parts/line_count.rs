//! Counts lines that are reported in the log at most once per interval.

use std::time::Duration;

use tokio::time::Instant;

const INTERVAL: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(in crate::session) struct LineCount {
    unreported: u64,
    reported_at: Option<Instant>,
}

impl LineCount {
    /// Counts a line. Returns the number of lines to report now, if it is time.
    pub(in crate::session) fn count(&mut self, now: Instant) -> Option<u64> {
        self.unreported += 1;
        if self.reported_at.is_some_and(|at| now < at + INTERVAL) {
            return None;
        }
        self.reported_at = Some(now);
        Some(std::mem::take(&mut self.unreported))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_reported_once_per_interval() {
        let mut lines = LineCount::default();
        let start = Instant::now();
        assert_eq!(lines.count(start), Some(1));
        for _ in 0..1_000 {
            assert_eq!(lines.count(start), None);
        }
        assert_eq!(lines.count(start + INTERVAL), Some(1_001));
        assert_eq!(lines.count(start + INTERVAL), None);
    }
}
