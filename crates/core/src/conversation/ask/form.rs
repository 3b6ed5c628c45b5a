//! Forms: several fields that the user fills in before answering. The page and the server check them by the same rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::FromJson;
use crate::render::visible_text::visible_string;

/// The values of a form by the names of its fields. Fields that were left empty are missing.
pub type FormAnswers = BTreeMap<String, Value>;

/// One field of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct FormField {
    pub name: String,
    /// The label. The name takes its place if it is empty.
    pub title: String,
    pub description: String,
    pub required: bool,
    pub kind: FieldKind,
    /// The values to choose from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<FieldOption>,
    /// The value that the field starts with; null for none.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub default: Value,
    /// The least length of a text, value of a number, or number of choices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// The format of a text: `email`, `uri`, `date` or `date-time`; empty for any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub format: String,
    /// A regular expression that a text has to match, for the browser to check.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pattern: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    #[default]
    Text,
    Number,
    Integer,
    Boolean,
    /// One of the options.
    Choice,
    /// Any number of the options.
    Choices,
}

/// A value to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct FieldOption {
    pub value: String,
    pub title: String,
    pub description: String,
}

impl FormField {
    pub fn label(&self) -> &str {
        if self.title.trim().is_empty() { &self.name } else { &self.title }
    }

    /// The value that the user entered, from the text of an input. None if the field is empty; an error is for the user.
    pub fn parse(&self, text: &str) -> Result<Option<Value>, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        match self.kind {
            // The parser of JSON is part of the page anyway; the one for floats would add ten kilobytes to it.
            FieldKind::Number => {
                match serde_json::from_str::<Value>(text).ok().and_then(|value| value.as_f64()) {
                    Some(number) => Ok(Some(number.into())),
                    None => Err(format!("{} must be a number.", self.label())),
                }
            }
            FieldKind::Integer => match text.parse::<i64>() {
                Ok(number) => Ok(Some(number.into())),
                Err(_) => Err(format!("{} must be a whole number.", self.label())),
            },
            _ => Ok(Some(text.into())),
        }
    }

    /// Checks a value; `None` for an empty field. The error is for the user.
    fn check(&self, value: Option<&Value>) -> Result<(), String> {
        let label = self.label();
        let Some(value) = value else {
            return if self.required { Err(format!("{label} is required.")) } else { Ok(()) };
        };
        let is_option = |value: &Value| {
            value.as_str().is_some_and(|value| self.options.iter().any(|option| option.value == value))
        };
        let (size, unit) = match self.kind {
            FieldKind::Text => match value.as_str() {
                Some(text) => (length(text.chars().count()), " characters"),
                None => return Err(format!("{label} must be a text.")),
            },
            FieldKind::Number => match value.as_f64() {
                Some(number) => (number, ""),
                None => return Err(format!("{label} must be a number.")),
            },
            FieldKind::Integer => match value.as_i64() {
                #[allow(clippy::cast_precision_loss, reason = "compared with limits that are fractions")]
                Some(number) => (number as f64, ""),
                None => return Err(format!("{label} must be a whole number.")),
            },
            FieldKind::Boolean if value.is_boolean() => return Ok(()),
            FieldKind::Choice if is_option(value) => return Ok(()),
            FieldKind::Choices => match value.as_array() {
                Some(values) if values.iter().all(is_option) => (length(values.len()), " choices"),
                _ => return Err(format!("{label} must be one of the options.")),
            },
            FieldKind::Boolean => return Err(format!("{label} must be yes or no.")),
            FieldKind::Choice => return Err(format!("{label} must be one of the options.")),
        };
        match (self.minimum, self.maximum) {
            (Some(minimum), _) if size < minimum => {
                Err(format!("{label} must be at least {}{unit}.", limit_text(minimum)))
            }
            (_, Some(maximum)) if size > maximum => {
                Err(format!("{label} must be at most {}{unit}.", limit_text(maximum)))
            }
            _ => Ok(()),
        }
    }
}

