//! Which bytes of the memory the first half needs: everything that one of its functions can reach. The rest comes with
//! the later half.

use std::collections::BTreeSet;

use anyhow::Result;

use super::linked::Linked;
use super::module::{Module, Segment, constant};
use super::plan::Plan;
use super::uses::Uses;

/// A gap in the first half's data that is not worth a segment of its own behind it.
const SMALL_GAP: usize = 16;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Data<'a> {
    pub(super) first: Vec<Segment<'a>>,
    pub(super) later: Vec<Segment<'a>>,
}

impl<'a> Data<'a> {
    pub(super) fn new(module: &Module<'a>, plan: &Plan, linked: &Linked) -> Result<Self> {
        let needed = needed(module, plan, linked)?;
        let (mut moved, mut kept) = (BTreeSet::new(), BTreeSet::new());
        for (number, addresses) in linked.symbols.iter().enumerate() {
            if needed.contains(&number) { &mut kept } else { &mut moved }.extend(addresses.clone());
        }
        let is_later = |address: &u32| moved.contains(address) && !kept.contains(address);
        let mut data = Self { first: Vec::new(), later: Vec::new() };
        for segment in &module.data {
            data.cut(segment, is_later);
        }
        Ok(data)
    }

    fn cut(&mut self, segment: &Segment<'a>, is_later: impl Fn(&u32) -> bool) {
        let addresses: Vec<u32> = (segment.address..).take(segment.bytes.len()).collect();
        let mut end = 0;
        let mut open: Option<usize> = None;
        for run in addresses.chunk_by(|one, next| is_later(one) == is_later(next)) {
            let start = end;
            end += run.len();
            let later = is_later(&run[0]);
            if later {
                self.later.push(segment.part(start..end));
            }
            // The later half must never write what may have changed since; the first may well write too much.
            if !later || run.len() < SMALL_GAP {
                open.get_or_insert(start);
            } else if let Some(first) = open.take() {
                self.first.push(segment.part(first..start));
            }
        }
        if let Some(first) = open {
            self.first.push(segment.part(first..end));
        }
    }
}

/// The symbols that the first half can reach. The numbers in its code are still those that the linker wrote.
fn needed(module: &Module, plan: &Plan, linked: &Linked) -> Result<BTreeSet<usize>> {
    let mut roots = BTreeSet::new();
    for function in &plan.first {
        for number in Uses::of(module.body(*function)?)?.numbers {
            roots.extend(linked.meant_by(number));
        }
    }
    for global in &module.globals {
        if let Ok(number) = constant(&global.init_expr) {
            roots.extend(linked.meant_by(number));
        }
    }
    Ok(linked.reach(roots))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut<'a>(bytes: &'a [u8], later: &[u32]) -> Data<'a> {
        let mut data = Data { first: Vec::new(), later: Vec::new() };
        data.cut(&Segment { address: 100, bytes }, |address| later.contains(address));
        data
    }

    #[test]
    fn both_halves_together_write_every_byte_and_the_later_one_nothing_of_the_first() {
        let bytes: Vec<u8> = (0..60).collect();
        // A small gap, and a large one.
        let later: Vec<u32> = [102, 103].into_iter().chain(110..140).collect();
        let data = cut(&bytes, &later);
        let places = |segments: &[Segment]| {
            segments.iter().map(|part| (part.address, part.bytes.len())).collect::<Vec<_>>()
        };
        assert_eq!(places(&data.later), [(102, 2), (110, 30)]);
        assert_eq!(places(&data.first), [(100, 10), (140, 20)]);
        for part in data.first.iter().chain(&data.later) {
            assert_eq!(u32::from(part.bytes[0]) + 100, part.address);
        }
    }

    #[test]
    fn a_segment_may_be_of_one_half_only() {
        assert_eq!(cut(b"ab", &[]).later, []);
        let all: Vec<u32> = (100..130).collect();
        assert_eq!(cut(&[1; 30], &all).first, []);
    }
}
