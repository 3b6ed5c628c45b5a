//! The steps of a test run: the outcome and duration of each, and the table at the end.

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
    /// Runs a step that later steps do not depend on: they run even if it fails.
    pub(crate) fn check(&mut self, name: &'static str, step: impl FnOnce() -> Result<()>) {
        self.perform(name, step);
    }

    /// Runs a step that later steps depend on: they are skipped if it fails. Returns its result.
    pub(crate) fn need<T>(&mut self, name: &'static str, step: impl FnOnce() -> Result<T>) -> Option<T> {
        let result = self.perform(name, step);
        self.stopped |= result.is_none();
        result
    }

    fn perform<T>(&mut self, name: &'static str, step: impl FnOnce() -> Result<T>) -> Option<T> {
        let start = Instant::now();
        let (outcome, result) = if self.stopped {
            (Outcome::Skipped, None)
        } else {
            report::line("step", name);
            match step() {
                Ok(result) => (Outcome::Passed, Some(result)),
                Err(error) => {
                    report::failure(&format!("{error:#}"));
                    (Outcome::Failed, None)
                }
            }
        };
        self.done.push(Step { name, outcome, time: start.elapsed() });
        result
    }

    /// Prints the table and the summary.
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
        report::plain(&self.summary());
        if self.count(Outcome::Failed) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn summary(&self) -> String {
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
    fn passed_steps_are_counted() {
        let mut steps = Steps::default();
        steps.check("one", || Ok(()));
        assert_eq!(steps.need("two", || Ok(2)), Some(2));
        assert_eq!(steps.summary(), "2 passed, 0 failed");
    }

    #[test]
    fn a_failed_check_does_not_stop_later_steps() {
        let mut steps = Steps::default();
        steps.check("formatting", || bail!("not formatted"));
        steps.check("lints", || Ok(()));
        assert_eq!(steps.summary(), "1 passed, 1 failed");
        assert_eq!(steps.finish(), ExitCode::FAILURE);
    }

    #[test]
    fn steps_that_depend_on_a_failed_step_are_skipped() {
        let mut steps = Steps::default();
        let result: Option<()> = steps.need("page", || bail!("no page"));
        assert_eq!(result, None);
        steps.check("end to end", || panic!("must not run"));
        assert_eq!(steps.summary(), "0 passed, 1 failed, 1 skipped");
    }
}
