//! What the sidebar needs of a session file, told while its bytes go by, and kept small between two looks: then only
//! the leaf is remembered. If what is appended later does not go on from it, the file has to be read anew.

use std::collections::HashMap;

use pilothouse_core::SessionState;
use pilothouse_core::session::machine::Evidence;

use super::facts::FileFacts;
use super::record::{Parent, Record};
use super::records::{FoundRecord, Records};

#[derive(Clone, Debug, Default)]
pub struct SessionDigest {
    records: Records,
    digest: Digest,
}

/// What the branch up to an entry tells, and which entry told it.
type Told = Option<(u64, Evidence)>;

#[derive(Clone, Debug, Default)]
struct Digest {
    facts: FileFacts,
    count: u64,
    leaf: Option<(Box<str>, Told)>,
    /// Told by entries that belong to no branch.
    nameless: Told,
    /// What each entry tells; let go between two looks.
    told: HashMap<Box<str>, Told>,
    at_rest: bool,
    lost: bool,
}

impl SessionDigest {
    pub fn feed(&mut self, bytes: &[u8]) {
        self.records.feed(bytes, &mut |found| self.digest.add_record(found));
    }

    /// This is the end of the file, for now. Gives the place from which to read on when it has grown.
    pub fn rest(&mut self) -> u64 {
        self.records.end(&mut |found| self.digest.add_record(found));
        self.digest.told = HashMap::new();
        self.digest.at_rest = true;
        self.records.rest()
    }

    /// The branch goes on from somewhere that is not remembered: only the whole file tells.
    pub const fn is_lost(&self) -> bool {
        self.digest.lost
    }

    pub const fn facts(&self) -> &FileFacts {
        &self.digest.facts
    }

    /// The state of a session that nobody runs.
    pub fn resting_state(&self) -> SessionState {
        let branch = self.digest.leaf.as_ref().and_then(|(_, told)| *told);
        let last = if branch.map(|(number, _)| number) > self.digest.nameless.map(|(number, _)| number) {
            branch
        } else {
            self.digest.nameless
        };
        last.map_or_else(Evidence::default, |(_, evidence)| evidence).state()
    }
}

impl Digest {
    fn add_record(&mut self, found: &FoundRecord<'_>) {
        if !self.facts.add_record(found) {
            return;
        }
        let record = &found.record;
        self.count += 1;
        let told = record.evidence.map(|evidence| (self.count, evidence));
        let Some(id) = &record.id else {
            self.nameless = told.or(self.nameless);
            return;
        };
        let told = told.or_else(|| self.told_before(record));
        if !self.at_rest {
            self.told.insert(id.as_ref().into(), told);
        }
        self.leaf = Some((id.as_ref().into(), told));
    }

    fn told_before(&mut self, record: &Record<'_>) -> Told {
        let leaf = self.leaf.as_ref();
        let of_leaf = leaf.and_then(|(_, told)| *told);
        match &record.parent {
            Parent::Nobody => None,
            Parent::Unreadable => of_leaf,
            Parent::Named(parent) if leaf.is_some_and(|(id, _)| **id == **parent) => of_leaf,
            Parent::Named(_) if self.at_rest => {
                self.lost = true;
                None
            }
            Parent::Named(parent) => self.told.get(&**parent).copied().unwrap_or(of_leaf),
        }
    }
}
