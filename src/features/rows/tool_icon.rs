//! Which icon stands before a tool call. Pure.

use pilothouse_core::render::tool_kind::ToolKind;

use crate::widgets::icon::Icon;

pub fn tool_icon(tool: &str) -> Icon {
    match ToolKind::of(tool) {
        ToolKind::Shell => Icon::Terminal,
        ToolKind::Edit | ToolKind::Write => Icon::Edit,
        ToolKind::Read => Icon::File,
        ToolKind::Search | ToolKind::Find => Icon::Search,
        ToolKind::List => Icon::Folder,
        ToolKind::Plan => Icon::List,
        ToolKind::Delegate => Icon::Fork,
        ToolKind::Web => Icon::Globe,
        ToolKind::Other => Icon::Tool,
    }
}
