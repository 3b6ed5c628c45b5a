//! The branches of a file. A branch is the path from the root to an entry; it counts as another branch if it has a message
//! of its own. The cost is linear in the number of entries, however many branches there are.

use std::collections::BTreeMap;

use super::super::record::{EntryKind, Role};
use super::{IndexEntry, SessionIndex};

/// A branch that leaves a given path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherBranch {
    /// The number of entries of the path before the place at which the branch leaves it.
    pub shared: usize,
    /// Its last entry.
    pub leaf: u32,
    /// Its last message.
    pub tip: u32,
    /// The first message of the user after that place, or any message if there is none.
    pub first_message: u32,
    /// The number of messages after that place.
    pub messages: usize,
}

/// The last entry that a branch shares with the path, and its first own message.
#[derive(Clone, Copy, Debug, Default)]
struct Departure {
    /// The last entry of the path.
    from: Option<u32>,
    first_message: Option<u32>,
}

impl SessionIndex {
    /// The numbers of the entries from the root to this one, in file order, without those that have no id.
    pub fn ancestors(&self, number: u32) -> Vec<u32> {
        let mut path: Vec<u32> = std::iter::successors(Some(number), |number| self.parent(*number)).collect();
        path.reverse();
        path
    }

    /// The branch that ends with this entry, as `active` returns it.
    pub fn branch_to(&self, number: u32) -> Vec<u32> {
        let mut branch = self.ancestors(number);
        branch.extend(self.tree.without_id.iter().filter(|other| **other <= number));
        branch.sort_unstable();
        branch.dedup();
        branch
    }

    /// A number that changes whenever branches other than the active one may have changed.
    pub const fn detours(&self) -> u64 {
        self.tree.detours
    }

    /// The branches that leave this path, which `active` or `branch_to` returned: by the place at which they leave it,
    /// at one place the newest first.
    pub fn other_branches(&self, path: &[u32]) -> Vec<OtherBranch> {
        let is_on_path = |number: u32| path.binary_search(&number).is_ok();
        if self.tree.tips.iter().all(|tip| is_on_path(*tip)) {
            return Vec::new();
        }
        let departures = self.departures(path);
        let leaves = self.leaves();
        let mut branches: Vec<OtherBranch> = Vec::new();
        for tip in self.tree.tips.iter().rev().copied().filter(|tip| !is_on_path(*tip)) {
            let departure = departures.get(tip as usize).copied().unwrap_or_default();
            let messages = |number: u32| self.entry(number).map_or(0, |entry| entry.messages);
            let shared =
                departure.from.and_then(|from| path.binary_search(&from).ok()).map_or(0, |at| at + 1);
            branches.push(OtherBranch {
                shared,
                leaf: leaves.get(&tip).copied().unwrap_or(tip),
                tip,
                first_message: departure.first_message.unwrap_or(tip),
                messages: (messages(tip) - departure.from.map_or(0, messages)) as usize,
            });
        }
        branches.sort_by_key(|branch| branch.shared);
        branches
    }

    /// For each entry, the place at which its branch leaves the path. A parent comes before its children.
    fn departures(&self, path: &[u32]) -> Vec<Departure> {
        let mut departures: Vec<Departure> = Vec::with_capacity(self.entries().len());
        let mut path = path.iter().copied().peekable();
        for (number, entry) in (0..).zip(self.entries()) {
            if path.next_if_eq(&number).is_some() {
                departures.push(Departure { from: Some(number), first_message: None });
                continue;
            }
            let parent = entry.parent.and_then(|parent| departures.get(parent as usize));
            let mut departure = parent.copied().unwrap_or_default();
            let is_user = |number: u32| {
                self.entry(number).is_some_and(|entry| entry.kind == EntryKind::Message(Role::User))
            };
            let is_better = match departure.first_message {
                None => entry.kind.is_said(),
                Some(first) => is_user(number) && !is_user(first),
            };
            if is_better {
                departure.first_message = Some(number);
            }
            departures.push(departure);
        }
        departures
    }

    /// The newest entry after each last message, up to the end of its branch.
    fn leaves(&self) -> BTreeMap<u32, u32> {
        let mut leaves = BTreeMap::new();
        for (number, entry) in (0..).zip(self.entries()) {
            if let Some(message) = entry.message.filter(|message| self.tree.tips.contains(message)) {
                leaves.insert(message, number);
            }
        }
        leaves
    }

    /// The last entry of the newest branch that contains this entry.
    pub fn leaf_after(&self, number: u32) -> u32 {
        let start = number as usize;
        let entries: &[IndexEntry] = self.entries().get(start..).unwrap_or_default();
        let mut is_after = vec![false; entries.len()];
        let (mut tip, mut newest) = (None, number);
        for (index, entry) in entries.iter().enumerate() {
            let parent = entry.parent.and_then(|parent| (parent as usize).checked_sub(start));
            is_after[index] = index == 0 || parent.is_some_and(|parent| is_after[parent]);
            let this = number.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
            if !is_after[index] {
                continue;
            }
            // Entries after another tip end another branch.
            if self.tree.tips.contains(&this) {
                tip = Some(this);
            }
            if tip.is_none() || entry.message == tip {
                newest = this;
            }
        }
        newest
    }
}

#[cfg(test)]
#[path = "branches_tests.rs"]
mod tests;
