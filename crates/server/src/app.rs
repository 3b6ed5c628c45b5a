//! Puts the server together, runs it until it is told to end, and ends it cleanly.

use std::fs::{File, TryLockError};
use std::future::Future;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use crate::agent::orphans;
use crate::config::Config;
use crate::http::guard::Guard;
use crate::http::guard::credential::{Credential, load_or_create_token};
use crate::http::guard::headers::SecurityHeaders;
use crate::http::guard::hosts::AllowedHosts;
use crate::http::{assets, routes};
use crate::hub::Hub;
use crate::search::Search;
use crate::store::Store;

/// What every handler can reach.
#[derive(Clone)]
pub struct App {
    pub hub: Arc<Hub>,
    pub guard: Arc<Guard>,
}

/// A server that listens, and the address to open.
pub struct Running {
    app: App,
    listener: TcpListener,
    pub address: SocketAddr,
    /// Carries the token in its fragment: for the person's eyes only.
    pub link: String,
    /// Held as long as the server runs.
    _lock: File,
}

pub async fn start(config: Config) -> Result<Running> {
    make_private_folder(&config.data_dir)?;
    let lock = lock(&config.data_dir)?;
    let token = load_or_create_token(&config.data_dir.join("token"))?;
    let listener = TcpListener::bind(config.listen).await.with_context(|| {
        format!(
            "cannot listen on {}: is another Pilothouse running there? --listen takes another address",
            config.listen
        )
    })?;
    let address = listener.local_addr().context("the address being listened on is unknown")?;
    let guard = Guard {
        hosts: AllowedHosts::new(address, &config.allowed_hosts)?,
        credential: Credential::new(token.clone(), address.port()),
        headers: SecurityHeaders::new(assets::SCRIPT_HASHES),
    };
    // A server that was killed could not end its agents; those that did not notice are ended now.
    let installation = orphans::installation(&config.data_dir);
    orphans::end_all(&installation);
    let store = Store::open(&config.data_dir)?;
    let search = Search::open(&config.data_dir)?;
    let hub = Hub::new(config, store, search);
    hub.refresh().await;
    hub.watch_files();
    hub.look_at_agents();
    let host = if address.ip().is_unspecified() {
        SocketAddr::new([127, 0, 0, 1].into(), address.port())
    } else {
        address
    };
    let link = format!("http://{host}/#token={token}");
    Ok(Running { app: App { hub, guard: Arc::new(guard) }, listener, address, link, _lock: lock })
}

impl Running {
    /// Serves until `end` comes, then ends every agent.
    pub async fn run(self, end: impl Future<Output = ()>) -> Result<()> {
        let router = routes::router(self.app.clone());
        // A small frame is sent at once, and does not wait until the far end has told of the one before.
        let listener = self.listener.tap_io(|connection| drop(connection.set_nodelay(true)));
        tokio::select! {
            served = axum::serve(listener, router) => served.context("the server stopped listening")?,
            () = end => {}
        }
        tracing::info!("ending; agents are being stopped");
        self.app.hub.shut_down().await;
        Ok(())
    }
}

/// One server per data folder: a second one would take the agents of the first for leftovers.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let file = File::create(&path).with_context(|| format!("{} cannot be written to", path.display()))?;
    // A server that was just killed may have been about to start an agent: the lock goes with that moment.
    let patience = Instant::now() + Duration::from_secs(2);
    let mut locked = file.try_lock();
    while matches!(locked, Err(TryLockError::WouldBlock)) && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(20));
        locked = file.try_lock();
    }
    match locked {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another Pilothouse is running with the data folder {}; --data-dir takes another",
            folder.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

fn make_private_folder(folder: &Path) -> Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("the data folder {} cannot be made", folder.display()))?;
    let probe = folder.join(".writable");
    std::fs::write(&probe, "")
        .with_context(|| format!("the data folder {} cannot be written to", folder.display()))?;
    let _ = std::fs::remove_file(&probe);
    Ok(())
}
