//! Diffs of two texts.

use crate::render::diff::test_support::{diff_files, diff_parts, shown, unindented};

fn check(old: &str, new: &str, expected: &str) {
    assert_eq!(shown(&diff_files("f", old, new)), unindented(expected));
}

fn check_parts(old: &str, new: &str, expected: &str) {
    assert_eq!(shown(&diff_parts("f", old, new)), unindented(expected));
}

#[test]
fn a_change_has_three_lines_of_context() {
    check(
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
        "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
        "
        Edited f
        @@ 2 2
         2
         3
         4
        -5
        +five
         6
         7
         8
        ",
    );
}

#[test]
fn changes_with_adjacent_context_are_one_hunk() {
    let old: String = (1..=20).map(|number| format!("{number}\n")).collect();
    let new = old.replacen("2\n", "two\n", 1).replacen("\n9\n", "\nnine\n", 1).replacen("\n17\n", "\n", 1);
    check(
        &old,
        &new,
        "
        Edited f
        @@ 1 1
         1
        -2
        +two
         3
         4
         5
         6
         7
         8
        -9
        +nine
         10
         11
         12
        @@ 14 14
         14
         15
         16
        -17
         18
         19
         20
        ",
    );
}

#[test]
fn a_changed_line_end_is_a_change_but_not_text() {
    check(
        "a\r\nb\r\nc",
        "a\r\nb\nc\n",
        "
        Edited f
        @@ 1 1
         a␍
        -b␍
        -c⊣
        +b
        +c
        ",
    );
}

#[test]
fn an_empty_side_has_no_line_numbers() {
    check("", "a\nb", "\nEdited f\n@@ 0 1\n+a\n+b⊣\n");
    check("a\n", "", "\nEdited f\n@@ 1 0\n-a\n");
    check("same\n", "same\n", "\nEdited f\n");
}

#[test]
fn an_added_function_is_shown_as_a_whole() {
    check(
        "fn a() {\n    x();\n}\n\nfn c() {\n    x();\n}\n",
        "fn a() {\n    x();\n}\n\nfn b() {\n    x();\n}\n\nfn c() {\n    x();\n}\n",
        "
        Edited f
        @@ 2 2
             x();
         }
         \n\
        \x20       +fn b() {
        +    x();
        +}
        +
         fn c() {
             x();
         }
        ",
    );
}

#[test]
fn changed_words_are_marked_unless_most_of_the_line_changed() {
    check(
        "let total = price * count;\nreturn total;\n",
        "let total = price * amount + tax;\nnothing like it at all\n",
        "
        Edited f
        @@ 1 1
        -let total = price * [count];
        -return total;
        +let total = price * [amount + tax];
        +nothing like it at all
        ",
    );
}

#[test]
fn lines_are_paired_by_similarity_if_their_numbers_differ() {
    check(
        "let alpha = one(1);\nlet beta = two(2);\n",
        "// A comment that is new.\nlet alpha = one(10);\n// And another one.\nlet beta = two(20);\n",
        "
        Edited f
        @@ 1 1
        -let alpha = one([1]);
        -let beta = two([2]);
        +// A comment that is new.
        +let alpha = one([10]);
        +// And another one.
        +let beta = two([20]);
        ",
    );
}

#[test]
fn marks_do_not_split_combined_characters() {
    check(
        "caption: cafe\u{301} 👩\u{200d}🔧 中文字\n",
        "caption: cafe 👩\u{200d}🔬 中国字\n",
        "
        Edited f
        @@ 1 1
        -caption: [cafe\u{301} 👩\u{200d}🔧] 中[文]字
        +caption: [cafe 👩\u{200d}🔬] 中[国]字
        ",
    );
}

#[test]
fn changed_white_space_is_marked() {
    check("if x {\n", "    if  x {\n", "\nEdited f\n@@ 1 1\n-if[ ]x {\n+[    ]if[  ]x {\n");
}

#[test]
fn very_long_lines_have_no_marks() {
    let line = "word ".repeat(1_000);
    let diff = diff_files("f", &format!("{line}a\n"), &format!("{line}b\n"));
    let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    assert!(lines.flat_map(|line| &line.spans).all(|span| !span.changed));
}

#[test]
fn parts_have_no_line_numbers_and_no_missing_newlines() {
    check_parts("second line", "SECOND line", "\nEdited f\n@@ 0 0\n-[second] line\n+[SECOND] line\n");
    check_parts("a\n", "b\n", "\nEdited f\n@@ 0 0\n-a\n+b\n");
    check_parts("a\nb\n", "", "\nEdited f\n@@ 0 0\n-a\n-b\n");
    check_parts("", "a", "\nEdited f\n@@ 0 0\n+a\n");
    // A final newline on one side only is a change.
    check_parts("a", "a\n", "\nEdited f\n@@ 0 0\n a\n+\n");
}
