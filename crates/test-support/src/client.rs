//! A client without a browser: speaks the real protocol over a real socket and folds frames with the shared
//! reducer.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use pilothouse_core::limits::PROTOCOL_VERSION;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{
    ClientFrame, Command, CommandError, Cursor, HubCommand, MessagesPage, ServerFrame, SessionCommand,
    SessionMeta, Welcome,
};
use pilothouse_core::session::view::Applied;
use pilothouse_core::{SessionState, SessionView, UiMessage};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::server::TestServer;
use crate::{PATIENCE, http};

/// A connected client with the views of the sessions it opened.
pub struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub welcome: Welcome,
    pub views: HashMap<String, SessionView>,
    responses: HashMap<String, Result<Value, CommandError>>,
    next_id: u64,
    /// The number of received events.
    pub events: usize,
    /// The number of received snapshots.
    pub snapshots: usize,
    /// The texts of received notices.
    pub notices: Vec<String>,
    /// The ends of the branches that sessions have left.
    pub left_branches: Vec<String>,
    /// The ids of sessions that the server reported as removed.
    pub removed_sessions: Vec<String>,
    /// How often the server reported that the list of devices changed.
    pub device_changes: usize,
    /// The number of asks in all changes of the list of sessions.
    pub summarized_asks: usize,
}

impl Client {
    pub async fn connect(server: &TestServer) -> Self {
        Self::resume(server, HashMap::new()).await
    }

    /// Connects as the device with this credential.
    pub async fn connect_as(server: &TestServer, credential: &str) -> Self {
        Self::open_socket(server, credential, HashMap::new()).await
    }

    /// Reconnects with the views of an earlier connection.
    pub async fn resume(server: &TestServer, views: HashMap<String, SessionView>) -> Self {
        Self::open_socket(server, http::shared_credential(server).await, views).await
    }

    async fn open_socket(server: &TestServer, credential: &str, views: HashMap<String, SessionView>) -> Self {
        let mut request = format!("ws://127.0.0.1:{}/api/socket", server.port).into_client_request().unwrap();
        request.headers_mut().insert("origin", server.origin().parse().unwrap());
        let protocols = format!("pilothouse, pilothouse.bearer.{credential}");
        request.headers_mut().insert("sec-websocket-protocol", protocols.parse().unwrap());
        let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
        let sessions = views
            .values()
            .map(|view| Cursor {
                session_id: view.meta.session_id.clone(),
                epoch: view.epoch.clone(),
                seq: view.seq,
            })
            .collect();
        let hello = ClientFrame {
            id: String::new(),
            command: HubCommand::Hello { version: PROTOCOL_VERSION, sessions }.into(),
        };
        socket.send(Message::text(serde_json::to_string(&hello).unwrap())).await.unwrap();
        let ServerFrame::Welcome(welcome) = next_frame(&mut socket).await else {
            panic!("the first frame is not a welcome")
        };
        Self {
            socket,
            welcome,
            views,
            responses: HashMap::new(),
            next_id: 0,
            events: 0,
            snapshots: 0,
            notices: Vec::new(),
            left_branches: Vec::new(),
            removed_sessions: Vec::new(),
            device_changes: 0,
            summarized_asks: 0,
        }
    }

    /// Sends a command to a session and returns the id of the request.
    pub async fn send(&mut self, session: &str, command: SessionCommand) -> String {
        self.send_command(Command::of_session(session, command)).await
    }

    /// Sends a command to the hub and returns the id of the request.
    pub async fn send_hub(&mut self, command: HubCommand) -> String {
        self.send_command(command.into()).await
    }

    async fn send_command(&mut self, command: Command) -> String {
        self.next_id += 1;
        let id = format!("t{}", self.next_id);
        let frame = ClientFrame { id: id.clone(), command };
        self.send_text(&serde_json::to_string(&frame).unwrap()).await;
        id
    }

    pub async fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    /// Sends a command to a session and waits for its one response.
    pub async fn ask(&mut self, session: &str, command: SessionCommand) -> Result<Value, CommandError> {
        let id = self.send(session, command).await;
        self.response(&id).await
    }

    /// Sends a command to the hub and waits for its one response.
    pub async fn ask_hub(&mut self, command: HubCommand) -> Result<Value, CommandError> {
        let id = self.send_hub(command).await;
        self.response(&id).await
    }

    /// Waits for the response to a request.
    pub async fn response(&mut self, id: &str) -> Result<Value, CommandError> {
        loop {
            if let Some(response) = self.responses.remove(id) {
                return response;
            }
            self.receive_frame().await;
        }
    }

