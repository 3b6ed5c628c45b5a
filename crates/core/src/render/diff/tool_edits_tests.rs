//! Edit tools of all agents, as recorded or documented, and the diffs shown for them.

use serde_json::{Value, json};

use super::*;
use crate::render::diff::test_support::all_shown;

fn shown(tool: &str, args: Value, details: Value) -> String {
    let details = Some(details).filter(|details| !details.is_null());
    let step = ToolStep { tool_name: tool.into(), tool_args: args, details, ..ToolStep::default() };
    all_shown(&diffs_of(&step))
}

const EDITED: &str = "Edited f\n@@ 0 0\n-one [two]\n+one [2]\n";

#[test]
fn the_arguments_of_every_agent_are_read() {
    for args in [
        json!({"path": "f", "oldText": "one two", "newText": "one 2"}),
        json!({"path": "f", "edits": [{"oldText": "one two", "newText": "one 2"}]}),
        json!({"file_path": "f", "old_string": "one two", "new_string": "one 2", "replace_all": false}),
        json!({"file_path": "f", "edits": [{"old_string": "one two", "new_string": "one 2"}]}),
        json!({"filePath": "f", "oldString": "one two", "newString": "one 2"}),
        json!({"command": "str_replace", "path": "f", "old_str": "one two", "new_str": "one 2"}),
        json!({"input": "*** Begin Patch\n*** Update File: f\n-one two\n+one 2\n*** End Patch"}),
        json!({"command": ["apply_patch", "*** Begin Patch\n*** Update File: f\n@@\n-one two\n+one 2\n"]}),
        json!("*** Begin Patch\n*** Update File: f\n@@\n-one two\n+one 2\n*** End Patch\n"),
        json!({"changes": {"f": {"type": "update", "unified_diff": "@@\n-one two\n+one 2\n"}}}),
        json!({"changes": {"f": {"update": {"unified_diff": "@@\n-one two\n+one 2\n"}}}}),
        json!({"changes": [{"path": "f", "kind": {"type": "update"}, "diff": "@@\n-one two\n+one 2\n"}]}),
    ] {
        assert_eq!(shown("edit", args.clone(), Value::Null), EDITED, "{args}");
    }
}

#[test]
fn several_edits_become_hunks_of_one_file() {
    let edits =
        json!([{"oldText": "a", "newText": "b"}, {"oldText": "c\n", "newText": ""}, {"oldText": "x"}]);
    let args = json!({"path": "f", "edits": edits});
    assert_eq!(shown("edit", args, Value::Null), "Edited f\n@@ 0 0\n-a\n+b\n@@ 0 0\n-c\n");
}

#[test]
fn a_patch_in_the_result_is_preferred_because_it_has_line_numbers() {
    let args = json!({"path": "f", "oldText": "one two", "newText": "one 2"});
    let expected = "Edited f\n@@ 7 7\n-one [two]\n+one [2]\n";
    let unified = "Index: f\n===\n--- f\n+++ f\n@@ -7 +7 @@\n-one two\n+one 2\n";
    for details in [
        json!({"diff": "-7 one two\n+7 one 2", "patch": unified, "firstChangedLine": 7}),
        json!({"diff": "-7 one two\n+7 one 2", "firstChangedLine": 7}),
        json!({"diff": unified}),
        json!({"output": "done", "metadata": {"diff": unified, "truncated": false}}),
    ] {
        assert_eq!(shown("edit", args.clone(), details.clone()), expected, "{details}");
    }
}

#[test]
fn diff_blocks_have_line_numbers_only_if_they_contain_the_whole_file() {
    let block = json!({"type": "diff", "path": "f", "oldText": "one two", "newText": "one 2"});
    assert_eq!(shown("Edit", Value::Null, json!([block])), EDITED);
    let other = json!({"type": "content", "content": {"type": "text", "text": "done"}});
    assert_eq!(shown("Edit", Value::Null, json!({"content": [other, block]})), EDITED);

    let mut whole = block;
    whole["_meta"] = json!({"kind": "update"});
    let numbered = "Edited f\n@@ 1 1\n-one [two]⊣\n+one [2]⊣\n";
    assert_eq!(shown("Edit", Value::Null, json!([whole])), numbered);
    let created = json!([{"type": "diff", "path": "f", "oldText": null, "newText": "a\n"}]);
    assert_eq!(shown("Write", Value::Null, created), "Created f\n@@ 0 1\n+a\n");
}

#[test]
fn written_and_changed_files_are_shown() {
    let args = json!({"path": "f", "content": "a\nb\n"});
    assert_eq!(shown("write", args.clone(), Value::Null), "Written f\n@@ 0 1\n+a\n+b\n");
    assert_eq!(shown("post_message", args, Value::Null), "");
    let changes = json!({"changes": {
        "a": {"type": "add", "content": "x\n"},
        "b": {"type": "delete", "content": "y\n"},
        "c": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-z\n+Z\n", "move_path": "d"},
    }});
    let expected = "Created a\n@@ 0 1\n+x\nDeleted b\n@@ 1 0\n-y\nMoved c -> d\n@@ 1 1\n-z\n+Z\n";
    assert_eq!(shown("apply_patch", changes, Value::Null), expected);
}

#[test]
fn unknown_or_incomplete_arguments_have_no_diff() {
    for args in [
        Value::Null,
        json!({}),
        json!([]),
        json!(17),
        json!({"path": "f"}),
        json!({"path": "f", "oldText": "a"}),
        json!({"path": ["f"], "oldText": {}, "newText": 1}),
        json!({"path": "f", "edits": "soon"}),
        json!({"path": "f", "edits": [null, {"oldText": "a"}]}),
        json!({"command": "git diff --stat"}),
        json!({"command": []}),
        json!({"command": "cat > x.patch <<E\n--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\nE"}),
        json!({"changes": {"f": null}}),
        json!({"changes": [null, 1]}),
    ] {
        for details in [Value::Null, json!([]), json!({"content": 1}), json!("ok"), json!({"diff": null})] {
            assert_eq!(shown("edit", args.clone(), details), "", "{args}");
        }
    }
}
