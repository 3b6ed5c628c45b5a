//! What was said beside the conversation, while the page listened. Pure.

use pilothouse_core::event::NoticeLevel;
use pilothouse_core::limits::KEPT_NOTICES;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The number of its event.
    pub number: u64,
    pub level: NoticeLevel,
    pub text: String,
}

/// Events up to `seen` were applied before: what comes again after a reconnect is not said again.
pub(super) fn add(notices: &mut Vec<Notice>, notice: Notice, seen: u64) {
    if notice.number > seen {
        notices.push(notice);
        let surplus = notices.len().saturating_sub(KEPT_NOTICES);
        notices.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(number: u64) -> Notice {
        Notice { number, level: NoticeLevel::Info, text: number.to_string() }
    }

    #[test]
    fn the_newest_few_are_kept_and_none_is_said_twice() {
        let mut notices = Vec::new();
        for number in 1..=6 {
            add(&mut notices, notice(number), number - 1);
        }
        add(&mut notices, notice(6), 6);
        assert_eq!(notices.iter().map(|notice| notice.number).collect::<Vec<_>>(), [3, 4, 5, 6]);
    }
}
