//! The choice of a session's folder: typed, or picked by browsing. Arrow keys move through the list.

use leptos::prelude::*;
use pilothouse_core::protocol::DirectoryListing;
use wasm_bindgen::JsCast;

use crate::actions::use_actions;
use crate::features::shortcuts::keys::KeyPress;
use crate::net::ConnectionState;
use crate::reactive::{effect, memo};
use crate::store::server::sessions::{folder_name, recent_folders};
use crate::widgets::focus;
use crate::widgets::icon::{Glyph, Icon};

/// How many folders of other sessions are offered.
const RECENT_COUNT: usize = 6;

/// A path field, recent folders and a folder browser.
#[component]
pub fn FolderPicker(
    /// The path in the field: the chosen one or a default.
    folder: Memo<String>,
    /// The path that the user has typed or picked.
    chosen: RwSignal<Option<String>>,
) -> impl IntoView {
    let actions = use_actions();
    let listing = RwSignal::new(None::<DirectoryListing>);
    let problem = RwSignal::new(None::<String>);
    let open_folder = move |path: String| {
        // The new listing replaces the clicked entry, and focus would be lost with it.
        let focused_in_browser =
            document().active_element().and_then(|focused| focused.closest(".folder-box").ok().flatten());
        actions.list_folder(path, move |result| match result {
            Ok(found) => {
                problem.try_set(None);
                chosen.try_set(Some(found.path.clone()));
                listing.try_set(Some(found));
                if focused_in_browser.is_some() {
                    focus::focus_if_lost(".folder-list button");
                }
            }
            Err(error) => {
                problem.try_set(Some(error));
            }
        });
    };
    effect(move || {
        if actions.client.connection.get() == ConnectionState::Open && listing.with_untracked(Option::is_none)
        {
            open_folder(folder.get_untracked());
        }
    });
    let crumbs = move || {
        listing.with(|listing| listing.as_ref().map(|listing| breadcrumbs(&listing.path)).unwrap_or_default())
    };
    let parent = move || listing.with(|listing| listing.as_ref().and_then(|listing| listing.parent.clone()));
    let folders = move || {
        listing.with(|listing| listing.as_ref().map(|found| found.folders.clone()).unwrap_or_default())
    };
    let path =
        move || listing.with(|listing| listing.as_ref().map(|found| found.path.clone()).unwrap_or_default());
    let truncated = move || listing.with(|listing| listing.as_ref().is_some_and(|found| found.truncated));
    let recent =
        memo(move || actions.server.sessions().with(|sessions| recent_folders(sessions, RECENT_COUNT)));
    let recent_folder = move |folder: String| {
        let (title, name) = (folder.clone(), folder_name(&folder).to_owned());
        let own_path = folder.clone();
        view! {
            <button
                type="button"
                class="recent-folder"
                title=title
                aria-pressed=move || (path() == own_path).to_string()
                on:click=move |_| open_folder(folder.clone())
            >
                {name}
            </button>
        }
        .into_any()
    };
    let entry = move |name: String| {
        let path = join(&untrack(path), &name);
        view! {
            <li>
                <button type="button" class="folder-entry" on:click=move |_| open_folder(path.clone())>
                    <Glyph icon=Icon::Folder />
                    {name}
                </button>
            </li>
        }
        .into_any()
    };
    view! {
        <fieldset class="folder-picker">
            <legend>"Folder"</legend>
            <div class="field-row">
                <input
                    name="folder"
                    type="text"
                    class="mono"
                    aria-label="Folder"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    prop:value=folder
                    on:input:target=move |event| chosen.set(Some(event.target().value()))
                    on:keydown=move |event| {
                        if KeyPress::name_of(&event) == "Enter" {
                            event.prevent_default();
                            open_folder(folder.get_untracked());
                        }
                    }
                />
                <button type="button" class="button" on:click=move |_| open_folder(folder.get_untracked())>"Go"</button>
            </div>
            <p class="problem" role="alert">{move || problem.get()}</p>
            <Show when=move || recent.with(|recent| recent.len() > 1)>
                <div class="recent-folders" role="group" aria-label="Recent folders"><For each=move || recent.get() key=String::clone children=recent_folder /></div>
            </Show>
            <div class="folder-box">
                <nav class="crumbs" aria-label="Path">
                    {move || {
                        crumbs()
                            .into_iter()
                            .map(|(name, path)| {
                                view! {
                                    <button type="button" class="crumb" on:click=move |_| open_folder(path.clone())>{name}</button>
                                }
                            })
                            .collect_view()
                            .into_any()
                    }}
                </nav>
                <ul class="folder-list" on:keydown=move_list_focus>
                    {move || {
                        parent()
                            .map(|parent| {
                                view! {
                                    <li>
                                        <button type="button" class="folder-entry" on:click=move |_| open_folder(parent.clone())>
                                            <Glyph icon=Icon::CornerUp />
                                            "Parent folder"
                                        </button>
                                    </li>
                                }
                            })
                            .into_any()
                    }}
                    <For each=folders key=move |name| join(&path(), name) children=entry />
                    <Show when=truncated><li class="faint">"More folders not shown. Type a path to open one."</li></Show>
                    <Show when=move || listing.with(|found| found.as_ref().is_some_and(|found| found.folders.is_empty()))>
                        <li class="faint">"No subfolders"</li>
                    </Show>
                </ul>
            </div>
        </fieldset>
    }
}

/// Moves focus between the entries of the list with the arrow keys.
fn move_list_focus(event: leptos::ev::KeyboardEvent) {
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

/// The folders along a path, each as its name and its whole path.
fn breadcrumbs(path: &str) -> Vec<(String, String)> {
    let mut crumbs = Vec::new();
    if path.starts_with('/') {
        crumbs.push(("/".to_owned(), "/".to_owned()));
    }
    let mut prefix = String::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if path.starts_with('/') || !prefix.is_empty() {
            prefix.push('/');
        }
        prefix.push_str(part);
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
        let crumbs = breadcrumbs("/home/ada");
        let pairs: Vec<(&str, &str)> =
            crumbs.iter().map(|(name, path)| (name.as_str(), path.as_str())).collect();
        assert_eq!(pairs, [("/", "/"), ("home", "/home"), ("ada", "/home/ada")]);
        assert!(breadcrumbs("").is_empty());
    }

    #[test]
    fn joining_to_the_root_adds_no_second_slash() {
        assert_eq!(join("/", "etc"), "/etc");
        assert_eq!(join("/etc", "ssl"), "/etc/ssl");
    }
}
