//! Which items of two sequences differ: Myers' algorithm in linear space, with a bounded search. Items are numbers, so
//! that lines and words share one compiled function. Never looks at text.
//!
//! A library was weighed and left out: with its maps and generic algorithms it is six times the size.

use crate::limits::DIFF_COST;

/// Per item whether it is changed. The unchanged items of both sides are the same sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub old: Vec<bool>,
    pub new: Vec<bool>,
}

/// The items of one side that are still to be compared: where they stand in the whole, and their values.
struct Side {
    places: Vec<usize>,
    items: Vec<u32>,
}

pub(super) fn compare(old: &[u32], new: &[u32]) -> Changes {
    let mut changes = Changes { old: vec![true; old.len()], new: vec![true; new.len()] };
    // What occurs on one side only is changed for certain; without it, unrelated texts cost nothing.
    let (left, right) = (Side::of(old, new), Side::of(new, old));
    let mut search = Search::new(left.items.len() + right.items.len());
    let mut boxes = vec![(0, left.items.len(), 0, right.items.len())];
    while let Some((mut top, mut bottom, mut start, mut end)) = boxes.pop() {
        let mut keep = |row: usize, column: usize| {
            unmark(&mut changes.old, left.places.get(row));
            unmark(&mut changes.new, right.places.get(column));
        };
        while top < bottom && start < end && left.items.get(top) == right.items.get(start) {
            keep(top, start);
            (top, start) = (top + 1, start + 1);
        }
        while top < bottom && start < end && left.items.get(bottom - 1) == right.items.get(end - 1) {
            (bottom, end) = (bottom - 1, end - 1);
            keep(bottom, end);
        }
        let rows = left.items.get(top..bottom).unwrap_or_default();
        let columns = right.items.get(start..end).unwrap_or_default();
        if rows.is_empty() || columns.is_empty() {
            continue;
        }
        let (row, column) = search.middle(rows, columns);
        // Both halves are smaller than the whole, or the search would never end.
        if row + column == 0 || row + column >= rows.len() + columns.len() {
            continue;
        }
        boxes.push((top + row, bottom, start + column, end));
        boxes.push((top, top + row, start, start + column));
    }
    changes
}

fn unmark(flags: &mut [bool], place: Option<&usize>) {
    if let Some(flag) = place.and_then(|place| flags.get_mut(*place)) {
        *flag = false;
    }
}

impl Side {
    fn of(items: &[u32], other: &[u32]) -> Self {
        // Items are numbered from 0 without gaps, so that a table of flags is small.
        let size = other.iter().max().map_or(0, |most| *most as usize + 1);
        let mut known = vec![false; size];
        for item in other {
            if let Some(flag) = known.get_mut(*item as usize) {
                *flag = true;
            }
        }
        let mut side = Self { places: Vec::new(), items: Vec::new() };
        for (place, item) in items.iter().enumerate() {
            if known.get(*item as usize).copied().unwrap_or_default() {
                side.places.push(place);
                side.items.push(*item);
            }
        }
        side
    }
}

/// How far paths with as few differences as possible reach on each diagonal, from the start and from the end.
struct Search {
    forward: Vec<isize>,
    backward: Vec<isize>,
    centre: isize,
}

const UNREACHED: isize = -1;

impl Search {
    fn new(items: usize) -> Self {
        let centre = items.div_ceil(2).min(DIFF_COST) + 1;
        let size = 2 * centre + 1;
        Self { forward: vec![UNREACHED; size], backward: vec![UNREACHED; size], centre: centre.cast_signed() }
    }

    /// A point that a shortest way from the start to the end of both goes through; if the search becomes too long,
    /// the furthest point it has reached. Both begin and end with different items.
    fn middle(&mut self, old: &[u32], new: &[u32]) -> (usize, usize) {
        let (height, width) = (old.len().cast_signed(), new.len().cast_signed());
        let delta = height - width;
        let most = (old.len() + new.len()).div_ceil(2).min(DIFF_COST).cast_signed();
        for diagonal in -most - 1..=most + 1 {
            set(&mut self.forward, self.centre + diagonal, UNREACHED);
            set(&mut self.backward, self.centre + diagonal, UNREACHED);
        }
        for cost in 0..=most {
            for diagonal in (-cost..=cost).step_by(2) {
                let row = reach(&self.forward, self.centre, cost, diagonal, height, width);
                let row = follow(row, diagonal, height, width, |row, column| old.get(row) == new.get(column));
                set(&mut self.forward, self.centre + diagonal, row);
                if delta % 2 != 0
                    && row != UNREACHED
                    && self.meets(&self.backward, cost, delta - diagonal, height - row)
                {
                    return point(row, row - diagonal);
                }
            }
            for diagonal in (-cost..=cost).step_by(2) {
                let row = reach(&self.backward, self.centre, cost, diagonal, height, width);
                let row = follow(row, diagonal, height, width, |row, column| {
                    old.get(old.len() - 1 - row) == new.get(new.len() - 1 - column)
                });
                set(&mut self.backward, self.centre + diagonal, row);
                if delta % 2 == 0
                    && row != UNREACHED
                    && self.meets(&self.forward, cost, delta - diagonal, height - row)
                {
                    return point(height - row, width - (row - diagonal));
                }
            }
        }
        let furthest = (-most..=most).step_by(2).max_by_key(|diagonal| {
            let row = get(&self.forward, self.centre + diagonal);
            if row == UNREACHED { UNREACHED } else { 2 * row - diagonal }
        });
        furthest.map_or((0, 0), |diagonal| {
            let row = get(&self.forward, self.centre + diagonal);
            point(row, row - diagonal)
        })
    }

    /// Whether the search from the other end has come as far as this. Beyond its cost stands what an earlier search
    /// left behind.
    fn meets(&self, other: &[isize], cost: isize, diagonal: isize, rows_left: isize) -> bool {
        diagonal.abs() <= cost && get(other, self.centre + diagonal) >= rows_left
    }
}

/// The furthest row on a diagonal, one difference further than its neighbours.
fn reach(rows: &[isize], centre: isize, cost: isize, diagonal: isize, height: isize, width: isize) -> isize {
    if cost == 0 {
        return 0;
    }
    let inside = |row: isize| row <= height && row - diagonal >= 0 && row - diagonal <= width;
    let below = get(rows, centre + diagonal - 1);
    let below = if below == UNREACHED || !inside(below + 1) { UNREACHED } else { below + 1 };
    let beside = get(rows, centre + diagonal + 1);
    let beside = if beside == UNREACHED || !inside(beside) { UNREACHED } else { beside };
    below.max(beside)
}

/// Along a diagonal as long as the items are the same.
fn follow(
    row: isize,
    diagonal: isize,
    height: isize,
    width: isize,
    same: impl Fn(usize, usize) -> bool,
) -> isize {
    let mut row = row;
    while row != UNREACHED
        && row < height
        && row - diagonal < width
        && same(row.unsigned_abs(), (row - diagonal).unsigned_abs())
    {
        row += 1;
    }
    row
}

fn point(row: isize, column: isize) -> (usize, usize) {
    (row.max(0).unsigned_abs(), column.max(0).unsigned_abs())
}

fn get(rows: &[isize], index: isize) -> isize {
    usize::try_from(index).ok().and_then(|index| rows.get(index)).copied().unwrap_or(UNREACHED)
}

fn set(rows: &mut [isize], index: isize, row: isize) {
    if let Some(cell) = usize::try_from(index).ok().and_then(|index| rows.get_mut(index)) {
        *cell = row;
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
