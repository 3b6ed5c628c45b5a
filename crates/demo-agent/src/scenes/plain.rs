//! The answer to anything that is no command: that this is the demo, what to try, how to connect a real agent.

use super::{Block, CallResult, ImageInfo, Scene, Setting, Step};

pub(super) struct Plain {
    unknown_command: Option<String>,
    images: Vec<ImageInfo>,
}

impl Plain {
    pub(super) fn new(text: &str, images: &[ImageInfo]) -> Self {
        let first_word = text.split_whitespace().next().unwrap_or_default();
        let looks_like_a_command = first_word.starts_with('/') && !first_word[1..].contains('/');
        Self {
            unknown_command: (looks_like_a_command && first_word.len() > 1).then(|| first_word.to_owned()),
            images: images.to_vec(),
        }
    }
}

impl Scene for Plain {
    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        let mut parts = Vec::new();
        if let Some(command) = &self.unknown_command {
            parts.push(format!("There is no `{command}` here. `/help` lists what there is."));
        }
        if !self.images.is_empty() {
            parts.push(describe_images(&self.images));
        }
        if setting.user_messages <= 1 {
            parts.push(if setting.terse { WELCOME_TERSE } else { WELCOME }.to_owned());
        } else if parts.is_empty() {
            let hints: &[&str] = if setting.terse { &HINTS_TERSE } else { &HINTS };
            parts.push(hints[(setting.user_messages - 2) % hints.len()].to_owned());
        }
        let thought = if self.images.is_empty() {
            "A message for a model, and there is none here. I say so, and point to something that works."
        } else {
            "Images came along. I cannot see them, but I can say what arrived."
        };
        Step::reply([Block::Thinking(thought.to_owned()), Block::Text(parts.join("\n\n"))])
    }
}

fn describe_images(images: &[ImageInfo]) -> String {
    let list: Vec<String> = images
        .iter()
        .enumerate()
        .map(|(place, image)| format!("{}. `{}`, {} bytes", place + 1, image.mime_type, image.bytes))
        .collect();
    let count = match images.len() {
        1 => "One image".to_owned(),
        many => format!("{many} images"),
    };
    format!(
        "{count} arrived with your message:\n\n{}\n\nI have no eyes, but a real agent would see this.",
        list.join("\n")
    )
}

const WELCOME: &str = "\
Hello! I am the **built-in demo** of Pilothouse. There is no model behind me, so I did not understand your message; \
I am here to show what this page can do before you connect a real agent.

Try one of these:

- `/tour` walks through thinking, Markdown and tools in a minute
- `/tools` runs real tools in this folder: list, read, a shell command, an edit
- `/ask` and `/approve` put questions to you
- `/steer` works slowly, so that you can send messages while it runs
- `/help` lists the rest

### Connect a real agent

Install pi and it is found on the `PATH`:

```sh
npm install -g @earendil-works/pi-coding-agent
```

Or name any command when you start the server:

```sh
pilothouse --agent my-pi=pi:/path/to/pi
```

Then choose it under *New session*.";

const WELCOME_TERSE: &str = "\
I am the **built-in demo**: no model, no understanding. Try `/tour` or `/help`.

For a real agent: `npm install -g @earendil-works/pi-coding-agent`, then *New session*.";

const HINTS: [&str; 4] = [
    "Still the demo, still no model: your message arrived, and nobody read it. \
While I stream this you could press **Stop**, or queue a message for the next turn.\n\n\
Have you seen `/tools`? It runs real commands in this folder.",
    "I can only repeat that I am the demo. But **you** can run things yourself: start your message with `!` to run a \
shell command in this folder, for example `!git status`. With `!!` its output stays out of the agent's context.",
    "No model here, as before. Other things worth a look:\n\n\
| command | shows |\n|---|---|\n\
| `/think` | long thinking, folded to one line |\n\
| `/error retry` | a provider that fails and recovers |\n\
| `/image` | a picture as a tool result |\n\
| `/compact` | the conversation compacted |",
    "When you are ready for real answers:\n\n\
```sh\nnpm install -g @earendil-works/pi-coding-agent\n```\n\n\
Restart the server, choose *New session*, pick **pi** and a folder. This demo stays available beside it.",
];

const HINTS_TERSE: [&str; 2] =
    ["Demo, no model. `/tools` runs real commands.", "Demo, no model. `/help` lists what works."];
