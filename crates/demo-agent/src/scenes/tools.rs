//! Real tools: `/tools` and `/image`.

use std::time::Duration;

use super::{Block, CallResult, Replacement, Scene, SceneContext, SceneFile, Step, Tool};

/// `/tools`: runs tools on real files, in parallel and in sequence, some of them failing.
pub(super) struct ToolsScene {
    step: usize,
}

impl ToolsScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { step: 0 }
    }
}

impl Scene for ToolsScene {
    fn next(&mut self, context: &SceneContext, results: &[CallResult]) -> Step {
        self.step += 1;
        match self.step {
            1 => Step::reply([
                Block::Thinking(
                    "First list this folder, then read one file and run a few commands.".to_owned(),
                ),
                Block::Text("I'll look around in this folder.".to_owned()),
                Block::call(Tool::Ls { path: ".".to_owned() }, 250),
            ]),
            2 => parallel_calls(context, results),
            3 => write_file(context),
            4 => edit_file(context),
            _ => Step::say(conclusion(context)),
        }
    }
}

/// Several calls in one reply, which run in parallel.
fn parallel_calls(context: &SceneContext, results: &[CallResult]) -> Step {
    let mut blocks = vec![Block::Text(
        "Now several calls at once. They run in parallel, and each row updates when its call is done."
            .to_owned(),
    )];
    let listing = results.first().map(|result| result.text.as_str()).unwrap_or_default();
    if let Some(file) = readable_file(listing) {
        blocks.push(Block::call(Tool::Read { path: file }, 400));
    }
    let pause = context.pace.shell_sleep(Duration::from_millis(450));
    blocks.extend([
        Block::call(
            Tool::bash(format!("for step in 1 2 3 4 5; do echo \"step $step of 5\"; {pause}done; date +%Y")),
            2600,
        ),
        Block::call(Tool::bash("uname -s; echo \"shell: $0\""), 900),
        Block::call(Tool::bash("echo 'looking for a lighthouse'; ls no-such-lighthouse; exit 3"), 1400),
        Block::call(Tool::Read { path: "no-such-chart.txt".to_owned() }, 200),
    ]);
    Step::reply(blocks)
}

fn write_file(context: &SceneContext) -> Step {
    Step::reply([
        Block::Text(format!(
            "Two of these failed on purpose; open them to see the error. Next, I'll write and edit a file \
            in `{}`, so your project isn't changed.",
            context.scratch.display()
        )),
        Block::call(Tool::Write { path: log_file(context), content: LOG.to_owned() }, 300),
    ])
}

fn edit_file(context: &SceneContext) -> Step {
    Step::reply([Block::call(
        Tool::Edit {
            path: log_file(context),
            edits: vec![Replacement { old_text: OLD_LINE.to_owned(), new_text: NEW_LINE.to_owned() }],
        },
        300,
    )])
}

fn conclusion(context: &SceneContext) -> &'static str {
    if context.terse {
        "Done: list, read, shell, two failures, write, edit. The scratch file is removed."
    } else {
        "That was:\n\n\
        - `ls` and `read` on real files of this folder\n\
        - three shell commands in parallel, one with streamed output, one that exits with code 3\n\
        - a `read` of a file that does not exist\n\
        - `write` and `edit` of a scratch file\n\n\
        The scratch file is removed when this run ends. Next, try `/approve`: I'll ask before I run something."
    }
}

fn log_file(context: &SceneContext) -> String {
    context.scratch.join("logbook.py").display().to_string()
}

const LOG: &str = "\
def report(ship, knots):
    return ship + \" makes \" + str(knots) + \" knots\"


def main():
    print(report(\"Pilothouse\", 12))


main()
";
const OLD_LINE: &str = "    return ship + \" makes \" + str(knots) + \" knots\"";
const NEW_LINE: &str = "    return f\"{ship} makes {knots} knots\"";

/// Chooses a file of the listing to read: a well-known one first, otherwise one with the extension of a text file.
pub(super) fn readable_file(listing: &str) -> Option<String> {
    const WELL_KNOWN: [&str; 6] =
        ["README.md", "Cargo.toml", "package.json", "pyproject.toml", "Makefile", "LICENSE"];
    const TEXT: [&str; 10] = [".md", ".txt", ".toml", ".json", ".rs", ".py", ".js", ".ts", ".yaml", ".yml"];
    let files: Vec<&str> = listing.lines().filter(|line| !line.ends_with('/')).collect();
    let well_known = WELL_KNOWN.into_iter().find(|name| files.contains(name));
    let text = || files.iter().copied().find(|name| TEXT.iter().any(|ending| name.ends_with(ending)));
    well_known.or_else(text).map(str::to_owned)
}

const PICTURE: SceneFile = SceneFile { name: "lighthouse.png", bytes: include_bytes!("lighthouse.png") };

/// `/image`: an image as a tool result.
pub(super) struct ImageScene {
    shown: bool,
}

impl ImageScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { shown: false }
    }
}

impl Scene for ImageScene {
    fn files(&self) -> &'static [SceneFile] {
        &[PICTURE]
    }

    fn next(&mut self, context: &SceneContext, _results: &[CallResult]) -> Step {
        if self.shown {
            return Step::say(
                "A lighthouse at dusk, read from a real PNG file. Images from tools appear in their row; images you \
                paste, drop or pick are sent with your message: attach one and I'll tell you what arrived.",
            );
        }
        self.shown = true;
        Step::reply([
            Block::Text("I'll read an image.".to_owned()),
            Block::call(Tool::Read { path: context.scratch.join(PICTURE.name).display().to_string() }, 400),
        ])
    }
}
