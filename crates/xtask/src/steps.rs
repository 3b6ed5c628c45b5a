//! The steps of a test run: how each ended, how long it took, and the table at the end.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::report;

#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<Step>,
    stopped: bool,
}

struct Step {
    name: &'static str,
    outcome: Outcome,
    time: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

impl Steps {
    /// A step whose failure says nothing about the later ones: they run all the same.
    pub(crate) fn check(&mut self, name: &'static str, step: impl FnOnce() -> Result<()>) {
        self.perform(name, step);
    }

    /// A step that the later ones need: they are skipped when it fails. What it made is returned.
    pub(crate) fn need<T>(&mut self, name: &'static str, step: impl FnOnce() -> Result<T>) -> Option<T> {
        let made = self.perform(name, step);
        self.stopped |= made.is_none();
        made
    }

    fn perform<T>(&mut self, name: &'static str, step: impl FnOnce() -> Result<T>) -> Option<T> {
        let start = Instant::now();
        let (outcome, made) = if self.stopped {
            (Outcome::Skipped, None)
        } else {
            report::line("step", name);
            match step() {
                Ok(made) => (Outcome::Passed, Some(made)),
                Err(error) => {
                    report::failure(&format!("{error:#}"));
                    (Outcome::Failed, None)
                }
            }
        };
        self.done.push(Step { name, outcome, time: start.elapsed() });
        made
    }

    /// Prints the table and the closing line.
    pub(crate) fn finish(self) -> ExitCode {
        report::plain("");
        for step in &self.done {
            let (word, colour) = match step.outcome {
                Outcome::Passed => ("passed", "32"),
                Outcome::Failed => ("failed", "31"),
                Outcome::Skipped => ("skipped", "33"),
            };
            let time = match step.outcome {
                Outcome::Skipped => String::new(),
                _ => report::elapsed(step.time),
            };
            let word = report::painted(&format!("{word:<8}"), colour);
            report::plain(&format!("  {word} {:<28} {time:>12}", step.name));
        }
        report::plain("");
        report::plain(&self.closing_line());
        if self.count(Outcome::Failed) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn closing_line(&self) -> String {
        let mut line =
            format!("{} passed, {} failed", self.count(Outcome::Passed), self.count(Outcome::Failed));
        match self.count(Outcome::Skipped) {
            0 => {}
            skipped => line.push_str(&format!(", {skipped} skipped")),
        }
        line
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.done.iter().filter(|step| step.outcome == outcome).count()
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn counts_what_passed() {
        let mut steps = Steps::default();
        steps.check("one", || Ok(()));
        assert_eq!(steps.need("two", || Ok(2)), Some(2));
        assert_eq!(steps.closing_line(), "2 passed, 0 failed");
    }

    #[test]
    fn goes_on_after_a_failed_check() {
        let mut steps = Steps::default();
        steps.check("formatting", || bail!("not formatted"));
        steps.check("lints", || Ok(()));
        assert_eq!(steps.closing_line(), "1 passed, 1 failed");
        assert_eq!(steps.finish(), ExitCode::FAILURE);
    }

    #[test]
    fn skips_what_needs_a_failed_step() {
        let mut steps = Steps::default();
        let made: Option<()> = steps.need("page", || bail!("no page"));
        assert_eq!(made, None);
        steps.check("end to end", || panic!("must not run"));
        assert_eq!(steps.closing_line(), "0 passed, 1 failed, 1 skipped");
    }
}
