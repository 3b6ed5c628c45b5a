//! The list of sessions as the sidebar shows it: newest first, pinned, by folder, archived; and what a search finds in
//! it. Pure.

use pilothouse_core::SessionState;
use pilothouse_core::protocol::{SearchHit, SearchResults, SessionSummary};

pub fn newest_first(mut sessions: Vec<SessionSummary>) -> Vec<SessionSummary> {
    sessions.sort_by(|one, other| other.modified.cmp(&one.modified).then_with(|| one.id.cmp(&other.id)));
    sessions
}

/// Brings the list up to date.
pub fn patch(sessions: &mut Vec<SessionSummary>, changed: Vec<SessionSummary>, removed: &[String]) {
    sessions
        .retain(|held| !removed.contains(&held.id) && !changed.iter().any(|summary| summary.id == held.id));
    sessions.extend(changed);
    *sessions = newest_first(std::mem::take(sessions));
}

/// Where rows stand together in the sidebar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionGroup {
    Pinned,
    Folder(String),
}

impl SessionGroup {
    pub fn key(&self) -> String {
        match self {
            Self::Pinned => String::new(),
            Self::Folder(cwd) => format!("in {cwd}"),
        }
    }
}

/// The ids of all sessions, by where they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionGroups {
    pub shelves: Vec<(SessionGroup, Vec<String>)>,
    pub archived: Vec<String>,
}

impl SessionGroups {
    pub fn ids_on(&self, shelf: &SessionGroup) -> Vec<String> {
        let found = self.shelves.iter().find(|(held, _)| held == shelf);
        found.map(|(_, ids)| ids.clone()).unwrap_or_default()
    }
}

/// What is pinned comes first, then folders in the order of their newest session. What was archived stands apart,
/// even if it is pinned.
pub fn shelves(sessions: &[SessionSummary]) -> SessionGroups {
    let mut all = SessionGroups::default();
    let pinned: Vec<String> = of(sessions, |session| session.pinned && !session.archived);
    if !pinned.is_empty() {
        all.shelves.push((SessionGroup::Pinned, pinned));
    }
    for session in sessions.iter().filter(|session| !session.pinned && !session.archived) {
        let shelf = SessionGroup::Folder(session.cwd.clone());
        match all.shelves.iter_mut().find(|(held, _)| *held == shelf) {
            Some((_, ids)) => ids.push(session.id.clone()),
            None => all.shelves.push((shelf, vec![session.id.clone()])),
        }
    }
    all.archived = of(sessions, |session| session.archived);
    all
}

/// The folders that were worked in last, each once.
pub fn recent_folders(sessions: &[SessionSummary], most: usize) -> Vec<String> {
    let mut folders: Vec<String> = Vec::new();
    for session in sessions.iter().filter(|session| !session.cwd.is_empty()) {
        if folders.len() < most && !folders.contains(&session.cwd) {
            folders.push(session.cwd.clone());
        }
    }
    folders
}

/// Those that wait for the person: for an answer, or for a look at a failure that was not seen yet.
pub fn waiting(sessions: &[SessionSummary]) -> Vec<String> {
    of(sessions, |session| {
        !session.asks.is_empty() || (session.state == SessionState::Error && session.unread)
    })
}

/// Those whose title or folder has every word of the query.
pub fn titled(sessions: &[SessionSummary], query: &str) -> Vec<String> {
    let query = query.to_lowercase();
    of(sessions, |session| {
        let text = format!("{} {}", session.title, folder_name(&session.cwd)).to_lowercase();
        query.split_whitespace().all(|word| text.contains(word))
    })
}

fn of(sessions: &[SessionSummary], fits: impl Fn(&SessionSummary) -> bool) -> Vec<String> {
    sessions.iter().filter(|session| fits(session)).map(|session| session.id.clone()).collect()
}

/// What was found in one session.
#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    pub session_id: String,
    pub hits: Vec<SearchHit>,
}

