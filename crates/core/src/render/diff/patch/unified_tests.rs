//! Unified patches as git, diff, editors and models write them.

use crate::render::diff::patch;
use crate::render::diff::test_support::{all_shown, unindented};

fn check(patch: &str, expected: &str) {
    assert_eq!(all_shown(&patch::parse(&unindented(patch))), unindented(expected));
}

#[test]
fn a_git_patch_of_several_files_with_surrounding_text_is_read() {
    check(
        "
        Here is what I changed:

        diff --git a/src/a.rs b/src/a.rs
        index 83db48f..bf2a1d3 100644
        --- a/src/a.rs
        +++ b/src/a.rs
        @@ -10,3 +10,3 @@ fn main() {
         one
        -two words
        +two signs
         three
        @@ -30 +30,2 @@
         x
        +y
        diff --git a/new file.txt b/new file.txt
        new file mode 100644
        --- /dev/null
        +++ b/new file.txt
        @@ -0,0 +1 @@
        +hello
        \\ No newline at end of file
        diff --git a/gone b/gone
        deleted file mode 100644
        --- a/gone
        +++ /dev/null
        @@ -1 +0,0 @@
        -bye
        --
        2.39.0
        ",
        "
        Edited src/a.rs
        @@ 10 10 fn main() {
         one
        -two words
        +two signs
         three
        @@ 30 30
         x
        +y
        Created new file.txt
        @@ 0 1
        +hello⊣
        Deleted gone
        @@ 1 0
        -bye
        ",
    );
}

#[test]
fn renames_modes_and_binary_files_are_read() {
    check(
        "
        diff --git a/old name b/new name
        similarity index 100%
        rename from old name
        rename to new name
        diff --git a/run.sh b/run.sh
        old mode 100644
        new mode 100755
        diff --git a/logo.png b/logo.png
        index 1..2 100644
        Binary files a/logo.png and b/logo.png differ
        diff --git \"a/gr\\303\\266\\303\\237e\" \"b/gr\\303\\266\\303\\237e\"
        new file mode 100644
        ",
        "
        Moved old name -> new name
        Binary logo.png
        Created größe
        ",
    );
}

#[test]
fn timestamps_and_prefixes_are_removed_from_paths() {
    for (old, new, path) in [
        ("hello.py", "hello.py", "Edited hello.py"),
        ("a/x.c\t2024-01-02 03:04:05.000000000 +0100", "b/x.c\t2024-01-02 03:04:06 +0100", "Edited x.c"),
        ("x y.c 2024-01-02 03:04:05", "x y.c 2024-01-02 03:04:06", "Edited x y.c"),
        ("b/x", "b/x", "Edited b/x"),
        ("\"a/t\\tb\"", "\"b/t\\tb\"", "Edited t\tb"),
        ("/home/user/x", "/home/user/x", "Edited /home/user/x"),
        ("x.orig", "x", "Moved x.orig -> x"),
        ("/dev/null", "b/x", "Created x"),
    ] {
        let patch = format!("Index: x\n====\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n");
        assert_eq!(all_shown(&patch::parse(&patch)), format!("{path}\n@@ 1 1\n-a\n+b\n"));
    }
}

#[test]
fn lines_take_precedence_over_wrong_counts() {
    check(
        "
        --- a/x
        +++ b/x
        @@ -1,99 +1,99 @@
         a
        -b
        +c
        --- a/y
        +++ b/y
        @@ -5,1 +5,1 @@ impl Y
         d

        -e
        +f
        +g
        @@ somewhere @@
        -h

        +i

        Some words after it.
        - not a removed line
        ",
        "
        Edited x
        @@ 1 1
         a
        -b
        +c
        Edited y
        @@ 5 5 impl Y
         d
        @@ 0 0 somewhere
        -h
         \n\
        \x20       +i
        ",
    );
}

#[test]
fn changed_lines_that_look_like_headers_stay_lines() {
    check(
        "
        --- a/q.sql
        +++ b/q.sql
        @@ -1,3 +1,3 @@
         select 1;
        --- old comment
        +++ new comment
         select 2;
        @@ -9 +9 @@
        --- last
        +++ least
        --- a/next
        +++ b/next
        @@ -1 +1 @@
        -x
        +y
        ",
        "
        Edited q.sql
        @@ 1 1
         select 1;
        -[-- old] comment
        +[++ new] comment
         select 2;
        @@ 9 9
        --- last
        +++ least
        Edited next
        @@ 1 1
        -x
        +y
        ",
    );
}

#[test]
fn carriage_returns_of_the_patch_do_not_belong_to_the_file() {
    let file = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+a\n";
    assert_eq!(all_shown(&patch::parse(file)), "Edited x\n@@ 1 1\n-a␍\n+a\n");
    let patch = "--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@ f\r\n-a\r\n+b\r\n\\ No newline at end of file\r\n";
    assert_eq!(all_shown(&patch::parse(patch)), "Edited x\n@@ 1 1 f\n-a\n+b⊣\n");
}

#[test]
fn prose_is_not_read_as_a_patch() {
    for text in ["", "\n\n", "Done.\n- one\n- two\n", "--- a\n+++ b\n", "@@", "+ plus\n- minus", "---\n+++\n"]
    {
        assert_eq!(patch::parse(text), [], "{text:?}");
    }
}
