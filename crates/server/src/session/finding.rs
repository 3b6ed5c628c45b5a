//! Finding places in one conversation: where a hit of a search is shown, which rows have certain words. And files of
//! the project. Nobody waits for it but the page that asked.

use std::sync::PoisonError;

use pilothouse_core::limits::{PAGE_ROWS, QUERY_BYTES};
use pilothouse_core::protocol::{FoundFiles, FoundRows};
use pilothouse_core::render::find::Needle;
use serde_json::json;

use super::requests::Waiter;
use super::{Session, opening};
use crate::session::file_names;

impl Session {
    /// Where a hit of a search is shown.
    pub(super) fn find_row(&self, waiter: Waiter, entry: String) {
        let looking = (self.origin.clone(), self.hub.clone());
        tokio::spawn(async move {
            let found = tokio::task::spawn_blocking(move || {
                opening::read_beside(&looking.0, &looking.1)?.row_of_entry(&entry)
            });
            let row = found.await.ok().flatten();
            waiter.respond(match row {
                Some(row) => Ok(json!({ "row": row })),
                None => Err("This is not part of the conversation any more.".to_owned()),
            });
        });
    }

    pub(super) fn find_files(&self, waiter: Waiter, query: String) {
        if query.len() > QUERY_BYTES {
            return waiter.respond(Err("No path is as long as that.".to_owned()));
        }
        let folder = self.origin.cwd.clone();
        tokio::task::spawn_blocking(move || {
            let paths = file_names::find(&folder, &query);
            waiter.respond(Ok(json!(FoundFiles { paths })));
        });
    }

    pub(super) fn find_rows(&self, waiter: Waiter, query: &str) {
        if query.len() > QUERY_BYTES {
            return waiter
                .respond(Err(format!("This is too long to look for: {QUERY_BYTES} bytes are the most.")));
        }
        let Some(needle) = Needle::new(query) else {
            return waiter.respond(Err("Type some words to look for.".to_owned()));
        };
        let first = self.view.controller.first();
        // What a row shows takes reading its Markdown: not in the session's own loop.
        let held = self.view.controller.rows().to_vec();
        let history = self.history.clone().filter(|_| first > 0);
        tokio::task::spawn_blocking(move || {
            let mut rows = Vec::new();
            let mut before = first;
            while let Some(history) = history.as_ref().filter(|_| before > 0) {
                // The session itself needs it now and then.
                let page = history.lock().unwrap_or_else(PoisonError::into_inner).rows(before, PAGE_ROWS);
                let Some(page) = page else { break };
                before = page.first;
                let found = page.messages.iter().enumerate().rev().filter(|(_, row)| needle.is_in(row));
                rows.extend(found.map(|(index, _)| page.first + index));
            }
            rows.reverse();
            let held = held.iter().enumerate().filter(|(_, row)| needle.is_in(row));
            rows.extend(held.map(|(index, _)| first + index));
            waiter.respond(Ok(json!(FoundRows { rows })));
        });
    }
}
