//! How a conversation is divided: turns, and the rows before the first. Derived when it is shown, never stored.

use std::ops::Range;

use crate::conversation::ui_message::{Kind, UiMessage};

/// A user row and all that followed from it, as indices into the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The row that starts it.
    pub user: usize,
    /// All of its rows, the user's among them.
    pub rows: Range<usize>,
}

/// The rows of a conversation, divided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// What stands before the first user row, such as the summary of an earlier conversation.
    pub orphans: Range<usize>,
    pub turns: Vec<Turn>,
}

pub fn turns(rows: &[UiMessage]) -> Turns {
    let users = rows.iter().enumerate().filter(|(_, row)| row.kind == Kind::User).map(|(index, _)| index);
    let users: Vec<usize> = users.collect();
    let ends = users.iter().skip(1).copied().chain([rows.len()]);
    Turns {
        orphans: 0..users.first().copied().unwrap_or(rows.len()),
        turns: users.iter().zip(ends).map(|(user, end)| Turn { user: *user, rows: *user..end }).collect(),
    }
}

/// The last thing the person said, such as to say it again after a failure. Rows the server refused do not count.
pub fn last_user_message(rows: &[UiMessage]) -> Option<&UiMessage> {
    rows.iter().rfind(|row| row.kind == Kind::User && row.mark.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ui_message::Mark;

    fn rows(kinds: &str) -> Vec<UiMessage> {
        let kind = |letter| match letter {
            'U' => Kind::User,
            'T' => Kind::Tool,
            'S' => Kind::System,
            _ => Kind::Assistant,
        };
        kinds.chars().map(|letter| UiMessage { kind: kind(letter), ..UiMessage::default() }).collect()
    }

    #[test]
    fn a_user_row_starts_a_turn_and_what_stands_before_the_first_is_orphaned() {
        let divided = turns(&rows("SAUATAUUA"));
        assert_eq!(divided.orphans, 0..2);
        let spans: Vec<_> = divided.turns.iter().map(|turn| turn.rows.clone()).collect();
        assert_eq!(spans, [2..6, 6..7, 7..9]);
        assert!(divided.turns.iter().all(|turn| turn.user == turn.rows.start));
    }

    #[test]
    fn without_a_user_row_all_are_orphans() {
        assert_eq!(turns(&rows("SAT")), Turns { orphans: 0..3, turns: vec![] });
        assert_eq!(turns(&[]), Turns::default());
    }

    #[test]
    fn the_last_user_message_is_the_last_that_was_sent() {
        let mut said = rows("UAUA");
        said[2].text = "second".into();
        assert_eq!(last_user_message(&said).map(|row| row.text.as_str()), Some("second"));
        said[2].mark = Some(Mark::Refused);
        assert_eq!(last_user_message(&said), Some(&said[0]));
        assert_eq!(last_user_message(&rows("SA")), None);
    }
}
