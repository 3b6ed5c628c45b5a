//! Agents as programs: the catalogue of those that are offered, how they are discovered, started and probed, and how
//! processes that outlive them are ended.

pub mod catalogue;
pub mod discovery;
pub mod orphans;
pub mod probe;
pub mod process;
