//! Shell commands of the user, run by the agent in the session's folder.

use std::collections::HashMap;

use pilothouse_agents::{AgentError, Request, RequestId, ShellOutcome};
use pilothouse_core::conversation::ui_message::BashResult;
use pilothouse_core::limits::PROMPT_BYTES;
use pilothouse_core::protocol::CommandError;
use pilothouse_core::protocol::event::Event;

use crate::session::effect::{Effect, Pending};

/// The commands in progress, by client id.
#[derive(Debug, Default)]
pub(in crate::session) struct Shell {
    running: HashMap<String, RunningCommand>,
}

#[derive(Debug)]
struct RunningCommand {
    /// Set once the request was sent.
    request: Option<RequestId>,
    result: BashResult,
}

/// A finished command: the events that show it.
#[derive(Debug, PartialEq)]
pub(in crate::session) struct FinishedCommand {
    pub(in crate::session) start: Event,
    pub(in crate::session) end: Event,
}

impl Shell {
    pub(in crate::session) fn check(command: &str) -> Result<(), CommandError> {
        if command.trim().is_empty() || command.len() > PROMPT_BYTES {
            let text = format!("A shell command must have between 1 and {PROMPT_BYTES} bytes.");
            return Err(CommandError::invalid(text));
        }
        Ok(())
    }

    /// Starts a command. Its client id was stored before, so that it never runs twice.
    pub(in crate::session) fn start(
        &mut self,
        client_id: &str,
        command: &str,
        exclude_from_context: bool,
    ) -> [Effect; 2] {
        let result = BashResult {
            command: command.to_owned(),
            exclude_from_context,
            running: true,
            ..BashResult::default()
        };
        let start = start_event(client_id, &result);
        self.running.insert(client_id.to_owned(), RunningCommand { request: None, result });
        let request = Request::Shell { command: command.to_owned(), exclude_from_context };
        [Effect::Publish(start), Effect::Request(request, Pending::Shell { client_id: client_id.to_owned() })]
    }

    /// Remembers the request with which a command was sent: the command's output refers to it.
    pub(in crate::session) fn sent(&mut self, client_id: &str, request: RequestId) {
        if let Some(command) = self.running.get_mut(client_id) {
            command.request = Some(request);
        }
    }

    /// Returns the event for more output of a command.
    pub(in crate::session) fn output(&self, request: RequestId, delta: String) -> Option<Event> {
        let of_request = |(_, command): &(&String, &RunningCommand)| command.request == Some(request);
        let (id, _) = self.running.iter().find(of_request)?;
        Some(Event::BashExecutionUpdate { id: id.clone(), delta })
    }

    /// Ends a command that has finished or could not be run.
    pub(in crate::session) fn finish(
        &mut self,
        client_id: &str,
        outcome: Result<ShellOutcome, AgentError>,
    ) -> Option<FinishedCommand> {
        let RunningCommand { result, .. } = self.running.remove(client_id)?;
        let result = match outcome {
            Ok(ShellOutcome { output, exit_code, cancelled, truncated }) => {
                BashResult { output, exit_code, cancelled, truncated, running: false, ..result }
            }
            // The end of the process closes its commands, with the output they had.
            Err(AgentError::Closed) => return None,
            Err(error) => BashResult { cancelled: true, running: false, output: error.to_string(), ..result },
        };
        let start = start_event(client_id, &result);
        Some(FinishedCommand { start, end: Event::BashEnd { id: client_id.to_owned(), result } })
    }
}

fn start_event(client_id: &str, result: &BashResult) -> Event {
    Event::BashStart {
        id: client_id.to_owned(),
        command: result.command.clone(),
        exclude_from_context: result.exclude_from_context,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started() -> Shell {
        let mut shell = Shell::default();
        let [publish, request] = shell.start("c", "make", true);
        let start =
            Event::BashStart { id: "c".to_owned(), command: "make".to_owned(), exclude_from_context: true };
        assert!(matches!(publish, Effect::Publish(event) if event == start));
        assert!(matches!(request, Effect::Request(Request::Shell { command, .. }, _) if command == "make"));
        shell.sent("c", RequestId(4));
        shell
    }

    fn result(finished: FinishedCommand) -> BashResult {
        match finished.end {
            Event::BashEnd { result, .. } => result,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn output_belongs_to_the_command_with_its_request() {
        let shell = started();
        let update = Event::BashExecutionUpdate { id: "c".to_owned(), delta: "x".to_owned() };
        assert_eq!(shell.output(RequestId(4), "x".to_owned()), Some(update));
        assert_eq!(shell.output(RequestId(5), "x".to_owned()), None);
    }

    #[test]
    fn a_command_ends_once_with_its_result() {
        let mut shell = started();
        let outcome =
            ShellOutcome { output: "built".to_owned(), exit_code: Some(2), ..ShellOutcome::default() };
        let ended = result(shell.finish("c", Ok(outcome.clone())).unwrap());
        assert_eq!(
            (ended.output.as_str(), ended.exit_code, ended.running, ended.exclude_from_context),
            ("built", Some(2), false, true)
        );
        assert_eq!(shell.finish("c", Ok(outcome)), None);
        assert_eq!(shell.output(RequestId(4), "late".to_owned()), None);
    }

    #[test]
    fn a_command_that_fails_shows_why_and_the_end_of_the_process_is_not_a_failure_of_its_own() {
        let refused = AgentError::Refused("no shell".to_owned());
        let ended = result(started().finish("c", Err(refused)).unwrap());
        assert_eq!((ended.output.as_str(), ended.cancelled, ended.running), ("no shell", true, false));
        assert_eq!(started().finish("c", Err(AgentError::Closed)), None);
    }

    #[test]
    fn empty_and_endless_commands_are_refused() {
        assert!(Shell::check("  ").is_err() && Shell::check(&"x".repeat(PROMPT_BYTES + 1)).is_err());
        assert!(Shell::check("ls").is_ok());
    }
}
