//! The guide: the answer to prompts without a slash command, `/help` and `/tour`.

use std::time::Duration;

use super::{
    Block, COMMANDS, CallResult, ImageInfo, Scene, SceneContext, SlashCommand, Step, Tool,
    tools::readable_file,
};

/// Explains that this is the demo, what to try, and how to connect a real agent.
pub(super) struct PlainScene {
    unknown_command: Option<String>,
    images: Vec<ImageInfo>,
}

impl PlainScene {
    pub(super) fn new(text: &str, images: &[ImageInfo]) -> Self {
        let first_word = text.split_whitespace().next().unwrap_or_default();
        let looks_like_a_command = first_word.starts_with('/') && !first_word[1..].contains('/');
        Self {
            unknown_command: (looks_like_a_command && first_word.len() > 1).then(|| first_word.to_owned()),
            images: images.to_vec(),
        }
    }
}

impl Scene for PlainScene {
    fn next(&mut self, context: &SceneContext, _results: &[CallResult]) -> Step {
        let mut parts = Vec::new();
        if let Some(command) = &self.unknown_command {
            parts.push(format!("Unknown command: `{command}`. Type `/help` to see all commands."));
        }
        if !self.images.is_empty() {
            parts.push(describe_images(&self.images));
        }
        if context.user_messages <= 1 {
            parts.push(if context.terse { WELCOME_TERSE } else { WELCOME }.to_owned());
        } else if parts.is_empty() {
            let hints: &[&str] = if context.terse { &HINTS_TERSE } else { &HINTS };
            parts.push(hints[(context.user_messages - 2) % hints.len()].to_owned());
        }
        let thought = if self.images.is_empty() {
            "This message needs a model, and I don't have one. I'll say so and suggest something that works."
        } else {
            "The message has images. I can't see them, but I can list what arrived."
        };
        Step::reply([Block::Thinking(thought.to_owned()), Block::Text(parts.join("\n\n"))])
    }
}

fn describe_images(images: &[ImageInfo]) -> String {
    let list: Vec<String> = images
        .iter()
        .enumerate()
        .map(|(index, image)| format!("{}. `{}`, {} bytes", index + 1, image.mime_type, image.bytes))
        .collect();
    let count = match images.len() {
        1 => "One image".to_owned(),
        many => format!("{many} images"),
    };
    format!(
        "{count} arrived with your message:\n\n{}\n\nI can't see images, but a real agent can.",
        list.join("\n")
    )
}

const WELCOME: &str = "\
Hi! I'm the **built-in demo** of Pilothouse. I have no model, so I can't understand your message. I'm here to show \
what this page can do before you connect a real agent.

Try one of these:

- `/tour` walks through thinking, Markdown and tools in a minute
- `/tools` runs real tools in this folder: list, read, a shell command, an edit
- `/ask` and `/approve` ask you questions
- `/steer` works slowly, so you can send messages while it runs
- `/help` lists the rest

### Connect a real agent

Pilothouse finds pi, Claude Code, Codex, Gemini, opencode and other agents on the `PATH`. *More agents* under \
*New session* lists how to install them, for example:

```sh
npm install -g @earendil-works/pi-coding-agent
```

Then press *Check again*. Any other agent can be added there, too, or when you start the server:

```sh
pilothouse --agent mine=acp:'my-agent --acp'
```";

const WELCOME_TERSE: &str = "\
I'm the **built-in demo** and have no model. Try `/tour` or `/help`.

For a real agent, see *More agents* under *New session*.";

const HINTS: [&str; 4] = [
    "I'm still the demo: your message arrived, but I can't understand it. \
While I reply you can press **Stop** or queue a message.\n\n\
Have you seen `/tools`? It runs real commands in this folder.",
    "I can only repeat that I'm the demo. But **you** can run commands yourself: start your message with `!` to run a \
shell command in this folder, for example `!git status`. With `!!`, the agent doesn't see its output.",
    "Still no model here. Other things worth a look:\n\n\
| command | shows |\n|---|---|\n\
| `/think` | long thinking, collapsed to one line |\n\
| `/error retry` | a provider that fails and recovers |\n\
| `/image` | an image as a tool result |\n\
| `/compact` | how a conversation is compacted |",
    "When you are ready for real answers:\n\n\
```sh\nnpm install -g @earendil-works/pi-coding-agent\n```\n\n\
Restart Pilothouse, choose *New session*, then **pi** and a folder. The demo stays available.",
];

const HINTS_TERSE: [&str; 2] =
    ["Demo, no model. `/tools` runs real commands.", "Demo, no model. `/help` lists what works."];

/// `/help`: lists the commands.
pub(super) struct HelpScene;

