//! The queue: its numbered cases, and edits against a simple model.

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

const fn waiting(steering: usize, follow_up: usize) -> Option<Waiting> {
    Some(Waiting { steering, follow_up })
}

#[test]
fn case_26_of_two_equal_texts_the_first_is_taken_up() {
    for told in [waiting(1, 0), None] {
        let mut queue = queue([steer("a", "go"), steer("b", "go")]);
        assert_eq!(queue.take_up("go", told).map(|item| item.id), Some("a".into()));
        assert_eq!(ids(&queue), ["b"]);
    }
}

#[test]
fn case_27_a_template_that_changed_the_text_still_leaves_the_queue() {
    for told in [waiting(0, 0), None] {
        let mut queue = queue([scheduled("a", Lane::FollowUp, "/tmpl x")]);
        assert_eq!(queue.take_up("expanded text", told).map(|item| item.id), Some("a".into()));
        assert!(queue.is_empty());
    }
}

#[test]
fn case_28_an_image_without_words_is_matched_and_keeps_its_image() {
    let image = Image { mime_type: "image/png".into(), blob: "x".into(), ..Image::default() };
    let mut queue = queue([Scheduled { images: vec![image.clone()], ..steer("a", "") }, steer("b", "text")]);
    assert_eq!(queue.take_up("", None).map(|item| item.images), Some(vec![image]));
    assert_eq!(ids(&queue), ["b"]);
}

#[test]
fn between_two_lanes_the_text_decides_unless_the_agent_tells() {
    let both = || queue([scheduled("f", Lane::FollowUp, "later"), steer("s", "now")]);
    assert_eq!(both().take_up("later", None).map(|item| item.id), Some("f".into()));
    assert_eq!(both().take_up("now", None).map(|item| item.id), Some("s".into()));
    assert_eq!(both().take_up("something else", None).map(|item| item.id), Some("s".into()));
    assert_eq!(both().take_up("later", waiting(0, 1)).map(|item| item.id), Some("s".into()));
}

#[test]
fn a_message_that_was_never_scheduled_takes_nothing() {
    let mut queue = queue([steer("a", "wait")]);
    assert_eq!(queue.take_up("other", waiting(1, 0)), None);
    assert_eq!(ids(&queue), ["a"]);
}

#[test]
fn case_30_restoring_puts_everything_before_the_draft_once() {
    let image = Image { blob: "x".into(), ..Image::default() };
    let mut queue = queue([Scheduled { images: vec![image.clone()], ..steer("a", "s1") }, steer("b", "s2")]);
    assert_eq!(restored_draft(queue.restore(), "d"), ("s1\n\ns2\n\nd".to_owned(), vec![image]));
    assert_eq!(restored_draft(queue.restore(), "d"), ("d".to_owned(), vec![]));
    assert_eq!(restored_text(["s1"], "  "), "s1");
}

