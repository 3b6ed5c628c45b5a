//! The style: every name it uses has a meaning. A misspelt one is no error to a browser, only a colour that is missing.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

/// Names that the page gives a value by itself.
const GIVEN_BY_THE_PAGE: [&str; 1] = ["--used"];

pub(super) fn breaches(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("style");
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "css") {
            texts.push(std::fs::read_to_string(&path)?);
        }
    }
    let style = texts.join("\n");
    let known: BTreeSet<&str> = defined(&style).chain(GIVEN_BY_THE_PAGE).collect();
    let unknown: BTreeSet<&str> = used(&style).filter(|name| !known.contains(name)).collect();
    Ok(unknown.into_iter().map(|name| format!("the style uses {name}, which has no value")).collect())
}

fn defined(style: &str) -> impl Iterator<Item = &str> {
    style.lines().map(str::trim).filter(|line| line.starts_with("--")).filter_map(|line| {
        let (name, _) = line.split_once(':')?;
        Some(name.trim())
    })
}

/// Without those that say what holds if they have no value.
fn used(style: &str) -> impl Iterator<Item = &str> {
    style.split("var(").skip(1).filter_map(|rest| {
        let end = rest.find([',', ')'])?;
        (rest.as_bytes().get(end) == Some(&b')')).then(|| rest[..end].trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_value_is_found() {
        let style = ":root {\n    --paper: white;\n}\np {\n    color: var(--paper);\n    top: var(--view, 0);\n    \
                     left: calc(var(--pager) + 1px);\n}";
        assert_eq!(defined(style).collect::<Vec<_>>(), ["--paper"]);
        assert_eq!(used(style).collect::<Vec<_>>(), ["--paper", "--pager"]);
    }
}
