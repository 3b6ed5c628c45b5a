//! Letters and signs that look like others: words of mixed scripts, words that only look like ASCII, styled letters, and
//! signs such as `∕`. Ordinary text in any script is not affected.

use super::hidden;

/// Scripts and styles of letters (first, last, name), sorted. The unlisted ones are one script without a name.
#[rustfmt::skip]
pub(super) const SCRIPTS: [(char, char, &str); 57] = [
    ('A', 'Z', LATIN), ('a', 'z', LATIN), ('\u{aa}', '\u{aa}', LATIN), ('\u{b5}', '\u{b5}', LATIN), ('\u{ba}', '\u{ba}', LATIN),
    ('\u{c0}', '\u{2ff}', LATIN), ('\u{370}', '\u{3ff}', "Greek"), ('\u{400}', '\u{52f}', "Cyrillic"),
    ('\u{531}', '\u{588}', "Armenian"), ('\u{5d0}', '\u{5f2}', "Hebrew"), ('\u{620}', '\u{6ff}', "Arabic"),
    ('\u{750}', '\u{77f}', "Arabic"), ('\u{8a0}', '\u{8ff}', "Arabic"), ('\u{900}', '\u{97f}', "Devanagari"),
    ('\u{e01}', '\u{e7f}', "Thai"), ('\u{10a0}', '\u{10ff}', "Georgian"), ('\u{1100}', '\u{11ff}', CJK),
    ('\u{13a0}', '\u{13ff}', "Cherokee"), ('\u{1400}', '\u{167f}', "Canadian syllabic"),
    ('\u{1c80}', '\u{1c8f}', "Cyrillic"), ('\u{1c90}', '\u{1cbf}', "Georgian"), ('\u{1d00}', '\u{1d25}', LATIN),
    ('\u{1d26}', '\u{1d2a}', "Greek"), ('\u{1d2b}', '\u{1d2b}', "Cyrillic"), ('\u{1d2c}', '\u{1dbf}', LATIN),
    ('\u{1e00}', '\u{1eff}', LATIN), ('\u{1f00}', '\u{1fff}', "Greek"), ('\u{2071}', '\u{2071}', LATIN), ('\u{207f}', '\u{207f}', LATIN),
    ('\u{2090}', '\u{209c}', LATIN), ('\u{210a}', '\u{2115}', LETTERLIKE), ('\u{2119}', '\u{211d}', LETTERLIKE), ('\u{2124}', '\u{2124}', LETTERLIKE),
    ('\u{2128}', '\u{2128}', LETTERLIKE), ('\u{212a}', '\u{212a}', LETTERLIKE), ('\u{212c}', '\u{2131}', LETTERLIKE), ('\u{2133}', '\u{2134}', LETTERLIKE),
    ('\u{2145}', '\u{2149}', LETTERLIKE), ('\u{2160}', '\u{217f}', ROMAN), ('\u{2c60}', '\u{2c7f}', LATIN), ('\u{2c80}', '\u{2cff}', "Coptic"),
    ('\u{2d00}', '\u{2d2f}', "Georgian"), ('\u{2de0}', '\u{2dff}', "Cyrillic"), ('\u{2e80}', '\u{9fff}', CJK),
    ('\u{a4d0}', '\u{a4ff}', "Lisu"), ('\u{a640}', '\u{a69f}', "Cyrillic"), ('\u{a720}', '\u{a7ff}', LATIN),
    ('\u{ab30}', '\u{ab6f}', LATIN), ('\u{ab70}', '\u{abbf}', "Cherokee"), ('\u{ac00}', '\u{d7ff}', CJK),
    ('\u{f900}', '\u{faff}', CJK), ('\u{fb00}', '\u{fb06}', LETTERLIKE), ('\u{ff01}', '\u{ff5e}', FULL_WIDTH), ('\u{ff66}', '\u{ffdc}', CJK),
    ('\u{10400}', '\u{1044f}', "Deseret"), ('\u{1d400}', '\u{1d7ff}', MATHEMATICAL), ('\u{20000}', '\u{3ffff}', CJK),
];

