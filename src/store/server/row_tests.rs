//! The handles match the controller's rows in order, and a row keeps its handle as long as it exists.

use super::*;
use pilothouse_core::MessageController;
use pilothouse_core::conversation::controller::ControllerSnapshot;
use pilothouse_core::conversation::message::{Content, Message, Part};
use pilothouse_core::protocol::event::{Event, Update};

struct Fixture {
    controller: MessageController,
    list: RowList,
}

impl Fixture {
    fn new() -> Self {
        Self { controller: MessageController::default(), list: RowList::default() }
    }

    fn apply(&mut self, report: &Report) {
        self.list.apply(report, self.controller.rows(), self.controller.first());
        self.check();
    }

    fn event(&mut self, event: Event) {
        let report = self.controller.handle_server_event(event);
        self.apply(&report);
    }

    fn delta(&mut self, index: usize, text: &str) {
        let update = Update::TextDelta { content_index: index, delta: text.into() };
        self.event(Event::MessageUpdate { update });
    }

    fn check(&self) {
        let expected: Vec<(&str, Kind)> =
            self.controller.rows().iter().map(|message| (message.id.as_str(), message.kind)).collect();
        let held: Vec<(&str, Kind)> = self.list.rows().iter().map(|row| (row.id(), row.kind())).collect();
        assert_eq!(held, expected);
        for (index, row) in self.list.rows().iter().enumerate() {
            assert_eq!(row.position(), self.controller.first() + index);
        }
    }

    fn keys(&self) -> Vec<u64> {
        self.list.rows().iter().map(Row::key).collect()
    }
}

fn user(text: &str, client_id: &str) -> Event {
    let content = Content(vec![Part::Text { text: text.into() }]);
    Event::MessageStart {
        message: Message::User { content, client_id: Some(client_id.into()), timestamp: None },
    }
}

#[test]
fn a_delta_touches_its_row_once_per_batch_and_keeps_the_list() {
    let owner = Owner::new();
    owner.set();
    let mut fixture = Fixture::new();
    fixture.event(user("hello", "1"));
    fixture.delta(0, "a");
    fixture.list.take_changes();
    fixture.delta(0, "b");
    fixture.delta(0, "c");
    let changes = fixture.list.take_changes();
    assert!(changes.rows.is_none());
    assert_eq!(changes.touched.iter().map(Row::id).collect::<Vec<_>>(), ["r1"]);
    assert!(fixture.list.take_changes().touched.is_empty());
}

#[test]
fn an_optimistic_row_keeps_its_handle_when_it_is_confirmed() {
    let owner = Owner::new();
    owner.set();
    let mut fixture = Fixture::new();
    let report = fixture.controller.create_user_message("1", "hello".into(), Vec::new());
    fixture.apply(&report);
    let before = fixture.keys();
    fixture.event(user("hello", "1"));
    assert_eq!(fixture.keys(), before);
}

#[test]
fn moved_rows_keep_their_handles_and_removed_rows_lose_them() {
    let owner = Owner::new();
    owner.set();
    let mut fixture = Fixture::new();
    fixture.event(Event::AgentStart);
    fixture.event(Event::BashStart { id: "s".into(), command: "ls".into(), exclude_from_context: false });
    let shell = fixture.keys()[0];
    fixture.delta(0, "text");
    fixture.delta(1, "other");
    let report = fixture.controller.create_user_message("2", "next".into(), Vec::new());
    fixture.apply(&report);
    let result = pilothouse_core::BashResult { command: "ls".into(), ..Default::default() };
    fixture.event(Event::BashEnd { id: "s".into(), result });
    // The final message has only the first block, so the second one's row is removed.
    let content = Content(vec![Part::Text { text: "text!".into() }]);
    let message =
        Message::Assistant { content, stop_reason: Default::default(), error_message: None, timestamp: None };
    fixture.event(Event::MessageEnd { message });
    fixture.event(Event::AgentSettled { aborted: false });
    assert_eq!(fixture.controller.rows().len(), 3);
    assert_eq!(fixture.keys()[1], shell);
}

#[test]
fn a_snapshot_keeps_the_handles_of_existing_rows() {
    let owner = Owner::new();
    owner.set();
    let mut fixture = Fixture::new();
    fixture.event(user("hello", "1"));
    fixture.delta(0, "a");
    let before = fixture.keys();
    fixture.delta(1, "b");
    fixture.list.take_changes();
    let controller = fixture.controller.clone();
    fixture.list.replace(controller.rows(), controller.first());
    fixture.check();
    assert_eq!(fixture.keys()[..2], before[..]);
    assert_eq!(fixture.list.take_changes().touched.len(), 3, "any of them may differ");
}

#[test]
fn older_rows_are_prepended_without_touching_the_others() {
    let owner = Owner::new();
    owner.set();
    let row = |id: &str| UiMessage { id: id.into(), ..UiMessage::default() };
    let mut fixture = Fixture::new();
    fixture.controller = MessageController::restore(ControllerSnapshot {
        first: 2,
        rows: vec![row("c")],
        ..ControllerSnapshot::default()
    });
    fixture.list.replace(fixture.controller.rows(), 2);
    fixture.list.take_changes();
    let before = fixture.keys();
    assert!(fixture.controller.prepend(0, vec![row("a"), row("b")]));
    fixture.list.prepend(fixture.controller.rows(), 0);
    fixture.check();
    let changes = fixture.list.take_changes();
    assert!(changes.touched.is_empty());
    assert_eq!(fixture.keys()[2..], before[..]);
}
