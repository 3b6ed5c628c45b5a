//! `/help`: everything the demo can do.

use super::{COMMANDS, CallResult, Scene, Setting, SlashCommand, Step};

pub(super) struct Help;

impl Help {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for Help {
    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        let row = |command: &SlashCommand| format!("| `/{}` | {} |", command.name, command.description);
        let (listed, hidden): (Vec<_>, Vec<_>) = COMMANDS.iter().partition(|command| command.listed);
        let table =
            |commands: Vec<&SlashCommand>| commands.into_iter().map(row).collect::<Vec<_>>().join("\n");
        let listed = table(listed);
        if setting.terse {
            return Step::say(format!("| command | shows |\n|---|---|\n{listed}"));
        }
        Step::say(format!(
            "## What the demo can do\n\n\
            | command | shows |\n|---|---|\n{listed}\n\n\
            Anything else you type gets a short answer that says who I am. Images you attach are counted and measured. \
            Messages sent while I work are taken up between two steps (steering) or at the end (follow-up).\n\n\
            `!command` runs a shell command of yours in `{folder}`.\n\n\
            ### For tests\n\n\
            | command | does |\n|---|---|\n{hidden}\n\n\
            The switch `--pace` (or `PILOTHOUSE_DEMO_PACE`) sets the speed: `realistic`, `instant` or a factor.",
            folder = setting.folder.display(),
            hidden = table(hidden),
        ))
    }
}