const LATIN: &str = "Latin";
/// Chinese, Japanese and Korean, which mix several scripts, and Latin.
const CJK: &str = "CJK";
const FULL_WIDTH: &str = "full-width";
const LETTERLIKE: &str = "letterlike";
const MATHEMATICAL: &str = "mathematical";
const ROMAN: &str = "Roman numeral";
const OTHER: &str = "other script";

/// Letters of other scripts that look like ASCII letters or digits.
pub(super) const LIKE_ASCII: &str = "\
    ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϜϹϺϳαγικνορτυχϲϝ\
    АВЕЅІЈКМНОРСТУХЗӀҮԌԚԜаеорсухѕіјӏһԁԛԝүґгкпгьЬ\
    ՍՏՕՈհոսօցքզԼ\
    ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏎᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ\
    ⲟⲣⲥⲭⲩⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲎⲂⲀ\
    ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ";

/// Signs, and Latin letters, that look like a character of ASCII, sorted.
#[rustfmt::skip]
pub(super) const SIGNS: [(char, char); 60] = [
    ('\u{1c0}', '|'), ('\u{1c3}', '!'), ('\u{251}', 'a'), ('\u{261}', 'g'), ('\u{2b9}', '\''), ('\u{2ba}', '"'),
    ('\u{2bb}', '\''), ('\u{2bc}', '\''), ('\u{2bd}', '\''), ('\u{2c2}', '<'), ('\u{2c3}', '>'), ('\u{2c6}', '^'),
    ('\u{2c8}', '\''), ('\u{2cb}', '`'), ('\u{2d0}', ':'), ('\u{2d7}', '-'), ('\u{2dc}', '~'), ('\u{37e}', ';'),
    ('\u{589}', ':'), ('\u{5be}', '-'), ('\u{5c0}', '|'), ('\u{5c3}', ':'), ('\u{5f3}', '\''), ('\u{66a}', '%'),
    ('\u{66d}', '*'), ('\u{6d4}', '-'), ('\u{1806}', '-'), ('\u{2010}', '-'), ('\u{2011}', '-'), ('\u{2012}', '-'),
    ('\u{201a}', ','), ('\u{201b}', '\''), ('\u{2024}', '.'), ('\u{2032}', '\''), ('\u{2035}', '`'), ('\u{2043}', '-'),
    ('\u{2044}', '/'), ('\u{204e}', '*'), ('\u{2052}', '%'), ('\u{2053}', '~'), ('\u{2212}', '-'), ('\u{2215}', '/'),
    ('\u{2216}', '\\'), ('\u{2217}', '*'), ('\u{2223}', '|'), ('\u{2236}', ':'), ('\u{223c}', '~'), ('\u{2571}', '/'),
    ('\u{2572}', '\\'), ('\u{2758}', '|'), ('\u{27cb}', '/'), ('\u{27cd}', '\\'), ('\u{29f5}', '\\'), ('\u{29f8}', '/'),
    ('\u{29f9}', '\\'), ('\u{2cf9}', '\\'), ('\u{a4f8}', '.'), ('\u{a4fa}', ','), ('\u{a4fd}', ':'), ('\u{a789}', ':'),
];

/// Returns what a sign looks like.
pub(super) fn sign(character: char) -> Option<char> {
    let index = SIGNS.binary_search_by_key(&character, |(sign, _)| *sign).ok()?;
    SIGNS.get(index).map(|(_, ascii)| *ascii)
}

fn script(character: char) -> &'static str {
    let after = SCRIPTS.partition_point(|(first, ..)| *first <= character);
    let entry = after.checked_sub(1).and_then(|index| SCRIPTS.get(index));
    entry.filter(|(_, last, _)| character <= *last).map_or(OTHER, |(.., name)| *name)
}

/// Styled forms of other letters, which no command needs.
fn is_styled(script: &str) -> bool {
    [FULL_WIDTH, LETTERLIKE, MATHEMATICAL, ROMAN].contains(&script)
}

fn is_in_word(character: char) -> bool {
    character.is_alphabetic() || hidden::is_combining(character) || is_styled(script(character))
}

