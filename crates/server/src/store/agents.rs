//! The capabilities that agents last reported, so that they are offered before a process runs.

use std::collections::HashMap;

use pilothouse_core::json::FromJson;
use pilothouse_core::protocol::Capabilities;
use rusqlite::Connection;

use super::Store;

impl Store {
    /// The capabilities of agents, by name.
    pub fn agent_capabilities(&self) -> HashMap<String, Capabilities> {
        let query = "SELECT name, capabilities FROM agents";
        let found = self.read("the capabilities of agents", query, [], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        });
        let read = |text: String| Capabilities::from_json(serde_json::from_str(&text).ok()?);
        found.into_iter().filter_map(|(name, text)| Some((name, read(text)?))).collect()
    }
}

pub(super) fn set_capabilities(
    transaction: &Connection,
    agent: &str,
    capabilities: &Capabilities,
) -> rusqlite::Result<()> {
    let text = serde_json::to_string(capabilities).unwrap_or_default();
    let statement = "INSERT OR REPLACE INTO agents (name, capabilities) VALUES (?, ?)";
    transaction.prepare_cached(statement)?.execute([agent, &text]).map(drop)
}
