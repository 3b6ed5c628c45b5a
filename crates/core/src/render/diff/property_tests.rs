//! Properties of every diff: no line is lost or invented, and a patch made from a diff is read as the same diff.

use proptest::prelude::*;

use super::test_support::{diff_files, diff_parts, sign};
use super::*;
use crate::limits::{DIFF_COST, DIFF_SHOWN_BYTES, DIFF_SHOWN_LINES, DIFF_SLIDE_LINES};
use crate::render::work;

/// Texts whose lines repeat, look like headers, have all kinds of line ends and contain more than ASCII.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("a"),
        Just("b"),
        Just(""),
        Just("  let x = 1;"),
        Just("  let y = x + 1;"),
        Just("-- a/x"),
        Just("++ b/x"),
        Just("@@ -1 +1 @@"),
        Just("--"),
        Just("- "),
        Just("é\u{301} 👩\u{200d}🔧"),
        Just("one two three"),
        Just("one 2 three"),
        Just("\\ x"),
        Just("*** End"),
        Just("x\ry"),
    ];
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r\r\n")];
    let lines = prop::collection::vec((line, end), 0..24);
    (lines, prop_oneof![Just(""), Just("tail"), Just("tail\r")]).prop_map(|(lines, tail)| {
        let body: String = lines.into_iter().flat_map(|(line, end)| [line, end]).collect();
        body + tail
    })
}

fn raw(line: &Line) -> String {
    line.text()
        + match line.end {
            LineEnd::Newline => "\n",
            LineEnd::CarriageReturnNewline => "\r\n",
            LineEnd::Missing => "",
        }
}

fn side(hunk: &Hunk, without: LineKind) -> String {
    hunk.lines.iter().filter(|line| line.kind != without).map(raw).collect()
}

/// The old text with the hunks applied at their line numbers.
fn applied(diff: &FileDiff, old: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut new, mut at) = (String::new(), 0);
    for hunk in &diff.hunks {
        let start = hunk.old_start.saturating_sub(1);
        new.extend(old[at..start].iter().copied());
        let replaced = hunk.lines.iter().filter(|line| line.kind != LineKind::Added).count();
        assert_eq!(old[start..start + replaced].concat(), side(hunk, LineKind::Added));
        new += &side(hunk, LineKind::Removed);
        at = start + replaced;
    }
    new.extend(old[at..].iter().copied());
    new
}

fn unified(diff: &FileDiff) -> String {
    let mut patch = format!("--- a/{0}\n+++ b/{0}\n", diff.path);
    for hunk in &diff.hunks {
        let count = |without| hunk.lines.iter().filter(|line| line.kind != without).count();
        let (old, new) = (count(LineKind::Added), count(LineKind::Removed));
        patch += &format!("@@ -{},{old} +{},{new} @@\n", hunk.old_start, hunk.new_start);
        for line in &hunk.lines {
            patch += &format!("{}{}", sign(line), raw(line));
            if line.end == LineEnd::Missing {
                patch += "\n\\ No newline at end of file\n";
            }
        }
    }
    patch
}

