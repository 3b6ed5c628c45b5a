//! Thumbnails of the images attached to the next message, each with a button to remove it.

use leptos::prelude::*;

use crate::actions::use_actions;
use crate::dom::build::{icon_button, rebuilt, with_attributes, with_children};
use crate::dom::element::{append, element, set};
use crate::features::rows::images::image_element;
use crate::store::server::Session;
use crate::widgets::icon::Icon;

/// The images attached to a session's draft, and why the last one was refused.
pub fn attachment_tray(session: Session) -> AnyView {
    let attachments = use_actions().client.attachments;
    let attached = attachments.of(&session.id());
    let images = rebuilt("contents", move |place| {
        let list = with_attributes("ul", &[("class", "pictures"), ("aria-label", "Attached images")]);
        attached.with(|attached| {
            for attachment in attached {
                let (id, key) = (session.id(), attachment.key);
                let image = image_element(&id, &attachment.image).unwrap_or_else(|| element("img"));
                set(&image, "alt", "Attached image");
                let remove = icon_button("picture-remove", Icon::Close, "Remove image", move || {
                    attachments.remove(&id, key);
                });
                let item = with_children("li", "picture", &[&image, &remove]);
                set(&item, "data-pending-image", "");
                append(&list, &item);
            }
            if !attached.is_empty() {
                append(place, &list);
            }
        });
    });
    let problem = rebuilt("problem picture-problem", move |place| {
        set(place, "role", "alert");
        let problem = attachments.problem.get().filter(|(session_id, _)| session.has_id(session_id));
        place.set_text_content(problem.map(|(_, problem)| problem).as_deref());
    });
    [images, problem].into_any()
}
