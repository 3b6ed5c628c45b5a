//! The diff format of pi, from recordings and from its source code.

use crate::render::diff::patch;
use crate::render::diff::test_support::{all_shown, unindented};

fn check(text: &str, expected: &str) {
    assert_eq!(all_shown(&patch::parse(text)), unindented(expected));
}

#[test]
fn a_recorded_diff_is_read() {
    check(
        " 1 def greet(name):\n-2     print(\"Hello \" + name)\n+2     print(f\"Hello, {name}!\")\n 3 \n 4 \n 5 greet(\"World\")",
        "
        Edited
        @@ 1 1
         def greet(name):
        -    print(\"Hello [\" + ]name)
        +    print([f]\"Hello[, {]name[}!\"])
         \n\
        \x20        \n\
        \x20        greet(\"World\")
        ",
    );
}

#[test]
fn a_gap_begins_a_hunk_with_continued_numbers() {
    check(
        "    ...\n  9 nine\n+10 new\n+11 newer\n 10 ten\n    ...\n 99 x\n-100 y\n 101 \n    ...",
        "
        Edited
        @@ 9 9
         nine
        +new
        +newer
         ten
        @@ 99 101
         x
        -y
         \n\
        ",
    );
}

#[test]
fn a_line_of_another_form_rules_the_format_out() {
    assert_eq!(patch::parse("+1 a\n-2 b\nand so on"), []);
    assert_eq!(patch::parse(" 1 nothing changed"), []);
}
