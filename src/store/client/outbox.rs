//! What was sent and has no answer yet. The browser keeps it until it has: the next page, after a reload or in another
//! tab, sends it again under the same id, and whatever the server has already it takes but once.

use leptos::prelude::*;
use leptos::task::spawn_local;
use pilothouse_core::Image;
use pilothouse_core::conversation::queue::Lane;

use super::attachments::{from_texts, to_texts};
use crate::browser;
use crate::browser::indexed_db;

/// Before the client id.
const KEY: &str = "sent:";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    pub session_id: String,
    pub client_id: String,
    pub text: String,
    pub images: Vec<Image>,
    /// None for a shell command, whose text begins with its marks.
    pub lane: Option<Lane>,
    /// It stands in the timeline. Else it is to be seen with the scheduled messages, as long as there is no connection.
    pub is_row: bool,
    /// When it was sent.
    pub at: f64,
    /// By an earlier page.
    pub recalled: bool,
    /// The browser has not kept all of its pictures.
    pub lacks_images: bool,
}

#[derive(Clone, Copy, Default)]
pub struct Outbox(RwSignal<Vec<Sent>>);

impl Outbox {
    pub fn add(&self, sent: Sent) {
        sent.keep();
        self.hold(sent);
    }

    /// One that is kept already.
    pub fn hold(&self, sent: Sent) {
        self.0.update(|all| all.push(sent));
    }

    /// It has its answer. Tells what it was.
    pub fn take(&self, client_id: &str) -> Option<Sent> {
        let place = self.0.with_untracked(|all| all.iter().position(|sent| sent.client_id == client_id))?;
        let sent = self.0.try_update(|all| all.remove(place))?;
        sent.forget();
        Some(sent)
    }

    /// A run that it was scheduled for is over: it stands in the timeline now.
    pub fn stands_in_timeline(&self, client_id: &str) {
        let of_it = |sent: &&mut Sent| sent.client_id == client_id;
        self.0.update(|all| all.iter_mut().filter(of_it).for_each(|sent| sent.is_row = true));
    }

    pub fn of(&self, session_id: &str) -> Vec<Sent> {
        self.0
            .with_untracked(|all| all.iter().filter(|sent| sent.session_id == session_id).cloned().collect())
    }

    /// What is not in the timeline, by client id. Tracked.
    pub fn beside_timeline(&self, session_id: &str) -> Vec<String> {
        let belongs = |sent: &&Sent| sent.session_id == session_id && !sent.is_row;
        self.0.with(|all| all.iter().filter(belongs).map(|sent| sent.client_id.clone()).collect())
    }

    pub fn find(&self, client_id: &str) -> Option<Sent> {
        self.0.with_untracked(|all| all.iter().find(|sent| sent.client_id == client_id).cloned())
    }
}

impl Sent {
    fn key(&self) -> String {
        format!("{KEY}{}", self.client_id)
    }

    fn keep(&self) {
        let lane = self.lane.map_or("", Lane::name);
        let told = (&self.session_id, &self.text, lane, self.at as u64, self.images.len());
        browser::remember(&self.key(), &serde_json::to_string(&told).unwrap_or_default());
        if !self.images.is_empty() {
            let (key, images) = (self.key(), self.images.clone());
            spawn_local(async move { indexed_db::put(&key, move || to_texts(images.into_iter())).await });
        }
    }

    pub fn forget(&self) {
        browser::remember(&self.key(), "");
        if !self.images.is_empty() {
            let key = self.key();
            spawn_local(async move { indexed_db::put(&key, Vec::new).await });
        }
    }

    fn read(key: &str, value: &str) -> Option<(Self, usize)> {
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

/// What earlier pages have sent and got no answer to, as the browser has it.
pub fn left_behind() -> Vec<(String, String)> {
    browser::remembered(KEY)
}

/// The same in full, with its pictures, oldest first.
pub async fn recall(left: Vec<(String, String)>) -> Vec<Sent> {
    let mut all = Vec::new();
    for (mut sent, images) in left.iter().filter_map(|(key, value)| Sent::read(key, value)) {
        if images > 0 {
            sent.images = from_texts(&indexed_db::get(&sent.key()).await);
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
    fn what_is_kept_of_a_message_is_read_again_and_nothing_else_is() {
        let value = r#"["s","Look",  "follow-up",17,2]"#;
        let (sent, images) = Sent::read("sent:c1", value).unwrap();
        assert_eq!((sent.session_id.as_str(), sent.client_id.as_str()), ("s", "c1"));
        assert_eq!((sent.text.as_str(), sent.lane, sent.at, images), ("Look", Some(Lane::FollowUp), 17.0, 2));
        assert!(Sent::read("sent:c1", r#"["s","!ls","",17,0]"#).is_some_and(|(sent, _)| sent.lane.is_none()));
        assert!(Sent::read("sent:c1", "[1]").is_none());
        assert!(Sent::read("draft:s", value).is_none());
    }
}
