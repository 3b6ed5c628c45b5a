//! How far the `(destination "title")` behind a link's text is written.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// With its length, parentheses included.
    Complete(usize),
    Unfinished,
    Invalid,
}

/// Looks at a text that begins with the opening parenthesis.
pub fn scan(text: &str) -> Destination {
    let bytes = text.as_bytes();
    let mut at = spaces(bytes, 1);
    if bytes.get(at) == Some(&b'<') {
        // What stands in angle brackets cannot go on in the next line.
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.iter().position(|byte| matches!(byte, b'>' | b'\n')) {
            None => return Destination::Unfinished,
            Some(end) if rest.get(end) == Some(&b'\n') => return Destination::Invalid,
            Some(end) => at += end + 1,
        }
    } else {
        let mut depth = 0usize;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'(' => depth += 1,
                b')' if depth == 0 => return Destination::Complete(at + 1),
                b')' => depth -= 1,
                byte if byte.is_ascii_whitespace() => break,
                byte if byte.is_ascii_control() => return Destination::Invalid,
                _ => {}
            }
            at += 1;
        }
    }
    let behind = spaces(bytes, at);
    let close = match bytes.get(behind) {
        None => return Destination::Unfinished,
        Some(b')') => return Destination::Complete(behind + 1),
        Some(quote @ (b'"' | b'\'')) if behind > at => *quote,
        Some(b'(') if behind > at => b')',
        Some(_) => return Destination::Invalid,
    };
    let Some(end) = closing(bytes, behind + 1, close) else { return Destination::Unfinished };
    let end = spaces(bytes, end);
    match bytes.get(end) {
        None => Destination::Unfinished,
        Some(b')') => Destination::Complete(end + 1),
        Some(_) => Destination::Invalid,
    }
}

fn spaces(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The place behind the next `close` that is not escaped.
fn closing(bytes: &[u8], mut at: usize, close: u8) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            byte if *byte == close => return Some(at + 1),
            _ => at += 1,
        }
    }
}
