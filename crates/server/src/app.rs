//! Starts the server, runs it until a shutdown signal, and ends it cleanly.

use std::future::Future;
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::net::TcpListener;

use crate::agent::{orphans, process};
use crate::config::Config;
use crate::data_folder::{self, FolderLock};
use crate::devices::control::ControlSocket;
use crate::devices::{Addresses, Devices};
use crate::http::guard::Guard;
use crate::http::guard::headers::SecurityHeaders;
use crate::http::guard::hosts::AllowedHosts;
use crate::http::tls::Tls;
use crate::http::{assets, connections, routes};
use crate::hub::Hub;
use crate::search::Search;
use crate::store::Store;

/// The state shared by all request handlers.
#[derive(Clone)]
pub struct App {
    pub hub: Arc<Hub>,
    pub guard: Arc<Guard>,
    pub devices: Devices,
}

/// A server that is listening.
pub struct RunningServer {
    app: App,
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    /// The address to open. Its fragment contains a pairing code, so it must not be logged.
    pub link: String,
    /// Answers `pilothouse link` and `pilothouse devices`.
    control: Option<ControlSocket>,
    /// Held while the server runs.
    _lock: FolderLock,
}

/// Prepares the data folder, opens the store and the search index, and starts to listen.
pub async fn start(config: Config) -> Result<RunningServer> {
    let lock = data_folder::prepare(&config.data_dir)?;
    // Earlier versions gave access with the token in this file.
    let _ = std::fs::remove_file(config.data_dir.join("token"));
    let tls = config.tls.clone().map(Tls::new).transpose()?.map(Arc::new);
    let scheme = if tls.is_some() { "https" } else { "http" };
    let listener = TcpListener::bind(config.listen).await.with_context(|| {
        format!(
            "cannot listen on {}; if another Pilothouse is running there, choose another address with --listen",
            config.listen
        )
    })?;
    let address = listener.local_addr().context("cannot determine the address of the listening socket")?;
    process::set_up();
    for agent in &config.agents {
        if let Some(reason) = process::why_no_limits(&agent.limits) {
            tracing::warn!("the limits of agent '{}' are not applied, because {reason}", agent.name);
        }
    }
    // Ends agents that survived the crash of an earlier server.
    let installation = orphans::installation(&config.data_dir);
    orphans::end_all(&installation);
    let store = Store::open(&config.data_dir)?;
    let search = Search::open(&config.data_dir)?;
    let addresses = Addresses::new(address, scheme, &config.allowed_hosts);
    let devices = Devices::load(store.clone(), Some(addresses.clone()), config.device_expiry);
    let hosts = AllowedHosts::new(address, scheme, config.allowed_hosts.clone());
    let headers = SecurityHeaders::new(assets::SCRIPT_HASHES, assets::STYLE_HASHES);
    let guard = Guard::new(hosts, headers, devices.clone(), address.port());
    let control = ControlSocket::bind(&config.data_dir)
        .inspect_err(|error| {
            tracing::warn!("`pilothouse link` and `pilothouse devices` don't work: {error:#}")
        })
        .ok();
    let hub = Hub::new(config, store, search);
    hub.refresh().await;
    hub.watch_files();
    hub.watch_programs();
    hub.watch_storage();
    hub.watch_devices(&devices);
    hub.discover_agents();
    let link = match devices.create_code().await {
        Ok((code, _)) => addresses.own_link(&code),
        Err(error) => {
            tracing::error!("no link for another browser could be created: {}", error.message);
            addresses.own().to_owned()
        }
    };
    let app = App { hub, guard: Arc::new(guard), devices };
    Ok(RunningServer { app, listener, tls, link, control, _lock: lock })
}

impl RunningServer {
    /// Serves until `shutdown` completes, then ends every agent.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<()> {
        let router = routes::router(self.app.clone());
        let control = async {
            match &self.control {
                Some(control) => control.serve(&self.app.devices).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = connections::serve(self.listener, self.tls, router) => {}
            () = control => {}
            () = shutdown => {}
        }
        tracing::info!("shutting down; stopping all agents");
        self.app.hub.shut_down().await;
        Ok(())
    }
}
