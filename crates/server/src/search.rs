//! Full-text search over all sessions: an index of its own beside the store, made of the agents' files and made anew
//! whenever it is broken or of another version. One thread of low priority writes it; only a search waits a moment for that.
//!
//! **How words are found.** People search for identifiers, paths and pieces of words, so any piece of three letters
//! or more must be found wherever it stands: `house` in `pilothouse`, `Controller` in `MessageController`, and
//! languages that put no spaces between words. Trigrams do that, words with prefixes (`unicode61`) do not. Measured
//! on 60 MB of source text in 30,000 entries: words 18 MB (39 MB with a prefix index), trigrams with positions
//! 129 MB, trigrams that know only in which entry they are (`detail=none`) 22 MB, at the price of six times the
//! words' time for indexing, which nobody waits for. Without positions the index gives candidates, and the stored
//! text decides; that is needed for snippets anyway, and ranks better than counting trigrams would. A lookup takes
//! 1 to 30 ms in each of them. The whole: 10,000 sessions of 111 MB take 17 s of one core and 139 MB of disk.
//!
//! Queries have no syntax: every word must occur, as it stands, in any case; a query in double quotes is one word.
//! Here are no routes and no wire: `hub` tells of files, `socket` asks.

mod batches;
mod database;
mod documents;
mod find;
mod growth;
mod indexer;
mod jobs;
mod query;
mod snippet;

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
use jobs::{Job, Jobs};
use query::Query;

/// The file in the data folder.
pub const FILE: &str = "search.db";

/// How long a search waits for the index to have what was written last: its thread gives way to all others.
const FRESH: Duration = Duration::from_secs(2);

/// A handle: clones share one index, whose thread ends with the last of them.
#[derive(Clone)]
pub struct Search(Arc<Shared>);

struct Shared {
    jobs: Arc<Jobs>,
    /// Reads what was written last, while the indexer writes.
    reader: Mutex<Connection>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Search {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Search(…)")
    }
}

impl Search {
    /// Opens the index of a data folder, or begins it.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let writer = database::open(&path)?;
        let reader =
            database::reader(&path).with_context(|| format!("{} cannot be opened", path.display()))?;
        let jobs = Arc::new(Jobs::default());
        let mut indexer = Indexer::new(writer, path, jobs.clone());
        let thread = std::thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || indexer.run())
            .context("the system gives no thread for the search")?;
        let (reader, thread) = (Mutex::new(reader), Mutex::new(Some(thread)));
        Ok(Self(Arc::new(Shared { jobs, reader, thread })))
    }

    /// The file of a session is new or may have changed. Costs next to nothing: it is looked at later, and only what
    /// was added is read.
    pub fn note(&self, session: &str, path: &Path, title: &str) {
        self.0.jobs.add(session, Job::Look { path: path.to_owned(), title: title.to_owned() });
    }

    /// The session is gone.
    pub fn forget(&self, session: &str) {
        self.0.jobs.add(session, Job::Forget);
    }

    /// Best first. Takes a moment and reads the disk: not for a thread that others wait for.
    pub fn find(&self, query: &str) -> SearchResults {
        let Some(query) = Query::parse(query) else { return SearchResults::default() };
        // What was said a moment ago is found as well; a long first look is not waited for.
        self.0.jobs.wait_for(FRESH);
        let reader = self.0.reader.lock().unwrap_or_else(PoisonError::into_inner);
        find::find(&reader, &query).unwrap_or_else(|error| {
            tracing::warn!(%error, "the search failed");
            SearchResults::default()
        })
    }

    /// Returns when all that was noted has been looked at.
    pub fn wait_until_idle(&self) {
        self.0.jobs.wait_until_idle();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.jobs.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::warn!("the thread of the search has failed");
        }
    }
}
