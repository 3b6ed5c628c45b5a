//! Exponential backoff with jitter between connection attempts. Pure: the caller passes the random number.

const FIRST_MILLISECONDS: f64 = 250.0;
const LONGEST_MILLISECONDS: f64 = 8_000.0;
/// Keeps clients that lost the same server from reconnecting all at once.
const JITTER: f64 = 0.3;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Returns the delay before the next attempt in milliseconds; `random` is in 0..1.
    pub fn next_delay(&mut self, random: f64) -> f64 {
        let doublings = i32::try_from(self.failures.min(16)).unwrap_or(16);
        let base = (FIRST_MILLISECONDS * 2f64.powi(doublings)).min(LONGEST_MILLISECONDS);
        self.failures = self.failures.saturating_add(1);
        base * (1.0 + JITTER * (2.0 * random.clamp(0.0, 1.0) - 1.0))
    }

    pub const fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_eight_seconds_and_restart_after_a_success() {
        let mut backoff = Backoff::default();
        let waits: Vec<f64> = (0..8).map(|_| backoff.next_delay(0.5)).collect();
        assert_eq!(waits, [250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 8000.0, 8000.0]);
        backoff.reset();
        assert_eq!(backoff.next_delay(0.5), 250.0);
    }

    #[test]
    fn jitter_stays_within_thirty_percent() {
        for random in [0.0, 0.25, 0.999, 1.0] {
            let wait = Backoff::default().next_delay(random);
            assert!((175.0..=325.0).contains(&wait), "{wait}");
        }
    }

    #[test]
    fn many_failures_do_not_overflow() {
        let mut backoff = Backoff { failures: u32::MAX };
        assert_eq!(backoff.next_delay(0.5), 8000.0);
    }
}
