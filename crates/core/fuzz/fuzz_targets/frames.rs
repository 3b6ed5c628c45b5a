//! Any text as frames, events and messages, a line each: reading it never panics, folding what was read breaks no
//! promise, and what was read is written in a form that reads the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_core::json::Fields;
use pilothouse_core::protocol::ServerFrame;
use pilothouse_core::{Event, Message, SessionView};
use pilothouse_core_fuzz::rules;

fuzz_target!(|text: &str| {
    let mut view = SessionView::default();
    for line in text.lines() {
        if let Some(frame) = ServerFrame::parse(line) {
            receive(&mut view, frame);
        }
        let Ok(value) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        apply(&mut view, Event::MessageEnd { message: Message::from_value(value.clone()) });
        if let Some(fields) = Fields::of(value) {
            apply(&mut view, Event::from_fields(fields));
        }
    }
});

fn receive(view: &mut SessionView, frame: ServerFrame) {
    match frame {
        ServerFrame::Event { seq, event, .. } => drop(view.apply_numbered(seq, event)),
        ServerFrame::Snapshot(snapshot) => *view = SessionView::restore(*snapshot),
        _ => {}
    }
}

fn apply(view: &mut SessionView, event: Event) {
    reads_as_written(&event);
    let before = view.controller.rows().to_vec();
    let report = view.apply(event);
    rules::reports_exactly(&before, &report, view.controller.rows());
}

fn reads_as_written(event: &Event) {
    let written = serde_json::to_value(event).unwrap_or_default();
    let read = Fields::of(written).map(Event::from_fields);
    assert_eq!(read.as_ref(), Some(event), "an event changes on its way");
}
