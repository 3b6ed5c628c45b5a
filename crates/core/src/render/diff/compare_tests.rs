//! The comparison is correct for any input, shortest for small ones, and its cost is linear.

use proptest::prelude::*;

use super::*;
use crate::render::work;

fn kept(items: &[u32], changed: &[bool]) -> Vec<u32> {
    items.iter().zip(changed).filter(|(_, changed)| !**changed).map(|(item, _)| *item).collect()
}

/// The length of the longest common subsequence, computed the slow and simple way.
fn longest(old: &[u32], new: &[u32]) -> usize {
    let mut above = vec![0; new.len() + 1];
    for left in old {
        let mut row = vec![0];
        for (column, right) in new.iter().enumerate() {
            let best = if left == right { above[column] + 1 } else { above[column + 1].max(row[column]) };
            row.push(best);
        }
        above = row;
    }
    above.last().copied().unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_unchanged_items_are_a_longest_common_subsequence(
        old in prop::collection::vec(0u32..5, 0..40),
        new in prop::collection::vec(0u32..5, 0..40),
    ) {
        let changes = compare(&old, &new);
        let same = kept(&old, &changes.old);
        prop_assert_eq!(&same, &kept(&new, &changes.new));
        prop_assert_eq!(same.len(), longest(&old, &new));
    }
}

/// Pseudo-random numbers below `range`, the same on every run.
fn noise(seed: u32, length: usize, range: u32) -> Vec<u32> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % range
    };
    (0..length).map(next).collect()
}

/// The steps of comparing two unrelated sequences of this length, whose unchanged items must agree.
fn steps_to_compare(length: usize, range: u32) -> usize {
    let (old, new) = (noise(1, length, range), noise(2, length, range));
    let mut changes = Changes::default();
    let steps = work::of(|| changes = compare(&old, &new));
    assert_eq!(kept(&old, &changes.old), kept(&new, &changes.new));
    steps
}

#[test]
fn the_cost_of_large_and_unlike_sequences_is_linear() {
    for range in [2, 50, 5_000, 1_000_000] {
        let steps = steps_to_compare(10_000, range);
        assert!(steps <= 2 * 20_000 * DIFF_COST, "{steps} steps with {range} different items");
    }
    for range in [50, 5_000] {
        let (half, full) = (steps_to_compare(5_000, range), steps_to_compare(10_000, range));
        assert!(2 * full <= 5 * half, "{half}, then {full} steps with {range} different items");
    }
}
