//! The devices that have access: browsers that were paired. A pairing code is exchanged once for a credential, which
//! belongs to the origin of the page that asked for it. Only hashes of codes and credentials are kept.

pub mod control;
mod links;
mod secret;
mod user_agent;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pilothouse_core::limits::{DEVICE_NAME_CHARS, DEVICES, PAIRING_CODES, PAIRING_HOURS};
use pilothouse_core::protocol::{
    CommandError, DeviceInfo, DeviceList, ErrorCode, HubCommand, HubReply, PairingLinks,
};
use subtle::ConstantTimeEq;
use tokio::sync::watch;

use crate::clock::now_ms;
use crate::http::guard::Refusal;
use crate::store::{DeviceRecord, PairingCode, Store, Write};
pub use links::Addresses;
use secret::Secret;
pub use user_agent::name_of_browser;

/// How precisely the last use of a device is stored, in milliseconds.
const USE_PRECISION: u64 = 60_000;

const HOUR: u64 = 3_600_000;

/// The devices and pairing codes. Clones share them.
#[derive(Clone)]
pub struct Devices(Arc<Shared>);

struct Shared {
    store: Store,
    /// The addresses of the running server; `None` if it is not running.
    addresses: Option<Addresses>,
    /// The time after which a device that is not used loses its access; `None` for never.
    expiry: Option<Duration>,
    state: Mutex<State>,
    /// Changes whenever the list of devices does.
    changed: watch::Sender<()>,
}

struct State {
    devices: HashMap<String, Device>,
    /// Oldest first.
    codes: Vec<PairingCode>,
}

struct Device {
    record: DeviceRecord,
    /// Dropped when the access ends, which closes the device's connections.
    access: watch::Sender<()>,
}

/// The access of one device, as long as it lasts.
#[derive(Clone, Debug)]
pub struct DeviceAccess {
    pub id: String,
    ended: watch::Receiver<()>,
}

impl DeviceAccess {
    /// Waits until the access ends.
    pub async fn ended(&mut self) {
        while self.ended.changed().await.is_ok() {}
    }
}

/// Why a device could not be paired.
#[derive(Debug)]
pub enum PairingError {
    /// The code is wrong, or there were too many wrong ones.
    Refused(Refusal),
    TooManyDevices,
    Failed(CommandError),
}

impl From<CommandError> for PairingError {
    fn from(error: CommandError) -> Self {
        Self::Failed(error)
    }
}

impl fmt::Debug for Devices {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Devices(…)")
    }
}

impl Device {
    fn new(record: DeviceRecord) -> Self {
        Self { record, access: watch::Sender::new(()) }
    }

    fn is_connected(&self) -> bool {
        self.access.receiver_count() > 0
    }
}