#[test]
fn an_item_under_edit_is_neither_sent_nor_taken_for_one_that_was() {
    let mut queue = queue([steer("a", "go"), steer("b", "go")]);
    let revision = queue.begin_edit("a", 0).unwrap().revision;
    assert_eq!(queue.to_send().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(queue.take_up("go", waiting(0, 0)).map(|item| item.id), Some("b".into()));
    queue.finish_edit("a", revision, "went".into(), vec![]).unwrap();
    assert_eq!(queue.to_send().map(|item| item.text.as_str()).collect::<Vec<_>>(), ["went"]);
}

#[test]
fn an_edit_made_on_an_old_view_is_refused_and_changes_nothing() {
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
    queue.take_up("go", None);
    assert_eq!(queue.remove("a", now), Err(QueueError::Gone));
}

#[test]
fn the_queue_is_bounded_and_knows_its_items() {
    let mut queue = queue([]);
    assert_eq!(queue.schedule(steer("a", "x")), Ok(()));
    assert_eq!(queue.schedule(steer("a", "y")), Err(QueueError::Known));
    for number in 1..SCHEDULED_MESSAGES {
        queue.schedule(steer(&number.to_string(), "x")).unwrap();
    }
    assert_eq!(queue.schedule(steer("z", "x")), Err(QueueError::Full));
    assert!(queue.forget("a") && !queue.forget("a"));
}

#[derive(Clone, Debug)]
enum Step {
    Schedule(&'static str, Lane),
    Begin(&'static str, bool),
    Finish(&'static str, bool),
    Cancel(&'static str, bool),
    Remove(&'static str, bool),
    TakeUp(Lane),
    Restore,
}

fn step() -> impl Strategy<Value = Step> {
    let id = || select(vec!["a", "b", "c"]);
    let lane = || select(vec![Lane::Steer, Lane::FollowUp]);
    prop_oneof![
        3 => (id(), lane()).prop_map(|(id, lane)| Step::Schedule(id, lane)),
        2 => (id(), any::<bool>()).prop_map(|(id, fresh)| Step::Begin(id, fresh)),
        2 => (id(), any::<bool>()).prop_map(|(id, fresh)| Step::Finish(id, fresh)),
        1 => (id(), any::<bool>()).prop_map(|(id, fresh)| Step::Cancel(id, fresh)),
        1 => (id(), any::<bool>()).prop_map(|(id, fresh)| Step::Remove(id, fresh)),
        2 => lane().prop_map(Step::TakeUp),
        1 => Just(Step::Restore),
    ]
}

/// What is known of an item by somebody who writes everything down.
#[derive(Clone, Debug, PartialEq)]
struct Known {
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
        let mut model: Vec<Known> = Vec::new();
        for step in steps {
            let before = queue.clone();
            // What a page that is up to date, or one that is not, would send along.
            let revision = |id: &str, fresh: bool| {
                let current = before.items().iter().find(|item| item.id == id).map_or(0, |item| item.revision);
                if fresh { current } else { current.wrapping_add(7) }
            };
            let known = |model: &[Known], id: &str| model.iter().position(|known| known.id == id);
            match step {
                Step::Schedule(id, lane) => {
                    let accepted = queue.schedule(scheduled(id, lane, "0")).is_ok();
                    prop_assert_eq!(accepted, known(&model, id).is_none());
                    if accepted {
                        model.push(Known { id, lane, edits: 0, changes: 0, under_edit: false });
                    }
                }
                Step::Begin(id, fresh) => {
                    let accepted = queue.begin_edit(id, revision(id, fresh)).is_ok();
                    prop_assert_eq!(accepted, fresh && known(&model, id).is_some());
                    if let Some(position) = known(&model, id).filter(|_| accepted) {
                        model[position].under_edit = true;
                        model[position].changes += 1;
                    }
                }
                Step::Finish(id, fresh) => {
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
                Step::Cancel(id, fresh) => {
                    let position = known(&model, id).filter(|position| fresh && model[*position].under_edit);
                    prop_assert_eq!(queue.cancel_edit(id, revision(id, fresh)).is_ok(), position.is_some());
                    if let Some(position) = position {
                        model[position].under_edit = false;
                        model[position].changes += 1;
                    }
                }
                Step::Remove(id, fresh) => {
                    let position = known(&model, id).filter(|_| fresh);
                    prop_assert_eq!(queue.remove(id, revision(id, fresh)).is_ok(), position.is_some());
                    position.map(|position| model.remove(position));
                }
                Step::TakeUp(lane) => {
                    // The agent has taken the first of a lane, and tells what it still has.
                    let sent = |lane| model.iter().filter(|known| known.lane == lane && !known.under_edit).count();
                    let told = Waiting {
                        steering: sent(Lane::Steer) - usize::from(lane == Lane::Steer && sent(lane) > 0),
                        follow_up: sent(Lane::FollowUp) - usize::from(lane == Lane::FollowUp && sent(lane) > 0),
                    };
                    let taken = queue.take_up("whatever", Some(told)).map(|item| item.id);
                    let position = model.iter().position(|known| known.lane == lane && !known.under_edit);
                    prop_assert_eq!(taken.as_deref(), position.map(|position| model.remove(position).id));
                }
                Step::Restore => {
                    let restored: Vec<String> = queue.restore().into_iter().map(|item| item.id).collect();
                    prop_assert_eq!(restored, model.drain(..).map(|known| known.id.to_owned()).collect::<Vec<_>>());
                }
            }
            let shown: Vec<(&str, Lane, String, u32, bool)> = queue.items().iter()
                .map(|item| (item.id.as_str(), item.lane, item.text.clone(), item.revision, item.under_edit))
                .collect();
            let expected: Vec<(&str, Lane, String, u32, bool)> = model.iter()
                .map(|known| (known.id, known.lane, known.edits.to_string(), known.changes, known.under_edit))
                .collect();
            prop_assert_eq!(shown, expected);
        }
    }
}

#[test]
fn a_picture_without_words_is_taken_up_though_the_agent_does_not_count_it() {
    let mut queue = Queue::default();
    for (id, text) in [("a", ""), ("b", "words")] {
        let item = Scheduled { id: id.to_owned(), text: text.to_owned(), ..Scheduled::default() };
        queue.schedule(item).unwrap();
    }
    let both = Some(Waiting { steering: 2, follow_up: 0 });
    assert_eq!(queue.take_up("", both).unwrap().id, "a");
    assert_eq!(queue.take_up("words", both).unwrap().id, "b", "its count is one too high from then on");
    assert_eq!(queue.take_up("an extension's", both), None);
}
