//! Groups of lines. A browser repeats layout and paint for the whole box that text is added to, so the page shows code
//! in small groups: the cost of a new line does not depend on the length of the code.

/// The number of lines in a group.
pub const LINES: usize = 16;

/// Splits a text into groups. The first piece completes a group that already has `lines` lines.
pub fn pieces(text: &str, lines: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let mut room = LINES - lines % LINES;
    std::iter::from_fn(move || {
        let end = rest.match_indices('\n').nth(room - 1).map_or(rest.len(), |(place, _)| place + 1);
        let (piece, others) = rest.split_at(end);
        (rest, room) = (others, LINES);
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_piece_completes_a_group() {
        let text = "line\n".repeat(40) + "open";
        let lines = |lines| pieces(&text, lines).map(|piece| piece.lines().count()).collect::<Vec<_>>();
        assert_eq!(lines(13), [3, 16, 16, 6]);
        assert_eq!(lines(0), [16, 16, 9]);
        assert_eq!(lines(LINES), [16, 16, 9]);
        assert_eq!(pieces("", 3).count(), 0);
        assert_eq!(pieces(&text, 5).collect::<String>(), text);
    }
}
