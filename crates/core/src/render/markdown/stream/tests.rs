//! For any text, divided into any pieces, a finished stream has the blocks of a single parse.

use proptest::prelude::*;

use super::*;
use crate::render::markdown::parse_blocks;
use crate::render::work;

/// Lines and parts of lines that affect each other.
#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "a", "word", " ", "  ", "   ", "    ", "\t", "\n", "\n", "\n", "\n\n", "\n\n", "\r\n", "\r", " \n",
    "  \n", "\t\n", "#", "# ", "## h", "-", "- ", "- a", "* ", "* b", "+ ", "1. ", "1) ", "2. ", "2. c",
    "  - ", "    - d", "10. ", ">", "> ", "> q", "> > ", ">\n", "> - ", "- > ", "```", "```\n", "````",
    "~~~", "~~~\n", "```rust\n", "```a`b", "   ```\n", "    ```\n", "\n```\n", "\n~~~~\n", "``", "`", "`x`",
    "---", "---\n", "***", "===", "===\n", "_", "__", "*", "**", "**b**", "*e*", "~~", "~", "~~s~~", "<!--",
    "-->", "<div>", "</div>", "<b>", "</b>", "<br>", "<br/>", "<script>", "</script>", "<?", "?>",
    "<![CDATA[", "]]>", "<!X", "<x-y>", "<a href=\"b\">", "|", "| a | b |\n", "|---|---|\n", "|:-:|-|\n",
    "a | b\n", "-|-\n", "| c", "\\|", "[", "]", "[a]", "[a]\n", "[b]", "[A][]", "[t][a]", "[a b]", "![a]",
    "![i](http://i)", "[l](http://l)", "[l](x \"t\")", "(", ")", "[a]: /one\n", "[a]: /two 'T'\n", "[a]:\n",
    "[a]: <x y>\n", "[b]: http://b\n", "[b]: http://b \"ti\n", "tle\"\n", "'title'\n", "\"t\"\n", "(t)\n",
    "[Ä]: /ä\n", "[ä]", "[ẞ]: /s\n", "[SS]", "[a\nb]: /c\n", "[a  b]", "- [ ] ", "- [x] t", "[ ]", "&amp;",
    "&", "&#0;", "&nbsp", "\\", "\\*", "\\\n", "\0", "é", "日本", "🙂", "\u{a0}", "\u{2028}", "https://a.b/c",
    "http://", "https://x.y).", "<https://a.b>", "<a@b.c>", "javascript:x", "2.", "1.\n", "-\n", "*\n", "=",
    "==\n", "\n    code\n", "\n\tcode\n", "lazy\n", "para\n", "\n[a]: /late\n", "\n\n[b]: /late 'x'\n", ":",
    "    x\n", "\u{b}", "\u{c}",
];

/// Whole lines of code, some of which look like closing fences.
#[rustfmt::skip]
const CODE_LINES: &[&str] = &[
    "a\n", "\n", "  b\n", "\tc\n", " \td\n", "    e\n", "e\r\n", "``\n", "~~~\n", "    ```\n", "\t```\n", "```y\n", "```\t\n", "   \n",
    "é \n", "&amp;\n", "  \tf\r\n", "\r\n",
];

/// The pieces of a text, divided before each of these places, which count characters.
fn pieces(text: &str, cuts: &[usize]) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for (index, character) in text.chars().enumerate() {
        if cuts.contains(&index) {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(character);
    }
    pieces
}

/// Streams the pieces and checks the reported progress of each step.
fn streamed(pieces: &[String]) -> MarkdownStream {
    let mut stream = MarkdownStream::default();
    for piece in pieces {
        let before = stream.clone();
        let progress = stream.push(piece);
        check(&before, &stream, &progress);
    }
    let before = stream.clone();
    let progress = stream.finish();
    check(&before, &stream, &progress);
    assert!(stream.tail().is_empty());
    stream
}

fn check(before: &MarkdownStream, after: &MarkdownStream, progress: &Progress) {
    assert!(progress.kept <= before.blocks.len());
    assert_eq!(after.blocks.len(), progress.kept + progress.finished, "{progress:?}");
    for (index, block) in before.blocks.iter().enumerate().take(progress.kept) {
        assert_eq!(
            *block != after.blocks[index],
            progress.resolved.contains(&index),
            "block {index} of {after:#?}"
        );
    }
    assert!(progress.tail_changed || before.tail == after.tail, "{before:#?} {after:#?}");
}

fn nasty_text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(FRAGMENTS), 0..24).prop_map(|fragments| fragments.concat())
}

fn cuts() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![Just((0..400).collect()), prop::collection::vec(0usize..80, 0..12)]
}

