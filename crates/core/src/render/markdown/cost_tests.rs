//! Counts, for tests only, what parsing costs: a clock would say something else on every machine.

use std::cell::Cell;

thread_local! {
    static PARSED: Cell<usize> = const { Cell::new(0) };
}

pub fn parsed(bytes: usize) {
    PARSED.with(|counter| counter.set(counter.get() + bytes));
}

/// The bytes that `work` parses.
pub fn of(work: impl FnOnce()) -> usize {
    let before = PARSED.with(Cell::get);
    work();
    PARSED.with(Cell::get) - before
}
