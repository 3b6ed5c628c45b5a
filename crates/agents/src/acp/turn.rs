//! A turn in progress, how it ended, and the usage that agents report with it.

use pilothouse_core::json::Object;
use serde_json::Value;

use super::transcript::TurnEnd;

#[derive(Debug, Default)]
pub(super) struct Turn {
    /// We have cancelled it.
    pub(super) cancelled: bool,
    /// The user has declined a request of the agent.
    pub(super) declined: bool,
    /// The agent has reported a failure that its answer does not mention.
    pub(super) system_error: bool,
}

impl Turn {
    /// How the turn ended, by the answer to its prompt. `last_text` is the last that the agent wrote.
    pub(super) fn end(&self, result: &Value, last_text: Option<String>) -> TurnEnd {
        let reason = result.get("stopReason").and_then(Value::as_str).unwrap_or_default();
        match reason {
            _ if self.system_error => TurnEnd::Failed(system_error(last_text.unwrap_or_default())),
            // An agent that ends the turn when a request is rejected says `cancelled`, too.
            "cancelled" if !self.declined => {
                TurnEnd::DoneWithNote("The agent cancelled the turn.".to_owned())
            }
            "end_turn" | "cancelled" | "" => TurnEnd::Done,
            "max_tokens" => {
                TurnEnd::DoneWithNote("The reply was cut off: the model reached its token limit.".to_owned())
            }
            "max_turn_requests" => TurnEnd::Failed(
                "The agent reached the limit of requests per turn. Send a message to let it continue."
                    .to_owned(),
            ),
            "refusal" => TurnEnd::Failed("The model refused to continue.".to_owned()),
            other => TurnEnd::DoneWithNote(format!("The agent ended the turn: {other}")),
        }
    }
}

/// The message of an error that the agent wrote as an answer, possibly as JSON.
fn system_error(text: String) -> String {
    let message = serde_json::from_str::<Value>(&text)
        .ok()
        .and_then(|value| value.pointer("/error/message").and_then(Value::as_str).map(str::to_owned));
    let text = message.unwrap_or(text);
    if text.is_empty() { "The agent reported a system error.".to_owned() } else { text }
}

/// The tokens in the answer to a prompt, for agents that report none otherwise.
pub(super) fn tokens(result: &Value) -> Option<u64> {
    let number = |pointer: &str| result.pointer(pointer).and_then(Value::as_u64);
    number("/usage/totalTokens").or_else(|| {
        let quota = "/_meta/quota/token_count";
        Some(number(&format!("{quota}/input_tokens"))? + number(&format!("{quota}/output_tokens"))?)
    })
}

/// The tokens that Qwen reports with a chunk: those of the last request to the model.
pub(super) fn chunk_tokens(usage: &Object) -> Option<u64> {
    let number = |key: &str| usage.optional_number(key);
    number("totalTokens").or_else(|| Some(number("inputTokens")? + number("outputTokens")?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_end_that_is_not_a_plain_one_is_said() {
        let end = |turn: &Turn, reason: &str, last: Option<&str>| {
            turn.end(&json!({ "stopReason": reason }), last.map(str::to_owned))
        };
        let turn = Turn::default();
        assert_eq!(end(&turn, "end_turn", None), TurnEnd::Done);
        assert!(matches!(end(&turn, "max_tokens", None), TurnEnd::DoneWithNote(_)));
        assert!(
            matches!(end(&turn, "hologram", None), TurnEnd::DoneWithNote(note) if note.contains("hologram"))
        );
        assert!(matches!(end(&turn, "cancelled", None), TurnEnd::DoneWithNote(_)));
        assert!(matches!(end(&turn, "max_turn_requests", None), TurnEnd::Failed(_)));
        assert!(matches!(end(&turn, "refusal", None), TurnEnd::Failed(_)));
        let declined = Turn { declined: true, ..Turn::default() };
        assert_eq!(end(&declined, "cancelled", None), TurnEnd::Done);
        let failed = Turn { system_error: true, ..Turn::default() };
        let json = r#"{"error":{"message":"overloaded"}}"#;
        assert_eq!(end(&failed, "end_turn", Some(json)), TurnEnd::Failed("overloaded".to_owned()));
        assert_eq!(end(&failed, "end_turn", Some("plain")), TurnEnd::Failed("plain".to_owned()));
    }
}
