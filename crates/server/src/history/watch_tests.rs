use std::sync::mpsc;

use super::*;

/// Far longer than any step takes: only a hang runs into it.
const TIMEOUT: Duration = Duration::from_secs(30);

fn watch(folder: PathBuf) -> (Arc<AtomicBool>, Receiver<WatchEvent>) {
    let (sender, events) = mpsc::channel();
    let is_complete = start(vec![folder], move |event| sender.send(event).is_ok()).unwrap();
    (is_complete, events)
}

fn wait_for(events: &Receiver<WatchEvent>, is_expected: impl Fn(&WatchEvent) -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !is_expected(&events.recv_timeout(TIMEOUT).expect("no event was reported")) {
        assert!(Instant::now() < end, "the expected event was not reported");
    }
}

fn contains(path: &Path) -> impl Fn(&WatchEvent) -> bool {
    move |event| matches!(event, WatchEvent::Paths(paths) if paths.iter().any(|reported| reported == path))
}

#[test]
fn a_file_in_a_folder_created_later_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("sessions");
    let (is_complete, events) = watch(sessions.clone());
    wait_for(&events, |event| *event == WatchEvent::Paths(Vec::new()));
    std::fs::create_dir_all(sessions.join("project")).unwrap();
    wait_for(&events, |event| *event == WatchEvent::Everything);
    assert!(is_complete.load(Ordering::Relaxed));
    let file = sessions.join("project/a.jsonl");
    std::fs::write(&file, "one").unwrap();
    // A report of the new folder covers its files; from then on the files are reported themselves.
    let project = sessions.join("project");
    wait_for(&events, |event| contains(&file)(event) || contains(&project)(event));
    std::fs::remove_file(&file).unwrap();
    wait_for(&events, contains(&file));
}

#[test]
fn a_folder_that_was_deleted_and_created_again_is_watched_again() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("sessions");
    std::fs::create_dir_all(&sessions).unwrap();
    let (_, events) = watch(sessions.clone());
    wait_for(&events, |event| *event == WatchEvent::Everything);
    // The new folder may reuse the inode.
    std::fs::remove_dir(&sessions).unwrap();
    std::fs::create_dir_all(&sessions).unwrap();
    wait_for(&events, |event| *event == WatchEvent::Everything);
    let project = sessions.join("project");
    std::fs::create_dir(&project).unwrap();
    wait_for(&events, |event| *event == WatchEvent::Everything || contains(&project)(event));
}
