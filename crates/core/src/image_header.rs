//! Reads the type and the size of an image from its first bytes, before anything decodes it. Formats that can contain
//! scripts are unknown here.

use crate::conversation::limit::size;
use crate::limits::{IMAGE_FILE_PIXELS, IMAGE_PIXELS};

/// The type and the size of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageHeader {
    pub mime_type: &'static str,
    pub width: u32,
    pub height: u32,
}

/// Why an image is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageRefusal {
    UnknownType,
    /// The size is missing, or zero.
    Damaged,
    TooManyPixels {
        width: u32,
        height: u32,
        limit: u64,
    },
}

impl ImageRefusal {
    /// The sentence for the user.
    pub fn text(self) -> String {
        match self {
            Self::UnknownType => "Only PNG, JPEG, GIF and WebP images are supported.".to_owned(),
            Self::Damaged => "This image is damaged: its size can't be read.".to_owned(),
            Self::TooManyPixels { width, height, limit } => {
                let limit = limit / 1_000_000;
                format!(
                    "This image is too large ({width} × {height} pixels). The limit is {limit} million pixels."
                )
            }
        }
    }
}

impl ImageHeader {
    /// Reads the first bytes of an image that is stored or shown as it is.
    pub fn of_image(bytes: &[u8]) -> Result<Self, ImageRefusal> {
        Self::within(bytes, IMAGE_PIXELS)
    }

    /// Reads the first bytes of a file that is decoded in order to scale it down.
    pub fn of_file(bytes: &[u8]) -> Result<Self, ImageRefusal> {
        Self::within(bytes, IMAGE_FILE_PIXELS)
    }

    fn within(bytes: &[u8], limit: u64) -> Result<Self, ImageRefusal> {
        let mime_type = mime_type(bytes).ok_or(ImageRefusal::UnknownType)?;
        let (width, height) = match mime_type {
            "image/png" => png(bytes),
            "image/gif" => gif(bytes),
            "image/jpeg" => jpeg(bytes),
            _ => webp(bytes),
        }
        .filter(|(width, height)| *width > 0 && *height > 0)
        .ok_or(ImageRefusal::Damaged)?;
        if u64::from(width) * u64::from(height) > limit {
            return Err(ImageRefusal::TooManyPixels { width, height, limit });
        }
        Ok(Self { mime_type, width, height })
    }
}

/// The type of an image by its first bytes. Names and declared types are not trusted.
pub const fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// The first chunk has the size.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    if bytes.get(12..16)? != b"IHDR" {
        return None;
    }
    let number = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    Some((number(16)?, number(20)?))
}

/// The size of the logical screen, on which all frames are drawn.
fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)));
    Some((number(6)?, number(8)?))
}

/// Skips segments up to the frame header.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            // Fill bytes may precede a marker.
            0xff => at += 1,
            // Markers without a segment.
            0x01 | 0xd0..=0xd8 => at += 2,
            // Start of frame, in all its variants.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((u32::from(number(at + 7)?), u32::from(number(at + 5)?)));
            }
            // The image begins, or ends, without a frame header.
            0x00 | 0xd9 | 0xda => return None,
            _ => at += 2 + usize::from(number(at + 2)?),
        }
    }
}

/// One of three kinds of first chunks.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let byte = |at: usize| bytes.get(at).copied().map(u32::from);
    match bytes.get(12..16)? {
        // The size of the canvas, less one, in 24 bits each.
        b"VP8X" => {
            let number = |at: usize| Some((byte(at)? | byte(at + 1)? << 8 | byte(at + 2)? << 16) + 1);
            Some((number(24)?, number(27)?))
        }
        // The size less one, in 14 bits each, after a signature.
        b"VP8L" if byte(20)? == 0x2f => {
            let bits = u32::from_le_bytes(*bytes.get(21..)?.first_chunk()?);
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        // The size in 14 bits each, after a start code.
        b"VP8 " if bytes.get(23..26)? == [0x9d, 0x01, 0x2a] => {
            let number = |at: usize| Some((byte(at)? | byte(at + 1)? << 8) & 0x3fff);
            Some((number(26)?, number(28)?))
        }
        _ => None,
    }
}

