//! One session as a whole: its state machine, and the view that server and page fold from the same events.

pub mod machine;
pub mod view;
