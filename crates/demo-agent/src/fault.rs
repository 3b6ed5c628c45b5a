//! The faults that tests ask for: what goes wrong, and after how many lines.
//!
//! Only the description and its spelling on the command line; `output` carries them out.

use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Something happens once this many lines have been sent.
    After(u64, Mishap),
    /// Neither SIGTERM nor the end of stdin ends the process.
    IgnoreTerm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Send nothing more, but stay alive and keep reading.
    Stall,
    /// One line of so many bytes, then go on.
    Flood { bytes: u64 },
    /// So many well-formed event lines, then go on.
    Lines { count: u64 },
    /// Lines that are no JSON, or JSON that is no event, or not even UTF-8; then go on.
    Junk,
    /// Exit with this code and a line on stderr.
    Die { code: i32 },
    /// Be gone at once, as after SIGKILL.
    Kill,
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "ignore-term" {
            return Ok(Self::IgnoreTerm);
        }
        let (name, place) = text.split_once('@').ok_or(
            "expected ignore-term or stall|flood|lines|junk|die|kill@N, with :AMOUNT where it applies",
        )?;
        let (after, amount) = match place.split_once(':') {
            Some((after, amount)) => (after, Some(number(amount)?)),
            None => (place, None),
        };
        let mishap = match (name, amount) {
            ("stall", None) => Mishap::Stall,
            ("flood", bytes) => Mishap::Flood { bytes: bytes.unwrap_or(100_000_000) },
            ("lines", count) => Mishap::Lines { count: count.unwrap_or(1_000_000) },
            ("junk", None) => Mishap::Junk,
            ("die", code) => {
                Mishap::Die { code: i32::try_from(code.unwrap_or(1)).map_err(|error| error.to_string())? }
            }
            ("kill", None) => Mishap::Kill,
            _ => return Err(format!("no such fault: {text}")),
        };
        Ok(Self::After(number(after)?, mishap))
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_fault() {
        for (text, fault) in [
            ("stall@3", Fault::After(3, Mishap::Stall)),
            ("flood@0", Fault::After(0, Mishap::Flood { bytes: 100_000_000 })),
            ("flood@1:50", Fault::After(1, Mishap::Flood { bytes: 50 })),
            ("lines@2:10", Fault::After(2, Mishap::Lines { count: 10 })),
            ("junk@4", Fault::After(4, Mishap::Junk)),
            ("die@5", Fault::After(5, Mishap::Die { code: 1 })),
            ("die@5:7", Fault::After(5, Mishap::Die { code: 7 })),
            ("kill@6", Fault::After(6, Mishap::Kill)),
            ("ignore-term", Fault::IgnoreTerm),
        ] {
            assert_eq!(text.parse(), Ok(fault));
        }
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for text in ["", "stall", "stall@", "stall@x", "stall@1:2", "explode@1", "die@1:99999999999"] {
            assert!(text.parse::<Fault>().is_err(), "{text}");
        }
    }
}
