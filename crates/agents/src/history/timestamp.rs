//! Parses the ISO 8601 timestamps of session files into milliseconds since 1970. Reads no clock.

/// Parses `2026-11-16T02:18:18.238Z`, also with another offset or without a fraction. Returns `None` for anything else
/// and for times before 1970.
pub fn parse_unix_ms(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = bytes.get(range)?;
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    };
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let is_valid = separators.iter().all(|(position, byte)| bytes[*position] == *byte)
        && matches!(bytes[10], b'T' | b't' | b' ')
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let (fraction, zone) = fraction(&bytes[19..]);
    let offset = offset(zone).filter(|_| is_valid)?;
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset;
    u64::try_from((minutes * 60 + second) * 1_000 + fraction).ok()
}

/// Splits `.238…` off the front: its milliseconds, and the remaining bytes.
fn fraction(bytes: &[u8]) -> (i64, &[u8]) {
    let Some(digits) = bytes.strip_prefix(b".") else { return (0, bytes) };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digit = |position: usize| digits[..length].get(position).map_or(0, |digit| i64::from(digit - b'0'));
    (digit(0) * 100 + digit(1) * 10 + digit(2), &digits[length..])
}

/// The minutes of an offset such as `+02:00`.
fn offset(zone: &[u8]) -> Option<i64> {
    match zone {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let digits = [h1, h2, m1, m2];
            digits.iter().all(|byte| byte.is_ascii_digit()).then(|| {
                let [h1, h2, m1, m2] = digits.map(|byte| i64::from(byte - b'0'));
                let minutes = (h1 * 10 + h2) * 60 + m1 * 10 + m2;
                if *sign == b'+' { minutes } else { -minutes }
            })
        }
        _ => None,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so that a leap day is the last day
/// of its year.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_fractions_and_offsets() {
        assert_eq!(parse_unix_ms("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse_unix_ms("2000-02-29T12:00:00.5Z"), Some(951_825_600_500));
        assert_eq!(parse_unix_ms("2026-11-16T02:18:18.238Z"), Some(1_794_795_498_238));
        assert_eq!(parse_unix_ms("2026-11-16T04:18:18.238123+02:00"), Some(1_794_795_498_238));
        assert_eq!(parse_unix_ms("2026-11-15T21:18:18.238-05:00"), Some(1_794_795_498_238));
    }

    #[test]
    fn rejects_everything_else() {
        for text in
            ["", "now", "2026-11-16", "2026-13-16T02:18:18Z", "2026-11-16T02:18:18", "1969-12-31T23:59:59Z"]
        {
            assert_eq!(parse_unix_ms(text), None, "{text}");
        }
        assert_eq!(parse_unix_ms("2026-11-16T02:18:18.238Zx"), None);
        assert_eq!(parse_unix_ms("２０２６-11-16T02:18:18Z"), None);
    }
}
