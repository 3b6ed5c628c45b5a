//! Adding images to the composer's attachments. The type is detected from the content, large images are
//! resized, and an image that exceeds a limit is refused with a reason.

use leptos::prelude::*;
use leptos::task::spawn_local;
use pilothouse_core::Image;
use pilothouse_core::image_header::{ImageHeader, ImageRefusal, too_many_bytes};
use pilothouse_core::limits::{IMAGE_BYTES, IMAGE_FILE_BYTES, IMAGE_HEADER_BYTES};
use pilothouse_core::protocol::SessionMetaStoreFields;
use web_sys::{Blob, File};

use super::Actions;
use crate::browser;
use crate::browser::{files, image_resize};
use crate::store::client::image_rules;
use crate::store::server::Session;

impl Actions {
    /// Attaches files from the clipboard, a drop or the file picker. Shows the first reason if some are
    /// refused.
    pub fn attach(&self, session: Session, files: Vec<File>) {
        let (actions, id) = (*self, session.id());
        self.client.attachments.problem.set(None);
        if !session.meta.capabilities().with_untracked(|can| can.images) {
            return self.show_attachment_problem(id, "This agent doesn't support images.".to_owned());
        }
        // One after the other, to keep their order.
        spawn_local(async move {
            let mut first_problem = None;
            for file in files {
                if let Err(problem) = actions.attach_image(&id, &file).await {
                    first_problem.get_or_insert(problem);
                }
            }
            if let Some(problem) = first_problem {
                actions.show_attachment_problem(id, problem);
            }
        });
    }

    async fn attach_image(&self, session_id: &str, file: &File) -> Result<(), String> {
        // Checked before decoding, which would need too much memory for a huge file, or for a small one of many pixels.
        let header = read_header(file).await.map_err(ImageRefusal::text)?;
        if file.size() > IMAGE_FILE_BYTES as f64 {
            return Err(too_many_bytes(file.size() as u64, IMAGE_FILE_BYTES));
        }
        let (content, mime_type) = resize_to_limits(file, header).await;
        let check_limits = |size: f64| {
            let attached = self.client.attachments.images(session_id);
            image_rules::refusal(&attached, size as usize).map_or(Ok(()), Err)
        };
        check_limits(content.size())?;
        let data =
            files::read_base64(&content).await.ok_or("Couldn't read the image. Try attaching it again.")?;
        // Others may have been attached while this one was read.
        check_limits(content.size())?;
        let image = Image { mime_type: mime_type.to_owned(), data, blob: String::new() };
        self.client.attachments.add(session_id, vec![image]);
        Ok(())
    }

    fn show_attachment_problem(&self, session_id: String, problem: String) {
        self.client.attachments.problem.set(Some((session_id, problem)));
    }
}

async fn read_header(file: &File) -> Result<ImageHeader, ImageRefusal> {
    let mut header = Err(ImageRefusal::UnknownType);
    // The size of a JPEG image follows its thumbnails.
    for length in [64 * 1024, IMAGE_HEADER_BYTES] {
        let Ok(start) = file.slice_with_i32_and_i32(0, length as i32) else { break };
        let Some(base64) = files::read_base64(&start).await else { break };
        header = ImageHeader::of_file(&browser::decode_base64_prefix(&base64, length));
        if header != Err(ImageRefusal::Damaged) {
            break;
        }
    }
    header
}

/// Resizes or re-encodes an image that exceeds the limits. Returns the file unchanged if it fits, or if no
/// attempt yields a small enough image; the caller checks the size.
async fn resize_to_limits(file: &File, header: ImageHeader) -> (Blob, &'static str) {
    let ImageHeader { mime_type, width, height } = header;
    let unchanged = || (Blob::from(file.clone()), mime_type);
    let target_size = |width, height| image_rules::target_size(width, height, file.size() as usize);
    if target_size(width, height).is_none() {
        return unchanged();
    }
    let Some(image) = image_resize::decode(file).await else { return unchanged() };
    // The browser may have turned it upright.
    let Some(size) = target_size(image.width(), image.height()) else { return unchanged() };
    for encoding in image_rules::encodings_for(mime_type) {
        if let Some(resized) = image_resize::resize(&image, size, encoding).await
            && resized.size() <= IMAGE_BYTES as f64
        {
            return (resized, encoding);
        }
    }
    unchanged()
}
