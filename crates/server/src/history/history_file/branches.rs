//! The branches of a session file that is not the one shown: lists them, finds the branch of an entry, and copies one.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, Write};

use pilothouse_agents::history::entry::{EntryContent, Extra, entry_id, read_entry};
use pilothouse_agents::history::index::{OtherBranch, SessionIndex};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::{BRANCH_ENTRY_BYTES, BRANCH_ID_BYTES, BRANCH_POINTS, BRANCHES_AT_POINT};
use pilothouse_core::protocol::{Branch, BranchPoint, Branches};
use pilothouse_core::render::describe::title_from;

use super::super::source::RangeReader;
use super::HistoryFile;

/// Precedes the number of an entry whose id does not identify it.
const NUMBER_PREFIX: char = '@';

impl HistoryFile {
    /// A number that changes whenever the other branches may have changed.
    pub const fn detours(&self) -> u64 {
        self.index.detours()
    }

    /// The branches besides this one. Reads the disk if there are any.
    pub fn branches(&self) -> Branches {
        let others = self.index.other_branches(&self.active);
        let Some(file) = Some(others.len()).filter(|count| *count > 0).and_then(|_| self.reopen()) else {
            return Branches::default();
        };
        let mut reader = RangeReader::new(&file);
        let current = self.index.leaf().map(|leaf| self.index.branch_to(leaf)).unwrap_or_default();
        let mut places: Vec<(usize, &[OtherBranch])> = Vec::new();
        // Entries without a row may separate places: they are one for the reader.
        for branches in others.chunk_by(|one, next| self.row_after(one.shared) == self.row_after(next.shared))
        {
            places.push((branches.first().map_or(0, |branch| self.row_after(branch.shared)), branches));
        }
        let listed = places.split_off(places.len().saturating_sub(BRANCH_POINTS));
        let mut point = |(row, branches): &(usize, &[OtherBranch])| {
            let mut newest = branches.to_vec();
            newest.sort_by_key(|branch| (current.binary_search(&branch.tip).is_err(), Reverse(branch.tip)));
            newest.truncate(BRANCHES_AT_POINT);
            let more = branches.len() - newest.len();
            let branch = |branch| self.branch(branch, &current, &mut reader);
            BranchPoint { row: *row, branches: newest.iter().map(branch).collect(), more }
        };
        Branches {
            points: listed.iter().map(&mut point).collect(),
            earlier: places.iter().map(|(_, branches)| branches.len()).sum(),
        }
    }

    fn branch(&self, branch: &OtherBranch, current: &[u32], reader: &mut RangeReader<'_>) -> Branch {
        let tip = self.index.entry(branch.tip);
        Branch {
            leaf: self.key_of_entry(branch.leaf, reader),
            time: tip.map_or(0, |tip| if tip.message_time > 0 { tip.message_time } else { tip.time }),
            messages: branch.messages,
            preview: self.preview(branch.first_message, reader).unwrap_or_default(),
            current: current.binary_search(&branch.tip).is_ok(),
        }
    }

    /// The number of rows before this position of the branch.
    fn row_after(&self, shared: usize) -> usize {
        self.rows_before.get(shared).copied().unwrap_or_else(|| self.tail.controller.total())
    }

    fn preview(&self, number: u32, reader: &mut RangeReader<'_>) -> Option<String> {
        let entry = self.index.entry(number).filter(|entry| entry.length <= BRANCH_ENTRY_BYTES)?;
        match reader.read(entry.offset, entry.length).and_then(read_entry)? {
            EntryContent::Message(Message::User { content, .. } | Message::Assistant { content, .. }) => {
                Some(title_from(&content.text()))
            }
            EntryContent::Message(Message::BashExecution { result }) => Some(title_from(&result.command)),
            _ => None,
        }
    }

    /// The text that identifies an entry in an address: its id, unless that is unusable or belongs to another entry, too.
    fn key_of_entry(&self, number: u32, reader: &mut RangeReader<'_>) -> String {
        let entry = self.index.entry(number).filter(|entry| entry.length <= BRANCH_ENTRY_BYTES);
        let id = entry.and_then(|entry| entry_id(reader.read(entry.offset, entry.length)?));
        let is_usable = |id: &String| {
            id.len() <= BRANCH_ID_BYTES && !id.is_empty() && self.index.number_of(id) == Some(number)
        };
        id.filter(is_usable).unwrap_or_else(|| format!("{NUMBER_PREFIX}{number}"))
    }

    /// Whether the branch that the session continues contains all of this one.
    pub fn is_current_branch(&self) -> bool {
        let Some((last, leaf)) = self.active.last().zip(self.index.leaf()) else { return true };
        self.index.branch_to(leaf).binary_search(last).is_ok()
    }

    /// The newest branch with this entry, which is not on the active one.
    pub fn branch_with_entry(&self, entry_id: &str) -> Option<String> {
        self.other_branch_with(self.index.number_of(entry_id)?)
    }

    /// The newest branch with the last message of this time, which is not on the active one.
    pub fn branch_with_message(&self, time: u64) -> Option<String> {
        let last = self.index.entries().iter().rposition(|entry| entry.message_time == time)?;
        self.other_branch_with(u32::try_from(last).ok()?)
    }

    fn other_branch_with(&self, number: u32) -> Option<String> {
        if self.active.binary_search(&number).is_ok() {
            return None;
        }
        let leaf = self.index.leaf_after(number);
        Some(self.key_of_entry(leaf, &mut RangeReader::new(&self.reopen()?)))
    }

    /// Writes a file with the header and the entries of this branch only.
    pub fn write_branch(&self, copy: &mut impl Write) -> io::Result<()> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let file: File = self.reopen().ok_or_else(gone)?;
        let mut reader = RangeReader::new(&file);
        let head = self.index.entries().first().map_or(0, |entry| entry.offset);
        copy.write_all(reader.read(0, usize::try_from(head).unwrap_or(usize::MAX)).ok_or_else(gone)?)?;
        let path = self.active.last().map(|leaf| self.index.ancestors(*leaf)).unwrap_or_default();
        for entry in path.iter().filter_map(|number| self.index.entry(*number)) {
            copy.write_all(reader.read(entry.offset, entry.length).ok_or_else(gone)?)?;
            copy.write_all(b"\n")?;
        }
        copy.flush()
    }
}

/// The entry that a text from `key_of_entry` identifies.
pub(super) fn entry_with_key(index: &SessionIndex, key: &str) -> Option<u32> {
    let by_number = || key.strip_prefix(NUMBER_PREFIX)?.parse::<u32>().ok();
    index.number_of(key).or_else(by_number).filter(|number| index.entry(*number).is_some())
}

/// The extras that belong to this branch for certain: those from before the place at which it leaves the active one.
pub(super) fn extras_before_departure(index: &SessionIndex, branch: &[u32], extras: &[Extra]) -> Vec<Extra> {
    let active = index.active();
    let first_only_in = |entries: &[u32], other: &[u32]| {
        let only = entries.iter().find(|number| other.binary_search(number).is_err());
        only.and_then(|number| index.entry(*number)).map(|entry| entry.time)
    };
    let departure = first_only_in(branch, &active).or_else(|| first_only_in(&active, branch));
    let is_before = |extra: &&Extra| departure.is_none_or(|time| extra.at < time);
    extras.iter().filter(is_before).cloned().collect()
}
