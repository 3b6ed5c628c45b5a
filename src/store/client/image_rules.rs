//! The limits on the images of a message: type, number, size. They are checked before anything is sent. Pure.

use pilothouse_core::Image;
use pilothouse_core::image_header::too_many_bytes;
use pilothouse_core::limits::{
    CLIENT_FRAME_BYTES, CLIENT_FRAME_TEXT_BYTES, IMAGE_BYTES, IMAGE_SIDE, PROMPT_IMAGES,
};

/// The base64 length of all images of a message; the rest of the frame is for the text and the JSON around it.
const TOTAL_IMAGE_BYTES: usize = CLIENT_FRAME_BYTES - CLIENT_FRAME_TEXT_BYTES;

/// Returns why an image of this size cannot be added to the attached ones, or `None` if it can.
pub fn refusal(attached: &[Image], bytes: usize) -> Option<String> {
    if attached.len() >= PROMPT_IMAGES {
        return Some(format!("A message can have up to {PROMPT_IMAGES} images."));
    }
    if bytes > IMAGE_BYTES {
        return Some(too_many_bytes(bytes as u64, IMAGE_BYTES));
    }
    let total = attached.iter().map(|image| image.data.len()).sum::<usize>() + bytes.div_ceil(3) * 4;
    (total > TOTAL_IMAGE_BYTES)
        .then(|| "These images are too large for one message. Send some of them separately.".to_owned())
}

/// The size to which an image is resized, or `None` if it is sent unchanged. An image with too many bytes is re-encoded in
/// its own size.
pub fn target_size(width: u32, height: u32, bytes: usize) -> Option<(u32, u32)> {
    let longest = width.max(height);
    if longest > IMAGE_SIDE {
        let scaled =
            |side: u32| (u64::from(side) * u64::from(IMAGE_SIDE)).div_ceil(u64::from(longest)) as u32;
        return Some((scaled(width), scaled(height)));
    }
    (bytes > IMAGE_BYTES).then_some((width, height))
}

/// The types in which an image may be re-encoded, best first. Lossless images stay lossless if they become small enough.
pub fn encodings_for(mime_type: &str) -> &'static [&'static str] {
    if mime_type == "image/jpeg" { &["image/jpeg"] } else { &["image/png", "image/jpeg"] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_too_large_images_are_resized_with_their_aspect_ratio() {
        assert_eq!(target_size(800, 600, 1000), None);
        assert_eq!(target_size(IMAGE_SIDE, IMAGE_SIDE, IMAGE_BYTES), None);
        assert_eq!(target_size(2 * IMAGE_SIDE, IMAGE_SIDE, 1000), Some((IMAGE_SIDE, IMAGE_SIDE / 2)));
        assert_eq!(target_size(20_000, 1, 1000), Some((IMAGE_SIDE, 1)), "no side becomes zero");
        assert_eq!(target_size(800, 600, IMAGE_BYTES + 1), Some((800, 600)), "re-encoded in the same size");
    }

    #[test]
    fn refusals_state_the_limits_of_number_and_size() {
        let image = |bytes: usize| Image { data: "A".repeat(bytes), ..Image::default() };
        assert_eq!(refusal(&[], IMAGE_BYTES), None);
        assert!(refusal(&[], IMAGE_BYTES + 1).unwrap().contains("5.2 MB per image"));
        let many = vec![image(4); PROMPT_IMAGES];
        assert_eq!(refusal(&many[1..], 4), None);
        assert!(refusal(&many, 4).unwrap().contains("up to 8"));
        let large = vec![image(IMAGE_BYTES / 3 * 4); 4];
        assert_eq!(refusal(&large, 4), None);
        assert!(refusal(&large, IMAGE_BYTES).unwrap().contains("These images are too large"));
    }
}
