//! Splits a line into the units that are marked as changed: words, runs of white space, single signs. Never splits
//! inside what a reader sees as one character, as far as ranges of code points can tell that.

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Sign,
}

pub(super) fn tokens_of(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last: Option<(Class, char)> = None;
    for (index, character) in line.char_indices() {
        let class = class_of(character);
        let continues = match last {
            None => true,
            Some((_, JOINER)) => true,
            Some(_) if extends(character) => true,
            Some((before, _)) => before == class && class != Class::Sign,
        };
        if !continues {
            tokens.push(line.get(start..index).unwrap_or_default());
            start = index;
        }
        // What extends a sign or a word leaves it one.
        let kept = last.filter(|_| continues && extends(character)).map_or(class, |(before, _)| before);
        last = Some((kept, character));
    }
    if start < line.len() {
        tokens.push(line.get(start..).unwrap_or_default());
    }
    tokens
}

/// Joins two pictures into one.
const JOINER: char = '\u{200d}';

fn class_of(character: char) -> Class {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => Class::Word,
        ' ' | '\t' => Class::Space,
        '\0'..='\u{7f}' => Class::Sign,
        // Writing without spaces between words: each character by itself.
        '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Class::Sign,
        // Writing whose signs depend on their neighbours, and flags, which are pairs.
        '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1f1e6}'..='\u{1f1ff}' => Class::Word,
        _ if character.is_whitespace() => Class::Space,
        _ if character.is_alphanumeric() => Class::Word,
        _ => Class::Sign,
    }
}

/// Belongs to the character before it: combining marks, variation selectors, skin tones, joiners, tags.
const fn extends(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6ed}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{200c}' | JOINER
        | '\u{20d0}'..='\u{20ff}'
        | '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}'
        | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{e0020}'..='\u{e007f}'
        | '\u{e0100}'..='\u{e01ef}')
}
