//! A page without a browser: speaks the real protocol over a real socket and folds with the product's own reducer.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use pilothouse_core::limits::PROTOCOL_VERSION;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{ClientFrame, Command, Cursor, MessagesPage, ServerFrame, Welcome};
use pilothouse_core::session::view::Applied;
use pilothouse_core::{SessionState, SessionView, UiMessage};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::http;
use crate::running::Running;

/// Far beyond what anything takes; only a hang gets here.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub welcome: Welcome,
    pub views: HashMap<String, SessionView>,
    responses: HashMap<String, Result<Value, String>>,
    next_id: u64,
    /// Frames received that carried an event, and snapshots.
    pub events: usize,
    pub snapshots: usize,
    /// What was said in passing.
    pub notices: Vec<String>,
}

impl Client {
    pub async fn connect(server: &Running) -> Self {
        Self::resume(server, HashMap::new()).await
    }

    /// Comes back with what it had.
    pub async fn resume(server: &Running, views: HashMap<String, SessionView>) -> Self {
        let mut request = format!("ws://127.0.0.1:{}/api/socket", server.port).into_client_request().unwrap();
        request.headers_mut().insert("origin", server.origin().parse().unwrap());
        request.headers_mut().insert("cookie", http::cookie(server).await.parse().unwrap());
        let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
        let sessions = views
            .values()
            .map(|view| Cursor {
                session_id: view.session_id.clone(),
                epoch: view.epoch.clone(),
                seq: view.seq,
            })
            .collect();
        let hello = ClientFrame {
            id: String::new(),
            session_id: None,
            command: Command::Hello { version: PROTOCOL_VERSION, sessions },
        };
        socket.send(Message::text(serde_json::to_string(&hello).unwrap())).await.unwrap();
        let ServerFrame::Welcome(welcome) = next_frame(&mut socket).await else { panic!("no welcome") };
        Self {
            socket,
            welcome,
            views,
            responses: HashMap::new(),
            next_id: 0,
            events: 0,
            snapshots: 0,
            notices: Vec::new(),
        }
    }

    pub async fn send(&mut self, session_id: Option<&str>, command: Command) -> String {
        self.next_id += 1;
        let id = format!("t{}", self.next_id);
        let frame = ClientFrame { id: id.clone(), session_id: session_id.map(str::to_owned), command };
        self.send_text(&serde_json::to_string(&frame).unwrap()).await;
        id
    }

    pub async fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    /// Sends a command and waits for its one response.
    pub async fn ask(&mut self, session_id: Option<&str>, command: Command) -> Result<Value, String> {
        let id = self.send(session_id, command).await;
        self.response(&id).await
    }

    pub async fn response(&mut self, id: &str) -> Result<Value, String> {
        loop {
            if let Some(response) = self.responses.remove(id) {
                return response;
            }
            self.take_frame().await;
        }
    }

    /// Makes a session of the demo's in this folder and opens it.
    pub async fn new_session(&mut self, folder: &std::path::Path) -> String {
        let cwd = folder.to_string_lossy().into_owned();
        let made = self.ask(None, Command::NewSession { agent: "demo".into(), cwd }).await.unwrap();
        let id = made["session_id"].as_str().unwrap().to_owned();
        self.open(&id).await;
        id
    }

    pub async fn open(&mut self, session: &str) {
        self.ask(Some(session), Command::OpenSession).await.unwrap();
    }

    /// Opens it, with all of its rows.
    pub async fn open_whole(&mut self, session: &str) {
        self.open(session).await;
        self.fetch_whole(session).await;
    }

    /// Fetches the rows before those that are held.
    pub async fn fetch_whole(&mut self, session: &str) {
        while let before @ 1.. = self.view(session).controller.first() {
            let answer = self.ask(Some(session), Command::GetMessages { before, limit: None }).await.unwrap();
            let page: MessagesPage = serde_json::from_value(answer).unwrap();
            let view = self.views.get_mut(session).unwrap();
            assert!(view.controller.prepend(page.first, page.messages), "the pages do not fit together");
        }
    }

    pub async fn prompt(&mut self, session: &str, text: &str) -> Result<Value, String> {
        self.next_id += 1;
        let client_id = format!("client-{:p}-{}", self, self.next_id);
        self.ask(Some(session), prompt(&client_id, text)).await
    }

