//! Reading: long conversations and answers, code, files, and a view that holds still.

mod code;
mod continuity;
mod files;
mod long_answer;
pub mod long_conversation;
