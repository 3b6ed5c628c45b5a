//! Where everything stands in a session file: per entry its place, its parent, its time and its kind; no text of it.
//! Fed with the file's bytes in any pieces, and with what is appended later. The conversation is the path from the
//! root to the leaf, which is the last entry with an id.

use std::collections::HashMap;

use super::facts::FileFacts;
use super::record::{EntryKind, Parent};
use super::records::{FoundRecord, Records};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexEntry {
    /// In the file.
    pub offset: u64,
    pub length: usize,
    pub kind: EntryKind,
    /// When it was written, in milliseconds since 1970; 0 if it does not say.
    pub time: u64,
    /// When its message was made; 0 if it does not say.
    pub message_time: u64,
    /// The number of the entry before it in its branch, always a smaller one.
    parent: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct SessionIndex {
    records: Records,
    tree: Tree,
}

#[derive(Clone, Debug, Default)]
struct Tree {
    facts: FileFacts,
    entries: Vec<IndexEntry>,
    /// The newest entry of each id.
    by_id: HashMap<Box<str>, u32>,
    leaf: Option<u32>,
    /// Entries without an id, which belong to no branch and are shown where they stand.
    without_id: Vec<u32>,
}

/// How the active branch is after more was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Growth {
    /// It goes on with these entries.
    Continued(Vec<u32>),
    /// It is another one.
    Moved,
}

impl SessionIndex {
    /// Takes in what comes next in the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.records.feed(bytes, &mut |found| self.tree.add_record(found));
    }

    /// This is the end of the file, for now.
    pub fn end(&mut self) {
        self.records.end(&mut |found| self.tree.add_record(found));
    }

    pub fn facts(&self) -> &FileFacts {
        &self.tree.facts
    }

    pub fn entries(&self) -> &[IndexEntry] {
        &self.tree.entries
    }

    pub fn entry(&self, number: u32) -> Option<&IndexEntry> {
        self.tree.entries.get(number as usize)
    }

    /// Lines, or parts of them, that could not be read.
    pub fn skipped_lines(&self) -> usize {
        self.records.skipped()
    }

    pub fn number_of(&self, id: &str) -> Option<u32> {
        self.tree.by_id.get(id).copied()
    }

    /// The numbers of the entries from the root to the leaf, and of those without an id, as they stand in the file.
    pub fn active(&self) -> Vec<u32> {
        self.branch(None)
    }

    /// What became of the active branch since there were `known` entries and this leaf was its last.
    pub fn growth(&self, known: u32, leaf: Option<u32>) -> Growth {
        if self.tree.leaf == leaf {
            let without_id = self.tree.without_id.iter().copied().filter(|number| *number >= known);
            return Growth::Continued(without_id.collect());
        }
        let mut oldest = self.tree.leaf;
        while let Some(number) = oldest.filter(|number| *number >= known) {
            oldest = self.parent(number);
        }
        if oldest == leaf { Growth::Continued(self.branch(Some(known))) } else { Growth::Moved }
    }

    pub fn leaf(&self) -> Option<u32> {
        self.tree.leaf
    }

    fn branch(&self, from: Option<u32>) -> Vec<u32> {
        let from = from.unwrap_or_default();
        let mut branch: Vec<u32> =
            self.tree.without_id.iter().copied().filter(|number| *number >= from).collect();
        let mut number = self.tree.leaf;
        while let Some(here) = number.filter(|here| *here >= from) {
            branch.push(here);
            number = self.parent(here);
        }
        branch.sort_unstable();
        branch
    }

    fn parent(&self, number: u32) -> Option<u32> {
        self.entry(number)?.parent
    }
}

impl Tree {
    fn add_record(&mut self, found: &FoundRecord<'_>) {
        if !self.facts.add_record(found) {
            return;
        }
        let Ok(number) = u32::try_from(self.entries.len()) else { return };
        let record = &found.record;
        // A parent that is not there was on a line that is lost: what stands before goes on being shown.
        let parent = record.id.as_ref().and_then(|_| match &record.parent {
            Parent::Nobody => None,
            Parent::Named(id) => self.by_id.get(&**id).copied().or(self.leaf),
            Parent::Unreadable => self.leaf,
        });
        self.entries.push(IndexEntry {
            offset: found.offset,
            length: found.bytes.len(),
            kind: record.kind,
            time: record.time.unwrap_or_default(),
            message_time: record.message_time.unwrap_or_default(),
            parent,
        });
        match &record.id {
            Some(id) => {
                self.by_id.insert(id.as_ref().into(), number);
                self.leaf = Some(number);
            }
            None => self.without_id.push(number),
        }
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
