//! Permission requests and elicitations: the agent's requests to the user, and the answers to them.

use pilothouse_core::conversation::ask::form::{FieldKind, FieldOption, FormField};
use pilothouse_core::conversation::ask::{Answer, Ask, AskKind, Choice, ChoiceKind};
use pilothouse_core::conversation::limit;
use pilothouse_core::conversation::ui_message::ToolStep;
use pilothouse_core::json::{FromJson, Object};
use serde_json::{Value, json};

/// The requests of the agent that wait for the user.
#[derive(Debug, Default)]
pub(super) struct OpenAsks {
    open: Vec<OpenAsk>,
    count: u64,
}

#[derive(Debug)]
pub(super) struct OpenAsk {
    pub(super) ask: Ask,
    /// The id of the agent's request.
    pub(super) request: Value,
    /// The tool call that it is about; empty if there is none.
    pub(super) call: String,
    kind: RequestKind,
    /// The id of an elicitation that is completed outside of the page.
    elicitation: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestKind {
    Permission,
    Elicitation,
}

impl OpenAsks {
    /// Opens a permission request. `step` is the tool call that it is about, of which so many bytes are left out.
    pub(super) fn permission(
        &mut self,
        request: Value,
        options: Value,
        (step, left_out): (ToolStep, u64),
    ) -> Ask {
        let choice = |mut option: Object| Choice {
            id: option.text("optionId"),
            name: option.text("name"),
            kind: ChoiceKind::from_json(option.take("kind")).unwrap_or_default(),
        };
        let options = match options {
            Value::Array(options) => options,
            _ => Vec::new(),
        };
        let choices: Vec<Choice> = options.into_iter().filter_map(Object::of).map(choice).collect();
        let call = step.call_id.clone();
        let title = match step.info.title.trim() {
            "" => format!("Allow {}?", step.tool_name),
            title => title.to_owned(),
        };
        let ask = Ask {
            id: self.next_id("permission", &call),
            kind: AskKind::Permission,
            approval: true,
            title,
            choices,
            tool: Some(Box::new(step)),
            left_out,
            ..Ask::default()
        };
        self.add(request, ask, call, RequestKind::Permission, String::new())
    }

    /// Opens an elicitation: a form, or a page to visit.
    pub(super) fn elicitation(&mut self, request: Value, params: &Value) -> Ask {
        let text = |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let call = call_id(params.get("toolCallId"));
        let message = text("message");
        let title = if message.trim().is_empty() { "The agent needs an answer".to_owned() } else { message };
        let id = self.next_id("question", &call);
        let ask = if text("mode") == "url" {
            // Visiting the page is the answer.
            Ask { id, kind: AskKind::Confirm, title, url: text("url"), ..Ask::default() }
        } else {
            let fields = params.get("requestedSchema").map(fields).unwrap_or_default();
            Ask { id, kind: AskKind::Form, title, fields, ..Ask::default() }
        };
        self.add(request, ask, call, RequestKind::Elicitation, text("elicitationId"))
    }

    fn next_id(&mut self, kind: &str, call: &str) -> String {
        self.count += 1;
        format!("{kind}-{}-{call}", self.count)
    }

    fn add(
        &mut self,
        request: Value,
        mut ask: Ask,
        call: String,
        kind: RequestKind,
        mut elicitation: String,
    ) -> Ask {
        ask.cut();
        limit::shorten_id(&mut elicitation);
        self.open.push(OpenAsk { ask: ask.clone(), request, call, kind, elicitation });
        ask
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Closes a request by the id of its ask.
    pub(super) fn close(&mut self, ask_id: &str) -> Option<OpenAsk> {
        let position = self.open.iter().position(|open| open.ask.id == ask_id)?;
        Some(self.open.remove(position))
    }

    /// Closes the request with this id of the agent.
    pub(super) fn close_request(&mut self, request: &Value) -> Option<OpenAsk> {
        let position = self.open.iter().position(|open| open.request == *request)?;
        Some(self.open.remove(position))
    }

    /// Closes an elicitation that was completed outside of the page.
    pub(super) fn close_elicitation(&mut self, mut elicitation: String) -> Option<OpenAsk> {
        limit::shorten_id(&mut elicitation);
        let position =
            self.open.iter().position(|open| !elicitation.is_empty() && open.elicitation == elicitation)?;
        Some(self.open.remove(position))
    }

    /// Closes all requests.
    pub(super) fn close_all(&mut self) -> Vec<OpenAsk> {
        std::mem::take(&mut self.open)
    }
}

impl OpenAsk {
    pub(super) fn is_permission(&self) -> bool {
        self.kind == RequestKind::Permission
    }

    /// The result of the agent's request.
    pub(super) fn result(&self, answer: &Answer) -> Value {
        match (self.kind, answer) {
            (RequestKind::Permission, Answer::Choose(id)) => {
                json!({"outcome": {"outcome": "selected", "optionId": id}})
            }
            (RequestKind::Permission, _) => json!({"outcome": {"outcome": "cancelled"}}),
            (RequestKind::Elicitation, Answer::Form(answers)) => {
                json!({"action": "accept", "content": answers})
            }
            (RequestKind::Elicitation, Answer::Confirm(true)) => json!({"action": "accept"}),
            (RequestKind::Elicitation, Answer::Confirm(false)) => json!({"action": "decline"}),
            (RequestKind::Elicitation, _) => json!({"action": "cancel"}),
        }
    }
}

/// The id of a tool call, which some agents send as a number. A missing id is empty.
pub(super) fn call_id(id: Option<&Value>) -> String {
    let mut id = match id {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => String::new(),
    };
    limit::shorten_id(&mut id);
    id
}

/// Reads the fields of a form from its JSON schema. A field of an unknown type is a text.
fn fields(schema: &Value) -> Vec<FormField> {
    let required = |name: &str| {
        let list = schema.get("required").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|required| required.as_str() == Some(name)))
    };
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.map(|(name, property)| field(name, property, required(name))).collect()
}

