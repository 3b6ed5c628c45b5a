//! Hostile text in session files: in every kind of row, opened as a user opens it.

use pilothouse_core::limits::{BRANCH_POINTS, BRANCHES_AT_POINT};
use serde::Deserialize;
use serde_json::{Value, json};

use pilothouse_test_support::browser::{Page, Size, session_row};
use pilothouse_test_support::session_file::{SessionFile, append_aside};

use super::payloads::{Payload, bundles, links, texts, words};
use super::trap::Trap;
use super::watch::Watch;
use crate::fixture::{Fixture, story};

/// As many rows as the page gets with a session.
const ROWS: usize = 100;

/// The expected content of a row.
enum Expected {
    /// Exactly this text.
    Exactly(String),
    /// The words of this text. They are separated as JSON or lines separate them.
    Words(String),
    Markdown(Payload),
}

#[derive(Deserialize)]
struct Shown {
    kind: String,
    text: String,
}

/// A history of entries. Each makes one row, with what the row must show.
#[derive(Default)]
struct History {
    entries: Vec<(Vec<Value>, &'static str, Expected)>,
}

impl History {
    fn row(&mut self, kind: &'static str, expected: Expected, messages: Vec<Value>) {
        self.entries.push((messages, kind, expected));
    }

    fn text(&mut self, kind: &'static str, text: &str, messages: Vec<Value>) {
        self.row(kind, Expected::Exactly(text.to_owned()), messages);
    }

    fn call(&mut self, text: &str, messages: Vec<Value>) {
        self.row("tool", Expected::Words(text.to_owned()), messages);
    }

    /// Adds the text to every channel that shows plain text.
    fn plainly(&mut self, text: &str) {
        let content = |part: &str| json!([{"type": part, part: text}]);
        let message = |message: Value| json!({"type": "message", "message": message});
        let assistant =
            |content: Value| message(json!({"role": "assistant", "stopReason": "stop", "content": content}));
        self.text("user", text, vec![message(json!({"role": "user", "content": content("text")}))]);
        self.text("thinking", text, vec![assistant(content("thinking"))]);
        self.text(
            "error",
            text,
            vec![message(
                json!({"role": "assistant", "stopReason": "error", "errorMessage": text, "content": []}),
            )],
        );
        let shell = json!({"role": "bashExecution", "command": text, "output": text, "exitCode": 1,
            "cancelled": false, "truncated": false});
        self.text("bash", text, vec![message(shell)]);
        let number = self.entries.len();
        let call = |name: &str, arguments: Value| {
            let id = format!("call-{number}-{name}");
            json!([{"type": "toolCall", "id": id, "name": name, "arguments": arguments}])
        };
        let result = |name: &str, details: Value| {
            let id = format!("call-{number}-{name}");
            message(json!({"role": "toolResult", "toolCallId": id, "toolName": name, "isError": false,
                "content": content("text"), "details": details}))
        };
        self.call(
            text,
            vec![
                assistant(call(text, json!({"path": text, text: text}))),
                result(text, json!({ text: text })),
            ],
        );
        self.call(text, vec![assistant(call("bash", json!({"command": text}))), result("bash", Value::Null)]);
        let change = json!({"path": text, "edits": [{"oldText": "calm", "newText": text}]});
        let lines: Vec<&str> = text.lines().collect();
        let added: String = lines.iter().map(|line| format!("+{line}\n")).collect();
        let patch = format!("--- {0}\n+++ {0}\n@@ -1 +1,{1} @@\n-calm\n{added}", lines[0], lines.len());
        let diff: String =
            lines.iter().enumerate().map(|(number, line)| format!("+{} {line}\n", number + 1)).collect();
        self.call(
            text,
            vec![assistant(call("edit", change)), result("edit", json!({"diff": diff, "patch": patch}))],
        );
    }

    fn said(&mut self, payload: Payload) {
        let content = json!([{"type": "text", "text": payload.text}]);
        let message = json!({"role": "assistant", "stopReason": "stop", "content": content});
        self.row(
            "assistant",
            Expected::Markdown(payload),
            vec![json!({"type": "message", "message": message})],
        );
    }

    fn noted(&mut self, payload: Payload) {
        let note = json!({"type": "custom_message", "customType": payload.text, "content": payload.text, "display": true});
        self.row("system", Expected::Markdown(payload), vec![note]);
    }

    fn summed_up(&mut self, payload: Payload) {
        let summary = json!({"type": "branch_summary", "fromId": "e0", "summary": payload.text});
        self.row("system", Expected::Markdown(payload), vec![summary]);
    }

