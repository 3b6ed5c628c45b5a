//! Compares a sample of every language with its expected spans, in `samples`.

use std::path::PathBuf;

use super::marked;
use crate::language::{Language, name_in_path, of_name};

/// If set, the samples are rewritten: `UPDATE_SAMPLES=1 cargo test -p pilothouse-highlight`. Review the difference.
const UPDATE: &str = "UPDATE_SAMPLES";

fn sample(language: Language) -> PathBuf {
    let name = format!("src/tests/samples/{}.txt", format!("{language:?}").to_lowercase());
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The text without the marks of spans.
fn bare(marked: &str) -> String {
    let mut parts = marked.split(['‹', '›']);
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let (Some(mark), Some(between)) = (parts.next(), parts.next()) {
        text += mark.split_once(':').map_or(mark, |(_, content)| content);
        text += between;
    }
    text
}

#[test]
fn every_language_matches_its_sample() {
    let mut wrong = Vec::new();
    for language in Language::ALL {
        let path = sample(*language);
        let wanted =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let found = marked(*language, &bare(&wanted));
        if found != wanted && std::env::var_os(UPDATE).is_some() {
            std::fs::write(&path, found).unwrap();
        } else if found != wanted {
            let pairs = wanted.lines().zip(found.lines()).filter(|(wanted, found)| wanted != found);
            wrong.extend(
                pairs.map(|(wanted, found)| format!("{language:?}\n  wanted {wanted}\n  found  {found}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn languages_have_several_names() {
    for (name, language) in [
        ("rs", Language::Rust),
        ("RUST", Language::Rust),
        ("c++", Language::Cpp),
        ("C#", Language::CSharp),
        ("sh", Language::Bash),
        ("yml", Language::Yaml),
        ("jsx", Language::JavaScript),
    ] {
        assert_eq!(of_name(name), Some(language), "{name}");
    }
    for name in ["", "text", "plaintext", "mermaid", "rust fn", " "] {
        assert_eq!(of_name(name), None, "{name:?}");
    }
}

#[test]
fn file_names_determine_the_language() {
    for (path, name) in [
        ("src/main.rs", "rs"),
        ("C:\\work\\a.TS", "TS"),
        ("docker/Dockerfile", "Dockerfile"),
        ("Dockerfile.dev", "Dockerfile"),
        ("a.b/c.test.py", "py"),
        (".bashrc", "bashrc"),
    ] {
        assert_eq!(name_in_path(path), Some(name), "{path}");
    }
    for path in ["", "LICENSE", "notes.txt", "a.rs/b", "src/"] {
        assert_eq!(name_in_path(path), None, "{path:?}");
    }
}
