//! Reads each line of any text as a frame, an event and a message. Reading must not panic, folding must not break
//! a rule, and writing an event and reading it again must not change it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_core::image_header::ImageHeader;
use pilothouse_core::json::FromJson;
use pilothouse_core::protocol::ServerFrame;
use pilothouse_core::{Event, Message, SessionView};
use pilothouse_core_fuzz::rules;

fuzz_target!(|text: &str| {
    let mut view = SessionView::default();
    let _ = ImageHeader::of_image(text.as_bytes());
    for line in text.lines() {
        if let Some(frame) = ServerFrame::parse(line) {
            receive(&mut view, frame);
        }
        let Ok(value) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        apply(&mut view, Event::MessageEnd { message: Message::from_value(value.clone()) });
        if let Some(event) = Event::from_json(value) {
            apply(&mut view, event);
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
    check_round_trip(&event);
    let before = view.controller.rows().to_vec();
    let report = view.apply(event);
    rules::check_report(&before, &report, view.controller.rows());
}

fn check_round_trip(event: &Event) {
    let written = serde_json::to_value(event).unwrap_or_default();
    let read = Event::from_json(written);
    assert_eq!(read.as_ref(), Some(event), "writing and reading changed the event");
}
