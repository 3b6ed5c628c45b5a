//! Classifies tools by their names, since each agent has its own names for the same tools.

/// The kind of work that a tool does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolKind {
    Shell,
    Edit,
    Write,
    Read,
    Search,
    Find,
    List,
    /// A list of the steps that the agent intends to take.
    Plan,
    /// Work delegated to another agent.
    Delegate,
    Web,
    #[default]
    Other,
}

/// The beginnings of words in a tool's name, the most specific kind first: `todo_write` is a plan, `web_search`
/// the web.
const WORD_PREFIXES: [(ToolKind, &[&str]); 10] = [
    (ToolKind::Plan, &["todo", "plan"]),
    (ToolKind::Delegate, &["task", "agent", "subagent", "delegate"]),
    (ToolKind::Shell, &["bash", "shell", "exec", "terminal", "command"]),
    (ToolKind::Web, &["web", "fetch", "http", "browser"]),
    (ToolKind::Edit, &["edit", "multiedit", "patch", "replace", "diff"]),
    (ToolKind::Write, &["write", "create"]),
    (ToolKind::Read, &["read", "view", "cat"]),
    (ToolKind::Search, &["grep", "search", "rg"]),
    (ToolKind::Find, &["find", "glob"]),
    (ToolKind::List, &["list", "ls", "dir"]),
];

impl ToolKind {
    pub fn of(tool: &str) -> Self {
        let words = words(tool);
        let matches = |prefixes: &[&str]| {
            words.iter().any(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)))
        };
        WORD_PREFIXES
            .iter()
            .find(|(_, prefixes)| matches(prefixes))
            .map(|(kind, _)| *kind)
            .unwrap_or_default()
    }

    /// A verb for a well-known tool. Other tools are shown by name, since two tools of a kind may do different
    /// things.
    pub fn verb(tool: &str) -> Option<&'static str> {
        Some(match tool.to_ascii_lowercase().as_str() {
            "bash" | "shell" | "exec" | "run_shell_command" | "execute_command" => "Run",
            "read" | "read_file" => "Read",
            "write" | "write_file" | "write_to_file" => "Write",
            "edit" | "multiedit" | "replace" | "apply_patch" | "apply_diff" => "Edit",
            "ls" | "list" | "list_directory" | "list_files" => "List",
            "grep" | "search" | "search_file_content" | "search_files" => "Search",
            "find" | "glob" => "Find",
            "todowrite" | "todo_write" | "write_todos" | "update_plan" | "update_todo_list" => "Plan",
            "task" | "new_task" => "Delegate",
            "fetch" | "webfetch" | "web_fetch" => "Fetch",
            "websearch" | "web_search" | "google_web_search" => "Search the web",
            "delete" => "Delete",
            "move" => "Move",
            "think" => "Think",
            "switch_mode" => "Switch mode",
            _ => return None,
        })
    }
}

/// The words of a name in lower case: `runShell_command` has three.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lowercase = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (after_lowercase && letter.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        after_lowercase = letter.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_all_agents_are_classified() {
        let same = |kind: ToolKind, names: &[&str]| {
            for name in names {
                assert_eq!(ToolKind::of(name), kind, "{name}");
            }
        };
        same(ToolKind::Shell, &["bash", "Bash", "run_shell_command", "execute_command", "shell"]);
        same(ToolKind::Plan, &["TodoWrite", "todowrite", "update_plan", "write_todos", "update_todo_list"]);
        same(ToolKind::Delegate, &["Task", "new_task", "dispatchAgent"]);
        same(ToolKind::Web, &["WebSearch", "google_web_search", "webfetch"]);
        same(ToolKind::Edit, &["MultiEdit", "apply_patch", "str_replace", "NotebookEdit"]);
        same(ToolKind::Read, &["read", "read_many_files"]);
        same(ToolKind::Search, &["Grep", "search_file_content"]);
        same(ToolKind::List, &["ls", "list_directory"]);
        same(ToolKind::Other, &["mcp_thing", "", "spread_thread"]);
    }

    #[test]
    fn only_well_known_tools_have_a_verb() {
        assert_eq!(ToolKind::verb("Bash"), Some("Run"));
        assert_eq!(ToolKind::verb("mcp__issues__search"), None);
    }
}
