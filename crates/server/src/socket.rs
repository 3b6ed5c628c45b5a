//! One page's WebSocket: frames in, frames out, and whether the peer is still there. What a command means is the
//! hub's and the session's business.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use pilothouse_core::limits::{CLIENT_FRAME_BYTES, PEER_SILENCE_SECONDS, PING_SECONDS, QUERY_BYTES};
use pilothouse_core::protocol::{ClientFrame, Command, NO_SUCH_SESSION};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, interval, timeout_at};

use crate::app::App;
use crate::client::{Client, ClientReceiver, client_channel};
use crate::hub::Hub;
use crate::hub::directories;
use crate::session::Input;

/// The page did not read what it was sent. It comes back by itself.
const TOO_SLOW: u16 = 4001;

pub async fn upgrade(State(app): State<App>, upgrade: WebSocketUpgrade) -> Response {
    upgrade
        .max_message_size(CLIENT_FRAME_BYTES)
        .max_frame_size(CLIENT_FRAME_BYTES)
        .on_upgrade(move |socket| serve(socket, app.hub))
}

async fn serve(socket: WebSocket, hub: Arc<Hub>) {
    let id = hub.next_page_id();
    let (link, frames) = client_channel(id);
    let (sink, stream) = socket.split();
    tokio::select! {
        () = write(sink, frames) => {}
        () = read(stream, &hub, &link) => {}
    }
    hub.remove_page(id).await;
}

