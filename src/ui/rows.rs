//! The rows of the timeline, one file per kind. A row reads its message through its handle, so that a change of one
//! row runs nothing of another.

pub mod assistant;
pub mod diff;
pub mod entry;
pub mod error;
pub mod images;
pub mod row_actions;
pub mod shell;
pub mod streamed_text;
pub mod system;
pub mod thinking;
pub mod tool;
pub mod tool_details;
pub mod tool_icon;
pub mod user;

use leptos::prelude::*;
use pilothouse_core::Kind;

use crate::state::server::{Row, Session};
use entry::Entry;

/// A row's kind never changes, so that its component is chosen once.
#[component]
pub fn TimelineRow(session: Session, row: Row) -> AnyView {
    let kind = row.kind();
    let entry = Entry::new(session, row);
    match kind {
        Kind::User => view! { <user::UserRow entry /> }.into_any(),
        Kind::Assistant => view! { <assistant::AssistantRow entry /> }.into_any(),
        Kind::Thinking => view! { <thinking::ThinkingRow entry /> }.into_any(),
        Kind::Tool => view! { <tool::ToolRow entry /> }.into_any(),
        Kind::Bash => view! { <shell::ShellRow entry /> }.into_any(),
        Kind::Error => view! { <error::ErrorRow entry /> }.into_any(),
        Kind::System => view! { <system::SystemRow entry /> }.into_any(),
    }
}
