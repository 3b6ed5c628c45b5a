//! The images of a session, separate from its events: a row contains the name of an image, and the page fetches it once
//! by that name. New images are held in memory; those in the session's file are read from it on request.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use pilothouse_agents::history::entry::{EntryContent, read_entry};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::image_header::{ImageHeader, ImageRefusal};
use pilothouse_core::limits::{IMAGE_BYTES, SESSION_FILE_IMAGES, SESSION_IMAGES};
use pilothouse_core::protocol::event::{Event, Update};
use sha2::{Digest, Sha256};

/// A decoded image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    pub mime_type: &'static str,
    pub bytes: Vec<u8>,
}

/// The images of one session, by name. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Blobs(Arc<Mutex<BlobStore>>);

#[derive(Debug, Default)]
struct BlobStore {
    in_memory: HashMap<String, MemoryBlob>,
    /// The names of the images in memory, oldest first.
    by_age: VecDeque<String>,
    in_file: HashMap<String, FileLocation>,
}

#[derive(Debug)]
struct MemoryBlob {
    blob: Arc<Blob>,
    /// This is the only copy: it is never evicted, until the image is in the session's file.
    is_retained: bool,
}

impl BlobStore {
    /// Adds an image. Above the limit, the oldest images that are not retained are evicted.
    fn insert(&mut self, name: String, blob: Blob, retain: bool) {
        let inserted = self.in_memory.entry(name.clone()).or_insert_with(|| {
            self.by_age.push_back(name);
            MemoryBlob { blob: Arc::new(blob), is_retained: false }
        });
        inserted.is_retained |= retain;
        let mut excess = self.in_memory.len().saturating_sub(SESSION_IMAGES);
        let in_memory = &mut self.in_memory;
        self.by_age.retain(|name| {
            let evict = excess > 0 && in_memory.get(name).is_none_or(|held| !held.is_retained);
            if evict && in_memory.remove(name).is_some() {
                excess -= 1;
            }
            !evict
        });
    }
}

/// The location of an image in a session file.
#[derive(Clone, Debug)]
struct FileLocation {
    file: Arc<Path>,
    /// The position and length of the entry.
    offset: u64,
    length: usize,
    /// The number of the image within the entry.
    number: usize,
}

impl Blobs {
    /// Returns an image. Blocks if it has to be read from the session's file.
    pub fn get(&self, name: &str) -> Option<Arc<Blob>> {
        let location = {
            let store = self.0.lock().ok()?;
            if let Some(held) = store.in_memory.get(name) {
                return Some(held.blob.clone());
            }
            store.in_file.get(name)?.clone()
        };
        let (actual_name, blob) = location.read()?;
        // The file may have been replaced.
        (actual_name == name).then(|| Arc::new(blob))
    }

    /// Moves the data of every image in an event into memory.
    pub fn extract_from_event(&self, event: &mut Event) {
        match event {
            Event::MessageStart { message } | Event::MessageEnd { message } => {
                self.extract_from_message(message)
            }
            Event::ToolExecutionUpdate { partial_result: output, .. }
            | Event::ToolExecutionEnd { result: output, .. } => {
                output.images.iter_mut().for_each(|image| self.extract(image));
            }
            Event::MessageUpdate { update: Update::Image { image, .. } } => self.extract(image),
            _ => {}
        }
    }

    /// Moves the data of every image in a message into memory.
    pub fn extract_from_message(&self, message: &mut Message) {
        message.images_mut().for_each(|image| self.extract(image));
    }

    /// Replaces the images of a message in a session file by their names and stores their locations.
    pub fn index_from_file(&self, message: &mut Message, file: &Arc<Path>, offset: u64, length: usize) {
        for (number, image) in message.images_mut().enumerate() {
            let Some((name, _)) = take_blob(image) else { continue };
            if let Ok(mut store) = self.0.lock()
                && store.in_file.len() < SESSION_FILE_IMAGES
            {
                // An image of a waiting message stays in memory: it is needed without reading the file.
                if store.in_memory.get(&name).is_some_and(|held| !held.is_retained) {
                    store.in_memory.remove(&name);
                    store.by_age.retain(|other| *other != name);
                }
                store.in_file.insert(name, FileLocation { file: file.clone(), offset, length, number });
            }
        }
    }

