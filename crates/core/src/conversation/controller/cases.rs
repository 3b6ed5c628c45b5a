//! The numbered cases that concern the reducer alone. `tests/cases.md` lists the files of all cases.

mod history;
mod restores;
mod streaming;
mod user_messages;
