//! One client's WebSocket: receives and sends frames, and detects a peer that is gone.

use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use pilothouse_core::conversation::limit::size;
use pilothouse_core::limits::{
    CLIENT_COMMANDS, CLIENT_FRAME_BYTES, PEER_SILENCE_SECONDS, PING_SECONDS, QUERY_BYTES, READ_FRAME_BYTES,
};
use pilothouse_core::protocol::{
    ClientFrame, Command, CommandError, Cursor, ErrorCode, HubCommand, HubReply, InvalidFrame, SearchResults,
    ServerFrame, SessionCommand,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, interval, timeout_at};
use tokio_tungstenite::tungstenite;

use crate::allowed_roots::AllowedRoots;
use crate::app::App;
use crate::client::{Client, ClientDevice, ClientReceiver, Responder, client_channel};
use crate::devices::{DeviceAccess, Devices};
use crate::http::guard::{Entered, Refusal, SUBPROTOCOL};
use crate::hub::Hub;
use crate::hub::directories;
use crate::hub::records::RecordChange;
use crate::session::Input;

/// The close code for a client that did not read its frames. It reconnects.
const TOO_SLOW: u16 = 4001;

/// The close code for a client that sent a frame which is too large to be read.
const FRAME_TOO_LARGE: u16 = 4009;

/// The time in which a client that still sends a frame reads why its connection is closed.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The close code for a device whose access was revoked. It does not reconnect.
const ACCESS_ENDED: u16 = 4003;

pub async fn upgrade(
    State(app): State<App>,
    Extension(entered): Extension<Entered>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(device) = entered.device else { return Refusal::NoCredential.into_response() };
    upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(READ_FRAME_BYTES)
        .max_frame_size(READ_FRAME_BYTES)
        .on_upgrade(move |socket| serve(socket, app.hub, app.devices, device))
}

async fn serve(socket: WebSocket, hub: Arc<Hub>, devices: Devices, mut device: DeviceAccess) {
    let id = hub.next_client_id();
    let (client, frames) = client_channel(id);
    let client = client.of_device(ClientDevice { id: device.id.clone(), name: devices.name_of(&device.id) });
    let (mut sink, stream) = socket.split();
    let (commands, queued) = mpsc::channel(CLIENT_COMMANDS);
    let own = OwnDevice { devices: devices.clone(), id: device.id.clone() };
    let running = tokio::spawn(run_hub_commands(queued, hub.clone(), own, client.clone()));
    let end = tokio::select! {
        () = write(&mut sink, frames) => ConnectionEnd::Gone,
        end = read(stream, &hub, &client, &commands) => end,
        () = device.ended() => ConnectionEnd::AccessEnded,
    };
    // The command in progress is finished; those behind it are dropped.
    drop(commands);
    drop(running);
    hub.remove_client(id).await;
    match end {
        ConnectionEnd::Gone => {}
        ConnectionEnd::AccessEnded => return close(&mut sink, ACCESS_ENDED, "access ended").await,
        ConnectionEnd::FrameTooLarge => {
            let limit = size(READ_FRAME_BYTES as u64);
            tracing::warn!(device = %device.id, "a client sent a frame of more than {limit}");
            close(&mut sink, FRAME_TOO_LARGE, "frame too large").await;
            // Dropping the connection while the rest of the frame arrives would reset it, and the code would be lost.
            tokio::time::sleep(LAST_WORDS).await;
        }
    }
    devices.used(&device.id);
}

/// Why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionEnd {
    Gone,
    AccessEnded,
    FrameTooLarge,
}

/// The device at the other end of a connection.
struct OwnDevice {
    devices: Devices,
    id: String,
}

