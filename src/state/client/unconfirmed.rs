//! What was sent and has no answer yet. As long as the connection is gone nobody knows whether the server has it, so it
//! is kept where drafts and pictures are: a page that has to go gives it back to the composer of the next one.

use leptos::prelude::*;
use pilothouse_core::Image;
use pilothouse_core::queue::Lane;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub session_id: String,
    pub client_id: String,
    /// As it was typed.
    pub text: String,
    pub images: Vec<Image>,
    pub shown: Shown,
    /// There was no connection when it was sent, or it was lost since.
    pub adrift: bool,
}

/// Where the person sees it until the server shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// In the timeline.
    Row,
    /// With the scheduled messages, while it is adrift.
    Scheduled(Lane),
    Shell,
}

#[derive(Clone, Copy, Default)]
pub struct Unconfirmed(RwSignal<Vec<Sent>>);

impl Unconfirmed {
    pub fn add(&self, sent: Sent) {
        self.0.update(|all| all.push(sent));
    }

    /// It has its answer. Tells what it was.
    pub fn take(&self, client_id: &str) -> Option<Sent> {
        let place = self.0.with_untracked(|all| all.iter().position(|sent| sent.client_id == client_id))?;
        self.0.try_update(|all| all.remove(place))
    }

    pub fn of(&self, session_id: &str) -> Vec<Sent> {
        self.0
            .with_untracked(|all| all.iter().filter(|sent| sent.session_id == session_id).cloned().collect())
    }

    /// A run that it was scheduled for is over: it stands in the timeline now.
    pub fn show_as_row(&self, client_id: &str) {
        let of_it = |sent: &&mut Sent| sent.client_id == client_id;
        self.0.update(|all| all.iter_mut().filter(of_it).for_each(|sent| sent.shown = Shown::Row));
    }

    /// The connection is lost. Tells of which sessions something is adrift by it.
    pub fn cast_adrift(&self) -> Vec<String> {
        if self.0.with_untracked(|all| all.iter().all(|sent| sent.adrift)) {
            return Vec::new();
        }
        self.0.update(|all| all.iter_mut().for_each(|sent| sent.adrift = true));
        let mut sessions =
            self.0.with_untracked(|all| all.iter().map(|sent| sent.session_id.clone()).collect::<Vec<_>>());
        sessions.dedup();
        sessions
    }

    /// What is to be kept of a session beside its draft.
    pub fn adrift(&self, session_id: &str) -> Vec<Sent> {
        self.of(session_id).into_iter().filter(|sent| sent.adrift).collect()
    }

    /// What the scheduled messages show of a session, by client id. Tracked.
    pub fn beside_the_queue(&self, session_id: &str) -> Vec<String> {
        let belongs = |sent: &&Sent| sent.session_id == session_id && sent.adrift && sent.shown != Shown::Row;
        self.0.with(|all| all.iter().filter(belongs).map(|sent| sent.client_id.clone()).collect())
    }

    pub fn find(&self, client_id: &str) -> Option<Sent> {
        self.0.with_untracked(|all| all.iter().find(|sent| sent.client_id == client_id).cloned())
    }
}
