//! Examples of lines that are held back.

use crate::render::markdown::MarkdownStream;
use crate::render::markdown::test_support::notation;

/// The notation of an unfinished text, which must be the same if the text arrives at once or by characters.
pub fn shown(text: &str) -> String {
    let mut at_once = MarkdownStream::default();
    at_once.push(text);
    let mut by_characters = MarkdownStream::default();
    for character in text.chars() {
        by_characters.push(character.encode_utf8(&mut [0; 4]));
    }
    let shapes = [at_once, by_characters].map(|stream| notation(&[stream.blocks(), stream.tail()].concat()));
    assert_eq!(shapes[0], shapes[1], "{text:?}");
    shapes[0].trim_end().to_owned()
}

pub fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(shown(text), *expected, "{text:?}");
    }
}

#[test]
fn lines_of_markers_alone_are_held_back() {
    for marks in [
        "", " ", "#", "###", "# ", "-", "- ", "--", "---", "*", "**", "***", "* *", "+", "_", "__", "=",
        "==", ">",
    ] {
        assert_eq!(shown(marks), "", "{marks:?}");
        assert_eq!(shown(&format!("a\n{marks}")), "¶:a", "{marks:?}");
        assert_eq!(shown(&format!("a\n\n{marks}")), "¶:a", "{marks:?}");
        assert_eq!(shown(&format!("- a\n{marks}")), "list:•¶:a", "{marks:?}");
        assert_eq!(shown(&format!("- a\n  {marks}")), "list:•¶:a", "{marks:?}");
        assert_eq!(shown(&format!("> a\n> {marks}")), "quote:¶:a", "{marks:?}");
    }
    for marks in [
        "1", "12", "1.", "1. ", "2)", "`", "``", "```", "~", "~~~", "|", "| ", "|-", "|:-:|", ">>", "> -",
        "- >", "- - ",
    ] {
        assert_eq!(shown(&format!("a\n\n{marks}")), "¶:a", "{marks:?}");
    }
}

#[test]
fn lines_are_shown_as_soon_as_they_are_decided() {
    check(&[
        ("# a", "h1:a"),
        ("#a", "¶:#a"),
        ("a\n# ", "¶:a"),
        ("a\n# b", "¶:ah1:b"),
        ("a\n-b", "¶:a -b"),
        ("a\n- b", "¶:alist:•¶:b"),
        ("a\n---", "¶:a"),
        ("a\n---\n", "h2:a"),
        ("a\n\n---", "¶:a"),
        ("a\n\n---\n", "¶:arule:"),
        ("12 apples", "¶:12 apples"),
        ("1. a\n2", "list 1:•¶:a"),
        ("1. a\n2. ", "list 1:•¶:a"),
        ("1. a\n2. b", "list 1:•¶:a•¶:b"),
        ("> a\n>", "quote:¶:a"),
        ("**a", "¶:‹b›a"),
    ]);
}

#[test]
fn a_fence_is_shown_when_its_first_line_ends() {
    check(&[
        ("```", ""),
        ("```ru", ""),
        ("```rust\n", "code rust:"),
        ("```rust\nlet", "code rust:let"),
        ("```rust\nlet\n", "code rust:let"),
        ("```rust\nlet\n`", "code rust:let"),
        ("```rust\nlet\n``", "code rust:let"),
        ("```rust\nlet\n```", "code rust:let"),
        ("```rust\nlet\n```\n", "code rust:let"),
        ("```rust\nlet\n``x", "code rust:let\n``x"),
        ("```rust\nlet\n\n\n  x", "code rust:let\n\n\n  x"),
        ("~~~\n```\n~~", "code :```"),
        ("````\n```\n```", "code :```"),
        ("  ```\n    a\n b\n\tc", "code :  a\nb\n  c"),
        ("a\n```sh", "¶:a"),
        ("```a``` b", "¶:`a b"),
        ("- a\n\n  ```sh", "list:•¶:a"),
        ("- a\n\n  ```sh\n  run **x", "list:•¶:acode sh:run **x"),
        ("- a\n\n  ```sh\n  run\n  ``", "list:•¶:acode sh:run"),
        ("> ```\n> a [b", "quote:code :a [b"),
    ]);
}

#[test]
fn an_item_is_shown_with_its_first_content() {
    check(&[
        ("- a\n- ", "list:•¶:a"),
        ("- a\n- [", "list:•¶:a"),
        ("- a\n- [ ", "list:•¶:a"),
        ("- a\n- [ ]", "list:•¶:a"),
        ("- a\n- [x] ", "list:•¶:a"),
        ("- a\n- [x] b", "list:•¶:a☑¶:b"),
        ("- a\n- [x](http://y", "list:•¶:a•¶:‹a›x"),
        ("- a\n  - ", "list:•¶:a"),
        ("- a\n  - **", "list:•¶:a"),
        ("- a\n  - **b", "list:•¶:alist:•¶:‹b›b"),
        ("- a **b\n  - [c", "list:•¶:a ‹b›b"),
        ("- a\n\n", "list:•¶:a"),
        ("- a\n\nb", "list:•¶:a¶:b"),
        ("- a\n\n  b", "list:•¶:a¶:b"),
    ]);
}

#[test]
fn a_table_is_never_shown_as_text() {
    check(&[
        ("|", ""),
        ("| a", ""),
        ("| a | b |", ""),
        ("| a | b |\n", ""),
        ("| a | b |\n|", ""),
        ("| a | b |\n|--", ""),
        ("| a | b |\n|---|---|", ""),
        ("| a | b |\n|---|---|\n", "table:|a|b"),
        ("| a | b |\n|---|---|\n|", "table:|a|b"),
        ("| a | b |\n|---|---|\n| c", "table:|a|b|c"),
        ("| a | b |\n|---|---|\n| c | ", "table:|a|b|c"),
        ("| a | b |\n|---|---|\n| c | **d", "table:|a|b|c|‹b›d"),
        ("| a | b |\n|---|---|\n| c | [d](http://e", "table:|a|b|c|‹a›d"),
        ("| a | b |\n|---|---|\n| **c | d", "table:|a|b|**c|d"),
        ("| a | b |\nc", "¶:| a | b | c"),
        ("| a | b |\n\n", "¶:| a | b |"),
        ("a\n| b |", "¶:a"),
        ("a\n| b |\n|---|\n", "¶:atable:|b"),
    ]);
}

#[test]
fn definitions_and_tags_are_held_back() {
    check(&[
        ("[1]: https://x", ""),
        ("a\n\n[1]: https://x\n", "¶:a"),
        ("see [1]\n\n[1]: https://x\n\n", "¶:see ‹a›1"),
        ("[1]: https://x \"t", ""),
        ("[note]: this is text", "¶:[note]: this is text"),
        ("<", ""),
        ("<di", ""),
        ("<b>", ""),
        ("<b>a", "¶:<b>a"),
        ("<div>\n", "source:<div>"),
        ("< 5", "¶:< 5"),
    ]);
}
