//! Numbered cases of the queue, and random changes compared with a simple model.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn scheduled(id: &str, lane: Lane, text: &str) -> Scheduled {
    Scheduled { id: id.into(), lane, text: text.into(), ..Scheduled::default() }
}

fn queue(items: impl IntoIterator<Item = Scheduled>) -> Queue {
    Queue { items: items.into_iter().collect() }
}

fn steer(id: &str, text: &str) -> Scheduled {
    scheduled(id, Lane::Steer, text)
}

fn ids(queue: &Queue) -> Vec<&str> {
    queue.items().iter().map(|item| item.id.as_str()).collect()
}

const fn counts(steering: usize, follow_up: usize) -> Option<QueueCounts> {
    Some(QueueCounts { steering, follow_up })
}

/// Removes all items one by one, as the server does for "Restore to editor".
fn remove_all(queue: &mut Queue) -> Vec<Scheduled> {
    let items = queue.items().to_vec();
    items.iter().map(|item| queue.remove(&item.id, item.revision).unwrap()).collect()
}

#[test]
fn case_26_of_two_equal_texts_the_first_is_accepted() {
    for remaining in [counts(1, 0), None] {
        let mut queue = queue([steer("a", "go"), steer("b", "go")]);
        assert_eq!(queue.remove_accepted("go", remaining).map(|item| item.id), Some("a".into()));
        assert_eq!(ids(&queue), ["b"]);
    }
}

#[test]
fn case_27_an_item_leaves_the_queue_although_a_template_changed_its_text() {
    for remaining in [counts(0, 0), None] {
        let mut queue = queue([scheduled("a", Lane::FollowUp, "/tmpl x")]);
        assert_eq!(queue.remove_accepted("expanded text", remaining).map(|item| item.id), Some("a".into()));
        assert!(queue.is_empty());
    }
}

#[test]
fn case_28_an_item_without_text_is_matched_and_keeps_its_image() {
    let image = Image { mime_type: "image/png".into(), blob: "x".into(), ..Image::default() };
    let mut queue = queue([Scheduled { images: vec![image.clone()], ..steer("a", "") }, steer("b", "text")]);
    assert_eq!(queue.remove_accepted("", None).map(|item| item.images), Some(vec![image]));
    assert_eq!(ids(&queue), ["b"]);
}

#[test]
fn the_text_decides_between_the_lanes_unless_the_agent_reports_counts() {
    let both = || queue([scheduled("f", Lane::FollowUp, "later"), steer("s", "now")]);
    assert_eq!(both().remove_accepted("later", None).map(|item| item.id), Some("f".into()));
    assert_eq!(both().remove_accepted("now", None).map(|item| item.id), Some("s".into()));
    assert_eq!(both().remove_accepted("something else", None).map(|item| item.id), Some("s".into()));
    assert_eq!(both().remove_accepted("later", counts(0, 1)).map(|item| item.id), Some("s".into()));
}

#[test]
fn a_message_that_was_never_scheduled_removes_no_item() {
    let mut queue = queue([steer("a", "wait")]);
    assert_eq!(queue.remove_accepted("other", counts(1, 0)), None);
    assert_eq!(ids(&queue), ["a"]);
}

#[test]
fn case_30_restored_items_come_before_the_draft_once() {
    let image = Image { blob: "x".into(), ..Image::default() };
    let mut queue = queue([Scheduled { images: vec![image.clone()], ..steer("a", "s1") }, steer("b", "s2")]);
    let restored = remove_all(&mut queue);
    assert_eq!(restored_text(restored.iter().map(|item| item.text.as_str()), "d"), "s1\n\ns2\n\nd");
    assert_eq!(restored.into_iter().flat_map(|item| item.images).collect::<Vec<_>>(), [image]);
    assert!(remove_all(&mut queue).is_empty());
    assert_eq!(restored_text([], "d"), "d");
    assert_eq!(restored_text(["s1"], "  "), "s1");
}

