//! The process groups of running shell commands, so that none outlives the agent.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use rustix::process::{Pid, Signal, kill_process_group};

#[derive(Clone, Default)]
pub(crate) struct ProcessGroups(Arc<Mutex<HashSet<Pid>>>);

impl ProcessGroups {
    pub(crate) fn add(&self, group: Pid) {
        self.groups(|groups| groups.insert(group));
    }

    pub(crate) fn remove(&self, group: Pid) {
        self.groups(|groups| groups.remove(&group));
    }

    pub(crate) fn kill(&self, group: Pid) {
        // It may have ended by itself in the meantime.
        let _ = kill_process_group(group, Signal::KILL);
    }

    pub(crate) fn kill_all(&self) {
        self.groups(|groups| {
            for group in groups.drain() {
                self.kill(group);
            }
        });
    }

    fn groups<T>(&self, act: impl FnOnce(&mut HashSet<Pid>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
