//! Writes a module that consists of parts of another one: which types it needs, and the numbers its functions get.
//! Memory, tables and globals keep their numbers in every module that is written.

use std::collections::BTreeMap;
use std::io;

use anyhow::{Context, Result};
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportSection, Function,
    FunctionSection, GlobalSection, ImportSection, Instruction, MemorySection, StartSection, TableSection,
    TableType, TypeSection,
};
use wasmparser::{FuncType, Operator};

use super::module::{FUNCTION_TABLE, Module, Segment};
use super::names;

pub(super) struct Writer<'m, 'a> {
    module: &'m Module<'a>,
    types: Vec<FuncType>,
    /// The new numbers of the old module's functions.
    numbers: BTreeMap<u32, u32>,
    function_count: u32,
    pub(super) imports: ImportSection,
    functions: FunctionSection,
    tables: TableSection,
    memories: MemorySection,
    pub(super) globals: GlobalSection,
    pub(super) exports: ExportSection,
    pub(super) start: Option<u32>,
    elements: ElementSection,
    code: CodeSection,
    data: DataSection,
}

impl<'m, 'a> Writer<'m, 'a> {
    pub(super) fn new(module: &'m Module<'a>) -> Self {
        Self {
            module,
            types: Vec::new(),
            numbers: BTreeMap::new(),
            function_count: 0,
            imports: ImportSection::new(),
            functions: FunctionSection::new(),
            tables: TableSection::new(),
            memories: MemorySection::new(),
            globals: GlobalSection::new(),
            exports: ExportSection::new(),
            start: None,
            elements: ElementSection::new(),
            code: CodeSection::new(),
            data: DataSection::new(),
        }
    }

    /// The number of a type, which gets one when it has none.
    pub(super) fn type_number(&mut self, wanted: &FuncType) -> u32 {
        let known = self.types.iter().position(|known| known == wanted);
        let number = known.unwrap_or_else(|| {
            self.types.push(wanted.clone());
            self.types.len() - 1
        });
        number as u32
    }

    /// Imports what the old module imports, by its short name. Imports come before everything that has code.
    pub(super) fn import_own(&mut self, function: u32) -> Result<()> {
        let import = self.module.imports.get(function as usize).context("an import is missing")?;
        self.import(import.module, &names::short(function as usize), function)
    }

    /// Imports a function of the old module.
    pub(super) fn import(&mut self, from: &str, name: &str, function: u32) -> Result<()> {
        let number = self.import_new(from, name, self.module.type_of(function)?);
        self.numbers.insert(function, number);
        Ok(())
    }

    /// Imports a function that the old module does not know.
    pub(super) fn import_new(&mut self, from: &str, name: &str, of: &FuncType) -> u32 {
        let of = self.type_number(of);
        self.imports.import(from, name, EntityType::Function(of));
        self.next_number()
    }

    /// Gives a function its number. The code of all functions follows in the same order.
    pub(super) fn declare(&mut self, function: u32) -> Result<()> {
        let number = self.declare_new(self.module.type_of(function)?);
        self.numbers.insert(function, number);
        Ok(())
    }

    pub(super) fn declare_new(&mut self, of: &FuncType) -> u32 {
        let of = self.type_number(of);
        self.functions.function(of);
        self.next_number()
    }

    fn next_number(&mut self) -> u32 {
        self.function_count += 1;
        self.function_count - 1
    }

    pub(super) fn number(&self, function: u32) -> Result<u32> {
        self.numbers
            .get(&function)
            .copied()
            .with_context(|| format!("function {function} is not in this half"))
    }

    pub(super) fn write(&mut self, code: &Function) {
        self.code.function(code);
    }

