//! What the fuzz targets share: how bytes become a conversation, what must hold of it at every step, and how a
//! snapshot is spoilt. No target lives here, and nothing here knows how the fold does its work.

pub mod hostile;
pub mod rules;
pub mod script;
