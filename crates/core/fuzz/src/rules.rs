//! Rules that hold after every step, in terms of what a page sees: the rows and the reports. A broken rule panics,
//! which the fuzzer detects.

use std::collections::HashSet;

use pilothouse_core::conversation::controller::{Change, MessageController, Report};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::ROW_TEXT_BYTES;
use pilothouse_core::protocol::event::{Event, Update};
use pilothouse_core::{Kind, Mark, SessionView, UiMessage};

/// Checks a report against the rows before and after: every change is reported, positions are in bounds, and a
/// touched row keeps its id and kind.
pub fn check_report(before: &[UiMessage], report: &Report, after: &[UiMessage]) {
    let mut mirror: Vec<Mirrored> = before.iter().map(Mirrored::Known).collect();
    for change in report {
        match *change {
            Change::Inserted(at) => mirror.insert(at, Mirrored::New),
            Change::Touched(at) => {
                if let Mirrored::Known(row) = mirror[at] {
                    mirror[at] = Mirrored::Touched(row);
                }
            }
            Change::Removed(at) => drop(mirror.remove(at)),
        }
    }
    assert_eq!(mirror.len(), after.len(), "the report {report:?} yields a different number of rows");
    for (mirrored, row) in mirror.iter().zip(after) {
        match mirrored {
            Mirrored::Known(known) => assert_eq!(*known, row, "unreported change in {report:?}"),
            Mirrored::Touched(known) => {
                assert_eq!(
                    (&known.id, known.kind),
                    (&row.id, row.kind),
                    "a touched row changed its id or kind"
                );
                check_progress(known, row);
            }
            Mirrored::New => {}
        }
    }
}

#[derive(Clone, Copy)]
enum Mirrored<'a> {
    Known(&'a UiMessage),
    Touched(&'a UiMessage),
    New,
}

/// Checks that an ended call stays ended. Only one that was closed without an end may still get its real end.
fn check_progress(before: &UiMessage, after: &UiMessage) {
    let (Some(old), Some(new)) = (&before.tool_step, &after.tool_step) else { return };
    assert!(old.phase.is_open() || !new.phase.is_open(), "an ended call was reopened: {after:?}");
    let ended = !old.phase.is_open() && !matches!(before.mark, Some(Mark::Interrupted | Mark::Cancelled));
    assert!(
        !ended || (old.phase, &old.result) == (new.phase, &new.result),
        "a second end changed the row: {after:?}"
    );
}

/// Checks the rows of a controller that received only events.
pub fn check_rows(rows: &[UiMessage]) {
    let mut ids = HashSet::new();
    for row in rows {
        assert!(ids.insert(&row.id) && !row.id.is_empty(), "row id {:?} is empty or used twice", row.id);
        let streams = matches!(row.kind, Kind::Assistant | Kind::Thinking);
        assert!(!streams || !row.text.trim().is_empty(), "a row has blank text");
        let result = row.tool_step.as_ref().and_then(|step| step.result.as_deref()).unwrap_or_default();
        let output = row.bash_result.as_ref().map_or("", |result| &result.output);
        let longest = [row.text.as_str(), result, output].map(str::len).into_iter().max();
        assert!(longest <= Some(ROW_TEXT_BYTES), "a row has {longest:?} bytes of text");
        assert_eq!(
            row.kind == Kind::Tool,
            row.tool_step.is_some(),
            "tool rows, and no others, have a tool step: {row:?}"
        );
    }
}

/// Checks the invariants and that restoring a snapshot changes nothing.
pub fn check_restore(controller: &MessageController) {
    assert_eq!(controller.broken_invariant(), None);
    assert_eq!(
        MessageController::restore(controller.snapshot(usize::MAX)),
        *controller,
        "restoring a snapshot changed the controller"
    );
}

/// Checks what an event must not do: add a second row for a call, change something when repeated, or leave a call
/// open after the run.
pub fn check_event(before: &SessionView, event: &Event, report: &Report, after: &SessionView) {
    let inserts = report.iter().any(|change| matches!(change, Change::Inserted(_)));
    if let Some(id) = call_id(event)
        && before.controller.rows().iter().any(|row| calls(row, id))
    {
        assert!(!inserts, "a second row for the call {id:?}");
    }
    // If several calls share an id, a second end belongs to the next call.
    let rows = after.controller.rows();
    let shared = call_id(event).is_some_and(|id| rows.iter().filter(|row| calls(row, id)).count() > 1);
    if is_idempotent(event) && !shared {
        let again = after.clone().apply(event.clone());
        assert!(again.is_empty(), "the repeated {event:?} changed {again:?}");
    }
    if ends_the_run(event) {
        let open = rows.iter().find(|row| row.tool_step.as_ref().is_some_and(|step| step.phase.is_open()));
        assert!(open.is_none(), "a call is still open after the run: {open:?}");
        assert!(!after.controller.has_open_call(), "a call is still open after the run");
    }
}

/// The id of the call that an event refers to, unless it is empty.
fn call_id(event: &Event) -> Option<&str> {
    let id = match event {
        Event::ToolExecutionStart { tool_call_id, .. }
        | Event::ToolExecutionUpdate { tool_call_id, .. }
        | Event::ToolExecutionDelta { tool_call_id, .. }
        | Event::ToolExecutionEnd { tool_call_id, .. }
        | Event::MessageEnd { message: Message::ToolResult { tool_call_id, .. } } => tool_call_id,
        _ => return None,
    };
    Some(id.as_str()).filter(|id| !id.is_empty())
}

fn calls(row: &UiMessage, id: &str) -> bool {
    row.tool_step.as_ref().is_some_and(|step| step.call_id == id)
}

/// Whether repeating the event changes nothing. Without an id each repetition is another call.
fn is_idempotent(event: &Event) -> bool {
    call_id(event).is_some()
        && !matches!(event, Event::ToolExecutionUpdate { .. } | Event::ToolExecutionDelta { .. })
        || ends_the_run(event)
        || matches!(event, Event::BashEnd { .. })
        || matches!(
            event,
            Event::MessageUpdate { update: Update::TextEnd { .. } | Update::ThinkingEnd { .. } }
        )
}

fn ends_the_run(event: &Event) -> bool {
    matches!(
        event,
        Event::AgentEnd { will_retry: false } | Event::AgentSettled { .. } | Event::ProcessExit { .. }
    )
}
