//! Watches folders of session files and reports changes: immediately where the system can watch them, otherwise at
//! intervals of a few seconds.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use pilothouse_core::limits::{FILE_DEBOUNCE_MILLISECONDS, FILE_EVENT_QUEUE, FILE_POLL_SECONDS};

/// The scope of a possible change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchEvent {
    Paths(Vec<PathBuf>),
    Everything,
    /// A folder cannot be watched: anything may have changed. Sent at intervals.
    Unwatched,
}

/// The interval at which missing and replaced folders are looked for.
const FOLDER_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Watches these folders recursively on a separate thread, until `on_event` returns false. The returned flag is true
/// while the system reports all changes, so that a reader can miss only changes whose reports are still on their way.
pub fn start(
    folders: Vec<PathBuf>,
    on_event: impl FnMut(WatchEvent) -> bool + Send + 'static,
) -> std::io::Result<Arc<AtomicBool>> {
    let is_complete = Arc::new(AtomicBool::new(false));
    let flag = is_complete.clone();
    let watch = move || FolderWatcher::new(folders, flag).run(on_event);
    std::thread::Builder::new().name("watch".to_owned()).spawn(watch)?;
    Ok(is_complete)
}

struct FolderWatcher {
    folders: Vec<WatchedFolder>,
    /// `None` if the system cannot watch files.
    watcher: Option<RecommendedWatcher>,
    events: Receiver<Event>,
    /// Set when events were lost, here or in the system.
    lost_events: Arc<AtomicBool>,
    is_complete: Arc<AtomicBool>,
}

struct WatchedFolder {
    path: PathBuf,
    /// Device and inode at the last check; `None` if the folder did not exist.
    file_id: Option<(u64, u64)>,
    watch_failed: bool,
    /// The time at which another folder with the same path was found. Pending system events of the old folder may
    /// cancel the watch of the new one, so it is watched again a moment later.
    replaced_at: Option<Instant>,
}

impl FolderWatcher {
    fn new(folders: Vec<PathBuf>, is_complete: Arc<AtomicBool>) -> Self {
        let (sender, events) = sync_channel(FILE_EVENT_QUEUE);
        let lost_events = Arc::new(AtomicBool::new(false));
        let watcher = create_watcher(sender, lost_events.clone())
            .inspect_err(|error| tracing::warn!(%error, "cannot watch session files"));
        let folders = folders.into_iter().map(|path| WatchedFolder {
            path,
            file_id: None,
            watch_failed: false,
            replaced_at: None,
        });
        Self { folders: folders.collect(), watcher: watcher.ok(), events, lost_events, is_complete }
    }

    fn run(mut self, mut on_event: impl FnMut(WatchEvent) -> bool) {
        loop {
            let everything = self.update_watches() | self.lost_events.swap(false, Ordering::Relaxed);
            let failed = self.watcher.is_none() || self.folders.iter().any(|folder| folder.watch_failed);
            self.is_complete.store(!failed, Ordering::Relaxed);
            let timeout = if failed { Duration::from_secs(FILE_POLL_SECONDS) } else { FOLDER_CHECK_INTERVAL };
            let event = if everything {
                WatchEvent::Everything
            } else {
                match self.events.recv_timeout(timeout) {
                    Ok(event) => WatchEvent::Paths(self.collect_burst(event)),
                    Err(RecvTimeoutError::Timeout) if failed => WatchEvent::Unwatched,
                    Err(RecvTimeoutError::Timeout) => WatchEvent::Paths(Vec::new()),
                    // Without a watcher the channel has no sender.
                    Err(RecvTimeoutError::Disconnected) => {
                        std::thread::sleep(timeout);
                        WatchEvent::Unwatched
                    }
                }
            };
            if !on_event(event) {
                return;
            }
        }
    }

    /// Watches folders that were created or replaced. Returns whether any folder appeared, disappeared or was replaced.
    fn update_watches(&mut self) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        let mut changed = false;
        for folder in &mut self.folders {
            let file_id = file_id(&folder.path);
            let is_due_again =
                folder.replaced_at.is_some_and(|since| since.elapsed() >= FOLDER_CHECK_INTERVAL);
            if file_id == folder.file_id && !is_due_again {
                continue;
            }
            changed = true;
            if is_due_again {
                folder.replaced_at = None;
            } else if folder.file_id.is_some() {
                folder.replaced_at = Some(Instant::now());
            }
            let _ = watcher.unwatch(&folder.path);
            folder.file_id = file_id;
            folder.watch_failed = file_id.is_some()
                && watcher
                    .watch(&folder.path, RecursiveMode::Recursive)
                    .inspect_err(|error| {
                        let folder = folder.path.display();
                        tracing::warn!(%folder, %error, "cannot watch a folder; checking it every few seconds");
                    })
                    .is_err();
        }
        changed
    }

    /// The paths of this event and of those that follow within a moment.
    fn collect_burst(&mut self, event: Event) -> Vec<PathBuf> {
        let end = Instant::now() + Duration::from_millis(FILE_DEBOUNCE_MILLISECONDS);
        let mut paths: BTreeSet<PathBuf> = event.paths.into_iter().collect();
        while let Ok(event) = self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
            paths.extend(event.paths);
        }
        // An event of a watched folder itself: the folder may have been replaced by one that reuses its inode.
        for folder in self.folders.iter_mut().filter(|folder| paths.contains(&folder.path)) {
            folder.file_id = None;
            folder.replaced_at = Some(Instant::now());
        }
        paths.into_iter().collect()
    }
}

fn create_watcher(
    sender: SyncSender<Event>,
    lost_events: Arc<AtomicBool>,
) -> notify::Result<RecommendedWatcher> {
    notify::recommended_watcher(move |event: notify::Result<Event>| match event {
        // The server's own reads are reported as well.
        Ok(Event { kind: EventKind::Access(_), .. }) => {}
        Ok(event) => {
            if event.need_rescan() {
                lost_events.store(true, Ordering::Relaxed);
            }
            if let Err(TrySendError::Full(_)) = sender.try_send(event) {
                lost_events.store(true, Ordering::Relaxed);
            }
        }
        Err(_) => lost_events.store(true, Ordering::Relaxed),
    })
}

/// Device and inode of a folder.
fn file_id(folder: &Path) -> Option<(u64, u64)> {
    let metadata = folder.metadata().ok().filter(std::fs::Metadata::is_dir)?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
