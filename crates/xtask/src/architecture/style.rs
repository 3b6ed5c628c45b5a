//! Checks that every custom property of the style sheets is defined. Browsers ignore a misspelt name without an error.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

/// Properties that the page sets on elements.
const SET_BY_THE_PAGE: [&str; 1] = ["--used"];

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
    let known: BTreeSet<&str> = defined(&style).chain(SET_BY_THE_PAGE).collect();
    let unknown: BTreeSet<&str> = used(&style).filter(|name| !known.contains(name)).collect();
    Ok(unknown.into_iter().map(|name| format!("the style sheets use {name}, which is not defined")).collect())
}

fn defined(style: &str) -> impl Iterator<Item = &str> {
    style.lines().map(str::trim).filter(|line| line.starts_with("--")).filter_map(|line| {
        let (name, _) = line.split_once(':')?;
        Some(name.trim())
    })
}

/// The names in `var()`, except those with a fallback value.
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
    fn an_undefined_property_is_reported() {
        let style = ":root {\n    --paper: white;\n}\np {\n    color: var(--paper);\n    top: var(--view, 0);\n    \
                     left: calc(var(--pager) + 1px);\n}";
        assert_eq!(defined(style).collect::<Vec<_>>(), ["--paper"]);
        assert_eq!(used(style).collect::<Vec<_>>(), ["--paper", "--pager"]);
    }
}
