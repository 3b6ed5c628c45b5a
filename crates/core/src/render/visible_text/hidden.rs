//! The table of hidden characters and their names. Other characters that cannot be printed are detected too.

/// The bracket that opens a mark.
pub(super) const OPEN: char = '⟨';

pub(super) struct Hidden {
    /// A short name to show. Without one, the code point and the name are shown.
    short: Option<&'static str>,
    pub name: &'static str,
}

impl Hidden {
    pub fn shown(&self, character: char, count: usize) -> String {
        let times = if count > 1 { format!(" ×{count}") } else { String::new() };
        match self.short {
            Some(short) => format!("{OPEN}{short}{times}⟩"),
            None => format!("{OPEN}U+{:04X} {}{times}⟩", u32::from(character), self.name),
        }
    }
}

/// The entry of a character that is marked only in some places.
pub(super) const fn contextual(character: char) -> Hidden {
    match character {
        '\n' => Hidden { short: Some("LF"), name: "line feed" },
        '\t' => Hidden { short: Some("TAB"), name: "tab" },
        OPEN => Hidden { short: None, name: "bracket" },
        _ => Hidden { short: Some("space"), name: "space" },
    }
}

/// The entry of a hidden character. None for visible ones, line breaks and tabs.
pub(super) fn look_up(character: char) -> Option<Hidden> {
    match character {
        '\n' | '\t' | ' '..='~' => None,
        '\0'..='\u{1f}' => {
            CONTROLS.get(character as usize).map(|(short, name)| Hidden { short: Some(short), name })
        }
        '\u{7f}' => Some(Hidden { short: Some("DEL"), name: "delete" }),
        _ => named(character).or_else(|| unprintable(character)).map(|name| Hidden { short: None, name }),
    }
}

/// Whether a character is drawn onto the letter before it.
pub(super) fn is_combining(character: char) -> bool {
    !character.is_ascii() && look_up(character).is_none() && character.escape_debug().next() == Some('\\')
}

/// How many of these marks ordinary text has on one letter.
pub(super) const fn usual_marks(mark: char) -> usize {
    match mark {
        // Marks for letters of any script.
        '\u{300}'..='\u{36f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}' => 2,
        _ => 4,
    }
}

/// The entry of a mark that is one too many.
pub(super) const COMBINING: Hidden = Hidden { short: None, name: "combining mark" };

fn named(character: char) -> Option<&'static str> {
    let after = NAMES.partition_point(|(first, _, _)| *first <= character);
    let (_, last, name) = after.checked_sub(1).and_then(|index| NAMES.get(index))?;
    (character <= *last).then_some(*name)
}

/// Detects unassigned, private use and format characters: the standard library escapes them in debug output.
fn unprintable(character: char) -> Option<&'static str> {
    // At the start of a text, combining marks would be escaped too.
    let text = String::from_iter(['a', character]);
    (text.escape_debug().nth(1) == Some('\\')).then_some("unprintable character")
}

#[rustfmt::skip]
const CONTROLS: [(&str, &str); 32] = [
    ("NUL", "null"), ("SOH", "start of heading"), ("STX", "start of text"), ("ETX", "end of text"),
    ("EOT", "end of transmission"), ("ENQ", "enquiry"), ("ACK", "acknowledge"), ("BEL", "bell"),
    ("BS", "backspace"), ("TAB", "tab"), ("LF", "line feed"), ("VT", "vertical tab"),
    ("FF", "form feed"), ("CR", "carriage return"), ("SO", "shift out"), ("SI", "shift in"),
    ("DLE", "data link escape"), ("DC1", "device control one"), ("DC2", "device control two"),
    ("DC3", "device control three"), ("DC4", "device control four"), ("NAK", "negative acknowledge"),
    ("SYN", "synchronous idle"), ("ETB", "end of transmission block"), ("CAN", "cancel"),
    ("EM", "end of medium"), ("SUB", "substitute"), ("ESC", "escape"), ("FS", "file separator"),
    ("GS", "group separator"), ("RS", "record separator"), ("US", "unit separator"),
];

