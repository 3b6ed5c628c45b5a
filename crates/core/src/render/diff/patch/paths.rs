//! Reads the file names in the headers of a unified patch, which may have prefixes, timestamps and quotes.

/// The name of a side on which the file does not exist.
const NO_FILE: &str = "/dev/null";

/// The old and the new path. None if the file does not exist on that side.
pub(super) fn of_headers(old: &str, new: &str) -> (Option<String>, Option<String>) {
    let name = |text: &str| Some(unquoted(without_time(text.trim_end()))).filter(|name| name != NO_FILE);
    let (old, new) = (name(old), name(new));
    // A prefix counts only if both sides have theirs, since a folder may be called `b`.
    let old_prefixed = old.as_ref().is_none_or(|name| name.starts_with("a/"));
    let new_prefixed = new.as_ref().is_none_or(|name| name.starts_with("b/"));
    if old_prefixed && new_prefixed {
        (old.map(|name| without_prefix(&name)), new.map(|name| without_prefix(&name)))
    } else {
        (old, new)
    }
}

/// The new path of `a/old b/new`, for patches without other headers.
pub(super) fn of_git_header(names: &str) -> String {
    let names = names.trim_end();
    if let Some(quoted) = names.strip_suffix('"')
        && let Some((_, name)) = quoted.rsplit_once(" \"")
    {
        return without_prefix(&unescaped(name));
    }
    // Without a rename both names are equal, which shows where a name with spaces ends.
    let middle = names.len() / 2;
    if let (Some(old), Some(new)) = (names.get(..middle), names.get(middle + 1..))
        && without_prefix(old) == without_prefix(new)
    {
        return without_prefix(new);
    }
    names.rsplit_once(" b/").map_or_else(|| names.to_owned(), |(_, name)| name.to_owned())
}

pub(super) fn unquoted(name: &str) -> String {
    let inner = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    inner.map_or_else(|| name.to_owned(), unescaped)
}

fn without_prefix(name: &str) -> String {
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name).to_owned()
}

/// Removes a timestamp, which follows a tab, or begins with a date after a space.
fn without_time(name: &str) -> &str {
    if let Some((name, _)) = name.split_once('\t') {
        return name.trim_end();
    }
    let is_date = |text: &str| {
        let shape = text.bytes().take(10).map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        shape.eq(*b"0000-00-00") && text.contains(':')
    };
    let mut spaces = name.match_indices(' ').map(|(index, _)| index);
    let date = spaces.find(|index| name.get(index + 1..).is_some_and(is_date));
    date.and_then(|index| name.get(..index)).unwrap_or(name).trim_end()
}

/// Decodes the escapes in git's quoted names: octal bytes and those of C.
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|next| matches!(next, b'0'..=b'7')) else { break };
                    value = value * 8 + u32::from(digit - b'0');
                }
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
