//! What a `/` at the start of the composer's text asks for. Pure.

use pilothouse_core::protocol::AgentCommand;

use crate::widgets::listbox::Choice;

/// The name that is being typed; none once it is followed by something.
pub fn typed_name(draft: &str) -> Option<&str> {
    draft.strip_prefix('/').filter(|rest| !rest.contains(char::is_whitespace))
}

/// The commands that fit: first those that begin like it, then those that have it somewhere.
pub fn matching(commands: &[AgentCommand], name: &str) -> Vec<Choice> {
    let name = name.to_lowercase();
    let place = |command: &AgentCommand| command.name.to_lowercase().find(&name);
    let choice = |command: &AgentCommand| Choice {
        key: command.name.clone(),
        name: format!("/{}", command.name),
        words: command.description.clone(),
        note: source_words(&command.source).to_owned(),
        current: false,
    };
    let first = commands.iter().filter(|command| place(command) == Some(0));
    let others = commands.iter().filter(|command| place(command).is_some_and(|place| place > 0));
    first.chain(others).map(choice).collect()
}

/// What Enter puts in place of what was typed. A name that is written out is sent as it stands.
pub fn completed(choices: &[Choice], marked: usize, name: &str) -> Option<String> {
    let written_out = choices.iter().any(|choice| choice.key == name);
    choices.get(marked).filter(|_| !written_out).map(|choice| format!("/{} ", choice.key))
}

fn source_words(source: &str) -> &str {
    match source {
        "prompt" => "template",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands() -> Vec<AgentCommand> {
        let command = |name: &str| AgentCommand {
            name: name.into(),
            description: String::new(),
            source: "prompt".into(),
        };
        vec![command("review"), command("view"), command("viewer")]
    }

    #[test]
    fn a_name_is_typed_until_something_follows_it() {
        assert_eq!(typed_name("/"), Some(""));
        assert_eq!(typed_name("/rev"), Some("rev"));
        for draft in ["/rev x", "/rev\n", "rev", " /rev", ""] {
            assert_eq!(typed_name(draft), None, "{draft:?}");
        }
    }

    #[test]
    fn what_begins_like_it_comes_first() {
        let names = |name: &str| -> Vec<String> {
            matching(&commands(), name).into_iter().map(|choice| choice.key).collect()
        };
        assert_eq!(names("view"), ["view", "viewer", "review"]);
        assert_eq!(names("VIEWER"), ["viewer"]);
        assert!(names("nothing").is_empty());
    }

    #[test]
    fn enter_completes_a_beginning_and_sends_what_is_written_out_or_unknown() {
        let all = commands();
        assert_eq!(completed(&matching(&all, "rev"), 0, "rev").as_deref(), Some("/review "));
        assert_eq!(completed(&matching(&all, "view"), 0, "view"), None);
        assert_eq!(completed(&matching(&all, "nothing"), 0, "nothing"), None);
    }
}
