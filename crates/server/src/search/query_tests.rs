//! What is found, how it is ranked and shown, and queries that want to be something else.

use std::path::PathBuf;

use pilothouse_core::Kind;
use pilothouse_core::limits::{
    QUERY_BYTES, SEARCH_HITS, SEARCH_HITS_PER_SESSION, SEARCH_TITLE_HITS, SNIPPET_CHARACTERS,
};
use pilothouse_core::protocol::{Piece, SearchHit};
use serde_json::{Value, json};

use super::Search;
use super::query::Query;
use super::snippet::snippet;

pub(super) struct Stage {
    pub(super) folder: tempfile::TempDir,
    pub(super) search: Search,
}

pub(super) fn said(id: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "message": {"role": "user", "content": text}})
}

pub(super) fn printed(id: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "message": {"role": "toolResult", "toolName": "read", "content": text}})
}

pub(super) fn lines(entries: &[Value]) -> String {
    entries.iter().map(|entry| format!("{entry}\n")).collect()
}

impl Stage {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { search: Search::open(folder.path()).unwrap(), folder }
    }

    pub(super) fn path(&self, session: &str) -> PathBuf {
        self.folder.path().join(format!("{session}.jsonl"))
    }

    pub(super) fn session(&self, session: &str, title: &str, entries: &[Value]) {
        let header = json!({"type": "session", "id": session, "cwd": "/p"});
        std::fs::write(self.path(session), format!("{header}\n{}", lines(entries))).unwrap();
        self.note(session, title);
    }

    pub(super) fn note(&self, session: &str, title: &str) {
        self.search.note(session, &self.path(session), title);
        self.search.wait_until_idle();
    }

    /// Sessions and entries of the hits.
    pub(super) fn found(&self, query: &str) -> Vec<(String, String)> {
        let hits = self.search.find(query).hits.into_iter();
        hits.map(|hit| (hit.session_id, hit.entry.unwrap_or_else(|| "title".to_owned()))).collect()
    }

    pub(super) fn entries(&self, query: &str) -> Vec<String> {
        self.found(query).into_iter().map(|(_, entry)| entry).collect()
    }
}

fn shown(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| if piece.found { format!("[{}]", piece.text) } else { piece.text.clone() })
        .collect()
}

#[test]
fn pieces_of_words_identifiers_and_paths_are_found_in_any_case() {
    let stage = Stage::new();
    stage.session(
        "s1",
        "About Ships",
        &[
            said("a", "Where is the MessageController of Pilothouse?"),
            printed("b", "crates/core/src/controller.rs:12: fn parse_line(&self) -> Ünïcode 東京都庁 \u{1f6a2}\u{1f6a2}\u{1f6a2}"),
            json!({"type": "message", "id": "c", "message": {"role": "bashExecution", "command": "cargo test", "output": "ok."}}),
            json!({"type": "compaction", "id": "d", "summary": "Asked for a house."}),
        ],
    );
    for (query, expected) in [
        ("controller", vec!["b", "a"]),
        ("Controller of", vec!["a"]),
        ("HOUSE", vec!["d", "a"]),
        ("core/src/contr", vec!["b"]),
        ("parse_line", vec!["b"]),
        ("rse_li", vec!["b"]),
        ("fn &self", vec!["b"]),
        ("ünï", vec!["b"]),
        ("ÜNÏCODE", vec!["b"]),
        ("京都庁", vec!["b"]),
        ("東京", vec!["b"]),
        ("\u{1f6a2}", vec!["b"]),
        ("\u{1f6a2}\u{1f6a2}\u{1f6a2}", vec!["b"]),
        ("cargo", vec!["c"]),
        ("ok", vec!["c"]),
        ("ships", vec!["title"]),
        ("sh", vec!["title"]),
        ("\"the messagecontroller of\"", vec!["a"]),
        ("\"messagecontroller the\"", vec![]),
        ("controller nothing", vec![]),
        ("controllers", vec![]),
    ] {
        assert_eq!(stage.entries(query), expected, "{query}");
    }
    let hits: Vec<SearchHit> = stage.search.find("cargo").hits;
    assert_eq!((hits[0].kind, hits[0].session_id.as_str()), (Kind::Bash, "s1"));
    assert_eq!(shown(&hits[0].snippet), "[cargo] test ok.");
}

#[test]
fn no_query_is_an_error() {
    let stage = Stage::new();
    let odd = "a\"b OR (c) NOT* NEAR(d, 5) {text}: ^x -y 'z' \\ % _ ; -- \u{202e}rtl \u{0301}";
    stage.session("s1", "", &[said("a", odd), said("b", "plain words")]);
    for query in [
        "\"",
        "\"\"",
        "'",
        "a\"b",
        "OR",
        "AND",
        "NOT*",
        "NEAR(d,",
        "{text}:",
        "^x",
        "-y",
        "*",
        "(",
        ")",
        "\\",
        "%",
        "_",
        ";",
        "--",
        "\u{202e}rtl",
        "\u{0301}",
        "\"a\"b OR",
        "text:plain",
        "trigrams MATCH",
    ] {
        let expected = odd.to_lowercase().contains(&query.to_lowercase());
        let found = stage.entries(query);
        assert_eq!(found.contains(&"a".to_owned()), expected, "{query}: {found:?}");
    }
    for query in [
        "",
        " ",
        "\0",
        "\0\0\0",
        "\n\t",
        "\u{feff}",
        "\u{10ffff}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    ] {
        assert_eq!(stage.found(query), [], "{query:?}");
    }
    assert_eq!(stage.entries("plain\0words"), ["b"], "a NUL is a gap");
    assert_eq!(stage.entries("\"\"\""), ["a"], "a quote in quotes");
    assert_eq!(stage.entries("\" \""), ["a"], "two quotes with nothing between");
    for long in ["x", "\"", "ab ", "\u{1f6a2}", "abc\" ", "\0", "ä\""] {
        let query = long.repeat(QUERY_BYTES);
        let _ = stage.search.find(&query);
        let _ = stage.search.find(&query[..query.floor_char_boundary(QUERY_BYTES)]);
    }
    // All of these trigrams occur; that the long word does, only the text can tell.
    let long: String = (0..200).map(|number| format!("w{number}x")).collect();
    stage.session("s2", "", &[said("c", &long)]);
    assert_eq!(stage.entries(&long), ["c"]);
    assert_eq!(stage.found(&format!("{}!", &long[..long.len() - 1])), []);
}

