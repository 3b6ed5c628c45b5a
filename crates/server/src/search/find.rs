//! Answers a query: titles are all looked at, entries as the index tells them, newest first and within bounds. The
//! best come first; among equals the session that was written last.

use std::cmp::Reverse;
use std::collections::HashMap;

use pilothouse_core::Kind;
use pilothouse_core::limits::{
    SEARCH_CANDIDATE_BYTES, SEARCH_CANDIDATES, SEARCH_CANDIDATES_PER_SESSION, SEARCH_HITS,
    SEARCH_HITS_PER_SESSION, SEARCH_MATCHES, SEARCH_TITLE_HITS,
};
use pilothouse_core::protocol::{SearchHit, SearchResults};
use rusqlite::{Connection, OptionalExtension, Result};

use super::query::{Fit, Query, fold};
use super::snippet::snippet;

const KINDS: [Kind; 7] =
    [Kind::User, Kind::Assistant, Kind::Thinking, Kind::Tool, Kind::Bash, Kind::Error, Kind::System];

struct Session {
    id: String,
    title: String,
    modified: i64,
}

struct Found {
    session: i64,
    /// None: its title.
    document: Option<i64>,
    fit: Fit,
    /// Somebody's words, as opposed to a tool's.
    is_said: bool,
}

pub(super) fn find(connection: &Connection, query: &Query) -> Result<SearchResults> {
    // One view of all tables, whatever the indexer writes meanwhile.
    let view = connection.unchecked_transaction()?;
    let sessions = sessions(&view)?;
    let mut found: Vec<Found> = sessions
        .iter()
        .filter_map(|(number, session)| {
            let fit = query.fit(&fold(&session.title))?;
            Some(Found { session: *number, document: None, fit, is_said: true })
        })
        .collect();
    let mut more = entries(&view, query, &mut found)?;
    let modified = |found: &Found| sessions.get(&found.session).map_or(0, |session| session.modified);
    found.sort_by_cached_key(|found| {
        let is_title = found.document.is_none();
        Reverse((found.fit, is_title, modified(found), found.session, found.is_said, found.document))
    });
    let mut of_session: HashMap<i64, usize> = HashMap::new();
    let mut hits = Vec::new();
    let mut room_for_titles = room_for_titles(&found);
    for found in found {
        if found.document.is_none() {
            if room_for_titles == 0 {
                more = true;
                continue;
            }
            room_for_titles -= 1;
        }
        let count = of_session.entry(found.session).or_default();
        *count += 1;
        if *count > SEARCH_HITS_PER_SESSION || hits.len() >= SEARCH_HITS {
            more = true;
            continue;
        }
        let Some(session) = sessions.get(&found.session) else { continue };
        hits.extend(hit(&view, query, session, found.document)?);
    }
    Ok(SearchResults { hits, more })
}

/// Titles have the room that entries leave, and a share of it in any case.
fn room_for_titles(found: &[Found]) -> usize {
    let mut of_session: HashMap<i64, usize> = HashMap::new();
    for found in found.iter().filter(|found| found.document.is_some()) {
        *of_session.entry(found.session).or_default() += 1;
    }
    let entries: usize = of_session.into_values().map(|count| count.min(SEARCH_HITS_PER_SESSION)).sum();
    SEARCH_HITS.saturating_sub(entries).max(SEARCH_TITLE_HITS)
}

fn sessions(connection: &Connection) -> Result<HashMap<i64, Session>> {
    let mut statement = connection.prepare_cached("SELECT number, id, title, modified FROM sessions")?;
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, Session { id: row.get(1)?, title: row.get(2)?, modified: row.get(3)? }))
    })?;
    rows.collect()
}

/// Adds the entries that fit; tells whether some were not looked at.
fn entries(connection: &Connection, query: &Query, found: &mut Vec<Found>) -> Result<bool> {
    let expression = query.expression();
    let candidates = match &expression {
        Some(_) => {
            "SELECT documents.number, documents.session, documents.kind FROM trigrams
            JOIN documents ON documents.number = trigrams.rowid
            WHERE trigrams MATCH ? ORDER BY trigrams.rowid DESC"
        }
        // Too short for the index: the newest are looked at one by one.
        None => "SELECT number, session, kind FROM documents ORDER BY number DESC",
    };
    let mut candidates = connection.prepare_cached(candidates)?;
    let mut rows = candidates.query(rusqlite::params_from_iter(expression))?;
    let mut text = connection.prepare_cached("SELECT text FROM documents WHERE number = ?")?;
    let mut of_session: HashMap<i64, usize> = HashMap::new();
    let (mut looked_at, mut bytes, mut more) = (0, 0, false);
    let titles = found.len();
    while let Some(row) = rows.next()? {
        let is_enough = found.len() >= titles + SEARCH_MATCHES;
        if is_enough || looked_at >= SEARCH_CANDIDATES || bytes >= SEARCH_CANDIDATE_BYTES {
            return Ok(true);
        }
        looked_at += 1;
        let (number, session): (i64, i64) = (row.get(0)?, row.get(1)?);
        let count = of_session.entry(session).or_default();
        if *count >= SEARCH_CANDIDATES_PER_SESSION {
            more = true;
            continue;
        }
        let fit = text.query_row([number], |row| {
            let text = row.get_ref(0)?.as_str()?;
            bytes += text.len();
            Ok(query.fit(&fold(text)))
        })?;
        if let Some(fit) = fit {
            *count += 1;
            let kind = row.get_ref(2)?.as_str()?;
            let is_said = ![Kind::Tool, Kind::Bash].iter().any(|tool| tool.name() == kind);
            found.push(Found { session, document: Some(number), fit, is_said });
        }
    }
    Ok(more)
}

fn hit(
    connection: &Connection,
    query: &Query,
    session: &Session,
    document: Option<i64>,
) -> Result<Option<SearchHit>> {
    let session_id = session.id.clone();
    let Some(document) = document else {
        let snippet = snippet(query, &session.title);
        return Ok(Some(SearchHit { session_id, entry: None, kind: Kind::System, snippet }));
    };
    let mut statement =
        connection.prepare_cached("SELECT kind, entry, text FROM documents WHERE number = ?")?;
    let hit = statement.query_row([document], |row| {
        let (kind, entry): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(SearchHit {
            session_id,
            entry: Some(entry).filter(|entry| !entry.is_empty()),
            kind: KINDS.into_iter().find(|known| known.name() == kind).unwrap_or_default(),
            snippet: snippet(query, row.get_ref(2)?.as_str()?),
        })
    });
    hit.optional()
}
