//! `/tools`: real tools on real files, side by side and one after the other, one of them failing.

use std::time::Duration;

use super::{Block, Call, CallResult, Prop, Replacement, Scene, Setting, Step, Tool};

pub(super) struct ToolsScene {
    step: usize,
}

impl ToolsScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { step: 0 }
    }
}

impl Scene for ToolsScene {
    fn next(&mut self, setting: &Setting, results: &[CallResult]) -> Step {
        self.step += 1;
        match self.step {
            1 => Step::reply([
                Block::Thinking(
                    "First see what is here, then look into one file and run a few commands.".to_owned(),
                ),
                Block::Text("I look around in this folder.".to_owned()),
                Call::lasting(Tool::Ls { path: ".".to_owned() }, 250),
            ]),
            2 => parallel(setting, results),
            3 => write(setting),
            4 => edit(setting),
            _ => Step::say(conclusion(setting)),
        }
    }
}

/// Four calls in one reply: they run side by side and end in the order of their durations.
fn parallel(setting: &Setting, results: &[CallResult]) -> Step {
    let mut blocks = vec![Block::Text(
        "Now several things at once: they run side by side, and each row ends when it is done.".to_owned(),
    )];
    let listing = results.first().map(|result| result.text.as_str()).unwrap_or_default();
    if let Some(file) = readable_file(listing) {
        blocks.push(Call::lasting(Tool::Read { path: file }, 400));
    }
    let pause = setting.pace.shell_sleep(Duration::from_millis(450));
    blocks.extend([
        Call::lasting(
            Tool::bash(format!("for step in 1 2 3 4 5; do echo \"step $step of 5\"; {pause}done; date +%Y")),
            2600,
        ),
        Call::lasting(Tool::bash("uname -s; echo \"shell: $0\""), 900),
        Call::lasting(Tool::bash("echo 'looking for a lighthouse'; ls no-such-lighthouse; exit 3"), 1400),
        Call::lasting(Tool::Read { path: "no-such-chart.txt".to_owned() }, 200),
    ]);
    Step::reply(blocks)
}

fn write(setting: &Setting) -> Step {
    Step::reply([
        Block::Text(format!(
            "Two of these failed on purpose: a failed call opens with its error. Next, a file is written and edited, \
            in `{}` so that your project stays as it is.",
            setting.scratch.display()
        )),
        Call::lasting(Tool::Write { path: log_file(setting), content: LOG.to_owned() }, 300),
    ])
}

fn edit(setting: &Setting) -> Step {
    Step::reply([Call::lasting(
        Tool::Edit {
            path: log_file(setting),
            edits: vec![Replacement { old_text: LOG_OLD.to_owned(), new_text: LOG_NEW.to_owned() }],
        },
        300,
    )])
}

fn conclusion(setting: &Setting) -> &'static str {
    if setting.terse {
        "Done: list, read, shell, two failures, write, edit. The scratch file is gone again."
    } else {
        "That was:\n\n\
        - `ls` and `read` on real files of this folder\n\
        - three shell commands side by side, one with output that arrives bit by bit, one that exits with code 3\n\
        - a `read` of a file that does not exist\n\
        - `write` and `edit` of a scratch file\n\n\
        The scratch file is removed when this run ends. Next, try `/approve`: there I ask before I run something."
    }
}

fn log_file(setting: &Setting) -> String {
    setting.scratch.join("logbook.py").display().to_string()
}

const LOG: &str = "\
def report(ship, knots):
    return ship + \" makes \" + str(knots) + \" knots\"


def main():
    print(report(\"Pilothouse\", 12))


main()
";
const LOG_OLD: &str = "    return ship + \" makes \" + str(knots) + \" knots\"";
const LOG_NEW: &str = "    return f\"{ship} makes {knots} knots\"";

/// A file of the listing that is worth reading: a well-known name first, then anything that looks like text.
pub(super) fn readable_file(listing: &str) -> Option<String> {
    const WELL_KNOWN: [&str; 6] =
        ["README.md", "Cargo.toml", "package.json", "pyproject.toml", "Makefile", "LICENSE"];
    const TEXT: [&str; 10] = [".md", ".txt", ".toml", ".json", ".rs", ".py", ".js", ".ts", ".yaml", ".yml"];
    let files: Vec<&str> = listing.lines().filter(|line| !line.ends_with('/')).collect();
    let well_known = WELL_KNOWN.into_iter().find(|name| files.contains(name));
    let text = || files.iter().copied().find(|name| TEXT.iter().any(|ending| name.ends_with(ending)));
    well_known.or_else(text).map(str::to_owned)
}

const PICTURE: Prop = Prop { name: "lighthouse.png", bytes: include_bytes!("lighthouse.png") };

pub(super) struct ImageScene {
    shown: bool,
}

impl ImageScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { shown: false }
    }
}

impl Scene for ImageScene {
    fn props(&self) -> &'static [Prop] {
        &[PICTURE]
    }

    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        if self.shown {
            return Step::say(
                "A lighthouse at dusk, read from a real PNG file. Images from tools appear in their row; images you \
                paste, drop or pick travel with your message: attach one and I tell you what arrived.",
            );
        }
        self.shown = true;
        Step::reply([
            Block::Text("I read a picture.".to_owned()),
            Call::lasting(Tool::Read { path: setting.scratch.join(PICTURE.name).display().to_string() }, 400),
        ])
    }
}
