//! Which icon stands before a tool call. Pure.

use crate::ui::icon::Icon;

pub fn tool_icon(tool: &str) -> Icon {
    let tool = tool.to_ascii_lowercase();
    let has = |part: &str| tool.contains(part);
    match () {
        () if has("bash") || has("shell") || has("exec") || has("terminal") => Icon::Terminal,
        () if has("edit") || has("write") || has("patch") => Icon::Edit,
        () if has("read") || has("view") => Icon::File,
        () if has("grep") || has("search") || has("find") || has("glob") => Icon::Search,
        () if has("list") || tool == "ls" || has("todo") || has("plan") => Icon::List,
        () if has("fetch") || has("web") || has("http") => Icon::Globe,
        () => Icon::Tool,
    }
}

/// A call that runs a command, whose command is worth more than its JSON.
pub fn is_shell(tool: &str) -> bool {
    tool_icon(tool) == Icon::Terminal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_tools_have_their_own_icon() {
        assert_eq!(tool_icon("bash"), Icon::Terminal);
        assert_eq!(tool_icon("Read"), Icon::File);
        assert_eq!(tool_icon("multiedit"), Icon::Edit);
        assert_eq!(tool_icon("mcp_thing"), Icon::Tool);
    }
}