fn assert_sound(diff: &FileDiff) {
    let mut shown = (0, 0);
    for hunk in &diff.hunks {
        assert!(!hunk.lines.is_empty());
        let (mut old, mut new) = (hunk.old_start, hunk.new_start);
        for line in &hunk.lines {
            assert!(line.spans.iter().all(|span| !span.text.is_empty()));
            assert!(line.spans.windows(2).all(|pair| pair[0].changed != pair[1].changed));
            assert!(line.kind != LineKind::Context || line.spans.iter().all(|span| !span.changed));
            let expected = |known: usize, without| (known > 0 && line.kind != without).then_some(known);
            assert_eq!(line.old_number, expected(old, LineKind::Added));
            assert_eq!(line.new_number, expected(new, LineKind::Removed));
            old = line.old_number.map_or(old, |number| number.saturating_add(1));
            new = line.new_number.map_or(new, |number| number.saturating_add(1));
            shown.0 += usize::from(line.kind == LineKind::Added);
            shown.1 += usize::from(line.kind == LineKind::Removed);
        }
    }
    assert!(shown.0 <= diff.added && shown.1 <= diff.removed);
    assert!(diff.left_out > 0 || shown == (diff.added, diff.removed));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn applying_the_hunks_to_the_old_text_yields_the_new(old in text(), new in text()) {
        let diff = diff_files("src/lib.rs", &old, &new);
        assert_sound(&diff);
        prop_assert_eq!(applied(&diff, &old), new.as_str());
        prop_assert_eq!(diff.hunks.is_empty(), old == new);
    }

    #[test]
    fn a_patch_is_read_as_the_diff_it_was_made_from(old in text(), new in text()) {
        let diff = diff_files("src/lib.rs", &old, &new);
        let expected = if old == new { Vec::new() } else { vec![diff.clone()] };
        prop_assert_eq!(patch::parse(&unified(&diff)), expected);
    }

    #[test]
    fn parts_keep_all_their_lines(old in text(), new in text()) {
        let diff = diff_parts("x", &old, &new);
        assert_sound(&diff);
        prop_assert!(diff.hunks.iter().flat_map(|hunk| &hunk.lines).all(|line| line.end != LineEnd::Missing));
    }

    #[test]
    fn reading_a_patch_never_fails(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("--- a/x\n".to_owned()), Just("+++ b/x\n".to_owned()), Just("@@ -1,3 +1 @@ f\n".to_owned()),
                Just("@@ -99999999999999999999 +0 @@\n".to_owned()), Just("@@ -18446744073709551615,9 +2 @@\n".to_owned()),
                Just("diff --git \"a/\\303\\777 b/é\n".to_owned()), Just("*** Update File: x\n".to_owned()),
                Just("*** Begin Patch\n".to_owned()), Just("\\ No newline\n".to_owned()), Just("+18446744073709551615 x\n".to_owned()),
                Just("-1 x\n".to_owned()), Just(" 2 é\n".to_owned()), Just(" ...\n".to_owned()), ".{0,12}\n", "[-+ ].{0,12}\r?\n",
            ],
            0..20,
        )
    ) {
        patch::parse(&pieces.concat()).iter().for_each(assert_sound);
    }
}

#[test]
fn lines_beyond_the_display_limit_are_counted() {
    let long: String = (0..10_000).map(|number| format!("line {number}\n")).collect();
    let diff = diff_files("x", "", &long);
    assert_sound(&diff);
    assert_eq!((diff.added, diff.left_out), (10_000, 10_000 - DIFF_SHOWN_LINES));
    let patch = format!("{0}--- b\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", unified_of_added(3_000));
    let files = patch::parse(&patch);
    assert_eq!(files.iter().map(|file| file.left_out).collect::<Vec<_>>(), [1_000, 2]);

    let wide = diff_files("x", "", &format!("{}\nshort\n", "x".repeat(DIFF_SHOWN_BYTES + 1)));
    assert_eq!((wide.hunks.len(), wide.added, wide.left_out), (0, 2, 2));
}

fn unified_of_added(lines: usize) -> String {
    format!("--- a\n+++ a\n@@ -0,0 +1,{lines} @@\n{}", "+x\n".repeat(lines))
}

/// The diff of two texts and the units of work it takes.
fn counted(old: &str, new: &str) -> (FileDiff, usize) {
    let mut diff = FileDiff::default();
    let units = work::of(|| diff = diff_files("x", old, new));
    (diff, units)
}

#[test]
fn the_cost_of_huge_texts_is_bounded() {
    let text = |salt: usize, lines: usize| -> String {
        (0..lines).map(|number| format!("{}\n", number * salt % 1_009)).collect()
    };
    let (half, half_cost) = counted(&text(7, 4_500), &text(11, 4_500));
    let (large, large_cost) = counted(&text(7, 9_000), &text(11, 9_000));
    assert!(!half.coarse && !large.coarse);
    assert!(large_cost <= 2 * 18_000 * DIFF_COST, "{large_cost}");
    assert!(2 * large_cost <= 5 * half_cost, "{half_cost}, then {large_cost}");

    let (larger, cost) = counted(&text(7, 400_000), &text(11, 400_000));
    assert!(larger.coarse);
    assert_eq!((larger.hunks.len(), larger.added + larger.removed > 700_000), (1, true));
    assert_eq!(cost, 0, "a change this large is not compared");

    // A small change of a large file costs no more than the lines around it.
    let old = text(7, 400_000);
    let (edited, cost) = counted(&old, &old.replacen("\n500\n", "\nfive hundred\n", 1));
    assert_eq!((edited.coarse, edited.added, edited.removed), (false, 1, 1));
    assert!(cost <= 4 * DIFF_SLIDE_LINES, "{cost}");

    // Equal lines could slide anywhere.
    let (equal, cost) = counted(&"x\n".repeat(5_000), &"x\n".repeat(6_000));
    assert_eq!(equal.added, 1_000);
    assert!(cost <= 8 * DIFF_SLIDE_LINES, "{cost}");
}
