//! Whatever the text and however it is cut: what is finished in the end is what one parse of the whole text gives.

use proptest::prelude::*;

use super::*;
use crate::markdown::whole;

/// Lines and parts of lines that have something to do with each other.
const FRAGMENTS: &[&str] = &[
    "a",
    "word",
    " ",
    "  ",
    "   ",
    "    ",
    "\t",
    "\n",
    "\n",
    "\n",
    "\n\n",
    "\n\n",
    "\r\n",
    "\r",
    " \n",
    "  \n",
    "\t\n",
    "#",
    "# ",
    "## h",
    "-",
    "- ",
    "- a",
    "* ",
    "* b",
    "+ ",
    "1. ",
    "1) ",
    "2. ",
    "2. c",
    "  - ",
    "    - d",
    "10. ",
    ">",
    "> ",
    "> q",
    "> > ",
    ">\n",
    "> - ",
    "- > ",
    "```",
    "```\n",
    "````",
    "~~~",
    "~~~\n",
    "```rust\n",
    "```a`b",
    "   ```\n",
    "    ```\n",
    "\n```\n",
    "\n~~~~\n",
    "``",
    "`",
    "`x`",
    "---",
    "---\n",
    "***",
    "===",
    "===\n",
    "_",
    "__",
    "*",
    "**",
    "**b**",
    "*e*",
    "~~",
    "~",
    "~~s~~",
    "<!--",
    "-->",
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<br>",
    "<br/>",
    "<script>",
    "</script>",
    "<?",
    "?>",
    "<![CDATA[",
    "]]>",
    "<!X",
    "<x-y>",
    "<a href=\"b\">",
    "|",
    "| a | b |\n",
    "|---|---|\n",
    "|:-:|-|\n",
    "a | b\n",
    "-|-\n",
    "| c",
    "\\|",
    "[",
    "]",
    "[a]",
    "[a]\n",
    "[b]",
    "[A][]",
    "[t][a]",
    "[a b]",
    "![a]",
    "![i](http://i)",
    "[l](http://l)",
    "[l](x \"t\")",
    "(",
    ")",
    "[a]: /one\n",
    "[a]: /two 'T'\n",
    "[a]:\n",
    "[a]: <x y>\n",
    "[b]: http://b\n",
    "[b]: http://b \"ti\n",
    "tle\"\n",
    "'title'\n",
    "\"t\"\n",
    "(t)\n",
    "[Ä]: /ä\n",
    "[ä]",
    "[ẞ]: /s\n",
    "[SS]",
    "[a\nb]: /c\n",
    "[a  b]",
    "- [ ] ",
    "- [x] t",
    "[ ]",
    "&amp;",
    "&",
    "&#0;",
    "&nbsp",
    "\\",
    "\\*",
    "\\\n",
    "\0",
    "é",
    "日本",
    "🙂",
    "\u{a0}",
    "\u{2028}",
    "https://a.b/c",
    "http://",
    "https://x.y).",
    "<https://a.b>",
    "<a@b.c>",
    "javascript:x",
    "2.",
    "1.\n",
    "-\n",
    "*\n",
    "=",
    "==\n",
    "\n    code\n",
    "\n\tcode\n",
    "lazy\n",
    "para\n",
    "\n[a]: /late\n",
    "\n\n[b]: /late 'x'\n",
    ":",
    "    x\n",
    "\u{b}",
    "\u{c}",
];

/// The pieces of a text, cut before each of these places, counted in characters.
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

/// Streams the pieces and checks on the way that what is said of the changes is true.
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

fn same_as_whole(text: &str, cuts: &[usize]) {
    let stream = streamed(&pieces(text, cuts));
    assert_eq!(stream.blocks(), whole(text), "text {text:?} cut at {cuts:?}");
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
    fn any_cut_of_nasty_text_ends_as_the_whole_does(text in nasty_text(), cuts in cuts()) {
        same_as_whole(&text, &cuts);
    }

    #[test]
    fn any_cut_of_any_text_ends_as_the_whole_does(text in "(?s).{0,60}", cuts in cuts()) {
        same_as_whole(&text, &cuts);
    }

    #[test]
    fn any_cut_of_any_marks_ends_as_the_whole_does(
        text in "[-*_`~#>|:<!/&=+.)(\\]\\[\\\\ \t\r\n\n\n12ab\"']{0,60}", cuts in cuts()
    ) {
        same_as_whole(&text, &cuts);
    }

    #[test]
    fn another_text_in_place_ends_as_its_whole_does(
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
        assert_eq!(stream.blocks(), whole(&text), "{text:?} in place of {first:?}");
    }
}
