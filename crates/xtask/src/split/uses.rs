//! What the code of a function refers to. Code that could get past the look at a slot before a call is refused.

use std::collections::BTreeSet;
use std::convert::Infallible;

use anyhow::{Result, bail};
use wasm_encoder::reencode::{self, Error, Reencode};
use wasmparser::{FunctionBody, MemArg, Operator};

use super::module::FUNCTION_TABLE;

#[derive(Default)]
pub(super) struct Uses {
    pub(super) functions: BTreeSet<u32>,
    /// Numbers that may be addresses.
    pub(super) numbers: BTreeSet<u32>,
}

impl Uses {
    pub(super) fn of(body: &FunctionBody) -> Result<Self> {
        let mut uses = Self::default();
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            check(&operator)?;
            if let Operator::I32Const { value } = operator {
                uses.numbers.insert(value.cast_unsigned());
            }
            uses.instruction(operator)?;
        }
        Ok(uses)
    }
}

/// Whatever is written anew is shown to these: all there is to do is to look.
impl Reencode for Uses {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        self.functions.insert(function);
        Ok(function)
    }

    fn mem_arg(&mut self, place: MemArg) -> Result<wasm_encoder::MemArg, Error> {
        self.numbers.extend(u32::try_from(place.offset));
        reencode::utils::mem_arg(self, place)
    }
}

fn check(operator: &Operator) -> Result<()> {
    match operator {
        Operator::CallIndirect { table_index, .. } if *table_index != FUNCTION_TABLE => {
            bail!("a call goes through another table than that of functions")
        }
        Operator::RefFunc { .. } | Operator::ReturnCall { .. } | Operator::ReturnCallIndirect { .. } => {
            bail!("a function is called in a way that is not known here")
        }
        Operator::TableGet { table }
        | Operator::TableSet { table }
        | Operator::TableGrow { table }
        | Operator::TableFill { table }
            if *table == FUNCTION_TABLE =>
        {
            bail!("the code itself looks at the table of functions, or changes it")
        }
        Operator::TableInit { .. }
        | Operator::TableCopy { .. }
        | Operator::ElemDrop { .. }
        | Operator::MemoryInit { .. }
        | Operator::DataDrop { .. } => bail!("the code refers to segments, which get other numbers"),
        _ => Ok(()),
    }
}
