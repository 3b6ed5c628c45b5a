//! Compares two sequences with Myers' algorithm in linear space and a bounded search. Items are numbers, so that
//! lines and words use the same compiled function.
//!
//! The cost is linear for any input: at most about 2 × `DIFF_COST` steps for each item. The result is a shortest
//! edit script, except for large and very different inputs.

use crate::limits::DIFF_COST;

/// For each item whether it is changed. The unchanged items of both sides are the same sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub old: Vec<bool>,
    pub new: Vec<bool>,
}

/// The items of one side that also occur on the other.
struct CommonItems {
    /// Indices in the whole sequence.
    places: Vec<usize>,
    items: Vec<u32>,
}

/// Compares two sequences. Items should be numbered from 0 without large gaps.
pub(super) fn compare(old: &[u32], new: &[u32]) -> Changes {
    let mut changes = Changes { old: vec![true; old.len()], new: vec![true; new.len()] };
    // An item that occurs on one side only is certainly changed. Without those, unrelated texts cost nothing.
    let (left, right) = (CommonItems::of(old, new), CommonItems::of(new, old));
    let mut search = MiddleSearch::new(left.items.len() + right.items.len());
    // Pairs of ranges still to be compared: rows `top..bottom` of the left, columns `start..end` of the right.
    let mut regions = vec![(0, left.items.len(), 0, right.items.len())];
    while let Some((mut top, mut bottom, mut start, mut end)) = regions.pop() {
        let mut keep = |row: usize, column: usize| {
            #[cfg(test)]
            crate::render::work::add(1);
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
        // Both parts must be smaller than the region, or the loop would never end.
        if row + column == 0 || row + column >= rows.len() + columns.len() {
            continue;
        }
        regions.push((top + row, bottom, start + column, end));
        regions.push((top, top + row, start, start + column));
    }
    changes
}

fn unmark(flags: &mut [bool], place: Option<&usize>) {
    if let Some(flag) = place.and_then(|place| flags.get_mut(*place)) {
        *flag = false;
    }
}

impl CommonItems {
    fn of(items: &[u32], other: &[u32]) -> Self {
        let size = other.iter().max().map_or(0, |most| *most as usize + 1);
        let mut known = vec![false; size];
        for item in other {
            if let Some(flag) = known.get_mut(*item as usize) {
                *flag = true;
            }
        }
        let mut common = Self { places: Vec::new(), items: Vec::new() };
        for (place, item) in items.iter().enumerate() {
            if known.get(*item as usize).copied().unwrap_or_default() {
                common.places.push(place);
                common.items.push(*item);
            }
        }
        common
    }
}

/// Finds the middle of an edit path, searching from both ends. For each diagonal it stores the furthest row that a
/// path with the current number of differences reaches. The buffers are reused for all regions.
struct MiddleSearch {
    forward: Vec<isize>,
    backward: Vec<isize>,
    /// The index of diagonal 0 in both buffers.
    centre: isize,
}

const UNREACHED: isize = -1;

impl MiddleSearch {
    fn new(items: usize) -> Self {
        let centre = items.div_ceil(2).min(DIFF_COST) + 1;
        let size = 2 * centre + 1;
        Self { forward: vec![UNREACHED; size], backward: vec![UNREACHED; size], centre: centre.cast_signed() }
    }

    /// A point on a shortest path through the region. If that takes more than `DIFF_COST` differences, the
    /// furthest point reached from the start. The first items of both sides must differ, and so must the last.
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

    /// Whether the search from the other end has reached this point. Diagonals beyond `cost` may hold values of an
    /// earlier search.
    fn meets(&self, other: &[isize], cost: isize, diagonal: isize, rows_left: isize) -> bool {
        diagonal.abs() <= cost && get(other, self.centre + diagonal) >= rows_left
    }
}

/// The furthest row on a diagonal with one difference more than on its neighbours.
fn reach(rows: &[isize], centre: isize, cost: isize, diagonal: isize, height: isize, width: isize) -> isize {
    #[cfg(test)]
    crate::render::work::add(1);
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

/// Follows a diagonal as long as the items are the same.
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
        #[cfg(test)]
        crate::render::work::add(1);
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
