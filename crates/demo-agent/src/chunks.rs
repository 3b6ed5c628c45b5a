//! Cuts text into the pieces in which it streams: a few words each, longer ones for a long text.

/// Pieces whose concatenation is the text. The same text always gives the same pieces.
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    // About a hundred pieces, within what a model's deltas look like.
    let target = (text.len() / 100).clamp(12, 48);
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(cut(rest, target));
        rest = after;
        Some(piece)
    })
}

/// The end of the next piece: after a space near the target, else at a character.
fn cut(text: &str, target: usize) -> usize {
    if text.len() <= target {
        return text.len();
    }
    let limit = text.ceil_char_boundary(target);
    let before = text[..limit].rfind(' ').map(|space| space + 1).filter(|end| *end > target / 2);
    let reach = text.ceil_char_boundary((limit + target).min(text.len()));
    let after = || text[limit..reach].find(' ').map(|space| limit + space + 1);
    before.or_else(after).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_text() {
        for text in ["", "short", "A sentence with several words, and a few more.", &"⚓ähoi ".repeat(3000)]
        {
            let pieces: Vec<&str> = chunks(text).collect();
            assert_eq!(pieces.concat(), text);
            assert!(pieces.iter().all(|piece| !piece.is_empty()));
        }
    }

    #[test]
    fn pieces_end_at_words() {
        let pieces: Vec<&str> = chunks("Hello there, this is the demo.").collect();
        assert_eq!(pieces, ["Hello there, ", "this is the ", "demo."]);
    }
}