async fn write(sink: &mut SplitSink<WebSocket, Message>, mut frames: ClientReceiver) {
    let mut ping = interval(Duration::from_secs(PING_SECONDS));
    loop {
        let message = tokio::select! {
            frame = frames.next() => match frame {
                Ok(Some(frame)) => Message::Text(frame),
                Ok(None) => return,
                Err(_) => return disconnect(sink, frames).await,
            },
            _ = ping.tick() => Message::Ping(Vec::new().into()),
        };
        // A peer that accepts nothing for this long is gone.
        let deadline = Instant::now() + Duration::from_secs(PEER_SILENCE_SECONDS);
        let sent = tokio::select! {
            sent = timeout_at(deadline, sink.send(message)) => sent,
            () = frames.disconnected() => return disconnect(sink, frames).await,
        };
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

/// Drops the queued frames at once, then sends the close code, for a client that starts to read again.
async fn disconnect(sink: &mut SplitSink<WebSocket, Message>, frames: ClientReceiver) {
    drop(frames);
    close(sink, TOO_SLOW, "too slow").await;
}

async fn close(sink: &mut SplitSink<WebSocket, Message>, code: u16, reason: &'static str) {
    let frame = CloseFrame { code, reason: reason.into() };
    let deadline = Instant::now() + Duration::from_secs(PEER_SILENCE_SECONDS);
    let _ = timeout_at(deadline, sink.send(Message::Close(Some(frame)))).await;
}

/// A command for the hub, with the id of its frame.
struct QueuedCommand {
    id: String,
    name: &'static str,
    work: HubWork,
}

enum HubWork {
    Command(HubCommand),
    /// A change that is already queued for the disk: changes keep the order in which they arrive.
    Change(RecordChange),
    Draft {
        session_id: String,
        change: RecordChange,
    },
}

async fn read(
    mut stream: SplitStream<WebSocket>,
    hub: &Arc<Hub>,
    client: &Client,
    commands: &mpsc::Sender<QueuedCommand>,
) -> ConnectionEnd {
    loop {
        let deadline = Instant::now() + Duration::from_secs(PEER_SILENCE_SECONDS);
        let message = match timeout_at(deadline, stream.next()).await {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(error))) if is_too_large(&error) => return ConnectionEnd::FrameTooLarge,
            _ => return ConnectionEnd::Gone,
        };
        match message {
            Message::Text(text) if text.len() > CLIENT_FRAME_BYTES => {
                let InvalidFrame { id, command, message } = ClientFrame::too_large(&text);
                client.respond::<HubReply>(id, &command, Err(CommandError::invalid(message)));
            }
            Message::Text(text) => match ClientFrame::parse(&text) {
                Ok(frame) => {
                    if dispatch(frame, hub, client, commands).await.is_err() {
                        return ConnectionEnd::Gone;
                    }
                }
                Err(invalid) => {
                    tracing::debug!(message = invalid.message, "a client sent an invalid frame");
                    let error = CommandError::invalid(invalid.message);
                    client.respond::<HubReply>(invalid.id, &invalid.command, Err(error));
                }
            },
            Message::Binary(_) => {
                let error = CommandError::invalid("Frames must be text.");
                client.respond::<HubReply>(String::new(), "", Err(error));
            }
            Message::Close(_) => return ConnectionEnd::Gone,
            Message::Ping(_) | Message::Pong(_) => {}
        }
    }
}

/// Whether reading failed because of a frame's size.
fn is_too_large(error: &axum::Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<tungstenite::Error>());
    matches!(source, Some(tungstenite::Error::Capacity(_)))
}

