//! Limits how many wrong credentials are accepted for checking, from one address and in total.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pilothouse_core::limits::WRONG_CREDENTIALS;

const PERIOD: Duration = Duration::from_secs(60);

/// The number of addresses that are remembered because a valid credential came from them.
const KNOWN_ADDRESSES: usize = 256;

/// The wrong credentials of the last minute.
#[derive(Debug, Default)]
pub struct Limiter(Mutex<Attempts>);

#[derive(Debug, Default)]
struct Attempts {
    /// Oldest first.
    wrong: VecDeque<(Instant, IpAddr)>,
    /// The addresses from which a valid credential came, with the time of the last one. Strangers' attempts do not keep
    /// them out.
    known: HashMap<IpAddr, Instant>,
}

impl Limiter {
    /// Runs a check, unless there were too many wrong credentials: then the error is the time after which the next one
    /// is checked.
    pub fn attempt<T, E>(
        &self,
        address: IpAddr,
        now: Instant,
        check: impl FnOnce() -> Result<T, E>,
    ) -> Result<Result<T, E>, Duration> {
        let network = network_of(address);
        // Locked during the check, so that attempts at the same time count, too.
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(delay) = attempts.delay(network, now) {
            return Err(delay);
        }
        let checked = check();
        if checked.is_ok() {
            attempts.add_known(network, now);
        } else {
            attempts.wrong.push_back((now, network));
            tracing::warn!(%address, "a wrong credential was refused");
            if let Some(delay) = attempts.delay(network, now) {
                tracing::warn!(%address, "too many wrong credentials: no more are checked for {} s", delay.as_secs());
            }
        }
        Ok(checked)
    }
}

impl Attempts {
    fn delay(&mut self, network: IpAddr, now: Instant) -> Option<Duration> {
        while self.wrong.front().is_some_and(|(time, _)| now.duration_since(*time) >= PERIOD) {
            self.wrong.pop_front();
        }
        // The one that has to be a minute old before the next is checked.
        let last = |attempts: &mut dyn Iterator<Item = &(Instant, IpAddr)>| {
            attempts.nth(WRONG_CREDENTIALS - 1).map(|(time, _)| *time)
        };
        let own = last(&mut self.wrong.iter().rev().filter(|(_, other)| *other == network));
        let any = last(&mut self.wrong.iter().rev()).filter(|_| !self.known.contains_key(&network));
        let delay = PERIOD.saturating_sub(now.duration_since(own.max(any)?));
        Some(delay)
    }

    fn add_known(&mut self, network: IpAddr, now: Instant) {
        self.known.insert(network, now);
        if self.known.len() > KNOWN_ADDRESSES
            && let Some(oldest) =
                self.known.iter().min_by_key(|(_, time)| **time).map(|(address, _)| *address)
        {
            self.known.remove(&oldest);
        }
    }
}

/// The address that attempts are counted for: a network of IPv6 has more addresses than anyone can count.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u8) -> IpAddr {
        [192, 0, 2, number].into()
    }

    fn wrong(limiter: &Limiter, address: IpAddr, now: Instant) -> Option<Duration> {
        limiter.attempt(address, now, || Err::<(), ()>(())).err()
    }

    fn valid(limiter: &Limiter, address: IpAddr, now: Instant) -> Option<Duration> {
        limiter.attempt(address, now, || Ok::<(), ()>(())).err()
    }

    #[test]
    fn after_ten_wrong_credentials_none_is_checked_until_the_first_is_a_minute_old() {
        let limiter = Limiter::default();
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        for second in 0..10 {
            assert_eq!(wrong(&limiter, address(1), at(second)), None, "attempt {second}");
        }
        let delay = Some(Duration::from_secs(50));
        assert_eq!(wrong(&limiter, address(1), at(10)), delay);
        assert_eq!(valid(&limiter, address(1), at(10)), delay, "a valid one is checked");
        assert_eq!(wrong(&limiter, address(1), at(60)), None);
        assert_eq!(wrong(&limiter, address(1), at(60)), Some(Duration::from_secs(1)));
    }

    #[test]
    fn attempts_from_many_addresses_count_together_and_keep_no_known_address_out() {
        let limiter = Limiter::default();
        let now = Instant::now();
        assert_eq!(valid(&limiter, address(100), now), None);
        for number in 0..10 {
            assert_eq!(wrong(&limiter, address(number), now), None);
        }
        assert_eq!(wrong(&limiter, address(50), now), Some(PERIOD));
        for _ in 0..10 {
            assert_eq!(wrong(&limiter, address(100), now), None);
        }
        assert_eq!(wrong(&limiter, address(100), now), Some(PERIOD));
    }

    #[test]
    fn the_addresses_of_one_ipv6_network_count_as_one_and_mapped_ones_as_ipv4() {
        let network = |text: &str| network_of(text.parse().unwrap());
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:192.0.2.7"), network("192.0.2.7"));
    }

    #[test]
    fn the_number_of_known_addresses_is_bounded() {
        let limiter = Limiter::default();
        let start = Instant::now();
        for number in 0..=u16::try_from(KNOWN_ADDRESSES).unwrap() {
            let [high, low] = number.to_be_bytes();
            valid(&limiter, [10, 0, high, low].into(), start + Duration::from_secs(number.into()));
        }
        let attempts = limiter.0.lock().unwrap();
        assert_eq!(attempts.known.len(), KNOWN_ADDRESSES);
        assert!(!attempts.known.contains_key(&IpAddr::from([10, 0, 0, 0])));
    }
}
