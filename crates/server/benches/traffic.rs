//! Measures how long a delta takes from the agent's output to the clients: one session with fifty clients, and twenty
//! busy sessions with one client each. Prints percentiles; nothing is asserted, since elapsed time depends on the machine.
//!
//! `PILOTHOUSE_BINARY` names another server to measure, such as an older build, for a comparison in one run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt;
use pilothouse_core::protocol::SessionCommand;
use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::server::ServerSetup;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

/// The prefix of a delta's text. The time at which the agent wrote the delta follows it.
const MARK: &str = "sent-at-";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "agent") {
        return agent();
    }
    // Cargo's tests run benches once, to see that they work.
    let whole = arguments.iter().any(|argument| argument == "--bench");
    let (clients, sessions, deltas) = if whole { (50, 20, 1_000) } else { (3, 2, 10) };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for round in 1..=if whole { 3 } else { 1 } {
        println!("round {round}");
        runtime.block_on(measure("one session, many clients", 1, clients, deltas));
        runtime.block_on(measure("many busy sessions", sessions, 1, deltas));
    }
}

async fn measure(name: &str, sessions: usize, clients: usize, deltas: usize) {
    let own = std::env::current_exe().unwrap();
    let binary = std::env::var_os("PILOTHOUSE_BINARY")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_pilothouse")), PathBuf::from);
    let agent = format!("bench=pi:{} agent", own.display());
    let server = ServerSetup::new(&binary).agent(&agent).start();
    let project = tempfile::tempdir().unwrap();
    let mut receivers = Vec::new();
    let mut prompts = Vec::new();
    for _ in 0..sessions {
        let mut first = Client::connect(&server).await;
        let session = first.new_session_of("bench", project.path()).await;
        // The process is running before the measurement.
        first.ask(&session, SessionCommand::GetAvailableModels).await.unwrap();
        for _ in 1..clients {
            let mut client = Client::connect(&server).await;
            client.open(&session).await;
            receivers.push(tokio::spawn(receive(client, deltas)));
        }
        prompts.push((first, session));
    }
    for (mut client, session) in prompts {
        client.send(&session, prompt("p", &deltas.to_string())).await;
        receivers.push(tokio::spawn(receive(client, deltas)));
    }
    let mut latencies: Vec<u128> = Vec::new();
    for receiver in receivers {
        latencies.extend(receiver.await.unwrap());
    }
    latencies.sort_unstable();
    let percentile = |percent: usize| latencies[(latencies.len() - 1) * percent / 100];
    println!(
        "  {name}: {} deltas received, median {} µs, 95 % {} µs, 99 % {} µs",
        latencies.len(),
        percentile(50),
        percentile(95),
        percentile(99)
    );
}

/// The latencies of the deltas that a client receives, in microseconds. Frames are not decoded: the client's own work
/// would be measured, too.
async fn receive(client: Client, deltas: usize) -> Vec<u128> {
    let mut socket = client.into_socket();
    let mut latencies = Vec::new();
    while latencies.len() < deltas {
        let frame = tokio::time::timeout(Duration::from_secs(60), socket.next()).await;
        let Message::Text(text) = frame.expect("no frame").expect("the socket was closed").unwrap() else {
            continue;
        };
        let now = now_us();
        if text.contains("message_update") {
            for sent in text.split(MARK).skip(1) {
                let digits: String = sent.chars().take_while(char::is_ascii_digit).collect();
                latencies.push(now.saturating_sub(digits.parse().unwrap()));
            }
        }
    }
    latencies
}

fn now_us() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()
}

/// An agent with pi's protocol that writes as many deltas as its prompt says, one every five milliseconds.
fn agent() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let command: Value = serde_json::from_str(&line).unwrap();
        let data = match command["type"].as_str().unwrap_or_default() {
            "get_available_models" => json!({"models": [{"provider": "bench", "id": "bench"}]}),
            "prompt" => json!({"disposition": "started"}),
            _ => json!({}),
        };
        say(&json!({"type": "response", "id": command["id"], "success": true, "data": data}));
        if command["type"] == "prompt" {
            let deltas: usize = command["message"].as_str().unwrap().parse().unwrap();
            say(&json!({"type": "agent_start"}));
            say(
                &json!({"type": "message_start", "message": {"role": "user", "content": command["message"]}}),
            );
            say(&json!({"type": "message_start", "message": {"role": "assistant", "content": []}}));
            for _ in 0..deltas {
                let delta = format!("{MARK}{} ", now_us());
                let event = json!({"type": "text_delta", "contentIndex": 0, "delta": delta});
                say(&json!({"type": "message_update", "assistantMessageEvent": event}));
                std::thread::sleep(Duration::from_millis(5));
            }
            say(&json!({"type": "agent_settled", "aborted": false}));
        }
    }
}

fn say(line: &Value) {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}").unwrap();
    output.flush().unwrap();
}
