//! Which pictures a message takes: of what kind, how many, how large. Said before anything is sent. Pure.

use pilothouse_core::Image;
use pilothouse_core::limits::{CLIENT_FRAME_BYTES, IMAGE_BYTES, IMAGE_SIDE, PROMPT_BYTES, PROMPT_IMAGES};

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
    if waiting.len() >= PROMPT_IMAGES {
        return Some(format!("A message takes at most {PROMPT_IMAGES} images."));
    }
    if bytes > IMAGE_BYTES {
        return Some(too_large(bytes, IMAGE_BYTES));
    }
    let together = waiting.iter().map(|image| image.data.len()).sum::<usize>() + bytes.div_ceil(3) * 4;
    (together > TOGETHER).then(|| {
        "Together these images are too large for one message. Send some of them in another one.".to_owned()
    })
}

pub fn too_large(bytes: usize, limit: usize) -> String {
    let megabytes = |bytes: usize| bytes.div_ceil(1024 * 1024);
    let (is, may_be) = (megabytes(bytes), megabytes(limit));
    format!("This image has {is} MB. At most {may_be} MB each can be sent; make it smaller.")
}

/// The size in which a picture is drawn anew; none if it is sent as it is.
pub fn fitting(width: u32, height: u32, bytes: usize) -> Option<(u32, u32)> {
    let longest = width.max(height);
    if longest > IMAGE_SIDE {
        let scaled =
            |side: u32| (u64::from(side) * u64::from(IMAGE_SIDE)).div_ceil(u64::from(longest)) as u32;
        return Some((scaled(width), scaled(height)));
    }
    (bytes > IMAGE_BYTES).then_some((width, height))
}

/// In which forms a picture is drawn anew, the better first. What is sharp stays so if it can.
pub fn forms_of(mime_type: &str) -> &'static [&'static str] {
    if mime_type == "image/jpeg" { &["image/jpeg"] } else { &["image/png", "image/jpeg"] }
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
    fn only_what_is_too_large_is_drawn_anew_in_its_own_shape() {
        assert_eq!(fitting(800, 600, 1000), None);
        assert_eq!(fitting(IMAGE_SIDE, IMAGE_SIDE, IMAGE_BYTES), None);
        assert_eq!(fitting(2 * IMAGE_SIDE, IMAGE_SIDE, 1000), Some((IMAGE_SIDE, IMAGE_SIDE / 2)));
        assert_eq!(fitting(20_000, 1, 1000), Some((IMAGE_SIDE, 1)), "never without a side");
        assert_eq!(fitting(800, 600, IMAGE_BYTES + 1), Some((800, 600)), "packed better");
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
