//! Messages that were sent and have no response yet. They are saved in the browser until the response arrives: the next
//! page, after a reload or in another tab, resends them with the same client id, by which the server ignores duplicates.

use leptos::prelude::*;
use leptos::task::spawn_local;
use pilothouse_core::Image;
use pilothouse_core::conversation::queue::Lane;

use super::attachments::{decode_images, encode_images};
use crate::browser::{indexed_db, local_storage};

/// The prefix of the storage keys, before the client id.
const KEY: &str = "sent:";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    pub session_id: String,
    pub client_id: String,
    pub text: String,
    pub images: Vec<Image>,
    /// `None` for a shell command, whose text starts with `!` or `!!`.
    pub lane: Option<Lane>,
    /// The message has a row in the timeline. Otherwise it is listed with the scheduled messages while disconnected.
    pub is_row: bool,
    /// The time of sending, in milliseconds since the Unix epoch.
    pub at: f64,
    /// It was sent by an earlier page and loaded from storage.
    pub recalled: bool,
    /// Some of its images could not be loaded from storage.
    pub lacks_images: bool,
}

#[derive(Clone, Copy, Default)]
pub struct Outbox(RwSignal<Vec<Sent>>);

impl Outbox {
    pub fn add(&self, sent: Sent) {
        sent.save();
        self.add_saved(sent);
    }

    /// Adds a message that is in storage already.
    pub fn add_saved(&self, sent: Sent) {
        self.0.update(|all| all.push(sent));
    }

    /// Removes a message, also from storage, because its response arrived.
    pub fn take(&self, client_id: &str) -> Option<Sent> {
        let index = self.0.with_untracked(|all| all.iter().position(|sent| sent.client_id == client_id))?;
        let sent = self.0.try_update(|all| all.remove(index))?;
        sent.delete();
        Some(sent)
    }

    /// Moves a message to the timeline, because the run that it was scheduled for is over.
    pub fn move_to_timeline(&self, client_id: &str) {
        let matches = |sent: &&mut Sent| sent.client_id == client_id;
        self.0.update(|all| all.iter_mut().filter(matches).for_each(|sent| sent.is_row = true));
    }

    pub fn of(&self, session_id: &str) -> Vec<Sent> {
        self.0
            .with_untracked(|all| all.iter().filter(|sent| sent.session_id == session_id).cloned().collect())
    }

    /// The client ids of the messages that are not in the timeline. Tracked.
    pub fn outside_timeline(&self, session_id: &str) -> Vec<String> {
        let matches = |sent: &&Sent| sent.session_id == session_id && !sent.is_row;
        self.0.with(|all| all.iter().filter(matches).map(|sent| sent.client_id.clone()).collect())
    }

    pub fn find(&self, client_id: &str) -> Option<Sent> {
        self.0.with_untracked(|all| all.iter().find(|sent| sent.client_id == client_id).cloned())
    }
}

impl Sent {
    fn key(&self) -> String {
        format!("{KEY}{}", self.client_id)
    }

    fn save(&self) {
        let lane = self.lane.map_or("", Lane::name);
        let fields = (&self.session_id, &self.text, lane, self.at as u64, self.images.len());
        local_storage::set(&self.key(), &serde_json::to_string(&fields).unwrap_or_default());
        if !self.images.is_empty() {
            let (key, images) = (self.key(), self.images.clone());
            spawn_local(
                async move { indexed_db::put(&key, move || encode_images(images.into_iter())).await },
            );
        }
    }

    /// Deletes the message from storage.
    pub fn delete(&self) {
        local_storage::set(&self.key(), "");
        if !self.images.is_empty() {
            let key = self.key();
            spawn_local(async move { indexed_db::put(&key, Vec::new).await });
        }
    }

    /// Parses a storage entry. Returns the message without its images, and their number.
    fn parse(key: &str, value: &str) -> Option<(Self, usize)> {
        let (session_id, text, lane, at, images) =
            serde_json::from_str::<(String, String, String, u64, usize)>(value).ok()?;
        let lane = [Lane::Steer, Lane::FollowUp].into_iter().find(|known| known.name() == lane);
        let client_id = key.strip_prefix(KEY)?.to_owned();
        Some((
            Self { session_id, client_id, text, lane, at: at as f64, recalled: true, ..Self::default() },
            images,
        ))
    }
}

/// The storage entries of messages that earlier pages have sent and that have no response yet.
pub fn saved_entries() -> Vec<(String, String)> {
    local_storage::entries(KEY)
}

/// Loads the messages of storage entries, with their images, oldest first.
pub async fn load(entries: Vec<(String, String)>) -> Vec<Sent> {
    let mut all = Vec::new();
    for (mut sent, images) in entries.iter().filter_map(|(key, value)| Sent::parse(key, value)) {
        if images > 0 {
            sent.images = decode_images(&indexed_db::get(&sent.key()).await);
            sent.lacks_images = sent.images.len() < images;
        }
        all.push(sent);
    }
    all.sort_by(|one, other| one.at.total_cmp(&other.at));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_saved_messages_are_parsed() {
        let value = r#"["s","Look",  "follow-up",17,2]"#;
        let (sent, images) = Sent::parse("sent:c1", value).unwrap();
        assert_eq!((sent.session_id.as_str(), sent.client_id.as_str()), ("s", "c1"));
        assert_eq!((sent.text.as_str(), sent.lane, sent.at, images), ("Look", Some(Lane::FollowUp), 17.0, 2));
        assert!(
            Sent::parse("sent:c1", r#"["s","!ls","",17,0]"#).is_some_and(|(sent, _)| sent.lane.is_none())
        );
        assert!(Sent::parse("sent:c1", "[1]").is_none());
        assert!(Sent::parse("draft:s", value).is_none());
    }
}
