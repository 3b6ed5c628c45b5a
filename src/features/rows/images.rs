//! Images of rows and of messages that wait. They come from the server's blob store or from the message itself, never from
//! other hosts.

use std::cell::RefCell;

use leptos::task::spawn_local;
use pilothouse_core::Image;
use web_sys::{Element, Url};

use super::row_action;
use super::row_action::RowAction;
use crate::dom::element::{Changed, append, element, set, with_class};
use crate::net::access;
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
        let elements = images.iter().filter_map(|image| image_element(session_id, image));
        let container = with_class("div", "row-images");
        for (element, number) in elements.zip(1..) {
            append(&container, &image_button(&element, number));
        }
        if container.first_child().is_none() {
            return;
        }
        let next = self.previous.as_ref().and_then(|previous| previous.next_sibling());
        let _ = self.row.insert_before(&container, next.as_ref());
        self.container = Some(container);
    }
}

fn image_button(image: &Element, number: usize) -> Element {
    let button = with_class("button", "row-image");
    set(&button, "type", "button");
    set(&button, "title", "View full size");
    row_action::set_action(&button, RowAction::ViewImage);
    set(image, "alt", &format!("Image {number}"));
    append(&button, image);
    button
}

/// An `img` of an image, or `None` if its type is not supported. One that the server stores is shown once it is fetched,
/// which needs the credential.
pub fn image_element(session_id: &str, image: &Image) -> Option<Element> {
    let created = element("img");
    set(&created, "decoding", "async");
    if image.blob.is_empty() {
        set(&created, "src", &data_url(image)?);
        return Some(created);
    }
    let address = routes::blob_address(session_id, &image.blob);
    match fetched(&address) {
        Some(url) => set(&created, "src", &url),
        None => {
            let created = created.clone();
            spawn_local(async move {
                if let Some(url) = fetch(address).await {
                    set(&created, "src", &url);
                }
            });
        }
    }
    Some(created)
}

fn data_url(image: &Image) -> Option<String> {
    let known = TYPES.contains(&image.mime_type.as_str()) && !image.data.is_empty();
    known.then(|| format!("data:{};base64,{}", image.mime_type, image.data))
}

/// The number of fetched images that the browser holds.
const FETCHED: usize = 128;

thread_local! {
    /// The addresses of fetched images on the server, and the URLs of their data in the browser; the one used last is at
    /// the end.
    static IMAGES: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

/// The URL of an image that was fetched already.
fn fetched(address: &str) -> Option<String> {
    IMAGES.with_borrow_mut(|images| {
        let position = images.iter().position(|(known, _)| known == address)?;
        images[position..].rotate_left(1);
        images.last().map(|(_, url)| url.clone())
    })
}

async fn fetch(address: String) -> Option<String> {
    let url = Url::create_object_url_with_blob(&access::fetch(&address).await?).ok()?;
    IMAGES.with_borrow_mut(|images| {
        images.push((address, url.clone()));
        if images.len() > FETCHED {
            let (_, oldest) = images.remove(0);
            let _ = Url::revoke_object_url(&oldest);
        }
    });
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_image_types_are_shown_from_data() {
        let image =
            |mime_type: &str| Image { mime_type: mime_type.into(), data: "AAAA".into(), blob: String::new() };
        assert_eq!(data_url(&image("image/png")).as_deref(), Some("data:image/png;base64,AAAA"));
        assert_eq!(data_url(&image("image/svg+xml")), None);
        assert_eq!(data_url(&image("text/html")), None);
    }
}
