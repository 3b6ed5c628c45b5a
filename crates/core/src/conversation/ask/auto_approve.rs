//! Auto-approve: answers approvals without asking the user, as far as the user allowed it for the session.
//!
//! An automatic answer approves one request, never "always", and only if exactly one answer means a plain yes. The
//! level decides which requests are answered; whatever is unclear is left to the user.

use serde::{Deserialize, Serialize};

use super::consent::Consent;
use super::{Answer, Ask};
use crate::conversation::ui_message::ToolStep;
use crate::json::FromJson;
use crate::render::diff::diffs_of;
use crate::render::tool_kind::ToolKind;

/// Which approvals are answered automatically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum AutoApprove {
    #[default]
    Off,
    /// Tools that only read.
    Reading,
    /// Also edits of files inside the session's folder.
    Edits,
    /// Everything that the agent asks for.
    Everything,
}

impl AutoApprove {
    pub const ALL: [Self; 4] = [Self::Off, Self::Reading, Self::Edits, Self::Everything];

    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
    pub fn is_off(&self) -> bool {
        !self.is_on()
    }

    /// The name that the user sees.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::Reading => "Reading only",
            Self::Edits => "Edits in this folder",
            Self::Everything => "Everything",
        }
    }

    /// The answer to an approval, if this level gives one. `folder` is the session's folder.
    pub fn answer(self, ask: &Ask, folder: &str) -> Option<Answer> {
        let allowed = match self {
            Self::Off => false,
            // Not even the user sees what it is about.
            _ if ask.left_out > 0 => false,
            Self::Reading => ask.tool.as_ref().is_some_and(|tool| only_reads(tool, folder)),
            Self::Edits => {
                ask.tool.as_ref().is_some_and(|tool| only_reads(tool, folder) || edits_inside(tool, folder))
            }
            Self::Everything => true,
        };
        allowed.then(|| ask.only_answer(Consent::Yes)).flatten()
    }
}

/// The kind of a well-known tool. The name of any other tool says too little: "read_and_run" is not reading.
fn known_kind(tool: &ToolStep) -> ToolKind {
    let is_known = |name: &str| name.is_empty() || ToolKind::verb(name).is_some();
    // The declared kind of a tool with an unknown name, or of a shell command, is only the agent's word.
    let runs = ["command", "cmd"].iter().any(|key| tool.tool_args.get(key).is_some());
    let known = !tool.tool_name.is_empty() && is_known(&tool.tool_name) && is_known(&tool.info.own_name);
    if known && !runs { ToolKind::of(&tool.tool_name) } else { ToolKind::Other }
}

/// Whether a tool only reads files, and only inside the folder.
fn only_reads(tool: &ToolStep, folder: &str) -> bool {
    let reads =
        matches!(known_kind(tool), ToolKind::Read | ToolKind::Search | ToolKind::Find | ToolKind::List);
    let mut paths = tool.paths().peekable();
    let named = paths.peek().is_some() && paths.all(|path| is_inside(path, folder));
    let patterns = ["pattern", "glob", "include"].iter().filter_map(|key| tool.tool_args.get(key)?.as_str());
    // A search without a path is one in the folder.
    let searches = tool.paths().next().is_none() && known_kind(tool) != ToolKind::Read;
    reads
        && diffs_of(tool).is_empty()
        && (named || searches)
        && patterns.into_iter().all(|pattern| is_inside(pattern, folder))
}

/// Whether a tool edits files, all of which are known and inside the folder.
fn edits_inside(tool: &ToolStep, folder: &str) -> bool {
    if !matches!(known_kind(tool), ToolKind::Edit | ToolKind::Write) {
        return false;
    }
    let diffs = diffs_of(tool);
    let changed = diffs.iter().flat_map(|diff| std::iter::once(&diff.path).chain(&diff.old_path));
    let mut paths = changed.map(String::as_str).chain(tool.paths()).peekable();
    paths.peek().is_some() && paths.all(|path| is_inside(path, folder))
}

