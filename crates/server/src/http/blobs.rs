//! Images of a session, kept apart from its events: a row names an image, the page fetches it once by address. Live
//! ones are kept in memory; of those that stand in the session's file only their place is, and they are read when they
//! are fetched.

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
use pilothouse_core::limits::{IMAGE_BYTES, SESSION_FILE_IMAGES, SESSION_IMAGES};
use pilothouse_core::protocol::event::Event;
use sha2::{Digest, Sha256};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    pub mime_type: &'static str,
    pub bytes: Vec<u8>,
}

/// The images of one session. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Blobs(Arc<Mutex<Stored>>);

#[derive(Debug, Default)]
struct Stored {
    held: HashMap<String, Held>,
    /// The names of those held that may go, oldest first.
    passing: VecDeque<String>,
    in_file: HashMap<String, Place>,
}

#[derive(Debug)]
struct Held {
    blob: Arc<Blob>,
    /// Nobody else has it: it stays until it stands in the session's file.
    only: bool,
}

impl Stored {
    /// When there are too many, the oldest of those that are only shown goes.
    fn hold(&mut self, name: String, blob: Blob, only: bool) {
        let held = self.held.entry(name.clone()).or_insert_with(|| {
            self.passing.push_back(name);
            Held { blob: Arc::new(blob), only: false }
        });
        held.only |= only;
        let mut over = self.held.len().saturating_sub(SESSION_IMAGES);
        let held = &mut self.held;
        self.passing.retain(|name| {
            let goes = over > 0 && held.get(name).is_none_or(|held| !held.only);
            if goes && held.remove(name).is_some() {
                over -= 1;
            }
            !goes
        });
    }
}

/// An image in a session file: the entry it is in, and which of its images it is.
#[derive(Clone, Debug)]
struct Place {
    file: Arc<Path>,
    offset: u64,
    length: usize,
    number: usize,
}

impl Blobs {
    /// Reads a file if need be: not for a task that others wait for.
    pub fn get(&self, name: &str) -> Option<Arc<Blob>> {
        let place = {
            let stored = self.0.lock().ok()?;
            if let Some(held) = stored.held.get(name) {
                return Some(held.blob.clone());
            }
            stored.in_file.get(name)?.clone()
        };
        let (found, blob) = place.read()?;
        // The file may be another one by now.
        (found == name).then(|| Arc::new(blob))
    }

    /// Moves the data of every image in an event into this store.
    pub fn extract_from_event(&self, event: &mut Event) {
        match event {
            Event::MessageStart { message } | Event::MessageEnd { message } => {
                self.extract_from_message(message)
            }
            Event::ToolExecutionUpdate { partial_result: output, .. }
            | Event::ToolExecutionEnd { result: output, .. } => {
                output.images.iter_mut().for_each(|image| self.extract(image));
            }
            _ => {}
        }
    }

    pub fn extract_from_message(&self, message: &mut Message) {
        message.images_mut().for_each(|image| self.extract(image));
    }

    /// Names the images of a message that stands in a file, and remembers where.
    pub fn index_from_file(&self, message: &mut Message, file: &Arc<Path>, offset: u64, length: usize) {
        for (number, image) in message.images_mut().enumerate() {
            let Some((name, _)) = named(image) else { continue };
            if let Ok(mut stored) = self.0.lock()
                && stored.in_file.len() < SESSION_FILE_IMAGES
            {
                if stored.held.remove(&name).is_some() {
                    stored.passing.retain(|passing| *passing != name);
                }
                stored.in_file.insert(name, Place { file: file.clone(), offset, length, number });
            }
        }
    }

    /// What is no picture by its content keeps neither data nor address.
    pub fn extract(&self, image: &mut Image) {
        self.put(image, false);
    }

    /// The same for one that nobody else has: of a message that waits.
    pub fn retain(&self, image: &mut Image) {
        self.put(image, true);
    }

