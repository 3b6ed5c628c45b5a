//! Reads on in a session file that another program writes.

use std::fs::File;

use pilothouse_agents::pi::index::Growth;
use pilothouse_core::event::Event;
use pilothouse_core::limits::TAIL_ROWS;
use pilothouse_core::message::Message;

use super::super::source::Stamp;
use super::HistoryFile;

/// What has become of a session file.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// Nothing that is shown. Title, model and the like may have changed.
    Same,
    /// The conversation goes on with these messages. `events_of` tells what they are to a live session.
    Appended(Vec<Message>),
    /// The conversation is another one now, or has grown by more than is worth telling: it has to be opened again.
    Replaced,
    /// There is no such file any more.
    Gone,
}

impl HistoryFile {
    /// Reads what was appended since. After `Replaced` or `Gone` this says nothing sensible any more.
    pub fn follow(&mut self) -> Followed {
        let Ok(file) = File::open(&self.path) else { return Followed::Gone };
        let Ok(metadata) = file.metadata() else { return Followed::Gone };
        let stamp = Stamp::of(&metadata);
        if !stamp.is_same_file(self.stamp) || stamp.length < self.progress.read || !self.progress.fits(&file)
        {
            return Followed::Replaced;
        }
        let (leaf, known) = (self.index.leaf(), self.index.entries().len());
        let index = &mut self.index;
        if self.progress.read_on(&file, |bytes| index.feed(bytes)).is_err() {
            return Followed::Gone;
        }
        index.end();
        self.stamp = stamp;
        let Growth::Continued(new) = self.index.growth(u32::try_from(known).unwrap_or(u32::MAX), leaf) else {
            return Followed::Replaced;
        };
        if new.len() > TAIL_ROWS || new.iter().any(|number| self.is_before_an_extra(*number)) {
            return Followed::Replaced;
        }
        self.active.extend(new);
        let messages = self.fold_on(&file);
        if messages.is_empty() { Followed::Same } else { Followed::Appended(messages) }
    }

    /// Opened again, the entry would stand before something that is shown before it now.
    fn is_before_an_extra(&self, number: u32) -> bool {
        let time = self.index.entry(number).map_or(0, |entry| entry.time);
        let Some(extra) = self.extras.last().filter(|extra| extra.at >= time) else { return false };
        let active = self.active.iter().filter_map(|number| self.index.entry(*number));
        Some(extra.at) >= active.map(|entry| entry.time).max()
    }
}

/// What messages of history are to a session that is live: folding these gives the rows that opening the file again
/// would. None of them is a step of the session's state.
pub fn events_of(messages: Vec<Message>) -> impl Iterator<Item = Event> {
    messages.into_iter().flat_map(|message| {
        // History has no ends of runs: a message of the person's is one.
        let ended = matches!(message, Message::User { .. }).then_some(Event::AgentEnd { will_retry: false });
        ended.into_iter().chain([Event::MessageEnd { message }])
    })
}
