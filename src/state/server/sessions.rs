//! The list of sessions as the sidebar shows it: newest first, grouped by folder. Pure.

use pilothouse_core::wire::SessionSummary;

/// The sessions of one folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    pub cwd: String,
    /// Newest first.
    pub sessions: Vec<SessionSummary>,
}

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

/// Folders in the order of their newest session.
pub fn by_folder(sessions: &[SessionSummary]) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for session in sessions {
        match folders.iter_mut().find(|folder| folder.cwd == session.cwd) {
            Some(folder) => folder.sessions.push(session.clone()),
            None => folders.push(Folder { cwd: session.cwd.clone(), sessions: vec![session.clone()] }),
        }
    }
    folders
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
    use pilothouse_core::SessionState;

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
        let folders = by_folder(&list);
        assert_eq!(folders.iter().map(|folder| folder.cwd.as_str()).collect::<Vec<_>>(), ["/x", "/y"]);
        assert_eq!(ids(&folders[0].sessions), ["c", "a"]);
    }

    #[test]
    fn a_folder_is_called_by_its_last_part() {
        assert_eq!(folder_name("/home/ada/engine/"), "engine");
        assert_eq!(folder_name("/"), "/");
        assert_eq!(folder_name("C:\\work\\x"), "x");
    }
}
