//! Reads content blocks.

use serde_json::Value;

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
