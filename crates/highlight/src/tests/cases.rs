//! A sample of every language, with its marks: `samples` holds them as they should be.

use std::path::PathBuf;

use super::marked;
use crate::language::{Language, of_name, of_path};

/// Writes the samples anew if this is set: `UPDATE_SAMPLES=1 cargo test -p pilothouse-highlight`. Read what changes.
const UPDATE: &str = "UPDATE_SAMPLES";

fn sample(language: Language) -> PathBuf {
    let name = format!("src/tests/samples/{}.txt", format!("{language:?}").to_lowercase());
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The text without its marks.
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
fn every_language_is_marked_as_its_sample_is() {
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
fn languages_go_by_many_names() {
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
fn files_tell_their_language_by_their_names() {
    for (path, language) in [
        ("src/main.rs", Language::Rust),
        ("C:\\work\\a.TS", Language::TypeScript),
        ("docker/Dockerfile", Language::Docker),
        ("Dockerfile.dev", Language::Docker),
        ("Makefile", Language::Make),
        ("a.b/c.test.py", Language::Python),
        (".bashrc", Language::Bash),
    ] {
        assert_eq!(of_path(path), Some(language), "{path}");
    }
    for path in ["", "LICENSE", "notes.txt", "a.rs/b", "src/"] {
        assert_eq!(of_path(path), None, "{path:?}");
    }
}
