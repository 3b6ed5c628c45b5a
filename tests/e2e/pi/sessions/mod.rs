//! Sessions of pi as a whole: naming, forking, branches, compaction, several tabs, and the same session in a terminal.

mod branches;
mod compaction;
mod library;
mod many_tabs;
mod takeover;
mod terminal;
