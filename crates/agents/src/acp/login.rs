//! The agent's login methods, as `initialize` lists them.

use pilothouse_core::json::Object;
use pilothouse_core::protocol::{LoginKind, LoginMethod};
use serde_json::Value;

/// Reads the list. `program` is the command of the agent itself, which terminal methods extend.
pub(super) fn methods(list: Value, program: &[String]) -> Vec<LoginMethod> {
    let Value::Array(list) = list else { return Vec::new() };
    list.into_iter().filter_map(Object::of).filter_map(|method| read(method, program)).collect()
}

fn read(mut method: Object, program: &[String]) -> Option<LoginMethod> {
    let id = method.optional_text("id")?;
    let name = method.optional_text("name").unwrap_or_else(|| id.clone());
    let description = method.text("description");
    let (kind, variables, command) = match method.text("type").as_str() {
        "terminal" => {
            let environment = method.object("env").into_value();
            (LoginKind::Terminal, Vec::new(), terminal_command(program, &environment, &method.texts("args")))
        }
        "env_var" => (LoginKind::Environment, variables(method.take("vars")), String::new()),
        // Before there was a type, agents described the command in words.
        _ => match quoted_command(&description) {
            Some(command) => (LoginKind::Terminal, Vec::new(), command),
            None => (LoginKind::Agent, Vec::new(), String::new()),
        },
    };
    let link = method.text("link");
    Some(LoginMethod { id, name, description, kind, variables, command, link })
}

fn variables(list: Value) -> Vec<String> {
    let Value::Array(list) = list else { return Vec::new() };
    let name =
        |variable: &Value| variable.as_str().or_else(|| variable.get("name")?.as_str()).map(str::to_owned);
    list.iter().filter_map(name).collect()
}

/// The command line for a terminal.
fn terminal_command(program: &[String], environment: &Value, arguments: &[String]) -> String {
    let variables = environment.as_object().into_iter().flatten();
    let variables = variables.filter_map(|(name, value)| Some(format!("{name}={}", quoted(value.as_str()?))));
    let words = program.iter().chain(arguments).map(|word| quoted(word));
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=@%+,".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The command in a description such as "Run `opencode auth login` in the terminal".
fn quoted_command(description: &str) -> Option<String> {
    let (before, rest) = description.split_once('`')?;
    let (command, after) = rest.split_once('`')?;
    let in_terminal = before.to_lowercase().contains("run") && after.to_lowercase().contains("terminal");
    (in_terminal && !command.trim().is_empty()).then(|| command.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_type_of_method_says_what_to_do() {
        let list = json!([
            {"id": "oauth", "name": "Log in with Google"},
            {"id": "key", "name": "API key", "type": "env_var", "vars": [{"name": "A_KEY"}, "B_KEY"], "link": "https://k"},
            {"id": "tty", "name": "Terminal", "type": "terminal", "args": ["--login", "it's"], "env": {"X": "1 2"}},
            {"id": "old", "name": "Login", "description": "Run `opencode auth login` in the terminal"},
            {"name": "without an id"},
            "not an object",
        ]);
        let methods = methods(list, &["agent".to_owned(), "acp".to_owned()]);
        let kinds: Vec<LoginKind> = methods.iter().map(|method| method.kind).collect();
        assert_eq!(
            kinds,
            [LoginKind::Agent, LoginKind::Environment, LoginKind::Terminal, LoginKind::Terminal]
        );
        assert_eq!(methods[1].variables, ["A_KEY", "B_KEY"]);
        assert_eq!(methods[1].link, "https://k");
        assert_eq!(methods[2].command, "X='1 2' agent acp --login 'it'\\''s'");
        assert_eq!(methods[3].command, "opencode auth login");
    }
}
