//! Starts the server, runs it until a shutdown signal, and ends it cleanly.

use std::fs::{File, Permissions, TryLockError};
use std::future::Future;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::net::TcpListener;

use crate::agent::orphans;
use crate::config::Config;
use crate::http::guard::Guard;
use crate::http::guard::credential::{Credential, load_or_create_token};
use crate::http::guard::headers::SecurityHeaders;
use crate::http::guard::hosts::AllowedHosts;
use crate::http::{assets, connections, routes};
use crate::hub::Hub;
use crate::search::Search;
use crate::store::Store;

/// The state shared by all request handlers.
#[derive(Clone)]
pub struct App {
    pub hub: Arc<Hub>,
    pub guard: Arc<Guard>,
}

/// A server that is listening.
pub struct RunningServer {
    app: App,
    listener: TcpListener,
    pub address: SocketAddr,
    /// The address to open. Its fragment contains the token, so it must not be logged.
    pub link: String,
    /// Locked while the server runs.
    _lock: File,
}

/// Prepares the data folder, opens the store and the search index, and starts to listen.
pub async fn start(config: Config) -> Result<RunningServer> {
    create_private_folder(&config.data_dir)?;
    let lock = lock_folder(&config.data_dir)?;
    let token = load_or_create_token(&config.data_dir.join("token"))?;
    let listener = TcpListener::bind(config.listen).await.with_context(|| {
        format!(
            "cannot listen on {}; if another Pilothouse is running there, choose another address with --listen",
            config.listen
        )
    })?;
    let address = listener.local_addr().context("cannot determine the address of the listening socket")?;
    let guard = Guard {
        hosts: AllowedHosts::new(address, &config.allowed_hosts)?,
        credential: Credential::new(token.clone(), address.port()),
        headers: SecurityHeaders::new(assets::SCRIPT_HASHES, assets::STYLE_HASHES),
    };
    // Ends agents that survived the crash of an earlier server.
    let installation = orphans::installation(&config.data_dir);
    orphans::end_all(&installation);
    let store = Store::open(&config.data_dir)?;
    let search = Search::open(&config.data_dir)?;
    let hub = Hub::new(config, store, search);
    hub.refresh().await;
    hub.watch_files();
    hub.watch_storage();
    hub.discover_agents();
    let host = if address.ip().is_unspecified() {
        SocketAddr::new([127, 0, 0, 1].into(), address.port())
    } else {
        address
    };
    let link = format!("http://{host}/#token={token}");
    Ok(RunningServer { app: App { hub, guard: Arc::new(guard) }, listener, address, link, _lock: lock })
}

impl RunningServer {
    /// Serves until `shutdown` completes, then ends every agent.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<()> {
        let router = routes::router(self.app.clone());
        tokio::select! {
            () = connections::serve(self.listener, router) => {}
            () = shutdown => {}
        }
        tracing::info!("shutting down; stopping all agents");
        self.app.hub.shut_down().await;
        Ok(())
    }
}

/// Ensures that only one server uses a data folder: a second one would end the agents of the first as orphans.
fn lock_folder(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let file = File::create(&path).with_context(|| format!("cannot write to {}", path.display()))?;
    // A child process that a killed server was just starting holds the lock until its exec.
    let deadline = Instant::now() + Duration::from_secs(2);
    let mut result = file.try_lock();
    while matches!(result, Err(TryLockError::WouldBlock)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
        result = file.try_lock();
    }
    match result {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another Pilothouse is running with the data folder {}; choose another one with --data-dir",
            folder.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

fn create_private_folder(folder: &Path) -> Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("cannot create the data folder {}", folder.display()))?;
    // An existing folder may be open to others.
    let mode = |folder: &Path| Ok::<_, std::io::Error>(std::fs::metadata(folder)?.permissions().mode());
    if mode(folder).is_ok_and(|mode| mode & 0o077 != 0)
        && let Err(error) = std::fs::set_permissions(folder, Permissions::from_mode(0o700))
    {
        tracing::warn!(%error, "other users can read the data folder {}", folder.display());
    }
    let probe = folder.join(".writable");
    std::fs::write(&probe, "")
        .with_context(|| format!("cannot write to the data folder {}", folder.display()))?;
    let _ = std::fs::remove_file(&probe);
    Ok(())
}
