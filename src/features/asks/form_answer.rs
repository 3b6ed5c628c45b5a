//! The fields of a form. The draft holds what the user entered as a JSON object: texts as they were typed, checkboxes
//! as booleans, several choices as a list.

use std::rc::Rc;
use std::slice;

use leptos::prelude::*;
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::conversation::ask::form::{self, FieldKind, FieldOption, FormAnswers, FormField};
use pilothouse_core::render::visible_text::visible_string;
use serde_json::{Map, Value};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};

use super::{Card, answer_form};
use crate::browser;
use crate::dom::build::{
    event_checked, event_value, on, set_checked, set_value, with_attributes, with_children,
};
use crate::dom::element::{append, set, toggle_attribute, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::store::client::AnswerDraft;

/// Up to this many options are radio buttons, more are a select.
const RADIO_BUTTONS: usize = 5;

/// A field on the screen.
struct ShownField {
    field: FormField,
    /// The inputs, each with the option that it stands for; empty for the only input of a field.
    inputs: Vec<(Element, String)>,
    problem: Element,
}

pub fn build(card: &Rc<Card>) -> Element {
    let fields = &card.ask.fields;
    let draft = Rc::new(card.draft(&initial(fields).to_string()));
    let form_id = browser::unique_id();
    let mut elements = Vec::new();
    let mut shown = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let (element, field) = show_field(field, &format!("{form_id}-{index}"), &draft);
        elements.push(element);
        shown.push(field);
    }
    if let Some((input, _)) = shown.first().and_then(|field| field.inputs.first()) {
        card.focus(input);
    }
    let shown = Rc::new(shown);
    let (text, updated) = (draft.text(), shown.clone());
    render_effect(Box::new(move || {
        let values = read(&text.get());
        for field in updated.iter() {
            let value = values.get(&field.field.name).unwrap_or(&Value::Null);
            for (input, option) in &field.inputs {
                match value {
                    Value::Bool(on) => set_checked(input, *on),
                    Value::Array(chosen) => set_checked(input, chosen.iter().any(|value| value == option)),
                    Value::String(value) if option.is_empty() => set_value(input, value),
                    value => set_checked(input, value == option),
                }
            }
        }
    }));
    let reply = card.clone();
    let children: Vec<&Element> = elements.iter().collect();
    answer_form(card, &children, move || {
        let values = read(&text.get_untracked());
        let mut answers = FormAnswers::new();
        let mut valid = true;
        for field in shown.iter() {
            let result = answer_of(&field.field, values.get(&field.field.name))
                .and_then(|answer| field.browser_problem().map_or(Ok(answer), Err));
            let problem = match result {
                Ok(answer) => {
                    answers.extend(answer.map(|answer| (field.field.name.clone(), answer)));
                    None
                }
                Err(problem) => Some(problem),
            };
            field.show_problem(problem.as_deref(), valid);
            valid &= problem.is_none();
        }
        if valid {
            reply.reply(Answer::Form(answers));
        }
    })
}

impl ShownField {
    /// The browser's objection, such as a pattern that does not match.
    fn browser_problem(&self) -> Option<String> {
        let (input, _) = self.inputs.first()?;
        let input = input.unchecked_ref::<HtmlInputElement>();
        (!input.check_validity()).then(|| input.validation_message().unwrap_or_default())
    }

    fn show_problem(&self, problem: Option<&str>, focus: bool) {
        self.problem.set_text_content(problem);
        for (input, _) in &self.inputs {
            toggle_attribute(input, "aria-invalid", problem.map(|_| "true"));
        }
        if let Some((input, _)) = self.inputs.first().filter(|_| focus && problem.is_some()) {
            let _ = input.unchecked_ref::<HtmlElement>().focus();
        }
    }
}

