//! Delays a task until the calls for it pause. Unlike Leptos' `debounce`, it can be copied and cancelled.

use std::time::Duration;

use leptos::prelude::*;

#[derive(Clone, Copy)]
pub struct Debounce {
    delay: Duration,
    timer: StoredValue<Option<TimeoutHandle>>,
}

impl Debounce {
    /// A pending task is cancelled when the current owner is cleaned up.
    pub fn new(delay: Duration) -> Self {
        let debounce = Self { delay, timer: StoredValue::new(None) };
        on_cleanup(move || debounce.cancel());
        debounce
    }

    /// Runs the task after the delay, unless another call replaces it before.
    pub fn run(self, task: Box<dyn FnOnce()>) {
        self.cancel();
        self.timer.set_value(set_timeout_with_handle(task, self.delay).ok());
    }

    pub fn cancel(self) {
        if let Some(timer) = self.timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
    }
}
