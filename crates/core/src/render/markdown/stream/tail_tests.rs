//! A growing text never appears in a form that later turns out wrong: after each character, the notation is a
//! prefix of the final one.

use proptest::prelude::*;

use crate::render::markdown::test_support::{kinds, notation};
use crate::render::markdown::{Block, MarkdownStream, parse_blocks};

const WORDS: &[&str] = &[
    "a",
    "the",
    "here",
    "http",
    "hat",
    "word",
    "word,",
    "end.",
    "don't",
    "1984",
    "3.5",
    "snake_case",
    "AT&T",
    "R&D;",
    "f(x)",
    "x[0]",
    "C++",
    "wow!",
    "(aside)",
    "\"quoted\"",
    "é",
    "日本語",
    "🙂",
    "2 * 3",
    "a < b",
    "a > b",
    "~5",
    "a|b",
    "50%",
    "$x",
    "#5",
    "@me",
    "-v",
    "--flag",
    "\\*",
    "&amp;",
    "&lt;b&gt;",
    "<br>",
    "key: value",
    "a - b",
    "=",
];

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(WORDS).prop_map(str::to_owned)
}

fn plain() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-z]{1,6}", 1..4).prop_map(|words| words.join(" "))
}

fn span() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => plain(),
        4 => word(),
        1 => plain().prop_map(|text| format!("**{text}**")),
        1 => plain().prop_map(|text| format!("*{text}*")),
        1 => plain().prop_map(|text| format!("_{text}_")),
        1 => plain().prop_map(|text| format!("__{text}__.")),
        1 => plain().prop_map(|text| format!("~~{text}~~")),
        1 => plain().prop_map(|text| format!("**{text} *both***")),
        1 => plain().prop_map(|text| format!("**`{text}` and {text}**:")),
        1 => plain().prop_map(|text| format!("`{text}`")),
        1 => plain().prop_map(|text| format!("`` `{text} ``")),
        1 => plain().prop_map(|text| format!("`*{text}[{text}`")),
        1 => plain().prop_map(|text| format!("[{text}](https://example.com/{})", text.len())),
        1 => plain().prop_map(|text| format!("[**{text}** `x`](https://example.com/a_b \"title\"),")),
        1 => plain().prop_map(|text| format!("**[{text}](http://a.b/(c))**")),
        1 => plain().prop_map(|text| format!("![{text}](https://example.com/i.png)")),
        1 => plain().prop_map(|text| format!("[![{text}](https://e.x/i.png)](https://e.x)")),
        1 => Just("https://example.com/a_b?c=d".to_owned()),
        1 => Just("(see https://example.com).".to_owned()),
        1 => Just("**https://example.com**".to_owned()),
        1 => Just("<https://example.com>".to_owned()),
    ]
}

/// A line that begins with a word, so that it is a paragraph.
fn line() -> impl Strategy<Value = String> {
    ("[a-gi-z]{1,7}", prop::collection::vec(span(), 0..6))
        .prop_map(|(first, rest)| [vec![first], rest].concat().join(" "))
}

fn begins_with_span() -> impl Strategy<Value = String> {
    (plain(), 0usize..6).prop_map(|(text, kind)| match kind {
        0 => format!("**{text}** {text}"),
        1 => format!("*{text}* {text}"),
        2 => format!("`{text}` {text}"),
        3 => format!("[{text}](https://e.x) {text}"),
        4 => format!("~~{text}~~ {text}"),
        _ => format!("https://e.x {text}"),
    })
}

fn code() -> impl Strategy<Value = String> {
    let code_line = prop::sample::select(vec![
        "let x = 1;",
        "",
        "  indented",
        "# no heading",
        "| a",
        "- b",
        "``",
        "**c",
        "}",
        "[d",
    ]);
    let language = prop::sample::select(vec!["", "rust", "sh"]);
    (language, prop::collection::vec(code_line, 0..5), prop::bool::ANY).prop_map(
        |(language, lines, tildes)| {
            let fence = if tildes { "~~~~" } else { "```" };
            let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
            format!("{fence}{language}\n{lines}{fence}")
        },
    )
}

