//! Reads content blocks. Agents also send plain texts, lists of blocks, and kinds of blocks that the protocol does not
//! have; nothing of them disappears silently.

use pilothouse_core::conversation::message::Part;
use pilothouse_core::conversation::ui_message::Image;
use serde_json::{Value, json};

/// The content of a message, as parts of it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Blocks {
    pub(super) parts: Vec<Part>,
    /// The blocks of an unknown kind, for which the parts have a placeholder.
    pub(super) unknown: Vec<Value>,
    /// Neither a block nor a list or a text.
    pub(super) is_unreadable: bool,
}

/// Reads a text, a block, or a list of both.
pub(super) fn read(content: Value) -> Blocks {
    let mut blocks = Blocks::default();
    match content {
        Value::Array(items) => items.into_iter().for_each(|item| blocks.add(item)),
        other => blocks.add(other),
    }
    blocks
}

/// The texts of a block, a list of blocks, or a plain text.
pub(super) fn text(content: Value) -> String {
    match content {
        Value::String(text) => text,
        Value::Array(blocks) => {
            let texts = blocks.into_iter().map(text).filter(|text| !text.trim().is_empty());
            texts.collect::<Vec<_>>().join("\n\n")
        }
        block => block.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
    }
}

impl Blocks {
    fn add(&mut self, value: Value) {
        match value {
            Value::String(text) => self.parts.push(Part::Text { text }),
            Value::Object(_) => match known(&value) {
                Some(part) => self.parts.push(part),
                None => {
                    self.parts.push(Part::Text { text: placeholder(&value) });
                    self.unknown.push(value);
                }
            },
            _ => self.is_unreadable = true,
        }
    }
}

/// A block of a known kind.
fn known(block: &Value) -> Option<Part> {
    let field = |pointer: &str| block.pointer(pointer).and_then(Value::as_str);
    let link = |name: &str, uri: &str| format!("[{name}]({uri})");
    let text = match field("/type") {
        Some("text") | None => field("/text")?.to_owned(),
        Some("image") => match (field("/data").filter(|data| !data.is_empty()), field("/uri")) {
            (Some(data), _) => {
                let mime_type = field("/mimeType").unwrap_or("image/png").to_owned();
                return Some(Part::Image(Image { mime_type, data: data.to_owned(), ..Image::default() }));
            }
            (None, Some(uri)) => link("image", uri),
            (None, None) => "[image]".to_owned(),
        },
        Some("audio") => "[audio]".to_owned(),
        Some("resource_link") => {
            let uri = field("/uri")?;
            link(field("/name").filter(|name| !name.is_empty()).unwrap_or(uri), uri)
        }
        Some("resource") => {
            let link = field("/resource/uri").map(|uri| link(uri, uri));
            let text = field("/resource/text").map(str::to_owned);
            match (link, text) {
                (Some(link), Some(text)) => format!("{link}\n\n{text}"),
                (link, text) => text.or(link).unwrap_or_else(|| "[resource]".to_owned()),
            }
        }
        Some(_) => return None,
    };
    Some(Part::Text { text })
}

/// The text that stands for content that cannot be shown.
fn placeholder(block: &Value) -> String {
    format!("[{}]", block.get("type").and_then(Value::as_str).unwrap_or("unknown content"))
}

/// Brings the content of a tool call into the form of the protocol: a list of items, each with one block.
pub(super) fn tool_content(content: Value) -> Value {
    let text = |text: String| json!({"type": "content", "content": {"type": "text", "text": text}});
    let item = |item: Value| match (item.get("type").and_then(Value::as_str), &item) {
        (_, Value::String(plain)) => text(plain.clone()),
        (Some("diff" | "terminal"), _) => item,
        (Some("content"), _) => match item.get("content") {
            Some(Value::String(plain)) => text(plain.clone()),
            Some(block) => tool_block(block, &item),
            None => item,
        },
        (_, Value::Object(_)) => tool_block(&item, &json!({"type": "content", "content": item})),
        _ => item,
    };
    match content {
        Value::Array(items) => Value::Array(items.into_iter().map(item).collect()),
        Value::Null => Value::Null,
        other => Value::Array(vec![item(other)]),
    }
}

/// One block of a tool call: texts and images as they are, everything else as a text that stands for it.
fn tool_block(block: &Value, item: &Value) -> Value {
    let kind = block.get("type").and_then(Value::as_str);
    let has = |pointer: &str| block.pointer(pointer).is_some_and(Value::is_string);
    match kind {
        Some("text") if has("/text") => item.clone(),
        Some("image") if block.get("data").and_then(Value::as_str).is_some_and(|data| !data.is_empty()) => {
            item.clone()
        }
        Some("resource") if has("/resource/text") => item.clone(),
        _ => {
            let text = match known(block) {
                Some(Part::Text { text }) => text,
                _ => placeholder(block),
            };
            json!({"type": "content", "content": {"type": "text", "text": text}})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(content: Value) -> Vec<String> {
        let part = |part: Part| match part {
            Part::Text { text } => text,
            other => format!("{other:?}"),
        };
        read(content).parts.into_iter().map(part).collect()
    }

    #[test]
    fn texts_lists_and_unknown_blocks_are_read() {
        assert_eq!(texts(json!("plain")), ["plain"]);
        assert_eq!(texts(json!([{"type": "text", "text": "a"}, "b"])), ["a", "b"]);
        assert_eq!(texts(json!({"type": "audio", "data": "QUJD"})), ["[audio]"]);
        assert_eq!(texts(json!({"type": "image", "data": ""})), ["[image]"]);
        assert_eq!(
            texts(json!({"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}})),
            ["[file:///a](file:///a)\n\ninside"]
        );
        let unknown = json!({"type": "hologram", "x": 1});
        assert_eq!(read(unknown.clone()).unknown, std::slice::from_ref(&unknown));
        assert_eq!(texts(unknown), ["[hologram]"]);
        assert!(read(json!(5)).is_unreadable && read(Value::Null).is_unreadable);
        assert!(matches!(read(json!({"type": "image", "data": "QUJD"})).parts[..], [Part::Image(_)]));
    }

    #[test]
    fn the_content_of_a_tool_call_gets_the_form_of_the_protocol() {
        let shown = |content: Value| {
            let content = tool_content(content);
            let items = content.as_array().unwrap().iter();
            items.map(|item| item["content"]["text"].as_str().unwrap_or("?").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(shown(json!("plain")), ["plain"]);
        assert_eq!(shown(json!([{"type": "text", "text": "bare"}])), ["bare"]);
        assert_eq!(
            shown(json!([{"type": "content", "content": {"type": "audio", "data": "QUJD"}}])),
            ["[audio]"]
        );
        assert_eq!(
            shown(
                json!([{"type": "content", "content": {"type": "resource", "resource": {"uri": "file:///a", "blob": "QUJD"}}}])
            ),
            ["[file:///a](file:///a)"]
        );
        assert_eq!(shown(json!([{"type": "hologram"}])), ["[hologram]"]);
        let diff = json!([{"type": "diff", "path": "/a", "newText": "n"}]);
        assert_eq!(tool_content(diff.clone()), diff);
    }
}
