//! Splits the page's WebAssembly by function, after it is linked: a first module with what the first screens run, and
//! a later one with everything else. Pure: bytes in, bytes out; files, the browser and the server are elsewhere.
//!
//! Both modules share memory, tables and globals. The first calls a function of the later one through its slot in the
//! table of functions, and before every call through a slot it looks whether the slot is filled, and has the later
//! module loaded if not. So whatever is called is there, whichever functions the list names: a list that is out of
//! date costs bytes or a moment of waiting, never anything else.

mod bare;
mod data;
mod first;
mod keys;
mod later;
mod linked;
mod module;
mod names;
mod plan;
#[cfg(test)]
mod tests;
mod traced;
mod uses;
mod writer;

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use wasmparser::Validator;

pub(crate) use self::bare::bare;
use self::data::Data;
pub(crate) use self::keys::List;
use self::linked::Linked;
use self::module::Module;
use self::plan::Plan;
pub(crate) use self::traced::traced;

/// Where the two modules, and the script that loads them, look for what they need beside the page's own imports.
const FIRST: &str = "first";
const LATER: &str = "later";

pub(crate) struct Halves {
    pub(crate) first: Vec<u8>,
    pub(crate) later: Vec<u8>,
    /// What the imported functions were called, and are called now.
    pub(crate) renamed: Vec<(String, String)>,
}

/// `linked` is what the linker made of the same code: it tells which data belongs to which function.
pub(crate) fn halves(page: &[u8], linked: &[u8], list: &List) -> Result<Halves> {
    let module = Module::read(page)?;
    let plan = Plan::new(&module, |function| module.name(function).is_some_and(|name| list.names(name)))?;
    let data = Data::new(&module, &plan, &Linked::read(linked)?)?;
    let first = first::write(&module, &plan, &data.first)?;
    let later = later::write(&module, &plan, &data.later)?;
    for half in [&first, &later] {
        Validator::new().validate_all(half).context("the split made no proper WebAssembly")?;
    }
    Ok(Halves { first, later, renamed: names::renamed(&module) })
}

/// The list that has everything come later but what ran, by the numbers that a traced page tells.
pub(crate) fn list(page: &[u8], ran: &BTreeSet<u32>) -> Result<List> {
    let module = Module::read(page)?;
    let named = |function: u32| module.name(function).map(|name| (name, ran.contains(&function)));
    Ok(List::new(module.defined().filter_map(named)))
}
