//! The approvals whose text was in view up to its end. Only these can be given.

use leptos::prelude::*;
use pilothouse_core::conversation::ask::{Answer, Ask};
use pilothouse_core::limits::OPEN_ASKS;

#[derive(Clone, Copy, Default)]
pub struct ReadAsks(RwSignal<Vec<[String; 3]>>);

impl ReadAsks {
    pub fn add(&self, session_id: &str, ask: &Ask) {
        self.0.update(|read| {
            if read.len() >= OPEN_ASKS {
                read.remove(0);
            }
            read.push([session_id, &ask.id, &ask.shown].map(str::to_owned));
        });
    }

    /// Whether this answer may be given: it approves nothing, or the user could see everything. Tracked.
    pub fn allow(&self, session_id: &str, ask: &Ask, answer: &Answer) -> bool {
        let is_read =
            |read: &Vec<[String; 3]>| read.iter().any(|known| *known == [session_id, &ask.id, &ask.shown]);
        self.0.with(is_read) || !ask.may_be_approved_by(answer)
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_core::conversation::ask::AskKind;

    use super::*;

    #[test]
    fn an_approval_is_given_only_for_what_was_read() {
        Owner::new().with(|| {
            let (read, yes, no) = (ReadAsks::default(), Answer::Confirm(true), Answer::Confirm(false));
            let ask = Ask {
                id: "a".into(),
                kind: AskKind::Confirm,
                approval: true,
                shown: "h".into(),
                ..Ask::default()
            };
            assert!(!read.allow("s", &ask, &yes) && read.allow("s", &ask, &no));
            assert!(read.allow("s", &Ask { approval: false, ..ask.clone() }, &yes), "a question");
            read.add("s", &ask);
            assert!(read.allow("s", &ask, &yes));
            assert!(
                !read.allow("t", &ask, &yes) && !read.allow("s", &Ask { shown: "i".into(), ..ask }, &yes)
            );
        });
    }
}
