//! The fold against scripts of events: whatever happens in whatever order, no rule breaks, and a page that got a
//! snapshot on the way shows what one that was there from the start shows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_core::conversation::controller::Report;
use pilothouse_core::protocol::{ServerFrame, Snapshot};
use pilothouse_core::{Event, SessionView};
use pilothouse_core_fuzz::script::{self, Local, Step};
use pilothouse_core_fuzz::{hostile, rules};

fuzz_target!(|script: &[u8]| {
    let mut views = Views::default();
    for step in script::steps(script) {
        match step {
            Step::Event(event) => views.happen(&event),
            Step::Open { without } => views.open(without),
            Step::Older { limit } => views.older(limit),
            Step::Local(local) => act(&mut views.busy, local),
            Step::Spoilt { places } => views.spoil(&places),
        }
    }
});

#[derive(Default)]
struct Views {
    /// Was there from the start.
    server: SessionView,
    /// Opened the session on the way, and holds the end of it.
    page: Option<SessionView>,
    /// Has rows of its own beside what the server says. What it shows is its own business, but it never panics.
    busy: SessionView,
    /// Got a snapshot that makes no sense: the same.
    spoilt: Option<SessionView>,
}

impl Views {
    fn happen(&mut self, event: &Event) {
        let before = self.server.clone();
        let report = apply(&mut self.server, event);
        rules::rows_are_sound(self.server.controller.rows());
        rules::restore_changes_nothing(&self.server.controller);
        rules::event_is_bounded(&before, event, &report, &self.server);
        for view in [Some(&mut self.busy), self.page.as_mut(), self.spoilt.as_mut()].into_iter().flatten() {
            apply(view, event);
        }
        self.page_is_in_step();
    }

    fn open(&mut self, without: usize) {
        let mut snapshot = travelled(self.server.snapshot());
        let saved = self.server.controller.snapshot(snapshot.messages.len().saturating_sub(without));
        snapshot.messages.drain(..saved.first.saturating_sub(snapshot.first));
        snapshot.first = saved.first;
        self.page = Some(SessionView::restore(snapshot));
        self.page_is_in_step();
    }

    fn older(&mut self, limit: usize) {
        if let Some(page) = &mut self.page {
            let older = self.server.page_before(page.controller.first(), limit);
            assert!(page.controller.prepend(older.first, older.messages), "older rows do not fit");
        }
        self.page_is_in_step();
    }

    fn page_is_in_step(&self) {
        let Some(page) = &self.page else { return };
        let (own, all) = (&page.controller, &self.server.controller);
        assert_eq!(own.total(), all.total(), "the page counts other rows than the server");
        assert_eq!(own.rows(), &all.rows()[own.first()..], "the page shows other rows than the server");
        assert_eq!(own.fold(), all.fold(), "the page's fold stands elsewhere");
        assert_eq!(
            (page.seq, &page.title, &page.asks),
            (self.server.seq, &self.server.title, &self.server.asks)
        );
    }

    fn spoil(&mut self, places: &[u8]) {
        let frame = ServerFrame::Snapshot(Box::new(self.server.snapshot()));
        let Ok(mut value) = serde_json::to_value(frame) else { return };
        hostile::spoil(&mut value, places);
        if let Some(ServerFrame::Snapshot(snapshot)) = ServerFrame::parse(&value.to_string()) {
            self.spoilt = Some(SessionView::restore(*snapshot));
        }
    }
}

fn apply(view: &mut SessionView, event: &Event) -> Report {
    let before = view.controller.rows().to_vec();
    let report = view.apply(event.clone());
    rules::reports_exactly(&before, &report, view.controller.rows());
    report
}

fn act(view: &mut SessionView, local: Local) {
    let before = view.controller.rows().to_vec();
    let page = &mut view.controller;
    let report = match local {
        Local::Prompt { id, text } => page.create_user_message(id, text, Vec::new()),
        Local::Refused { id } => page.mark_refused(id),
        Local::Scheduled { id } => page.remove_user_message(id),
        Local::Failed { id, text } => page.create_error_message(id, text),
        Local::Shell { id, text } => page.handle_server_event(Event::BashStart {
            id: id.into(),
            command: text,
            exclude_from_context: false,
        }),
    };
    rules::reports_exactly(&before, &report, view.controller.rows());
}

/// As it comes out of a socket.
fn travelled(snapshot: Snapshot) -> Snapshot {
    let frame = ServerFrame::Snapshot(Box::new(snapshot));
    let text = serde_json::to_string(&frame).unwrap_or_default();
    match ServerFrame::parse(&text) {
        Some(ServerFrame::Snapshot(read)) if frame == ServerFrame::Snapshot(read.clone()) => *read,
        read => unreachable!("the snapshot {frame:?} was read as {read:?}"),
    }
}
