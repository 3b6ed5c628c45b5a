//! Times as pi writes them, in milliseconds since 1970. Reads no clock.

/// `2026-11-16T02:18:18.238Z`, also with another offset or without a fraction. None for anything else, and for what
/// was before 1970.
pub fn milliseconds(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = bytes.get(range)?;
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    };
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let proper = separators.iter().all(|(place, byte)| bytes[*place] == *byte)
        && matches!(bytes[10], b'T' | b't' | b' ')
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let (fraction, zone) = fraction(&bytes[19..]);
    let offset = offset(zone).filter(|_| proper)?;
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset;
    u64::try_from((minutes * 60 + second) * 1_000 + fraction).ok()
}

/// The milliseconds of `.238…`, and what comes behind.
fn fraction(bytes: &[u8]) -> (i64, &[u8]) {
    let Some(digits) = bytes.strip_prefix(b".") else { return (0, bytes) };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let first = |place: usize| digits[..length].get(place).map_or(0, |digit| i64::from(digit - b'0'));
    (first(0) * 100 + first(1) * 10 + first(2), &digits[length..])
}

/// The minutes by which `+02:00` is ahead.
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

/// Days from 1970-01-01 in the Gregorian calendar. Years begin in March, so that a leap day is a year's last.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_several_shapes() {
        assert_eq!(milliseconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(milliseconds("2000-02-29T12:00:00.5Z"), Some(951_825_600_500));
        assert_eq!(milliseconds("2026-11-16T02:18:18.238Z"), Some(1_794_795_498_238));
        assert_eq!(milliseconds("2026-11-16T04:18:18.238123+02:00"), Some(1_794_795_498_238));
        assert_eq!(milliseconds("2026-11-15T21:18:18.238-05:00"), Some(1_794_795_498_238));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in
            ["", "now", "2026-11-16", "2026-13-16T02:18:18Z", "2026-11-16T02:18:18", "1969-12-31T23:59:59Z"]
        {
            assert_eq!(milliseconds(text), None, "{text}");
        }
        assert_eq!(milliseconds("2026-11-16T02:18:18.238Zx"), None);
        assert_eq!(milliseconds("２０２６-11-16T02:18:18Z"), None);
    }
}
