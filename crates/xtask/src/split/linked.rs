//! What the linker tells about the data: its symbols, and which of them code and other data refer to. Addresses stay
//! what they are in every step after it.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use anyhow::{Context, Result};
use wasmparser::{
    KnownCustom, Linking, LinkingSectionReader, Parser, Payload, RelocationEntry, RelocationType, SymbolInfo,
};

use super::module::data_segment;

/// Symbols are known by their place in `symbols`.
#[derive(Default)]
pub(super) struct Linked {
    /// The addresses of each symbol. Some share theirs: a text may be the end of another one.
    pub(super) symbols: Vec<Range<u32>>,
    /// The symbols that a number in the code may mean, as an address.
    by_number: HashMap<u32, BTreeSet<usize>>,
    /// The symbols that the data of a symbol refers to.
    by_symbol: HashMap<usize, BTreeSet<usize>>,
}

impl Linked {
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        let sections = Sections::read(bytes)?;
        let mut linked = Self::default();
        let mut numbers = HashMap::new();
        for (number, (segment, offset, size)) in &sections.symbols {
            // A symbol in no segment has no bytes: it is zero at first.
            if let Some((address, _)) = sections.segments.get(*segment as usize) {
                let start = address + offset;
                numbers.insert(*number, linked.add(start..start + size));
            }
        }
        for entry in &sections.in_data {
            let place = sections.data_start + u64::from(entry.offset);
            let segment = sections.segments.iter().find(|(_, bytes)| bytes.contains(&place));
            let (address, bytes) = segment.context("the linker put an address where no data is")?;
            let from = linked.meant_by(address + (place - bytes.start) as u32).clone();
            if let Some(target) = numbers.get(&entry.index) {
                for from in from {
                    linked.by_symbol.entry(from).or_default().insert(*target);
                }
            }
        }
        // Code may count from an address that is outside of what it means, even in front of it.
        for entry in &sections.in_code {
            if let Some(target) = numbers.get(&entry.index) {
                let address = linked.symbols[*target].start.wrapping_add(entry.addend as u32);
                linked.by_number.entry(address).or_default().insert(*target);
            }
        }
        Ok(linked)
    }

    fn add(&mut self, symbol: Range<u32>) -> usize {
        let number = self.symbols.len();
        for address in symbol.clone() {
            self.by_number.entry(address).or_default().insert(number);
        }
        self.symbols.push(symbol);
        number
    }

    pub(super) fn meant_by(&self, number: u32) -> &BTreeSet<usize> {
        static NONE: BTreeSet<usize> = BTreeSet::new();
        self.by_number.get(&number).unwrap_or(&NONE)
    }

    /// These symbols and all that can be reached from them.
    pub(super) fn reach(&self, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut rest: Vec<usize> = from.into_iter().collect();
        while let Some(symbol) = rest.pop() {
            if reached.insert(symbol) {
                rest.extend(self.by_symbol.get(&symbol).into_iter().flatten());
            }
        }
        reached
    }
}

/// What stands in the linker's own sections, as it stands there.
#[derive(Default)]
struct Sections {
    data_start: u64,
    /// The address of each segment, and where its bytes are in the file.
    segments: Vec<(u32, Range<u64>)>,
    /// Symbols of data by their number: segment, offset in it, size.
    symbols: HashMap<u32, (u32, u32, u32)>,
    in_code: Vec<RelocationEntry>,
    in_data: Vec<RelocationEntry>,
}

impl Sections {
    fn read(bytes: &[u8]) -> Result<Self> {
        let mut sections = Self::default();
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::DataSection(section) => {
                    sections.data_start = section.range().start;
                    for data in section {
                        let data = data?;
                        let bytes = data.range.end - data.data.len() as u64..data.range.end;
                        sections.segments.push((data_segment(&data)?.address, bytes));
                    }
                }
                Payload::CustomSection(section) => match section.as_known() {
                    KnownCustom::Linking(linking) => sections.read_symbols(&linking)?,
                    KnownCustom::Reloc(entries) => {
                        let mut entries = entries.entries().into_iter().collect::<Result<Vec<_>, _>>()?;
                        entries.retain(is_address);
                        match section.name() {
                            "reloc.CODE" => sections.in_code = entries,
                            "reloc.DATA" => sections.in_data = entries,
                            _ => {}
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(sections)
    }

    fn read_symbols(&mut self, linking: &LinkingSectionReader) -> Result<()> {
        for part in linking.subsections() {
            if let Linking::SymbolTable(symbols) = part? {
                for (number, symbol) in (0..).zip(symbols) {
                    if let SymbolInfo::Data { symbol: Some(data), .. } = symbol? {
                        self.symbols.insert(number, (data.index, data.offset, data.size));
                    }
                }
            }
        }
        Ok(())
    }
}

fn is_address(entry: &RelocationEntry) -> bool {
    use RelocationType::{MemoryAddrI32, MemoryAddrLeb, MemoryAddrSleb};
    matches!(entry.ty, MemoryAddrLeb | MemoryAddrSleb | MemoryAddrI32)
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{CustomSection, DataSymbolDefinition, LinkingSection, SymbolTable};

    use super::*;

    /// Three symbols of four bytes each from 16 on: the first refers to the second. The code counts from 12 bytes in
    /// front of the third.
    fn linked() -> Linked {
        let mut bytes = wat::parse_str("(module (memory 1) (data (i32.const 16) \"aaaabbbbcccc\"))").unwrap();
        let mut symbols = SymbolTable::new();
        for (name, offset) in [("a", 0), ("b", 4), ("c", 8)] {
            symbols.data(0, name, Some(DataSymbolDefinition { index: 0, offset, size: 4 }));
        }
        let mut module = wasm_encoder::Module::new();
        let relocations = |place: u8, index: u8, addend: u8| {
            [0, 1, RelocationType::MemoryAddrI32 as u8, place, index, addend]
        };
        // The bytes of the one segment are the sixth of the section and those behind.
        let (in_data, in_code) = (relocations(6, 1, 0), relocations(0, 2, 0x74));
        module
            .section(LinkingSection::new().symbol_table(&symbols))
            .section(&CustomSection { name: "reloc.DATA".into(), data: in_data[..].into() })
            .section(&CustomSection { name: "reloc.CODE".into(), data: in_code[..].into() });
        bytes.extend(&module.finish()[8..]);
        Linked::read(&bytes).unwrap()
    }

    #[test]
    fn an_address_means_the_symbol_that_it_is_in_or_that_the_linker_counted_it_from() {
        let linked = linked();
        let symbol = |address: u32| linked.symbols.iter().position(|symbol| symbol.start == address).unwrap();
        let meant = |number: u32| linked.meant_by(number).iter().copied().collect::<Vec<_>>();
        assert_eq!((meant(19), meant(23)), (vec![symbol(16)], vec![symbol(20)]));
        assert_eq!((meant(12), meant(11)), (vec![symbol(24)], vec![]), "12 bytes in front of the third");
        assert_eq!(linked.reach([symbol(16)]), BTreeSet::from([symbol(16), symbol(20)]));
        assert_eq!(linked.reach([symbol(24)]), BTreeSet::from([symbol(24)]));
    }
}
