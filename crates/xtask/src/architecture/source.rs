//! What the code in a folder names, against the rules. How Rust text is read is in `code`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::code::{self, Name};
use super::rules::SourceRule;
use crate::fingerprint;

pub(super) fn breaches(root: &Path, rules: &[SourceRule]) -> Result<Vec<String>> {
    let mut breaches = Vec::new();
    for rule in rules {
        let mut files = Vec::new();
        fingerprint::collect(&root.join(rule.folder), &mut files)?;
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "rs")) {
            let relative = file.strip_prefix(root).unwrap_or(file);
            if rule.tests_are_free && is_test_file(relative) {
                continue;
            }
            let text =
                fs::read_to_string(file).with_context(|| format!("{} cannot be read", relative.display()))?;
            for (line, pattern) in forbidden(&text, rule) {
                breaches.push(format!(
                    "{}:{line} names {pattern}, which {} never does",
                    relative.display(),
                    rule.folder
                ));
            }
        }
    }
    Ok(breaches)
}

/// The forbidden names in a file's text, with their lines.
fn forbidden<'a>(text: &str, rule: &'a SourceRule) -> Vec<(usize, &'a str)> {
    let mut code = code::without_comments_and_strings(text);
    if rule.tests_are_free {
        code = code::without_tests(&code);
    }
    let names = code::names(&code);
    let found = names.iter().filter_map(|name| {
        let pattern = rule.never.iter().find(|pattern| matches(name, pattern))?;
        Some((name.line, *pattern))
    });
    found.collect()
}

/// A pattern with `::` is the beginning of a path; any other is one of its words.
fn matches(name: &Name, pattern: &str) -> bool {
    match pattern.contains("::") {
        true => {
            name.path == pattern || name.path.strip_prefix(pattern).is_some_and(|rest| rest.starts_with("::"))
        }
        false => name.path.split("::").any(|word| word == pattern),
    }
}

/// Tests live in files of these names, beside the code.
fn is_test_file(relative: &Path) -> bool {
    let in_folder = relative.iter().any(|part| part == "tests");
    let stem = relative.file_stem().unwrap_or_default().to_string_lossy();
    in_folder || stem == "tests" || stem.ends_with("_test") || stem.ends_with("_tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: SourceRule = SourceRule {
        folder: "src",
        never: &["std::fs", "std::time::Instant", "SystemTime", "println!", "inner_html"],
        tests_are_free: true,
    };

    fn found(text: &str) -> Vec<&'static str> {
        forbidden(text, &RULE).into_iter().map(|(_, pattern)| pattern).collect()
    }

    #[test]
    fn notices_names_however_they_are_written() {
        assert_eq!(found("let text = std::fs::read(path);"), ["std::fs"]);
        assert_eq!(found("use std::{collections::HashMap, fs};"), ["std::fs"]);
        assert_eq!(found("use std::{fmt, time::{Duration, Instant}};"), ["std::time::Instant"]);
        assert_eq!(found("use std::time;\nlet now = time::SystemTime::now();"), ["SystemTime"]);
        assert_eq!(found("println!(\"hello\");"), ["println!"]);
        assert_eq!(found("view! { <div inner_html=text/> }"), ["inner_html"]);
    }

    #[test]
    fn tells_the_line() {
        assert_eq!(forbidden("//! Words.\n\nuse std::{\n    fmt,\n    fs,\n};", &RULE), [(5, "std::fs")]);
    }

    #[test]
    fn lets_similar_names_pass() {
        assert!(
            found("use std::time::Duration; use std::fsync; let filesystem = my_std::fs_like();").is_empty()
        );
        assert!(found("let inner_html_is_never_set = true; print_line(println);").is_empty());
    }

    #[test]
    fn reads_code_not_words_about_it() {
        assert!(
            found("//! Never std::fs.\n/* nor /* nested */ SystemTime */ let a = \"std::fs\";").is_empty()
        );
        assert!(found("let a = r#\"std::fs \" std::fs\"#; let b = '\"'; let c = b\"std::fs\";").is_empty());
        assert_eq!(found("fn keep<'a>(text: &'a str) { std::fs::read(text) }"), ["std::fs"]);
    }

    #[test]
    fn leaves_tests_alone() {
        assert!(found("#[cfg(test)]\nmod tests { use std::fs; fn a() { if true {} } }").is_empty());
        assert!(found("#[cfg(all(test, target_arch = \"wasm32\"))]\n#[path = \"x\"]\nmod tests;").is_empty());
        assert_eq!(found("#[cfg(test)]\nmod tests {}\nuse std::fs;"), ["std::fs"]);
        assert_eq!(found("#[cfg(not(test))]\nuse std::fs;"), ["std::fs"]);
        for file in ["src/a/tests.rs", "src/tests/deep.rs", "src/parse_tests.rs"] {
            assert!(is_test_file(Path::new(file)), "{file}");
        }
        assert!(!is_test_file(Path::new("src/contest.rs")));
    }

    #[test]
    fn holds_for_tests_too_where_the_rule_says_so() {
        let strict = SourceRule { tests_are_free: false, ..RULE };
        assert_eq!(forbidden("#[cfg(test)]\nmod tests { use std::fs; }", &strict).len(), 1);
    }
}
