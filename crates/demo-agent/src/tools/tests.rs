use std::fs;

use super::*;
use crate::scenes::Replacement;

fn text_of(outcome: &ToolOutcome) -> String {
    outcome.content.content.iter().filter_map(Content::as_text).collect()
}

#[test]
fn a_listing_marks_folders_and_ignores_case() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(text_of(&files::list(folder.path())), "(empty directory)");
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("README.md"), "").unwrap();
    fs::write(folder.path().join("build.rs"), "").unwrap();
    assert_eq!(text_of(&files::list(folder.path())), "build.rs\nREADME.md\nsrc/");
    assert!(files::list(&folder.path().join("none")).is_error());
}

#[test]
fn read_results_have_the_format_of_pi() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    let missing = files::read(&file);
    let expected = format!("ENOENT: no such file or directory, access '{}'", file.display());
    assert_eq!(text_of(&missing), expected);
    assert_eq!(missing.content.details, Some(json!({})));

    fs::write(&file, "alpha\n").unwrap();
    let read = files::read(&file);
    assert_eq!(read.content.structured_content, Some(json!("alpha\n")));

    let rows: String = (1..=3000).map(|row| format!("row {row}\n")).collect();
    fs::write(&file, rows).unwrap();
    let long = files::read(&file);
    assert!(
        text_of(&long).ends_with("row 2000\n\n[Showing lines 1-2000 of 3000. Use offset=2001 to continue.]")
    );
    assert!(files::read(folder.path()).is_error());
}

#[test]
fn an_image_is_read_as_an_image() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.png");
    fs::write(&file, b"\x89PNG\r\n\x1a\n....").unwrap();
    let read = files::read(&file);
    assert_eq!(text_of(&read), "Read image file [image/png]");
    assert!(matches!(&read.content.content[1], Content::Image { mime_type, .. } if mime_type == "image/png"));
}

#[test]
fn files_are_written_only_to_the_scratch_folder() {
    let agent_folder = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(agent_folder.path(), "one");
    let inside = |name: &str| scratch.folder().join(name).display().to_string();
    for path in ["a.txt", "/etc/passwd", &inside("../a.txt"), &inside("b/a.txt"), ""] {
        assert!(files::write(&scratch, path, "x").is_error(), "{path}");
        assert!(files::edit(&scratch, path, &[]).is_error(), "{path}");
    }
    assert!(!scratch.folder().exists());

    let file = inside("a.txt");
    assert!(!files::write(&scratch, &file, "one\ntwo\n").is_error());
    let replacement = |old: &str| vec![Replacement { old_text: old.to_owned(), new_text: "2".to_owned() }];
    assert!(
        text_of(&files::edit(&scratch, &file, &replacement("three")))
            .starts_with("Could not find the exact text")
    );
    let edited = files::edit(&scratch, &file, &replacement("two"));
    assert_eq!(edited.content.details.unwrap()["diff"], " 1 one\n-2 two\n+2 2");
    assert_eq!(fs::read_to_string(&file).unwrap(), "one\n2\n");
}

#[test]
fn everything_but_an_answer_counts_as_cancelled() {
    assert_eq!(answer_text(&json!({"value": "red"})), "red");
    assert_eq!(answer_text(&json!({"confirmed": true})), "yes");
    assert_eq!(answer_text(&json!({"confirmed": false})), "no");
    assert_eq!(answer_text(&json!({"cancelled": true})), "(cancelled)");
    assert_eq!(answer_text(&json!({})), "(cancelled)");
}