/// A limit as text. Written as JSON, because formatting floats would add to the size of the page.
fn limit_text(limit: f64) -> String {
    let text = Value::from(limit).to_string();
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// A length as a number that can be compared with the limits of a field.
fn length(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Checks all answers. The error names the first field that is wrong, for the user.
pub fn check(fields: &[FormField], answers: &FormAnswers) -> Result<(), String> {
    if let Some(unknown) = answers.keys().find(|name| !fields.iter().any(|field| field.name == **name)) {
        return Err(format!("The form has no field named {}.", visible_string(unknown)));
    }
    fields.iter().try_for_each(|field| field.check(answers.get(&field.name)))
}

/// The text of the row that records the answers.
pub(super) fn answered_text(title: &str, fields: &[FormField], answers: &FormAnswers) -> String {
    let answer = |field: &FormField| {
        let value = answers.get(&field.name)?;
        let shown = match value {
            Value::String(text) => field.option_title(text),
            Value::Bool(true) => "Yes".to_owned(),
            Value::Bool(false) => "No".to_owned(),
            Value::Array(values) => {
                let titles = values.iter().filter_map(Value::as_str).map(|value| field.option_title(value));
                titles.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        };
        Some(format!("{}: {}", visible_string(field.label()), visible_string(&shown)))
    };
    let lines: Vec<String> = fields.iter().filter_map(answer).collect();
    let lines = if lines.is_empty() { "You sent an empty answer.".to_owned() } else { lines.join("\n") };
    format!("{title}\n{lines}")
}

impl FormField {
    fn option_title(&self, value: &str) -> String {
        let option = self.options.iter().find(|option| option.value == value);
        option
            .map(|option| option.title.clone())
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| value.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(name: &str, kind: FieldKind) -> FormField {
        FormField { name: name.into(), kind, ..FormField::default() }
    }

    fn answers(value: Value) -> FormAnswers {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn every_kind_of_field_is_checked() {
        let colour = FormField {
            options: vec![FieldOption { value: "r".into(), title: "Red".into(), ..FieldOption::default() }],
            ..field("colour", FieldKind::Choice)
        };
        let fields = [
            FormField { required: true, maximum: Some(3.0), ..field("name", FieldKind::Text) },
            FormField { minimum: Some(1.0), ..field("count", FieldKind::Integer) },
            field("share", FieldKind::Number),
            field("sure", FieldKind::Boolean),
            colour.clone(),
            FormField { kind: FieldKind::Choices, name: "several".into(), maximum: Some(1.0), ..colour },
        ];
        let check = |value: Value| check(&fields, &answers(value));
        assert_eq!(
            check(
                json!({"name": "Ada", "count": 1, "share": 0.5, "sure": false, "colour": "r", "several": ["r"]})
            ),
            Ok(())
        );
        for (value, part) in [
            (json!({}), "name is required"),
            (json!({"name": "Adam"}), "at most 3 characters"),
            (json!({"name": 1}), "must be a text"),
            (json!({"name": "A", "count": 0}), "at least 1"),
            (json!({"name": "A", "count": 1.5}), "whole number"),
            (json!({"name": "A", "share": "x"}), "must be a number"),
            (json!({"name": "A", "sure": 1}), "yes or no"),
            (json!({"name": "A", "colour": "blue"}), "one of the options"),
            (json!({"name": "A", "several": ["r", "r"]}), "at most 1 choices"),
            (json!({"name": "A", "other": 1}), "no field named other"),
        ] {
            let error = check(value.clone()).unwrap_err();
            assert!(error.contains(part), "{value}: {error}");
        }
    }

    #[test]
    fn a_text_is_parsed_by_the_kind_of_its_field() {
        assert_eq!(field("n", FieldKind::Integer).parse(" 7 "), Ok(Some(json!(7))));
        assert_eq!(field("n", FieldKind::Number).parse("0.5"), Ok(Some(json!(0.5))));
        assert!(field("n", FieldKind::Integer).parse("7.5").is_err());
        assert!(field("n", FieldKind::Number).parse("inf").is_err());
        assert_eq!(field("n", FieldKind::Text).parse("  "), Ok(None));
    }

    #[test]
    fn the_recorded_answers_have_labels_and_titles() {
        let options = vec![FieldOption { value: "r".into(), title: "Red".into(), ..FieldOption::default() }];
        let colour = FormField { title: "Colour".into(), options, ..field("c", FieldKind::Choice) };
        let text = answered_text(
            "Paint?",
            &[colour, field("sure", FieldKind::Boolean)],
            &answers(json!({"c": "r", "sure": true})),
        );
        assert_eq!(text, "Paint?\nColour: Red\nsure: Yes");
        assert_eq!(answered_text("Paint?", &[], &answers(json!({}))), "Paint?\nYou sent an empty answer.");
    }
}