    /// Stores the history as sessions whose rows are loaded at once, and opens one after the other.
    async fn is_harmless(&self, fixture: &Fixture, page: &Page, trap: &Trap) {
        let files = self.entries.chunks(ROWS).enumerate();
        let sessions = files.map(|(number, rows)| {
            let mut file = SessionFile::numbered(number, &fixture.project.path().to_string_lossy());
            rows.iter().flat_map(|(entries, ..)| entries).for_each(|entry| match &entry["message"] {
                Value::Null => file.entry(entry.clone()),
                message => file.message(message.clone()),
            });
            (fixture.add_session(file), rows)
        });
        let sessions: Vec<_> = sessions.collect();
        for policy in [true, false] {
            if !policy {
                page.without_policy().await;
            }
            page.enter(&fixture.server.link).await;
            for (session, rows) in &sessions {
                let shown = open(page, session, rows.len()).await;
                for ((_, kind, expected), shown) in rows.iter().zip(&shown) {
                    assert_eq!(shown.kind, *kind);
                    expected.assert_in(&shown.text);
                }
                page.nothing_has_happened(fixture, trap, session).await;
            }
        }
    }
}

impl Expected {
    fn assert_in(&self, shown: &str) {
        let (there, text) = match self {
            Self::Exactly(text) => (shown.contains(text.as_str()), text),
            Self::Words(text) => (words(text).all(|word| shown.contains(word)), text),
            Self::Markdown(payload) => (payload.is_in(shown), &payload.text),
        };
        assert!(there, "{text:?} is shown as {shown:?}");
    }
}

/// Opens a session and all its closed rows.
async fn open(page: &Page, session: &str, rows: usize) -> Vec<Shown> {
    let row = session_row(session);
    // The sidebar lists only the newest sessions at first.
    page.until_present("nav [data-session-id]").await;
    if page.count(&row).await == 0 {
        page.click("nav .more-sessions").await;
    }
    page.click(&row).await;
    page.until_present(&format!("main[data-session-id='{session}']")).await;
    page.until_count("[role=log] [data-message-id]", rows).await;
    page.open_rows("[data-message-id]").await;
    page.call_as(js!("hostile/rows"), "shownRows", json!([])).await
}

#[tokio::test]
async fn promise_11_and_12_markdown_of_the_model_is_only_text() {
    story("hostile-markdown", Size::Wide, async |fixture| {
        let trap = Trap::set();
        let page = fixture.page();
        let mut history = History::default();
        texts(&trap).into_iter().chain(links(&trap)).for_each(|payload| history.said(payload));
        page.watch().await;
        page.be_endless().await;
        history.is_harmless(fixture, &page, &trap).await;
    })
    .await;
}

#[tokio::test]
async fn tools_shells_errors_and_extensions_in_a_session_are_only_text() {
    story("hostile-rows", Size::Wide, async |fixture| {
        let trap = Trap::set();
        let page = fixture.page();
        let mut history = History::default();
        let payloads = texts(&trap);
        bundles(&payloads, 6).iter().for_each(|bundle| history.plainly(bundle));
        for payload in payloads {
            history.noted(payload.clone());
            history.summed_up(payload);
        }
        page.watch().await;
        page.be_endless().await;
        history.is_harmless(fixture, &page, &trap).await;
    })
    .await;
}

#[tokio::test]
async fn previews_of_other_branches_are_only_text() {
    story("hostile-branches", Size::Wide, async |fixture| {
        let trap = Trap::set();
        let page = fixture.page();
        page.watch().await;
        page.be_endless().await;
        let payloads = texts(&trap);
        let places = payloads.chunks(BRANCHES_AT_POINT);
        let mut file = SessionFile::numbered(0, &fixture.project.path().to_string_lossy());
        (0..places.len()).for_each(|_| file.user("Go on"));
        let count = places.len();
        let session = fixture.add_session(file);
        let path = fixture.server.session_file(&session);
        for (place, payloads) in places.enumerate() {
            for payload in payloads {
                append_aside(&path, &json!(format!("e{place}")), &payload.text);
            }
        }
        append_aside(&path, &json!(format!("e{}", count - 1)), "The end");
        page.enter(&fixture.server.link).await;
        page.click(&session_row(&session)).await;
        page.until_text("The end").await;
        page.until_count(".branches", count.min(BRANCH_POINTS)).await;
        page.nothing_has_happened(fixture, &trap, &session).await;
    })
    .await;
}
