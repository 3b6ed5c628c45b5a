//! The queue and the agent's copy of it, without an agent.

use super::*;
use crate::client::client_channel;

fn item(id: &str, lane: Lane, text: &str) -> Scheduled {
    Scheduled { id: id.to_owned(), lane, text: text.to_owned(), ..Scheduled::default() }
}

fn steering(items: Vec<Scheduled>) -> Steering {
    let mut queue = Queue::default();
    queue.replace(items);
    Steering::new(queue)
}

/// A queue of which the agent holds every message.
fn offered(items: Vec<Scheduled>) -> Steering {
    let ids: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
    let mut steering = steering(items);
    ids.iter().for_each(|id| steering.offer(id));
    steering
}

fn change(kind: ChangeKind) -> Change {
    let (client, _frames) = client_channel(ClientId(1));
    Change { kind, responder: Responder { client, request: "r".to_owned(), command: "edit_queued" } }
}

fn remove(id: &str) -> Change {
    change(ChangeKind::Remove { item_id: id.to_owned(), revision: 0 })
}

fn stop() -> Change {
    change(ChangeKind::Restore { stop: true })
}

fn requests(effects: Vec<Effect>) -> Vec<Request> {
    let requests = effects.into_iter().filter_map(|effect| match effect {
        Effect::Request(request, _) => Some(request),
        _ => None,
    });
    requests.collect()
}

fn returned(steering: &[&str], follow_up: &[&str]) -> ClearedQueue {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    ClearedQueue { steering: texts(steering), follow_up: texts(follow_up) }
}

#[test]
fn a_planned_change_changes_nothing_before_it_is_carried_out() {
    let mut steering = steering(vec![item("a", Lane::Steer, "one")]);
    let (queue, removed) = steering.plan(|queue| queue.remove("a", 0)).unwrap();
    assert_eq!(removed.id, "a");
    assert!(steering.queue().contains("a"));
    steering.replace(queue);
    assert!(steering.queue().is_empty());
    assert_eq!(steering.plan(|queue| queue.remove("a", 0)), Err(QueueError::Gone));
}

#[test]
fn a_change_is_made_at_once_where_the_agent_holds_nothing() {
    let mut steering = steering(vec![item("a", Lane::Steer, "one")]);
    assert!(steering.begin_change(remove("a"), true).is_some());
    assert!(steering.begin_change(stop(), false).is_some(), "no process runs");
    assert!(steering.begin_change(stop(), true).is_none(), "a stop clears the agent's queue in any case");
}

#[test]
fn the_agents_queue_is_cleared_once_and_not_while_a_message_is_delivered() {
    let mut steering = offered(vec![item("a", Lane::Steer, "one"), item("b", Lane::Steer, "two")]);
    assert!(steering.begin_change(remove("a"), true).is_none());
    assert!(requests(steering.due_requests(true, true)).is_empty());
    assert_eq!(requests(steering.due_requests(false, true)), [Request::ClearQueue]);
    assert!(steering.begin_change(remove("b"), true).is_none());
    assert!(requests(steering.due_requests(false, true)).is_empty(), "it was asked already");
    let changes = steering.cleared(&returned(&["one", "two"], &[]));
    assert_eq!(changes.len(), 2);
    assert!(!steering.has_offers() && !steering.is_clearing());
}

#[test]
fn an_abort_follows_the_clearing() {
    let mut steering = offered(vec![item("a", Lane::Steer, "one")]);
    assert!(steering.begin_change(stop(), true).is_none());
    steering.abort();
    assert!(requests(steering.due_requests(true, true)).is_empty());
    assert_eq!(requests(steering.due_requests(false, true)), [Request::ClearQueue, Request::Abort]);
    assert!(requests(steering.due_requests(false, true)).is_empty());
}

#[test]
fn messages_that_do_not_come_back_were_taken() {
    let mut steering = offered(vec![
        item("a", Lane::Steer, "one"),
        item("b", Lane::Steer, "two"),
        item("c", Lane::FollowUp, "three"),
    ]);
    steering.begin_change(remove("b"), true);
    steering.cleared(&returned(&["two"], &["three"]));
    assert!(steering.is_offered("a"), "the agent has it and will report it");
    assert!(!steering.is_offered("b") && !steering.is_offered("c"));
    let (left, restored) = steering.restorable();
    assert_eq!(restored.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["b", "c"]);
    assert!(left.contains("a"));
}

#[test]
fn an_empty_text_comes_back_only_for_a_message_that_was_offered() {
    let mut steering = offered(vec![item("a", Lane::Steer, "one")]);
    steering.begin_change(remove("a"), true);
    // Only an image without text is returned, which the agent had taken earlier.
    steering.cleared(&returned(&[""], &[]));
    assert!(steering.is_offered("a"), "the empty text is not this message");
    let mut picture = offered(vec![item("p", Lane::Steer, "")]);
    picture.begin_change(remove("p"), true);
    picture.cleared(&returned(&[""], &[]));
    assert!(!picture.is_offered("p"));
}

