//! Sessions of pi as a whole: naming, forking, compaction, several tabs, and the same session in a terminal.

mod compaction;
mod library;
mod many_tabs;
mod takeover;
mod terminal;