/// Finds the letters of a text that look like others. The text is asked about from its beginning to its end, and every
/// word is examined once, at its first letter that is not ASCII.
#[derive(Default)]
pub(super) struct LookAlikes {
    word: Word,
    end: usize,
    /// The script of a neighbouring word that certainly is of this script.
    neighbour: Option<&'static str>,
    is_next_to_cjk: bool,
}

/// What is known of a run of letters.
#[derive(Default)]
struct Word {
    /// The script that is not marked: Latin, if the word has Latin letters.
    main: Option<&'static str>,
    is_mixed: bool,
    /// Every letter looks like one of ASCII, and none is one.
    is_like_ascii: bool,
    has_cjk: bool,
}

impl LookAlikes {
    /// Returns the end of the letters to mark that begin here, and the name of their script.
    pub fn at(&mut self, text: &str, start: usize, character: char) -> Option<(usize, &'static str)> {
        if character.is_ascii() || !is_in_word(character) {
            return None;
        }
        if start >= self.end {
            self.enter_word(text, start);
        }
        let wanted = script(character);
        if hidden::is_combining(character) || !self.is_marked(wanted) {
            return None;
        }
        let rest = text.get(start..self.end)?;
        let length = rest.find(|next| script(next) != wanted || hidden::look_up(next).is_some());
        Some((start + length.unwrap_or(rest.len()), wanted))
    }

    fn is_marked(&self, script: &'static str) -> bool {
        if is_styled(script) {
            return script != FULL_WIDTH || !self.is_next_to_cjk;
        }
        let is_other = Some(basic(script)) != self.word.main;
        (self.word.is_mixed && is_other) || (self.word.is_like_ascii && self.neighbour != Some(script))
    }

    fn enter_word(&mut self, text: &str, position: usize) {
        let (before, after) = text.split_at_checked(position).unwrap_or_default();
        let start = before.trim_end_matches(is_in_word).len();
        let follows = before.get(self.end..start).is_some_and(is_space);
        let last = if follows { self.word.certain_script() } else { None };
        self.end = position + after.find(|next| !is_in_word(next)).unwrap_or(after.len());
        self.word = Word::of(text.get(start..self.end).unwrap_or_default());
        let rest = text.get(self.end..).unwrap_or_default();
        let next_word = || {
            let next = rest.trim_start_matches([' ', '\t']);
            let next = next.get(..next.find(|next| !is_in_word(next)).unwrap_or(next.len()))?;
            Word::of(next).certain_script()
        };
        self.neighbour = if self.word.is_like_ascii { last.or_else(next_word) } else { None };
        let neighbours = [before.get(..start).and_then(|text| text.chars().next_back()), rest.chars().next()];
        let is_cjk = |character: &char| script(*character) == CJK;
        self.is_next_to_cjk = self.word.has_cjk || neighbours.iter().flatten().any(is_cjk);
    }
}

fn is_space(text: &str) -> bool {
    text.trim_start_matches([' ', '\t']).is_empty()
}

/// The script for comparing those of one word: Latin letters are common in CJK text.
fn basic(script: &'static str) -> &'static str {
    if script == CJK { LATIN } else { script }
}

impl Word {
    fn of(word: &str) -> Self {
        let mut found = Self { is_like_ascii: true, ..Self::default() };
        for letter in word.chars().filter(|letter| !hidden::is_combining(*letter)) {
            let script = script(letter);
            found.has_cjk |= script == CJK;
            found.is_like_ascii &= LIKE_ASCII.contains(letter);
            if is_styled(script) {
                continue;
            }
            let script = basic(script);
            found.is_mixed |= found.main.is_some_and(|main| main != script);
            if found.main.is_none() || script == LATIN {
                found.main = Some(script);
            }
        }
        found
    }

    /// The script of the word if it is not mixed and has letters unlike those of ASCII.
    fn certain_script(&self) -> Option<&'static str> {
        self.main.filter(|_| !self.is_mixed && !self.is_like_ascii)
    }
}
