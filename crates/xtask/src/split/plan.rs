//! Which function is in which half, and how each half reaches into the other.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use wasmparser::ExternalKind;

use super::module::{FUNCTION_TABLE, Module};
use super::uses::Uses;

pub(super) struct Plan {
    /// The functions of each half, in their order.
    pub(super) first: Vec<u32>,
    pub(super) later: Vec<u32>,
    /// The imported functions that each half needs.
    pub(super) first_imports: BTreeSet<u32>,
    pub(super) later_imports: BTreeSet<u32>,
    /// The slots of the table of functions that each half fills.
    pub(super) first_slots: BTreeMap<u32, u32>,
    pub(super) later_slots: BTreeMap<u32, u32>,
    pub(super) table_size: u32,
    /// Functions of the later half that the first one calls by name, and the slot it calls them through.
    pub(super) called: BTreeMap<u32, u32>,
    /// Functions of the first half that the later one calls.
    pub(super) lent: BTreeSet<u32>,
}

impl Plan {
    /// What JavaScript calls stays in the first half, whatever is said of it.
    pub(super) fn new(module: &Module, comes_later: impl Fn(u32) -> bool) -> Result<Self> {
        let exports = module.exports.iter().filter(|export| export.kind == ExternalKind::Func);
        let outward: BTreeSet<u32> = exports.map(|export| export.index).chain(module.start).collect();
        let defined = module.defined();
        let (later, first): (BTreeSet<u32>, BTreeSet<u32>) =
            defined.partition(|function| !outward.contains(function) && comes_later(*function));
        let (first_uses, later_uses) = (uses(module, &first)?, uses(module, &later)?);
        let (mut later_slots, first_slots): (BTreeMap<u32, u32>, BTreeMap<u32, u32>) =
            module.slots.iter().partition(|(_, function)| later.contains(function));

        // A function that has no slot yet gets one behind the others.
        let slot_of: BTreeMap<u32, u32> =
            later_slots.iter().map(|(slot, function)| (*function, *slot)).collect();
        let mut called = BTreeMap::new();
        let mut table_size =
            module.tables.get(FUNCTION_TABLE as usize).map_or(0, |table| table.initial as u32);
        for function in first_uses.intersection(&later) {
            let slot = slot_of.get(function).copied().unwrap_or_else(|| {
                table_size += 1;
                table_size - 1
            });
            called.insert(*function, slot);
            later_slots.insert(slot, *function);
        }

        let imported = |functions: &mut dyn Iterator<Item = &u32>| -> BTreeSet<u32> {
            functions.copied().filter(|function| module.is_imported(*function)).collect()
        };
        Ok(Self {
            first_imports: imported(&mut first_uses.iter().chain(first_slots.values()).chain(&outward)),
            later_imports: imported(&mut later_uses.iter()),
            lent: later_uses.intersection(&first).copied().collect(),
            first: by_likeness(module, &first)?,
            later: by_likeness(module, &later)?,
            first_slots,
            later_slots,
            table_size,
            called,
        })
    }
}

fn uses(module: &Module, functions: &BTreeSet<u32>) -> Result<BTreeSet<u32>> {
    let mut used = BTreeSet::new();
    for function in functions {
        used.extend(Uses::of(module.body(*function)?)?.functions);
    }
    Ok(used)
}

/// What looks alike stands together, which compresses better: by one part in a hundred.
fn by_likeness(module: &Module, functions: &BTreeSet<u32>) -> Result<Vec<u32>> {
    let look = |function: &u32| {
        Ok((module.functions.get(*function as usize), module.body(*function)?.as_bytes(), *function))
    };
    let mut looks = functions.iter().map(look).collect::<Result<Vec<_>>>()?;
    looks.sort_unstable();
    Ok(looks.into_iter().map(|(_, _, function)| function).collect())
}
