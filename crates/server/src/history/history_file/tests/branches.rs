//! Branches that are not shown: their rows are those of a file with only their entries.

use std::collections::BTreeSet;

use pilothouse_core::limits::{BRANCH_POINTS, BRANCHES_AT_POINT};
use pilothouse_core::protocol::{Branch, BranchPoint, Branches};

use super::conversation::{Conversation, file, user_message};
use super::*;

fn write(entries: &[Value]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, file(entries)).unwrap();
    (folder, path)
}

fn open_branch(path: &Path, leaf: &str) -> HistoryFile {
    HistoryFile::scan(path).unwrap().fold_branch(leaf, &[], &Blobs::default()).unwrap()
}

fn all(branches: &Branches) -> impl Iterator<Item = (usize, &Branch)> {
    branches.points.iter().flat_map(|point| point.branches.iter().map(|branch| (point.row, branch)))
}

/// The rows of a file that contains only the entries from the root to this one.
fn rows_of_path(entries: &[Value], leaf: &str) -> Vec<UiMessage> {
    let mut path = Vec::new();
    let mut next = Some(leaf.to_owned());
    while let Some(id) = next {
        let entry = entries.iter().find(|entry| entry["id"] == id.as_str()).unwrap();
        next = entry["parentId"].as_str().map(str::to_owned);
        path.insert(0, entry.clone());
    }
    let (_folder, path) = write(&path);
    fold_whole(&path, &Blobs::default())
}

fn entries_of(file: &[u8]) -> Vec<Value> {
    let lines = file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.skip(1).map(|line| serde_json::from_slice(line).unwrap()).collect()
}

#[test]
fn every_branch_has_the_rows_of_a_file_with_only_its_entries() {
    let texts = |rows: &[UiMessage]| rows.iter().map(|row| row.text.clone()).collect::<Vec<_>>();
    for seed in 1..=6 {
        let (entries, leaves) = Conversation::new(seed).tree(300);
        let (_folder, path) = write(&entries);
        let history = open(&path);
        let active = fold_whole(&path, &Blobs::default());
        let branches = history.branches();
        for (row, branch) in all(&branches) {
            assert!(leaves.contains(&branch.leaf) && !branch.current, "{branch:?}");
            let opened = open_branch(&path, &branch.leaf);
            let rows = rows_of_path(&entries, &branch.leaf);
            assert_eq!(texts(&rows)[..row], texts(&active)[..row], "the rows before the place are the same");
            // Seen from there, the session continues another branch, which leaves it at the same place.
            let back = opened.branches();
            let back: Vec<usize> =
                all(&back).filter(|(_, branch)| branch.current).map(|(row, _)| row).collect();
            assert!(back == [row] && !opened.is_current_branch(), "{branch:?}: {back:?}");
        }
        let mut shown = BTreeSet::new();
        for leaf in &leaves {
            let rows = rows_of_path(&entries, leaf);
            assert_eq!(read_pages(&open_branch(&path, leaf), 37), rows, "seed {seed}, {leaf}");
            shown.extend(texts(&rows));
        }
        for entry in entries.iter().filter(|entry| entry["message"]["role"] == "user") {
            let text = entry["message"]["content"][0]["text"].as_str().unwrap();
            assert!(shown.contains(text), "'{text}' is on no branch");
        }
        // Every other end of a branch with a message is listed or counted.
        let counted: usize = branches.points.iter().map(BranchPoint::count).sum();
        assert!(counted > 3 && counted + branches.earlier <= leaves.len(), "{counted} of {}", leaves.len());
    }
}

#[test]
fn an_entry_is_found_on_its_branch() {
    let (_folder, path) = write(&[
        user_message("a", None, 1, "one"),
        user_message("b", Some("a"), 2, "two"),
        user_message("c", Some("b"), 3, "three"),
        user_message("d", Some("a"), 4, "other"),
    ]);
    let history = open(&path);
    let place = &history.branches().points[0];
    assert_eq!((place.row, place.count()), (1, 1));
    let branch = &place.branches[0];
    assert_eq!((branch.leaf.as_str(), branch.preview.as_str(), branch.messages), ("c", "two", 2));
    assert_eq!(
        (history.branch_with_entry("b").as_deref(), history.branch_with_entry("d")),
        (Some("c"), None)
    );
    assert_eq!(history.branch_with_entry("unknown"), None);
    assert_eq!((history.row_of_entry("c"), open_branch(&path, "c").row_of_entry("c")), (None, Some(2)));
    assert!(open_branch(&path, "a").is_current_branch());
    assert!(HistoryFile::scan(&path).unwrap().fold_branch("unknown", &[], &Blobs::default()).is_none());
}

