//! Shell commands of the user in the session's folder, run by the agent or, for agents that have no shell, by the
//! server.

use std::collections::HashMap;
use std::path::Path;

use pilothouse_agents::{AgentError, Request, RequestId, ShellOutcome};
use pilothouse_core::conversation::live_output;
use pilothouse_core::conversation::ui_message::BashResult;
use pilothouse_core::limits::{AGENT_OUTPUT_QUEUE, PROMPT_BYTES};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{CommandError, ErrorCode};
use tokio::sync::mpsc;

use crate::agent::process::{self, Moment, ShellCommand, ShellEvent};
use crate::session::effect::{Effect, Pending};

/// The commands in progress, by client id.
#[derive(Debug)]
pub(in crate::session) struct Shell {
    running: HashMap<String, RunningCommand>,
    sender: mpsc::Sender<ShellEvent>,
    events: mpsc::Receiver<ShellEvent>,
}

impl Default for Shell {
    fn default() -> Self {
        let (sender, events) = mpsc::channel(AGENT_OUTPUT_QUEUE);
        Self { running: HashMap::new(), sender, events }
    }
}

#[derive(Debug)]
struct RunningCommand {
    /// Set once the request was sent.
    request: Option<RequestId>,
    result: BashResult,
    /// The command itself, if the server runs it.
    local: Option<ShellCommand>,
    cancelled: bool,
    truncated: bool,
    began: Moment,
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
        self.running.insert(client_id.to_owned(), RunningCommand::new(result));
        let request = Request::Shell { command: command.to_owned(), exclude_from_context };
        [Effect::Publish(start), Effect::Request(request, Pending::Shell { client_id: client_id.to_owned() })]
    }

    /// Starts a command that the server runs. Returns the event that shows it.
    pub(in crate::session) async fn start_here(
        &mut self,
        (client_id, command): (&str, &str),
        exclude_from_context: bool,
        folder: &Path,
        mark: String,
    ) -> Result<Event, CommandError> {
        let local = ShellCommand::start((client_id.to_owned(), command), folder, mark, self.sender.clone())
            .await
            .map_err(|error| CommandError::new(ErrorCode::Internal, format!("{error:#}")))?;
        let result = BashResult {
            command: command.to_owned(),
            exclude_from_context,
            running: true,
            ..BashResult::default()
        };
        let start = start_event(client_id, &result);
        let running = RunningCommand { local: Some(local), ..RunningCommand::new(result) };
        self.running.insert(client_id.to_owned(), running);
        Ok(start)
    }

    /// Waits for output of a command that the server runs, or for its end.
    pub(in crate::session) async fn event(&mut self) -> Option<ShellEvent> {
        self.events.recv().await
    }

    /// Adds output of a command that the server runs. Returns the event that shows it.
    pub(in crate::session) fn local_output(&mut self, id: &str, delta: String) -> Option<Event> {
        let command = self.running.get_mut(id)?;
        let result = &mut command.result;
        live_output::append(&mut result.output, &mut result.left_out, &delta);
        command.truncated = result.left_out > 0;
        Some(Event::BashExecutionUpdate { id: id.to_owned(), delta })
    }

    /// Ends a command that the server ran.
    pub(in crate::session) fn local_end(&mut self, id: &str, code: Option<i32>) -> Option<FinishedCommand> {
        let command = self.running.get(id)?;
        let outcome = ShellOutcome {
            output: command.result.output.clone(),
            exit_code: code.filter(|_| !command.cancelled),
            cancelled: command.cancelled || code.is_none(),
            truncated: command.truncated,
        };
        self.finish(id, Ok(outcome))
    }

    /// Stops the commands that the server runs.
    pub(in crate::session) fn stop_local(&mut self) {
        for command in self.running.values_mut() {
            if let Some(local) = &mut command.local {
                command.cancelled = true;
                local.stop();
            }
        }
    }

    /// Whether the server runs a command.
    pub(in crate::session) fn has_local(&self) -> bool {
        self.running.values().any(|command| command.local.is_some())
    }

    /// Whether the agent runs a command.
    pub(in crate::session) fn has_remote(&self) -> bool {
        self.remote_began().is_some()
    }

    /// When the first of the commands was started that the agent runs.
    pub(in crate::session) fn remote_began(&self) -> Option<Moment> {
        let remote = self.running.values().filter(|command| command.local.is_none());
        remote.map(|command| command.began).min()
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

impl RunningCommand {
    fn new(result: BashResult) -> Self {
        Self { request: None, result, local: None, cancelled: false, truncated: false, began: process::now() }
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

    async fn run_here(command: &str, stop: bool) -> (String, BashResult) {
        let mut shell = Shell::default();
        let mark = crate::agent::orphans::mark("shell-test", &uuid::Uuid::now_v7().to_string());
        shell.start_here(("c", command), false, &std::env::temp_dir(), mark).await.unwrap();
        let mut shown = String::new();
        loop {
            match shell.event().await.unwrap() {
                ShellEvent::Output { id, text } => {
                    if let Some(Event::BashExecutionUpdate { delta, .. }) = shell.local_output(&id, text) {
                        shown.push_str(&delta);
                    }
                    if stop {
                        shell.stop_local();
                    }
                }
                ShellEvent::Ended { id, code } => {
                    let finished = shell.local_end(&id, code).unwrap();
                    assert!(!shell.has_local());
                    return (shown, result(finished));
                }
            }
        }
    }

    #[tokio::test]
    async fn a_command_that_the_server_runs_shows_output_and_exit_code() {
        let (shown, result) = run_here("echo out; echo grün >&2; exit 3", false).await;
        assert_eq!(shown, "out\ngrün\n");
        assert_eq!(
            (result.output.as_str(), result.exit_code, result.cancelled),
            ("out\ngrün\n", Some(3), false)
        );
    }

    #[tokio::test]
    async fn a_command_that_the_server_runs_can_be_stopped() {
        let (_, result) = run_here("echo started; sleep 600", true).await;
        assert_eq!((result.output.as_str(), result.exit_code, result.cancelled), ("started\n", None, true));
    }
}
