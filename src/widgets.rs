//! Components that several features use.

pub mod confirm_dialog;
pub mod dialog;
pub mod focus;
pub mod icon;
pub mod lazy_part;
pub mod listbox;
pub mod message_editor;
pub mod popover;
pub mod relative_time;
pub mod rename_field;
pub mod visible_text;