#[test]
fn extras_are_shown_on_a_branch_up_to_the_place_where_it_leaves_the_active_one() {
    let (_folder, path) = write(&[
        user_message("a", None, 1, "one"),
        user_message("b", Some("a"), 10, "two"),
        user_message("c", Some("a"), 20, "three"),
    ]);
    let time = |second: u64| 1_767_225_600_000 + second * 1_000;
    let extras = [process_exit_at(time(5), "shared"), process_exit_at(time(15), "later")];
    let branch = HistoryFile::scan(&path).unwrap().fold_branch("b", &extras, &Blobs::default()).unwrap();
    let rows = read_pages(&branch, 100);
    let texts: Vec<&str> = rows.iter().map(|row| row.text.lines().last().unwrap()).collect();
    assert_eq!(texts, ["one", "shared", "two"]);
    let history = HistoryFile::open(&path, &extras, &Blobs::default()).unwrap();
    assert_eq!(history.branches().points[0].row, 2, "before the row in which they differ");
}

#[test]
fn too_many_branches_are_counted() {
    let mut entries = vec![user_message("r", None, 0, "root")];
    let mut parent = "r".to_owned();
    let places = BRANCH_POINTS + 3;
    for place in 0..places {
        for number in 0..BRANCHES_AT_POINT + 2 {
            entries.push(user_message(&format!("p{place}n{number}"), Some(&parent), 1, "branch"));
        }
        let next = format!("m{place}");
        entries.push(user_message(&next, Some(&parent), 1, "main"));
        parent = next;
    }
    let (_folder, path) = write(&entries);
    let branches = open(&path).branches();
    assert_eq!((branches.points.len(), branches.earlier), (BRANCH_POINTS, 3 * (BRANCHES_AT_POINT + 2)));
    for point in &branches.points {
        assert_eq!((point.branches.len(), point.more), (BRANCHES_AT_POINT, 2));
    }
    let newest = &branches.points.last().unwrap().branches[0].leaf;
    assert_eq!(*newest, format!("p{}n{}", places - 1, BRANCHES_AT_POINT + 1));
}

#[test]
fn a_branch_whose_id_is_unusable_can_be_opened() {
    let long = "x".repeat(10_000);
    let (_folder, path) = write(&[
        user_message("a", None, 1, "one"),
        user_message("twice", Some("a"), 2, "first of two"),
        user_message(&long, Some("a"), 3, "long"),
        user_message("twice", Some("a"), 4, "second of two"),
        user_message("b", Some("a"), 5, "current"),
    ]);
    let branches = open(&path).branches();
    let leaves: Vec<&str> = all(&branches).map(|(_, branch)| branch.leaf.as_str()).collect();
    assert_eq!(leaves, ["twice", "@2", "@1"]);
    for (leaf, text) in [("twice", "second of two"), ("@2", "long"), ("@1", "first of two")] {
        assert_eq!(read_pages(&open_branch(&path, leaf), 10)[1].text, text);
    }
    for wrong in ["@", "@9", "@-1", "@99999999999", "@x"] {
        assert!(
            HistoryFile::scan(&path).unwrap().fold_branch(wrong, &[], &Blobs::default()).is_none(),
            "{wrong}"
        );
    }
}

#[test]
fn a_copied_branch_is_a_session_file_with_the_same_rows() {
    let (entries, _) = Conversation::new(11).tree(120);
    let (folder, path) = write(&entries);
    let before = std::fs::read(&path).unwrap();
    for (_, branch) in all(&open(&path).branches()) {
        let opened = open_branch(&path, &branch.leaf);
        let copy = folder.path().join("copy.jsonl");
        opened.write_branch(&mut File::create(&copy).unwrap()).unwrap();
        assert_eq!(fold_whole(&copy, &Blobs::default()), read_pages(&opened, 50));
        let copied = entries_of(&std::fs::read(&copy).unwrap());
        assert_eq!(copied.last().unwrap()["id"], branch.leaf.as_str());
        for pair in copied.windows(2) {
            assert_eq!(pair[1]["parentId"], pair[0]["id"]);
        }
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_branch_that_another_program_adds_is_noticed() {
    let (_folder, path) = write(&[user_message("a", None, 1, "one"), user_message("b", Some("a"), 2, "two")]);
    let mut history = open(&path);
    let grow = |entry: &Value| {
        use std::io::Write;
        File::options().append(true).open(&path).unwrap().write_all(&line(entry)).unwrap();
    };
    let before = history.detours();
    grow(&user_message("c", Some("b"), 3, "three"));
    assert!(matches!(history.follow(), FileChange::Appended(_)));
    assert_eq!(history.detours(), before, "the conversation goes on");
    grow(&user_message("d", Some("b"), 4, "aside"));
    grow(&user_message("e", Some("c"), 5, "four"));
    assert!(matches!(history.follow(), FileChange::Appended(_)));
    assert!(history.detours() > before);
    let branches = history.branches();
    assert_eq!(branches, open(&path).branches());
    assert_eq!(
        all(&branches).map(|(row, branch)| (row, branch.leaf.as_str())).collect::<Vec<_>>(),
        [(2, "d")]
    );
}
