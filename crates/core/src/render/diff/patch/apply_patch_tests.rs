//! The format of `apply_patch`.

use crate::render::diff::patch;
use crate::render::diff::test_support::{all_shown, unindented};

const PATCH: &str = "
    apply_patch <<'EOF'
    *** Begin Patch
    *** Update File: src/app.py
    *** Move to: src/main.py
    @@ class Greeter
    @@ def greet():
         pass
    -    print(\"Hi\")
    +    print(\"Hello\")

    +    return
    @@
    -last
    *** End of File
    *** Add File: hello.txt
    +Hello
    +world
    *** Delete File: obsolete.txt
    *** Update File: b.txt
    -one
    +1
    *** End Patch
    EOF
    ";

#[test]
fn updates_moves_additions_and_deletions_are_read() {
    let expected = "
        Moved src/app.py -> src/main.py
        @@ 0 0 class Greeter › def greet():
             pass
        -    print(\"[Hi]\")
        +    print(\"[Hello]\")
         \n\
        \x20       +    return
        @@ 0 0
        -last
        Created hello.txt
        @@ 0 1
        +Hello
        +world
        Deleted obsolete.txt
        Edited b.txt
        @@ 0 0
        -one
        +1
        ";
    assert_eq!(all_shown(&patch::parse(&unindented(PATCH))), unindented(expected));
}

#[test]
fn an_incomplete_patch_is_read_as_far_as_it_goes() {
    let patch = unindented(PATCH);
    let mut most = 0;
    for (end, _) in patch.char_indices() {
        let lines = patch::parse(&patch[..end]).iter().map(|diff| diff.added + diff.removed).sum();
        assert!(lines >= most, "{}", &patch[..end]);
        most = lines;
    }
    assert_eq!(most, 8);
}
