//! An agent's plan: the steps that it intends to take. Read from the arguments of a call, where it is a list of objects
//! or a checklist in Markdown.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::FromJson;

/// A step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct PlanStep {
    pub text: String,
    pub state: PlanState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    Doing,
    Done,
    Dropped,
    #[default]
    #[serde(other)]
    Open,
}

impl PlanState {
    pub const ALL: [Self; 4] = [Self::Open, Self::Doing, Self::Done, Self::Dropped];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "To do",
            Self::Doing => "In progress",
            Self::Done => "Done",
            Self::Dropped => "Cancelled",
        }
    }

    fn of(status: &str) -> Self {
        match status {
            "completed" | "done" | "complete" => Self::Done,
            "in_progress" | "inProgress" | "active" | "doing" => Self::Doing,
            "cancelled" | "canceled" | "skipped" => Self::Dropped,
            _ => Self::Open,
        }
    }
}

/// The steps of a plan. None if the arguments contain none.
pub fn steps(args: &Value) -> Option<Vec<PlanStep>> {
    let list = ["todos", "plan", "items", "entries", "steps"].iter().find_map(|key| args.get(key))?;
    let steps: Vec<PlanStep> = match list {
        Value::Array(items) => items.iter().filter_map(step).collect(),
        Value::String(list) => list.lines().filter_map(checklist_item).collect(),
        _ => Vec::new(),
    };
    (!steps.is_empty()).then_some(steps)
}

fn step(item: &Value) -> Option<PlanStep> {
    if let Some(text) = item.as_str() {
        return Some(PlanStep { text: text.to_owned(), state: PlanState::Open });
    }
    let text = ["content", "step", "description", "title", "text", "task"]
        .iter()
        .find_map(|key| item.get(key)?.as_str())?;
    let status = ["status", "state"].iter().find_map(|key| item.get(key)?.as_str()).unwrap_or_default();
    Some(PlanStep { text: text.to_owned(), state: PlanState::of(status) })
}

/// Reads `- [x] something`.
fn checklist_item(line: &str) -> Option<PlanStep> {
    let line = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
    let (mark, text) = line.strip_prefix('[')?.split_once(']')?;
    let state = match mark {
        "x" | "X" => PlanState::Done,
        "-" | "~" | "/" => PlanState::Doing,
        " " | "" => PlanState::Open,
        _ => return None,
    };
    Some(PlanStep { text: text.trim().to_owned(), state })
}
