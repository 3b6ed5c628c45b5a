//! Writes the later half: it takes what is shared from the first, fills its slots, and then says that it is there.

use anyhow::Result;
use wasm_encoder::reencode::Reencode;
use wasm_encoder::{EntityType, ExportKind, Function, GlobalType, Instruction, ValType};
use wasmparser::FuncType;

use super::module::{Module, Segment};
use super::plan::Plan;
use super::writer::Writer;
use super::{FIRST, names};

/// A global of the first half that is 1 once the later one is there. It follows all others.
pub(super) const LOADED_TYPE: GlobalType =
    GlobalType { val_type: ValType::I32, mutable: true, shared: false };

/// What both halves share, in the order of its numbers, by names that no short name is like.
pub(super) fn shared(module: &Module) -> impl Iterator<Item = (String, ExportKind, u32)> {
    let count = |kind, word: &'static str, count: usize| {
        (0..count as u32).map(move |index| (format!("{word}{index}"), kind, index))
    };
    count(ExportKind::Memory, "memory", 1)
        .chain(count(ExportKind::Table, "table", module.tables.len()))
        .chain(count(ExportKind::Global, "global", module.globals.len()))
        .chain([("loaded".to_owned(), ExportKind::Global, module.globals.len() as u32)])
}

pub(super) fn write(module: &Module, plan: &Plan, data: &[Segment]) -> Result<Vec<u8>> {
    let mut writer = Writer::new(module);
    for (name, kind, index) in shared(module) {
        let of = match kind {
            ExportKind::Memory => EntityType::Memory(writer.memory_type(module.memories[index as usize])?),
            ExportKind::Table => EntityType::Table(writer.sized_table_type(index, plan.table_size)?),
            _ => match module.globals.get(index as usize) {
                Some(global) => EntityType::Global(writer.global_type(global.ty)?),
                None => EntityType::Global(LOADED_TYPE),
            },
        };
        writer.imports.import(FIRST, &name, of);
    }
    for function in &plan.later_imports {
        writer.import_own(*function)?;
    }
    for (number, function) in plan.lent.iter().enumerate() {
        writer.import(FIRST, &names::short(number), *function)?;
    }
    writer.start = Some(writer.declare_new(&FuncType::new([], [])));
    for function in &plan.later {
        writer.declare(*function)?;
    }
    let mut start = Function::new([]);
    for instruction in
        [Instruction::I32Const(1), Instruction::GlobalSet(module.globals.len() as u32), Instruction::End]
    {
        start.instruction(&instruction);
    }
    writer.write(&start);
    for function in &plan.later {
        writer.copy(*function, &[], |_, _, _| Ok(false))?;
    }
    writer.fill(&plan.later_slots)?;
    writer.put(data);
    writer.finish()
}