fn assert_equal_to_single_parse(text: &str, cuts: &[usize]) {
    let stream = streamed(&pieces(text, cuts));
    assert_eq!(stream.blocks(), parse_blocks(text), "text {text:?} cut at {cuts:?}");
    assert_eq!(stream.source(), text);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases * 4,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_stream_of_related_fragments_equals_a_single_parse(text in nasty_text(), cuts in cuts()) {
        assert_equal_to_single_parse(&text, &cuts);
    }

    #[test]
    fn a_stream_of_any_text_equals_a_single_parse(text in "(?s).{0,60}", cuts in cuts()) {
        assert_equal_to_single_parse(&text, &cuts);
    }

    #[test]
    fn a_stream_of_marks_equals_a_single_parse(
        text in "[-*_`~#>|:<!/&=+.)(\\]\\[\\\\ \t\r\n\n\n12ab\"']{0,60}", cuts in cuts()
    ) {
        assert_equal_to_single_parse(&text, &cuts);
    }

    #[test]
    fn an_open_block_of_code_equals_its_final_form(
        indent in 0usize..4, lines in prop::collection::vec(prop::sample::select(CODE_LINES), 0..8), cuts in cuts()
    ) {
        let text = format!("{}```x\n{}", " ".repeat(indent), lines.concat());
        let mut stream = MarkdownStream::default();
        for piece in pieces(&text, &cuts) {
            stream.push(&piece);
        }
        assert_eq!([stream.blocks(), stream.tail()].concat(), parse_blocks(&text), "{text:?}");
    }

    #[test]
    fn a_replaced_text_equals_a_single_parse(
        first in nasty_text(), second in nasty_text(), cuts in cuts(), shared in 0usize..60, ended: bool
    ) {
        let mut stream = MarkdownStream::default();
        for piece in pieces(&first, &cuts) {
            stream.push(&piece);
        }
        if ended {
            stream.finish();
        }
        let text: String = first.chars().take(shared).chain(second.chars()).collect();
        let before = stream.clone();
        let progress = stream.replace(&text);
        check(&before, &stream, &progress);
        stream.finish();
        assert_eq!(stream.blocks(), parse_blocks(&text), "{text:?} in place of {first:?}");
    }
}

/// The bytes parsed for each delta of a text in pieces of this length.
fn costs(text: &str, length: usize) -> Vec<usize> {
    let mut stream = MarkdownStream::default();
    let pieces = text.as_bytes().chunks(length).map(|piece| str::from_utf8(piece).unwrap());
    pieces.map(|piece| work::of(|| drop(stream.push(piece)))).collect()
}

#[test]
fn the_cost_of_a_delta_does_not_grow_with_the_message() {
    let paragraph =
        "Some **words** and `code` with a [link](https://example.com) in it,\nover two lines.\n\n";
    let blocks =
        format!("# Title\n{paragraph}- one\n- two\n\n```rust\nlet x = 1;\n```\n\n| a |\n|---|\n| b |\n\n");
    for section in [paragraph, &blocks] {
        let costs = costs(&section.repeat(200), 5);
        let tenth = costs.len() / 10;
        let first: usize = costs[tenth..2 * tenth].iter().sum();
        let last: usize = costs[9 * tenth..10 * tenth].iter().sum();
        assert!(last <= first + first / 10, "{first} then {last}");
        assert!(*costs.iter().max().unwrap() <= 8 * section.len());
    }
}

#[test]
fn a_long_block_of_code_is_parsed_at_most_twice() {
    let text = format!("Look:\n\n```rust\n{}", "let line = \"of code\";\n".repeat(5_000));
    let costs = costs(&text, 7);
    assert!(costs.iter().sum::<usize>() < 1_000, "{}", costs.iter().sum::<usize>());
    let mut stream = MarkdownStream::default();
    stream.push(&text);
    let end = work::of(|| drop(stream.push("```\n\nbehind")));
    assert!(end < 2 * text.len(), "{end}");
    assert!(stream.tail().len() == 1 && stream.blocks().len() == 2);
    assert!(work::of(|| drop(stream.push(" it"))) < 50);
}

#[test]
fn words_after_a_long_list_do_not_parse_it_again() {
    let mut stream = MarkdownStream::default();
    stream.push(&"- an item\n".repeat(1_000));
    stream.push("\nN");
    assert!(work::of(|| drop(stream.push("ow"))) < 50);
}

#[test]
fn a_late_definition_changes_only_the_blocks_that_use_it() {
    let mut stream = MarkdownStream::default();
    stream.push("one\n\nsee [a]\n\n- and [B][]\n\nlast [c]\n\n");
    let progress = stream.push("[A]: https://a 'title'\n[b]: https://b\n\n");
    assert_eq!(progress.resolved, [1, 2]);
    assert_eq!(progress.finished, 0);
    let progress = stream.push("[a]: https://other\n\n");
    assert_eq!(progress, Progress { kept: 4, ..Progress::default() });
    stream.finish();
    assert_eq!(stream.blocks(), parse_blocks(stream.source()));
}

#[test]
fn a_replaced_text_keeps_the_blocks_of_the_common_beginning() {
    let mut stream = MarkdownStream::default();
    for piece in ["one\n", "\n", "two\n", "\n", "three"] {
        stream.push(piece);
    }
    let progress = stream.replace("one\n\ntwo\n\nthree");
    assert_eq!(progress, Progress { kept: 2, ..Progress::default() });
    stream.finish();
    assert_eq!(stream.replace("one\n\ntwo\n\nthree"), Progress { kept: 3, ..Progress::default() });
    let progress = stream.replace("one\n\nother\n\nthree\n\nfour");
    assert_eq!((progress.kept, progress.finished, progress.tail_changed), (1, 2, true));
    let progress = stream.replace("");
    assert_eq!((progress.kept, progress.finished, progress.tail_changed), (0, 0, true));
    assert!(stream.blocks().is_empty() && stream.tail().is_empty());
}
