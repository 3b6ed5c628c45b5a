//! Blocks of complete texts.

use super::*;
use crate::render::markdown::test_support::notation;
use crate::render::markdown::{MarkdownStream, parse_blocks};
use crate::render::work;

fn text(text: &str) -> Inline {
    Inline::Text(text.to_owned())
}

fn link(href: Option<&str>, content: &str) -> Inline {
    Inline::Link { href: href.map(str::to_owned), title: String::new(), content: vec![text(content)] }
}

#[test]
fn every_kind_of_block_is_parsed() {
    let cases = [
        ("a\nb\n\nc", "¶:a b¶:c"),
        ("# a #\n### b", "h1:ah3:b"),
        ("a\n===\nb\n---", "h1:ah2:b"),
        ("```rust,ignore x\na\n\nb\n```", "code rust:a\n\nb"),
        ("    a\n    b", "code :a\nb"),
        ("- a\n- b\n  - c", "list:•¶:a•¶:blist:•¶:c"),
        ("7. a\n8. b", "list 7:•¶:a•¶:b"),
        ("- [ ] a\n- [x] b", "list:☐¶:a☑¶:b"),
        ("> a\n> - b", "quote:¶:alist:•¶:b"),
        ("|a|b|\n|-|-|\n|c|", "table:|a|b|c"),
        ("***", "rule:"),
        ("<div>\n<b>\n</div>", "source:<div>\n<b>\n</div>"),
        ("**a** *b* ~~c~~ `d`", "¶:‹b›a ‹i›b ‹s›c `d"),
        ("a  \nb<br>c<BR />d", "¶:a↵b↵c↵d"),
        ("![a *b* `c`](http://i.x)", "¶:‹img http://i.x›a b c"),
        ("a &amp; b \\* c &lt;", "¶:a & b * c <"),
        ("a [^1] $x$ \"q\" -- ...", "¶:a [^1] $x$ \"q\" -- ..."),
    ];
    for (source, expected) in cases {
        assert_eq!(notation(&parse_blocks(source)), expected, "{source:?}");
    }
}

#[test]
fn tight_and_loose_lists_are_alike() {
    assert_eq!(parse_blocks("- a\n- b\n  - c\n"), parse_blocks("- a\n\n- b\n\n  - c\n"));
}

#[test]
fn adjacent_text_is_joined() {
    assert_eq!(parse_blocks("a_b & c] \\# d &gt; <"), [Block::Paragraph(vec![text("a_b & c] # d > <")])]);
}

#[test]
fn links_without_an_allowed_destination_keep_their_text() {
    let cases = [
        ("[a](https://x.y)", link(Some("https://x.y"), "a")),
        ("[a](javascript:alert(1))", link(None, "a")),
        ("[a](<java&Tab;script:x>)", link(None, "a")),
        ("[a](README.md)", link(None, "a")),
        ("<a@b.c>", link(Some("mailto:a@b.c"), "a@b.c")),
        ("<javascript:x>", link(None, "javascript:x")),
        ("[a]\n\n[A]: https://x.y", link(Some("https://x.y"), "a")),
    ];
    for (source, expected) in cases {
        assert_eq!(parse_blocks(source), [Block::Paragraph(vec![expected])], "{source:?}");
    }
}

#[test]
fn bare_addresses_are_links() {
    let cases = [
        ("see https://x.y.", "https://x.y"),
        ("(https://x.y/a_(b))", "https://x.y/a_(b)"),
        ("https://x.y/a?b=c&amp;d, and", "https://x.y/a?b=c&d"),
        ("https://x.y/&copy", "https://x.y/&copy"),
        ("\"http://localhost:80/\"", "http://localhost:80/"),
        ("[https://x.y]", "https://x.y"),
        ("https://x.y!?", "https://x.y"),
        ("日本https //https://x.y、", "https://x.y、"),
    ];
    for (source, address) in cases {
        let blocks = parse_blocks(source);
        let Block::Paragraph(content) = &blocks[0] else { panic!("{blocks:?}") };
        assert!(content.contains(&link(Some(address), address)), "{source:?} {content:?}");
    }
    for source in ["http://", "xhttps://a.b", "https:// a", "`https://a.b`", "http:/a.b", "https"] {
        assert!(!format!("{:?}", parse_blocks(source)).contains("Link"), "{source:?}");
    }
    assert_eq!(notation(&parse_blocks("[https://a.b](https://c.d)")).matches("‹a›").count(), 1);
}

#[test]
fn html_is_shown_as_text() {
    let sources = [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<a href=\"https://x.y\">z</a>",
        "<!-- a --> b",
        "- <iframe src='https://x.y'>",
        "|<b>|\n|-|\n|<i onclick=x>|",
        "> <style>\n> a",
        "x <?php ?> <![CDATA[ y ]]>",
    ];
    for source in sources {
        let blocks = parse_blocks(source);
        let seen = notation(&blocks);
        for tag in source.split_inclusive('>').filter_map(|part| part.split_once('<')) {
            assert!(seen.contains(tag.1.trim_end_matches("\n>")), "{source:?} {seen}");
        }
        assert!(!format!("{blocks:?}").contains("Link {"), "{source:?}");
    }
}

/// The nesting depth of blocks and spans, counted by the brackets of their debug output.
fn depth(blocks: &[Block]) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for character in format!("{blocks:?}").chars() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[test]
fn the_nesting_depth_is_bounded_and_no_text_is_lost() {
    let many = 5_000;
    let sources = [
        ">".repeat(many) + " end",
        "> ".repeat(many) + "end\n\nbehind",
        "- ".repeat(many) + "end",
        "1. ".repeat(many) + "end",
        "> - ".repeat(many) + "end",
        (0..300).map(|level| " ".repeat(level * 2) + "- a\n").collect::<String>() + &" ".repeat(600) + "end",
        "*a ".repeat(many) + "end" + &" b*".repeat(many),
        "**a".repeat(many) + " end",
        "~~a *b ".repeat(many) + "end",
        "[".repeat(many) + "end" + &"](https://x.y)".repeat(many),
        "![".repeat(many) + "end" + &"](https://x.y)".repeat(many),
        "*".repeat(many) + "end" + &"*".repeat(many),
    ];
    for source in sources {
        let blocks = parse_blocks(&source);
        assert!(notation(&blocks).contains("end"), "{:.20}", source);
        assert!(depth(&blocks) <= 6 * MARKDOWN_DEPTH, "{:.20} {}", source, depth(&blocks));
        assert_eq!(blocks.clone(), blocks);
    }
}

#[test]
fn repeated_marks_are_parsed_a_bounded_number_of_times() {
    let many = 100_000;
    for mark in [
        "> ", ">", "[", "![", "*", "_", "`", "~", "<", "&", "\\", "|", "- ", "-", "#", "(", "]", "[a](",
        "*a_", "<!--",
    ] {
        let source = mark.repeat(many / mark.len());
        let mut stream = MarkdownStream::default();
        let parsed = work::of(|| {
            stream.push(source.get(..many / 2).unwrap());
            stream.push(source.get(many / 2..).unwrap());
            stream.finish();
        });
        assert!(parsed <= 8 * many, "{parsed} bytes parsed for {mark}");
        assert_eq!(stream.blocks(), parse_blocks(&source), "{mark}");
    }
}