impl Devices {
    /// Loads the devices of the store.
    pub fn load(store: Store, addresses: Option<Addresses>, expiry: Option<Duration>) -> Self {
        let devices = store.devices().into_iter().map(|record| (record.id.clone(), Device::new(record)));
        let state = State { devices: devices.collect(), codes: store.pairing_codes() };
        let changed = watch::Sender::new(());
        Self(Arc::new(Shared { store, addresses, expiry, state: Mutex::new(state), changed }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports changes of the list.
    pub fn changed(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Returns the access of the device with this credential, on a page of this origin.
    pub fn check(&self, credential: &str, origin: &str) -> Option<DeviceAccess> {
        let (id, secret) = credential.split_once('.')?;
        let now = now_ms();
        let hash = secret::hash(secret);
        let mut state = self.state();
        let device = state.devices.get_mut(id)?;
        if !bool::from(hash.ct_eq(&device.record.hash)) || device.record.origin != origin {
            return None;
        }
        if self.is_expired(device, now) {
            state.devices.remove(id);
            self.0.store.submit(vec![Write::RemoveDevice { device: id.to_owned() }]);
            return None;
        }
        if now.saturating_sub(device.record.last_used) >= USE_PRECISION {
            device.record.last_used = now;
            self.0.store.submit(vec![Write::DeviceUsed { device: id.to_owned(), at: now }]);
        }
        Some(DeviceAccess { id: id.to_owned(), ended: device.access.subscribe() })
    }

    /// Stores that a device was in use until now.
    pub fn used(&self, id: &str) {
        let now = now_ms();
        if let Some(device) = self.state().devices.get_mut(id) {
            device.record.last_used = now;
            self.0.store.submit(vec![Write::DeviceUsed { device: id.to_owned(), at: now }]);
        }
    }

    fn is_expired(&self, device: &Device, now: u64) -> bool {
        let unused = Duration::from_millis(now.saturating_sub(device.record.last_used));
        self.0.expiry.is_some_and(|expiry| unused > expiry) && !device.is_connected()
    }

    /// Creates a pairing code. If there are too many, it replaces the oldest.
    pub async fn create_code(&self) -> Result<(String, u64), CommandError> {
        let code = Secret::pairing_code()?;
        let expires = now_ms() + PAIRING_HOURS * HOUR;
        let created = PairingCode { hash: code.hash(), expires };
        let removed = {
            let mut state = self.state();
            state.remove_old_codes();
            state.codes.push(created.clone());
            let excess = state.codes.len().saturating_sub(PAIRING_CODES);
            state.codes.drain(..excess).collect::<Vec<_>>()
        };
        let removals = removed.into_iter().map(|code| Write::RemovePairingCode { hash: code.hash });
        let writes = removals.chain([Write::AddPairingCode(created.clone())]).collect();
        let stored = self.0.store.write(writes).result().await;
        if let Err(error) = stored {
            self.state().codes.retain(|code| *code != created);
            return Err(error.into());
        }
        Ok((code.into_text(), expires))
    }

    /// Creates a device for a pairing code that was taken, and returns its credential.
    pub async fn pair(&self, code: PairingCode, origin: &str, name: &str) -> Result<String, PairingError> {
        if self.list("").devices.len() >= DEVICES {
            self.state().codes.push(code);
            return Err(PairingError::TooManyDevices);
        }
        let (id, secret) = (Secret::device_id()?.into_text(), Secret::credential()?);
        let now = now_ms();
        let record = DeviceRecord {
            id: id.clone(),
            name: name.to_owned(),
            origin: origin.to_owned(),
            hash: secret.hash(),
            created: now,
            last_used: now,
        };
        let writes =
            vec![Write::RemovePairingCode { hash: code.hash.clone() }, Write::AddDevice(record.clone())];
        if let Err(error) = self.0.store.write(writes).result().await {
            self.state().codes.push(code);
            return Err(PairingError::Failed(error.into()));
        }
        tracing::info!(device = name, origin, "a device was paired");
        self.state().devices.insert(id.clone(), Device::new(record));
        self.0.changed.send_replace(());
        Ok(format!("{id}.{}", secret.into_text()))
    }

    /// Uses up a pairing code that a device with access has opened.
    pub fn discard_code(&self, code: &str) {
        if let Some(code) = self.take_code(code) {
            self.0.store.submit(vec![Write::RemovePairingCode { hash: code.hash }]);
        }
    }

    /// Takes a pairing code away, so that it is used once. `None` if it is wrong, expired or was used already.
    pub fn take_code(&self, code: &str) -> Option<PairingCode> {
        let hash = secret::hash(code);
        let mut state = self.state();
        state.remove_old_codes();
        let position = state.codes.iter().position(|known| bool::from(known.hash.ct_eq(&hash)));
        position.map(|position| state.codes.remove(position))
    }

    /// The devices, the one used last first. `current` is the id of the one that asks.
    pub fn list(&self, current: &str) -> DeviceList {
        let now = now_ms();
        let mut state = self.state();
        let expired = |(_, device): &(&String, &Device)| self.is_expired(device, now);
        let expired: Vec<String> = state.devices.iter().filter(expired).map(|(id, _)| id.clone()).collect();
        for id in expired {
            state.devices.remove(&id);
            self.0.store.submit(vec![Write::RemoveDevice { device: id }]);
        }
        let describe = |device: &Device| {
            let DeviceRecord { id, name, origin, created, last_used, .. } = device.record.clone();
            let connected = device.is_connected();
            let last_used = if connected { now } else { last_used };
            DeviceInfo { current: id == current, id, name, origin, created, last_used, connected }
        };
        let mut devices: Vec<DeviceInfo> = state.devices.values().map(describe).collect();
        devices.sort_by(|left, right| {
            let key = |device: &DeviceInfo| (device.current, device.last_used, device.created);
            key(right).cmp(&key(left)).then_with(|| left.id.cmp(&right.id))
        });
        DeviceList { devices }
    }

    /// The name of a device; empty if it has no access any more.
    pub fn name_of(&self, id: &str) -> String {
        self.state().devices.get(id).map(|device| device.record.name.clone()).unwrap_or_default()
    }

    pub async fn rename(&self, id: &str, name: &str) -> Result<(), CommandError> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > DEVICE_NAME_CHARS || name.chars().any(char::is_control) {
            let text = format!("A device's name has 1 to {DEVICE_NAME_CHARS} characters.");
            return Err(CommandError::invalid(text));
        }
        if !self.state().devices.contains_key(id) {
            return Err(no_such_device());
        }
        let write = Write::RenameDevice { device: id.to_owned(), name: name.to_owned() };
        self.0.store.write(vec![write]).result().await?;
        if let Some(device) = self.state().devices.get_mut(id) {
            name.clone_into(&mut device.record.name);
        }
        self.0.changed.send_replace(());
        Ok(())
    }

    /// Ends a device's access and closes its connections, at once: also if this cannot be stored.
    pub async fn revoke(&self, id: &str) -> Result<(), CommandError> {
        let Some(device) = self.state().devices.remove(id) else { return Err(no_such_device()) };
        tracing::info!(device = device.record.name, "the access of a device was revoked");
        drop(device);
        self.0.changed.send_replace(());
        let write = Write::RemoveDevice { device: id.to_owned() };
        self.0.store.write(vec![write]).result().await.map_err(|error| {
            let text = format!(
                "The device has no access now, but this couldn't be saved: {error}. It has access again after a restart of the server."
            );
            CommandError::new(ErrorCode::NotStored, text)
        })
    }

    /// Creates a pairing link. The page of a browser that asks for it has this address.
    pub async fn create_link(&self, page: &str) -> Result<PairingLinks, CommandError> {
        let Some(addresses) = &self.0.addresses else {
            return Err(CommandError::invalid("Pilothouse is not running. Start it: it prints a link."));
        };
        let (code, expires) = self.create_code().await?;
        Ok(PairingLinks { links: addresses.links(page, &code), expires })
    }

    /// Executes a command for devices; `None` if it is another one. `current` is the id of the device that asks.
    pub async fn execute(
        &self,
        command: &HubCommand,
        current: &str,
    ) -> Option<Result<HubReply, CommandError>> {
        let result = match command {
            HubCommand::ListDevices => Ok(HubReply::Devices(self.list(current))),
            HubCommand::RenameDevice { device_id, name } => {
                self.rename(device_id, name).await.map(|()| HubReply::Done {})
            }
            HubCommand::RevokeDevice { device_id } => {
                self.revoke(device_id).await.map(|()| HubReply::Done {})
            }
            HubCommand::CreatePairingLink { address } => {
                self.create_link(address).await.map(HubReply::PairingLinks)
            }
            _ => return None,
        };
        Some(result)
    }
}

impl State {
    fn remove_old_codes(&mut self) {
        let now = now_ms();
        self.codes.retain(|code| code.expires > now);
    }
}

fn no_such_device() -> CommandError {
    CommandError::invalid("This device is not in the list any more.")
}

#[cfg(test)]
#[path = "devices/tests.rs"]
mod tests;
