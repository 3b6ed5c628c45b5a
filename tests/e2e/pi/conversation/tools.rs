//! Tools of pi in the project folder.

use serde_json::json;

use crate::model::reply::{Reply, calls, says};
use crate::pi::fixture::story;

#[tokio::test]
async fn i_watch_three_tools_work_at_once_and_each_ends_in_its_own_row() {
    story("parallel", async |fixture, pi, page| {
        let several = Reply::default()
            .thinking("I look at everything at once.")
            .text("Looking around.")
            .call("bash", json!({"command": "until [ -e go ]; do sleep 0.02; done; echo the slow one"}))
            .call("read", json!({"path": "README.md"}))
            .call("bash", json!({"command": "echo the quick one"}));
        pi.model.will([several, says("All of it was seen.")]);
        page.send("Look around").await;
        let until_phase = async |row: usize, phase: &str| {
            let row = format!("[data-kind=tool]:nth-child({row} of [data-kind=tool])");
            page.until_present(&format!("{row}[data-phase={phase}]")).await;
        };
        until_phase(2, "done").await;
        until_phase(3, "done").await;
        until_phase(1, "running").await;
        fixture.release("go");
        page.until_text("All of it was seen.").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        let tools: Vec<&str> = rows.iter().filter(|row| row.kind == "tool").map(|row| &*row.text).collect();
        for (tool, part) in tools.iter().zip(["the slow one", "A small project.", "the quick one"]) {
            assert!(tool.contains(part), "{tool}");
        }
        assert_eq!(tools.len(), 3);
        assert_eq!(pi.model.requests().len(), 2);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_see_which_tool_failed_and_why() {
    story("tool-errors", async |fixture, pi, page| {
        let both = Reply::default()
            .call("bash", json!({"command": "echo run aground; exit 3"}))
            .call("read", json!({"path": "no-such-chart.md"}));
        pi.model.will([both, says("Neither worked.")]);
        page.run("Try something").await;
        let rows = page.rows().await;
        let tools: Vec<_> = rows.iter().filter(|row| row.kind == "tool").collect();
        assert!(tools.iter().all(|row| row.phase.as_deref() == Some("error")), "{tools:?}");
        assert!(tools[0].text.contains("run aground") && tools[0].text.contains("code 3"), "{tools:?}");
        assert!(tools[1].text.contains("no-such-chart.md"), "{tools:?}");
        assert_eq!(rows.last().unwrap().text, "Neither worked.");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_see_the_changes_of_an_edit() {
    story("edit", async |fixture, pi, page| {
        let change = json!({"oldText": "A small project.", "newText": "A large project."});
        pi.model.will([
            calls("edit", json!({"path": "README.md", "edits": [change]})),
            calls("write", json!({"path": "lights.md", "content": "red\ngreen\n"})),
            says("It is a large one now."),
        ]);
        page.run("Make it large").await;
        page.open_rows("[data-kind=tool]").await;
        let diffs = page.texts("[data-kind=tool] .diff").await;
        assert!(diffs[0].contains("A small project.") && diffs[0].contains("A large project."), "{diffs:?}");
        assert!(diffs[1].contains("green"), "{diffs:?}");
        let file = std::fs::read_to_string(fixture.project.path().join("README.md")).unwrap();
        assert!(file.contains("A large project."), "{file}");
        fixture.same_after_reload_and_restart().await;
        page.open_rows("[data-kind=tool]").await;
        assert_eq!(page.texts("[data-kind=tool] .diff").await, diffs, "pi's file shows another change");
    })
    .await;
}