/// Passes a command on. Commands for the hub run one after the other in a task of their own: one that waits for the
/// disk does not delay commands for sessions, such as a stop.
async fn dispatch(
    frame: ClientFrame,
    hub: &Arc<Hub>,
    client: &Client,
    commands: &mpsc::Sender<QueuedCommand>,
) -> Result<(), mpsc::error::SendError<QueuedCommand>> {
    let ClientFrame { id, command } = frame;
    match command {
        Command::Hub(HubCommand::Hello { sessions, .. }) => hello(sessions, hub, client).await,
        Command::Hub(HubCommand::OpenSession { session_id }) => {
            let name = HubCommand::OpenSession { session_id: String::new() }.name();
            let input = Input::Subscribe {
                client: client.clone(),
                request: Some(id.clone()),
                cursor: None,
                done: None,
            };
            if hub.send(&session_id, input).await.is_err() {
                client.respond::<HubReply>(id, name, Err(CommandError::no_such_session()));
            }
        }
        Command::Hub(HubCommand::CloseSession { session_id }) => {
            let name = HubCommand::CloseSession { session_id: String::new() }.name();
            client.respond(id, name, Ok(HubReply::Done {}));
            let _ = hub.send(&session_id, Input::Unsubscribe { client: client.id() }).await;
        }
        Command::Hub(command) => {
            let name = command.name();
            let work = match command {
                HubCommand::Pin { session_id, pinned } => HubWork::Change(hub.pin(&session_id, pinned)),
                HubCommand::Archive { session_id, archived } => {
                    HubWork::Change(hub.archive(&session_id, archived))
                }
                HubCommand::MarkRead { session_id } => HubWork::Change(hub.mark_read(&session_id)),
                HubCommand::SetDraft { session_id, text } => {
                    let change = hub.set_draft(&session_id, text);
                    HubWork::Draft { session_id, change }
                }
                command => HubWork::Command(command),
            };
            return commands.send(QueuedCommand { id, name, work }).await;
        }
        Command::Session { session_id, command } => {
            if may_start_agent(&command) {
                hub.wait_for_agent_version(&session_id).await;
            }
            let responder = Responder { client: client.clone(), request: id, command: command.name() };
            let input = Input::Command { responder, command };
            if let Err(Input::Command { responder, .. }) = hub.send(&session_id, input).await {
                responder.respond(Err(CommandError::no_such_session()));
            }
        }
    }
    Ok(())
}

/// The first frame of a connection: welcomes the client and sends what it is missing of its open sessions.
async fn hello(sessions: Vec<Cursor>, hub: &Arc<Hub>, client: &Client) {
    hub.refresh().await;
    hub.add_client(client.clone());
    hub.discover_agents();
    for cursor in sessions {
        let session_id = cursor.session_id.clone();
        let (done, subscribed) = oneshot::channel();
        let input = Input::Subscribe {
            client: client.clone(),
            request: None,
            cursor: Some(cursor),
            done: Some(done),
        };
        if hub.send(&session_id, input).await.is_err() {
            client
                .send_frame(&ServerFrame::SessionsChanged { changed: Vec::new(), removed: vec![session_id] });
        }
        // Large conversations are sent one after the other, so that a client that reads is not too slow.
        let _ = subscribed.await;
        client.requested_sent().await;
    }
    hub.read_ahead();
}

async fn run_hub_commands(
    mut commands: mpsc::Receiver<QueuedCommand>,
    hub: Arc<Hub>,
    own: OwnDevice,
    client: Client,
) {
    while let Some(QueuedCommand { id, name, work }) = commands.recv().await {
        let result = match work {
            // Takes as long as the slowest agent; the commands behind it need not wait.
            HubWork::Command(HubCommand::CheckAgents) => {
                let (hub, client) = (hub.clone(), client.clone());
                tokio::spawn(async move {
                    hub.check_agents().await;
                    client.respond(id, name, Ok(HubReply::Done {}));
                });
                continue;
            }
            HubWork::Command(command) => match own.devices.execute(&command, &own.id).await {
                Some(result) => result,
                None => hub_command(command, &hub).await,
            },
            HubWork::Change(change) => stored(change).await,
            HubWork::Draft { session_id, change } => {
                let result = stored(change).await;
                if result.is_err() {
                    hub.draft_not_stored(&session_id);
                }
                result
            }
        };
        client.respond(id, name, result);
        if client.is_closed() {
            return;
        }
    }
}

async fn stored(change: RecordChange) -> Result<HubReply, CommandError> {
    change?.result().await?;
    Ok(HubReply::Done {})
}

