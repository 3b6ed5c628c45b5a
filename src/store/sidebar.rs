//! The lists of sessions in the sidebar, computed from the server's sessions and the state of this browser.
//! Pure. The sidebar renders these lists, and keyboard shortcuts step through them.

use pilothouse_core::protocol::SessionSummary;

use super::server::sessions::{ids_where, matching_title};

/// How many sessions a list shows at first.
const INITIAL_COUNT: usize = 12;

/// How many more each click on "more" shows.
const MORE_COUNT: usize = 50;

/// A group of sessions, which the sidebar shows as one list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionGroup {
    Pinned,
    Folder(String),
    Archived,
    /// The sessions whose title matches the search text.
    MatchingTitle,
}

/// A list of sessions in the sidebar, never empty unless it is collapsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidebarList {
    pub group: SessionGroup,
    /// The ids of the sessions that are shown, in their order.
    pub shown: Vec<String>,
    /// The number of sessions in the group.
    pub total: usize,
}

impl SidebarList {
    /// The number of sessions that are not shown.
    pub fn hidden_count(&self) -> usize {
        self.total - self.shown.len()
    }
}

/// The part of the browser's state that the lists depend on.
#[derive(Clone, Copy, Debug)]
pub struct SidebarView<'a> {
    /// The search text.
    pub query: &'a str,
    /// The id of the open session, or an empty text.
    pub open_id: &'a str,
    /// Whether the archive is expanded.
    pub show_archived: bool,
    pub limits: &'a ListLimits,
}

/// How many sessions each list shows. A list without an entry has the initial limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListLimits(Vec<(SessionGroup, usize)>);

impl ListLimits {
    fn of(&self, group: &SessionGroup) -> usize {
        self.0.iter().find(|(known, _)| known == group).map_or(INITIAL_COUNT, |(_, limit)| *limit)
    }

    /// Raises the limit of a list.
    pub fn raise(&mut self, group: &SessionGroup) {
        let limit = self.of(group) + MORE_COUNT;
        self.reset(group);
        self.0.push((group.clone(), limit));
    }

    /// Restores the initial limit of a list. Returns false if it was not raised.
    pub fn reset(&mut self, group: &SessionGroup) -> bool {
        let count = self.0.len();
        self.0.retain(|(known, _)| known != group);
        self.0.len() < count
    }
}

/// Returns the lists that the sidebar shows, in their order: during a search the sessions with a matching
/// title; otherwise pinned sessions, the folders in the order of their newest session, and the archive.
pub fn sidebar_lists(sessions: &[SessionSummary], view: SidebarView) -> Vec<SidebarList> {
    let groups = if view.query.trim().is_empty() {
        group_sessions(sessions)
    } else {
        vec![(SessionGroup::MatchingTitle, matching_title(sessions, view.query))]
    };
    let list = |(group, ids): (SessionGroup, Vec<String>)| {
        let collapsed = group == SessionGroup::Archived && !view.show_archived;
        let (limit, total) = (view.limits.of(&group), ids.len());
        // A long list shows its first sessions and the open one.
        let is_shown = |(index, id): &(usize, String)| !collapsed && (*index < limit || id == view.open_id);
        let shown = ids.into_iter().enumerate().filter(is_shown).map(|(_, id)| id).collect();
        SidebarList { group, shown, total }
    };
    groups.into_iter().map(list).filter(|list| list.total > 0).collect()
}

pub fn list_of<'a>(lists: &'a [SidebarList], group: &SessionGroup) -> Option<&'a SidebarList> {
    lists.iter().find(|list| list.group == *group)
}

/// Returns the ids of all shown sessions, from top to bottom.
pub fn shown_ids(lists: &[SidebarList]) -> Vec<String> {
    lists.iter().flat_map(|list| &list.shown).cloned().collect()
}

