//! Folds scripts of events in any order. No rule may break, and a page that opens in the middle must show the same
//! rows as the server.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_core::conversation::controller::Report;
use pilothouse_core::protocol::{ServerFrame, Snapshot};
use pilothouse_core::{Event, SessionView};
use pilothouse_core_fuzz::script::{self, LocalAction, Step};
use pilothouse_core_fuzz::{hostile, rules};

fuzz_target!(|script: &[u8]| {
    let mut views = Views::default();
    for step in script::steps(script) {
        match step {
            Step::Event(event) => views.apply(&event),
            Step::Open { without } => views.open_page(without),
            Step::Older { limit } => views.load_older(limit),
            Step::Local(action) => act(&mut views.with_local_rows, action),
            Step::Corrupted { places } => views.open_corrupted(&places),
        }
    }
});

#[derive(Default)]
struct Views {
    /// Receives all events from the start.
    server: SessionView,
    /// Opened from a snapshot, and holds only the last rows.
    page: Option<SessionView>,
    /// Has optimistic rows in addition. Its rows are not compared, but it must not panic.
    with_local_rows: SessionView,
    /// Opened from a corrupted snapshot. Its rows are not compared either.
    corrupted: Option<SessionView>,
}

impl Views {
    fn apply(&mut self, event: &Event) {
        let before = self.server.clone();
        let report = apply(&mut self.server, event);
        rules::check_rows(self.server.controller.rows());
        rules::check_restore(&self.server.controller);
        rules::check_event(&before, event, &report, &self.server);
        let others = [Some(&mut self.with_local_rows), self.page.as_mut(), self.corrupted.as_mut()];
        for view in others.into_iter().flatten() {
            apply(view, event);
        }
        self.check_page();
    }

    fn open_page(&mut self, without: usize) {
        let mut snapshot = through_json(self.server.snapshot());
        let fewer = self.server.controller.snapshot(snapshot.messages.len().saturating_sub(without));
        snapshot.messages.drain(..fewer.first.saturating_sub(snapshot.first));
        snapshot.first = fewer.first;
        self.page = Some(SessionView::restore(snapshot));
        self.check_page();
    }

    fn load_older(&mut self, limit: usize) {
        if let Some(page) = &mut self.page {
            let older = self.server.page_before(page.controller.first(), limit);
            assert!(page.controller.prepend(older.first, older.messages), "the older rows are not adjacent");
        }
        self.check_page();
    }

    /// Checks that the page equals the server.
    fn check_page(&self) {
        let Some(page) = &self.page else { return };
        let (own, all) = (&page.controller, &self.server.controller);
        assert_eq!(own.total(), all.total(), "the page has a different number of rows");
        assert_eq!(own.rows(), &all.rows()[own.first()..], "the page has different rows");
        assert_eq!(own.fold(), all.fold(), "the page has a different fold");
        assert_eq!(
            (page.seq, &page.meta.title, &page.meta.asks),
            (self.server.seq, &self.server.meta.title, &self.server.meta.asks)
        );
    }

    fn open_corrupted(&mut self, places: &[u8]) {
        let frame = ServerFrame::Snapshot(Box::new(self.server.snapshot()));
        let Ok(mut value) = serde_json::to_value(frame) else { return };
        hostile::corrupt(&mut value, places);
        if let Some(ServerFrame::Snapshot(snapshot)) = ServerFrame::parse(&value.to_string()) {
            self.corrupted = Some(SessionView::restore(*snapshot));
        }
    }
}

fn apply(view: &mut SessionView, event: &Event) -> Report {
    let before = view.controller.rows().to_vec();
    let report = view.apply(event.clone());
    rules::check_report(&before, &report, view.controller.rows());
    report
}

fn act(view: &mut SessionView, action: LocalAction) {
    let before = view.controller.rows().to_vec();
    let page = &mut view.controller;
    let report = match action {
        LocalAction::Prompt { id, text } => page.create_user_message(id, text, Vec::new()),
        LocalAction::Refused { id } => page.mark_refused(id),
        LocalAction::Scheduled { id } => page.remove_user_message(id),
        LocalAction::Failed { id, text } => page.create_error_message(id, text),
        LocalAction::Shell { id, text } => page.handle_server_event(Event::BashStart {
            id: id.into(),
            command: text,
            exclude_from_context: false,
        }),
    };
    rules::check_report(&before, &report, view.controller.rows());
}

/// Writes and reads a snapshot, as a socket does.
fn through_json(snapshot: Snapshot) -> Snapshot {
    let frame = ServerFrame::Snapshot(Box::new(snapshot));
    let text = serde_json::to_string(&frame).unwrap_or_default();
    match ServerFrame::parse(&text) {
        Some(ServerFrame::Snapshot(read)) if frame == ServerFrame::Snapshot(read.clone()) => *read,
        read => unreachable!("the snapshot {frame:?} was read as {read:?}"),
    }
}