impl Hits {
    /// Another one for everything that is shown otherwise.
    pub fn key(&self) -> String {
        let mut key = self.session_id.clone();
        for piece in self.hits.iter().flat_map(|hit| &hit.snippet) {
            key.push(if piece.found { '*' } else { ' ' });
            key.push_str(&piece.text);
        }
        key
    }
}

/// The best hit first, and with it the others of its session. Titles are found by the page itself.
pub fn by_session(found: &SearchResults) -> Vec<Hits> {
    let mut all: Vec<Hits> = Vec::new();
    for hit in found.hits.iter().filter(|hit| hit.entry.is_some()) {
        match all.iter_mut().find(|hits| hits.session_id == hit.session_id) {
            Some(hits) => hits.hits.push(hit.clone()),
            None => all.push(Hits { session_id: hit.session_id.clone(), hits: vec![hit.clone()] }),
        }
    }
    all
}

/// The last part of a path: what a person calls the folder.
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
    fn a_patch_replaces_adds_removes_and_keeps_the_newest_on_top() {
        let mut list =
            newest_first(vec![session("a", "/x", 1), session("b", "/x", 3), session("c", "/y", 2)]);
        assert_eq!(ids(&list), ["b", "c", "a"]);
        patch(&mut list, vec![session("a", "/x", 9), session("d", "/z", 5)], &["c".into()]);
        assert_eq!(ids(&list), ["a", "d", "b"]);
    }

    #[test]
    fn folders_follow_their_newest_session() {
        let list = newest_first(vec![session("a", "/x", 1), session("b", "/y", 3), session("c", "/x", 5)]);
        let all = shelves(&list);
        let (x, y) = (SessionGroup::Folder("/x".into()), SessionGroup::Folder("/y".into()));
        assert_eq!(all.shelves.iter().map(|(shelf, _)| shelf).collect::<Vec<_>>(), [&x, &y]);
        assert_eq!(all.ids_on(&x), ["c", "a"]);
        assert!(all.archived.is_empty());
    }

    #[test]
    fn what_is_pinned_stands_first_and_what_is_archived_apart() {
        let mut list = vec![session("a", "/x", 3), session("b", "/x", 2), session("c", "/x", 1)];
        list[1].pinned = true;
        list[2].pinned = true;
        list[2].archived = true;
        let all = shelves(&list);
        assert_eq!(all.shelves[0], (SessionGroup::Pinned, vec!["b".to_owned()]));
        assert_eq!(all.shelves[1], (SessionGroup::Folder("/x".into()), vec!["a".to_owned()]));
        assert_eq!(all.archived, ["c"]);
    }

    #[test]
    fn recent_folders_are_told_once_and_newest_first() {
        let list =
            [session("a", "/x", 3), session("b", "/x", 2), session("c", "/y", 1), session("d", "/z", 0)];
        assert_eq!(recent_folders(&list, 2), ["/x", "/y"]);
    }

    #[test]
    fn a_failure_waits_until_it_was_seen() {
        let mut list = vec![session("a", "/x", 1), session("b", "/x", 2)];
        list[0].state = SessionState::Error;
        assert!(waiting(&list).is_empty());
        list[0].unread = true;
        assert_eq!(waiting(&list), ["a"]);
    }

    #[test]
    fn a_title_is_found_by_all_its_words_and_its_folder() {
        let list = [session("Mend the Light", "/harbour", 1), session("Paint", "/harbour", 2)];
        assert_eq!(titled(&list, "light mend"), ["Mend the Light"]);
        assert_eq!(titled(&list, "HARBOUR").len(), 2);
        assert!(titled(&list, "sail").is_empty());
    }

    #[test]
    fn a_folder_is_called_by_its_last_part() {
        assert_eq!(folder_name("/home/ada/engine/"), "engine");
        assert_eq!(folder_name("/"), "/");
        assert_eq!(folder_name("C:\\work\\x"), "x");
    }
}
