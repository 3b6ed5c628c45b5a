//! What was said beside the conversation, while the page listened. Pure.

use std::sync::atomic::{AtomicU64, Ordering};

use pilothouse_core::limits::VISIBLE_NOTICES;
use pilothouse_core::protocol::event::NoticeLevel;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Tells notices of this page apart.
    pub number: u64,
    pub level: NoticeLevel,
    pub text: String,
}

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// Said once, however often in a row.
pub(super) fn add(notices: &mut Vec<Notice>, level: NoticeLevel, text: String) {
    if notices.last().is_some_and(|last| last.text == text) {
        return;
    }
    notices.push(Notice { number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed), level, text });
    let surplus = notices.len().saturating_sub(VISIBLE_NOTICES);
    notices.drain(..surplus);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_few_are_kept_and_none_is_said_twice_in_a_row() {
        let mut notices = Vec::new();
        for text in ["1", "2", "3", "4", "5", "6", "6"] {
            add(&mut notices, NoticeLevel::Info, text.to_owned());
        }
        assert_eq!(
            notices.iter().map(|notice| notice.text.as_str()).collect::<Vec<_>>(),
            ["3", "4", "5", "6"]
        );
    }
}
