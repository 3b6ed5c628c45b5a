//! Repairs JSON text that JavaScript writes and Rust rejects: lone surrogates, where a string was cut in the middle of
//! a character, and bytes that are not UTF-8. Replacements have the same length, so that all offsets stay valid.

const REPLACEMENT: &[u8] = br"\ufffd";

/// Returns a repaired copy, or `None` if nothing needs repair.
pub fn repair(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = None;
    let mut rest = bytes;
    while let Err(error) = std::str::from_utf8(rest) {
        let invalid = &rest[error.valid_up_to()..];
        let length = error.error_len().unwrap_or(invalid.len());
        let start = bytes.len() - invalid.len();
        repaired.get_or_insert_with(|| bytes.to_vec())[start..start + length].fill(b'?');
        rest = &invalid[length..];
    }
    for start in lone_surrogates(bytes) {
        repaired.get_or_insert_with(|| bytes.to_vec())[start..start + 6].copy_from_slice(REPLACEMENT);
    }
    repaired
}

/// The positions of `\u` escapes that are one half of a surrogate pair without the other.
fn lone_surrogates(bytes: &[u8]) -> Vec<usize> {
    let mut lone = Vec::new();
    let mut high = None;
    let mut position = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[position..]) {
        let start = position + found;
        let follows_high = high.take().filter(|high| high + 6 == start).is_some();
        let unit = escaped_unit(&bytes[start..]);
        match unit {
            Some(0xd800..=0xdbff) => {
                lone.push(start);
                high = Some(start);
            }
            Some(0xdc00..=0xdfff) if follows_high => drop(lone.pop()),
            Some(0xdc00..=0xdfff) => lone.push(start),
            _ => {}
        }
        // Skips both characters of `\\`: the second backslash does not begin another escape.
        position = (start + if unit.is_some() { 6 } else { 2 }).min(bytes.len());
    }
    lone
}

fn escaped_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    let all = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| all)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &[u8]) -> Option<String> {
        repair(text).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_lone_surrogate_is_replaced_and_a_pair_is_not() {
        assert_eq!(repaired(br#""a\ud83d\ude00b""#), None);
        assert_eq!(repaired(br#""a\ud83db""#).unwrap(), r#""a\ufffdb""#);
        assert_eq!(repaired(br#""a\ude00\ud83d""#).unwrap(), r#""a\ufffd\ufffd""#);
        assert_eq!(repaired(br#""\ud83d\ud83d\ude00""#).unwrap(), r#""\ufffd\ud83d\ude00""#);
        assert_eq!(repaired(br#""\ud83d \ude00""#).unwrap(), r#""\ufffd \ufffd""#);
        assert_eq!(repaired(br#""\\ud83d""#), None, "an escaped backslash and five letters");
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_replaced_one_by_one() {
        assert_eq!(repaired(b"\"a\xff\xfeb\"").unwrap(), "\"a??b\"");
        assert_eq!(repaired("\"ü\u{2028}\"".as_bytes()), None);
        assert_eq!(repaired(b"\"\xf0\x9f\x98").unwrap(), "\"???");
        assert_eq!(repair(b"\\"), None);
    }
}
