//! The details of an expanded tool call, in a form that fits the tool. The part that rarely changes is redrawn as a whole;
//! output that grows is streamed below it.

use pilothouse_core::conversation::message::Location;
use pilothouse_core::conversation::plan::{PlanState, PlanStep};
use pilothouse_core::conversation::ui_message::PATH_ARGUMENTS;
use pilothouse_core::render::diff::{FileDiff, diffs_of};
use pilothouse_core::render::tool_view::{FileMatches, ToolView, indented_json, parse_matches};
use pilothouse_core::{Phase, ToolStep, UiMessage};
use web_sys::Element;

use super::code;
use super::markdown::Markdown;
use super::streamed_text::StreamedText;
use super::{diff, row_action};
use crate::dom::element::{Changed, append, clear, set, with_class, with_text};

/// Everything that is shown except streamed output.
#[derive(Clone, Debug, Default, PartialEq)]
struct DetailsContent {
    view: ToolView,
    diffs: Vec<FileDiff>,
    /// Places in files that the header, the arguments and the diffs do not show.
    locations: Vec<String>,
    ended: bool,
    result: ResultForm,
}

/// The form in which the result is shown.
#[derive(Clone, Debug, Default, PartialEq)]
enum ResultForm {
    /// There is no result, or the diff or plan shows it already.
    #[default]
    Hidden,
    Text,
    /// The text of a file: its number of lines and its language, which is empty if unknown.
    File(usize, String),
    Markdown,
    /// Search matches by file.
    Matches(Vec<FileMatches>),
    /// Indented JSON.
    Json(String),
}

impl DetailsContent {
    fn of(message: &UiMessage) -> Self {
        let Some(step) = &message.tool_step else { return Self::default() };
        let (view, diffs) = (ToolView::of(step), diffs_of(step));
        let ended = !step.phase.is_open();
        let succeeded = step.phase == Phase::Done;
        let text = result(message);
        let result = match &view {
            _ if text.is_empty() => ResultForm::Hidden,
            // A tool's success message adds nothing to its diff or plan.
            _ if succeeded && !diffs.is_empty() => ResultForm::Hidden,
            ToolView::Plan(_) if succeeded => ResultForm::Hidden,
            ToolView::Read { path, .. } if succeeded => {
                ResultForm::File(text.lines().count(), code::language_of(path))
            }
            ToolView::Delegate { .. } if succeeded => ResultForm::Markdown,
            ToolView::Search { .. } if succeeded => {
                parse_matches(text).map_or(ResultForm::Text, ResultForm::Matches)
            }
            ToolView::Other { .. } if succeeded => {
                indented_json(text).map_or(ResultForm::Text, ResultForm::Json)
            }
            _ => ResultForm::Text,
        };
        let locations = match view {
            ToolView::Read { .. } => Vec::new(),
            _ => other_locations(step, &diffs),
        };
        Self { view, diffs, locations, ended, result }
    }

    /// Whether both have the same drawing, that is, differ at most in streamed output.
    fn has_same_drawing(&self, other: &Self) -> bool {
        let drawn = |result: &ResultForm| match result {
            ResultForm::Hidden | ResultForm::Text | ResultForm::Markdown => ResultForm::Hidden,
            drawn => drawn.clone(),
        };
        (&self.view, &self.diffs, &self.locations) == (&other.view, &other.diffs, &other.locations)
            && drawn(&self.result) == drawn(&other.result)
    }

    /// The value of `data-tool-view`.
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
    container: Element,
    cwd: String,
    /// The part that is redrawn as a whole.
    drawing: Element,
    copy_button: Element,
    shown: Changed<DetailsContent>,
    output: Option<Output>,
}

enum Output {
    Text(StreamedText),
    /// The frame and the text that it shows.
    File(Element, String),
    Markdown(Element, Box<Markdown>),
    /// The note "No output".
    Empty(Element),
}

impl ToolDetails {
    /// Inserts the details after the row's header.
    pub fn insert_into(row: &Element, cwd: String) -> Self {
        let (container, drawing) = (with_class("div", "tool-details"), with_class("div", "tool-drawn"));
        append(&container, &drawing);
        // The row may have images, which stay below.
        let next = row.first_element_child().and_then(|header| header.next_sibling());
        let _ = row.insert_before(&container, next.as_ref());
        let copy_button = row_action::copy_output_button();
        Self { container, cwd, drawing, copy_button, shown: Changed::default(), output: None }
    }

