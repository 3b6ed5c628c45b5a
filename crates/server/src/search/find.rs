//! Executes a query: checks all titles, and the entries that the index proposes, newest first and within limits. Hits
//! are sorted by relevance, then by the session's modification time, and shown as snippets.

use std::cmp::Reverse;
use std::collections::HashMap;

use pilothouse_core::Kind;
use pilothouse_core::limits::{
    SEARCH_CANDIDATE_BYTES, SEARCH_CANDIDATES, SEARCH_CANDIDATES_PER_SESSION, SEARCH_HITS,
    SEARCH_HITS_PER_SESSION, SEARCH_MATCHES, SEARCH_TITLE_HITS, SNIPPET_CHARACTERS,
};
use pilothouse_core::protocol::{Piece, SearchHit, SearchResults};
use rusqlite::{Connection, OptionalExtension, Result};

use super::query::{Relevance, SearchQuery, fold};

const KINDS: [Kind; 7] =
    [Kind::User, Kind::Assistant, Kind::Thinking, Kind::Tool, Kind::Bash, Kind::Error, Kind::System];

/// The number of matches per word considered for the best snippet.
const SNIPPET_MATCHES: usize = 200;

/// The number of characters shown before the first match of a snippet.
const SNIPPET_LEAD: usize = SNIPPET_CHARACTERS / 4;

struct SessionRow {
    id: String,
    title: String,
    modified: i64,
}

/// A title or an entry that contains all words of the query.
struct MatchingText {
    session: i64,
    /// The number of the entry's document; `None` for a title.
    document: Option<i64>,
    relevance: Relevance,
    /// Written by the user or the model, as opposed to tool output.
    is_message: bool,
}

pub(super) fn find(connection: &Connection, query: &SearchQuery) -> Result<SearchResults> {
    // A consistent view of all tables while the indexer writes.
    let view = connection.unchecked_transaction()?;
    let sessions = read_sessions(&view)?;
    let mut matching: Vec<MatchingText> = sessions
        .iter()
        .filter_map(|(number, session)| {
            let relevance = query.relevance(&fold(&session.title))?;
            Some(MatchingText { session: *number, document: None, relevance, is_message: true })
        })
        .collect();
    let mut more = add_matching_entries(&view, query, &mut matching)?;
    let modified = |session: i64| sessions.get(&session).map_or(0, |session| session.modified);
    matching.sort_by_cached_key(|text| {
        let is_title = text.document.is_none();
        Reverse((
            text.relevance,
            is_title,
            modified(text.session),
            text.session,
            text.is_message,
            text.document,
        ))
    });
    let mut hits_by_session: HashMap<i64, usize> = HashMap::new();
    let mut hits = Vec::new();
    let mut titles_left = title_limit(&matching);
    for text in matching {
        if text.document.is_none() {
            if titles_left == 0 {
                more = true;
                continue;
            }
            titles_left -= 1;
        }
        let count = hits_by_session.entry(text.session).or_default();
        *count += 1;
        if *count > SEARCH_HITS_PER_SESSION || hits.len() >= SEARCH_HITS {
            more = true;
            continue;
        }
        let Some(session) = sessions.get(&text.session) else { continue };
        hits.extend(read_hit(&view, query, session, text.document)?);
    }
    Ok(SearchResults { hits, more })
}

/// The number of titles among the hits: the space that entries leave, and at least `SEARCH_TITLE_HITS`.
fn title_limit(matching: &[MatchingText]) -> usize {
    let mut entries_by_session: HashMap<i64, usize> = HashMap::new();
    for text in matching.iter().filter(|text| text.document.is_some()) {
        *entries_by_session.entry(text.session).or_default() += 1;
    }
    let entries: usize =
        entries_by_session.into_values().map(|count| count.min(SEARCH_HITS_PER_SESSION)).sum();
    SEARCH_HITS.saturating_sub(entries).max(SEARCH_TITLE_HITS)
}

fn read_sessions(connection: &Connection) -> Result<HashMap<i64, SessionRow>> {
    let mut statement = connection.prepare_cached("SELECT number, id, title, modified FROM sessions")?;
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, SessionRow { id: row.get(1)?, title: row.get(2)?, modified: row.get(3)? }))
    })?;
    rows.collect()
}

