//! Moves changes to where they read best. Where a run of changed lines ends with the line that stands before it, or
//! begins with the one behind it, several places are equally right: the whole of an added function is better to read
//! than the end of one with the beginning of another.

use super::texts::TextLine;
use crate::limits::DIFF_SLIDE_LINES;

/// Slides the changes of one side; the other side tells where a replacement is.
pub(super) fn slide(lines: &[TextLine<'_>], items: &[u32], changed: &mut [bool], other: &[bool]) {
    let partners = gaps_of(other);
    let has_partner = |kept: usize| partners.get(kept).copied().unwrap_or_default();
    let (mut start, mut kept) = (0, 0);
    while start < changed.len() {
        let run = changed.iter().skip(start).take_while(|changed| **changed).count();
        if run == 0 {
            (start, kept) = (start + 1, kept + 1);
            continue;
        }
        let place = if has_partner(kept) {
            start
        } else {
            let (first, last) = range(items, changed, start, run);
            let places = first..=last;
            let beside = places.clone().rev().find(|place| has_partner((kept + place).saturating_sub(start)));
            let best = || places.rev().min_by_key(|place| cost(lines, *place) + cost(lines, place + run));
            beside.or_else(best).unwrap_or(start)
        };
        changed.iter_mut().skip(start).take(run).for_each(|flag| *flag = false);
        changed.iter_mut().skip(place).take(run).for_each(|flag| *flag = true);
        kept = (kept + place).saturating_sub(start);
        start = place + run;
    }
}

/// Per number of kept lines before it, whether the other side has a change there.
fn gaps_of(changed: &[bool]) -> Vec<bool> {
    let mut gaps = vec![false];
    for changed in changed {
        match gaps.last_mut() {
            Some(gap) if *changed => *gap = true,
            _ => gaps.push(false),
        }
    }
    gaps
}

/// The first and the last place a run can be moved to without changing what is kept.
fn range(items: &[u32], changed: &[bool], start: usize, run: usize) -> (usize, usize) {
    let free = |index: usize| changed.get(index) == Some(&false);
    let same = |one: usize, other: usize| items.get(one).is_some() && items.get(one) == items.get(other);
    let mut first = start;
    while first > 0 && start - first < DIFF_SLIDE_LINES && free(first - 1) && same(first - 1, first + run - 1)
    {
        first -= 1;
    }
    let mut last = start;
    while last - start < DIFF_SLIDE_LINES && free(last + run) && same(last, last + run) {
        last += 1;
    }
    (first, last)
}

/// How badly a change begins or ends at a line: best at the outermost indentation and next to an empty line, worst in
/// front of a line that closes what stands before it.
fn cost(lines: &[TextLine<'_>], place: usize) -> usize {
    let near = 4;
    let before = place.checked_sub(1).and_then(|index| lines.get(index)).map(|line| line.text);
    let at = lines.get(place).map(|line| line.text);
    let (Some(before), Some(at)) = (before, at) else { return 0 };
    let next =
        lines.iter().skip(place).take(near).find_map(|line| indentation(line.text)).unwrap_or_default();
    let previous = lines.get(..place).unwrap_or_default();
    let previous = previous.iter().rev().take(near).find_map(|line| indentation(line.text));
    let closes = previous.is_some_and(|previous| next < previous);
    let beside_empty = if is_blank(before) {
        0
    } else if is_blank(at) {
        1
    } else {
        2
    };
    next * 8 + usize::from(closes) * 4 + beside_empty
}

fn is_blank(text: &str) -> bool {
    indentation(text).is_none()
}

/// None for a line with nothing but space in the part that is looked at.
fn indentation(text: &str) -> Option<usize> {
    let widest = 200;
    let column = text.bytes().take(widest).position(|byte| !byte.is_ascii_whitespace());
    if text.len() > widest { Some(column.unwrap_or(widest)) } else { column }
}
