//! The pictures of a row, from the server's own store or from the row itself; never from anywhere else.

use pilothouse_core::Image;
use web_sys::Element;

use super::click;
use super::click::Act;
use crate::dom::element::{Changed, add, element, set, with_class};
use crate::routes;

/// What the page shows; anything else, and above all SVG, is not a picture here.
const TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Behind what the row has when this is made, or at its end.
pub struct Images {
    row: Element,
    before: Option<Element>,
    place: Option<Element>,
    shown: Changed<Vec<Image>>,
}

impl Images {
    pub fn in_row(row: &Element) -> Self {
        Self { row: row.clone(), before: row.last_element_child(), place: None, shown: Changed::default() }
    }

    pub fn at_end(row: &Element) -> Self {
        Self { before: None, ..Self::in_row(row) }
    }

    pub fn show(&mut self, session_id: &str, images: &[Image]) {
        let unchanged = self.shown.as_ref().map_or(images.is_empty(), |shown| shown == images);
        if unchanged {
            return;
        }
        self.shown.differs(images.to_vec());
        if let Some(place) = self.place.take() {
            place.remove();
        }
        let sources: Vec<String> = images.iter().filter_map(|image| source(session_id, image)).collect();
        if sources.is_empty() {
            return;
        }
        let place = with_class("div", "row-images");
        for (source, number) in sources.iter().zip(1..) {
            add(&place, &picture(source, number));
        }
        let next = self.before.as_ref().and_then(|before| before.next_sibling());
        let _ = self.row.insert_before(&place, next.as_ref());
        self.place = Some(place);
    }
}

fn picture(source: &str, number: usize) -> Element {
    let (button, image) = (with_class("button", "row-image"), element("img"));
    set(&button, "type", "button");
    set(&button, "title", "Look at it in full");
    click::name(&button, Act::View);
    set(&image, "alt", &format!("Image {number}"));
    set(&image, "loading", "lazy");
    set(&image, "decoding", "async");
    set(&image, "src", source);
    add(&button, &image);
    button
}

/// Where a picture is shown from; nothing if it is none.
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
    fn only_pictures_of_known_types_are_shown_from_data() {
        let image =
            |mime_type: &str| Image { mime_type: mime_type.into(), data: "AAAA".into(), blob: String::new() };
        assert_eq!(source("s", &image("image/png")).as_deref(), Some("data:image/png;base64,AAAA"));
        assert_eq!(source("s", &image("image/svg+xml")), None);
        assert_eq!(source("s", &image("text/html")), None);
    }
}
