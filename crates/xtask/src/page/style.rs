//! All style sheets in one: they compress better together, and are asked for once.

/// A style sheet without comments, and with one space where there were several. Texts in quotes stay as they are.
pub(super) fn smaller(sheet: &str) -> String {
    let mut small = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' => quoted(rest, first),
            _ if first.is_whitespace() => {
                rest.find(|character: char| !character.is_whitespace()).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        match first {
            '/' if length > 1 => {}
            _ if first.is_whitespace() => {
                if !small.is_empty() && !small.ends_with([' ', '{', ';', '}']) {
                    small.push(' ');
                }
            }
            _ => small.push_str(piece),
        }
        rest = after;
    }
    small
}

/// How long a text in quotes is, with them.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, character) in text.char_indices().skip(1) {
        if character == quote && !escaped {
            return place + 1;
        }
        escaped = character == '\\' && !escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_out_comments_and_wide_spaces_and_nothing_else() {
        let sheet = "/* a */\n.a,\n.b {\n    margin: 0 auto;\n    /* b */\n    content: \"/*  \\\" */\";\n}\n\n.c > .d { e: 1 }\n";
        assert_eq!(smaller(sheet), ".a, .b {margin: 0 auto;content: \"/*  \\\" */\";}.c > .d {e: 1 }");
    }
}
