//! The fold against scripts of events: whatever happens in whatever order, no rule breaks, and a page that got a
//! snapshot on the way shows what one that was there from the start shows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_core::controller::{Change, Report};
use pilothouse_core::wire::{ServerFrame, Snapshot};
use pilothouse_core::{Event, Kind, SessionView};
use pilothouse_core_fuzz::script::{self, Local, Step};
use pilothouse_core_fuzz::{hostile, known, rules};
use serde_json::{Value, json};

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
        if known::REMOVALS_LEAD_PAGES_ASTRAY && self.page.as_ref().is_some_and(|page| loses(page, &report)) {
            self.page = None;
        }
        self.page_is_in_step();
    }

    fn open(&mut self, without: usize) {
        let mut snapshot = travelled(self.server.snapshot());
        // A page always has at least one row of a conversation that has any.
        let mut without = without.min(snapshot.messages.len().saturating_sub(1));
        let bash = |row: usize| snapshot.messages[row].kind == Kind::Bash;
        while known::PAGES_OF_ROWS_ASIDE_ARE_TAKEN_IN && without > 0 && bash(without) {
            without -= 1;
        }
        snapshot.messages.drain(..without);
        snapshot.first += without;
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
        rules::stand_at_the_same_place(own, all);
        assert_eq!(
            (page.seq, &page.title, &page.asks),
            (self.server.seq, &self.server.title, &self.server.asks)
        );
    }

    fn spoil(&mut self, places: &[u8]) {
        let frame = ServerFrame::Snapshot(Box::new(self.server.snapshot()));
        let Ok(mut value) = serde_json::to_value(frame) else { return };
        hostile::spoil(&mut value, places);
        if known::NUMBERS_OF_SNAPSHOTS_OVERFLOW {
            for place in ["/seq", "/first", "/streaming/next_id"] {
                value.pointer_mut(place).into_iter().for_each(lower);
            }
        }
        if let Some(ServerFrame::Snapshot(snapshot)) = ServerFrame::parse(&value.to_string()) {
            self.spoilt = Some(SessionView::restore(*snapshot));
        }
    }
}

fn lower(number: &mut Value) {
    if let Some(high) = number.as_u64() {
        *number = json!(high.min(u64::from(u32::MAX)));
    }
}

/// Whether a row was removed that stood before those of the page, or was its first.
fn loses(page: &SessionView, report: &Report) -> bool {
    let first = page.controller.first();
    report.iter().any(|change| matches!(change, Change::Removed(row) if *row <= first))
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
        Local::Scheduled { id } => page.forget_user_message(id),
        Local::Failed { id, text } => page.create_error_message(id, text),
        Local::Shell { id, text } => page.create_bash_result_message(id, text, false),
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
