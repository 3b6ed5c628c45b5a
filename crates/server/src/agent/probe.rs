//! A short visit to an agent: a process of its own that answers a few requests and is ended. For what must not disturb
//! the session's own process, or is not worth keeping one for.

use std::time::Duration;

use pilothouse_agents::framing::Line;
use pilothouse_agents::pi::{Incoming, PiCommand, Response, decode};
use pilothouse_core::limits::{AGENT_OUTPUT_QUEUE, PROBE_SECONDS};
use tokio::sync::mpsc;

use crate::agent::process::{Exit, Launch, Process, ProcessEvent};

/// Asks one thing after the other and gives all answers back. The first refusal ends it.
pub async fn run(launch: &Launch, requests: Vec<PiCommand>) -> Result<Vec<Response>, String> {
    let (sender, mut events) = mpsc::channel(AGENT_OUTPUT_QUEUE);
    // A mark of its own: with a process ends all that carries its mark, and the session's own process, or another
    // visit, must not be among it.
    let mark = format!("{}-visit-{}", launch.mark, uuid::Uuid::now_v7());
    let launch = Launch { mark, ..launch.clone() };
    let mut process = Process::start(&launch, sender).map_err(|error| format!("{error:#}"))?;
    let patience = Duration::from_secs(PROBE_SECONDS);
    let visit = ask_all(&process, &mut events, requests);
    let answers = tokio::time::timeout(patience, visit).await;
    process.stop();
    // Its end is waited for, so that whatever it wrote is on disk.
    let ended = async {
        while let Some(event) = events.recv().await {
            if let ProcessEvent::Exited(_) = event {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(patience, ended).await;
    answers.unwrap_or_else(|_| Err(format!("The agent did not answer within {PROBE_SECONDS} seconds.")))
}

async fn ask_all(
    process: &Process,
    events: &mut mpsc::Receiver<ProcessEvent>,
    requests: Vec<PiCommand>,
) -> Result<Vec<Response>, String> {
    let mut answers = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        let id = number.to_string();
        process.send(request.encode(&id));
        let answer = answer_to(&id, events).await?;
        if !answer.success {
            return Err(if answer.error.is_empty() { "The agent refused.".to_owned() } else { answer.error });
        }
        answers.push(answer);
    }
    Ok(answers)
}

async fn answer_to(id: &str, events: &mut mpsc::Receiver<ProcessEvent>) -> Result<Response, String> {
    while let Some(event) = events.recv().await {
        let lines = match event {
            ProcessEvent::Lines(lines) => lines,
            ProcessEvent::Exited(exit) => return Err(last_words(&exit)),
        };
        for line in lines {
            let Line::Complete(line) = line else { continue };
            let answer = decode(&line).into_iter().find_map(|incoming| match incoming {
                Incoming::Response(response) if response.id == id => Some(response),
                _ => None,
            });
            if let Some(answer) = answer {
                return Ok(answer);
            }
        }
    }
    Err("The agent's process ended.".to_owned())
}

/// Why a process ended, in its own words.
pub fn last_words(exit: &Exit) -> String {
    let words = exit.stderr.join("\n");
    if words.trim().is_empty() {
        match exit.code {
            Some(code) => format!("The agent's process ended with exit code {code}."),
            None => "The agent's process ended.".to_owned(),
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
    async fn a_visit_ends_nothing_but_itself() {
        let mark = orphans::mark("errand-test", &uuid::Uuid::now_v7().to_string());
        let mut sessions_own = tokio::process::Command::new("sleep")
            .arg("600")
            .env(orphans::MARK, &mark)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let answer = r#"read -r line; echo '{"type":"response","id":"0","success":true}'; read -r end"#;
        let launch = Launch {
            program: "sh".to_owned(),
            arguments: vec!["-c".to_owned(), answer.to_owned()],
            folder: std::env::temp_dir(),
            environment: Vec::new(),
            mark,
        };
        assert_eq!(run(&launch, vec![PiCommand::GetState]).await.unwrap().len(), 1);
        assert_eq!(sessions_own.try_wait().unwrap(), None, "what carries the session's mark lives on");
    }
}