#[test]
fn a_stop_that_the_agent_does_not_follow_ends_its_process() {
    let mut steering = offered(vec![item("a", Lane::Steer, "one")]);
    steering.begin_change(stop(), true);
    steering.begin_change(remove("a"), true);
    steering.due_requests(false, true);
    let outcome = steering.not_cleared(true);
    assert!(outcome.end_process && outcome.made.is_empty());
    assert_eq!(outcome.failed.len(), 1, "the removal fails");
    assert!(requests(steering.due_requests(false, true)).is_empty(), "the agent is not asked again");
    assert_eq!(steering.lost().len(), 1, "the stop is carried out when the process is gone");
    let mut empty = steering_without_offers();
    empty.begin_change(stop(), true);
    let outcome = empty.not_cleared(true);
    assert!(!outcome.end_process);
    assert_eq!(outcome.made.len(), 1, "nothing is lost by it");
}

fn steering_without_offers() -> Steering {
    steering(vec![item("a", Lane::Steer, "one")])
}

#[test]
fn refused_messages_wait_until_they_are_edited_or_offered_to_another_process() {
    let mut steering = steering(vec![item("a", Lane::Steer, "one"), item("b", Lane::Steer, "two")]);
    let ids = |steering: &Steering| {
        steering.to_offer(AgentQueue::Own).into_iter().map(|item| item.id).collect::<Vec<_>>()
    };
    steering.offer("a");
    assert_eq!(ids(&steering), ["b"]);
    steering.refuse_offer("a");
    assert_eq!(ids(&steering), ["b"]);
    steering.set_editor("a", None);
    assert_eq!(ids(&steering), ["b"], "a cancelled edit changes nothing");
    steering.text_changed("a");
    assert_eq!(ids(&steering), ["a", "b"]);
    steering.withhold_all();
    assert!(ids(&steering).is_empty());
    steering.offer_again();
    assert_eq!(ids(&steering), ["a", "b"]);
}

#[test]
fn a_client_that_is_gone_holds_no_message_back() {
    let mut steering = steering(vec![item("a", Lane::Steer, "one")]);
    let (queue, _) = steering.plan(|queue| queue.begin_edit("a", 0).map(|_| ())).unwrap();
    steering.replace(queue);
    steering.set_editor("a", Some(ClientId(1)));
    assert!(steering.to_offer(AgentQueue::Own).is_empty());
    assert!(!steering.end_edits_of(ClientId(2)));
    assert!(steering.end_edits_of(ClientId(1)));
    assert_eq!(steering.to_offer(AgentQueue::Own).len(), 1);
}

#[test]
fn a_reported_message_leaves_the_queue() {
    let mut steering = offered(vec![item("a", Lane::Steer, "one"), item("b", Lane::FollowUp, "two")]);
    steering.set_agent_queue(Some(QueueCounts { steering: 1, follow_up: 0 }));
    assert_eq!(steering.match_reported("two").map(|item| item.id).as_deref(), Some("b"));
    assert!(!steering.is_offered("b") && steering.is_offered("a"));
}

#[test]
fn a_lost_reply_can_be_asked_for_again() {
    let mut steering = Steering::default();
    let restored = RestoredQueue { restored: vec![item("a", Lane::Steer, "one")] };
    steering.remember_restored("r", restored.clone());
    assert_eq!(steering.restored("r"), Some(restored));
    assert_eq!(steering.restored("other"), None);
    for number in 0..REMEMBERED_RESTORES {
        steering.remember_restored(&number.to_string(), RestoredQueue::default());
    }
    assert_eq!(steering.restored("r"), None, "the number of remembered replies is bounded");
}

#[test]
fn an_agent_without_a_queue_gets_one_message_at_a_time() {
    let items =
        || vec![item("f", Lane::FollowUp, "later"), item("a", Lane::Steer, "a"), item("b", Lane::Steer, "b")];
    let ids = |steering: &Steering, agent| {
        steering.to_offer(agent).into_iter().map(|item| item.id).collect::<Vec<_>>()
    };
    let mut steering = steering(items());
    assert_eq!(ids(&steering, AgentQueue::Busy), [""; 0], "never into a running turn");
    assert_eq!(ids(&steering, AgentQueue::Idle), ["a"], "steering messages come first");
    assert_eq!(ids(&steering, AgentQueue::Steerable), ["a"]);
    steering.offer("a");
    assert_eq!(ids(&steering, AgentQueue::Idle), [""; 0], "one is on its way");
    steering.postpone("a");
    assert_eq!(ids(&steering, AgentQueue::Steerable), ["b"], "the agent did not accept the first");
    steering.postpone("b");
    assert_eq!(ids(&steering, AgentQueue::Steerable), [""; 0]);
    steering.run_ended();
    assert_eq!(ids(&steering, AgentQueue::Idle), ["a"]);
}
