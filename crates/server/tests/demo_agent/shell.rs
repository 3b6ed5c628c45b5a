//! The user's shell commands.

use std::fs;

use serde_json::{Value, json};

use crate::driver::{TestFolders, wait_until_gone};

#[test]
fn output_streams_and_is_stored() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let id = demo.send(json!({"type": "bash", "command": "echo one; until [ -e go ]; do sleep 0.02; done; echo two >&2; exit 2"}));
    assert_eq!(demo.read(), json!({"type": "bash_execution_update", "id": id, "delta": "one\n"}));
    fs::write(folders.file("go"), "").unwrap();
    assert_eq!(demo.read(), json!({"type": "bash_execution_update", "id": id, "delta": "two\n"}));
    let data = json!({"output": "one\ntwo\n", "exitCode": 2, "cancelled": false, "truncated": false});
    assert_eq!(
        demo.read(),
        json!({"id": id, "type": "response", "command": "bash", "success": true, "data": data})
    );

    demo.request(json!({"type": "bash", "command": "echo private", "excludeFromContext": true}));
    demo.prompt("Hello");
    demo.read_until_settled();
    let stored = folders.stored_messages();
    assert_eq!(stored[0]["role"], "bashExecution");
    assert_eq!(stored[0]["output"], "one\ntwo\n");
    assert_eq!(stored[0]["excludeFromContext"], Value::Null);
    assert_eq!(stored[1]["excludeFromContext"], true);
    assert_eq!(stored[2]["role"], "user");
}

#[test]
fn a_command_can_be_aborted() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let id = demo.send(json!({"type": "bash", "command": "echo $$; sleep 1000"}));
    let process = demo.read()["delta"].as_str().unwrap().trim().to_owned();
    demo.request(json!({"type": "abort_bash"}));
    let data = demo.response(&id)["data"].clone();
    assert_eq!(data, json!({"output": format!("{process}\n"), "cancelled": true, "truncated": false}));
    wait_until_gone(&process);
    demo.request(json!({"type": "abort_bash"}));
}

#[test]
fn long_output_is_truncated_to_its_end() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let data = demo.request(json!({"type": "bash", "command": "seq 1 6000"}));
    assert_eq!(data["truncated"], true);
    assert!(data["output"].as_str().unwrap().starts_with("4001\n"));
    let path = data["fullOutputPath"].as_str().unwrap();
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 6000);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_result_during_a_run_is_stored_after_the_run() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/wait go");
    demo.read_until_delta("exists");
    demo.request(json!({"type": "bash", "command": "echo meanwhile"}));
    assert_eq!(folders.stored_messages().len(), 1);
    fs::write(folders.file("go"), "").unwrap();
    demo.read_until_settled();
    demo.request(json!({"type": "get_state"}));
    let roles: Vec<Value> = folders.stored_messages().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "bashExecution"]);
}

#[test]
fn a_background_process_does_not_delay_the_response() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let data = demo.request(json!({"type": "bash", "command": "sleep 1000 & echo $!"}));
    let process = data["output"].as_str().unwrap().trim().to_owned();
    assert_eq!(data["exitCode"], 0);
    wait_until_gone(&process);
}
