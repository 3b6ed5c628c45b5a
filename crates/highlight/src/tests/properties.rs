//! Properties of any text in any language.

use proptest::prelude::*;
use proptest::sample::select;

use super::streaming::in_pieces;
use crate::{Language, Span, highlight};

/// Delimiters of many languages, and other text.
const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "\\",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "--[[",
    "]]",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<",
    ">",
    "</",
    "/>",
    "{",
    "}",
    "${",
    "#{",
    "\\(",
    "(",
    ")",
    "[",
    "]",
    "<<EOF",
    "<<~EOF",
    "<<<EOF",
    "EOF",
    "r#\"",
    "\"#",
    "R\"x(",
    ")x\"",
    "$$",
    "$a$",
    "@",
    "@\"",
    "$\"",
    "=begin",
    "=end",
    "```",
    "```rust",
    "~~~",
    "fn",
    "def",
    "class",
    "name",
    "Name",
    "NAME",
    "if",
    "0x1f",
    "1.5e-3",
    "'a",
    "'a'",
    "#[",
    "#!",
    ":",
    "::",
    ": |",
    "- ",
    "key: ",
    "key=",
    ";",
    ",",
    "&amp;",
    "%",
    "!",
    "é",
    "日本",
    "🦀",
    "\u{2028}",
    "\0",
    "+",
    "-",
    "@@",
    "/",
    "/a/g",
    "FROM",
    "RUN",
    "\\\n",
    "$(",
    "$x",
    "---",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::collection::vec(select(PIECES), 0..60).prop_map(|pieces| pieces.concat()),
        1 => "\\PC{0,200}",
    ]
}

fn language() -> impl Strategy<Value = Language> {
    select(Language::ALL)
}

proptest! {
    #[test]
    fn spans_are_ordered_and_at_character_boundaries(language in language(), text in text()) {
        let mut last = 0;
        for Span { start, end, .. } in highlight(language, &text) {
            prop_assert!(last <= start && start < end, "{start}..{end} behind {last}");
            prop_assert!(text.get(start..end).is_some(), "{start}..{end} of {}", text.len());
            last = end;
        }
    }

    #[test]
    fn pieces_give_the_same_spans_as_the_whole(language in language(), text in text(), size in 1_usize..9) {
        let characters: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = characters.chunks(size).map(String::from_iter).collect();
        let shown = in_pieces(language, pieces.iter().map(String::as_str));
        prop_assert_eq!(shown, highlight(language, &text));
    }
}