/// Ranges of hidden characters (first, last, name), sorted.
#[rustfmt::skip]
pub(super) const NAMES: [(char, char, &str); 62] = [
    ('\u{80}', '\u{84}', "control character"),
    ('\u{85}', '\u{85}', "next line"),
    ('\u{86}', '\u{9a}', "control character"),
    ('\u{9b}', '\u{9b}', "control sequence introducer"),
    ('\u{9c}', '\u{9f}', "control character"),
    ('\u{a0}', '\u{a0}', "no-break space"),
    ('\u{ad}', '\u{ad}', "soft hyphen"),
    ('\u{34f}', '\u{34f}', "combining grapheme joiner"),
    ('\u{61c}', '\u{61c}', "Arabic letter mark"),
    ('\u{115f}', '\u{1160}', "Hangul filler"),
    ('\u{1680}', '\u{1680}', "Ogham space"),
    ('\u{17b4}', '\u{17b5}', "Khmer inherent vowel"),
    ('\u{180b}', '\u{180d}', "Mongolian variation selector"),
    ('\u{180e}', '\u{180e}', "Mongolian vowel separator"),
    ('\u{180f}', '\u{180f}', "Mongolian variation selector"),
    ('\u{2000}', '\u{2000}', "en quad"),
    ('\u{2001}', '\u{2001}', "em quad"),
    ('\u{2002}', '\u{2002}', "en space"),
    ('\u{2003}', '\u{2003}', "em space"),
    ('\u{2004}', '\u{2006}', "narrow space"),
    ('\u{2007}', '\u{2007}', "figure space"),
    ('\u{2008}', '\u{2008}', "punctuation space"),
    ('\u{2009}', '\u{2009}', "thin space"),
    ('\u{200a}', '\u{200a}', "hair space"),
    ('\u{200b}', '\u{200b}', "zero width space"),
    ('\u{200c}', '\u{200c}', "zero width non-joiner"),
    ('\u{200d}', '\u{200d}', "zero width joiner"),
    ('\u{200e}', '\u{200e}', "left-to-right mark"),
    ('\u{200f}', '\u{200f}', "right-to-left mark"),
    ('\u{2028}', '\u{2028}', "line separator"),
    ('\u{2029}', '\u{2029}', "paragraph separator"),
    ('\u{202a}', '\u{202a}', "left-to-right embedding"),
    ('\u{202b}', '\u{202b}', "right-to-left embedding"),
    ('\u{202c}', '\u{202c}', "pop directional formatting"),
    ('\u{202d}', '\u{202d}', "left-to-right override"),
    ('\u{202e}', '\u{202e}', "right-to-left override"),
    ('\u{202f}', '\u{202f}', "narrow no-break space"),
    ('\u{205f}', '\u{205f}', "mathematical space"),
    ('\u{2060}', '\u{2060}', "word joiner"),
    ('\u{2061}', '\u{2064}', "invisible operator"),
    ('\u{2066}', '\u{2066}', "left-to-right isolate"),
    ('\u{2067}', '\u{2067}', "right-to-left isolate"),
    ('\u{2068}', '\u{2068}', "first strong isolate"),
    ('\u{2069}', '\u{2069}', "pop directional isolate"),
    ('\u{206a}', '\u{206f}', "deprecated format character"),
    ('\u{2800}', '\u{2800}', "Braille blank"),
    ('\u{3000}', '\u{3000}', "ideographic space"),
    ('\u{3164}', '\u{3164}', "Hangul filler"),
    ('\u{e000}', '\u{f8ff}', "private use"),
    ('\u{fdd0}', '\u{fdef}', "noncharacter"),
    ('\u{fe00}', '\u{fe0f}', "variation selector"),
    ('\u{feff}', '\u{feff}', "zero width no-break space"),
    ('\u{ffa0}', '\u{ffa0}', "Hangul filler"),
    ('\u{fff9}', '\u{fffb}', "interlinear annotation"),
    ('\u{fffc}', '\u{fffc}', "object replacement"),
    ('\u{fffe}', '\u{ffff}', "noncharacter"),
    ('\u{1bca0}', '\u{1bca3}', "shorthand format"),
    ('\u{1d159}', '\u{1d159}', "musical null notehead"),
    ('\u{1d173}', '\u{1d17a}', "musical format"),
    ('\u{e0000}', '\u{e007f}', "tag"),
    ('\u{e0100}', '\u{e01ef}', "variation selector"),
    ('\u{f0000}', '\u{10ffff}', "private use"),
];
