//! The branches of a session's file. A conversation branches when an earlier message is edited, when an agent goes back, or
//! when two programs continue it. The branch of the last entry is the one that the session continues.

use serde::{Deserialize, Serialize};

use super::is_false;
use crate::json::FromJson;

/// The branches of a session's file besides the one that is shown, by the place at which they leave it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct Branches {
    /// In the order of the conversation. Of too many places only the last are listed.
    pub points: Vec<BranchPoint>,
    /// The number of branches at places before those listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub earlier: usize,
}

/// A place at which other branches leave the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct BranchPoint {
    /// The number of rows before the place, which the branches share.
    pub row: usize,
    /// The one that the session continues, then the newest. The rest of too many is not listed.
    pub branches: Vec<Branch>,
    /// The number of branches that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct Branch {
    /// The last entry, which identifies the branch.
    pub leaf: String,
    /// The time of its last message, in milliseconds since 1970; 0 if unknown.
    #[serde(default)]
    pub time: u64,
    /// The number of messages after the place at which it leaves the conversation.
    #[serde(default)]
    pub messages: usize,
    /// The beginning of the first of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preview: String,
    /// The session continues this branch.
    #[serde(default, skip_serializing_if = "is_false")]
    pub current: bool,
}

impl Branches {
    pub const fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The place after this number of rows.
    pub fn at(&self, row: usize) -> Option<&BranchPoint> {
        self.points.iter().find(|point| point.row == row)
    }

    /// Whether this branch is listed.
    pub fn contains(&self, leaf: &str) -> bool {
        self.points.iter().flat_map(|point| &point.branches).any(|branch| branch.leaf == leaf)
    }
}

impl BranchPoint {
    /// The number of branches, listed or not.
    pub const fn count(&self) -> usize {
        self.branches.len() + self.more
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}