/// Whether a path is inside a folder, judging by its text: without `..`, and below the folder if it is absolute. The
/// server resolves links before it relies on this.
pub fn is_inside(path: &str, folder: &str) -> bool {
    let has_parent = path.split(['/', '\\']).any(|part| part == "..");
    let is_absolute = path.starts_with(['/', '\\', '~']) || path.chars().nth(1) == Some(':');
    let below = path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
    let is_address = path.contains("://");
    !path.trim().is_empty() && !has_parent && !is_address && (!is_absolute || below)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::conversation::ask::{AskKind, Choice, ChoiceKind};

    fn ask(tool: &str, args: Value) -> Ask {
        let choice = |id: &str, name: &str, kind| Choice { id: id.into(), name: name.into(), kind };
        Ask {
            kind: AskKind::Permission,
            approval: true,
            choices: vec![
                choice("always", "Always allow", ChoiceKind::AllowAlways),
                choice("once", "Allow", ChoiceKind::AllowOnce),
                choice("no", "Reject", ChoiceKind::RejectOnce),
            ],
            tool: Some(Box::new(ToolStep { tool_name: tool.into(), tool_args: args, ..ToolStep::default() })),
            ..Ask::default()
        }
    }

    fn levels(ask: &Ask) -> Vec<AutoApprove> {
        let once = Some(Answer::Choose("once".into()));
        AutoApprove::ALL.into_iter().filter(|level| level.answer(ask, "/ship") == once).collect()
    }

    #[test]
    fn each_level_answers_what_it_names_and_never_more() {
        use AutoApprove::{Edits, Everything, Reading};
        assert_eq!(levels(&ask("read", json!({"path": "/ship/a"}))), [Reading, Edits, Everything]);
        assert_eq!(levels(&ask("read", json!({"path": "/etc/shadow"}))), [Everything], "outside");
        let edit = |path: &str| ask("edit", json!({"path": path, "oldText": "a", "newText": "b"}));
        assert_eq!(levels(&edit("/ship/a")), [Edits, Everything]);
        assert_eq!(levels(&edit("a")), [Edits, Everything], "a relative path");
        for outside in ["/etc/a", "/ship/../etc/a", "../a", "/shipyard/a", "~/a", "C:\\a", ""] {
            assert_eq!(levels(&edit(outside)), [Everything], "{outside}");
        }
        assert_eq!(levels(&ask("bash", json!({"command": "ls"}))), [Everything]);
        assert_eq!(levels(&ask("mcp__read_and_run", json!({}))), [Everything]);
        assert_eq!(levels(&ask("read", json!({}))), [Everything], "it is not known what is read");
        assert_eq!(levels(&ask("read", json!({"path": "file:///ship/a"}))), [Everything]);
        assert_eq!(levels(&ask("grep", json!({"pattern": "fold"}))), [Reading, Edits, Everything]);
        assert_eq!(levels(&ask("glob", json!({"pattern": "/root/.ssh/*"}))), [Everything]);
        assert_eq!(levels(&ask("read", json!({"path": "a", "command": "cat a; rm a"}))), [Everything]);
        let mut declared = ask("read", json!({"path": "a"}));
        declared.tool.as_mut().unwrap().info.own_name = "mcp__x__run".into();
        assert_eq!(levels(&declared), [Everything], "only the agent calls it reading");
        assert_eq!(levels(&ask("edit", json!({}))), [Everything], "it is not known what is edited");
    }

    #[test]
    fn only_a_plain_yes_is_given_and_only_if_it_is_the_only_one() {
        let mut two = ask("bash", json!({}));
        two.choices.push(Choice { id: "2".into(), name: "Allow".into(), kind: ChoiceKind::AllowOnce });
        assert_eq!(AutoApprove::Everything.answer(&two, "/ship"), None);
        let mut always = ask("bash", json!({}));
        always.choices.retain(|choice| choice.kind != ChoiceKind::AllowOnce);
        assert_eq!(AutoApprove::Everything.answer(&always, "/ship"), None, "never always");
        let confirm = Ask { kind: AskKind::Confirm, approval: true, ..Ask::default() };
        assert_eq!(AutoApprove::Everything.answer(&confirm, "/ship"), Some(Answer::Confirm(true)));
        assert_eq!(AutoApprove::Edits.answer(&confirm, "/ship"), None);
        let question = Ask { kind: AskKind::Confirm, ..Ask::default() };
        assert_eq!(AutoApprove::Everything.answer(&question, "/ship"), None, "not an approval");
    }
}
