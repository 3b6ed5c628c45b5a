//! Shared code of the fuzz targets: `script` turns bytes into a conversation, `rules` checks it after every step,
//! and `hostile` corrupts snapshots. It uses only the public interface of the reducer.

pub mod hostile;
pub mod rules;
pub mod script;
