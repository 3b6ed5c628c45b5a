//! Examples of texts that end in unfinished spans.

use crate::limits::MARKDOWN_HELD_BYTES;
use crate::render::markdown::stream::hold::tests::{check, shown};
use crate::render::markdown::{Block, Inline, MarkdownStream};

#[test]
fn emphasis_is_completed() {
    check(&[
        ("a *", "¶:a"),
        ("a **", "¶:a"),
        ("a **b", "¶:a ‹b›b"),
        ("a **b ", "¶:a ‹b›b"),
        ("a **b*", "¶:a ‹b›b"),
        ("a **b**", "¶:a ‹b›b"),
        ("a **b** c", "¶:a ‹b›b c"),
        ("a *b **c", "¶:a ‹i›b ‹b›c"),
        ("a ***b", "¶:a ‹i›‹b›b"),
        ("a ***b** c", "¶:a ‹i›‹b›b c"),
        ("a _b", "¶:a ‹i›b"),
        ("a __b c", "¶:a ‹b›b c"),
        ("a_b", "¶:a_b"),
        ("a_", "¶:a"),
        ("a ~~b", "¶:a ‹s›b"),
        ("a ~b", "¶:a ~b"),
        ("5*3", "¶:5*3"),
        ("2 * 3", "¶:2 * 3"),
        ("a **b\nc", "¶:a ‹b›b c"),
        ("a **b\n", "¶:a ‹b›b"),
        ("a **b\n\n", "¶:a **b"),
        ("# a **b", "h1:a ‹b›b"),
        ("> - a **b", "quote:list:•¶:a ‹b›b"),
        ("a *.rs", "¶:a *.rs"),
        ("a **/b", "¶:a **/b"),
        ("a **(b)", "¶:a ‹b›(b)"),
        ("a **\"b", "¶:a ‹b›\"b"),
    ]);
}

#[test]
fn code_spans_are_completed() {
    check(&[
        ("a `", "¶:a"),
        ("a `b", "¶:a `b"),
        ("a `b`", "¶:a `b"),
        ("a ``b", "¶:a `b"),
        ("a ``b`", "¶:a `b"),
        ("a ``b`c", "¶:a `b`c"),
        ("a `` `b", "¶:a ``b"),
        ("a **`b", "¶:a ‹b›`b"),
        ("a `**b [c", "¶:a `**b [c"),
        ("a `b\\", "¶:a `b\\"),
    ]);
}

#[test]
fn brackets_of_unfinished_links_are_not_shown() {
    check(&[
        ("a [", "¶:a"),
        ("a [b", "¶:a"),
        ("a [b]", "¶:a"),
        ("a [b](", "¶:a ‹a›b"),
        ("a [b](http://c", "¶:a ‹a›b"),
        ("a [b](http://c \"d", "¶:a ‹a›b"),
        ("a [b](<http://c", "¶:a ‹a›b"),
        ("a [b](http://c)", "¶:a ‹a›b"),
        ("a [b](http://c(d)", "¶:a ‹a›b"),
        ("a [b] c", "¶:a [b] c"),
        ("a [b](c d", "¶:a [b](c d"),
        ("a [**b** `c`](h", "¶:a ‹a›‹b›b `c"),
        ("a **[b](h", "¶:a ‹b›‹a›b"),
        ("a **[b", "¶:a"),
        ("a [b][", "¶:a"),
        ("a [b][c", "¶:a"),
        ("a [b\nc", "¶:a [b c"),
        ("a !", "¶:a"),
        ("a ! b", "¶:a ! b"),
        ("a ![b](http://c", "¶:a"),
        ("a ![b](http://c)", "¶:a ‹img http://c›b"),
        ("a [![b](http://c)](http://d", "¶:a ‹a›‹img http://c›b"),
        ("x[0] = 1", "¶:x[0] = 1"),
    ]);
    let long = format!("a [{}", "b".repeat(MARKDOWN_HELD_BYTES));
    assert_eq!(shown(&long), format!("¶:{long}"));
}

#[test]
fn unfinished_escapes_entities_and_tags_are_held_back() {
    check(&[
        ("a \\", "¶:a"),
        ("a \\*", "¶:a *"),
        ("a &", "¶:a"),
        ("a &am", "¶:a"),
        ("a &amp;", "¶:a &"),
        ("a & b", "¶:a & b"),
        ("a <", "¶:a"),
        ("a <br", "¶:a"),
        ("a <br>", "¶:a ↵"),
        ("a <b", "¶:a"),
        ("a < b", "¶:a < b"),
        ("if a<b then (c", "¶:if a<b then (c"),
        ("a <b c=\"(", "¶:a"),
        ("a <https://b", "¶:a"),
        ("a <https://b>", "¶:a ‹a›https://b"),
    ]);
}

#[test]
fn a_growing_address_is_a_link_without_a_destination() {
    check(&[
        ("a h", "¶:a"),
        ("a he", "¶:a he"),
        ("a http", "¶:a"),
        ("a https://", "¶:a"),
        ("a https://b", "¶:a ‹a›https://b"),
        ("oh", "¶:oh"),
    ]);
    let target = |text: &str| {
        let mut stream = MarkdownStream::default();
        stream.push(text);
        let Some(Block::Paragraph(content)) = stream.tail().first() else { panic!("{stream:?}") };
        let spans = match content.first() {
            Some(Inline::Strong(content)) => content,
            _ => content,
        };
        spans.iter().find_map(|span| match span {
            Inline::Link { href, .. } => Some(href.clone()),
            _ => None,
        })
    };
    for growing in [
        "https://b.c",
        "https://b.c.",
        "**https://b.c",
        "https://b.c/d_",
        "https://b.c/?d&e",
        "[d](https://b.c",
    ] {
        assert_eq!(target(growing), Some(None), "{growing:?}");
    }
    for ended in [
        "https://b.c ",
        "https://b.c. d",
        "**https://b.c d",
        "https://b.c [d",
        "[d](https://b.c)",
        "https://b.c\n",
    ] {
        assert_eq!(target(ended).unwrap().as_deref(), Some("https://b.c"), "{ended:?}");
    }
}
