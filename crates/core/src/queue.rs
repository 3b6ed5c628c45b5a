//! Messages scheduled while an agent works. The server owns the queue; every page shows the same one.

use serde::{Deserialize, Serialize};

use crate::ui_message::Image;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduled {
    /// The client id of the prompt.
    pub id: String,
    pub lane: Lane,
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lane {
    /// Taken up between two turns of the run.
    #[default]
    #[serde(rename = "steer")]
    Steer,
    /// Taken up when the run is over.
    #[serde(rename = "followUp")]
    FollowUp,
}

impl Lane {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Steer => "steer",
            Self::FollowUp => "follow-up",
        }
    }
}

/// Finds the scheduled message that an agent has just taken up, and takes it out.
///
/// `steering` and `follow_up` are what the agent says is still waiting, if it says so: then the lane that became
/// shorter tells, first in first out. Only without that the text decides, since templates change it and two
/// messages may have the same.
pub fn take_up(queue: &mut Vec<Scheduled>, text: &str, waiting: Option<(usize, usize)>) -> Option<Scheduled> {
    let count = |queue: &[Scheduled], lane| queue.iter().filter(|item| item.lane == lane).count();
    let first_of = |queue: &[Scheduled], lane| queue.iter().position(|item| item.lane == lane);
    let position = match waiting {
        Some((steering, _)) if count(queue, Lane::Steer) > steering => first_of(queue, Lane::Steer),
        Some((_, follow_up)) if count(queue, Lane::FollowUp) > follow_up => first_of(queue, Lane::FollowUp),
        Some(_) => None,
        None => queue.iter().position(|item| item.text == text),
    };
    position.map(|position| queue.remove(position))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheduled(id: &str, lane: Lane, text: &str) -> Scheduled {
        Scheduled { id: id.into(), lane, text: text.into(), images: Vec::new() }
    }

    #[test]
    fn of_two_equal_texts_the_first_is_taken_up() {
        let mut queue = vec![scheduled("a", Lane::Steer, "go"), scheduled("b", Lane::Steer, "go")];
        assert_eq!(take_up(&mut queue, "go", Some((1, 0))).map(|item| item.id), Some("a".into()));
        assert_eq!(queue.len(), 1);
    }

    #[test]
    fn a_template_that_changed_the_text_still_leaves_the_queue() {
        let mut queue = vec![scheduled("a", Lane::FollowUp, "/tmpl x")];
        assert!(take_up(&mut queue, "expanded text", Some((0, 0))).is_some());
        assert!(queue.is_empty());
    }

    #[test]
    fn a_message_that_was_never_scheduled_takes_nothing() {
        let mut queue = vec![scheduled("a", Lane::Steer, "wait")];
        assert_eq!(take_up(&mut queue, "other", Some((1, 0))), None);
        assert_eq!(take_up(&mut queue, "other", None), None);
        assert_eq!(queue.len(), 1);
    }
}
