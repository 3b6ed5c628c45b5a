//! The rows of the timeline, one file per kind. A row is elements made by hand and one effect that keeps them true: it
//! runs again when its message has changed, and for no other row's sake. What a click on a row does is in `acts`.

mod assistant;
pub mod click;
mod code;
mod diff;
mod edit;
pub mod entry;
mod error;
pub mod image_viewer;
pub mod images;
mod line;
pub mod markdown;
mod shell;
mod streamed_text;
mod system;
mod thinking;
mod tool;
mod tool_details;
mod tool_icon;
mod user;

use pilothouse_core::Kind;
use web_sys::Element;

use self::entry::Entry;

/// A row that lives as long as the current owner. Its kind never changes, so that its form is chosen once.
pub fn build(entry: Entry) -> Element {
    match entry.kind() {
        Kind::User => user::build(entry),
        Kind::Assistant => assistant::build(entry),
        Kind::Thinking => thinking::build(entry),
        Kind::Tool => tool::build(entry),
        Kind::Bash => shell::build(entry),
        Kind::Error => error::build(entry),
        Kind::System => system::build(entry),
    }
}