    /// Writes the code of an old function behind `before`. `rewrite` may write something else for an instruction, or
    /// something in front of it; it says whether the instruction is done with.
    pub(super) fn copy(
        &mut self,
        function: u32,
        before: &[Instruction],
        rewrite: impl Fn(&mut Self, &mut Function, &Operator) -> Result<bool>,
    ) -> Result<()> {
        let body = self.module.body(function)?;
        let mut code = self.new_function_with_parsed_locals(body)?;
        for instruction in before {
            code.instruction(instruction);
        }
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            if !rewrite(self, &mut code, &operator)? {
                code.instruction(&self.instruction(operator)?);
            }
        }
        self.write(&code);
        Ok(())
    }

    /// Defines memory, tables and globals as the old module does; the table of functions has at least this size.
    pub(super) fn define_shared(&mut self, table_size: u32) -> Result<()> {
        for memory in &self.module.memories {
            let of = self.memory_type(*memory)?;
            self.memories.memory(of);
        }
        for table in 0..self.module.tables.len() as u32 {
            let of = self.sized_table_type(table, table_size)?;
            self.tables.table(of);
        }
        for global in &self.module.globals {
            let of = self.global_type(global.ty)?;
            let value = self.const_expr(global.init_expr.clone())?;
            self.globals.global(of, &value);
        }
        Ok(())
    }

    pub(super) fn sized_table_type(&mut self, table: u32, table_size: u32) -> Result<TableType> {
        let of = self.module.tables.get(table as usize).context("a table is missing")?;
        let mut of = self.table_type(*of)?;
        if table == FUNCTION_TABLE {
            of.minimum = of.minimum.max(table_size.into());
            of.maximum = of.maximum.map(|maximum| maximum.max(of.minimum));
        }
        Ok(of)
    }

    /// Exports what the old module exports.
    pub(super) fn export_own(&mut self) -> Result<()> {
        for export in &self.module.exports {
            let kind = self.export_kind(export.kind)?;
            let index = self.external_index(export.kind, export.index)?;
            self.exports.export(export.name, kind, index);
        }
        Ok(())
    }

    /// Fills slots of the table of functions: those that follow each other in one go.
    pub(super) fn fill(&mut self, slots: &BTreeMap<u32, u32>) -> Result<()> {
        let mut slots = slots.iter().peekable();
        while let Some((&start, &function)) = slots.next() {
            let mut functions = vec![self.number(function)?];
            while let Some((_, function)) =
                slots.next_if(|(slot, _)| **slot == start + functions.len() as u32)
            {
                functions.push(self.number(*function)?);
            }
            let start = ConstExpr::i32_const(start.cast_signed());
            self.elements.active(None, &start, Elements::Functions(functions.into()));
        }
        Ok(())
    }

    pub(super) fn put(&mut self, segments: &[Segment]) {
        for segment in segments {
            let address = ConstExpr::i32_const(segment.address.cast_signed());
            self.data.active(0, &address, segment.bytes.iter().copied());
        }
    }

    pub(super) fn finish(mut self) -> Result<Vec<u8>> {
        let mut types = TypeSection::new();
        for of in std::mem::take(&mut self.types) {
            types.ty().func_type(&self.func_type(of)?);
        }
        let mut module = wasm_encoder::Module::new();
        module.section(&types).section(&self.imports).section(&self.functions).section(&self.tables);
        module.section(&self.memories).section(&self.globals).section(&self.exports);
        if let Some(function_index) = self.start {
            module.section(&StartSection { function_index });
        }
        module.section(&self.elements).section(&self.code).section(&self.data);
        Ok(module.finish())
    }
}

impl Reencode for Writer<'_, '_> {
    type Error = io::Error;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<io::Error>> {
        self.number(function).map_err(|error| Error::UserError(io::Error::other(error)))
    }

    fn type_index(&mut self, of: u32) -> Result<u32, Error<io::Error>> {
        let of = self.module.types.get(of as usize);
        let of = of.ok_or_else(|| Error::UserError(io::Error::other(format!("there is no type {of:?}"))))?;
        Ok(self.type_number(of))
    }
}