    /// Creates a session of the demo agent in this folder and opens it.
    pub async fn new_session(&mut self, folder: &Path) -> String {
        self.new_session_of("demo", folder).await
    }

    /// Creates a session of an agent in this folder and opens it.
    pub async fn new_session_of(&mut self, agent: &str, folder: &Path) -> String {
        let cwd = folder.to_string_lossy().into_owned();
        let made = self.ask_hub(HubCommand::NewSession { agent: agent.to_owned(), cwd }).await.unwrap();
        let id = made["session_id"].as_str().unwrap().to_owned();
        self.open(&id).await;
        id
    }

    pub async fn open(&mut self, session: &str) {
        self.ask_hub(HubCommand::OpenSession { session_id: session.to_owned() }).await.unwrap();
    }

    /// Opens a session and fetches all rows.
    pub async fn open_with_all_rows(&mut self, session: &str) {
        self.open(session).await;
        self.fetch_all_rows(session).await;
    }

    /// Fetches the rows before those that the client holds.
    pub async fn fetch_all_rows(&mut self, session: &str) {
        while let before @ 1.. = self.view(session).controller.first() {
            let answer =
                self.ask(session, SessionCommand::GetMessages { before, limit: None }).await.unwrap();
            let page: MessagesPage = serde_json::from_value(answer).unwrap();
            let view = self.views.get_mut(session).unwrap();
            assert!(view.controller.prepend(page.first, page.messages), "the pages of rows do not join");
        }
    }

    pub async fn prompt(&mut self, session: &str, text: &str) -> Result<Value, CommandError> {
        self.next_id += 1;
        let client_id = format!("client-{:p}-{}", self, self.next_id);
        self.ask(session, prompt(&client_id, text)).await
    }

    /// Receives frames until the condition holds.
    pub async fn until(&mut self, session: &str, what: &str, condition: impl Fn(&SessionView) -> bool) {
        loop {
            if self.views.get(session).is_some_and(&condition) {
                return;
            }
            let waited = tokio::time::timeout(PATIENCE, self.receive_frame()).await;
            assert!(waited.is_ok(), "timed out waiting for {what}: {:#?}", self.views.get(session));
        }
    }

    pub async fn until_state(&mut self, session: &str, state: SessionState) {
        self.until(session, state.name(), |view| view.meta.state == state).await;
    }

    /// Waits until what the server says about itself fulfils a condition.
    pub async fn until_welcome(&mut self, what: &str, condition: impl Fn(&Welcome) -> bool) {
        let wait = async {
            while !condition(&self.welcome) {
                self.receive_frame().await;
            }
        };
        tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("timed out waiting for {what}"));
    }

    pub async fn until_text(&mut self, session: &str, text: &str) {
        self.until(session, text, |view| view.controller.rows().iter().any(|row| row.text.contains(text)))
            .await;
    }

    pub fn view(&self, session: &str) -> &SessionView {
        &self.views[session]
    }

    pub fn rows(&self, session: &str) -> &[UiMessage] {
        self.view(session).controller.rows()
    }

    /// Receives the next frame and folds it, as the page does.
    pub async fn receive_frame(&mut self) {
        match next_frame(&mut self.socket).await {
            ServerFrame::Response { id, success, data, error, code, .. } => {
                let outcome = if success {
                    Ok(data)
                } else {
                    let message = error.expect("a failed response has a message");
                    Err(CommandError::new(code.expect("a failed response has a code"), message))
                };
                assert!(
                    self.responses.insert(id, outcome).is_none(),
                    "the server sent a second response to one request"
                );
            }
            ServerFrame::Snapshot(snapshot) => {
                self.snapshots += 1;
                self.views.insert(snapshot.meta.session_id.clone(), SessionView::restore(*snapshot));
            }
            ServerFrame::Event { session_id, seq, event } => {
                self.events += 1;
                if let Event::Notice { text, .. } = &event {
                    self.notices.push(text.clone());
                }
                if let Event::BranchLeft { leaf } = &event {
                    self.left_branches.push(leaf.clone());
                }
                let applied = self.views.get_mut(&session_id).unwrap().apply_numbered(seq, event);
                assert!(
                    matches!(applied, Applied::Changed(_)),
                    "{applied:?}: an event is missing or arrived twice"
                );
            }
            ServerFrame::SessionsChanged { changed, removed } => {
                self.welcome.sessions.retain(|known| {
                    !removed.contains(&known.id) && !changed.iter().any(|session| session.id == known.id)
                });
                self.summarized_asks += changed.iter().map(|session| session.asks.len()).sum::<usize>();
                self.welcome.sessions.extend(changed);
                self.removed_sessions.extend(removed);
            }
            ServerFrame::AgentsChanged { agents, available } => {
                self.welcome.agents = agents;
                self.welcome.available = available;
            }
            ServerFrame::DevicesChanged {} => self.device_changes += 1,
            ServerFrame::StorageChanged { problem, notice } => {
                self.welcome.storage_problem = problem;
                self.welcome.storage_notice = notice;
            }
            ServerFrame::Welcome(_) => panic!("the server sent a second welcome"),
        }
    }

    /// Receives a frame if one arrives within a few milliseconds.
    pub async fn receive_frame_if_any(&mut self) {
        let _ = tokio::time::timeout(Duration::from_millis(5), self.receive_frame()).await;
    }

    /// Returns the response to a request, if it has arrived.
    pub fn received_response(&self, request: &str) -> Option<&Result<Value, CommandError>> {
        self.responses.get(request)
    }

    /// The texts that stops returned to the draft.
    pub fn restored_texts(&self) -> Vec<String> {
        let answers =
            self.responses.values().filter_map(|answer| answer.as_ref().ok()?.get("restored")?.as_array());
        answers.flatten().filter_map(|item| item["text"].as_str().map(str::to_owned)).collect()
    }

    /// Returns the socket, for tests that do not read frames as a page does.
    pub fn into_socket(self) -> WebSocketStream<MaybeTlsStream<TcpStream>> {
        self.socket
    }

    /// Waits until the server closes the connection, and returns its close code.
    pub async fn until_closed(mut self) -> Option<u16> {
        let closed = async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Close(frame))) => return frame.map(|frame| u16::from(frame.code)),
                    Some(Ok(_)) => {}
                    None | Some(Err(_)) => return None,
                }
            }
        };
        tokio::time::timeout(PATIENCE, closed).await.expect("the server did not close the connection")
    }

    /// Drops the connection without a close frame, and returns the views.
    pub fn disconnect(self) -> HashMap<String, SessionView> {
        self.views
    }
}

