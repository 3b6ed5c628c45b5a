//! Playback speed and cancellation.
//!
//! Every pause for show passes through `Pace`, so that a test controls all of them with one setting.

use std::{str::FromStr, sync::Arc, time::Duration};

use tokio::sync::watch;

/// The playback speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Every pause is divided by this factor; with 1 the demo feels like a real agent.
    Factor(f64),
    /// No pauses; waiting only yields to other tasks.
    Instant,
}

impl Pace {
    /// Scales a pause. Returns `None` if nothing is left to wait for.
    pub(crate) fn scale(self, nominal: Duration) -> Option<Duration> {
        match self {
            Self::Factor(factor) if !nominal.is_zero() => Some(nominal.div_f64(factor)),
            Self::Factor(_) | Self::Instant => None,
        }
    }

    /// Waits for the scaled pause or for `cancel`. Returns false if cancelled.
    pub(crate) async fn wait(self, nominal: Duration, cancel: &Cancel) -> bool {
        match self.scale(nominal) {
            None => tokio::task::yield_now().await,
            Some(pause) => {
                tokio::select! {
                    () = cancel.cancelled() => {}
                    () = tokio::time::sleep(pause) => {}
                }
            }
        }
        !cancel.is_cancelled()
    }

    /// Returns a shell fragment that sleeps for the scaled pause, or an empty one.
    pub(crate) fn shell_sleep(self, nominal: Duration) -> String {
        self.scale(nominal).map(|pause| format!("sleep {:.2}; ", pause.as_secs_f64())).unwrap_or_default()
    }
}

impl FromStr for Pace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "realistic" => Ok(Self::Factor(1.0)),
            "instant" => Ok(Self::Instant),
            _ => match text.parse::<f64>() {
                // The lower bound keeps every scaled pause representable.
                Ok(factor) if factor.is_finite() && factor >= 0.001 => Ok(Self::Factor(factor)),
                _ => Err("expected realistic, instant or a factor such as 2".to_owned()),
            },
        }
    }
}

/// A shared flag that cancels one piece of work: a run, a tool or a shell command. It cannot be reset.
#[derive(Clone, Debug)]
pub(crate) struct Cancel(Arc<watch::Sender<bool>>);

impl Cancel {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub(crate) fn cancel(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the flag is set. Returns at once if it already is.
    pub(crate) async fn cancelled(&self) {
        let mut receiver = self.0.subscribe();
        // `self` owns the sender, so the channel stays open during the wait.
        let _ = receiver.wait_for(|cancelled| *cancelled).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_names_and_factors() {
        assert_eq!("realistic".parse(), Ok(Pace::Factor(1.0)));
        assert_eq!("instant".parse(), Ok(Pace::Instant));
        assert_eq!("2.5".parse(), Ok(Pace::Factor(2.5)));
        for wrong in ["", "fast", "0", "-1", "NaN", "inf"] {
            assert!(wrong.parse::<Pace>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_factor_divides_pauses_and_instant_drops_them() {
        let second = Duration::from_secs(1);
        assert_eq!(Pace::Factor(4.0).scale(second), Some(Duration::from_millis(250)));
        assert_eq!(Pace::Instant.scale(second), None);
        assert_eq!(Pace::Instant.shell_sleep(second), "");
        assert_eq!(Pace::Factor(2.0).shell_sleep(second), "sleep 0.50; ");
    }

    #[tokio::test]
    async fn cancelling_ends_a_wait() {
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(!Pace::Factor(1.0).wait(Duration::from_secs(3600), &cancel).await);
    }
}
