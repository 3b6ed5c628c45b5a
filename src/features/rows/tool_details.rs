//! What an opened tool call shows: each kind of work in the form that fits it. What is drawn once is drawn from data;
//! output that grows is streamed below it.

use pilothouse_core::render::diff::{FileDiff, diffs_of};
use pilothouse_core::render::tool_view::{
    FileMatches, PlanState, PlanStep, ToolView, indented_json, parse_matches,
};
use pilothouse_core::{Phase, UiMessage};
use web_sys::Element;

use super::code;
use super::markdown::Markdown;
use super::streamed_text::StreamedText;
use super::{click, diff};
use crate::dom::element::{Changed, add, clear, set, with_class, with_text};

/// All but the output that grows.
#[derive(Clone, Debug, Default, PartialEq)]
struct Details {
    view: ToolView,
    diffs: Vec<FileDiff>,
    ended: bool,
    result: Shown,
}

/// In what form the result is shown.
#[derive(Clone, Debug, Default, PartialEq)]
enum Shown {
    /// There is none, or what it says is shown otherwise.
    #[default]
    Not,
    AsText,
    /// A file's text has so many lines, in a language if that is known.
    AsFile(usize, String),
    AsMarkdown,
    ByFile(Vec<FileMatches>),
    Readable(String),
}

impl Details {
    fn of(message: &UiMessage) -> Self {
        let Some(step) = &message.tool_step else { return Self::default() };
        let (view, diffs) = (ToolView::of(step), diffs_of(step));
        let ended = !step.phase.is_open();
        let well = step.phase == Phase::Done;
        let text = result(message);
        let result = match &view {
            _ if text.is_empty() => Shown::Not,
            // What the tool says of its own success adds nothing to the change or the plan.
            _ if well && !diffs.is_empty() => Shown::Not,
            ToolView::Plan(_) if well => Shown::Not,
            ToolView::Read { path, .. } if well => {
                Shown::AsFile(text.lines().count(), code::language_of(path))
            }
            ToolView::Delegate { .. } if well => Shown::AsMarkdown,
            ToolView::Search { .. } if well => parse_matches(text).map_or(Shown::AsText, Shown::ByFile),
            ToolView::Other { .. } if well => indented_json(text).map_or(Shown::AsText, Shown::Readable),
            _ => Shown::AsText,
        };
        Self { view, diffs, ended, result }
    }

    fn is_drawn_as(&self, other: &Self) -> bool {
        let drawn = |result: &Shown| match result {
            Shown::Not | Shown::AsText | Shown::AsMarkdown => Shown::Not,
            drawn => drawn.clone(),
        };
        (&self.view, &self.diffs) == (&other.view, &other.diffs)
            && drawn(&self.result) == drawn(&other.result)
    }

    const fn name(&self) -> &'static str {
        match &self.view {
            _ if !self.diffs.is_empty() => "changes",
            ToolView::Shell { .. } => "shell",
            ToolView::Read { .. } => "read",
            ToolView::Search { .. } => "search",
            ToolView::Plan(_) => "plan",
            ToolView::Delegate { .. } => "delegate",
            ToolView::Other { .. } => "other",
        }
    }
}

pub struct ToolDetails {
    place: Element,
    cwd: String,
    /// What is drawn in one go.
    drawing: Element,
    copy: Element,
    shown: Changed<Details>,
    output: Option<Output>,
}

enum Output {
    Text(StreamedText),
    /// With the text that is shown.
    File(Element, String),
    Markdown(Element, Box<Markdown>),
    Nothing(Element),
}

impl ToolDetails {
    pub fn in_row(row: &Element, cwd: String) -> Self {
        let (place, drawing) = (with_class("div", "tool-details"), with_class("div", "tool-drawn"));
        add(&place, &drawing);
        // Before the pictures, if there are any.
        let next = row.first_element_child().and_then(|line| line.next_sibling());
        let _ = row.insert_before(&place, next.as_ref());
        Self { place, cwd, drawing, copy: click::copies_output(), shown: Changed::default(), output: None }
    }

