//! Notices: short messages next to the conversation, which only this page keeps. Pure.

use std::sync::atomic::{AtomicU64, Ordering};

use pilothouse_core::limits::VISIBLE_NOTICES;
use pilothouse_core::protocol::event::NoticeLevel;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Unique in this page.
    pub number: u64,
    pub level: NoticeLevel,
    pub text: String,
    /// The last entry of the branch that the notice is about.
    pub branch: Option<String>,
}

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// Adds a notice, unless it repeats the last one, and drops the oldest ones beyond the limit.
pub(super) fn add(notices: &mut Vec<Notice>, level: NoticeLevel, text: String, branch: Option<String>) {
    if notices.last().is_some_and(|last| last.text == text && last.branch == branch) {
        return;
    }
    notices.push(Notice { number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed), level, text, branch });
    let surplus = notices.len().saturating_sub(VISIBLE_NOTICES);
    notices.drain(..surplus);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_are_kept_and_repetitions_are_skipped() {
        let mut notices = Vec::new();
        for text in ["1", "2", "3", "4", "5", "6", "6"] {
            add(&mut notices, NoticeLevel::Info, text.to_owned(), None);
        }
        assert_eq!(
            notices.iter().map(|notice| notice.text.as_str()).collect::<Vec<_>>(),
            ["3", "4", "5", "6"]
        );
    }
}
