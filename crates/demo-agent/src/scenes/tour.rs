//! `/tour`: the page in a minute. Thinking, Markdown, tools side by side, and where to go next.

use std::time::Duration;

use super::{Block, Call, CallResult, Scene, Setting, Step, Tool, tools::readable_file};

pub(super) struct Tour {
    step: usize,
}

impl Tour {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { step: 0 }
    }
}

impl Scene for Tour {
    fn next(&mut self, setting: &Setting, results: &[CallResult]) -> Step {
        self.step += 1;
        match self.step {
            1 => Step::reply([
                Block::Thinking(THOUGHT.to_owned()),
                Block::Text(OPENING.to_owned()),
                Call::lasting(Tool::Ls { path: ".".to_owned() }, 300),
            ]),
            2 => look_closer(setting, results),
            _ => Step::say(if setting.terse { CLOSING_TERSE } else { CLOSING }),
        }
    }
}

fn look_closer(setting: &Setting, results: &[CallResult]) -> Step {
    let listing = results.first().map(|result| result.text.as_str()).unwrap_or_default();
    let pause = setting.pace.shell_sleep(Duration::from_millis(350));
    let mut blocks = vec![Block::Text(
        "That was a real listing of this folder. The next calls run at the same time.".to_owned(),
    )];
    if let Some(file) = readable_file(listing) {
        blocks.push(Call::lasting(Tool::Read { path: file }, 350));
    }
    blocks.extend([
        Call::lasting(Tool::bash("git log --oneline -5 2>/dev/null || echo 'not a git repository'"), 700),
        Call::lasting(
            Tool::bash(format!("for bell in one two three; do echo \"bell $bell\"; {pause}done")),
            1500,
        ),
    ]);
    Step::reply(blocks)
}

const THOUGHT: &str = "Somebody wants to see what this page can do. I start with a little of everything: this thinking, \
which folds to one line, then Markdown, then a few tools that really run. No model is needed for any of it.";

const OPENING: &str = r#"## Welcome aboard

This is **Pilothouse**, and I am its built-in demo. Above this text is a *thinking* row; click it to open it. Text arrives as it is written, and only the last block is live:

1. headings, lists and **emphasis**
2. `inline code` and [links](https://commonmark.org/help/)
3. tables and code

| key | does |
|---|---|
| Enter | sends |
| Shift+Enter | starts a new line |
| Alt+Enter | while I work: schedules a follow-up |
| `!` | runs a shell command |

```rust
/// How far the lamp of a lighthouse is seen, in nautical miles.
fn range(height_in_metres: f64, eye_in_metres: f64) -> f64 {
    2.08 * (height_in_metres.sqrt() + eye_in_metres.sqrt())
}

fn main() {
    println!("{:.1} nm", range(40.0, 5.0));
}
```

> Tools come next. They are rows of one line; open one to see all of it.
"#;

const CLOSING: &str = "\
Those rows show what ran, for how long and how it ended. The shell output came in bit by bit.

### Where to go from here

- `/ask`, `/approve`: I ask, you decide
- `/steer`: send messages while I work, see them queue and be taken up
- `/error retry`: a failing provider, and how it recovers
- `/think`, `/long`, `/image`: one thing each
- `!ls -la`: your own shell command in this folder

And for real work:

```sh
npm install -g @earendil-works/pi-coding-agent
```

Then start a *New session* with **pi**.";

const CLOSING_TERSE: &str =
    "That was thinking, Markdown and tools. Next: `/ask`, `/steer`, `/error retry`, or `/help`.";
