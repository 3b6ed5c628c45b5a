//! Writes the first half. It owns everything that both share, and lends the later half what that needs.

use anyhow::Result;
use wasm_encoder::{BlockType, ConstExpr, ExportKind, Function, Instruction};
use wasmparser::{FuncType, Operator, ValType};

use super::later::{LOADED_TYPE, shared};
use super::module::{FUNCTION_TABLE, Module, Segment};
use super::plan::Plan;
use super::writer::Writer;
use super::{LATER, names};

pub(super) fn write(module: &Module, plan: &Plan, data: &[Segment]) -> Result<Vec<u8>> {
    let mut writer = Writer::new(module);
    for function in &plan.first_imports {
        writer.import_own(*function)?;
    }
    let load = writer.import_new(LATER, "load", &FuncType::new([], []));
    let ready = writer.declare_new(&FuncType::new([ValType::I32], [ValType::I32]));
    for function in &plan.first {
        writer.declare(*function)?;
    }
    let loaded = module.globals.len() as u32;
    writer.write(&ready_code(loaded, load));
    for function in &plan.first {
        writer.copy(*function, &[], |writer, code, operator| match operator {
            Operator::CallIndirect { .. } => {
                code.instruction(&Instruction::Call(ready));
                Ok(false)
            }
            Operator::Call { function_index } => {
                let Some(slot) = plan.called.get(function_index) else { return Ok(false) };
                let type_index = writer.type_number(module.type_of(*function_index)?);
                code.instruction(&Instruction::I32Const(slot.cast_signed()));
                code.instruction(&Instruction::Call(ready));
                code.instruction(&Instruction::CallIndirect { type_index, table_index: FUNCTION_TABLE });
                Ok(true)
            }
            _ => Ok(false),
        })?;
    }
    writer.define_shared(plan.table_size)?;
    writer.globals.global(LOADED_TYPE, &ConstExpr::i32_const(0));
    writer.export_own()?;
    for (name, kind, index) in shared(module) {
        writer.exports.export(&name, kind, index);
    }
    for (number, function) in plan.lent.iter().enumerate() {
        let function = writer.number(*function)?;
        writer.exports.export(&names::short(number), ExportKind::Func, function);
    }
    writer.start = module.start.map(|function| writer.number(function)).transpose()?;
    writer.fill(&plan.first_slots)?;
    writer.put(data);
    writer.finish()
}

/// Takes a slot and gives it back when it is filled: as long as the later half is not there, that must be looked at.
fn ready_code(loaded: u32, load: u32) -> Function {
    let mut code = Function::new([]);
    for instruction in [
        Instruction::GlobalGet(loaded),
        Instruction::I32Eqz,
        Instruction::If(BlockType::Empty),
        Instruction::LocalGet(0),
        Instruction::TableGet(FUNCTION_TABLE),
        Instruction::RefIsNull,
        Instruction::If(BlockType::Empty),
        Instruction::Call(load),
        Instruction::End,
        Instruction::End,
        Instruction::LocalGet(0),
        Instruction::End,
    ] {
        code.instruction(&instruction);
    }
    code
}