/// Adds the entries that match. Returns whether a limit was reached before all candidates were checked.
fn add_matching_entries(
    connection: &Connection,
    query: &SearchQuery,
    matching: &mut Vec<MatchingText>,
) -> Result<bool> {
    let expression = query.fts_expression();
    let candidates = match &expression {
        Some(_) => {
            "SELECT documents.number, documents.session, documents.kind FROM trigrams
            JOIN documents ON documents.number = trigrams.rowid
            WHERE trigrams MATCH ? ORDER BY trigrams.rowid DESC"
        }
        // All words are too short for the index: the newest entries are checked one by one.
        None => "SELECT number, session, kind FROM documents ORDER BY number DESC",
    };
    let mut candidates = connection.prepare_cached(candidates)?;
    let mut rows = candidates.query(rusqlite::params_from_iter(expression))?;
    let mut text = connection.prepare_cached("SELECT text FROM documents WHERE number = ?")?;
    let mut matches_by_session: HashMap<i64, usize> = HashMap::new();
    let (mut checked, mut bytes, mut more) = (0, 0, false);
    let titles = matching.len();
    while let Some(row) = rows.next()? {
        let is_enough = matching.len() >= titles + SEARCH_MATCHES;
        if is_enough || checked >= SEARCH_CANDIDATES || bytes >= SEARCH_CANDIDATE_BYTES {
            return Ok(true);
        }
        checked += 1;
        let (number, session): (i64, i64) = (row.get(0)?, row.get(1)?);
        let count = matches_by_session.entry(session).or_default();
        if *count >= SEARCH_CANDIDATES_PER_SESSION {
            more = true;
            continue;
        }
        let relevance = text.query_row([number], |row| {
            let text = row.get_ref(0)?.as_str()?;
            bytes += text.len();
            Ok(query.relevance(&fold(text)))
        })?;
        if let Some(relevance) = relevance {
            *count += 1;
            let kind = row.get_ref(2)?.as_str()?;
            let is_message = ![Kind::Tool, Kind::Bash].iter().any(|tool| tool.name() == kind);
            matching.push(MatchingText { session, document: Some(number), relevance, is_message });
        }
    }
    Ok(more)
}

fn read_hit(
    connection: &Connection,
    query: &SearchQuery,
    session: &SessionRow,
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

/// A line of the text around the densest matches, divided into matching and other pieces.
pub(super) fn snippet(query: &SearchQuery, text: &str) -> Vec<Piece> {
    let folded = fold(text);
    // Folding preserves the number of characters, not of bytes.
    let original: Vec<char> = text.chars().collect();
    let matches = character_ranges(&folded, &query.matches(&folded, SNIPPET_MATCHES));
    let start = densest_match(&matches).saturating_sub(SNIPPET_LEAD);
    let end = (start + SNIPPET_CHARACTERS).min(original.len());
    let mut pieces = Vec::new();
    if start > 0 {
        add_piece(&mut pieces, "…".chars(), false);
    }
    let mut position = start;
    for (from, to) in matches.into_iter().filter(|(from, to)| *to > start && *from < end) {
        let (from, to) = (from.max(position), to.min(end));
        add_piece(&mut pieces, original[position..from].iter().copied(), false);
        add_piece(&mut pieces, original[from..to].iter().copied(), true);
        position = to;
    }
    add_piece(&mut pieces, original[position..end].iter().copied(), false);
    if end < original.len() {
        add_piece(&mut pieces, "…".chars(), false);
    }
    pieces
}

/// The start of the first match that has the most other matches within a snippet's length after it.
fn densest_match(matches: &[(usize, usize)]) -> usize {
    let count_after = |(start, _): &(usize, usize)| {
        let end = start + SNIPPET_CHARACTERS - SNIPPET_LEAD;
        matches.iter().filter(|(from, to)| from >= start && *to <= end).count()
    };
    // `max_by_key` returns the last maximum: reversed, that is the first.
    let densest = matches.iter().rev().max_by_key(|range| count_after(range));
    densest.map_or(0, |(start, _)| *start)
}

/// Converts sorted byte ranges into character ranges.
fn character_ranges(text: &str, byte_ranges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let (mut byte, mut character) = (0, 0);
    let mut advance = |to: usize| {
        character += text[byte..to].chars().count();
        byte = to;
        character
    };
    byte_ranges.iter().map(|(start, end)| (advance(*start), advance(*end))).collect()
}

/// Adds a piece on the same line: runs of white space and control characters become one space.
fn add_piece(pieces: &mut Vec<Piece>, characters: impl Iterator<Item = char>, found: bool) {
    if pieces.last().is_none_or(|last| last.found != found) {
        pieces.push(Piece { text: String::new(), found });
    }
    for character in characters {
        let is_blank = character.is_whitespace() || character.is_control();
        let character = if is_blank { ' ' } else { character };
        let previous = pieces.iter().rev().find_map(|piece| piece.text.chars().next_back());
        if let Some(last) =
            pieces.last_mut().filter(|_| !is_blank || previous.is_some_and(|previous| previous != ' '))
        {
            last.text.push(character);
        }
    }
    pieces.retain(|piece| !piece.text.is_empty());
}
