//! Sorting and searching of session summaries. Pure.

use pilothouse_core::SessionState;
use pilothouse_core::protocol::{SearchHit, SearchResults, SessionSummary};

pub fn newest_first(mut sessions: Vec<SessionSummary>) -> Vec<SessionSummary> {
    sessions.sort_by(|one, other| other.modified.cmp(&one.modified).then_with(|| one.id.cmp(&other.id)));
    sessions
}

/// Applies changed and removed sessions to the list. The result is not sorted.
pub fn merge(sessions: &mut Vec<SessionSummary>, changed: Vec<SessionSummary>, removed: &[String]) {
    sessions
        .retain(|held| !removed.contains(&held.id) && !changed.iter().any(|summary| summary.id == held.id));
    sessions.extend(changed);
}

/// The folders of the newest sessions without duplicates, at most `limit`.
pub fn recent_folders(sessions: &[SessionSummary], limit: usize) -> Vec<String> {
    let mut folders: Vec<String> = Vec::new();
    for session in sessions.iter().filter(|session| !session.cwd.is_empty()) {
        if folders.len() < limit && !folders.contains(&session.cwd) {
            folders.push(session.cwd.clone());
        }
    }
    folders
}

/// The sessions that wait for the user: they have an open question or an unread error.
pub fn waiting(sessions: &[SessionSummary]) -> Vec<String> {
    ids_where(sessions, |session| {
        !session.asks.is_empty() || (session.state == SessionState::Error && session.unread)
    })
}

/// The sessions whose title or folder contains every word of the query.
pub fn matching_title(sessions: &[SessionSummary], query: &str) -> Vec<String> {
    let query = query.to_lowercase();
    ids_where(sessions, |session| {
        let text = format!("{} {}", session.title, folder_name(&session.cwd)).to_lowercase();
        query.split_whitespace().all(|word| text.contains(word))
    })
}

/// The ids of the sessions that match, in their order.
pub fn ids_where(sessions: &[SessionSummary], matches: impl Fn(&SessionSummary) -> bool) -> Vec<String> {
    sessions.iter().filter(|session| matches(session)).map(|session| session.id.clone()).collect()
}

/// The search hits in one session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionHits {
    pub session_id: String,
    pub hits: Vec<SearchHit>,
}

/// Groups hits by session, ordered by the best hit of each. Title hits are left out: the page finds those itself.
pub fn group_hits(results: &SearchResults) -> Vec<SessionHits> {
    let mut all: Vec<SessionHits> = Vec::new();
    for hit in results.hits.iter().filter(|hit| hit.entry.is_some()) {
        match all.iter_mut().find(|hits| hits.session_id == hit.session_id) {
            Some(hits) => hits.hits.push(hit.clone()),
            None => all.push(SessionHits { session_id: hit.session_id.clone(), hits: vec![hit.clone()] }),
        }
    }
    all
}

/// The last segment of a path; the path itself for a root.
pub fn folder_name(cwd: &str) -> &str {
    let trimmed = cwd.trim_end_matches(['/', '\\']);
    let name = trimmed.rsplit(['/', '\\']).next().unwrap_or(trimmed);
    if name.is_empty() { cwd } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, cwd: &str, modified: u64) -> SessionSummary {
        SessionSummary {
            id: id.into(),
            agent: "demo".into(),
            cwd: cwd.into(),
            title: id.into(),
            state: SessionState::Idle,
            modified,
            ..SessionSummary::default()
        }
    }

    fn ids(sessions: &[SessionSummary]) -> Vec<&str> {
        sessions.iter().map(|session| session.id.as_str()).collect()
    }

    #[test]
    fn merging_replaces_adds_and_removes() {
        let mut list =
            newest_first(vec![session("a", "/x", 1), session("b", "/x", 3), session("c", "/y", 2)]);
        assert_eq!(ids(&list), ["b", "c", "a"]);
        merge(&mut list, vec![session("a", "/x", 9), session("d", "/z", 5)], &["c".into()]);
        assert_eq!(ids(&newest_first(list)), ["a", "d", "b"]);
    }

    #[test]
    fn recent_folders_are_unique_and_newest_first() {
        let list =
            [session("a", "/x", 3), session("b", "/x", 2), session("c", "/y", 1), session("d", "/z", 0)];
        assert_eq!(recent_folders(&list, 2), ["/x", "/y"]);
    }

    #[test]
    fn an_error_waits_for_the_user_while_unread() {
        let mut list = vec![session("a", "/x", 1), session("b", "/x", 2)];
        list[0].state = SessionState::Error;
        assert!(waiting(&list).is_empty());
        list[0].unread = true;
        assert_eq!(waiting(&list), ["a"]);
    }

    #[test]
    fn a_session_matches_by_all_words_in_title_or_folder() {
        let list = [session("Mend the Light", "/harbour", 1), session("Paint", "/harbour", 2)];
        assert_eq!(matching_title(&list, "light mend"), ["Mend the Light"]);
        assert_eq!(matching_title(&list, "HARBOUR").len(), 2);
        assert!(matching_title(&list, "sail").is_empty());
    }

    #[test]
    fn a_folder_name_is_the_last_segment() {
        assert_eq!(folder_name("/home/ada/engine/"), "engine");
        assert_eq!(folder_name("/"), "/");
        assert_eq!(folder_name("C:\\work\\x"), "x");
    }
}