/// Groups sessions for the lists. Archived sessions are in no other group, even if they are pinned.
fn group_sessions(sessions: &[SessionSummary]) -> Vec<(SessionGroup, Vec<String>)> {
    let pinned = ids_where(sessions, |session| session.pinned && !session.archived);
    let mut groups = vec![(SessionGroup::Pinned, pinned)];
    for session in sessions.iter().filter(|session| !session.pinned && !session.archived) {
        let is_its_folder =
            |group: &SessionGroup| matches!(group, SessionGroup::Folder(cwd) if *cwd == session.cwd);
        match groups.iter_mut().find(|(group, _)| is_its_folder(group)) {
            Some((_, ids)) => ids.push(session.id.clone()),
            None => groups.push((SessionGroup::Folder(session.cwd.clone()), vec![session.id.clone()])),
        }
    }
    groups.push((SessionGroup::Archived, ids_where(sessions, |session| session.archived)));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, cwd: &str) -> SessionSummary {
        SessionSummary { id: id.into(), cwd: cwd.into(), title: id.into(), ..SessionSummary::default() }
    }

    fn folder(cwd: &str) -> SessionGroup {
        SessionGroup::Folder(cwd.into())
    }

    /// The lists without a search, an open session or raised limits.
    fn lists(sessions: &[SessionSummary], show_archived: bool) -> Vec<SidebarList> {
        let limits = ListLimits::default();
        sidebar_lists(sessions, SidebarView { query: " ", open_id: "", show_archived, limits: &limits })
    }

    #[test]
    fn folders_are_in_the_order_of_their_newest_session() {
        let all = lists(&[session("c", "/x"), session("b", "/y"), session("a", "/x")], false);
        let found: Vec<_> = all.iter().map(|list| (&list.group, list.shown.join(" "))).collect();
        assert_eq!(found, [(&folder("/x"), "c a".to_owned()), (&folder("/y"), "b".to_owned())]);
    }

    #[test]
    fn pinned_sessions_come_first_and_archived_ones_last() {
        let mut sessions = [session("a", "/x"), session("b", "/x"), session("c", "/x")];
        sessions[1].pinned = true;
        sessions[2].pinned = true;
        sessions[2].archived = true;
        let all = lists(&sessions, true);
        let groups: Vec<_> = all.iter().map(|list| list.group.clone()).collect();
        assert_eq!(groups, [SessionGroup::Pinned, folder("/x"), SessionGroup::Archived]);
        assert_eq!(shown_ids(&all), ["b", "a", "c"]);
    }

    #[test]
    fn a_collapsed_archive_shows_no_sessions_but_their_number() {
        let mut sessions = [session("a", "/x"), session("b", "/x")];
        sessions[1].archived = true;
        let all = lists(&sessions, false);
        assert_eq!(shown_ids(&all), ["a"]);
        assert_eq!((&all[1].group, all[1].total), (&SessionGroup::Archived, 1));
    }

    #[test]
    fn a_long_list_shows_its_first_sessions_and_the_open_one_until_its_limit_is_raised() {
        let sessions: Vec<_> = (0..70).map(|number| session(&number.to_string(), "/x")).collect();
        let mut limits = ListLimits::default();
        let shown = |limits: &ListLimits, open_id: &str| {
            let view = SidebarView { query: "", open_id, show_archived: false, limits };
            shown_ids(&sidebar_lists(&sessions, view))
        };
        assert_eq!(shown(&limits, "").len(), INITIAL_COUNT);
        assert_eq!(shown(&limits, "0").len(), INITIAL_COUNT, "the open session is shown anyway");
        let with_open = shown(&limits, "66");
        assert_eq!(with_open.len(), INITIAL_COUNT + 1);
        assert_eq!(with_open.last().map(String::as_str), Some("66"));
        limits.raise(&folder("/y"));
        assert_eq!(shown(&limits, "").len(), INITIAL_COUNT, "the limit of another list");
        limits.raise(&folder("/x"));
        assert_eq!(shown(&limits, "").len(), INITIAL_COUNT + MORE_COUNT);
        limits.raise(&folder("/x"));
        assert_eq!(shown(&limits, "").len(), 70);
        limits.reset(&folder("/x"));
        assert_eq!(shown(&limits, "").len(), INITIAL_COUNT);
    }

    #[test]
    fn a_search_replaces_all_lists_with_the_matching_titles() {
        let mut sessions = [session("light", "/x"), session("paint", "/x"), session("lighthouse", "/y")];
        sessions[2].archived = true;
        let limits = ListLimits::default();
        let view = |query| SidebarView { query, open_id: "paint", show_archived: false, limits: &limits };
        let found = sidebar_lists(&sessions, view("Light"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].group, SessionGroup::MatchingTitle);
        assert_eq!(found[0].shown, ["light", "lighthouse"]);
        assert!(sidebar_lists(&sessions, view("sail")).is_empty());
    }
}
