//! Display data derived from messages and never stored: Markdown blocks, diffs, descriptions of tool calls, plain
//! text.

pub mod describe;
pub mod diff;
pub mod export;
pub mod failure;
pub mod find;
pub mod markdown;
pub mod tool_kind;
pub mod tool_view;
pub mod visible_text;

#[cfg(test)]
#[path = "render/tests/work.rs"]
mod work;