    /// These are the ones that nobody else has; of all others the oldest may go.
    pub fn retain_only<'a>(&self, names: impl Iterator<Item = &'a str>) {
        let names: HashSet<&str> = names.collect();
        if let Ok(mut stored) = self.0.lock() {
            stored.held.iter_mut().for_each(|(name, held)| held.only = names.contains(name.as_str()));
        }
    }

    fn put(&self, image: &mut Image, only: bool) {
        if let Some((name, blob)) = named(image)
            && let Ok(mut stored) = self.0.lock()
        {
            stored.hold(name, blob, only);
        }
    }

    /// The data of an image again, for an agent.
    pub fn restore_data(&self, image: &mut Image) {
        if let Some(blob) = self.get(&image.blob) {
            image.data = STANDARD.encode(&blob.bytes);
        }
    }
}

impl Place {
    fn read(&self) -> Option<(String, Blob)> {
        let mut bytes = vec![0; self.length];
        File::open(&self.file).ok()?.read_exact_at(&mut bytes, self.offset).ok()?;
        let Some(EntryContent::Message(mut message)) = read_entry(&bytes) else { return None };
        named(message.images_mut().nth(self.number)?)
    }
}

/// Gives an image the name of its content, and its data away.
fn named(image: &mut Image) -> Option<(String, Blob)> {
    let data = std::mem::take(&mut image.data);
    if data.is_empty() || data.len() > IMAGE_BYTES * 2 {
        return None;
    }
    let bytes = STANDARD.decode(data.as_bytes()).ok()?;
    let mime_type = type_by_content(&bytes)?;
    let name = URL_SAFE_NO_PAD.encode(Sha256::digest(&bytes));
    mime_type.clone_into(&mut image.mime_type);
    image.blob.clone_from(&name);
    Some((name, Blob { mime_type, bytes }))
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
        blobs.extract(&mut image);
        assert_eq!((image.mime_type.as_str(), image.data.as_str()), ("image/png", ""));
        assert_eq!(blobs.get(&image.blob).unwrap().bytes, b"\x89PNG\r\n\x1a\nrest");
    }

    #[test]
    fn an_image_in_a_file_is_read_when_it_is_fetched_and_not_if_it_is_another_by_then() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let entry = |data: &str| {
            let image = serde_json::json!({"type": "image", "mimeType": "image/png", "data": data});
            let content =
                serde_json::json!([{"type": "text", "text": "see"}, {"type": "image", "data": "?"}, image]);
            serde_json::json!({"type": "message", "message": {"role": "user", "content": content}})
                .to_string()
        };
        let first = entry(&STANDARD.encode(b"\x89PNG\r\n\x1a\nrest"));
        std::fs::write(&path, format!("----{first}\n")).unwrap();
        let Some(EntryContent::Message(mut message)) = read_entry(first.as_bytes()) else {
            panic!("no message")
        };
        let blobs = Blobs::default();
        blobs.index_from_file(&mut message, &path.as_path().into(), 4, first.len());
        let images: Vec<Image> = message.images_mut().map(|image| image.clone()).collect();
        assert_eq!((images[0].blob.as_str(), images[1].data.as_str()), ("", ""));
        assert_eq!(blobs.get(&images[1].blob).unwrap().bytes, b"\x89PNG\r\n\x1a\nrest");
        assert_eq!(blobs.get(&images[1].blob).unwrap().mime_type, "image/png");

        std::fs::write(&path, format!("----{}\n", entry(&STANDARD.encode(b"\x89PNG\r\n\x1a\nREST"))))
            .unwrap();
        assert_eq!(blobs.get(&images[1].blob), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(blobs.get(&images[1].blob), None);
    }

    #[test]
    fn of_many_images_the_oldest_goes_but_never_one_of_a_message_that_waits() {
        let blobs = Blobs::default();
        let image = |number: usize| {
            let data = STANDARD.encode(
                format!("\u{89}PNG\r\n\u{1a}\n{number}").chars().map(|c| c as u8).collect::<Vec<u8>>(),
            );
            Image { data, ..Image::default() }
        };
        let mut waits = image(0);
        blobs.retain(&mut waits);
        let mut shown: Vec<Image> = (1..=SESSION_IMAGES + 10).map(image).collect();
        shown.iter_mut().for_each(|image| blobs.extract(image));
        let there = |image: &Image| blobs.get(&image.blob).is_some();
        assert!(there(&waits));
        assert!(!shown[..11].iter().any(there) && shown[11..].iter().all(there));
    }

    #[test]
    fn what_is_no_picture_by_content_is_not_served() {
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
