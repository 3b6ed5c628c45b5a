//! The numbered cases of the message model, as far as they concern the fold alone. `tests/cases.md` says where each
//! of the others is.

mod history;
mod people;
mod restores;
mod streaming;
