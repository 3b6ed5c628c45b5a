//! Which pictures a message takes: of what kind, how many, how large. Said before anything is sent. Pure.

use pilothouse_core::Image;
use pilothouse_core::limits::{CLIENT_FRAME_BYTES, IMAGE_BYTES, PROMPT_BYTES, PROMPT_IMAGES};

/// What a message of pictures has room for, as base64: the text and what surrounds it take the rest of the frame.
const TOGETHER: usize = CLIENT_FRAME_BYTES - 2 * PROMPT_BYTES;

/// How many of a picture's first bytes tell what it is.
pub const TELLING_BYTES: usize = 12;

/// What a picture is by its content; a file's name and its claimed type say nothing.
pub fn kind_of(first: &[u8]) -> Option<&'static str> {
    match first {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// Why one more picture of this many bytes cannot be taken beside those that wait, in words.
pub fn refusal(waiting: &[Image], bytes: usize) -> Option<String> {
    let megabytes = |bytes: usize| bytes.div_ceil(1024 * 1024);
    if waiting.len() >= PROMPT_IMAGES {
        return Some(format!("A message takes at most {PROMPT_IMAGES} images."));
    }
    if bytes > IMAGE_BYTES {
        let (is, may_be) = (megabytes(bytes), megabytes(IMAGE_BYTES));
        return Some(format!(
            "This image has {is} MB. At most {may_be} MB each can be sent; make it smaller."
        ));
    }
    let together = waiting.iter().map(|image| image.data.len()).sum::<usize>() + bytes.div_ceil(3) * 4;
    (together > TOGETHER).then(|| {
        "Together these images are too large for one message. Send some of them in another one.".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_first_bytes_alone() {
        assert_eq!(kind_of(b"\x89PNG\r\n\x1a\n1234"), Some("image/png"));
        assert_eq!(kind_of(&[0xff, 0xd8, 0xff, 0xe0]), Some("image/jpeg"));
        assert_eq!(kind_of(b"GIF89a"), Some("image/gif"));
        assert_eq!(kind_of(b"GIF87a"), Some("image/gif"));
        assert_eq!(kind_of(b"RIFF\0\0\0\0WEBP"), Some("image/webp"));
        for other in [&b"<svg xmlns="[..], b"<!doctype html>", b"RIFF\0\0\0\0WAVE", b"\x89PNG", b""] {
            assert_eq!(kind_of(other), None);
        }
    }

    #[test]
    fn number_and_size_have_limits_that_are_said() {
        let image = |bytes: usize| Image { data: "A".repeat(bytes), ..Image::default() };
        assert_eq!(refusal(&[], IMAGE_BYTES), None);
        assert!(refusal(&[], IMAGE_BYTES + 1).unwrap().contains("At most 5 MB"));
        let many = vec![image(4); PROMPT_IMAGES];
        assert_eq!(refusal(&many[1..], 4), None);
        assert!(refusal(&many, 4).unwrap().contains("at most 8"));
        let large = vec![image(IMAGE_BYTES / 3 * 4); 4];
        assert_eq!(refusal(&large, 4), None);
        assert!(refusal(&large, IMAGE_BYTES).unwrap().contains("Together"));
    }
}
