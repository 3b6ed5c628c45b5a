//! The diff that pi shows, as it was recorded and as its source makes it.

use super::super::FileDiff;
use super::super::shown_as_text::{all_shown, unindented};

fn check(text: &str, expected: &str) {
    assert_eq!(all_shown(&FileDiff::from_patch(text)), unindented(expected));
}

#[test]
fn a_recorded_one() {
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
fn gaps_begin_hunks_and_numbers_go_on_behind_them() {
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
fn one_line_of_another_form_makes_it_something_else() {
    assert_eq!(FileDiff::from_patch("+1 a\n-2 b\nand so on"), []);
    assert_eq!(FileDiff::from_patch(" 1 nothing changed"), []);
}
