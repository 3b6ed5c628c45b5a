//! A position in one line. It moves by whole characters, so it is always at a character boundary.

/// The only access of lexers to the text, which lets tests count their steps.
#[derive(Debug)]
pub struct Cursor<'a> {
    line: &'a str,
    pub at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    pub const fn new(line: &'a str) -> Self {
        Self { line, at: 0, end: line.len() }
    }

    /// A cursor at the same position that ends earlier.
    pub fn until(&self, end: usize) -> Self {
        Self { line: self.line, at: self.at, end: end.min(self.end) }
    }

    pub const fn is_done(&self) -> bool {
        self.at >= self.end
    }

    pub const fn end(&self) -> usize {
        self.end
    }

    /// The byte at the position, or 0 at the end; no token starts with 0.
    pub fn peek(&self) -> u8 {
        self.ahead(0)
    }

    pub fn ahead(&self, count: usize) -> u8 {
        #[cfg(test)]
        crate::tests::cost::step();
        let place = self.at + count;
        if place < self.end { self.line.as_bytes().get(place).copied().unwrap_or(0) } else { 0 }
    }

    /// The byte `count` bytes before the position, or 0.
    pub fn behind(&self, count: usize) -> u8 {
        self.at.checked_sub(count).and_then(|place| self.line.as_bytes().get(place).copied()).unwrap_or(0)
    }

    /// Moves past one character.
    pub fn bump(&mut self) {
        self.at += 1;
        // Continuation bytes of UTF-8.
        while self.ahead(0) & 0b1100_0000 == 0b1000_0000 {
            self.at += 1;
        }
        self.at = self.at.min(self.end);
    }

    pub fn starts_with(&self, text: &str) -> bool {
        !text.is_empty() && text.bytes().enumerate().all(|(index, byte)| self.ahead(index) == byte)
    }

    /// Moves past the text if it is next. Returns whether it was.
    pub fn take(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub fn take_while(&mut self, is_part: impl Fn(u8) -> bool) {
        while !self.is_done() && is_part(self.peek()) {
            self.bump();
        }
    }

    pub fn skip_blanks(&mut self) {
        self.take_while(is_blank);
    }

    pub fn finish(&mut self) {
        self.at = self.end;
    }

    /// The text between an earlier position and this one.
    pub fn since(&self, start: usize) -> &'a str {
        self.line.get(start..self.at).unwrap_or_default()
    }

    pub fn rest(&self) -> &'a str {
        self.line.get(self.at..self.end).unwrap_or_default()
    }
}

pub const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0c)
}

/// Letters, digits, underscores and everything outside ASCII.
pub const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub const fn starts_word(byte: u8) -> bool {
    is_word(byte) && !byte.is_ascii_digit()
}
