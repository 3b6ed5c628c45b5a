//! Full-text search over all sessions. The index is a separate database beside the store, built from the agents' files
//! and rebuilt when it is broken or of another version. A low-priority thread writes it; a search waits at most a
//! moment for pending writes.
//!
//! # Index
//! Users search for identifiers, paths and parts of words, so any sequence of three or more characters must be found
//! anywhere: `house` in `pilothouse`, `Controller` in `MessageController`, and languages without spaces between words.
//! Trigrams do that; words with prefixes (`unicode61`) do not. Measured on 60 MB of source text in 30,000 entries:
//!
//! | index | size |
//! |---|---|
//! | words | 18 MB (39 MB with a prefix index) |
//! | trigrams with positions | 129 MB |
//! | trigrams without positions (`detail=none`) | 22 MB |
//!
//! Indexing trigrams takes six times as long as words, in the background. Without positions the index returns
//! candidates, and the stored text decides; snippets need the text anyway, and it ranks better than trigram counts
//! would. A lookup takes 1 to 30 ms with each of them. In total, 10,000 sessions of 111 MB take 17 s of one core and
//! 139 MB of disk.
//!
//! # Queries
//! Queries have no syntax: every word must occur literally, ignoring case. A query in double quotes is one word.

mod appended_lines;
mod database;
mod find;
mod indexer;
mod query;
mod queue;

#[cfg(test)]
mod index_tests;
#[cfg(test)]
mod query_tests;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};
use pilothouse_core::protocol::SearchResults;
use rusqlite::Connection;

use indexer::Indexer;
use query::SearchQuery;
use queue::{IndexJob, JobQueue};

/// The name of the database in the data folder.
pub const FILE: &str = "search.db";

/// The longest time a search waits for pending writes.
const PENDING_WRITES_TIMEOUT: Duration = Duration::from_secs(2);

/// A handle to the search index. Clones share one index; the last one to be dropped ends its thread.
#[derive(Clone)]
pub struct Search(Arc<SearchIndex>);

struct SearchIndex {
    queue: Arc<JobQueue>,
    /// A separate connection, which reads while the indexer writes.
    reader: Mutex<Connection>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Search {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Search(…)")
    }
}

impl Search {
    /// Opens or creates the index in a data folder and starts the indexer.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let writer = database::open_writer(&path)?;
        let reader =
            database::open_reader(&path).with_context(|| format!("cannot open {}", path.display()))?;
        let queue = Arc::new(JobQueue::default());
        let mut indexer = Indexer::new(writer, path, queue.clone());
        let thread = std::thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || indexer.run())
            .context("cannot start the thread of the search index")?;
        let (reader, thread) = (Mutex::new(reader), Mutex::new(Some(thread)));
        Ok(Self(Arc::new(SearchIndex { queue, reader, thread })))
    }

    /// Notes that the file of a session is new or may have changed. Returns at once; the indexer later reads the
    /// appended lines.
    pub fn note(&self, session: &str, path: &Path, title: &str) {
        self.0.queue.add(session, IndexJob::Update { path: path.to_owned(), title: title.to_owned() });
    }

    /// Removes a session from the index.
    pub fn forget(&self, session: &str) {
        self.0.queue.add(session, IndexJob::Remove);
    }

    /// Returns the hits, best first. Blocks while reading the disk.
    pub fn find(&self, query: &str) -> SearchResults {
        let Some(query) = SearchQuery::parse(query) else { return SearchResults::default() };
        // Finds the newest messages as well, without waiting for a long first indexing.
        self.0.queue.wait_until_idle_for(PENDING_WRITES_TIMEOUT);
        let reader = self.0.reader.lock().unwrap_or_else(PoisonError::into_inner);
        find::find(&reader, &query).unwrap_or_else(|error| {
            tracing::warn!(%error, "search failed");
            SearchResults::default()
        })
    }

    /// Blocks until all noted files are indexed.
    pub fn wait_until_idle(&self) {
        self.0.queue.wait_until_idle();
    }
}

impl Drop for SearchIndex {
    fn drop(&mut self) {
        self.queue.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::warn!("the thread of the search index panicked");
        }
    }
}