    /// Takes frames until the condition holds.
    pub async fn until(&mut self, session: &str, what: &str, condition: impl Fn(&SessionView) -> bool) {
        loop {
            if self.views.get(session).is_some_and(&condition) {
                return;
            }
            let waited = tokio::time::timeout(PATIENCE, self.take_frame()).await;
            assert!(waited.is_ok(), "waited in vain for {what}: {:#?}", self.views.get(session));
        }
    }

    pub async fn until_state(&mut self, session: &str, state: SessionState) {
        self.until(session, state.name(), |view| view.state == state).await;
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

    /// Folds the next frame, as the page does.
    pub async fn take_frame(&mut self) {
        match next_frame(&mut self.socket).await {
            ServerFrame::Response { id, success, data, error, .. } => {
                let outcome = if success { Ok(data) } else { Err(error.unwrap_or_default()) };
                assert!(self.responses.insert(id, outcome).is_none(), "two responses for one command");
            }
            ServerFrame::Snapshot(snapshot) => {
                self.snapshots += 1;
                self.views.insert(snapshot.session_id.clone(), SessionView::restore(*snapshot));
            }
            ServerFrame::Event { session_id, seq, event } => {
                self.events += 1;
                if let Event::Notice { text, .. } = &event {
                    self.notices.push(text.clone());
                }
                let applied = self.views.get_mut(&session_id).unwrap().apply_numbered(seq, event);
                assert!(
                    matches!(applied, Applied::Changed(_)),
                    "{applied:?}: events are gapless and come once"
                );
            }
            ServerFrame::SessionsChanged { changed, removed } => {
                self.welcome.sessions.retain(|known| {
                    !removed.contains(&known.id) && !changed.iter().any(|session| session.id == known.id)
                });
                self.welcome.sessions.extend(changed);
            }
            ServerFrame::AgentsChanged { agents } => self.welcome.agents = agents,
            ServerFrame::Welcome(_) => panic!("a second welcome"),
        }
    }

    /// Folds the next frame if one is there or comes in a moment.
    pub async fn take_frame_if_any(&mut self) {
        let _ = tokio::time::timeout(Duration::from_millis(5), self.take_frame()).await;
    }

    /// The response to a request, if it has come.
    pub fn answered(&self, request: &str) -> Option<&Result<Value, String>> {
        self.responses.get(request)
    }

    /// Texts that were given back by a stop.
    pub fn restored(&self) -> Vec<String> {
        let answers =
            self.responses.values().filter_map(|answer| answer.as_ref().ok()?.get("restored")?.as_array());
        answers.flatten().filter_map(|item| item["text"].as_str().map(str::to_owned)).collect()
    }

    /// The bare connection, to do with it what no page does.
    pub fn into_socket(self) -> WebSocketStream<MaybeTlsStream<TcpStream>> {
        self.socket
    }

    /// Drops the connection without a word.
    pub fn lose(self) -> HashMap<String, SessionView> {
        self.views
    }
}

pub fn prompt(client_id: &str, text: &str) -> Command {
    Command::Prompt {
        client_id: client_id.to_owned(),
        message: text.to_owned(),
        images: Vec::new(),
        streaming_behavior: pilothouse_core::conversation::queue::Lane::Steer,
    }
}

async fn next_frame(socket: &mut WebSocketStream<MaybeTlsStream<TcpStream>>) -> ServerFrame {
    loop {
        let message = tokio::time::timeout(PATIENCE, socket.next()).await.expect("the server is silent");
        match message.expect("the socket was closed").unwrap() {
            Message::Text(text) => return ServerFrame::parse(&text).unwrap(),
            Message::Close(frame) => panic!("closed: {frame:?}"),
            _ => {}
        }
    }
}

/// What a person sees of the rows: what must be equal live, after a reload and after a restart.
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

/// Pages that came at different times hold windows that begin at different rows; the rest is the same.
pub fn assert_same(left: &SessionView, right: &SessionView) {
    let first = left.controller.first().max(right.controller.first());
    let from = |view: &SessionView| view.controller.rows()[first - view.controller.first()..].to_vec();
    assert!(from(left) == from(right), "{:#?}\n{:#?}", from(left), from(right));
    assert_eq!(left.controller.fold(), right.controller.fold());
    // What stands in the editor is told with a snapshot only.
    let rest = |view: &SessionView| SessionView {
        controller: Default::default(),
        draft: String::new(),
        ..view.clone()
    };
    assert_eq!(rest(left), rest(right));
}
