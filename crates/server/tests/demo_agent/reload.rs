//! The demo agent and the page's reducer: the reducer understands every line, and a reload shows the streamed
//! rows.

use std::fs;

use pilothouse_agents::history::entry::SessionHistory;
use pilothouse_agents::pi::{Incoming, decode};
use pilothouse_core::{MessageController, UiMessage};
use serde_json::{Value, json};

use crate::driver::TestFolders;

/// The visible parts of the rows. Ids are assigned by arrival and may differ.
fn visible(rows: &[UiMessage]) -> Vec<String> {
    let row = |row: &UiMessage| {
        let tool = row.tool_step.as_ref();
        let tool =
            tool.map(|step| (&step.tool_name, &step.call_id, step.phase, &step.result, &step.tool_args));
        format!("{:?} {:?} {:?} {tool:?} images={}", row.kind, row.mark, row.text, row.images.len())
    };
    rows.iter().map(row).collect()
}

fn fold(controller: &mut MessageController, lines: &[Value]) {
    for line in lines {
        for incoming in decode(line.to_string().as_bytes()) {
            match incoming {
                Incoming::Event(event) => drop(controller.handle_server_event(event)),
                other => assert!(other != Incoming::Unreadable, "the line was not decoded: {line}"),
            }
        }
    }
}

#[test]
fn a_reload_shows_the_streamed_rows() {
    let folders = TestFolders::new();
    fs::write(folders.file("README.md"), "A project.\n").unwrap();
    let mut demo = folders.start(&[]);
    let mut live = MessageController::default();
    for prompt in [
        "Hello",
        "/tour",
        "/tools",
        "/think",
        "/long 20",
        "/error retry",
        "/error",
        "/image",
        "/steer",
        "/compact",
        "/usage",
        "/help",
    ] {
        demo.prompt(prompt);
        fold(&mut live, &demo.read_until_settled());
    }
    demo.prompt("/ask");
    for _ in 0..4 {
        let lines = demo.read_until_type("extension_ui_request");
        demo.answer(lines.last().unwrap(), json!({"value": "yes"}));
        fold(&mut live, &lines);
    }
    fold(&mut live, &demo.read_until_settled());
    demo.prompt("/wait never");
    fold(&mut live, &demo.read_until_delta("exists"));
    demo.send(json!({"type": "abort"}));
    fold(&mut live, &demo.read_until_settled());
    demo.prompt("/wait-tool never");
    fold(&mut live, &demo.read_until_tool_output("waiting"));
    demo.send(json!({"type": "abort"}));
    fold(&mut live, &demo.read_until_settled());

    let path = demo.request(json!({"type": "get_state"}))["sessionFile"].as_str().unwrap().to_owned();
    let history = SessionHistory::parse(&fs::read(path).unwrap()).unwrap();
    let stored = MessageController::load_messages_from_history(history.messages);
    assert_eq!(visible(live.rows()), visible(stored.rows()));
}
