//! The rows that the user has expanded, as one signal per row: expanding a row renders no other one.

use leptos::prelude::*;

#[derive(Clone, Copy)]
pub struct ExpandedRows(StoredValue<Vec<RowEntry>>);

/// A row that is expanded or on the screen. There are few enough of them for a search from the start.
struct RowEntry {
    session_id: String,
    row_id: String,
    expanded: ArcRwSignal<bool>,
    /// How many views of the row exist.
    views: usize,
}

impl RowEntry {
    fn new(session_id: &str, row_id: &str, expanded: bool) -> Self {
        let expanded = ArcRwSignal::new(expanded);
        Self { session_id: session_id.to_owned(), row_id: row_id.to_owned(), expanded, views: 0 }
    }
}

impl ExpandedRows {
    /// Creates the signals of the given rows, each with its session's id and its own.
    pub fn new(expanded: Vec<(String, String)>) -> Self {
        let entry = |(session_id, row_id): &(String, String)| RowEntry::new(session_id, row_id, true);
        Self(StoredValue::new(expanded.iter().map(entry).collect()))
    }

    /// Returns the signal of a row for a view that belongs to the current owner.
    pub fn watch(self, session_id: &str, row_id: &str) -> ArcRwSignal<bool> {
        let (session, row) = (session_id.to_owned(), row_id.to_owned());
        // Drops the signal of a row that is neither expanded nor on the screen.
        on_cleanup(move || {
            self.with_entry(&session, &row, |entry| entry.views -= 1);
            let is_kept = |entry: &RowEntry| entry.views > 0 || entry.expanded.get_untracked();
            self.0.try_update_value(|entries| entries.retain(is_kept));
        });
        self.with_entry(session_id, row_id, |entry| entry.views += 1)
    }

    pub fn expand(self, session_id: &str, row_id: &str) {
        let signal = self.with_entry(session_id, row_id, |_| ());
        if !signal.get_untracked() {
            signal.set(true);
        }
    }

    /// Expands a collapsed row and collapses an expanded one.
    pub fn toggle(self, session_id: &str, row_id: &str) {
        self.with_entry(session_id, row_id, |_| ()).update(|expanded| *expanded = !*expanded);
    }

    /// The ids of all expanded rows: the session's and the row's.
    pub fn all(self) -> Vec<(String, String)> {
        self.0.with_value(|entries| {
            let expanded = entries.iter().filter(|entry| entry.expanded.get_untracked());
            expanded.map(|entry| (entry.session_id.clone(), entry.row_id.clone())).collect()
        })
    }

    /// Changes the entry of a row, which is created if it is missing, and returns its signal.
    fn with_entry(self, session_id: &str, row_id: &str, change: fn(&mut RowEntry)) -> ArcRwSignal<bool> {
        let find = |entries: &mut Vec<RowEntry>| {
            let is_row = |entry: &RowEntry| entry.row_id == row_id && entry.session_id == session_id;
            let index = entries.iter().position(is_row).unwrap_or_else(|| {
                entries.push(RowEntry::new(session_id, row_id, false));
                entries.len() - 1
            });
            let entry = &mut entries[index];
            change(entry);
            entry.expanded.clone()
        };
        self.0.try_update_value(find).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(rows: ExpandedRows) -> Vec<String> {
        rows.all().into_iter().map(|(_, row_id)| row_id).collect()
    }

    #[test]
    fn a_view_follows_its_row_and_an_expanded_row_outlives_its_view() {
        let owner = Owner::new();
        owner.with(|| {
            let rows = ExpandedRows::new(vec![("s".to_owned(), "a".to_owned())]);
            let view = Owner::current().unwrap_or_default().child();
            let [a, b] = view.with(|| ["a", "b"].map(|row| rows.watch("s", row)));
            assert!(a.get_untracked() && !b.get_untracked());
            rows.toggle("s", "a");
            rows.expand("s", "b");
            assert!(!a.get_untracked() && b.get_untracked());
            view.cleanup();
            assert_eq!(expanded(rows), ["b"]);
            assert!(rows.watch("s", "b").get_untracked());
            rows.expand("s", "never built");
            assert_eq!(expanded(rows), ["b", "never built"]);
        });
    }

    #[test]
    fn a_row_that_is_built_again_keeps_its_signal() {
        let owner = Owner::new();
        owner.with(|| {
            let rows = ExpandedRows::new(Vec::new());
            let child = || Owner::current().unwrap_or_default().child();
            let (old, new) = (child(), child());
            old.with(|| rows.watch("s", "a"));
            let signal = new.with(|| rows.watch("s", "a"));
            old.cleanup();
            rows.expand("s", "a");
            assert!(signal.get_untracked());
        });
    }
}
