//! Code is shown in groups of lines. A browser lays out and paints anew all that stands in one box with what is added;
//! so a line that comes costs its group, however long the code is.

/// Lines of a group.
pub const LINES: usize = 16;

/// The text in pieces of a group each; the first fills up one that has so many lines already.
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
    fn a_piece_has_as_many_lines_as_there_is_room_for() {
        let text = "line\n".repeat(40) + "open";
        let lines = |lines| pieces(&text, lines).map(|piece| piece.lines().count()).collect::<Vec<_>>();
        assert_eq!(lines(13), [3, 16, 16, 6]);
        assert_eq!(lines(0), [16, 16, 9]);
        assert_eq!(lines(LINES), [16, 16, 9]);
        assert_eq!(pieces("", 3).count(), 0);
        assert_eq!(pieces(&text, 5).collect::<String>(), text);
    }
}
