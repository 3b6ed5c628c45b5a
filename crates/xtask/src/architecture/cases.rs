//! Checks the numbered cases of the reducer's design: each has a test named after its number, and `tests/cases.md` lists
//! the files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::fingerprint;

/// The highest number of a case.
const LAST: u8 = 73;

const LIST: &str = "tests/cases.md";

/// A case and the path of a file in the project.
type Place = (u8, String);

pub(super) fn breaches(root: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for folder in source_folders(root)? {
        fingerprint::collect(&folder, &mut files)?;
    }
    let mut tested = BTreeSet::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "rs")) {
        let relative = file.strip_prefix(root).unwrap_or(file).display().to_string();
        let text = fs::read_to_string(file).with_context(|| format!("{relative} cannot be read"))?;
        tested.extend(cases_in(&text).into_iter().map(|case| (case, relative.clone())));
    }
    let list = fs::read_to_string(root.join(LIST)).with_context(|| format!("{LIST} cannot be read"))?;
    Ok(compare(&tested, &listed(&list)))
}

/// `src` and `tests` of the root package and of every crate.
fn source_folders(root: &Path) -> Result<Vec<std::path::PathBuf>> {
    let mut folders = vec![root.join("src"), root.join("tests")];
    for entry in fs::read_dir(root.join("crates")).context("the folder crates cannot be read")? {
        let path = entry?.path();
        folders.extend([path.join("src"), path.join("tests")]);
    }
    Ok(folders)
}

/// The numbers of the functions named `case_NN_…`, defined at the start of a line.
fn cases_in(text: &str) -> BTreeSet<u8> {
    let definitions = text.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("fn ").or_else(|| line.strip_prefix("async fn "))
    });
    definitions.filter_map(number).collect()
}

/// The number in `case_07_it_reads_like_this`.
fn number(name: &str) -> Option<u8> {
    let (digits, _) = name.strip_prefix("case_")?.split_once('_')?;
    (digits.len() == 2).then(|| digits.parse().ok()).flatten()
}

/// The rows of the list's table: the number, a sentence, and the files in backquotes.
fn listed(list: &str) -> BTreeSet<Place> {
    let mut places = BTreeSet::new();
    for line in list.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, case, .., files, _] = cells[..]
            && let Ok(case) = case.parse()
        {
            let quoted = files.split('`').skip(1).step_by(2);
            places.extend(quoted.map(|file| (case, file.to_owned())));
        }
    }
    places
}

fn compare(tested: &BTreeSet<Place>, listed: &BTreeSet<Place>) -> Vec<String> {
    let known: BTreeSet<u8> = tested.iter().map(|place| place.0).collect();
    let missing = (1..=LAST).filter(|case| !known.contains(case));
    let foreign = known.iter().filter(|case| !(1..=LAST).contains(*case));
    let unlisted = tested.difference(listed);
    let stale = listed.difference(tested);
    missing
        .map(|case| format!("case {case:02} has no test: name one case_{case:02}_…"))
        .chain(foreign.map(|case| format!("a test is named after case {case:02}, which does not exist")))
        .chain(unlisted.map(|(case, file)| format!("{LIST} does not list {file} for case {case:02}")))
        .chain(stale.map(|(case, file)| {
            format!("{LIST} lists {file} for case {case:02}, but no test there has that name")
        }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(places: &[(u8, &str)]) -> BTreeSet<Place> {
        places.iter().map(|(case, file)| (*case, (*file).to_owned())).collect()
    }

    fn every_case() -> BTreeSet<Place> {
        (1..=LAST).map(|case| (case, "tests/all.rs".to_owned())).collect()
    }

    #[test]
    fn tests_are_found_by_their_definitions() {
        let text = "async fn case_07_reads_well() {}\n    fn case_41_too() { call_case_08_x(); }\n\
            // fn case_09_in_a_comment()\nlet text = \"fn case_10_in_a_string()\"; fn case_5_short() {} fn in_case_11_x() {}";
        assert_eq!(cases_in(text), [7, 41].into());
    }

    #[test]
    fn a_row_may_list_several_files() {
        let list = "# Cases\n\n| case | says | tests |\n|---|---|---|\n\
            | 01 | one thing | `src/a.rs` |\n| 02 | another, with `code` | `src/a.rs`, `src/b.rs` |\n";
        assert_eq!(listed(list), places(&[(1, "src/a.rs"), (2, "src/a.rs"), (2, "src/b.rs")]));
    }

    #[test]
    fn a_correct_list_is_accepted() {
        assert!(compare(&every_case(), &every_case()).is_empty());
    }

    #[test]
    fn a_case_without_a_test_is_reported() {
        let mut tested = every_case();
        tested.retain(|place| place.0 != 33);
        let breaches = compare(&tested, &tested);
        assert_eq!(breaches, ["case 33 has no test: name one case_33_…"]);
    }

    #[test]
    fn a_test_of_an_unknown_case_is_reported() {
        let mut tested = every_case();
        tested.insert((74, "src/a.rs".to_owned()));
        assert_eq!(compare(&tested, &tested), ["a test is named after case 74, which does not exist"]);
    }

    #[test]
    fn a_list_that_differs_from_the_tests_is_reported() {
        let mut tested = every_case();
        tested.insert((5, "src/moved.rs".to_owned()));
        let breaches = compare(&tested, &every_case());
        assert_eq!(breaches, ["tests/cases.md does not list src/moved.rs for case 05"]);
        let breaches = compare(&every_case(), &tested);
        assert_eq!(
            breaches,
            ["tests/cases.md lists src/moved.rs for case 05, but no test there has that name"]
        );
    }
}
