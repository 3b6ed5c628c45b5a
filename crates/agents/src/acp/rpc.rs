//! JSON-RPC 2.0. The two sides have separate id spaces: our ids are numbers that count up, the agent's ids are echoed
//! exactly as they were received.

use pilothouse_core::limits::ID_BYTES;
use serde_json::{Map, Value, json};

/// The error code for a request that is not valid.
pub(super) const INVALID_REQUEST: i64 = -32_600;
/// The error code for a method that we do not have.
pub(super) const METHOD_NOT_FOUND: i64 = -32_601;
/// The error code for a request that was cancelled.
pub(super) const REQUEST_CANCELLED: i64 = -32_800;
/// Integers below this are exact as floating-point numbers.
const LARGEST_FLOAT_ID: f64 = 9_007_199_254_740_992.0;
/// The error code of an agent that needs a login.
const LOGIN_REQUIRED: i64 = -32_000;
/// The same as an HTTP status, which Gemini uses as its code.
const UNAUTHORIZED: i64 = 401;
const INTERNAL_ERROR: i64 = -32_603;
/// The words by which an internal error is recognized as a missing login.
const LOGIN_WORDS: [&str; 7] = [
    "invalid x-api-key",
    "invalid api key",
    "incorrect api key",
    "unauthorized",
    "authentication required",
    "authentication_error",
    "not logged in",
];

/// A decoded message of the agent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Incoming {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    Response {
        id: u64,
        result: Result<Value, RpcError>,
    },
    /// A response to a request that we did not send.
    ForeignResponse,
    /// An error without an id: the agent could not read a message of ours.
    ErrorWithoutId(RpcError),
    /// Not JSON-RPC.
    Unreadable,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    message: String,
    data: Value,
}

impl RpcError {
    fn from_value(value: &Value) -> Self {
        Self {
            code: value.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: value.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            data: value.get("data").cloned().unwrap_or_default(),
        }
    }

    /// The text for the user. Agents put it into the message, into the data, or into JSON inside the message.
    pub(super) fn text(&self) -> String {
        let field = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let in_message = serde_json::from_str::<Value>(&self.message)
            .ok()
            .and_then(|value| field(value.get("error").unwrap_or(&value), "message"));
        let message = in_message.unwrap_or_else(|| {
            self.message.strip_prefix("Internal error: ").unwrap_or(&self.message).to_owned()
        });
        let detail = self
            .data
            .as_str()
            .map(str::to_owned)
            .or_else(|| ["message", "details", "detail"].iter().find_map(|key| field(&self.data, key)));
        let is_generic =
            |text: &str| matches!(text, "" | "Internal error" | "Invalid params" | "Unknown error");
        match detail.filter(|detail| !detail.trim().is_empty()) {
            Some(detail) if is_generic(&message) => detail,
            Some(detail) if !message.contains(&detail) => format!("{message}: {detail}"),
            _ if message.trim().is_empty() => format!("The agent reported error {}.", self.code),
            _ => message,
        }
    }

    pub(super) fn is_login_required(&self) -> bool {
        match self.code {
            LOGIN_REQUIRED | UNAUTHORIZED => true,
            INTERNAL_ERROR => {
                let text = self.text().to_lowercase();
                LOGIN_WORDS.iter().any(|words| text.contains(words))
            }
            _ => false,
        }
    }
}

/// Decodes one line. A line may be a batch of messages.
pub(super) fn decode(line: &[u8]) -> Vec<Incoming> {
    match serde_json::from_slice(line) {
        Ok(Value::Array(messages)) => messages.into_iter().map(message).collect(),
        Ok(value) => vec![message(value)],
        Err(_) => vec![Incoming::Unreadable],
    }
}

fn message(value: Value) -> Incoming {
    let Value::Object(mut object) = value else { return Incoming::Unreadable };
    let id = object.remove("id").unwrap_or_default();
    let error = object.remove("error").filter(|error| !error.is_null());
    match object.remove("method") {
        Some(Value::String(method)) if id.is_null() && !is_request(&method) => {
            Incoming::Notification { method, params: params(&mut object) }
        }
        Some(Value::String(method)) => Incoming::Request { id, method, params: params(&mut object) },
        Some(_) => Incoming::Unreadable,
        None => {
            let result = match error {
                Some(error) if id.is_null() => return Incoming::ErrorWithoutId(RpcError::from_value(&error)),
                Some(error) => Err(RpcError::from_value(&error)),
                None if id.is_null() => return Incoming::Unreadable,
                // Some agents leave out a result that is null.
                None => Ok(object.remove("result").unwrap_or_default()),
            };
            number(&id).map_or(Incoming::ForeignResponse, |id| Incoming::Response { id, result })
        }
    }
}