    /// Moves the data of an image into memory and leaves its name. Data that is not an image is dropped without a name.
    pub fn extract(&self, image: &mut Image) {
        self.insert(image, false);
    }

    /// Does the same for an image of a waiting message, which exists nowhere else and must not be evicted.
    pub fn retain(&self, image: &mut Image) {
        self.insert(image, true);
    }

    /// Retains exactly the images with these names; all others may be evicted.
    pub fn retain_only<'a>(&self, names: impl Iterator<Item = &'a str>) {
        let names: HashSet<&str> = names.collect();
        if let Ok(mut store) = self.0.lock() {
            store
                .in_memory
                .iter_mut()
                .for_each(|(name, held)| held.is_retained = names.contains(name.as_str()));
        }
    }

    fn insert(&self, image: &mut Image, retain: bool) {
        if let Some((name, blob)) = take_blob(image)
            && let Ok(mut store) = self.0.lock()
        {
            store.insert(name, blob, retain);
        }
    }

    /// Puts the data of an image back, to send it to an agent.
    pub fn restore_data(&self, image: &mut Image) {
        if let Some(blob) = self.get(&image.blob) {
            image.data = STANDARD.encode(&blob.bytes);
        }
    }
}

impl FileLocation {
    fn read(&self) -> Option<(String, Blob)> {
        let mut bytes = vec![0; self.length];
        File::open(&self.file).ok()?.read_exact_at(&mut bytes, self.offset).ok()?;
        let Some(EntryContent::Message(mut message)) = read_entry(&bytes) else { return None };
        take_blob(message.images_mut().nth(self.number)?)
    }
}

/// Takes the data out of an image and names the image by the hash of its content. Returns `None` if the data is not a
/// supported image.
fn take_blob(image: &mut Image) -> Option<(String, Blob)> {
    let data = std::mem::take(&mut image.data);
    if data.is_empty() || data.len() > IMAGE_BYTES * 2 {
        return None;
    }
    let bytes = STANDARD.decode(data.as_bytes()).ok()?;
    // A page would decode it, however many pixels it has.
    let ImageHeader { mime_type, .. } = ImageHeader::of_image(&bytes).ok()?;
    let name = URL_SAFE_NO_PAD.encode(Sha256::digest(&bytes));
    mime_type.clone_into(&mut image.mime_type);
    image.blob.clone_from(&name);
    Some((name, Blob { mime_type, bytes }))
}