/// The message about a file with too many bytes.
pub fn too_many_bytes(bytes: u64, limit: usize) -> String {
    let limit = size(u64::try_from(limit).unwrap_or(u64::MAX));
    format!("This image is too large ({}). The limit is {limit} per image.", size(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn png_of(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    fn jpeg_of(width: u16, height: u16, marker: u8) -> Vec<u8> {
        // An application segment with a thumbnail's frame header inside, which is not the image's.
        let mut bytes = b"\xff\xd8\xff\xe1\x00\x0c\xff\xc0\x00\x11\x08\x00\x01\x00\x01\x03\xff\xff".to_vec();
        bytes.extend([marker, 0, 17, 8]);
        bytes.extend(height.to_be_bytes());
        bytes.extend(width.to_be_bytes());
        bytes
    }

    fn webp_of(chunk: &[u8; 4], payload: &[u8]) -> Vec<u8> {
        [b"RIFF\0\0\0\0WEBP", &chunk[..], b"\0\0\0\0", payload].concat()
    }

    fn sized(bytes: &[u8]) -> Option<(&'static str, u32, u32)> {
        let header = ImageHeader::of_file(bytes).ok()?;
        Some((header.mime_type, header.width, header.height))
    }

    #[test]
    fn the_size_of_every_format_is_read() {
        assert_eq!(sized(&png_of(640, 480)), Some(("image/png", 640, 480)));
        assert_eq!(sized(b"GIF89a\x80\x02\xe0\x01"), Some(("image/gif", 640, 480)));
        for marker in [0xc0, 0xc1, 0xc2, 0xc9, 0xcf] {
            assert_eq!(sized(&jpeg_of(640, 480, marker)), Some(("image/jpeg", 640, 480)));
        }
        let extended = [0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0];
        assert_eq!(sized(&webp_of(b"VP8X", &extended)), Some(("image/webp", 640, 480)));
        let lossless = (639_u32 | 479 << 14).to_le_bytes();
        assert_eq!(
            sized(&webp_of(b"VP8L", &[&[0x2f], &lossless[..]].concat())),
            Some(("image/webp", 640, 480))
        );
        let lossy = [0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x41];
        assert_eq!(sized(&webp_of(b"VP8 ", &lossy)), Some(("image/webp", 640, 480)), "without the scale");
        let real = include_bytes!("../../demo-agent/src/scenes/lighthouse.png");
        assert!(ImageHeader::of_image(real).is_ok());
    }

    #[test]
    fn the_cap_of_pixels_is_exact_and_the_product_does_not_overflow() {
        let width = 20_000;
        for (limit, read) in [
            (IMAGE_PIXELS, ImageHeader::of_image as fn(&[u8]) -> Result<ImageHeader, ImageRefusal>),
            (IMAGE_FILE_PIXELS, ImageHeader::of_file),
        ] {
            let height = u32::try_from(limit).unwrap() / width;
            assert!(read(&png_of(width, height - 1)).is_ok() && read(&png_of(width, height)).is_ok());
            let refusal = read(&png_of(width, height + 1)).unwrap_err();
            assert_eq!(refusal, ImageRefusal::TooManyPixels { width, height: height + 1, limit });
        }
        for (width, height) in [(30_000, 30_000), (u32::MAX, u32::MAX), (1 << 31, 1 << 31)] {
            let refusal = ImageHeader::of_file(&png_of(width, height)).unwrap_err();
            assert!(refusal.text().contains(&format!("{width} × {height} pixels")), "{}", refusal.text());
        }
    }

    #[test]
    fn a_header_without_a_size_is_damaged_and_other_content_is_unknown() {
        let damaged = [
            b"\x89PNG\r\n\x1a\n".to_vec(),
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIDAT\0\0\0\x01\0\0\0\x01".to_vec(),
            png_of(0, 1),
            png_of(1, 0),
            b"GIF89a\x01".to_vec(),
            b"\xff\xd8\xff".to_vec(),
            b"\xff\xd8\xff\xda\x00\x02".to_vec(),
            b"\xff\xd8\xff\xe0\x00\x00".repeat(2),
            jpeg_of(640, 480, 0xc0)[..20].to_vec(),
            jpeg_of(640, 480, 0xc4),
            webp_of(b"VP8 ", &[0; 20]),
            webp_of(b"VP8L", &[0; 20]),
            webp_of(b"ALPH", &[0; 20]),
        ];
        for bytes in damaged {
            assert_eq!(ImageHeader::of_file(&bytes), Err(ImageRefusal::Damaged), "{bytes:x?}");
        }
        for bytes in [&b"<svg xmlns="[..], b"<!doctype html>", b"RIFF\0\0\0\0WAVE", b"\x89PNG", b""] {
            assert_eq!(ImageHeader::of_file(bytes), Err(ImageRefusal::UnknownType));
        }
    }

    proptest! {
        /// Any bytes after the signature of a format, and any part of a valid header.
        #[test]
        fn no_bytes_panic(start in 0_usize..8, bytes in prop::collection::vec(any::<u8>(), 0..200), end in 0_usize..300) {
            let start = [
                &b""[..], b"\x89PNG\r\n\x1a\n", b"GIF87a", b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBPVP8X",
                b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f", b"RIFF\0\0\0\0WEBPVP8 ", b"\xff\xd8\xff\xc0\0\0",
            ][start];
            let all = [start, &bytes].concat();
            let header = ImageHeader::of_image(&all[..end.min(all.len())]);
            if let Ok(header) = header {
                prop_assert!(u64::from(header.width) * u64::from(header.height) <= IMAGE_PIXELS);
            }
        }
    }
}
