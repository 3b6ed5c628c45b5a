//! The last events of a session, ready to be sent again to a page that comes back.

use std::collections::VecDeque;

use axum::extract::ws::Utf8Bytes;
use pilothouse_core::limits::{EVENT_BUFFER_BYTES, EVENT_BUFFER_EVENTS};

#[derive(Debug, Default)]
pub struct EventBuffer {
    frames: VecDeque<Utf8Bytes>,
    bytes: usize,
    /// The sequence number of the last frame.
    last: u64,
}

impl EventBuffer {
    pub fn push(&mut self, seq: u64, frame: Utf8Bytes) {
        self.bytes += frame.len();
        self.frames.push_back(frame);
        self.last = seq;
        while self.frames.len() > EVENT_BUFFER_EVENTS || self.bytes > EVENT_BUFFER_BYTES {
            let Some(oldest) = self.frames.pop_front() else { break };
            self.bytes -= oldest.len();
        }
    }

    /// The frames after `seq`, or None if some of them are gone (or never were).
    pub fn after(&self, seq: u64) -> Option<impl Iterator<Item = Utf8Bytes> + '_> {
        let missing = usize::try_from(self.last.checked_sub(seq)?).ok()?;
        let start = self.frames.len().checked_sub(missing)?;
        Some(self.frames.iter().skip(start).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(count: u64) -> EventBuffer {
        let mut replay = EventBuffer::default();
        (1..=count).for_each(|seq| replay.push(seq, seq.to_string().into()));
        replay
    }

    fn after(replay: &EventBuffer, seq: u64) -> Option<Vec<String>> {
        replay.after(seq).map(|frames| frames.map(|frame| frame.to_string()).collect())
    }

    #[test]
    fn gives_exactly_what_is_missing() {
        let replay = filled(5);
        assert_eq!(after(&replay, 5), Some(vec![]));
        assert_eq!(after(&replay, 3), Some(vec!["4".into(), "5".into()]));
        assert_eq!(after(&replay, 0).map(|frames| frames.len()), Some(5));
    }

    #[test]
    fn a_cursor_from_the_future_or_too_far_behind_has_no_replay() {
        assert_eq!(after(&filled(5), 6), None);
        let long = filled(EVENT_BUFFER_EVENTS as u64 + 10);
        assert_eq!(after(&long, 9), None);
        assert_eq!(after(&long, 10).map(|frames| frames.len()), Some(EVENT_BUFFER_EVENTS));
    }
}
