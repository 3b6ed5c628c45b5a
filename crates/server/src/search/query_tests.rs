//! Matching, ranking, snippets, and queries with special characters.

use std::path::PathBuf;

use pilothouse_core::Kind;
use pilothouse_core::limits::{
    QUERY_BYTES, SEARCH_HITS, SEARCH_HITS_PER_SESSION, SEARCH_TITLE_HITS, SNIPPET_CHARACTERS,
};
use pilothouse_core::protocol::{Piece, SearchHit};
use serde_json::{Value, json};

use super::Search;
use super::find::snippet;
use super::query::SearchQuery;

pub(super) struct Fixture {
    pub(super) folder: tempfile::TempDir,
    pub(super) search: Search,
}

pub(super) fn user_message(id: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "message": {"role": "user", "content": text}})
}

pub(super) fn tool_output(id: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "message": {"role": "toolResult", "toolName": "read", "content": text}})
}

pub(super) fn lines(entries: &[Value]) -> String {
    entries.iter().map(|entry| format!("{entry}\n")).collect()
}

impl Fixture {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { search: Search::open(folder.path()).unwrap(), folder }
    }

    pub(super) fn path(&self, session: &str) -> PathBuf {
        self.folder.path().join(format!("{session}.jsonl"))
    }

    pub(super) fn write_session(&self, session: &str, title: &str, entries: &[Value]) {
        let header = json!({"type": "session", "id": session, "cwd": "/p"});
        std::fs::write(self.path(session), format!("{header}\n{}", lines(entries))).unwrap();
        self.note(session, title);
    }

    pub(super) fn note(&self, session: &str, title: &str) {
        self.search.note(session, &self.path(session), title);
        self.search.wait_until_idle();
    }

    /// The session and entry of each hit.
    pub(super) fn find(&self, query: &str) -> Vec<(String, String)> {
        let hits = self.search.find(query).hits.into_iter();
        hits.map(|hit| (hit.session_id, hit.entry.unwrap_or_else(|| "title".to_owned()))).collect()
    }

    pub(super) fn find_entries(&self, query: &str) -> Vec<String> {
        self.find(query).into_iter().map(|(_, entry)| entry).collect()
    }
}

fn bracketed(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| if piece.found { format!("[{}]", piece.text) } else { piece.text.clone() })
        .collect()
}

#[test]
fn parts_of_words_identifiers_and_paths_are_found_ignoring_case() {
    let fixture = Fixture::new();
    fixture.write_session(
        "s1",
        "About Ships",
        &[
            user_message("a", "Where is the MessageController of Pilothouse?"),
            tool_output("b", "crates/core/src/controller.rs:12: fn parse_line(&self) -> Ünïcode 東京都庁 \u{1f6a2}\u{1f6a2}\u{1f6a2}"),
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
        assert_eq!(fixture.find_entries(query), expected, "{query}");
    }
    let hits: Vec<SearchHit> = fixture.search.find("cargo").hits;
    assert_eq!((hits[0].kind, hits[0].session_id.as_str()), (Kind::Bash, "s1"));
    assert_eq!(bracketed(&hits[0].snippet), "[cargo] test ok.");
}

#[test]
fn no_query_is_an_error() {
    let fixture = Fixture::new();
    let odd = "a\"b OR (c) NOT* NEAR(d, 5) {text}: ^x -y 'z' \\ % _ ; -- \u{202e}rtl \u{0301}";
    fixture.write_session("s1", "", &[user_message("a", odd), user_message("b", "plain words")]);
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
        let found = fixture.find_entries(query);
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
        assert_eq!(fixture.find(query), [], "{query:?}");
    }
    assert_eq!(fixture.find_entries("plain\0words"), ["b"], "a NUL separates words");
    assert_eq!(fixture.find_entries("\"\"\""), ["a"], "a quote in quotes");
    assert_eq!(fixture.find_entries("\" \""), ["a"], "two quotes with only a space between");
    for long in ["x", "\"", "ab ", "\u{1f6a2}", "abc\" ", "\0", "ä\""] {
        let query = long.repeat(QUERY_BYTES);
        let _ = fixture.search.find(&query);
        let _ = fixture.search.find(&query[..query.floor_char_boundary(QUERY_BYTES)]);
    }
    // The query has more trigrams than the index is asked for: the text decides.
    let long: String = (0..200).map(|number| format!("w{number}x")).collect();
    fixture.write_session("s2", "", &[user_message("c", &long)]);
    assert_eq!(fixture.find_entries(&long), ["c"]);
    assert_eq!(fixture.find(&format!("{}!", &long[..long.len() - 1])), []);
}