fn show_field(field: &FormField, id: &str, draft: &Rc<AnswerDraft>) -> (Element, ShownField) {
    let group = field.kind == FieldKind::Choices
        || (field.kind == FieldKind::Choice && field.options.len() <= RADIO_BUTTONS);
    let (tag, label_tag) = match (group, field.kind) {
        (true, _) => ("fieldset", "legend"),
        (false, _) => ("label", "span"),
    };
    let label = with_text(label_tag, "form-label", &visible_string(field.label()));
    if field.required {
        append(&label, &with_text("span", "faint", " (required)"));
    }
    let element = with_class(tag, "form-field");
    set(&element, "data-field", &field.name);
    let inputs: Vec<(Element, String)> = if group {
        append(&element, &label);
        field.options.iter().map(|option| append_option(&element, field, option, id)).collect()
    } else {
        let input = single_input(field);
        if field.kind == FieldKind::Boolean {
            append(&element, &with_children("span", "form-option", &[&input, &label]));
        } else {
            append(&element, &label);
            append(&element, &input);
        }
        vec![(input, String::new())]
    };
    let (description_id, problem_id) = (format!("{id}-description"), format!("{id}-problem"));
    if !field.description.is_empty() {
        let description = with_text("p", "faint", &visible_string(&field.description));
        set(&description, "id", &description_id);
        append(&element, &description);
    }
    let problem = with_attributes("p", &[("class", "problem"), ("role", "alert"), ("id", &problem_id)]);
    append(&element, &problem);
    for (input, option) in &inputs {
        set(input, "aria-describedby", &format!("{description_id} {problem_id}"));
        let (draft, name, kind, option) = (draft.clone(), field.name.clone(), field.kind, option.clone());
        on(input, "input", move |event| {
            let mut values = read(&draft.text().get_untracked());
            let value = match kind {
                FieldKind::Boolean => Value::Bool(event_checked(&event)),
                FieldKind::Choices => toggled(values.get(&name), &option, event_checked(&event)),
                _ if !option.is_empty() => Value::from(option.as_str()),
                _ => Value::from(event_value(&event)),
            };
            values.insert(name.clone(), value);
            draft.set(Value::Object(values).to_string());
        });
    }
    (element, ShownField { field: field.clone(), inputs, problem })
}

/// A radio button or a checkbox with its label.
fn append_option(group: &Element, field: &FormField, option: &FieldOption, name: &str) -> (Element, String) {
    let kind = if field.kind == FieldKind::Choices { "checkbox" } else { "radio" };
    let input = with_attributes("input", &[("type", kind), ("name", name)]);
    let label =
        with_children("label", "form-option", &[&input, &with_text("span", "", &option_text(option))]);
    append(group, &label);
    (input, option.value.clone())
}

fn option_text(option: &FieldOption) -> String {
    let title = if option.title.is_empty() { &option.value } else { &option.title };
    let dash = if option.description.is_empty() { "" } else { " – " };
    visible_string(&format!("{title}{dash}{}", option.description))
}

/// The only input of a field, with the limits that the browser checks.
fn single_input(field: &FormField) -> Element {
    if field.kind == FieldKind::Choice {
        let select = with_attributes("select", &[("class", "ask-field"), ("name", &field.name)]);
        append(&select, &with_attributes("option", &[("value", ""), ("label", "Choose…")]));
        for option in &field.options {
            let shown = with_text("option", "", &option_text(option));
            set(&shown, "value", &option.value);
            append(&select, &shown);
        }
        return select;
    }
    let kind = match (field.kind, field.format.as_str()) {
        (FieldKind::Boolean, _) => "checkbox",
        (FieldKind::Number | FieldKind::Integer, _) => "number",
        (_, "email") => "email",
        (_, "uri") => "url",
        (_, "date") => "date",
        _ => "text",
    };
    let input = with_attributes("input", &[("type", kind), ("name", &field.name), ("autocomplete", "off")]);
    if kind != "checkbox" {
        set(&input, "class", "ask-field");
        toggle_attribute(&input, "required", field.required.then_some(""));
    }
    if kind == "number" {
        set(&input, "step", if field.kind == FieldKind::Integer { "1" } else { "any" });
    }
    for (name, length, limit) in [("min", "minlength", field.minimum), ("max", "maxlength", field.maximum)] {
        match limit {
            Some(limit) if kind == "number" => set(&input, name, &Value::from(limit).to_string()),
            Some(limit) => set(&input, length, &(limit as u32).to_string()),
            None => {}
        }
    }
    if !field.pattern.is_empty() {
        set(&input, "pattern", &whole_value_pattern(&field.pattern));
    }
    if field.format == "date-time" {
        set(&input, "placeholder", "2026-01-31T12:00:00Z");
    }
    input
}

/// The pattern of an input for a pattern of a JSON schema. An input's must match the whole value, a schema's any part of
/// it; the anchors `^` and `$` in the schema's keep their meaning.
fn whole_value_pattern(pattern: &str) -> String {
    [".*(?:", pattern, ").*"].concat()
}

