//! The list of functions that come later, and how it names them: as the compiler does, without modules and without
//! what differs from build to build. Functions that share a name stay together.

use std::collections::BTreeSet;

const HEAD: &str = "\
# Functions of the page that come later: what is not named here is in the first module.
# Made by `cargo xtask first-load`; a line that fits nothing any more does no harm.
";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct List(BTreeSet<String>);

impl List {
    /// From the symbols of all functions, each with whether it stays.
    pub(super) fn new<'a>(functions: impl Iterator<Item = (&'a str, bool)>) -> Self {
        let (mut all, mut staying) = (BTreeSet::new(), BTreeSet::new());
        for (symbol, stays) in functions {
            if stays { &mut staying } else { &mut all }.insert(key(symbol));
        }
        Self(all.difference(&staying).cloned().collect())
    }

    pub(crate) fn read(text: &str) -> Self {
        Self(text.lines().filter(|line| !line.starts_with('#')).map(String::from).collect())
    }

    pub(crate) fn write(&self) -> String {
        let lines = self.0.iter().flat_map(|line| [line.as_str(), "\n"]);
        std::iter::once(HEAD).chain(lines).collect()
    }

    pub(super) fn names(&self, symbol: &str) -> bool {
        self.0.contains(&key(symbol))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A symbol as the list names it: `<Session>::follow`, `drop_in_place::<Option<Seek>>`.
fn key(symbol: &str) -> String {
    // What wasm-bindgen puts in front of a function is named after it, with words behind.
    let (symbol, words) = symbol.split_at(symbol.find(' ').unwrap_or(symbol.len()));
    let name = format!("{:#}", rustc_demangle::demangle(symbol));
    let name = match name.rsplit_once('.') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => &name,
    };
    let mut key = without_modules(name);
    key.push_str(words);
    key
}

fn without_modules(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(if end == 0 { first.len_utf8() } else { end });
        rest = after;
        let inner = after.strip_prefix("::").filter(|inner| inner.starts_with(is_word));
        match inner {
            // A module: what follows is in it.
            Some(inner) if first.is_ascii_lowercase() || first == '_' => rest = inner,
            _ => key.push_str(without_hash(word)),
        }
    }
    key
}

/// wasm-bindgen ends the names of imported functions with sixteen digits.
fn without_hash(word: &str) -> &str {
    match word.rsplit_once('_') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => word,
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_without_modules_and_hashes() {
        for (symbol, told) in [
            ("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "Formatter::pad"),
            ("_RNvNtCs4fqI2P2rA04_4core9panicking9panic_fmt", "panic_fmt"),
            ("_RNCNvNtCs4fqI2P2rA04_4page2ui6layout0", "layout::{closure#0}"),
            ("_RINvNtC4core3ptr13drop_in_placeNtNtC4page2ui4SeekEC4page", "drop_in_place::<Seek>"),
            ("_RNvC4page5round.387", "round"),
            ("_RNvC4page26___wbg_now_0123456789abcdef externref shim", "__wbg_now externref shim"),
            ("__wbindgen_malloc", "__wbindgen_malloc"),
        ] {
            assert_eq!(key(symbol), told, "{symbol}");
        }
    }

    #[test]
    fn what_shares_its_name_with_something_that_ran_stays() {
        let list = List::new([("a", true), ("b", false), ("a", false)].into_iter());
        assert!(list.names("b") && !list.names("a") && !list.names("new"));
        assert_eq!(List::read(&list.write()), list);
    }
}