#[test]
fn whole_words_rank_first_and_hits_per_session_are_limited() {
    let fixture = Fixture::new();
    fixture.write_session("old", "", &[user_message("word", "an anchor here")]);
    let many: Vec<Value> =
        (0..300).map(|number| user_message(&format!("e{number}"), "two anchors there")).collect();
    fixture.write_session("loud", "Anchorage", &many);
    let found = fixture.find("anchor");
    assert_eq!(found[0], ("old".to_owned(), "word".to_owned()), "{found:?}");
    assert_eq!(found[1], ("loud".to_owned(), "title".to_owned()));
    assert_eq!(found.len(), 1 + SEARCH_HITS_PER_SESSION);
    assert!(fixture.search.find("anchor").more);
    assert!(!fixture.search.find("\"an anchor\"").more);
    // Adjacent words rank before words at a distance.
    fixture.write_session("far", "", &[user_message("f", "red is what a boat is not")]);
    fixture.write_session("near", "", &[user_message("n", "a red boat")]);
    fixture.write_session("far2", "", &[user_message("g", "boat, and red")]);
    assert_eq!(fixture.find_entries("red boat")[0], "n");
}

#[test]
fn hits_are_limited_and_newer_sessions_rank_first() {
    let fixture = Fixture::new();
    for number in 0..SEARCH_HITS + 5 {
        fixture.write_session(&format!("s{number:03}"), "", &[user_message("a", "the same words")]);
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + number as u64);
        let file =
            std::fs::File::options().append(true).open(fixture.path(&format!("s{number:03}"))).unwrap();
        file.set_modified(time).unwrap();
    }
    // The times were set after indexing: a new index reads them.
    let again = tempfile::tempdir().unwrap();
    let search = Search::open(again.path()).unwrap();
    for number in 0..SEARCH_HITS + 5 {
        let session = format!("s{number:03}");
        search.note(&session, &fixture.path(&session), "");
    }
    search.wait_until_idle();
    let results = search.find("same");
    assert!(results.more);
    let sessions: Vec<String> = results.hits.into_iter().map(|hit| hit.session_id).collect();
    let expected: Vec<String> = (5..SEARCH_HITS + 5).rev().map(|number| format!("s{number:03}")).collect();
    assert_eq!(sessions, expected);
}

#[test]
fn titles_leave_space_for_entries() {
    let fixture = Fixture::new();
    let titled = |number: usize| format!("t{number:03}");
    for number in 0..SEARCH_HITS + 10 {
        fixture.write_session(&titled(number), "Anchor", &[user_message("x", "nothing of it")]);
    }
    let titles = |found: &[(String, String)]| found.iter().filter(|(_, entry)| entry == "title").count();
    let found = fixture.find("anchor");
    assert_eq!(
        (titles(&found), found.len()),
        (SEARCH_HITS, SEARCH_HITS),
        "titles use all space if there are no entries"
    );
    for number in 0..3 {
        fixture.write_session(&format!("few{number}"), "", &[user_message("x", "weigh the anchors")]);
    }
    let found = fixture.find("anchor");
    assert_eq!((titles(&found), found.len()), (SEARCH_HITS - 3, SEARCH_HITS));
    for number in 0..SEARCH_HITS {
        fixture.write_session(&format!("many{number}"), "", &[user_message("x", "weigh the anchors")]);
    }
    let found = fixture.find("anchor");
    assert_eq!((titles(&found), found.len()), (SEARCH_TITLE_HITS, SEARCH_HITS));
    assert_eq!(found[0].1, "title", "the best hits still come first");
    assert!(fixture.search.find("anchor").more);
}

#[test]
fn a_snippet_is_one_line_around_the_matches() {
    let of = |query: &str, text: &str| bracketed(&snippet(&SearchQuery::parse(query).unwrap(), text));
    assert_eq!(of("two", "one\n\n\ttwo  three"), "one [two] three");
    assert_eq!(of("one", "one"), "[one]");
    assert_eq!(of("tw two", "two"), "[two]");
    assert_eq!(of("İstanbul", "in İSTANBUL"), "in [İSTANBUL]");
    assert_eq!(of("oh no", "No, oh no."), "[No], [oh] [no].");
    let long = format!("{} needle {}", "hay ".repeat(500), "straw ".repeat(500));
    let shown = of("needle", &long);
    assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("[needle]"), "{shown}");
    assert!(shown.chars().count() <= SNIPPET_CHARACTERS + 4, "{shown}");
    // Shows the place with both words, not the first match.
    let text = format!("red {} red boat {}", "x ".repeat(300), "y ".repeat(300));
    assert!(of("red boat", &text).contains("[red] [boat]"));
}
