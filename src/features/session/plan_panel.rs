//! The agent's plan, between timeline and composer: one line with the progress, which opens to the list of steps.

use leptos::prelude::*;
use pilothouse_core::conversation::plan::{PlanState, PlanStep};
use pilothouse_core::protocol::SessionMetaStoreFields;

use crate::browser;
use crate::browser::local_storage;
use crate::dom::build::{disclosure, hand_built, on};
use crate::dom::element::{append, set, toggle_attribute, with_class};
use crate::dom::keyed_list::render_effect;
use crate::features::rows::tool_details::plan_list;
use crate::store::server::Session;

/// The storage key of whether the panel is open.
const OPEN_KEY: &str = "plan-open";

pub fn plan_panel(session: Session) -> AnyView {
    hand_built("contents", move |place| {
        let panel = disclosure("beside plan-panel", "");
        let list = with_class("div", "");
        append(&panel, &list);
        append(place, &panel);
        // On a narrow screen the list would leave little of the conversation.
        let is_open = local_storage::get(OPEN_KEY).is_some() && !browser::is_narrow();
        toggle_attribute(&panel, "open", is_open.then_some(""));
        let toggled = panel.clone();
        on(&panel, "toggle", move |_| {
            local_storage::set(OPEN_KEY, if toggled.has_attribute("open") { "yes" } else { "" });
        });
        render_effect(Box::new(move || {
            session.meta.plan().with(|steps| {
                let (done, total) = progress(steps);
                toggle_attribute(&panel, "hidden", steps.is_empty().then_some(""));
                set(&panel, "data-plan", &format!("{done}/{total}"));
                if let Some(line) = panel.first_element_child() {
                    line.set_text_content(Some(&summary(steps)));
                }
                list.replace_children_with_node_1(&plan_list(steps));
            });
        }));
    })
}

/// The number of finished steps, and of all that are not cancelled.
fn progress(steps: &[PlanStep]) -> (usize, usize) {
    let count = |counts: fn(PlanState) -> bool| steps.iter().filter(|step| counts(step.state)).count();
    (count(|state| state == PlanState::Done), count(|state| state != PlanState::Dropped))
}

/// The progress and the current step in one line.
fn summary(steps: &[PlanStep]) -> String {
    let (done, total) = progress(steps);
    let first = |state| steps.iter().find(|step| step.state == state);
    match first(PlanState::Doing).or_else(|| first(PlanState::Open)) {
        Some(current) => format!("Plan: {done} of {total} — {}", current.text),
        None => format!("Plan: {done} of {total}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(states: &[PlanState]) -> Vec<PlanStep> {
        let step =
            |(state, number): (&PlanState, u32)| PlanStep { text: format!("step {number}"), state: *state };
        states.iter().zip(1..).map(step).collect()
    }

    #[test]
    fn the_summary_names_the_current_step() {
        use PlanState::{Doing, Done, Dropped, Open};
        assert_eq!(summary(&steps(&[Done, Open, Doing])), "Plan: 1 of 3 — step 3");
        assert_eq!(summary(&steps(&[Done, Dropped, Open])), "Plan: 1 of 2 — step 3");
        assert_eq!(summary(&steps(&[Done, Done])), "Plan: 2 of 2");
    }
}
