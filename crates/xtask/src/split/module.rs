//! A WebAssembly module, read as far as a split must know it. What compilers for browsers never write is refused,
//! so that the rest need not think of it.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use wasmparser::{
    ConstExpr, Data, DataKind, ElementItems, ElementKind, Export, ExternalKind, FuncType, FunctionBody,
    Global, Import, KnownCustom, MemoryType, Name, NameSectionReader, Operator, Parser, Payload, TableType,
    TypeRef,
};

/// The table that function pointers point into.
pub(super) const FUNCTION_TABLE: u32 = 0;

#[derive(Default)]
pub(super) struct Module<'a> {
    pub(super) types: Vec<FuncType>,
    /// Only functions are imported; they have the first numbers.
    pub(super) imports: Vec<Import<'a>>,
    /// The type of every function.
    pub(super) functions: Vec<u32>,
    /// The code of those that are not imported.
    bodies: Vec<FunctionBody<'a>>,
    pub(super) tables: Vec<TableType>,
    pub(super) memories: Vec<MemoryType>,
    pub(super) globals: Vec<Global<'a>>,
    pub(super) exports: Vec<Export<'a>>,
    pub(super) start: Option<u32>,
    /// Which function is in which slot of the function table.
    pub(super) slots: BTreeMap<u32, u32>,
    pub(super) data: Vec<Segment<'a>>,
    names: BTreeMap<u32, &'a str>,
}

/// Bytes that are in memory from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment<'a> {
    pub(super) address: u32,
    pub(super) bytes: &'a [u8],
}

impl<'a> Segment<'a> {
    pub(super) fn part(&self, bytes: Range<usize>) -> Self {
        Self { address: self.address + bytes.start as u32, bytes: &self.bytes[bytes] }
    }
}

impl<'a> Module<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut module = Self::default();
        for payload in Parser::new(0).parse_all(bytes) {
            module.take(payload?)?;
        }
        ensure!(module.memories.len() == 1, "a page has one memory");
        let exports_slots =
            |export: &Export| export.kind == ExternalKind::Table && export.index == FUNCTION_TABLE;
        ensure!(
            !module.exports.iter().any(exports_slots),
            "JavaScript must not call by slot: it would miss the check"
        );
        Ok(module)
    }

    fn take(&mut self, payload: Payload<'a>) -> Result<()> {
        match payload {
            Payload::TypeSection(section) => {
                self.types = section.into_iter_err_on_gc_types().collect::<Result<_, _>>()?;
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    let TypeRef::Func(of) = import.ty else { bail!("{} is not a function", import.name) };
                    self.imports.push(import);
                    self.functions.push(of);
                }
            }
            Payload::FunctionSection(section) => {
                for of in section {
                    self.functions.push(of?);
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    self.tables.push(table?.ty);
                }
            }
            Payload::MemorySection(section) => {
                self.memories = section.into_iter().collect::<Result<_, _>>()?
            }
            Payload::GlobalSection(section) => {
                self.globals = section.into_iter().collect::<Result<_, _>>()?
            }
            Payload::ExportSection(section) => {
                self.exports = section.into_iter().collect::<Result<_, _>>()?
            }
            Payload::StartSection { func, .. } => self.start = Some(func),
            Payload::ElementSection(section) => {
                for element in section {
                    let element = element?;
                    self.fill_slots(&element.kind, element.items)?;
                }
            }
            Payload::DataSection(section) => {
                for data in section {
                    self.data.push(data_segment(&data?)?);
                }
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    self.read_names(names)?;
                }
            }
            Payload::Version { .. }
            | Payload::CodeSectionStart { .. }
            | Payload::DataCountSection { .. }
            | Payload::End(_) => {}
            other => bail!("a section is not known: {other:?}"),
        }
        Ok(())
    }

    fn fill_slots(&mut self, kind: &ElementKind, items: ElementItems) -> Result<()> {
        let (ElementKind::Active { table_index, offset_expr }, ElementItems::Functions(items)) =
            (kind, items)
        else {
            bail!("only functions in slots are known");
        };
        ensure!(table_index.unwrap_or(FUNCTION_TABLE) == FUNCTION_TABLE, "functions are in one table");
        for (slot, function) in (constant(offset_expr)?..).zip(items) {
            self.slots.insert(slot, function?);
        }
        Ok(())
    }

    fn read_names(&mut self, names: NameSectionReader<'a>) -> Result<()> {
        for part in names {
            if let Name::Function(map) = part? {
                for naming in map {
                    let naming = naming?;
                    self.names.insert(naming.index, naming.name);
                }
            }
        }
        Ok(())
    }

    /// The numbers of all functions that have code here.
    pub(super) fn defined(&self) -> impl Iterator<Item = u32> + use<> {
        (self.imports.len()..self.functions.len()).map(|function| function as u32)
    }

    pub(super) fn is_imported(&self, function: u32) -> bool {
        (function as usize) < self.imports.len()
    }

    pub(super) fn body(&self, function: u32) -> Result<&FunctionBody<'a>> {
        let index = (function as usize).checked_sub(self.imports.len());
        index
            .and_then(|index| self.bodies.get(index))
            .with_context(|| format!("function {function} has no code"))
    }

    pub(super) fn type_of(&self, function: u32) -> Result<&FuncType> {
        let of = self.functions.get(function as usize).and_then(|of| self.types.get(*of as usize));
        of.with_context(|| format!("function {function} has no type"))
    }

    pub(super) fn name(&self, function: u32) -> Option<&'a str> {
        self.names.get(&function).copied()
    }
}

pub(super) fn data_segment<'a>(data: &Data<'a>) -> Result<Segment<'a>> {
    match &data.kind {
        DataKind::Active { offset_expr, .. } => {
            Ok(Segment { address: constant(offset_expr)?, bytes: data.data })
        }
        DataKind::Passive => bail!("data that is put into memory by the code is not known here"),
    }
}

pub(super) fn constant(expression: &ConstExpr) -> Result<u32> {
    match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value.cast_unsigned()),
        other => bail!("a place is not a constant: {other:?}"),
    }
}
