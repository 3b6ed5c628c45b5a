use std::sync::mpsc;

use super::*;

/// Far beyond what anything takes; only a hang gets here.
const PATIENCE: Duration = Duration::from_secs(30);

fn watched(folder: PathBuf) -> (Arc<AtomicBool>, Receiver<WatchEvent>) {
    let (sender, told) = mpsc::channel();
    let flag = start(vec![folder], move |told| sender.send(told).is_ok()).unwrap();
    (flag, told)
}

fn until(told: &Receiver<WatchEvent>, wanted: impl Fn(&WatchEvent) -> bool) {
    let end = Instant::now() + PATIENCE;
    while !wanted(&told.recv_timeout(PATIENCE).expect("nothing was told")) {
        assert!(Instant::now() < end, "what was waited for was never told");
    }
}

fn names(path: &Path) -> impl Fn(&WatchEvent) -> bool {
    move |told| matches!(told, WatchEvent::Paths(paths) if paths.iter().any(|told| told == path))
}

#[test]
fn a_file_in_a_folder_that_came_later_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("sessions");
    let (told_all, told) = watched(sessions.clone());
    until(&told, |told| *told == WatchEvent::Paths(Vec::new()));
    std::fs::create_dir_all(sessions.join("project")).unwrap();
    until(&told, |told| *told == WatchEvent::Everything);
    assert!(told_all.load(Ordering::Relaxed));
    let file = sessions.join("project/a.jsonl");
    std::fs::write(&file, "one").unwrap();
    // A folder that is told of itself is looked into; its files are told from then on.
    let project = sessions.join("project");
    until(&told, |told| names(&file)(told) || names(&project)(told));
    std::fs::remove_file(&file).unwrap();
    until(&told, names(&file));
}

#[test]
fn a_folder_that_was_deleted_and_came_back_is_watched_again() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("sessions");
    std::fs::create_dir_all(&sessions).unwrap();
    let (_, told) = watched(sessions.clone());
    until(&told, |told| *told == WatchEvent::Everything);
    // Its number may be given to the new one.
    std::fs::remove_dir(&sessions).unwrap();
    std::fs::create_dir_all(&sessions).unwrap();
    until(&told, |told| *told == WatchEvent::Everything);
    let project = sessions.join("project");
    std::fs::create_dir(&project).unwrap();
    until(&told, |told| *told == WatchEvent::Everything || names(&project)(told));
}