/// The values that a form starts with.
fn initial(fields: &[FormField]) -> Value {
    let value = |field: &FormField| match (field.kind, &field.default) {
        (FieldKind::Boolean, default) => Value::Bool(default == true),
        (FieldKind::Choices, Value::Array(chosen)) => Value::Array(chosen.clone()),
        (FieldKind::Choices, _) => Value::Array(Vec::new()),
        (_, Value::String(text)) => Value::from(text.as_str()),
        (_, Value::Null) => Value::from(""),
        (_, other) => Value::from(other.to_string()),
    };
    Value::Object(fields.iter().map(|field| (field.name.clone(), value(field))).collect())
}

/// The values in a draft.
fn read(draft: &str) -> Map<String, Value> {
    match serde_json::from_str(draft) {
        Ok(Value::Object(values)) => values,
        _ => Map::new(),
    }
}

/// The chosen options after one was added or removed.
fn toggled(chosen: Option<&Value>, option: &str, on: bool) -> Value {
    let mut chosen = chosen.and_then(Value::as_array).cloned().unwrap_or_default();
    chosen.retain(|value| value != option);
    chosen.extend(on.then(|| Value::from(option)));
    Value::Array(chosen)
}

/// The answer of a field, or why it is not accepted. None for a field that was left empty.
fn answer_of(field: &FormField, value: Option<&Value>) -> Result<Option<Value>, String> {
    let answer = match value {
        Some(Value::String(text)) if field.kind != FieldKind::Choice => field.parse(text)?,
        Some(Value::String(text)) if text.is_empty() => None,
        Some(Value::Array(chosen)) if chosen.is_empty() => None,
        value => value.cloned(),
    };
    let answers = answer.iter().map(|answer| (field.name.clone(), answer.clone())).collect();
    form::check(slice::from_ref(field), &answers).map(|()| answer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(kind: FieldKind, required: bool) -> FormField {
        let option = |value: &str| FieldOption { value: value.into(), ..FieldOption::default() };
        let options = vec![option("red"), option("blue")];
        FormField { name: "Colour".into(), kind, required, options, ..FormField::default() }
    }

    #[test]
    fn typed_text_becomes_a_value_of_the_fields_kind() {
        let answer = |kind, value: Value| answer_of(&field(kind, false), Some(&value));
        assert_eq!(answer(FieldKind::Text, json!(" x ")), Ok(Some(json!("x"))));
        assert_eq!(answer(FieldKind::Text, json!("")), Ok(None));
        assert_eq!(answer(FieldKind::Integer, json!("3")), Ok(Some(json!(3))));
        assert!(answer(FieldKind::Integer, json!("3.5")).unwrap_err().contains("whole number"));
        assert_eq!(answer(FieldKind::Boolean, json!(false)), Ok(Some(json!(false))));
        assert_eq!(answer(FieldKind::Choice, json!("red")), Ok(Some(json!("red"))));
        assert_eq!(answer(FieldKind::Choices, json!(["red", "blue"])), Ok(Some(json!(["red", "blue"]))));
    }

    #[test]
    fn an_empty_required_field_is_refused() {
        for (kind, empty) in [
            (FieldKind::Text, json!("")),
            (FieldKind::Number, json!(" ")),
            (FieldKind::Choice, json!("")),
            (FieldKind::Choices, json!([])),
        ] {
            let problem = answer_of(&field(kind, true), Some(&empty)).unwrap_err();
            assert_eq!(problem, "Colour is required.");
            assert_eq!(answer_of(&field(kind, false), Some(&empty)), Ok(None));
        }
    }

    #[test]
    fn a_form_starts_with_its_defaults() {
        let with_default = |kind, default| FormField { default, ..field(kind, false) };
        let start = |kind, default| initial(&[with_default(kind, default)])["Colour"].clone();
        assert_eq!(start(FieldKind::Integer, json!(3)), json!("3"));
        assert_eq!(start(FieldKind::Text, Value::Null), json!(""));
        assert_eq!(start(FieldKind::Boolean, Value::Null), json!(false));
        assert_eq!(start(FieldKind::Choices, json!(["red"])), json!(["red"]));
    }

    #[test]
    fn an_option_is_chosen_once() {
        assert_eq!(toggled(Some(&json!(["red"])), "red", true), json!(["red"]));
        assert_eq!(toggled(Some(&json!(["red"])), "red", false), json!([]));
        assert_eq!(toggled(None, "blue", true), json!(["blue"]));
    }
}
