//! Parses the command line.

use anyhow::{Context, Result, bail};

pub(crate) const USAGE: &str = "\
Usage: cargo xtask <command>

  run [-- ARGUMENTS]          build the page and the server, then start the server with ARGUMENTS
  test [PART] [-- ARGUMENTS]  run the checks and tests; PART is unit, fuzz, web or e2e (default: all)
                              (ARGUMENTS go to the test programs, for example a test's name)
  fuzz TARGET [-- ARGUMENTS]  run a fuzz target until it finds a failure or is stopped
                              (ARGUMENTS go to libFuzzer: flags, or an input to reproduce)
  bench core [-- ARGUMENTS]   measure the core, as ratios (ARGUMENTS go to Criterion)
  bench page [-- ARGUMENTS]   measure the page in a browser, compared with a page of plain elements
                              (ARGUMENTS: --quick, --rounds N)
  dist                        build one release binary with the page inside
  setup                       install the tools for all commands
  trunk ARGUMENTS             run trunk with the project's tools, for example: cargo xtask trunk serve
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

/// A part of the tests.
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
    // All arguments after `trunk` are trunk's, including flags.
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
            _ => bail!("`bench` needs a subject: cargo xtask bench core or cargo xtask bench page"),
        },
        other => bail!("unknown command `{other}`\n\n{USAGE}"),
    };
    if let Some(surplus) = own.next() {
        bail!(
            "unknown argument `{surplus}` for `{name}`; to pass it on, write: cargo xtask {name} -- {surplus}"
        );
    }
    let takes_none = matches!(task, Task::Help | Task::Setup | Task::Dist);
    if takes_none && !passed_on.is_empty() {
        bail!("`{name}` takes no arguments; remove `--` and everything after it");
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
            "unknown part `{other}`; use unit, fuzz, web or e2e. To run a test by name: cargo xtask test -- {other}"
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
    fn arguments_after_the_dashes_are_passed_on() {
        let arguments = strings(&["--listen", "127.0.0.1:0"]);
        assert_eq!(parsed("run -- --listen 127.0.0.1:0").unwrap(), Task::Run { arguments });
    }

    #[test]
    fn tests_have_parts() {
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
    fn fuzz_and_bench_need_a_subject() {
        let (target, arguments) = ("fold".into(), strings(&["-fork=2"]));
        assert_eq!(parsed("fuzz fold -- -fork=2").unwrap(), Task::Fuzz { target, arguments });
        assert_eq!(parsed("bench core").unwrap(), Task::BenchCore { arguments: Vec::new() });
        let arguments = strings(&["--quick"]);
        assert_eq!(parsed("bench page -- --quick").unwrap(), Task::BenchPage { arguments });
        let error = |line: &str| parsed(line).unwrap_err().to_string();
        assert!(error("fuzz").contains("cargo xtask fuzz fold"));
        assert!(error("bench lunch").contains("cargo xtask bench core"));
    }

    #[test]
    fn trunk_gets_its_flags() {
        let arguments = strings(&["serve", "--port", "9000"]);
        assert_eq!(parsed("trunk serve --port 9000").unwrap(), Task::Trunk { arguments });
    }

    #[test]
    fn errors_explain_how_to_pass_arguments_on() {
        let error = |line: &str| parsed(line).unwrap_err().to_string();
        assert!(error("run --listen").contains("cargo xtask run -- --listen"));
        assert!(error("test reconnect").contains("cargo xtask test -- reconnect"));
        assert!(error("dist -- --fast").contains("takes no arguments"));
        assert!(error("lunch").contains("Usage"));
    }

    #[test]
    fn help_is_the_default() {
        assert_eq!(parsed("").unwrap(), Task::Help);
    }
}
