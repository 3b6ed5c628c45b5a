//! Hostile text that streams in: half a tag and half a link are checked, too.

use serde_json::{Value, json};

use pilothouse_test_support::scripted_agent::Script;

use super::payloads::{Payload, bundles, links, texts, words};
use super::trap::Trap;
use super::watch::Watch;
use crate::fixture::scripted_story;

/// How many payloads one run has.
const AT_ONCE: usize = 36;

fn assistant(content: Value) -> Value {
    json!({"role": "assistant", "stopReason": "stop", "content": content})
}

/// Adds texts, thinking, and calls with arguments in pieces, growing output and an end.
fn work(script: &mut Script, payloads: &[Payload]) {
    for payload in payloads {
        let content = json!([{"type": "text", "text": payload.text}]);
        script.message(assistant(content), |script| script.stream("text", 0, &payload.text));
    }
    for (number, bundle) in bundles(payloads, 6).iter().enumerate() {
        let id = format!("call-{number}");
        let arguments = json!({"path": bundle, "content": bundle});
        let call = json!({"type": "toolCall", "id": id, "name": bundle, "arguments": arguments});
        let content = json!([{"type": "thinking", "thinking": bundle}, call]);
        script.message(assistant(content), |script| {
            script.stream("thinking", 0, bundle);
            let update = |event: Value| json!({"type": "message_update", "assistantMessageEvent": event});
            script.send(update(
                json!({"type": "toolcall_start", "contentIndex": 1, "id": id, "toolName": bundle}),
            ));
            for piece in arguments.to_string().chars().collect::<Vec<_>>().chunks(40) {
                let delta = piece.iter().collect::<String>();
                script.send(update(json!({"type": "toolcall_delta", "contentIndex": 1, "delta": delta})));
            }
            script.send(update(json!({"type": "toolcall_end", "contentIndex": 1, "toolCall": call})));
        });
        let output = json!({"content": [{"type": "text", "text": bundle}], "details": {"diff": bundle}});
        let of_call = |kind: &str, mut event: Value| {
            event["type"] = json!(kind);
            event["toolCallId"] = json!(id);
            event["toolName"] = json!(bundle);
            event
        };
        script.send(of_call("tool_execution_start", json!({"args": arguments})));
        script.send(of_call("tool_execution_update", json!({"partialResult": output})));
        script.send(of_call("tool_execution_end", json!({"result": output, "isError": number % 2 == 0})));
    }
}

#[tokio::test]
async fn half_a_tag_that_streams_in_is_as_harmless_as_a_whole_one() {
    let trap = Trap::set();
    let payloads: Vec<Payload> = texts(&trap).into_iter().chain(links(&trap)).collect();
    let parts: Vec<&[Payload]> = payloads.chunks(AT_ONCE).collect();
    let mut script = Script::default();
    for part in &parts {
        script.run(|script| {
            script.message(json!({"role": "user", "content": "Go on"}), |_| {});
            work(script, part);
        });
    }
    scripted_story("hostile-stream", &script, async |fixture| {
        let page = fixture.page();
        page.watch().await;
        page.enter(&fixture.server.link).await;
        page.without_policy().await;
        page.reload().await;
        page.new_session_of("scripted").await;
        page.be_endless().await;
        for (number, part) in parts.iter().enumerate() {
            page.run("Go on").await;
            // The calls come last, and an open one shows everything.
            page.click_last("[role=log] [data-kind=tool] [aria-expanded=false]").await;
            page.until_animations_end().await;
            let shown = page.texts("[role=log] [data-kind=tool]").await.pop().unwrap();
            let bundle = bundles(part, 6).pop().unwrap();
            assert!(words(&bundle).all(|word| shown.contains(word)), "{bundle:?}: {shown}");
            page.nothing_has_happened(fixture, &trap, &format!("part {number}")).await;
        }
    })
    .await;
}