impl HelpScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for HelpScene {
    fn next(&mut self, context: &SceneContext, _results: &[CallResult]) -> Step {
        let row = |command: &SlashCommand| format!("| `/{}` | {} |", command.name, command.description);
        let (listed, hidden): (Vec<_>, Vec<_>) = COMMANDS.iter().partition(|command| command.listed);
        let table =
            |commands: Vec<&SlashCommand>| commands.into_iter().map(row).collect::<Vec<_>>().join("\n");
        let listed = table(listed);
        if context.terse {
            return Step::say(format!("| command | shows |\n|---|---|\n{listed}"));
        }
        Step::say(format!(
            "## What the demo can do\n\n\
            | command | shows |\n|---|---|\n{listed}\n\n\
            Anything else you type gets a short answer about the demo. For images you attach, I report their type \
            and size. Messages sent while I work are delivered between two steps (steering) or at the end \
            (follow-up).\n\n\
            `!command` runs your shell command in `{folder}`.\n\n\
            ### For tests\n\n\
            | command | does |\n|---|---|\n{hidden}\n\n\
            The option `--pace` (or `PILOTHOUSE_DEMO_PACE`) sets the speed: `realistic`, `instant` or a factor.",
            folder = context.folder.display(),
            hidden = table(hidden),
        ))
    }
}

/// `/tour`: shows thinking, Markdown and parallel tools within a minute.
pub(super) struct TourScene {
    step: usize,
}

impl TourScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { step: 0 }
    }
}

impl Scene for TourScene {
    fn next(&mut self, context: &SceneContext, results: &[CallResult]) -> Step {
        self.step += 1;
        match self.step {
            1 => Step::reply([
                Block::Thinking(TOUR_THOUGHT.to_owned()),
                Block::Text(TOUR_OPENING.to_owned()),
                Block::call(Tool::Ls { path: ".".to_owned() }, 300),
            ]),
            2 => tour_tools(context, results),
            _ => Step::say(if context.terse { TOUR_CLOSING_TERSE } else { TOUR_CLOSING }),
        }
    }
}

fn tour_tools(context: &SceneContext, results: &[CallResult]) -> Step {
    let listing = results.first().map(|result| result.text.as_str()).unwrap_or_default();
    let pause = context.pace.shell_sleep(Duration::from_millis(350));
    let mut blocks = vec![Block::Text(
        "That was a real listing of this folder. The next calls run at the same time.".to_owned(),
    )];
    if let Some(file) = readable_file(listing) {
        blocks.push(Block::call(Tool::Read { path: file }, 350));
    }
    blocks.extend([
        Block::call(Tool::bash("git log --oneline -5 2>/dev/null || echo 'not a git repository'"), 700),
        Block::call(
            Tool::bash(format!("for bell in one two three; do echo \"bell $bell\"; {pause}done")),
            1500,
        ),
    ]);
    Step::reply(blocks)
}

const TOUR_THOUGHT: &str = "The user wants to see what this page can do. I'll show a little of everything: this thinking, \
which collapses to one line, then Markdown, then a few tools that really run. None of it needs a model.";

const TOUR_OPENING: &str = r#"## Welcome aboard

This is **Pilothouse**, and I'm its built-in demo. Above this text is a *thinking* row; click it to open it. Text appears as it is written, with full Markdown:

1. headings, lists and **emphasis**
2. `inline code` and [links](https://commonmark.org/help/)
3. tables and code

| Key | Action |
|---|---|
| Enter | Send |
| Shift+Enter | New line |
| Alt+Enter | Queue a follow-up while I work |
| `!` | Run a shell command |

```rust
/// The distance from which the lamp of a lighthouse is visible, in nautical miles.
fn range(height_in_metres: f64, eye_in_metres: f64) -> f64 {
    2.08 * (height_in_metres.sqrt() + eye_in_metres.sqrt())
}

fn main() {
    println!("{:.1} nm", range(40.0, 5.0));
}
```

> Tools come next. Each call is one row; open it to see the details.
"#;

const TOUR_CLOSING: &str = "\
Those rows show what ran, how long it took and how it ended. The shell output streamed in as it was written.

### What to try next

- `/ask`, `/approve`: I ask, you decide
- `/steer`: send messages while I work, and see how they are queued and delivered
- `/error retry`: a failing provider, and how it recovers
- `/think`, `/long`, `/image`: one thing each
- `!ls -la`: your own shell command in this folder

And for real work:

```sh
npm install -g @earendil-works/pi-coding-agent
```

Then start a *New session* with **pi**.";

const TOUR_CLOSING_TERSE: &str =
    "That was thinking, Markdown and tools. Next: `/ask`, `/steer`, `/error retry`, or `/help`.";