/// A prompt without images, as a steering message if the agent works.
pub fn prompt(client_id: &str, text: &str) -> SessionCommand {
    SessionCommand::Prompt {
        client_id: client_id.to_owned(),
        message: text.to_owned(),
        images: Vec::new(),
        streaming_behavior: pilothouse_core::conversation::queue::Lane::Steer,
    }
}

async fn next_frame(socket: &mut WebSocketStream<MaybeTlsStream<TcpStream>>) -> ServerFrame {
    loop {
        let message = tokio::time::timeout(PATIENCE, socket.next()).await.expect("the server sent no frame");
        match message.expect("the socket was closed").unwrap() {
            Message::Text(text) => return ServerFrame::parse(&text).unwrap(),
            Message::Close(frame) => panic!("the server closed the socket: {frame:?}"),
            _ => {}
        }
    }
}

/// Everything a user sees of the rows: it must be equal live, after a reload and after a restart.
pub fn visible(rows: &[UiMessage]) -> Vec<String> {
    let rows = rows.iter().map(|row| {
        let tool =
            row.tool_step.as_ref().map(|step| (&step.tool_name, &step.tool_args, step.phase, &step.result));
        format!(
            "{:?} {:?} {:?} {tool:?} {:?} {}",
            row.kind,
            row.text,
            row.mark,
            row.bash_result,
            row.images.len()
        )
    });
    rows.collect()
}

/// Receives frames until both clients have the same events of a session. Some events follow the end of a run.
pub async fn synchronise(left: &mut Client, right: &mut Client, session: &str) {
    while left.view(session).seq != right.view(session).seq {
        let last = left.view(session).seq.max(right.view(session).seq);
        for client in [&mut *left, &mut *right] {
            client.until(session, "the last event", |view| view.seq >= last).await;
        }
    }
}

/// Asserts that two clients show the same. Clients that joined at different times hold rows from different starts,
/// so only the common rows are compared.
pub fn assert_same(left: &SessionView, right: &SessionView) {
    let first = left.controller.first().max(right.controller.first());
    let from = |view: &SessionView| view.controller.rows()[first - view.controller.first()..].to_vec();
    assert!(from(left) == from(right), "{:#?}\n{:#?}", from(left), from(right));
    assert_eq!(left.controller.fold(), right.controller.fold());
    // The draft is sent with snapshots only.
    let rest = |view: &SessionView| SessionMeta { draft: String::new(), ..view.meta.clone() };
    assert_eq!((&left.epoch, left.seq), (&right.epoch, right.seq));
    assert_eq!(rest(left), rest(right));
}