async fn hub_command(command: HubCommand, hub: &Arc<Hub>) -> Result<HubReply, CommandError> {
    match command {
        HubCommand::ListSessions => {
            hub.refresh().await;
            Ok(HubReply::Sessions { sessions: hub.sessions() })
        }
        HubCommand::NewSession { agent, cwd } => {
            let folder = resolve(cwd, hub, hub.allowed_roots().clone()).await?;
            let session_id = hub.new_session(&agent, folder).await?;
            Ok(HubReply::Created { session_id })
        }
        HubCommand::ListDirectory { path } => {
            let (default, roots) = (hub.default_cwd().clone(), hub.allowed_roots().clone());
            directories::list(path, default, roots).await.map(HubReply::Directory)
        }
        HubCommand::Search { query } => search(query, hub.clone()).await.map(HubReply::SearchResults),
        HubCommand::DeleteSession { session_id } => {
            hub.delete_session(&session_id).await.map(|()| HubReply::Done {})
        }
        HubCommand::DismissStorageNotice { notice } => {
            hub.dismiss_storage_notice(&notice).await.map(|()| HubReply::Done {})
        }
        HubCommand::ListApprovals => hub.audit_log().newest().await.map(HubReply::Approvals),
        HubCommand::AddAgent { name, command } => {
            hub.add_agent(&name, &command).await.map(|()| HubReply::Done {})
        }
        HubCommand::RemoveAgent { name } => hub.remove_agent(&name).await.map(|()| HubReply::Done {}),
        HubCommand::ListAgentSessions { agent, cursor } => {
            hub.agent_sessions(&agent, cursor).await.map(HubReply::AgentSessions)
        }
        HubCommand::ImportSession { agent, agent_session_id, cwd, title } => {
            // A folder that the agent itself has named for this session is one in which the user has worked.
            let at_agent = hub.folder_at_agent(&agent, &agent_session_id);
            let is_known = at_agent.is_some_and(|folder| folder == Path::new(&cwd));
            let roots = if is_known { AllowedRoots::everything() } else { hub.allowed_roots().clone() };
            let folder = resolve(cwd, hub, roots).await?;
            let session_id = hub.import_session(&agent, folder, agent_session_id, title).await?;
            Ok(HubReply::Created { session_id })
        }
        // `dispatch` and `run_hub_commands` have handled these.
        HubCommand::Hello { .. }
        | HubCommand::ListDevices
        | HubCommand::RenameDevice { .. }
        | HubCommand::RevokeDevice { .. }
        | HubCommand::CreatePairingLink { .. }
        | HubCommand::CheckAgents
        | HubCommand::OpenSession { .. }
        | HubCommand::CloseSession { .. }
        | HubCommand::Pin { .. }
        | HubCommand::Archive { .. }
        | HubCommand::MarkRead { .. }
        | HubCommand::SetDraft { .. } => Ok(HubReply::Done {}),
    }
}

/// The folder that a client has chosen.
async fn resolve(path: String, hub: &Hub, roots: AllowedRoots) -> Result<PathBuf, CommandError> {
    let default = hub.default_cwd().clone();
    let resolved = tokio::task::spawn_blocking(move || roots.resolve(&path, &default)).await;
    resolved.map_err(|error| internal(&error))?
}

/// Whether a command may start the agent, for which the agent's version must be known.
const fn may_start_agent(command: &SessionCommand) -> bool {
    matches!(
        command,
        SessionCommand::Prompt { .. }
            | SessionCommand::Bash { .. }
            | SessionCommand::ResumeSession
            | SessionCommand::Retry
            | SessionCommand::GetCommands
            | SessionCommand::GetAvailableModels
            | SessionCommand::SetModel { .. }
            | SessionCommand::SetThinkingLevel { .. }
            | SessionCommand::SetMode { .. }
            | SessionCommand::SetOption { .. }
            | SessionCommand::LogIn { .. }
            | SessionCommand::Compact { .. }
            | SessionCommand::Fork { .. }
            | SessionCommand::ForkBranch { .. }
            | SessionCommand::RenameSession { .. }
    )
}

async fn search(query: String, hub: Arc<Hub>) -> Result<SearchResults, CommandError> {
    if query.trim().is_empty() {
        return Err(CommandError::invalid("Enter a search term."));
    }
    if query.len() > QUERY_BYTES {
        let text = format!("The search term is too long. The limit is {QUERY_BYTES} bytes.");
        return Err(CommandError::invalid(text));
    }
    tokio::task::spawn_blocking(move || hub.search(&query)).await.map_err(|error| internal(&error))
}

fn internal(error: &tokio::task::JoinError) -> CommandError {
    CommandError::new(ErrorCode::Internal, format!("Server error: {error}."))
}