/// One of our ids, which an agent may echo as a string or as a floating-point number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn number(id: &Value) -> Option<u64> {
    let float = || id.as_f64().filter(|id| id.fract() == 0.0 && (0.0..LARGEST_FLOAT_ID).contains(id));
    id.as_u64().or_else(|| id.as_str().and_then(|id| id.parse().ok())).or_else(|| float().map(|id| id as u64))
}

/// Whether the id of a request of the agent is too long.
pub(super) fn is_too_long(id: &Value) -> bool {
    id.to_string().len() > ID_BYTES
}

/// Whether the agent waits for a response to this method, even if its id is null.
fn is_request(method: &str) -> bool {
    matches!(method, "session/request_permission" | "elicitation/create")
        || method.starts_with("fs/")
        || method.starts_with("terminal/")
}

fn params(object: &mut Map<String, Value>) -> Value {
    object.remove("params").unwrap_or_default()
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> String {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

pub(super) fn notification(method: &str, params: &Value) -> String {
    line(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

pub(super) fn response(id: &Value, result: &Value) -> String {
    line(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

pub(super) fn error(id: &Value, code: i64, message: &str) -> String {
    line(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_by_their_fields() {
        let decoded = |value: Value| decode(value.to_string().as_bytes());
        assert_eq!(
            decoded(json!({"jsonrpc": "2.0", "id": "u-1", "method": "m", "params": {"a": 1}})),
            [Incoming::Request { id: json!("u-1"), method: "m".into(), params: json!({"a": 1}) }]
        );
        assert_eq!(
            decoded(json!({"method": "m"})),
            [Incoming::Notification { method: "m".into(), params: Value::Null }]
        );
        assert_eq!(
            decoded(json!({"id": 3, "result": null})),
            [Incoming::Response { id: 3, result: Ok(Value::Null) }]
        );
        assert_eq!(
            decoded(json!({"id": "3", "result": 1})),
            [Incoming::Response { id: 3, result: Ok(json!(1)) }]
        );
        assert_eq!(decoded(json!({"id": "x", "result": 1})), [Incoming::ForeignResponse]);
        assert_eq!(decoded(json!([{"method": "a"}, 5])).len(), 2, "a batch");
        assert_eq!(decoded(json!({"id": 3})), [Incoming::Response { id: 3, result: Ok(Value::Null) }]);
        assert_eq!(decoded(json!({"id": 3.0})), [Incoming::Response { id: 3, result: Ok(Value::Null) }]);
        assert_eq!(decoded(json!({"id": 3.5, "result": 1})), [Incoming::ForeignResponse]);
        assert!(matches!(
            decoded(json!({"id": null, "error": {"code": -32700, "message": "?"}}))[..],
            [Incoming::ErrorWithoutId(_)]
        ));
        assert!(matches!(
            decoded(json!({"id": null, "method": "session/update"}))[..],
            [Incoming::Notification { .. }]
        ));
        assert!(matches!(
            decoded(json!({"id": null, "method": "fs/read_text_file"}))[..],
            [Incoming::Request { .. }]
        ));
        for unreadable in [json!(5), json!({"id": null}), json!({}), json!({"method": 7})] {
            assert_eq!(decoded(unreadable.clone()), [Incoming::Unreadable], "{unreadable}");
        }
        assert_eq!(decode(b"npm warn"), [Incoming::Unreadable]);
    }

    #[test]
    fn the_text_of_an_error_is_found_wherever_the_agent_puts_it() {
        let text = |value: Value| RpcError::from_value(&value).text();
        assert_eq!(
            text(json!({"code": -32603, "message": "Internal error: API Error: 400"})),
            "API Error: 400"
        );
        assert_eq!(
            text(json!({"code": -32603, "message": "Internal error", "data": {"details": "Gone"}})),
            "Gone"
        );
        assert_eq!(text(json!({"code": 1, "message": "Failed", "data": "because"})), "Failed: because");
        let json = json!({"error": {"code": 401, "message": "invalid key"}}).to_string();
        assert_eq!(text(json!({"code": 401, "message": json})), "invalid key");
        assert_eq!(text(json!({"code": 7})), "The agent reported error 7.");
    }

    #[test]
    fn a_missing_login_is_recognized_by_code_or_words() {
        let needs_login = |code: i64, message: &str| {
            RpcError { code, message: message.to_owned(), data: Value::Null }.is_login_required()
        };
        assert!(needs_login(-32000, "Authentication required"));
        assert!(needs_login(401, "invalid"), "Gemini");
        assert!(needs_login(-32603, "Internal error: invalid x-api-key (scripted)"), "opencode");
        assert!(!needs_login(-32603, "Internal error: overloaded"));
        assert!(!needs_login(-32602, "unauthorized"));
    }
}
