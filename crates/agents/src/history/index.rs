//! An index of a session file: the position, parent, time and kind of each entry, without its text. It is fed with the
//! file's bytes in chunks of any size, and later with appended bytes. The active branch is the path from the root to
//! the leaf; the leaf is the last entry with an id.

mod branches;

use std::collections::{BTreeSet, HashMap};

use super::facts::FileFacts;
use super::record::{EntryKind, Parent};
use super::records::{FoundRecord, RecordScanner};

pub use branches::OtherBranch;

/// The position and the indexed fields of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexEntry {
    /// The position of the first byte in the file.
    pub offset: u64,
    pub length: usize,
    pub kind: EntryKind,
    /// The time it was written, in milliseconds since 1970; 0 if unknown.
    pub time: u64,
    /// The time its message was created; 0 if unknown.
    pub message_time: u64,
    /// The number of the previous entry in the branch, which is always smaller.
    parent: Option<u32>,
    /// The nearest message in the branch: this entry, or one before it. See `EntryKind::is_said`.
    message: Option<u32>,
    /// The number of messages in the branch up to here.
    messages: u32,
}

/// The positions and the tree of a session file's entries.
#[derive(Clone, Debug, Default)]
pub struct SessionIndex {
    scanner: RecordScanner,
    tree: Tree,
}

#[derive(Clone, Debug, Default)]
struct Tree {
    facts: FileFacts,
    entries: Vec<IndexEntry>,
    /// The newest entry with each id.
    by_id: HashMap<Box<str>, u32>,
    leaf: Option<u32>,
    /// Entries without an id. They belong to no branch and are shown at their position in the file.
    without_id: Vec<u32>,
    /// The messages after which there is no other: the last of each branch.
    tips: BTreeSet<u32>,
    /// The number of entries that did not continue from the entry before them.
    detours: u64,
}

/// The change of the active branch after more of the file was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Growth {
    /// These entries were added at its end.
    Continued(Vec<u32>),
    /// A different branch is active.
    Moved,
}

impl SessionIndex {
    /// Processes the next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.scanner.feed(bytes, &mut |found| self.tree.add_record(found));
    }

    /// Processes a last record that has no line break yet. To be called at the current end of the file; more bytes may
    /// follow later.
    pub fn flush(&mut self) {
        self.scanner.flush(&mut |found| self.tree.add_record(found));
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

    /// The number of lines, or parts of lines, that are not valid records.
    pub fn skipped_lines(&self) -> usize {
        self.scanner.skipped()
    }

    /// The number of the newest entry with this id.
    pub fn number_of(&self, id: &str) -> Option<u32> {
        self.tree.by_id.get(id).copied()
    }

    /// The numbers of the entries from the root to the leaf, and of those without an id, in file order.
    pub fn active(&self) -> Vec<u32> {
        self.branch_from(0)
    }

    /// The change of the active branch since the index had `known` entries and this leaf.
    pub fn growth(&self, known: u32, leaf: Option<u32>) -> Growth {
        if self.tree.leaf == leaf {
            let added = self.tree.without_id.iter().copied().filter(|number| *number >= known);
            return Growth::Continued(added.collect());
        }
        let mut ancestor = self.tree.leaf;
        while let Some(number) = ancestor.filter(|number| *number >= known) {
            ancestor = self.parent(number);
        }
        if ancestor == leaf { Growth::Continued(self.branch_from(known)) } else { Growth::Moved }
    }

    pub fn leaf(&self) -> Option<u32> {
        self.tree.leaf
    }

    /// The numbers of the active branch that are at least `from`.
    fn branch_from(&self, from: u32) -> Vec<u32> {
        let mut branch: Vec<u32> =
            self.tree.without_id.iter().copied().filter(|number| *number >= from).collect();
        let mut number = self.tree.leaf;
        while let Some(current) = number.filter(|current| *current >= from) {
            branch.push(current);
            number = self.parent(current);
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
        // A missing parent was on a damaged line. The branch then continues from the current leaf, so that the
        // conversation up to here stays visible.
        let parent = record.id.as_ref().and_then(|_| match &record.parent {
            Parent::Absent => None,
            Parent::Id(id) => self.by_id.get(&**id).copied().or(self.leaf),
            Parent::Invalid => self.leaf,
        });
        let before = parent.and_then(|parent| self.entries.get(parent as usize));
        let (mut message, mut messages) = before.map_or((None, 0), |entry| (entry.message, entry.messages));
        if record.id.is_some() {
            self.detours += u64::from(parent != self.leaf);
            if record.kind.is_said() {
                if let Some(before) = message {
                    self.tips.remove(&before);
                }
                self.tips.insert(number);
                (message, messages) = (Some(number), messages + 1);
            }
        }
        self.entries.push(IndexEntry {
            offset: found.offset,
            length: found.bytes.len(),
            kind: record.kind,
            time: record.time.unwrap_or_default(),
            message_time: record.message_time.unwrap_or_default(),
            parent,
            message,
            messages,
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
