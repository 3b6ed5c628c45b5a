//! What went wrong, in words for people: providers answer in JSON, and agents pass that on as it is. Derived when shown;
//! the text itself stays what it was, and is what is copied from its row.

use std::borrow::Cow;

use serde_json::Value;

/// The text of a failure with what its JSON says, in place of the JSON. Any other text is told as it is.
#[inline(never)]
pub fn failure_words(text: &str) -> Cow<'_, str> {
    told(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn told(text: &str) -> Option<String> {
    let (before, rest) = text.split_at(text.find('{')?);
    let (json, after) = rest.split_at(rest.rfind('}')? + 1);
    // Some put it in a list of one.
    let (before, after) = match (before.trim_end().strip_suffix('['), after.trim_start().strip_prefix(']')) {
        (Some(before), Some(after)) => (before, after),
        _ => (before, after),
    };
    let answer: Value = serde_json::from_str(json).ok()?;
    let error = answer.get("error").filter(|error| error.is_object());
    let words = |key: &str| {
        let words = error.unwrap_or(&answer).get(key)?.as_str()?.trim();
        (!words.is_empty()).then_some(words)
    };
    let (before, status) = without_status(before.trim_end_matches([' ', ':']));
    let kind = words("type").or_else(|| words("code"));
    // Other JSON has messages, too.
    let is_answer = error.is_some() || status.is_some() || kind.is_some() || words("error").is_some();
    let message =
        words("message").or_else(|| words("error")).or_else(|| words("detail")).filter(|_| is_answer)?;
    // What a provider passed on may be an answer as well.
    let message = told(message).unwrap_or_else(|| message.to_owned());
    let known: Vec<&str> = [status, kind].into_iter().flatten().collect();
    let mut told = if before.is_empty() { message } else { format!("{before}: {message}") };
    if !known.is_empty() {
        told = format!("{told} ({})", known.join(", "));
    }
    Some(told + after)
}

/// Takes the number of an HTTP answer from the end of a text.
fn without_status(text: &str) -> (&str, Option<&str>) {
    let (before, last) = text.split_at(text.rfind(' ').map_or(0, |place| place + 1));
    let is_status = last.len() == 3 && last.bytes().all(|digit| digit.is_ascii_digit());
    if is_status { (before.trim_end_matches([' ', ':']), Some(last)) } else { (text, None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_providers_answer_is_told_by_its_message() {
        let told = [
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
        for (text, words) in told {
            assert_eq!(failure_words(text), words);
        }
    }

    #[test]
    fn everything_else_is_told_as_it_is() {
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
            assert_eq!(failure_words(text), text);
        }
    }
}
