//! The choice of a session's folder: typed, or picked by browsing. Arrow keys move through the list.

use leptos::prelude::*;
use pilothouse_core::protocol::DirectoryListing;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::actions::Actions;
use crate::dom::build::{button, event_value, on, set_value, with_attributes, with_children};
use crate::dom::element::{append, clear, set, toggle_attribute, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::features::shortcuts::keys::KeyPress;
use crate::net::ConnectionState;
use crate::reactive::{effect, memo};
use crate::store::server::sessions::{folder_name, recent_folders};
use crate::widgets::focus;
use crate::widgets::icon::Icon;

/// How many folders of other sessions are offered.
const RECENT_COUNT: usize = 6;

/// The state of the picker.
#[derive(Clone, Copy)]
struct Picker {
    actions: Actions,
    /// The path in the field: the chosen one or a default.
    folder: Memo<String>,
    /// The path that the user has typed or picked.
    chosen: RwSignal<Option<String>>,
    listing: RwSignal<Option<DirectoryListing>>,
    problem: RwSignal<Option<String>>,
}

/// A path field, recent folders and a folder browser. `folder` is the chosen path or a default, `chosen` the one that the
/// user has typed or picked.
pub fn folder_picker(
    place: &Element,
    actions: Actions,
    folder: Memo<String>,
    chosen: RwSignal<Option<String>>,
) {
    let picker =
        Picker { actions, folder, chosen, listing: RwSignal::new(None), problem: RwSignal::new(None) };
    effect(move || {
        let is_unknown = picker.listing.with_untracked(Option::is_none);
        if actions.client.connection.get() == ConnectionState::Open && is_unknown {
            picker.open(folder.get_untracked());
        }
    });
    let parts = [
        &with_text("legend", "", "Folder"),
        &picker.path_field(),
        &picker.problem_line(),
        &picker.recent_folders(),
        &picker.browser(),
    ];
    append(place, &with_children("fieldset", "folder-picker", &parts));
}

impl Picker {
    fn open(self, path: String) {
        // The new listing replaces the clicked entry, and focus would be lost with it.
        let focused_in_browser =
            document().active_element().and_then(|focused| focused.closest(".folder-box").ok().flatten());
        self.actions.list_folder(path, move |result| match result {
            Ok(found) => {
                self.problem.try_set(None);
                self.chosen.try_set(Some(found.path.clone()));
                self.listing.try_set(Some(found));
                if focused_in_browser.is_some() {
                    focus::focus_if_lost(".folder-list button");
                }
            }
            Err(error) => {
                self.problem.try_set(Some(error));
            }
        });
    }

    /// A button that opens a folder.
    fn opener(self, class: &str, icon: Option<Icon>, text: &str, path: String) -> Element {
        button(class, icon, text, move || self.open(path.clone()))
    }

    fn path_field(self) -> Element {
        let attributes = [
            ("name", "folder"),
            ("type", "text"),
            ("class", "mono"),
            ("aria-label", "Folder"),
            ("autocomplete", "off"),
            ("autocapitalize", "off"),
            ("spellcheck", "false"),
        ];
        let field = with_attributes("input", &attributes);
        let shown = field.clone();
        render_effect(Box::new(move || self.folder.with(|folder| set_value(&shown, folder))));
        on(&field, "input", move |event| self.chosen.set(Some(event_value(&event))));
        on(&field, "keydown", move |event| {
            if KeyPress::name_of(event.unchecked_ref::<KeyboardEvent>()) == "Enter" {
                event.prevent_default();
                self.open(self.folder.get_untracked());
            }
        });
        let go = button("button", None, "Go", move || self.open(self.folder.get_untracked()));
        with_children("div", "field-row", &[&field, &go])
    }

    fn problem_line(self) -> Element {
        let line = with_attributes("p", &[("class", "problem"), ("role", "alert")]);
        let shown = line.clone();
        render_effect(Box::new(move || shown.set_text_content(self.problem.get().as_deref())));
        line
    }

    fn recent_folders(self) -> Element {
        let sessions = self.actions.server.sessions();
        let recent = memo(move || sessions.with(|sessions| recent_folders(sessions, RECENT_COUNT)));
        let path =
            memo(move || self.listing.with(|listing| listing.as_ref().map(|found| found.path.clone())));
        let attributes = [("class", "recent-folders"), ("role", "group"), ("aria-label", "Recent folders")];
        let group = with_attributes("div", &attributes);
        let shown = group.clone();
        render_effect(Box::new(move || {
            clear(&shown);
            let recent = recent.get();
            toggle_attribute(&shown, "hidden", (recent.len() < 2).then_some(""));
            for folder in recent {
                let choice = self.opener("recent-folder", None, folder_name(&folder), folder.clone());
                set(&choice, "title", &folder);
                append(&shown, &choice);
                render_effect(Box::new(move || {
                    let pressed = path.with(|path| path.as_ref() == Some(&folder));
                    set(&choice, "aria-pressed", if pressed { "true" } else { "false" });
                }));
            }
        }));
        group
    }

    fn browser(self) -> Element {
        let crumbs = with_attributes("nav", &[("class", "crumbs"), ("aria-label", "Path")]);
        let list = with_class("ul", "folder-list");
        on(&list, "keydown", |event| move_list_focus(event.unchecked_ref()));
        let frame = with_children("div", "folder-box", &[&crumbs, &list]);
        render_effect(Box::new(move || {
            clear(&crumbs);
            clear(&list);
            let Some(found) = self.listing.get() else { return };
            for (name, path) in breadcrumbs(&found.path, &found.root) {
                append(&crumbs, &self.opener("crumb", None, &name, path));
            }
            let entry = |icon, text: &str, path| {
                let button = self.opener("folder-entry", Some(icon), text, path);
                append(&list, &with_children("li", "", &[&button]));
            };
            if let Some(parent) = found.parent {
                entry(Icon::CornerUp, "Parent folder", parent);
            }
            for root in found.roots {
                entry(Icon::Folder, &root, root.clone());
            }
            for name in &found.folders {
                entry(Icon::Folder, name, join(&found.path, name));
            }
            let note = match (found.truncated, found.folders.is_empty()) {
                (true, _) => "More folders not shown. Type a path to open one.",
                (_, true) => "No subfolders",
                _ => return,
            };
            append(&list, &with_text("li", "faint", note));
        }));
        frame
    }
}

/// Moves focus between the entries of the list with the arrow keys.
fn move_list_focus(event: &KeyboardEvent) {
    let forwards = match event.key().as_str() {
        "ArrowDown" => true,
        "ArrowUp" => false,
        _ => return,
    };
    let item = document().active_element().and_then(|element| element.closest("li").ok().flatten());
    let next =
        item.and_then(
            |item| if forwards { item.next_element_sibling() } else { item.previous_element_sibling() },
        );
    let button = next
        .and_then(|item| item.first_element_child())
        .and_then(|child| child.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(button) = button {
        event.prevent_default();
        let _ = button.focus();
    }
}

/// The folders along a path, from the allowed folder on that contains it, each as its name and its whole path.
fn breadcrumbs(path: &str, root: &str) -> Vec<(String, String)> {
    let mut crumbs = vec![(root.to_owned(), root.to_owned())];
    let mut prefix = root.to_owned();
    for part in path.strip_prefix(root).unwrap_or(path).split('/').filter(|part| !part.is_empty()) {
        prefix = join(&prefix, part);
        crumbs.push((part.to_owned(), prefix.clone()));
    }
    crumbs
}

fn join(folder: &str, name: &str) -> String {
    if folder.ends_with('/') { format!("{folder}{name}") } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_breadcrumb_has_its_whole_path() {
        let pair = |name: &str, path: &str| (name.to_owned(), path.to_owned());
        let expected = [pair("/", "/"), pair("home", "/home"), pair("ada", "/home/ada")];
        assert_eq!(breadcrumbs("/home/ada", "/"), expected);
        let expected = [pair("/home/ada", "/home/ada"), pair("one", "/home/ada/one")];
        assert_eq!(breadcrumbs("/home/ada/one", "/home/ada"), expected);
    }

    #[test]
    fn joining_to_the_root_adds_no_second_slash() {
        assert_eq!(join("/", "etc"), "/etc");
        assert_eq!(join("/etc", "ssl"), "/etc/ssl");
    }
}
