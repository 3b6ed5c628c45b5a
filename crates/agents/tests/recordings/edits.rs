//! The edits in the recordings, as the diffs that the page shows.

use pilothouse_core::render::diff::{FileDiff, LineKind, diffs_of};
use pilothouse_core::{MessageController, Phase};

use pilothouse_test_support::recordings::{events_of, scenarios};

fn render(diff: &FileDiff) -> String {
    let mut text = format!("{} {:?} +{} -{}\n", diff.path, diff.change, diff.added, diff.removed);
    for line in diff.hunks.iter().flat_map(|hunk| &hunk.lines) {
        let sign = match line.kind {
            LineKind::Context => ' ',
            LineKind::Added => '+',
            LineKind::Removed => '-',
        };
        let number = line.new_number.or(line.old_number).map(|number| number.to_string()).unwrap_or_default();
        let spans = line.spans.iter().map(|span| match span.changed {
            true => format!("[{}]", span.text),
            false => span.text.clone(),
        });
        text.push_str(&format!("{number:>4} {sign}{}\n", spans.collect::<String>()));
    }
    text
}

#[test]
fn every_successful_edit_has_a_diff() {
    let mut all = String::new();
    for scenario in scenarios() {
        let mut controller = MessageController::default();
        for record in scenario.records() {
            for event in events_of(&record, &controller) {
                controller.handle_server_event(event);
            }
        }
        for step in controller.rows().iter().filter_map(|row| row.tool_step.as_ref()) {
            let diffs = diffs_of(step);
            let edits = ["edit", "write"].contains(&step.tool_name.as_str());
            if step.phase == Phase::Done {
                assert_eq!(edits, !diffs.is_empty(), "{}: {step:?}", scenario.name);
            }
            for diff in diffs {
                all.push_str(&format!("{} {}: {}", scenario.name, step.phase.name(), render(&diff)));
            }
        }
    }
    insta::assert_snapshot!("edits", all);
}
