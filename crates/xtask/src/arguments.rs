//! What was asked for on the command line. Pure: text in, a task or a sentence out.

use anyhow::{Context, Result, bail};

pub(crate) const USAGE: &str = "\
Usage: cargo xtask <command>

  run [-- ARGUMENTS]          build the page and the server, then start the server with ARGUMENTS
  test [PART] [-- ARGUMENTS]  run the checks and tests; PART is unit, fuzz, web or e2e, all of them when left out
                              (ARGUMENTS go to the test programs, for example a test's name)
  fuzz TARGET [-- ARGUMENTS]  feed a fuzz target with made-up input until it finds something or is stopped
                              (ARGUMENTS go to libFuzzer: flags, or an input to try again)
  bench core [-- ARGUMENTS]   measure what the core costs, as ratios (ARGUMENTS go to Criterion)
  bench page [-- ARGUMENTS]   measure the page in a browser beside one of plain elements (ARGUMENTS: --quick, --rounds N)
  dist                        build one release binary with the page inside
  setup                       install what the other commands need, and nothing else
  trunk ARGUMENTS             call trunk with the project's tools, for example: cargo xtask trunk serve
";

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Help,
    Setup,
    Run { arguments: Vec<String> },
    Dist,
    Trunk { arguments: Vec<String> },
    Fuzz { target: String, arguments: Vec<String> },
    BenchCore { arguments: Vec<String> },
    BenchPage { arguments: Vec<String> },
    Test { part: Option<Part>, arguments: Vec<String> },
}

/// A part of the tests that can be run by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Unit,
    Fuzz,
    Web,
    EndToEnd,
}

pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Task> {
    let mut own: Vec<String> = arguments.into_iter().collect();
    let name = if own.is_empty() { String::from("help") } else { own.remove(0) };
    // Trunk has flags of its own, so everything after its name belongs to it.
    if name == "trunk" {
        return Ok(Task::Trunk { arguments: own });
    }
    let passed_on = match own.iter().position(|argument| argument == "--") {
        Some(dashes) => own.split_off(dashes).split_off(1),
        None => Vec::new(),
    };
    let mut own = own.into_iter();
    let task = match name.as_str() {
        "help" | "--help" | "-h" => Task::Help,
        "setup" => Task::Setup,
        "dist" => Task::Dist,
        "run" => Task::Run { arguments: passed_on.clone() },
        "test" => Task::Test {
            part: own.next().map(|part| parse_part(&part)).transpose()?,
            arguments: passed_on.clone(),
        },
        "fuzz" => Task::Fuzz {
            target: own.next().context("`fuzz` needs a target, for example: cargo xtask fuzz fold")?,
            arguments: passed_on.clone(),
        },
        "bench" => match own.next().as_deref() {
            Some("core") => Task::BenchCore { arguments: passed_on.clone() },
            Some("page") => Task::BenchPage { arguments: passed_on.clone() },
            _ => bail!("`bench` needs to know what to measure: cargo xtask bench core, or page"),
        },
        other => bail!("there is no command `{other}`\n\n{USAGE}"),
    };
    if let Some(surplus) = own.next() {
        bail!(
            "`{name}` does not know `{surplus}`; arguments to pass on go after `--`: cargo xtask {name} -- {surplus}"
        );
    }
    let takes_none = matches!(task, Task::Help | Task::Setup | Task::Dist);
    if takes_none && !passed_on.is_empty() {
        bail!("`{name}` passes no arguments on; leave out `--` and what follows it");
    }
    Ok(task)
}

fn parse_part(name: &str) -> Result<Part> {
    match name {
        "unit" => Ok(Part::Unit),
        "fuzz" => Ok(Part::Fuzz),
        "web" => Ok(Part::Web),
        "e2e" => Ok(Part::EndToEnd),
        other => bail!(
            "there is no part `{other}` of the tests; the parts are unit, fuzz, web and e2e, and a test's name goes after `--`: cargo xtask test -- {other}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Task> {
        parse(line.split_whitespace().map(String::from))
    }

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| String::from(*word)).collect()
    }

    #[test]
    fn passes_on_what_follows_the_dashes() {
        let arguments = strings(&["--listen", "127.0.0.1:0"]);
        assert_eq!(parsed("run -- --listen 127.0.0.1:0").unwrap(), Task::Run { arguments });
    }

    #[test]
    fn knows_the_parts_of_the_tests() {
        for (line, part) in [
            ("test", None),
            ("test unit", Some(Part::Unit)),
            ("test fuzz", Some(Part::Fuzz)),
            ("test web", Some(Part::Web)),
            ("test e2e", Some(Part::EndToEnd)),
        ] {
            let arguments = Vec::new();
            assert_eq!(parsed(line).unwrap(), Task::Test { part, arguments });
        }
        let arguments = strings(&["reconnect"]);
        assert_eq!(
            parsed("test e2e -- reconnect").unwrap(),
            Task::Test { part: Some(Part::EndToEnd), arguments }
        );
    }

    #[test]
    fn asks_what_to_fuzz_and_what_to_measure() {
        let (target, arguments) = ("fold".into(), strings(&["-fork=2"]));
        assert_eq!(parsed("fuzz fold -- -fork=2").unwrap(), Task::Fuzz { target, arguments });
        assert_eq!(parsed("bench core").unwrap(), Task::BenchCore { arguments: Vec::new() });
        let arguments = strings(&["--quick"]);
        assert_eq!(parsed("bench page -- --quick").unwrap(), Task::BenchPage { arguments });
        let told = |line: &str| parsed(line).unwrap_err().to_string();
        assert!(told("fuzz").contains("cargo xtask fuzz fold"));
        assert!(told("bench lunch").contains("cargo xtask bench core"));
    }

    #[test]
    fn gives_trunk_its_own_flags() {
        let arguments = strings(&["serve", "--port", "9000"]);
        assert_eq!(parsed("trunk serve --port 9000").unwrap(), Task::Trunk { arguments });
    }

    #[test]
    fn tells_how_to_pass_arguments_on() {
        let told = |line: &str| parsed(line).unwrap_err().to_string();
        assert!(told("run --listen").contains("cargo xtask run -- --listen"));
        assert!(told("test reconnect").contains("cargo xtask test -- reconnect"));
        assert!(told("dist -- --fast").contains("passes no arguments on"));
        assert!(told("lunch").contains("Usage"));
    }

    #[test]
    fn shows_the_usage_when_nothing_is_asked() {
        assert_eq!(parsed("").unwrap(), Task::Help);
    }
}