    pub fn show(&mut self, message: &UiMessage) {
        let content = DetailsContent::of(message);
        if self.shown.as_ref() != Some(&content) {
            set(&self.container, "data-tool-view", content.name());
            // An unchanged drawing is kept, with its scroll position and selection.
            if !self.shown.as_ref().is_some_and(|before| before.has_same_drawing(&content)) {
                clear(&self.drawing);
                draw(&self.drawing, &content, &self.cwd);
            }
            self.prepare_output(&content);
            // The button follows the output and exists only with one.
            if content.result == ResultForm::Hidden {
                self.copy_button.remove()
            } else {
                append(&self.container, &self.copy_button)
            }
            self.shown.update(content);
        }
        match &mut self.output {
            Some(Output::Text(text)) => text.show(result(message)),
            Some(Output::Markdown(_, text)) => text.show(result(message), false),
            Some(Output::File(frame, shown)) if shown != result(message) => {
                result(message).clone_into(shown);
                clear(frame);
                let language = match self.shown.as_ref().map(|details| &details.result) {
                    Some(ResultForm::File(_, language)) => language,
                    _ => "",
                };
                append(frame, &code::element(language, shown));
            }
            _ => {}
        }
    }

    pub fn remove(self) {
        self.container.remove();
    }

    /// Creates the element for the output, unless there is one of the right form already.
    fn prepare_output(&mut self, details: &DetailsContent) {
        let container = &self.container;
        let shown_in_drawing = !details.diffs.is_empty() || matches!(details.view, ToolView::Plan(_));
        self.output = match (&details.result, self.output.take()) {
            (ResultForm::Text, Some(Output::Text(text))) => Some(Output::Text(text)),
            (ResultForm::Markdown, Some(Output::Markdown(frame, text))) => {
                Some(Output::Markdown(frame, text))
            }
            (result, before) => {
                if let Some(before) = before {
                    before.element().remove();
                }
                match result {
                    ResultForm::Text => Some(Output::Text(StreamedText::append_to(container, "row-result"))),
                    ResultForm::File(..) => {
                        let frame = with_class("pre", "row-result");
                        append(container, &frame);
                        Some(Output::File(frame, String::new()))
                    }
                    ResultForm::Markdown => {
                        let frame = with_class("div", "tool-said");
                        append(container, &frame);
                        let text = Box::new(Markdown::append_to(&frame));
                        Some(Output::Markdown(frame, text))
                    }
                    ResultForm::Hidden if details.ended && !shown_in_drawing => {
                        let note = with_text("p", "faint", "No output");
                        append(container, &note);
                        Some(Output::Empty(note))
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
            Self::File(frame, _) | Self::Markdown(frame, _) | Self::Empty(frame) => frame,
        }
    }
}

fn result(message: &UiMessage) -> &str {
    message.tool_step.as_ref().and_then(|step| step.result.as_deref()).unwrap_or_default()
}

/// Draws the part that does not grow: diffs, arguments, line numbers, matches.
fn draw(container: &Element, details: &DetailsContent, cwd: &str) {
    draw_view(container, details, cwd);
    if !details.locations.is_empty() {
        let line = with_class("p", "search-details");
        append(&line, &with_text("span", "faint", "In"));
        details.locations.iter().for_each(|location| append(&line, &with_text("code", "", location)));
        append(container, &line);
    }
}

fn draw_view(container: &Element, details: &DetailsContent, cwd: &str) {
    if !details.diffs.is_empty() {
        return details.diffs.iter().for_each(|change| append(container, &diff::render(change, cwd)));
    }
    match &details.view {
        ToolView::Shell { command } => {
            append(container, &with_text("pre", "row-arguments", &format!("$ {command}")))
        }
        ToolView::Read { first_line, .. } => {
            if let ResultForm::File(lines, _) = details.result {
                let numbers = *first_line..*first_line + lines;
                let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
                let gutter = with_text("pre", "line-numbers", &numbers.join("\n"));
                set(&gutter, "aria-hidden", "true");
                append(container, &gutter);
            }
        }
        ToolView::Search { details } => {
            let line = with_class("p", "search-details");
            for (name, value) in details {
                append(&line, &with_text("span", "faint", name));
                append(&line, &with_text("code", "", value));
            }
            append(container, &line);
        }
        ToolView::Plan(steps) => append(container, &plan_list(steps)),
        ToolView::Delegate { task } => append(container, &with_text("div", "tool-task", task)),
        ToolView::Other { arguments } if arguments.is_empty() => {}
        ToolView::Other { arguments } => append(container, &json_block("row-arguments", arguments)),
    }
    match &details.result {
        ResultForm::Matches(files) => files.iter().for_each(|file| append(container, &file_matches(file))),
        ResultForm::Json(text) => append(container, &json_block("row-result", text)),
        _ => {}
    }
}

/// The locations of a call that nothing else shows, as `path:line`.
fn other_locations(step: &ToolStep, diffs: &[FileDiff]) -> Vec<String> {
    let locations = &step.info.locations;
    let is_argument = |path: &str| {
        PATH_ARGUMENTS.iter().any(|key| step.tool_args.get(key).is_some_and(|argument| argument == path))
    };
    let is_shown = |location: &Location| {
        let in_header = locations.len() == 1 || is_argument(&location.path);
        diffs.iter().any(|diff| diff.path == location.path) || (in_header && location.line.is_none())
    };
    let text = |location: &Location| match location.line {
        Some(line) => format!("{}:{line}", location.path),
        None => location.path.clone(),
    };
    locations.iter().filter(|location| !is_shown(location)).map(text).collect()
}

fn json_block(class: &str, text: &str) -> Element {
    let frame = with_class("pre", class);
    append(&frame, &code::element("json", text));
    frame
}

/// The steps of a plan, each with its state.
pub fn plan_list(steps: &[PlanStep]) -> Element {
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
        append(&line, &mark);
        append(&line, &with_text("span", "", &step.text));
        append(&list, &line);
    }
    list
}

fn file_matches(file: &FileMatches) -> Element {
    let section = with_class("section", "found-in");
    append(&section, &with_text("h3", "found-path", &file.path));
    for line in &file.lines {
        let row = with_class("div", if line.hit { "found-line found-hit" } else { "found-line" });
        append(&row, &with_text("span", "found-number", &line.number.to_string()));
        append(&row, &with_text("span", "found-text", &line.text));
        append(&section, &row);
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilothouse_core::conversation::message::CallInfo;
    use serde_json::{Value, json};

    fn details(tool: &str, args: Value, phase: Phase, result: &str) -> DetailsContent {
        let step = ToolStep {
            tool_name: tool.into(),
            tool_args: args,
            phase,
            result: Some(result.into()),
            ..ToolStep::default()
        };
        DetailsContent::of(&UiMessage { tool_step: Some(step), ..UiMessage::default() })
    }

    #[test]
    fn the_form_of_a_result_depends_on_its_tool() {
        let done = |tool, args, result| details(tool, args, Phase::Done, result).result;
        assert_eq!(done("bash", json!({"command": "ls"}), "a"), ResultForm::Text);
        assert_eq!(done("read", json!({"path": "a"}), "1\n2\n3"), ResultForm::File(3, String::new()));
        assert_eq!(done("read", json!({"path": "a.rs"}), "1"), ResultForm::File(1, "rs".into()));
        assert_eq!(done("task", json!({"prompt": "look"}), "# Seen"), ResultForm::Markdown);
        assert!(
            matches!(done("grep", json!({"pattern": "x"}), "a.rs:1: x"), ResultForm::Matches(files) if files.len() == 1)
        );
        assert_eq!(done("grep", json!({"pattern": "x"}), "No matches"), ResultForm::Text);
        assert_eq!(done("thing", json!({}), "[1]"), ResultForm::Json("[\n  1\n]".into()));
        assert_eq!(done("write", json!({"path": "a", "content": "x"}), "Wrote it"), ResultForm::Hidden);
        assert_eq!(done("TodoWrite", json!({"todos": ["look"]}), "Updated"), ResultForm::Hidden);
    }

    #[test]
    fn locations_are_shown_where_they_add_something() {
        let at = |path: &str, line| Location { path: path.into(), line };
        let shown = |args, locations| {
            let info = CallInfo { locations, ..CallInfo::default() };
            other_locations(&ToolStep { tool_args: args, info, ..ToolStep::default() }, &[])
        };
        assert!(shown(json!({}), vec![at("a", None)]).is_empty(), "the header shows it");
        assert_eq!(shown(json!({}), vec![at("a", Some(3))]), ["a:3"]);
        assert_eq!(shown(json!({"path": "a"}), vec![at("a", None), at("b", None)]), ["b"]);
    }

    #[test]
    fn an_error_is_shown_as_plain_text() {
        let failed = |tool, args| details(tool, args, Phase::Error, "No such file").result;
        assert_eq!(failed("read", json!({"path": "a"})), ResultForm::Text);
        assert_eq!(failed("write", json!({"path": "a", "content": "x"})), ResultForm::Text);
    }
}
