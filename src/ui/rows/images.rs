//! The pictures of a row, from the server's own store or from the row itself; never from anywhere else.

use leptos::prelude::*;
use pilothouse_core::Image;

use super::entry::Entry;
use crate::actions::use_actions;
use crate::route;
use crate::ui::dynamic::{clicked, live, memo};

/// What the page shows; anything else, and above all SVG, is not a picture here.
const TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

#[component]
pub fn Images(entry: Entry) -> impl IntoView {
    let images = memo(move || entry.read(|message| message.images.clone()));
    let actions = use_actions();
    let session_id = StoredValue::new(entry.session.id());
    live(move || {
        let sources: Vec<String> = images.with(|images| {
            images.iter().filter_map(|image| session_id.with_value(|id| source(id, image))).collect()
        });
        let row = (!sources.is_empty()).then(|| {
            let pictures = sources.into_iter().enumerate().map(|(index, source)| {
                let words = format!("Image {}", index + 1);
                let viewed = source.clone();
                view! {
                    <button
                        type="button"
                        class="row-image"
                        title="Look at it in full"
                        on:click=clicked(move |_| actions.client.viewed.set(Some(viewed.clone())))
                    >
                        <img src=source alt=words loading="lazy" decoding="async" />
                    </button>
                }
            });
            view! { <div class="row-images">{pictures.collect_view()}</div> }
        });
        row.into_any()
    })
}

/// Where a picture is shown from; nothing if it is none.
pub fn source(session_id: &str, image: &Image) -> Option<String> {
    if !image.blob.is_empty() {
        return Some(route::blob_address(session_id, &image.blob));
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
