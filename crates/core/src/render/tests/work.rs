//! Counts units of work, so that tests of cost do not depend on a clock. The code that counts defines the unit: a byte
//! parsed, an item compared, a character scanned.

use std::cell::Cell;

thread_local! {
    static UNITS: Cell<usize> = const { Cell::new(0) };
}

/// Adds units to the current thread's count.
pub fn add(units: usize) {
    UNITS.with(|counter| counter.set(counter.get() + units));
}

/// The units that `action` adds.
pub fn of(action: impl FnOnce()) -> usize {
    let before = UNITS.with(Cell::get);
    action();
    UNITS.with(Cell::get) - before
}
