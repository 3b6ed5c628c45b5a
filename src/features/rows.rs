//! The rows of the timeline, one module per kind. A row consists of hand-built elements and one effect, which updates them
//! when the row's message changes. Click handling is in `row_action`.

mod assistant;
mod code;
pub mod context;
pub mod diff;
mod error;
mod header;
pub mod image_viewer;
pub mod images;
mod inline_editor;
pub mod markdown;
pub mod row_action;
mod shell;
mod streamed_text;
mod system;
mod thinking;
mod tool;
pub mod tool_details;
mod user;

use pilothouse_core::Kind;
use web_sys::Element;

use self::context::RowContext;

/// Builds the element of a row, whose effect belongs to the current owner. A row's kind never changes.
pub fn build(context: RowContext) -> Element {
    match context.kind() {
        Kind::User => user::build(context),
        Kind::Assistant => assistant::build(context),
        Kind::Thinking => thinking::build(context),
        Kind::Tool => tool::build(context),
        Kind::Bash => shell::build(context),
        Kind::Error => error::build(context),
        Kind::System => system::build(context),
    }
}