fn field(name: &str, property: &Value, required: bool) -> FormField {
    let text = |key: &str| property.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |key: &str| property.get(key).and_then(Value::as_f64);
    let items = property.get("items").unwrap_or(&Value::Null);
    let (kind, options, minimum, maximum) = match text("type").as_str() {
        "number" => (FieldKind::Number, Vec::new(), "minimum", "maximum"),
        "integer" => (FieldKind::Integer, Vec::new(), "minimum", "maximum"),
        "boolean" => (FieldKind::Boolean, Vec::new(), "", ""),
        "array" => (FieldKind::Choices, options(items), "minItems", "maxItems"),
        _ => match options(property) {
            none if none.is_empty() => (FieldKind::Text, none, "minLength", "maxLength"),
            options => (FieldKind::Choice, options, "", ""),
        },
    };
    FormField {
        name: name.to_owned(),
        title: text("title"),
        description: text("description"),
        required,
        kind,
        options,
        default: property.get("default").cloned().unwrap_or_default(),
        minimum: number(minimum),
        maximum: number(maximum),
        format: text("format"),
        pattern: text("pattern"),
    }
}

/// The values to choose from: a list of values, or of objects with a title.
fn options(schema: &Value) -> Vec<FieldOption> {
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    let titled = ["oneOf", "anyOf"].iter().find_map(|key| list(key)).into_iter().flatten();
    let titled = titled.filter_map(|option| {
        let text = |key: &str| option.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let value = option.get("const").and_then(Value::as_str)?.to_owned();
        Some(FieldOption { value, title: text("title"), description: text("description") })
    });
    let plain = list("enum").into_iter().flatten().filter_map(Value::as_str).map(|value| FieldOption {
        value: value.to_owned(),
        title: value.to_owned(),
        ..FieldOption::default()
    });
    titled.chain(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_field_is_read() {
        let params = json!({"mode": "form", "message": "Which colour?", "toolCallId": "t", "requestedSchema": {
            "required": ["colour"],
            "properties": {
                "way": {"type": "string"},
                "colour": {"type": "string", "title": "Colour", "oneOf": [{"const": "r", "title": "Red"}]},
                "count": {"type": "integer", "minimum": 1, "default": 2},
                "name": {"type": "string", "maxLength": 5, "format": "email"},
                "other": {"type": "hologram"},
                "several": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 1},
                "share": {"type": "number"},
                "sure": {"type": "boolean"},
            }
        }});
        let ask = OpenAsks::default().elicitation(json!(0), &params);
        let kinds: Vec<(&str, FieldKind)> =
            ask.fields.iter().map(|field| (field.name.as_str(), field.kind)).collect();
        assert_eq!(
            kinds,
            [
                // The order of the schema, not of the alphabet.
                ("way", FieldKind::Text),
                ("colour", FieldKind::Choice),
                ("count", FieldKind::Integer),
                ("name", FieldKind::Text),
                ("other", FieldKind::Text),
                ("several", FieldKind::Choices),
                ("share", FieldKind::Number),
                ("sure", FieldKind::Boolean),
            ]
        );
        assert!(ask.fields[1].required && !ask.fields[2].required);
        assert_eq!((ask.fields[2].minimum, &ask.fields[2].default), (Some(1.0), &json!(2)));
        assert_eq!((ask.fields[3].maximum, ask.fields[3].format.as_str()), (Some(5.0), "email"));
        assert_eq!(ask.fields[5].options.len(), 2);
    }

    #[test]
    fn an_answer_becomes_the_result_of_its_request() {
        let mut asks = OpenAsks::default();
        let options = json!([{"optionId": "ok", "name": "Allow", "kind": "allow_once"}, {"optionId": "x", "kind": "later"}]);
        let ask = asks.permission(
            json!("u-1"),
            options,
            (ToolStep { call_id: "c".into(), ..ToolStep::default() }, 0),
        );
        assert_eq!(ask.choices[1].kind, ChoiceKind::Other);
        let open = asks.close(&ask.id).unwrap();
        assert_eq!(open.request, json!("u-1"));
        assert_eq!(
            open.result(&Answer::Choose("ok".into())),
            json!({"outcome": {"outcome": "selected", "optionId": "ok"}})
        );
        assert_eq!(open.result(&Answer::Cancel), json!({"outcome": {"outcome": "cancelled"}}));
        assert!(asks.close(&ask.id).is_none(), "it is answered once");
        let url =
            asks.elicitation(json!(1), &json!({"mode": "url", "url": "https://x", "elicitationId": "e"}));
        assert_eq!((url.kind, url.url.as_str()), (AskKind::Confirm, "https://x"));
        let open = asks.close_elicitation("e".into()).unwrap();
        assert_eq!(open.result(&Answer::Confirm(true)), json!({"action": "accept"}));
    }
}
