//! The data of a session's sidebar row, computed while the bytes of its file pass through.
//!
//! Between two reads only the leaf is remembered, to keep thousands of digests small. If an appended entry continues
//! from any other entry, the file has to be read again from the start.

use std::collections::HashMap;

use pilothouse_core::SessionState;
use pilothouse_core::session::machine::Evidence;

use super::facts::FileFacts;
use super::record::{Parent, Record};
use super::records::{FoundRecord, RecordScanner};

/// The facts and the resting state of a session file.
#[derive(Clone, Debug, Default)]
pub struct SessionDigest {
    scanner: RecordScanner,
    state: DigestState,
}

/// The newest evidence of a branch, with the number of the entry it comes from.
type NumberedEvidence = Option<(u64, Evidence)>;

#[derive(Clone, Debug, Default)]
struct DigestState {
    facts: FileFacts,
    entry_count: u64,
    /// The last entry with an id, and the evidence of the branch it ends.
    leaf: Option<(Box<str>, NumberedEvidence)>,
    /// From entries without an id, which belong to no branch.
    evidence_without_id: NumberedEvidence,
    /// The evidence of the branch that ends at each entry; dropped by `suspend`.
    evidence_by_id: HashMap<Box<str>, NumberedEvidence>,
    was_suspended: bool,
    needs_full_read: bool,
}

impl SessionDigest {
    /// Processes the next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.scanner.feed(bytes, &mut |found| self.state.add_record(found));
    }

    /// Ends a read at the current end of the file and drops everything not needed to continue. Returns the offset from
    /// which to continue when the file has grown.
    pub fn suspend(&mut self) -> u64 {
        self.scanner.flush(&mut |found| self.state.add_record(found));
        self.state.evidence_by_id = HashMap::new();
        self.state.was_suspended = true;
        self.scanner.suspend()
    }

    /// Whether the branch continues from an entry that is no longer remembered: the file has to be read from the start.
    pub const fn needs_full_read(&self) -> bool {
        self.state.needs_full_read
    }

    pub const fn facts(&self) -> &FileFacts {
        &self.state.facts
    }

    /// The state of the session while no agent runs it.
    pub fn resting_state(&self) -> SessionState {
        let of_branch = self.state.leaf.as_ref().and_then(|(_, evidence)| *evidence);
        let without_id = self.state.evidence_without_id;
        let number = |evidence: NumberedEvidence| evidence.map(|(number, _)| number);
        let newest = if number(of_branch) > number(without_id) { of_branch } else { without_id };
        newest.map_or_else(Evidence::default, |(_, evidence)| evidence).state()
    }
}

impl DigestState {
    fn add_record(&mut self, found: &FoundRecord<'_>) {
        if !self.facts.add_record(found) {
            return;
        }
        let record = &found.record;
        self.entry_count += 1;
        let own_evidence = record.evidence.map(|evidence| (self.entry_count, evidence));
        let Some(id) = &record.id else {
            self.evidence_without_id = own_evidence.or(self.evidence_without_id);
            return;
        };
        let evidence = own_evidence.or_else(|| self.parent_evidence(record));
        if !self.was_suspended {
            self.evidence_by_id.insert(id.as_ref().into(), evidence);
        }
        self.leaf = Some((id.as_ref().into(), evidence));
    }

    fn parent_evidence(&mut self, record: &Record<'_>) -> NumberedEvidence {
        let leaf = self.leaf.as_ref();
        let leaf_evidence = leaf.and_then(|(_, evidence)| *evidence);
        match &record.parent {
            Parent::Absent => None,
            Parent::Invalid => leaf_evidence,
            Parent::Id(parent) if leaf.is_some_and(|(id, _)| **id == **parent) => leaf_evidence,
            Parent::Id(_) if self.was_suspended => {
                self.needs_full_read = true;
                None
            }
            Parent::Id(parent) => self.evidence_by_id.get(&**parent).copied().unwrap_or(leaf_evidence),
        }
    }
}
