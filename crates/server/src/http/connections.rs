//! Accepts connections and serves HTTP on them. Their number is bounded, and a connection without a request is closed
//! after a while, or earlier if another one needs its place: silent connections keep nobody out.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use pilothouse_core::limits::{CONNECTIONS, REQUEST_HEAD_SECONDS};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::timeout;
use tower::ServiceExt;

use super::guard::Peer;
use super::tls::Tls;

/// The pause after an error of the listening socket, such as too many open files.
const RETRY: Duration = Duration::from_secs(1);

/// Serves until the future is dropped; with TLS if there is a certificate.
pub async fn serve(listener: TcpListener, tls: Option<Arc<Tls>>, router: Router) {
    let connections = Connections::default();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => match connections.add() {
                Some(place) => {
                    drop(tokio::spawn(serve_connection(stream, peer, tls.clone(), router.clone(), place)))
                }
                None => tracing::warn!("a connection was refused: {CONNECTIONS} are busy"),
            },
            // The client is gone already.
            Err(error)
                if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    tls: Option<Arc<Tls>>,
    router: Router,
    place: Place,
) {
    // Sends small frames at once, instead of waiting for the acknowledgement of the previous one.
    let _ = stream.set_nodelay(true);
    match tls {
        None => serve_requests(stream, peer, router, place).await,
        Some(tls) => {
            let accepted = tokio::select! {
                accepted = timeout(Duration::from_secs(REQUEST_HEAD_SECONDS), tls.accept(stream)) => accepted,
                () = place.connection.closed.notified() => return,
            };
            match accepted {
                Ok(Ok(stream)) => serve_requests(stream, peer, router, place).await,
                Ok(Err(error)) => tracing::debug!(%error, "a connection did not become encrypted"),
                Err(_) => tracing::debug!("a connection did not become encrypted in time"),
            }
        }
    }
}

async fn serve_requests(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    router: Router,
    place: Place,
) {
    let connection = place.connection.clone();
    let handle = tower::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        let (router, busy) = (router.clone(), Busy::begin(connection.clone()));
        async move {
            let response = router.oneshot(request.map(Body::new)).await;
            drop(busy);
            response
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(REQUEST_HEAD_SECONDS))
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(handle))
        .with_upgrades();
    tokio::select! {
        served = served => {
            if let Err(error) = served {
                tracing::debug!(%error, "a connection ended");
            }
        }
        () = place.connection.closed.notified() => tracing::debug!("an unused connection was closed for another one"),
    }
}

/// The open connections, oldest first. An upgraded one, which is a socket of a page, is not among them.
#[derive(Clone, Debug, Default)]
struct Connections(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    last: u64,
    connections: BTreeMap<u64, Arc<Connection>>,
}

#[derive(Debug, Default)]
struct Connection {
    /// The number of requests that are being handled.
    requests: AtomicUsize,
    closed: Notify,
}

/// A connection's place, which is free again when this is dropped.
struct Place {
    connections: Connections,
    id: u64,
    connection: Arc<Connection>,
}

impl Connections {
    /// Adds a connection. If there are too many, the oldest without a request is closed; `None` if there is none.
    fn add(&self) -> Option<Place> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.connections.len() >= CONNECTIONS {
            let is_unused = |connection: &Arc<Connection>| connection.requests.load(Ordering::Relaxed) == 0;
            let unused = open.connections.iter().find(|(_, connection)| is_unused(connection));
            let id = unused.map(|(id, _)| *id)?;
            if let Some(connection) = open.connections.remove(&id) {
                connection.closed.notify_one();
            }
        }
        open.last += 1;
        let (id, connection) = (open.last, Arc::new(Connection::default()));
        open.connections.insert(id, connection.clone());
        Some(Place { connections: self.clone(), id, connection })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.0.lock().unwrap_or_else(PoisonError::into_inner).connections.remove(&self.id);
    }
}

/// A request that is being handled.
struct Busy(Arc<Connection>);

impl Busy {
    fn begin(connection: Arc<Connection>) -> Self {
        connection.requests.fetch_add(1, Ordering::Relaxed);
        Self(connection)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_idle_after_a_request_is_closed() {
        let (mut client, stream) = tokio::io::duplex(4_096);
        let router = Router::new().route("/health", axum::routing::get(async || "ok"));
        let place = Connections::default().add().unwrap();
        let served = tokio::spawn(serve_requests(stream, ([127, 0, 0, 1], 1).into(), router, place));
        for _ in 0..2 {
            client.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
            let mut response = [0; 1_024];
            let length = client.read(&mut response).await.unwrap();
            assert!(response[..length].ends_with(b"ok"), "the connection is kept alive");
        }
        let idle_since = Instant::now();
        served.await.unwrap();
        let seconds = idle_since.elapsed().as_secs();
        assert!(
            (REQUEST_HEAD_SECONDS - 1..=REQUEST_HEAD_SECONDS + 1).contains(&seconds),
            "after {seconds} s"
        );
    }

    #[test]
    fn the_oldest_unused_connection_gives_way_and_a_busy_one_does_not() {
        let connections = Connections::default();
        let places: Vec<Place> = (0..CONNECTIONS).map(|_| connections.add().unwrap()).collect();
        let busy: Vec<Busy> =
            places.iter().skip(1).map(|place| Busy::begin(place.connection.clone())).collect();
        let next = connections.add().unwrap();
        assert_eq!(next.id, CONNECTIONS as u64 + 1);
        let _busy = Busy::begin(next.connection.clone());
        assert!(connections.add().is_none(), "all are busy");
        drop(busy);
        assert!(connections.add().is_some());
        drop((places, next));
        assert!(connections.0.lock().unwrap().connections.len() <= 1);
    }
}
