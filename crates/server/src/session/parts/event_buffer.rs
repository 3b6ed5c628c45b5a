//! The last events of a session, for clients that reconnect.

use std::collections::VecDeque;

use axum::extract::ws::Utf8Bytes;
use pilothouse_core::limits::{EVENT_BUFFER_BYTES, EVENT_BUFFER_EVENTS};

/// Encoded events with consecutive sequence numbers, bounded in number and size.
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

    /// Returns the frames after `seq`, or `None` if some of them were dropped or never existed.
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
        let mut buffer = EventBuffer::default();
        (1..=count).for_each(|seq| buffer.push(seq, seq.to_string().into()));
        buffer
    }

    fn after(buffer: &EventBuffer, seq: u64) -> Option<Vec<String>> {
        buffer.after(seq).map(|frames| frames.map(|frame| frame.to_string()).collect())
    }

    #[test]
    fn returns_exactly_the_missing_frames() {
        let buffer = filled(5);
        assert_eq!(after(&buffer, 5), Some(vec![]));
        assert_eq!(after(&buffer, 3), Some(vec!["4".into(), "5".into()]));
        assert_eq!(after(&buffer, 0).map(|frames| frames.len()), Some(5));
    }

    #[test]
    fn has_no_frames_for_a_cursor_that_is_ahead_or_too_far_behind() {
        assert_eq!(after(&filled(5), 6), None);
        let long = filled(EVENT_BUFFER_EVENTS as u64 + 10);
        assert_eq!(after(&long, 9), None);
        assert_eq!(after(&long, 10).map(|frames| frames.len()), Some(EVENT_BUFFER_EVENTS));
    }
}
