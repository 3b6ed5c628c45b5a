//! What must hold of a conversation at every step, said with no more than a page sees of it: its rows and the
//! reports of what changed. A broken rule is a panic, which is how a fuzzer learns of it.

use std::collections::HashSet;

use pilothouse_core::conversation::controller::{Change, MessageController, Report};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::protocol::event::{Event, Update};
use pilothouse_core::{Kind, Mark, SessionView, UiMessage};

/// A page that knows the rows by reports alone must have them right: nothing changes unreported, indices are in
/// bounds, and a row that is touched stays the row it was.
pub fn reports_exactly(before: &[UiMessage], report: &Report, after: &[UiMessage]) {
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
    assert_eq!(mirror.len(), after.len(), "the report {report:?} makes another number of rows");
    for (mirrored, row) in mirror.iter().zip(after) {
        match mirrored {
            Mirrored::Known(known) => assert_eq!(*known, row, "changed without a word in {report:?}"),
            Mirrored::Touched(known) => {
                assert_eq!((&known.id, known.kind), (&row.id, row.kind), "a row became another one");
                moves_forwards(known, row);
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

/// A call that ended stays ended; only one that was interrupted may still get its real end.
fn moves_forwards(before: &UiMessage, after: &UiMessage) {
    let (Some(old), Some(new)) = (&before.tool_step, &after.tool_step) else { return };
    assert!(old.phase.is_open() || !new.phase.is_open(), "a call that ended is open again: {after:?}");
    let ended = !old.phase.is_open() && !matches!(before.mark, Some(Mark::Interrupted | Mark::Cancelled));
    assert!(
        !ended || (old.phase, &old.result) == (new.phase, &new.result),
        "a second end counted: {after:?}"
    );
}

/// Of the rows of a fold that was fed events alone.
pub fn rows_are_sound(rows: &[UiMessage]) {
    let mut ids = HashSet::new();
    for row in rows {
        assert!(ids.insert(&row.id) && !row.id.is_empty(), "two rows are named {:?}", row.id);
        let streams = matches!(row.kind, Kind::Assistant | Kind::Thinking);
        assert!(!streams || !row.text.trim().is_empty(), "blank text became a row");
        assert_eq!(row.kind == Kind::Tool, row.tool_step.is_some(), "a tool's row without its step: {row:?}");
    }
}

/// Whatever the fold remembers beside its rows is in bounds and mirrors them: what a restore mends, it finds whole.
pub fn restore_changes_nothing(controller: &MessageController) {
    assert_eq!(controller.broken_invariant(), None);
    assert_eq!(
        MessageController::restore(controller.snapshot(usize::MAX)),
        *controller,
        "a restore changed it"
    );
}

/// What an event may not do, given what was there before it.
pub fn event_is_bounded(before: &SessionView, event: &Event, report: &Report, after: &SessionView) {
    let inserts = report.iter().any(|change| matches!(change, Change::Inserted(_)));
    if let Some(id) = call_id(event)
        && before.controller.rows().iter().any(|row| calls(row, id))
    {
        assert!(!inserts, "a second row for the call {id:?}");
    }
    // Where several calls share an id, the second end is that of the next.
    let rows = after.controller.rows();
    let shared = call_id(event).is_some_and(|id| rows.iter().filter(|row| calls(row, id)).count() > 1);
    if may_repeat(event) && !shared {
        let again = after.clone().apply(event.clone());
        assert!(again.is_empty(), "the second {event:?} changed {again:?}");
    }
    if ends_the_run(event) {
        let open = rows.iter().find(|row| row.tool_step.as_ref().is_some_and(|step| step.phase.is_open()));
        assert!(open.is_none(), "after the run a call is still open: {open:?}");
        assert!(!after.controller.has_open_call(), "after the run a call is still open");
    }
}

/// The call that an execution's event speaks of, if it has a name.
fn call_id(event: &Event) -> Option<&str> {
    let id = match event {
        Event::ToolExecutionStart { tool_call_id, .. }
        | Event::ToolExecutionUpdate { tool_call_id, .. }
        | Event::ToolExecutionEnd { tool_call_id, .. }
        | Event::MessageEnd { message: Message::ToolResult { tool_call_id, .. } } => tool_call_id,
        _ => return None,
    };
    Some(id.as_str()).filter(|id| !id.is_empty())
}

fn calls(row: &UiMessage, id: &str) -> bool {
    row.tool_step.as_ref().is_some_and(|step| step.call_id == id)
}

/// Starts and ends whose repetition changes nothing. Without an id it is another call each time.
fn may_repeat(event: &Event) -> bool {
    call_id(event).is_some() && !matches!(event, Event::ToolExecutionUpdate { .. })
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
