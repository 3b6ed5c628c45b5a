//! Agents as programs: which ones are offered, how they are found and started, and what is left when they end.

pub mod catalogue;
pub mod discovery;
pub mod orphans;
pub mod probe;
pub mod process;
