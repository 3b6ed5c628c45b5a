//! The images of a row. They come from the server's blob store or from the message itself, never from other hosts.

use pilothouse_core::Image;
use web_sys::Element;

use super::row_action;
use super::row_action::RowAction;
use crate::dom::element::{Changed, append, element, set, with_class};
use crate::routes;

/// The image types that the page shows. SVG is excluded, because it can contain scripts.
const TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The row's container of images, which exists only while there are any.
pub struct Images {
    row: Element,
    /// The element after which the container is inserted; at the end of the row if `None`.
    previous: Option<Element>,
    container: Option<Element>,
    shown: Changed<Vec<Image>>,
}

impl Images {
    /// Images after the current content of the row.
    pub fn after_content(row: &Element) -> Self {
        let previous = row.last_element_child();
        Self { row: row.clone(), previous, container: None, shown: Changed::default() }
    }

    /// Images that stay at the end of the row.
    pub fn at_end(row: &Element) -> Self {
        Self { previous: None, ..Self::after_content(row) }
    }

    pub fn show(&mut self, session_id: &str, images: &[Image]) {
        let unchanged = self.shown.as_ref().map_or(images.is_empty(), |shown| shown == images);
        if unchanged {
            return;
        }
        self.shown.update(images.to_vec());
        if let Some(container) = self.container.take() {
            container.remove();
        }
        let sources: Vec<String> = images.iter().filter_map(|image| source(session_id, image)).collect();
        if sources.is_empty() {
            return;
        }
        let container = with_class("div", "row-images");
        for (source, number) in sources.iter().zip(1..) {
            append(&container, &image_button(source, number));
        }
        let next = self.previous.as_ref().and_then(|previous| previous.next_sibling());
        let _ = self.row.insert_before(&container, next.as_ref());
        self.container = Some(container);
    }
}

fn image_button(source: &str, number: usize) -> Element {
    let (button, image) = (with_class("button", "row-image"), element("img"));
    set(&button, "type", "button");
    set(&button, "title", "View full size");
    row_action::set_action(&button, RowAction::ViewImage);
    set(&image, "alt", &format!("Image {number}"));
    set(&image, "loading", "lazy");
    set(&image, "decoding", "async");
    set(&image, "src", source);
    append(&button, &image);
    button
}

/// The `src` of an image, or `None` if its type is not supported.
pub fn source(session_id: &str, image: &Image) -> Option<String> {
    if !image.blob.is_empty() {
        return Some(routes::blob_address(session_id, &image.blob));
    }
    let known = TYPES.contains(&image.mime_type.as_str()) && !image.data.is_empty();
    known.then(|| format!("data:{};base64,{}", image.mime_type, image.data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_image_types_are_shown_from_data() {
        let image =
            |mime_type: &str| Image { mime_type: mime_type.into(), data: "AAAA".into(), blob: String::new() };
        assert_eq!(source("s", &image("image/png")).as_deref(), Some("data:image/png;base64,AAAA"));
        assert_eq!(source("s", &image("image/svg+xml")), None);
        assert_eq!(source("s", &image("text/html")), None);
    }
}
