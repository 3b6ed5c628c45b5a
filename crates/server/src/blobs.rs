//! Images of a session, kept apart from its events: a row names an image, the page fetches it once by address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use pilothouse_core::event::{Event, ToolOutput};
use pilothouse_core::limits::{IMAGE_BYTES, SESSION_IMAGES};
use pilothouse_core::message::{Content, Message, Part};
use pilothouse_core::ui_message::Image;
use sha2::{Digest, Sha256};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    pub mime_type: &'static str,
    pub bytes: Vec<u8>,
}

/// The images of one session. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Blobs(Arc<Mutex<HashMap<String, Arc<Blob>>>>);

impl Blobs {
    pub fn get(&self, name: &str) -> Option<Arc<Blob>> {
        self.0.lock().ok()?.get(name).cloned()
    }

    /// Moves the data of every image in an event into this store.
    pub fn take_from_event(&self, event: &mut Event) {
        match event {
            Event::MessageStart { message } | Event::MessageEnd { message } => {
                self.take_from_message(message)
            }
            Event::ToolExecutionUpdate { partial_result: output, .. }
            | Event::ToolExecutionEnd { result: output, .. } => self.take_from_output(output),
            _ => {}
        }
    }

    pub fn take_from_message(&self, message: &mut Message) {
        match message {
            Message::User { content, .. }
            | Message::Assistant { content, .. }
            | Message::ToolResult { content, .. }
            | Message::Custom { content, .. } => self.take_from_content(content),
            _ => {}
        }
    }

    fn take_from_content(&self, content: &mut Content) {
        for part in &mut content.0 {
            if let Part::Image(image) = part {
                self.take(image);
            }
        }
    }

    fn take_from_output(&self, output: &mut ToolOutput) {
        output.images.iter_mut().for_each(|image| self.take(image));
    }

    /// What is no picture by its content keeps neither data nor address.
    pub fn take(&self, image: &mut Image) {
        let data = std::mem::take(&mut image.data);
        if data.is_empty() || data.len() > IMAGE_BYTES * 2 {
            return;
        }
        let Ok(bytes) = STANDARD.decode(data.as_bytes()) else { return };
        let Some(mime_type) = type_by_content(&bytes) else { return };
        let name = URL_SAFE_NO_PAD.encode(Sha256::digest(&bytes));
        mime_type.clone_into(&mut image.mime_type);
        image.blob.clone_from(&name);
        if let Ok(mut blobs) = self.0.lock()
            && blobs.len() < SESSION_IMAGES
        {
            blobs.entry(name).or_insert_with(|| Arc::new(Blob { mime_type, bytes }));
        }
    }
}

impl Blobs {
    /// The data of an image again, for an agent.
    pub fn give_back(&self, image: &mut Image) {
        if let Some(blob) = self.get(&image.blob) {
            image.data = STANDARD.encode(&blob.bytes);
        }
    }
}

/// The type of a picture by its first bytes. Anything that can carry script is not among them.
pub fn type_by_content(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// Images of a prompt, before anything is done with them.
pub fn check_images(images: &[Image]) -> Result<(), String> {
    for image in images {
        let bytes = STANDARD
            .decode(image.data.as_bytes())
            .map_err(|_| "An image is not proper base64.".to_owned())?;
        if bytes.len() > IMAGE_BYTES {
            return Err(format!("An image is {} bytes large; {IMAGE_BYTES} is the limit.", bytes.len()));
        }
        if type_by_content(&bytes).is_none() {
            return Err("Only PNG, JPEG, GIF and WebP images can be sent.".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_kept_under_a_name_of_its_content_and_its_data_leaves_the_row() {
        let blobs = Blobs::default();
        let data = STANDARD.encode(b"\x89PNG\r\n\x1a\nrest");
        let mut image = Image { mime_type: "image/svg+xml".into(), data, blob: String::new() };
        blobs.take(&mut image);
        assert_eq!((image.mime_type.as_str(), image.data.as_str()), ("image/png", ""));
        assert_eq!(blobs.get(&image.blob).unwrap().bytes, b"\x89PNG\r\n\x1a\nrest");
    }

    #[test]
    fn what_is_no_picture_by_content_is_not_served() {
        let blobs = Blobs::default();
        let mut image = Image {
            mime_type: "image/png".into(),
            data: STANDARD.encode("<svg onload=x>"),
            blob: String::new(),
        };
        blobs.take(&mut image);
        assert_eq!((image.data.as_str(), image.blob.as_str()), ("", ""));
    }
}