/// Checks the images of a prompt before they are stored.
pub fn check_images(images: &[Image]) -> Result<(), String> {
    for image in images {
        let bytes =
            STANDARD.decode(image.data.as_bytes()).map_err(|_| "An image is not valid base64.".to_owned())?;
        if bytes.len() > IMAGE_BYTES {
            return Err(format!(
                "An image is too large ({} bytes). The limit is {IMAGE_BYTES} bytes.",
                bytes.len()
            ));
        }
        ImageHeader::of_image(&bytes).map_err(ImageRefusal::text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pilothouse_core::limits::IMAGE_PIXELS;

    use super::*;

    /// The header of a PNG image, followed by these bytes.
    fn png(width: u32, height: u32, rest: &[u8]) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", &size[..], rest].concat()
    }

    fn image(bytes: &[u8]) -> Image {
        Image { data: STANDARD.encode(bytes), ..Image::default() }
    }

    #[test]
    fn an_image_with_too_many_pixels_is_refused_before_it_is_decoded() {
        let side = 1_000;
        let most = u32::try_from(IMAGE_PIXELS).unwrap() / side;
        assert_eq!(check_images(&[image(&png(side, most, b""))]), Ok(()));
        let refusal = check_images(&[image(&png(side, most, b"")), image(&png(side, most + 1, b""))]);
        assert!(refusal.clone().unwrap_err().contains("1000 × 40001 pixels"), "{refusal:?}");
        let refusal = check_images(&[image(b"\x89PNG\r\n\x1a\nrest")]);
        assert_eq!(refusal.unwrap_err(), "This image is damaged: its size can't be read.");
        // Of an agent it is not served.
        let blobs = Blobs::default();
        let mut bomb = image(&png(30_000, 30_000, b""));
        blobs.extract(&mut bomb);
        assert_eq!((bomb.data.as_str(), bomb.blob.as_str()), ("", ""));
    }

    #[test]
    fn the_cap_of_an_images_bytes_is_exact() {
        let bytes = |length: usize| png(1, 1, &vec![0; length - 24]);
        for length in [IMAGE_BYTES - 1, IMAGE_BYTES] {
            assert_eq!(check_images(&[image(&bytes(length))]), Ok(()));
        }
        assert!(check_images(&[image(&bytes(IMAGE_BYTES + 1))]).unwrap_err().contains("too large"));
    }

    #[test]
    fn an_image_is_named_by_its_content_and_its_data_leaves_the_row() {
        let blobs = Blobs::default();
        let bytes = png(1, 1, b"rest");
        let mut image = Image { mime_type: "image/svg+xml".into(), ..image(&bytes) };
        blobs.extract(&mut image);
        assert_eq!((image.mime_type.as_str(), image.data.as_str()), ("image/png", ""));
        assert_eq!(blobs.get(&image.blob).unwrap().bytes, bytes);
    }

    #[test]
    fn an_image_in_a_file_is_read_on_request_unless_the_file_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let entry = |data: &str| {
            let image = serde_json::json!({"type": "image", "mimeType": "image/png", "data": data});
            let content =
                serde_json::json!([{"type": "text", "text": "see"}, {"type": "image", "data": "?"}, image]);
            serde_json::json!({"type": "message", "message": {"role": "user", "content": content}})
                .to_string()
        };
        let first = entry(&STANDARD.encode(png(1, 1, b"rest")));
        std::fs::write(&path, format!("----{first}\n")).unwrap();
        let Some(EntryContent::Message(mut message)) = read_entry(first.as_bytes()) else {
            panic!("no message")
        };
        let blobs = Blobs::default();
        blobs.index_from_file(&mut message, &path.as_path().into(), 4, first.len());
        let images: Vec<Image> = message.images_mut().map(|image| image.clone()).collect();
        assert_eq!((images[0].blob.as_str(), images[1].data.as_str()), ("", ""));
        assert_eq!(blobs.get(&images[1].blob).unwrap().bytes, png(1, 1, b"rest"));
        assert_eq!(blobs.get(&images[1].blob).unwrap().mime_type, "image/png");

        std::fs::write(&path, format!("----{}\n", entry(&STANDARD.encode(png(1, 1, b"REST"))))).unwrap();
        assert_eq!(blobs.get(&images[1].blob), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(blobs.get(&images[1].blob), None);
    }

    #[test]
    fn the_oldest_images_are_evicted_but_never_those_of_a_waiting_message() {
        let blobs = Blobs::default();
        let image = |number: usize| image(&png(1, 1, number.to_string().as_bytes()));
        let mut waiting = image(0);
        blobs.retain(&mut waiting);
        let mut shown: Vec<Image> = (1..=SESSION_IMAGES + 10).map(image).collect();
        shown.iter_mut().for_each(|image| blobs.extract(image));
        let is_stored = |image: &Image| blobs.get(&image.blob).is_some();
        assert!(is_stored(&waiting));
        assert!(!shown[..11].iter().any(is_stored) && shown[11..].iter().all(is_stored));
    }

    #[test]
    fn data_that_is_not_an_image_is_not_served() {
        let blobs = Blobs::default();
        let mut image = Image {
            mime_type: "image/png".into(),
            data: STANDARD.encode("<svg onload=x>"),
            blob: String::new(),
        };
        blobs.extract(&mut image);
        assert_eq!((image.data.as_str(), image.blob.as_str()), ("", ""));
    }
}