fn table() -> impl Strategy<Value = String> {
    let cell =
        || prop_oneof![plain(), plain().prop_map(|text| format!("**{text}**")), Just("`x`".to_owned())];
    prop::collection::vec((cell(), cell()), 1..4).prop_map(|rows| {
        let mut lines: Vec<String> =
            rows.iter().map(|(left, right)| format!("| {left} | {right} |")).collect();
        lines.insert(1, "|:---|---:|".to_owned());
        lines.join("\n")
    })
}

fn items() -> impl Strategy<Value = String> {
    (
        prop::collection::vec((prop_oneof![line(), begins_with_span()], 0usize..5, line()), 1..5),
        0usize..4,
        any::<bool>(),
    )
        .prop_map(|(items, kind, loose)| {
            let lines = items.iter().enumerate().map(|(index, (text, nested, more))| {
                let mark = match kind {
                    0 => "- ".to_owned(),
                    1 => format!("{}. ", index + 1),
                    2 => "* ".to_owned(),
                    _ => format!("- [{}] ", if index % 2 == 0 { ' ' } else { 'x' }),
                };
                let indent = if kind == 1 { "   " } else { "  " };
                let nested = match nested {
                    0 => format!("\n{indent}- {more}\n{indent}- {text}"),
                    1 => format!("\n{indent}{more}"),
                    2 => format!("\n\n{indent}```sh\n{indent}run {more}\n\n{indent}```"),
                    _ => String::new(),
                };
                format!("{mark}{text}{nested}")
            });
            lines.collect::<Vec<_>>().join(if loose { "\n\n" } else { "\n" })
        })
}

fn block() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::collection::vec(line(), 1..4).prop_map(|lines| lines.join("\n")),
        1 => begins_with_span(),
        2 => (1usize..5, line()).prop_map(|(level, text)| format!("{} {text}", "#".repeat(level))),
        2 => code(),
        2 => table(),
        2 => items(),
        1 => prop::collection::vec(line(), 1..3).prop_map(|lines| format!("> {}", lines.join("\n> "))),
        1 => items().prop_map(|list| format!("> {}", list.replace('\n', "\n> "))),
        1 => prop::sample::select(vec!["---", "***", "* * *"]).prop_map(str::to_owned),
    ]
}

fn document() -> impl Strategy<Value = String> {
    (prop::collection::vec(block(), 1..5), prop::sample::select(vec!["", "\n", "\n\n"]))
        .prop_map(|(blocks, end)| blocks.join("\n\n") + end)
}

fn shown(stream: &MarkdownStream) -> Vec<Block> {
    [stream.blocks(), stream.tail()].concat()
}

fn assert_grows_into_final_form(text: &str) {
    let last = parse_blocks(text);
    let (last_kinds, last_shape) = (kinds(&last), notation(&last));
    let mut stream = MarkdownStream::default();
    let mut before = String::new();
    for (at, character) in text.char_indices() {
        stream.push(character.encode_utf8(&mut [0; 4]));
        let now = shown(&stream);
        let seen = notation(&now).trim_end().to_owned();
        let so_far = &text[..at + character.len_utf8()];
        assert!(last_kinds.starts_with(&kinds(&now)), "{so_far:?}\nshows {now:#?}\nof {last_kinds:?}");
        assert!(last_shape.starts_with(&seen), "{so_far:?}\nshows {seen}\nof    {last_shape}");
        assert!(seen.len() >= before.len(), "{so_far:?}\nshows {seen}\nafter {before}");
        before = seen;
    }
    stream.finish();
    assert_eq!(stream.blocks(), last);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases / 4,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_state_is_a_prefix_of_the_final_form(text in document()) {
        assert_grows_into_final_form(&text);
    }
}
