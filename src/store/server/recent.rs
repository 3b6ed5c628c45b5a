//! Which sessions were looked at last. Pure.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentSessions {
    /// Oldest first.
    ids: Vec<String>,
    room: usize,
}

impl RecentSessions {
    pub const fn new(room: usize) -> Self {
        Self { ids: Vec::new(), room }
    }

    /// This one is looked at now; gives those that had to make room.
    pub fn touch(&mut self, id: &str) -> Vec<String> {
        self.ids.retain(|held| held != id);
        self.ids.push(id.to_owned());
        let surplus = self.ids.len().saturating_sub(self.room);
        self.ids.drain(..surplus).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_not_seen_for_longest_makes_room() {
        let mut recent = RecentSessions::new(2);
        assert!(recent.touch("a").is_empty());
        assert!(recent.touch("b").is_empty());
        assert!(recent.touch("a").is_empty());
        assert_eq!(recent.touch("c"), ["b"]);
    }
}
