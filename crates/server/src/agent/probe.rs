//! A short-lived agent process that answers one request and is ended: for requests that must not disturb the session's
//! own process, or that are not worth keeping one for.

use std::time::Duration;

use pilothouse_agents::{AgentEvent, Connection, Open, Output, Reply, Request, RequestId};
use pilothouse_core::limits::{AGENT_OUTPUT_QUEUE, PROBE_SECONDS};
use pilothouse_core::protocol::Capabilities;
use pilothouse_core::protocol::event::Event;
use tokio::sync::mpsc;

use super::catalogue::Agent;
use super::process::{Exit, Launch, Process, ProcessEvent};

/// How an agent introduces itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Introduction {
    pub title: Option<String>,
    pub version: Option<String>,
    pub capabilities: Capabilities,
}

enum Answer {
    Reply(Reply),
    Introduction(Introduction),
}

/// Starts the agent, sends the request and waits for the reply and the end of the process. An error is for the user.
pub async fn run(agent: &Agent, launch: &Launch, request: Request) -> Result<Reply, String> {
    match start(agent, launch, Some(request)).await? {
        Answer::Reply(reply) => Ok(reply),
        Answer::Introduction(_) => Ok(Reply::Done),
    }
}

/// Starts the agent and waits until it has introduced itself. An error is for the user.
pub async fn introduce(agent: &Agent, launch: &Launch) -> Result<Introduction, String> {
    match start(agent, launch, None).await? {
        Answer::Introduction(introduction) => Ok(introduction),
        Answer::Reply(_) => Ok(Introduction::default()),
    }
}

async fn start(agent: &Agent, launch: &Launch, request: Option<Request>) -> Result<Answer, String> {
    let (sender, mut events) = mpsc::channel(AGENT_OUTPUT_QUEUE);
    // A mark of its own: when a process ends, everything with its mark is ended, and the session's own process or
    // another probe must not be affected.
    let mark = format!("{}-probe-{}", launch.mark, uuid::Uuid::now_v7());
    let launch = Launch { mark, ..launch.clone() };
    let mut process = Process::start(&launch, sender).await.map_err(|error| format!("{error:#}"))?;
    let mut connection = agent.connection(Capabilities::default());
    connection.open(Open::Nothing);
    let has_request = request.is_some();
    if let Some(request) = request {
        connection.request(RequestId(0), request);
    }
    let limit = Duration::from_secs(PROBE_SECONDS);
    let result =
        tokio::time::timeout(limit, answer(&process, &mut connection, &mut events, has_request)).await;
    process.stop();
    // The end of the process is awaited, so that everything it wrote is on disk.
    let ended = async {
        while let Some(event) = events.recv().await {
            if let ProcessEvent::Exited(_) = event {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(limit, ended).await;
    result.unwrap_or_else(|_| {
        Err(format!("The agent didn't respond within {PROBE_SECONDS} seconds. Try again."))
    })
}

/// Waits for the reply, or without a request until the agent is ready.
async fn answer(
    process: &Process,
    connection: &mut Connection,
    events: &mut mpsc::Receiver<ProcessEvent>,
    has_request: bool,
) -> Result<Answer, String> {
    let mut introduction = Introduction::default();
    loop {
        while let Some(output) = connection.poll() {
            match output {
                Output::Write(line) => drop(process.send(line)),
                Output::Reply(_, result) => {
                    return result.map(Answer::Reply).map_err(|error| error.to_string());
                }
                Output::Event(AgentEvent::Identified { title, version }) => {
                    (introduction.title, introduction.version) = (title, version);
                }
                Output::Event(AgentEvent::Session(Event::CapabilitiesChanged { capabilities })) => {
                    introduction.capabilities = capabilities;
                }
                Output::Event(AgentEvent::OpenFailed { reason }) => return Err(reason),
                Output::Event(AgentEvent::Ready) if !has_request => {
                    return Ok(Answer::Introduction(introduction));
                }
                Output::Event(_) => {}
            }
        }
        match events.recv().await {
            Some(ProcessEvent::Lines(lines)) => lines.into_iter().for_each(|line| connection.receive(line)),
            Some(ProcessEvent::Cleared) => {}
            Some(ProcessEvent::Exited(exit)) => return Err(describe_exit(&exit)),
            None => return Err("The agent exited.".to_owned()),
        }
    }
}

/// Why a process ended: its own words, else its exit code.
fn describe_exit(exit: &Exit) -> String {
    let words = exit.stderr.join("\n");
    if words.trim().is_empty() {
        match exit.code {
            Some(code) => format!("The agent exited with code {code}."),
            None => "The agent exited.".to_owned(),
        }
    } else {
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::orphans;

    #[tokio::test]
    async fn a_probe_ends_nothing_but_itself() {
        let mark = orphans::mark("probe-test", &uuid::Uuid::now_v7().to_string());
        let mut session_process = tokio::process::Command::new("sleep")
            .arg("600")
            .env(orphans::MARK, &mark)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        // `open` sends the first two commands, so the request has the id 3.
        let answer = r#"read -r a; read -r b; read -r c
            echo '{"type":"response","id":"3","success":true}'; read -r end"#;
        let launch = Launch {
            program: "sh".to_owned(),
            arguments: vec!["-c".to_owned(), answer.to_owned()],
            folder: std::env::temp_dir(),
            mark,
            ..Launch::default()
        };
        let agent = Agent::parse("probe=pi:sh").unwrap();
        assert_eq!(run(&agent, &launch, Request::Abort).await, Ok(Reply::Done));
        assert_eq!(session_process.try_wait().unwrap(), None, "a process with the session's mark lives on");
    }
}
