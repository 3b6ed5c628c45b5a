//! What single marks in a text look like by their neighbours and by what follows. Knows nothing of blocks.

/// How often the first byte repeats.
pub fn run(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| Some(*byte) == rest.first()).count()
}

/// Whether all that is left may be the beginning of an entity such as `&amp;`.
pub fn is_part_of_entity(rest: &[u8]) -> bool {
    let name = rest.get(1..).unwrap_or_default();
    name.len() <= 32 && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'#')
}

/// Whether this can go on as a tag or, without a space in it, as an address. Comparisons in prose cannot.
pub fn may_be_tag(rest: &[u8]) -> bool {
    let mut quote = None;
    let spaced = rest.iter().any(u8::is_ascii_whitespace) && !rest.starts_with(b"!--");
    rest.iter().all(|byte| {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            _ => {}
        }
        quote.is_some() || !spaced || !b"<(){};,`*|&".contains(byte)
    })
}

/// How much at the end may become a bare address, which is to be a link from its first character on.
pub fn beginning_of_address(source: &str) -> usize {
    let begins = |length: &usize| {
        let Some((before, end)) =
            source.len().checked_sub(*length).and_then(|at| source.split_at_checked(at))
        else {
            return false;
        };
        ("https://".starts_with(end) || "http://".starts_with(end))
            && !before.ends_with(char::is_alphanumeric)
    };
    (1..="https://".len()).find(begins).unwrap_or_default()
}

/// Whether a run between these two leans towards the second, as CommonMark has it.
pub fn flanks(outside: Option<char>, inside: Option<char>) -> bool {
    let outside_word = !is_space(outside) && !is_punctuation(outside);
    !is_space(inside) && (!is_punctuation(inside) || !outside_word)
}

fn is_space(character: Option<char>) -> bool {
    character.is_none_or(char::is_whitespace)
}

pub fn is_punctuation(character: Option<char>) -> bool {
    character.is_some_and(|character| !character.is_alphanumeric() && !character.is_whitespace())
}
