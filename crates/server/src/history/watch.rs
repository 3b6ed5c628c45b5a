//! Says when to look at session files again: when the system tells that something in a sessions folder has changed,
//! or, where the system cannot watch, every few seconds. What is looked at and what it means is not known here.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use pilothouse_core::limits::{FILE_DEBOUNCE_MILLISECONDS, FILE_EVENT_QUEUE, FILE_POLL_SECONDS};

/// What may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    Paths(Vec<PathBuf>),
    Everything,
    /// Nobody knows: a folder cannot be watched, and it is time to look if somebody cares.
    Unwatched,
}

/// A folder that is not there yet, or not there any more, is looked for so often.
const LOOK_FOR_FOLDERS: Duration = Duration::from_secs(1);

/// Watches these folders and all below them on a thread of its own, until `tell` says that nobody listens any more.
/// The flag says whether the system tells everything, so that nothing but what is on its way can be missed.
pub fn start(
    folders: Vec<PathBuf>,
    tell: impl FnMut(Told) -> bool + Send + 'static,
) -> std::io::Result<Arc<AtomicBool>> {
    let told_all = Arc::new(AtomicBool::new(false));
    let flag = told_all.clone();
    let watch = move || Watch::new(folders, flag).run(tell);
    std::thread::Builder::new().name("watch".to_owned()).spawn(watch)?;
    Ok(told_all)
}

struct Watch {
    folders: Vec<Folder>,
    watcher: Option<RecommendedWatcher>,
    events: Receiver<Event>,
    /// An event did not fit, or told that others got lost.
    lost: Arc<AtomicBool>,
    told_all: Arc<AtomicBool>,
}

struct Folder {
    path: PathBuf,
    /// Which folder it was when it was last looked at.
    place: Option<(u64, u64)>,
    failed: bool,
    /// It has taken the place of another since then. What the system still has to say of the old one may end the
    /// watch of the new one: after a moment it is watched anew.
    renewed: Option<Instant>,
}

impl Watch {
    fn new(folders: Vec<PathBuf>, told_all: Arc<AtomicBool>) -> Self {
        let (sender, events) = sync_channel(FILE_EVENT_QUEUE);
        let lost = Arc::new(AtomicBool::new(false));
        let watcher = watcher(sender, lost.clone())
            .inspect_err(|error| tracing::warn!(%error, "session files cannot be watched"));
        let folders =
            folders.into_iter().map(|path| Folder { path, place: None, failed: false, renewed: None });
        Self { folders: folders.collect(), watcher: watcher.ok(), events, lost, told_all }
    }

    fn run(mut self, mut tell: impl FnMut(Told) -> bool) {
        loop {
            let everything = self.arm() | self.lost.swap(false, Ordering::Relaxed);
            let failed = self.watcher.is_none() || self.folders.iter().any(|folder| folder.failed);
            self.told_all.store(!failed, Ordering::Relaxed);
            let patience = if failed { Duration::from_secs(FILE_POLL_SECONDS) } else { LOOK_FOR_FOLDERS };
            let told = if everything {
                Told::Everything
            } else {
                match self.events.recv_timeout(patience) {
                    Ok(event) => Told::Paths(self.burst(event)),
                    Err(RecvTimeoutError::Timeout) if failed => Told::Unwatched,
                    Err(RecvTimeoutError::Timeout) => Told::Paths(Vec::new()),
                    // There is no watcher, and never will be.
                    Err(RecvTimeoutError::Disconnected) => {
                        std::thread::sleep(patience);
                        Told::Unwatched
                    }
                }
            };
            if !tell(told) {
                return;
            }
        }
    }

    /// Watches folders that have come since, or come back. Whether there are any, or some went.
    fn arm(&mut self) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        let mut changed = false;
        for folder in &mut self.folders {
            let place = place(&folder.path);
            let again = folder.renewed.is_some_and(|since| since.elapsed() >= LOOK_FOR_FOLDERS);
            if place == folder.place && !again {
                continue;
            }
            changed = true;
            if again {
                folder.renewed = None;
            } else if folder.place.is_some() {
                folder.renewed = Some(Instant::now());
            }
            let _ = watcher.unwatch(&folder.path);
            folder.place = place;
            folder.failed = place.is_some()
                && watcher
                    .watch(&folder.path, RecursiveMode::Recursive)
                    .inspect_err(|error| {
                        let folder = folder.path.display();
                        tracing::warn!(%folder, %error, "cannot be watched; it is looked at every few seconds");
                    })
                    .is_err();
        }
        changed
    }

    /// The paths of this event and of those that follow at once.
    fn burst(&mut self, event: Event) -> Vec<PathBuf> {
        let end = Instant::now() + Duration::from_millis(FILE_DEBOUNCE_MILLISECONDS);
        let mut paths: BTreeSet<PathBuf> = event.paths.into_iter().collect();
        while let Ok(event) = self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
            paths.extend(event.paths);
        }
        // Told of a watched folder itself: another may have its place by now, even under its number.
        for folder in self.folders.iter_mut().filter(|folder| paths.contains(&folder.path)) {
            folder.place = None;
            folder.renewed = Some(Instant::now());
        }
        paths.into_iter().collect()
    }
}

fn watcher(sender: SyncSender<Event>, lost: Arc<AtomicBool>) -> notify::Result<RecommendedWatcher> {
    notify::recommended_watcher(move |event: notify::Result<Event>| match event {
        // Our own reading is told as well.
        Ok(Event { kind: EventKind::Access(_), .. }) => {}
        Ok(event) => {
            if event.need_rescan() {
                lost.store(true, Ordering::Relaxed);
            }
            if let Err(TrySendError::Full(_)) = sender.try_send(event) {
                lost.store(true, Ordering::Relaxed);
            }
        }
        Err(_) => lost.store(true, Ordering::Relaxed),
    })
}

fn place(folder: &Path) -> Option<(u64, u64)> {
    let metadata = folder.metadata().ok().filter(std::fs::Metadata::is_dir)?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
