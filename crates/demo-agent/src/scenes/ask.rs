//! `/ask`: one question of each kind, then a summary of the answers.

use super::{Block, Call, CallResult, Question, Scene, Setting, Step, Tool};

pub(super) struct Ask {
    step: usize,
    answers: Vec<String>,
}

impl Ask {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { step: 0, answers: Vec::new() }
    }
}

impl Scene for Ask {
    fn next(&mut self, _setting: &Setting, results: &[CallResult]) -> Step {
        self.answers.extend(results.iter().map(|result| result.text.clone()));
        let question = question(self.step);
        self.step += 1;
        match question {
            Some((text, question)) => {
                Step::reply([Block::Text(text.to_owned()), Call::lasting(Tool::AskUser(question), 0)])
            }
            None => Step::say(summary(&self.answers)),
        }
    }
}

fn question(step: usize) -> Option<(&'static str, Question)> {
    Some(match step {
        0 => (
            "Four questions, one of each kind. First, choose one.",
            Question::Select {
                title: "Which colour should the buoy have?".to_owned(),
                options: ["red", "green", "yellow"].map(str::to_owned).to_vec(),
            },
        ),
        1 => (
            "Second, a yes or no.",
            Question::Confirm {
                title: "Paint it today?".to_owned(),
                message: "The forecast says dry until the evening.".to_owned(),
            },
        ),
        2 => (
            "Third, a line of text.",
            Question::Input { title: "Who paints it?".to_owned(), placeholder: "e.g. Ada".to_owned() },
        ),
        3 => (
            "Last, a longer text to edit.",
            Question::Editor {
                title: "The note for the logbook".to_owned(),
                prefill: "Buoy painted.\nWeather: dry.".to_owned(),
            },
        ),
        _ => return None,
    })
}

fn summary(answers: &[String]) -> String {
    let rows: Vec<String> = ["choice", "confirmation", "name", "note"]
        .iter()
        .zip(answers)
        .map(|(what, answer)| format!("| {what} | {} |", answer.replace('\n', "<br>").replace('|', "\\|")))
        .collect();
    format!(
        "Thank you. This is what arrived:\n\n| question | answer |\n|---|---|\n{}\n\n\
        A question you dismiss counts as no answer, never as consent.",
        rows.join("\n")
    )
}
