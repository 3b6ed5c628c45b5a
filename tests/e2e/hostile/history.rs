//! What stands in session files: every kind of row, opened as a person would open it.

use serde::Deserialize;
use serde_json::{Value, json};

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::session_file::SessionFile;

use super::payloads::{Payload, bundles, links, texts, words};
use super::trap::Trap;
use super::watch::Watch;
use crate::stage::{Stage, story};

/// As many as a page gets with its first answer.
const ROWS: usize = 100;

/// What has to be seen of a row, beside its kind.
enum Told {
    /// Exactly this, beside what the row says itself.
    Exactly(String),
    /// Its words: what stands between them is spelled as JSON has it, or by line.
    Words(String),
    Markdown(Payload),
}

#[derive(Deserialize)]
struct Shown {
    kind: String,
    text: String,
}

/// A history in pieces: each entry makes one row, and says what must be seen of it.
#[derive(Default)]
struct History {
    entries: Vec<(Vec<Value>, &'static str, Told)>,
}

impl History {
    fn row(&mut self, kind: &'static str, told: Told, messages: Vec<Value>) {
        self.entries.push((messages, kind, told));
    }

    fn text(&mut self, kind: &'static str, text: &str, messages: Vec<Value>) {
        self.row(kind, Told::Exactly(text.to_owned()), messages);
    }

    fn call(&mut self, text: &str, messages: Vec<Value>) {
        self.row("tool", Told::Words(text.to_owned()), messages);
    }

    /// In every channel that is not read as anything.
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
        self.row("assistant", Told::Markdown(payload), vec![json!({"type": "message", "message": message})]);
    }

    fn noted(&mut self, payload: Payload) {
        let note = json!({"type": "custom_message", "customType": payload.text, "content": payload.text, "display": true});
        self.row("system", Told::Markdown(payload), vec![note]);
    }

    fn summed_up(&mut self, payload: Payload) {
        let summary = json!({"type": "branch_summary", "fromId": "e0", "summary": payload.text});
        self.row("system", Told::Markdown(payload), vec![summary]);
    }

    /// Writes it as sessions of so many rows that all of them are there at once, and opens one after the other.
    async fn is_harmless(&self, stage: &Stage, page: &Page, trap: &Trap) {
        let files = self.entries.chunks(ROWS).enumerate();
        let sessions = files.map(|(number, rows)| {
            let mut file = SessionFile::numbered(number, &stage.project.path().to_string_lossy());
            rows.iter().flat_map(|(entries, ..)| entries).for_each(|entry| match &entry["message"] {
                Value::Null => file.entry(entry.clone()),
                message => file.message(message.clone()),
            });
            (stage.add_session(file), rows)
        });
        let sessions: Vec<_> = sessions.collect();
        for policy in [true, false] {
            if !policy {
                page.without_policy().await;
            }
            page.enter(&stage.server.link).await;
            for (session, rows) in &sessions {
                let shown = open(page, session, rows.len()).await;
                for ((_, kind, told), shown) in rows.iter().zip(&shown) {
                    assert_eq!(shown.kind, *kind);
                    told.is_in(&shown.text);
                }
                page.nothing_has_happened(stage, trap, session).await;
            }
        }
    }
}

impl Told {
    fn is_in(&self, shown: &str) {
        let (there, text) = match self {
            Self::Exactly(text) => (shown.contains(text.as_str()), text),
            Self::Words(text) => (words(text).all(|word| shown.contains(word)), text),
            Self::Markdown(payload) => (payload.is_in(shown), &payload.text),
        };
        assert!(there, "{text:?} is shown as {shown:?}");
    }
}

/// Opens a session and all that is closed in it.
async fn open(page: &Page, session: &str, rows: usize) -> Vec<Shown> {
    let row = format!("nav [data-session-id='{session}']");
    // There are more sessions than the sidebar shows at once.
    let listed = format!(
        "document.querySelector('.more-sessions')?.click(); return !!document.querySelector(\"{row}\")"
    );
    page.until("its row", &listed).await;
    page.script("document.querySelector(arguments[0]).click()", vec![json!(row)]).await;
    let there = "const main = document.querySelector('main');\
                 return main?.dataset.sessionId === arguments[0] &&\
                   main.querySelectorAll('[role=log] [data-message-id]').length === arguments[1]";
    page.until_script(&format!("{rows} rows"), there, vec![json!(session), json!(rows)]).await;
    let opened = "document.querySelectorAll('[role=log] [data-message-id] [aria-expanded=false]')\
                    .forEach((button) => button.click());\
                  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));\
                  return [...document.querySelectorAll('[role=log] [data-message-id]')].map((row) =>\
                    ({ kind: row.dataset.kind, text: row.textContent }));";
    serde_json::from_value(page.async_script(opened).await).unwrap()
}

#[tokio::test]
async fn what_a_model_writes_is_never_more_than_text_whatever_form_it_has() {
    story("hostile-markdown", Size::Wide, async |stage| {
        let trap = Trap::set();
        let page = stage.page();
        let mut history = History::default();
        texts(&trap).into_iter().chain(links(&trap)).for_each(|payload| history.said(payload));
        page.watch().await;
        page.be_endless().await;
        history.is_harmless(stage, &page, &trap).await;
    })
    .await;
}

#[tokio::test]
async fn what_tools_shells_errors_and_extensions_leave_in_a_session_is_never_more_than_text() {
    story("hostile-rows", Size::Wide, async |stage| {
        let trap = Trap::set();
        let page = stage.page();
        let mut history = History::default();
        let payloads = texts(&trap);
        bundles(&payloads, 6).iter().for_each(|bundle| history.plainly(bundle));
        for payload in payloads {
            history.noted(payload.clone());
            history.summed_up(payload);
        }
        page.watch().await;
        page.be_endless().await;
        history.is_harmless(stage, &page, &trap).await;
    })
    .await;
}
