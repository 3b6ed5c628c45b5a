//! Makes error messages readable: providers answer in JSON, and agents pass it on unchanged. The row keeps the
//! original text, which is also what the user copies.

use std::borrow::Cow;

use serde_json::Value;

/// The text of an error with the message of a provider's JSON in place of the JSON. Other texts are unchanged.
pub fn failure_text(text: &str) -> Cow<'_, str> {
    with_message(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn with_message(text: &str) -> Option<String> {
    let (before, rest) = text.split_at(text.find('{')?);
    let (json, after) = rest.split_at(rest.rfind('}')? + 1);
    // Some providers wrap the object in a list.
    let (before, after) = match (before.trim_end().strip_suffix('['), after.trim_start().strip_prefix(']')) {
        (Some(before), Some(after)) => (before, after),
        _ => (before, after),
    };
    let answer: Value = serde_json::from_str(json).ok()?;
    let error = answer.get("error").filter(|error| error.is_object());
    let field = |key: &str| {
        let text = error.unwrap_or(&answer).get(key)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    };
    let (before, status) = split_status(before.trim_end_matches([' ', ':']));
    let kind = field("type").or_else(|| field("code"));
    // Other JSON may have a message too, so more than that is required.
    let is_answer = error.is_some() || status.is_some() || kind.is_some() || field("error").is_some();
    let message =
        field("message").or_else(|| field("error")).or_else(|| field("detail")).filter(|_| is_answer)?;
    // The message may contain the JSON of another provider.
    let message = with_message(message).unwrap_or_else(|| message.to_owned());
    let details: Vec<&str> = [status, kind].into_iter().flatten().collect();
    let mut readable = if before.is_empty() { message } else { format!("{before}: {message}") };
    if !details.is_empty() {
        readable = format!("{readable} ({})", details.join(", "));
    }
    Some(readable + after)
}

/// Splits an HTTP status code off the end of a text.
fn split_status(text: &str) -> (&str, Option<&str>) {
    let (before, last) = text.split_at(text.rfind(' ').map_or(0, |place| place + 1));
    let is_status = last.len() == 3 && last.bytes().all(|digit| digit.is_ascii_digit());
    if is_status { (before.trim_end_matches([' ', ':']), Some(last)) } else { (text, None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_of_a_provider_is_replaced_with_its_message() {
        let cases = [
            (
                r#"429: {"message":"Rate limit reached for requests","type":"rate_limit_error"}"#,
                "Rate limit reached for requests (429, rate_limit_error)",
            ),
            (
                r#"529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}"#,
                "Overloaded (529, overloaded_error)",
            ),
            (
                r#"Compaction failed: Summarization failed: 500: {"message":"Internal error","type":"server_error"}"#,
                "Compaction failed: Summarization failed: Internal error (500, server_error)",
            ),
            (r#"{"error":"model not found"}"#, "model not found"),
            (r#"Refused: 401 {"detail":"no key"} Try again."#, "Refused: no key (401) Try again."),
            (r#"400 [{"error":{"message":"Bad request","code":400}}]"#, "Bad request (400)"),
            (r#"{"error":{"message":"{\"error\":{\"message\":\"Quota\"}}","code":"429"}}"#, "Quota (429)"),
        ];
        for (text, readable) in cases {
            assert_eq!(failure_text(text), readable);
        }
    }

    #[test]
    fn other_texts_are_unchanged() {
        let texts = [
            "",
            "terminated",
            "400 no scripted reply left",
            "unexpected token } in {",
            "{}",
            r#"500: {"message":""}"#,
            r#"500: {"message":17}"#,
            r#"{"error":{"type":"unknown"}}"#,
            "fn main() { panic!() }",
            "}{",
            r#"Refused arguments: {"message":"hi","path":"x"}"#,
            r#"500 [{"message":"one"},{"message":"two"}]"#,
        ];
        for text in texts {
            assert_eq!(failure_text(text), text);
        }
    }
}