#[test]
fn an_item_under_edit_is_neither_sent_nor_matched() {
    let mut queue = queue([steer("a", "go"), steer("b", "go")]);
    let revision = queue.begin_edit("a", 0).unwrap().revision;
    assert_eq!(queue.sendable().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(queue.remove_accepted("go", counts(0, 0)).map(|item| item.id), Some("b".into()));
    queue.finish_edit("a", revision, "went".into(), vec![]).unwrap();
    assert_eq!(queue.sendable().map(|item| item.text.as_str()).collect::<Vec<_>>(), ["went"]);
}

#[test]
fn a_change_of_an_old_revision_is_refused_and_has_no_effect() {
    let mut queue = queue([steer("a", "go")]);
    let seen = queue.items()[0].revision;
    let mine = queue.begin_edit("a", seen).unwrap().revision;
    let before = queue.clone();
    assert_eq!(queue.begin_edit("a", seen), Err(QueueError::Changed));
    assert_eq!(queue.finish_edit("a", seen, "theirs".into(), vec![]), Err(QueueError::Changed));
    assert_eq!(queue.remove("a", seen), Err(QueueError::Changed));
    assert_eq!(queue, before);
    let now = queue.cancel_edit("a", mine).unwrap().revision;
    assert_eq!(queue.finish_edit("a", now, "late".into(), vec![]), Err(QueueError::NotUnderEdit));
    queue.remove_accepted("go", None);
    assert_eq!(queue.remove("a", now), Err(QueueError::Gone));
}

#[test]
fn the_queue_is_bounded_and_refuses_known_ids() {
    let mut queue = queue([]);
    assert_eq!(queue.schedule(steer("a", "x")), Ok(()));
    assert_eq!(queue.schedule(steer("a", "y")), Err(QueueError::Known));
    for number in 1..SCHEDULED_MESSAGES {
        queue.schedule(steer(&number.to_string(), "x")).unwrap();
    }
    assert_eq!(queue.schedule(steer("z", "x")), Err(QueueError::Full));
    assert!(queue.discard("a") && !queue.discard("a"));
}

#[derive(Clone, Debug)]
enum QueueStep {
    Schedule(&'static str, Lane),
    Begin(&'static str, bool),
    Finish(&'static str, bool),
    Cancel(&'static str, bool),
    Remove(&'static str, bool),
    Accept(Lane),
    Restore,
}

fn step() -> impl Strategy<Value = QueueStep> {
    let id = || select(vec!["a", "b", "c"]);
    let lane = || select(vec![Lane::Steer, Lane::FollowUp]);
    prop_oneof![
        3 => (id(), lane()).prop_map(|(id, lane)| QueueStep::Schedule(id, lane)),
        2 => (id(), any::<bool>()).prop_map(|(id, fresh)| QueueStep::Begin(id, fresh)),
        2 => (id(), any::<bool>()).prop_map(|(id, fresh)| QueueStep::Finish(id, fresh)),
        1 => (id(), any::<bool>()).prop_map(|(id, fresh)| QueueStep::Cancel(id, fresh)),
        1 => (id(), any::<bool>()).prop_map(|(id, fresh)| QueueStep::Remove(id, fresh)),
        2 => lane().prop_map(QueueStep::Accept),
        1 => Just(QueueStep::Restore),
    ]
}

/// An item in the model.
#[derive(Clone, Debug, PartialEq)]
struct ModelItem {
    id: &'static str,
    lane: Lane,
    edits: u32,
    changes: u32,
    under_edit: bool,
}

proptest! {
    #[test]
    fn edits_agree_with_a_simple_model(steps in prop::collection::vec(step(), 0..40)) {
        let mut queue = Queue::default();
        let mut model: Vec<ModelItem> = Vec::new();
        for step in steps {
            let before = queue.clone();
            // The revision that a client sends: the current one, or an outdated one.
            let revision = |id: &str, fresh: bool| {
                let current = before.items().iter().find(|item| item.id == id).map_or(0, |item| item.revision);
                if fresh { current } else { current.wrapping_add(7) }
            };
            let known = |model: &[ModelItem], id: &str| model.iter().position(|item| item.id == id);
            match step {
                QueueStep::Schedule(id, lane) => {
                    let accepted = queue.schedule(scheduled(id, lane, "0")).is_ok();
                    prop_assert_eq!(accepted, known(&model, id).is_none());
                    if accepted {
                        model.push(ModelItem { id, lane, edits: 0, changes: 0, under_edit: false });
                    }
                }
                QueueStep::Begin(id, fresh) => {
                    let accepted = queue.begin_edit(id, revision(id, fresh)).is_ok();
                    prop_assert_eq!(accepted, fresh && known(&model, id).is_some());
                    if let Some(position) = known(&model, id).filter(|_| accepted) {
                        model[position].under_edit = true;
                        model[position].changes += 1;
                    }
                }
                QueueStep::Finish(id, fresh) => {
                    let position = known(&model, id).filter(|position| fresh && model[*position].under_edit);
                    let text = position.map_or(0, |position| model[position].edits + 1).to_string();
                    let accepted = queue.finish_edit(id, revision(id, fresh), text, vec![]).is_ok();
                    prop_assert_eq!(accepted, position.is_some());
                    if let Some(position) = position {
                        model[position].under_edit = false;
                        model[position].edits += 1;
                        model[position].changes += 1;
                    }
                }
                QueueStep::Cancel(id, fresh) => {
                    let position = known(&model, id).filter(|position| fresh && model[*position].under_edit);
                    prop_assert_eq!(queue.cancel_edit(id, revision(id, fresh)).is_ok(), position.is_some());
                    if let Some(position) = position {
                        model[position].under_edit = false;
                        model[position].changes += 1;
                    }
                }
                QueueStep::Remove(id, fresh) => {
                    let position = known(&model, id).filter(|_| fresh);
                    prop_assert_eq!(queue.remove(id, revision(id, fresh)).is_ok(), position.is_some());
                    position.map(|position| model.remove(position));
                }
                QueueStep::Accept(lane) => {
                    // The agent has accepted the first item of a lane and reports how many remain.
                    let sent = |lane| model.iter().filter(|item| item.lane == lane && !item.under_edit).count();
                    let remaining = QueueCounts {
                        steering: sent(Lane::Steer) - usize::from(lane == Lane::Steer && sent(lane) > 0),
                        follow_up: sent(Lane::FollowUp) - usize::from(lane == Lane::FollowUp && sent(lane) > 0),
                    };
                    let accepted = queue.remove_accepted("whatever", Some(remaining)).map(|item| item.id);
                    let position = model.iter().position(|item| item.lane == lane && !item.under_edit);
                    prop_assert_eq!(accepted.as_deref(), position.map(|position| model.remove(position).id));
                }
                QueueStep::Restore => {
                    let restored: Vec<String> = remove_all(&mut queue).into_iter().map(|item| item.id).collect();
                    prop_assert_eq!(restored, model.drain(..).map(|item| item.id.to_owned()).collect::<Vec<_>>());
                }
            }
            let shown: Vec<(&str, Lane, String, u32, bool)> = queue.items().iter()
                .map(|item| (item.id.as_str(), item.lane, item.text.clone(), item.revision, item.under_edit))
                .collect();
            let expected: Vec<(&str, Lane, String, u32, bool)> = model.iter()
                .map(|item| (item.id, item.lane, item.edits.to_string(), item.changes, item.under_edit))
                .collect();
            prop_assert_eq!(shown, expected);
        }
    }
}

#[test]
fn an_item_without_text_is_matched_although_the_agent_keeps_counting_it() {
    let mut queue = Queue::default();
    for (id, text) in [("a", ""), ("b", "words")] {
        let item = Scheduled { id: id.to_owned(), text: text.to_owned(), ..Scheduled::default() };
        queue.schedule(item).unwrap();
    }
    let both = counts(2, 0);
    assert_eq!(queue.remove_accepted("", both).unwrap().id, "a");
    assert_eq!(queue.remove_accepted("words", both).unwrap().id, "b", "the agent's count stays one too high");
    assert_eq!(queue.remove_accepted("an extension's", both), None);
}