#[test]
fn whole_words_come_first_and_no_session_buries_the_others() {
    let stage = Stage::new();
    stage.session("old", "", &[said("word", "an anchor here")]);
    let many: Vec<Value> = (0..300).map(|number| said(&format!("e{number}"), "two anchors there")).collect();
    stage.session("loud", "Anchorage", &many);
    let found = stage.found("anchor");
    assert_eq!(found[0], ("old".to_owned(), "word".to_owned()), "{found:?}");
    assert_eq!(found[1], ("loud".to_owned(), "title".to_owned()));
    assert_eq!(found.len(), 1 + SEARCH_HITS_PER_SESSION);
    assert!(stage.search.find("anchor").more);
    assert!(!stage.search.find("\"an anchor\"").more);
    // Both words side by side before both words anywhere.
    stage.session("far", "", &[said("f", "red is what a boat is not")]);
    stage.session("near", "", &[said("n", "a red boat")]);
    stage.session("far2", "", &[said("g", "boat, and red")]);
    assert_eq!(stage.entries("red boat")[0], "n");
}

#[test]
fn never_more_than_the_page_can_show_and_the_newest_of_equals() {
    let stage = Stage::new();
    for number in 0..SEARCH_HITS + 5 {
        stage.session(&format!("s{number:03}"), "", &[said("a", "the same words")]);
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + number as u64);
        let file = std::fs::File::options().append(true).open(stage.path(&format!("s{number:03}"))).unwrap();
        file.set_modified(time).unwrap();
    }
    // The times were set after the first look: a new index sees them.
    let again = tempfile::tempdir().unwrap();
    let search = Search::open(again.path()).unwrap();
    for number in 0..SEARCH_HITS + 5 {
        let session = format!("s{number:03}");
        search.note(&session, &stage.path(&session), "");
    }
    search.wait_until_idle();
    let results = search.find("same");
    assert!(results.more);
    let sessions: Vec<String> = results.hits.into_iter().map(|hit| hit.session_id).collect();
    let expected: Vec<String> = (5..SEARCH_HITS + 5).rev().map(|number| format!("s{number:03}")).collect();
    assert_eq!(sessions, expected);
}

#[test]
fn titles_leave_room_for_what_was_said() {
    let stage = Stage::new();
    let titled = |number: usize| format!("t{number:03}");
    for number in 0..SEARCH_HITS + 10 {
        stage.session(&titled(number), "Anchor", &[said("x", "nothing of it")]);
    }
    let titles = |found: &[(String, String)]| found.iter().filter(|(_, entry)| entry == "title").count();
    let found = stage.found("anchor");
    assert_eq!((titles(&found), found.len()), (SEARCH_HITS, SEARCH_HITS), "nobody else needs the room");
    for number in 0..3 {
        stage.session(&format!("few{number}"), "", &[said("x", "weigh the anchors")]);
    }
    let found = stage.found("anchor");
    assert_eq!((titles(&found), found.len()), (SEARCH_HITS - 3, SEARCH_HITS));
    for number in 0..SEARCH_HITS {
        stage.session(&format!("many{number}"), "", &[said("x", "weigh the anchors")]);
    }
    let found = stage.found("anchor");
    assert_eq!((titles(&found), found.len()), (SEARCH_TITLE_HITS, SEARCH_HITS));
    assert_eq!(found[0].1, "title", "the best still come first");
    assert!(stage.search.find("anchor").more);
}

#[test]
fn a_snippet_is_a_line_around_what_was_found() {
    let of = |query: &str, text: &str| shown(&snippet(&Query::parse(query).unwrap(), text));
    assert_eq!(of("two", "one\n\n\ttwo  three"), "one [two] three");
    assert_eq!(of("one", "one"), "[one]");
    assert_eq!(of("tw two", "two"), "[two]");
    assert_eq!(of("İstanbul", "in İSTANBUL"), "in [İSTANBUL]");
    assert_eq!(of("oh no", "No, oh no."), "[No], [oh] [no].");
    let long = format!("{} needle {}", "hay ".repeat(500), "straw ".repeat(500));
    let shown = of("needle", &long);
    assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("[needle]"), "{shown}");
    assert!(shown.chars().count() <= SNIPPET_CHARACTERS + 4, "{shown}");
    // Where both are, not where the first is.
    let text = format!("red {} red boat {}", "x ".repeat(300), "y ".repeat(300));
    assert!(of("red boat", &text).contains("[red] [boat]"));
}
