//! The most recently shown sessions, an LRU list. Pure.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentSessions {
    /// Oldest first.
    ids: Vec<String>,
    capacity: usize,
}

impl RecentSessions {
    pub const fn new(capacity: usize) -> Self {
        Self { ids: Vec::new(), capacity }
    }

    /// Makes a session the most recent one, and returns the evicted ones.
    pub fn touch(&mut self, id: &str) -> Vec<String> {
        self.ids.retain(|held| held != id);
        self.ids.push(id.to_owned());
        let surplus = self.ids.len().saturating_sub(self.capacity);
        self.ids.drain(..surplus).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_shown_session_is_evicted() {
        let mut recent = RecentSessions::new(2);
        assert!(recent.touch("a").is_empty());
        assert!(recent.touch("b").is_empty());
        assert!(recent.touch("a").is_empty());
        assert_eq!(recent.touch("c"), ["b"]);
    }
}
