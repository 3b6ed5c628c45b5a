//! The comparison is right for any input, shortest for small ones, and never takes long.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn kept(items: &[u32], changed: &[bool]) -> Vec<u32> {
    items.iter().zip(changed).filter(|(_, changed)| !**changed).map(|(item, _)| *item).collect()
}

/// The length of the longest common sequence, the slow and simple way.
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
    fn what_is_kept_is_the_longest_sequence_both_have(
        old in prop::collection::vec(0u32..5, 0..40),
        new in prop::collection::vec(0u32..5, 0..40),
    ) {
        let changes = compare(&old, &new);
        let same = kept(&old, &changes.old);
        prop_assert_eq!(&same, &kept(&new, &changes.new));
        prop_assert_eq!(same.len(), longest(&old, &new));
    }
}

/// Numbers that repeat often and in no order, always the same ones.
fn noise(seed: u32, length: usize, range: u32) -> Vec<u32> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % range
    };
    (0..length).map(next).collect()
}

#[test]
fn large_and_unlike_sequences_end_in_time_and_still_agree() {
    for range in [2, 50, 5_000, 1_000_000] {
        let (old, new) = (noise(1, 10_000, range), noise(2, 10_000, range));
        let began = Instant::now();
        let changes = compare(&old, &new);
        assert!(began.elapsed() < Duration::from_secs(30), "{range}: {:?}", began.elapsed());
        assert_eq!(kept(&old, &changes.old), kept(&new, &changes.new));
    }
}
