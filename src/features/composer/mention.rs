//! What an `@` in the composer's text asks for: a file of the project. Pure.

use crate::widgets::listbox::Choice;

/// The letters behind an `@` that begins a word, up to the caret, and where the `@` stands.
pub fn typed(draft: &str, caret: usize) -> Option<(usize, &str)> {
    let before = draft.get(..caret)?;
    let at = before.rfind('@')?;
    let letters = &before[at + 1..];
    let begins = before[..at].chars().next_back().is_none_or(char::is_whitespace);
    (begins && !letters.contains(char::is_whitespace)).then_some((at, letters))
}

/// The text with a path in place of the letters, and where the caret stands then. A folder can be gone into.
pub fn completed(draft: &str, at: usize, caret: usize, path: &str) -> (String, usize) {
    let space = if path.ends_with('/') { "" } else { " " };
    let inserted = format!("@{path}{space}");
    let text = format!("{}{inserted}{}", &draft[..at], draft[caret..].trim_start());
    (text, at + inserted.len())
}

pub fn choices(paths: &[String]) -> Vec<Choice> {
    let choice = |path: &String| {
        let (folder, name) = path.trim_end_matches('/').rsplit_once('/').unwrap_or(("", path));
        let name =
            if path.ends_with('/') && !name.ends_with('/') { format!("{name}/") } else { name.to_owned() };
        Choice { key: path.clone(), name, words: folder.to_owned(), ..Choice::default() }
    };
    paths.iter().map(choice).collect()
}

/// The browser counts in units of UTF-16.
pub fn byte_of(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (byte, letter) in text.char_indices() {
        if seen >= units {
            return byte;
        }
        seen += letter.len_utf16();
    }
    text.len()
}

pub fn units_of(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or(text).encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_at_sign_asks_where_it_begins_a_word() {
        assert_eq!(typed("see @src/ma", 11), Some((4, "src/ma")));
        assert_eq!(typed("@", 1), Some((0, "")));
        assert_eq!(typed("see @src and", 12), None);
        assert_eq!(typed("mail@example", 12), None);
        assert_eq!(typed("see @src and", 8), Some((4, "src")), "the caret is still in it");
    }

    #[test]
    fn a_path_takes_the_place_of_the_letters() {
        assert_eq!(completed("see @ma now", 4, 7, "src/main.rs"), ("see @src/main.rs now".into(), 17));
        assert_eq!(completed("@s", 0, 2, "src/"), ("@src/".into(), 5));
        assert_eq!((byte_of("ä😀b", 3), units_of("ä😀b", 6)), (6, 3));
    }

    #[test]
    fn a_choice_says_its_name_first_and_where_it_is() {
        let choices = choices(&["src/ui/".into(), "README.md".into()]);
        assert_eq!((choices[0].name.as_str(), choices[0].words.as_str()), ("ui/", "src"));
        assert_eq!((choices[1].name.as_str(), choices[1].words.as_str()), ("README.md", ""));
    }
}