async fn write(mut sink: SplitSink<WebSocket, Message>, mut frames: ClientReceiver) {
    let mut ping = interval(Duration::from_secs(PING_SECONDS));
    loop {
        let message = tokio::select! {
            frame = frames.next() => match frame {
                Ok(Some(frame)) => Message::Text(frame),
                Ok(None) => return,
                Err(_) => return cut_off(sink, frames).await,
            },
            _ = ping.tick() => Message::Ping(Vec::new().into()),
        };
        // A peer that takes nothing for this long is gone.
        let deadline = Instant::now() + Duration::from_secs(PEER_SILENCE_SECONDS);
        let sent = tokio::select! {
            sent = timeout_at(deadline, sink.send(message)) => sent,
            () = frames.cut() => return cut_off(sink, frames).await,
        };
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

/// What waits for the page is forgotten at once; if it reads again within reason, it hears why it was cut off.
async fn cut_off(mut sink: SplitSink<WebSocket, Message>, frames: ClientReceiver) {
    drop(frames);
    let frame = CloseFrame { code: TOO_SLOW, reason: "too slow".into() };
    let deadline = Instant::now() + Duration::from_secs(PEER_SILENCE_SECONDS);
    let _ = timeout_at(deadline, sink.send(Message::Close(Some(frame)))).await;
}

async fn read(mut stream: SplitStream<WebSocket>, hub: &Arc<Hub>, page: &Client) {
    loop {
        let deadline = Instant::now() + Duration::from_secs(PEER_SILENCE_SECONDS);
        let Ok(Some(Ok(message))) = timeout_at(deadline, stream.next()).await else { return };
        match message {
            Message::Text(text) => match serde_json::from_str::<ClientFrame>(&text) {
                Ok(frame) => command(frame, hub, page).await,
                Err(error) => refuse(&text, &error, page),
            },
            Message::Binary(_) => page.respond(String::new(), "", Err("Frames are text.".to_owned())),
            Message::Close(_) => return,
            Message::Ping(_) | Message::Pong(_) => {}
        }
    }
}

/// A frame that cannot be read still gets its one response, under its id if it has one.
fn refuse(text: &str, error: &serde_json::Error, page: &Client) {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let field = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    tracing::debug!(%error, "a page sent a frame that is not understood");
    page.respond(
        field("id"),
        &field("type"),
        Err(format!("This is not a command the server knows: {error}")),
    );
}

async fn command(frame: ClientFrame, hub: &Arc<Hub>, page: &Client) {
    let ClientFrame { id, session_id, command } = frame;
    let name = command.name();
    let outcome = match command {
        Command::Hello { sessions, .. } => {
            hub.refresh().await;
            hub.add_page(page.clone());
            hub.look_at_agents();
            for cursor in sessions {
                let session_id = cursor.session_id.clone();
                let (done, ended) = oneshot::channel();
                let input = Input::Subscribe {
                    page: page.clone(),
                    request: None,
                    cursor: Some(cursor),
                    done: Some(done),
                };
                if hub.send(&session_id, input).await.is_err() {
                    page.send_frame(&gone(session_id));
                }
                // Large conversations come one after the other, so that a page that reads is not too slow.
                let _ = ended.await;
                page.taken().await;
            }
            hub.read_ahead();
            return;
        }
        Command::ListSessions => {
            hub.refresh().await;
            Ok(json!({ "sessions": hub.sessions() }))
        }
        Command::NewSession { agent, cwd } => directories::resolve(&cwd, hub.default_cwd())
            .and_then(|folder| hub.new_session(&agent, folder))
            .map(|session_id| json!({ "session_id": session_id })),
        Command::Pin { pinned } => of_session(session_id, name, |id| hub.pin(id, pinned)),
        Command::Archive { archived } => of_session(session_id, name, |id| hub.archive(id, archived)),
        Command::MarkRead => of_session(session_id, name, |id| hub.mark_read(id)),
        Command::SetDraft { text } => of_session(session_id, name, |id| hub.set_draft(id, &text)),
        Command::DeleteSession => match session_id {
            Some(session_id) => hub.delete_session(&session_id).await.map(|()| json!({})),
            None => Err(needs_session(name)),
        },
        Command::ListDirectory { path } => directories::list(&path, hub.default_cwd()).await,
        Command::Search { query } => search(query, hub.clone()).await,
        command => {
            let Some(session_id) = session_id else {
                return page.respond(id, name, Err(needs_session(name)));
            };
            let input = match command {
                Command::OpenSession => Input::Subscribe {
                    page: page.clone(),
                    request: Some(id.clone()),
                    cursor: None,
                    done: None,
                },
                Command::CloseSession => {
                    page.respond(id.clone(), name, Ok(json!({})));
                    Input::Unsubscribe { page: page.id() }
                }
                command => {
                    if may_start_agent(&command) {
                        hub.know_agent(&session_id).await;
                    }
                    Input::Command { page: page.clone(), request: id.clone(), command }
                }
            };
            if hub.send(&session_id, input).await.is_err() && name != "close_session" {
                page.respond(id, name, Err(NO_SUCH_SESSION.to_owned()));
            }
            return;
        }
    };
    page.respond(id, name, outcome);
}

/// How an agent is started depends on its version.
const fn may_start_agent(command: &Command) -> bool {
    matches!(
        command,
        Command::Prompt { .. }
            | Command::Bash { .. }
            | Command::ResumeSession
            | Command::Retry
            | Command::GetCommands
            | Command::GetAvailableModels
            | Command::SetModel { .. }
            | Command::SetThinkingLevel { .. }
            | Command::SetMode { .. }
            | Command::Compact { .. }
            | Command::Fork { .. }
            | Command::RenameSession { .. }
    )
}

fn needs_session(name: &str) -> String {
    format!("'{name}' needs a session_id.")
}

fn of_session(
    session_id: Option<String>,
    name: &str,
    act: impl FnOnce(&str) -> Result<(), String>,
) -> Result<Value, String> {
    act(&session_id.ok_or_else(|| needs_session(name))?).map(|()| json!({}))
}

async fn search(query: String, hub: Arc<Hub>) -> Result<Value, String> {
    if query.trim().is_empty() {
        return Err("Type some words to search for.".to_owned());
    }
    if query.len() > QUERY_BYTES {
        return Err(format!("This is too long to search for: {QUERY_BYTES} bytes are the most."));
    }
    let results = tokio::task::spawn_blocking(move || hub.search(&query)).await;
    let results = results.map_err(|_| "The search failed.".to_owned())?;
    serde_json::to_value(results).map_err(|error| format!("The search failed: {error}"))
}

fn gone(session_id: String) -> pilothouse_core::protocol::ServerFrame {
    pilothouse_core::protocol::ServerFrame::SessionsChanged { changed: Vec::new(), removed: vec![session_id] }
}
