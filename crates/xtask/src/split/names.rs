//! Short names for what the modules and the page's script call each other: a name is sent with each of them.

use super::module::Module;

/// The shortest names first: `a` to `z`, `A` to `Z`, `aa`, …
pub(super) fn short(number: usize) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let last = char::from(LETTERS[number % LETTERS.len()]);
    match (number / LETTERS.len()).checked_sub(1) {
        Some(before) => short(before) + &last.to_string(),
        None => last.to_string(),
    }
}

/// The old and the new name of every imported function.
pub(super) fn renamed(module: &Module) -> Vec<(String, String)> {
    let imports = module.imports.iter().enumerate();
    imports.map(|(number, import)| (import.name.to_owned(), short(number))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn gives_each_number_another_name_and_short_ones_first() {
        let names: Vec<String> = (0..3000).map(short).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert_eq!(
            [&names[0], &names[51], &names[52], &names[53], &names[104]],
            ["a", "Z", "aa", "ab", "ba"]
        );
        assert!(names.is_sorted_by_key(String::len));
    }
}
