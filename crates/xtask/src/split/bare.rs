//! A module without what only tools look at: names, and what the linker knew about addresses.

use anyhow::Result;
use wasm_encoder::{Module, RawSection};
use wasmparser::{Parser, Payload};

pub(crate) fn bare(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload?;
        if matches!(payload, Payload::CustomSection(_)) {
            continue;
        }
        if let Some((id, range)) = payload.as_section() {
            let data = &bytes[usize::try_from(range.start)?..usize::try_from(range.end)?];
            module.section(&RawSection { id, data });
        }
    }
    Ok(module.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_is_left() {
        let with_names =
            wat::parse_str("(module $named (func $double (param i32) (result i32) local.get 0))").unwrap();
        let bare = bare(&with_names).unwrap();
        assert!(bare.len() < with_names.len());
        wasmparser::Validator::new().validate_all(&bare).unwrap();
        assert!(!bare.windows(6).any(|bytes| bytes == b"double"));
    }
}