    pub fn show(&mut self, message: &UiMessage) {
        let now = Details::of(message);
        if self.shown.as_ref() != Some(&now) {
            set(&self.place, "data-tool-view", now.name());
            // What is looked at stays as it is when nothing of it is new, with its place and what is selected.
            if !self.shown.as_ref().is_some_and(|before| before.is_drawn_as(&now)) {
                clear(&self.drawing);
                draw(&self.drawing, &now, &self.cwd);
            }
            self.prepare(&now);
            // Behind what is read, and only where that is the output.
            if now.result == Shown::Not {
                self.copy.remove()
            } else {
                add(&self.place, &self.copy)
            }
            self.shown.differs(now);
        }
        match &mut self.output {
            Some(Output::Text(text)) => text.show(result(message)),
            Some(Output::Markdown(_, text)) => text.show(result(message), false),
            Some(Output::File(frame, shown)) if shown != result(message) => {
                result(message).clone_into(shown);
                clear(frame);
                let language = match self.shown.as_ref().map(|details| &details.result) {
                    Some(Shown::AsFile(_, language)) => language,
                    _ => "",
                };
                add(frame, &code::element(language, shown));
            }
            _ => {}
        }
    }

    pub fn remove(self) {
        self.place.remove();
    }

    /// Makes the place for the output, in the form it has now; one of that form stays.
    fn prepare(&mut self, details: &Details) {
        let place = &self.place;
        let said_otherwise = !details.diffs.is_empty() || matches!(details.view, ToolView::Plan(_));
        self.output = match (&details.result, self.output.take()) {
            (Shown::AsText, Some(Output::Text(text))) => Some(Output::Text(text)),
            (Shown::AsMarkdown, Some(Output::Markdown(frame, text))) => Some(Output::Markdown(frame, text)),
            (result, before) => {
                if let Some(before) = before {
                    before.element().remove();
                }
                match result {
                    Shown::AsText => Some(Output::Text(StreamedText::in_place(place, "row-result"))),
                    Shown::AsFile(..) => {
                        let frame = with_class("pre", "row-result");
                        add(place, &frame);
                        Some(Output::File(frame, String::new()))
                    }
                    Shown::AsMarkdown => {
                        let frame = with_class("div", "tool-said");
                        add(place, &frame);
                        let text = Box::new(Markdown::in_place(&frame));
                        Some(Output::Markdown(frame, text))
                    }
                    Shown::Not if details.ended && !said_otherwise => {
                        let note = with_text("p", "faint", "No output");
                        add(place, &note);
                        Some(Output::Nothing(note))
                    }
                    _ => None,
                }
            }
        };
    }
}

impl Output {
    const fn element(&self) -> &Element {
        match self {
            Self::Text(text) => &text.element,
            Self::File(frame, _) | Self::Markdown(frame, _) | Self::Nothing(frame) => frame,
        }
    }
}

fn result(message: &UiMessage) -> &str {
    message.tool_step.as_ref().and_then(|step| step.result.as_deref()).unwrap_or_default()
}

fn draw(place: &Element, details: &Details, cwd: &str) {
    if !details.diffs.is_empty() {
        return details.diffs.iter().for_each(|change| add(place, &diff::draw(change, cwd)));
    }
    match &details.view {
        ToolView::Shell { command } => {
            add(place, &with_text("pre", "row-arguments", &format!("$ {command}")))
        }
        ToolView::Read { first_line, .. } => {
            if let Shown::AsFile(lines, _) = details.result {
                let numbers = *first_line..*first_line + lines;
                let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
                let gutter = with_text("pre", "line-numbers", &numbers.join("\n"));
                set(&gutter, "aria-hidden", "true");
                add(place, &gutter);
            }
        }
        ToolView::Search { details } => {
            let line = with_class("p", "search-details");
            for (name, value) in details {
                add(&line, &with_text("span", "faint", name));
                add(&line, &with_text("code", "", value));
            }
            add(place, &line);
        }
        ToolView::Plan(steps) => add(place, &plan(steps)),
        ToolView::Delegate { task } => add(place, &with_text("div", "tool-task", task)),
        ToolView::Other { arguments } if arguments.is_empty() => {}
        ToolView::Other { arguments } => add(place, &json("row-arguments", arguments)),
    }
    match &details.result {
        Shown::ByFile(files) => files.iter().for_each(|file| add(place, &found(file))),
        Shown::Readable(text) => add(place, &json("row-result", text)),
        _ => {}
    }
}

