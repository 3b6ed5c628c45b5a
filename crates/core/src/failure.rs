//! What went wrong, in words for people: providers answer in JSON, and agents pass that on as it is. Derived when shown;
//! the text itself stays what it was, and is what is copied.

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
    let answer: Value = serde_json::from_str(json).ok()?;
    let error = answer.get("error").filter(|error| error.is_object()).unwrap_or(&answer);
    let words =
        |key: &str| error.get(key).and_then(Value::as_str).map(str::trim).filter(|words| !words.is_empty());
    let message = words("message").or_else(|| words("error")).or_else(|| words("detail"))?;
    let (before, status) = without_status(before.trim_end_matches([' ', ':']));
    let known: Vec<&str> = [status, words("type").or_else(|| words("code"))].into_iter().flatten().collect();
    let mut told = if before.is_empty() { message.to_owned() } else { format!("{before}: {message}") };
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
            (r#"Refused: {"detail":"no key"} Try again."#, "Refused: no key Try again."),
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
        ];
        for text in texts {
            assert_eq!(failure_words(text), text);
        }
    }
}
