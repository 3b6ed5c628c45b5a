//! The commands `pilothouse link` and `pilothouse devices`. They reach the running server through a Unix socket in its
//! data folder, which only its owner can open. If no server is running, they work on the store itself.

use std::fs::Permissions;
use std::io::{ErrorKind, IsTerminal};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pilothouse_core::protocol::{DeviceList, HubCommand, PairingLinks};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

use super::Devices;
use super::links::qr_text;
use crate::agent::process;
use crate::cli::{DeviceCommand, DevicesArguments, InstallationArguments};
use crate::config::Config;
use crate::data_folder;
use crate::store::Store;

const SOCKET: &str = "control.sock";

/// The longest command, in bytes.
const COMMAND_BYTES: u64 = 64 * 1024;

/// How long a client may take to send its command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// The socket of a running server. Dropping it removes the file.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    inode: u64,
    listener: UnixListener,
}

impl ControlSocket {
    /// Replaces the socket of a server that was killed: the data folder's lock is held.
    pub fn bind(data_dir: &Path) -> Result<Self> {
        let path = data_dir.join(SOCKET);
        let _ = std::fs::remove_file(&path);
        let listener =
            UnixListener::bind(&path).with_context(|| format!("cannot create {}", path.display()))?;
        std::fs::set_permissions(&path, Permissions::from_mode(0o600))
            .with_context(|| format!("cannot restrict the permissions of {}", path.display()))?;
        let inode = std::fs::metadata(&path).map_or(0, |file| file.ino());
        Ok(Self { path, inode, listener })
    }

    /// Answers commands until the future is dropped.
    pub async fn serve(&self, devices: &Devices) {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(answer(stream, devices.clone()))),
                Err(error) => {
                    tracing::warn!(%error, "a command could not be accepted");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // In a folder that has replaced this one, it is another server's.
        if std::fs::metadata(&self.path).is_ok_and(|file| file.ino() == self.inode) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Answers the one command of a connection: a line with its result, or with the text of its error.
async fn answer(stream: UnixStream, devices: Devices) {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    let read = timeout(COMMAND_TIMEOUT, (&mut stream).take(COMMAND_BYTES).read_line(&mut line)).await;
    if !matches!(read, Ok(Ok(1..))) {
        return;
    }
    let result = match serde_json::from_str(&line) {
        // An agent must not give access to others.
        _ if is_from_agent(stream.get_ref()).await => {
            Err("This command does not work within a session. Run it in a terminal.".to_owned())
        }
        Ok(command) => execute(&devices, &command).await,
        Err(error) => Err(format!("The command is invalid: {error}.")),
    };
    if let Ok(mut answer) = serde_json::to_vec(&result) {
        answer.push(b'\n');
        let _ = stream.write_all(&answer).await;
    }
}

async fn is_from_agent(stream: &UnixStream) -> bool {
    let Some(id) = stream.peer_cred().ok().and_then(|peer| peer.pid()) else { return false };
    tokio::task::spawn_blocking(move || process::may_be_started_here(id)).await.unwrap_or(true)
}

async fn execute(devices: &Devices, command: &HubCommand) -> Result<Value, String> {
    match devices.execute(command, "").await {
        Some(Ok(reply)) => serde_json::to_value(reply).map_err(|error| error.to_string()),
        Some(Err(error)) => Err(error.message),
        None => Err(format!("'{}' is not a command for devices.", command.name())),
    }
}

/// Has a command executed by the running server, or executes it if none is running.
async fn request<T: DeserializeOwned>(data_dir: &Path, command: &HubCommand) -> Result<T> {
    let result = match UnixStream::connect(data_dir.join(SOCKET)).await {
        Ok(mut stream) => {
            let mut line = serde_json::to_vec(command)?;
            line.push(b'\n');
            stream.write_all(&line).await.context("the server closed the connection")?;
            let mut answer = String::new();
            BufReader::new(stream).read_line(&mut answer).await.context("the server did not answer")?;
            serde_json::from_str(&answer).context("the server's answer is invalid")?
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
            if !data_dir.is_dir() {
                bail!("there is no data folder {}; choose one with --data-dir", data_dir.display());
            }
            let _lock = data_folder::lock_existing(data_dir)?;
            let devices = Devices::load(Store::open(data_dir)?, None, None);
            execute(&devices, command).await
        }
        Err(error) => return Err(error).context("cannot reach the running server"),
    };
    let value: Value = result.map_err(|text: String| anyhow!(text))?;
    serde_json::from_value(value).context("the server's answer is invalid")
}

fn data_dir(arguments: InstallationArguments) -> Result<PathBuf> {
    Config::data_dir(arguments.config.as_deref(), arguments.data_dir)
}

/// Prints a new pairing link, on a terminal also as a QR code.
pub async fn print_link(arguments: InstallationArguments) -> Result<()> {
    let command = HubCommand::CreatePairingLink { address: String::new() };
    let links: PairingLinks = request(&data_dir(arguments)?, &command).await?;
    for link in &links.links {
        println!("{}", link.link);
        if std::io::stdout().is_terminal() && !link.local {
            println!("\n{}", qr_text(&link.link));
        }
    }
    if links.links.iter().all(|link| link.local) {
        eprintln!(
            "This link works on this machine only. To use other devices, see \"Other devices\" in the README."
        );
    }
    eprintln!("The link works once, for a day.");
    Ok(())
}

/// Lists the devices, or changes one.
pub async fn manage_devices(arguments: DevicesArguments) -> Result<()> {
    let data_dir = data_dir(arguments.installation)?;
    match arguments.command.unwrap_or(DeviceCommand::List) {
        DeviceCommand::List => {
            let list: DeviceList = request(&data_dir, &HubCommand::ListDevices).await?;
            print!("{}", table(&list));
        }
        DeviceCommand::Rename { id, name } => {
            let _: Value = request(&data_dir, &HubCommand::RenameDevice { device_id: id, name }).await?;
        }
        DeviceCommand::Revoke { id } => {
            let _: Value = request(&data_dir, &HubCommand::RevokeDevice { device_id: id }).await?;
            println!("The device has no access any more.");
        }
    }
    Ok(())
}

fn table(list: &DeviceList) -> String {
    if list.devices.is_empty() {
        return "No browser has access. `pilothouse link` prints a link that gives access.\n".to_owned();
    }
    let mut lines = vec![["ID", "NAME", "ADDRESS", "ADDED", "LAST USED"].map(str::to_owned)];
    for device in &list.devices {
        let last_used = if device.connected { "now".to_owned() } else { local_time(device.last_used) };
        let (id, name, origin) = (device.id.clone(), device.name.clone(), device.origin.clone());
        lines.push([id, name, origin, local_time(device.created), last_used]);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let format = |line: &[String; 5]| {
        let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines.iter().map(format).collect()
}

fn local_time(unix_ms: u64) -> String {
    let time = Timestamp::from_millisecond(i64::try_from(unix_ms).unwrap_or(i64::MAX));
    time.map(|time| time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default()
}