fn json(class: &str, text: &str) -> Element {
    let frame = with_class("pre", class);
    add(&frame, &code::element("json", text));
    frame
}

fn plan(steps: &[PlanStep]) -> Element {
    let list = with_class("ul", "plan");
    for step in steps {
        let (name, mark) = match step.state {
            PlanState::Open => ("open", "○"),
            PlanState::Doing => ("doing", "◐"),
            PlanState::Done => ("done", "✓"),
            PlanState::Dropped => ("dropped", "–"),
        };
        let line = with_class("li", "plan-step");
        set(&line, "data-plan", name);
        let mark = with_text("span", "plan-mark", mark);
        set(&mark, "role", "img");
        set(&mark, "aria-label", step.state.name());
        add(&line, &mark);
        add(&line, &with_text("span", "", &step.text));
        add(&list, &line);
    }
    list
}

fn found(file: &FileMatches) -> Element {
    let section = with_class("section", "found-in");
    add(&section, &with_text("h3", "found-path", &file.path));
    for line in &file.lines {
        let row = with_class("div", if line.hit { "found-line found-hit" } else { "found-line" });
        add(&row, &with_text("span", "found-number", &line.number.to_string()));
        add(&row, &with_text("span", "found-text", &line.text));
        add(&section, &row);
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilothouse_core::ToolStep;
    use serde_json::{Value, json};

    fn details(tool: &str, args: Value, phase: Phase, result: &str) -> Details {
        let step = ToolStep {
            tool_name: tool.into(),
            tool_args: args,
            phase,
            result: Some(result.into()),
            ..ToolStep::default()
        };
        Details::of(&UiMessage { tool_step: Some(step), ..UiMessage::default() })
    }

    #[test]
    fn a_result_is_shown_in_the_form_that_fits_its_tool() {
        let done = |tool, args, result| details(tool, args, Phase::Done, result).result;
        assert_eq!(done("bash", json!({"command": "ls"}), "a"), Shown::AsText);
        assert_eq!(done("read", json!({"path": "a"}), "1\n2\n3"), Shown::AsFile(3, String::new()));
        assert_eq!(done("read", json!({"path": "a.rs"}), "1"), Shown::AsFile(1, "rs".into()));
        assert_eq!(done("task", json!({"prompt": "look"}), "# Seen"), Shown::AsMarkdown);
        assert!(
            matches!(done("grep", json!({"pattern": "x"}), "a.rs:1: x"), Shown::ByFile(files) if files.len() == 1)
        );
        assert_eq!(done("grep", json!({"pattern": "x"}), "No matches"), Shown::AsText);
        assert_eq!(done("thing", json!({}), "[1]"), Shown::Readable("[\n  1\n]".into()));
        assert_eq!(done("write", json!({"path": "a", "content": "x"}), "Wrote it"), Shown::Not);
        assert_eq!(done("TodoWrite", json!({"todos": ["look"]}), "Updated"), Shown::Not);
    }

    #[test]
    fn a_failure_is_shown_as_it_was_said() {
        let failed = |tool, args| details(tool, args, Phase::Error, "No such file").result;
        assert_eq!(failed("read", json!({"path": "a"})), Shown::AsText);
        assert_eq!(failed("write", json!({"path": "a", "content": "x"})), Shown::AsText);
    }
}
