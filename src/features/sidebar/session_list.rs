//! The lists of sessions in the sidebar and in its search results, and the menu that all rows share.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::row;
use super::session_menu::session_menu_items;
use crate::actions::{Actions, use_actions};
use crate::dom::build::button;
use crate::dom::element::{append, toggle_child, with_class};
use crate::dom::keyed_list::{render_effect, render_keyed};
use crate::reactive::memo;
use crate::routes::Route;
use crate::store::sidebar::{SessionGroup, SidebarList, list_of};
use crate::widgets::popover;

/// A list of sessions. A long one shows its first entries and the open session, and a button for more. `lists` are all
/// lists of the sidebar; the list belongs to the current owner.
pub fn session_list(place: &Element, actions: Actions, lists: Memo<Vec<SidebarList>>, group: SessionGroup) {
    let limits = actions.client.list_limits;
    // A list that is shown again is short again.
    let own_group = group.clone();
    on_cleanup(move || limits.maybe_update(|limits| limits.reset(&own_group)));
    let group = StoredValue::new(group);
    let shown = memo(move || {
        let list = |group: &SessionGroup| lists.with(|lists| Some(list_of(lists, group)?.shown.clone()));
        group.with_value(list).unwrap_or_default()
    });
    let hidden = memo(move || {
        let list = |group: &SessionGroup| lists.with(|lists| Some(list_of(lists, group)?.hidden_count()));
        group.with_value(list).unwrap_or_default()
    });
    let list = with_class("ul", "");
    render_keyed(list.clone(), move || shown.get(), move |id| row::build(actions, id));
    append(place, &list);
    let show_more = move || limits.update(|limits| group.with_value(|group| limits.raise(group)));
    let more = button("button quiet more-sessions", None, "", show_more);
    let place = place.clone();
    render_effect(Box::new(move || {
        let count = hidden.get();
        more.set_text_content(Some(&format!("Show {count} more")));
        toggle_child(&place, &more, count > 0);
    }));
}

/// The container of all lists. Handles their clicks: opens the clicked session or its menu.
#[component]
pub fn SessionLists(children: Children) -> impl IntoView {
    let actions = use_actions();
    let menu = SharedMenu::new();
    let on_click = move |event: leptos::ev::MouseEvent| {
        let open_before = menu.open_on_pointerdown.try_update_value(Option::take).flatten();
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
            return;
        };
        let Some(session_id) = session_id_of_row(&target) else { return };
        let closest = |selector: &str| target.closest(selector).ok().flatten();
        if let Some(button) = closest(".row-menu") {
            menu.toggle(&button.unchecked_into(), session_id, open_before);
        } else if closest("a.sidebar-row").is_some() && !opens_new_tab(&event) {
            event.prevent_default();
            actions.navigate_to(Route::Session(session_id));
        }
    };
    let items = move || {
        let id = menu.session_id.get();
        id.map(|id| session_menu_items(id, true))
    };
    view! {
        <div class="sidebar-list" on:click=on_click on:pointerdown=move |_| menu.note_open()>
            {children()}
        </div>
        <div
            node_ref=menu.panel
            class="popover menu"
            popover="auto"
            role="menu"
            aria-label="Session menu"
            on:toggle=move |event| menu.on_toggle(&event)
            on:keydown=popover::move_menu_focus
        >
            {items}
        </div>
    }
}

/// The menu that all rows share, so that a row costs only a button.
#[derive(Clone, Copy)]
struct SharedMenu {
    panel: NodeRef<html::Div>,
    /// The button that opened the menu.
    button: StoredValue<Option<HtmlElement>, LocalStorage>,
    /// The session whose menu is open.
    session_id: RwSignal<Option<String>>,
    /// The session whose menu was open at `pointerdown`: the browser closes the menu before `click` fires.
    open_on_pointerdown: StoredValue<Option<String>>,
}

impl SharedMenu {
    fn new() -> Self {
        Self {
            panel: NodeRef::new(),
            button: StoredValue::new_local(None),
            session_id: RwSignal::default(),
            open_on_pointerdown: StoredValue::default(),
        }
    }

    fn note_open(self) {
        self.open_on_pointerdown.set_value(self.session_id.get_untracked());
    }

    /// Opens the menu of a row, unless the click was to close it.
    fn toggle(self, button: &HtmlElement, session_id: String, open_before: Option<String>) {
        let was_open = open_before.as_ref() == Some(&session_id);
        let Some(panel) = self.panel.get_untracked().filter(|_| !was_open) else { return };
        let _ = panel.hide_popover();
        // A popover that closes and reopens at once fires no `toggle` for closing.
        self.reset_button();
        popover::position_beside(button, &panel);
        let _ = button.set_attribute("aria-expanded", "true");
        self.button.set_value(Some(button.clone()));
        self.session_id.set(Some(session_id));
        let _ = panel.show_popover();
    }

    fn on_toggle(self, event: &leptos::ev::Event) {
        if !popover::focus_if_opened(event) {
            self.session_id.set(None);
            self.reset_button();
        }
    }

    fn reset_button(self) {
        if let Some(button) = self.button.try_update_value(Option::take).flatten() {
            let _ = button.remove_attribute("aria-expanded");
        }
    }
}

/// The id of the session whose row contains the clicked element.
fn session_id_of_row(target: &Element) -> Option<String> {
    let row = target.closest(".sidebar-item").ok().flatten()?;
    row.query_selector("[data-session-id]").ok().flatten()?.get_attribute("data-session-id")
}

/// Whether a click on a link asks the browser for a new tab or window.
pub fn opens_new_tab(event: &leptos::ev::MouseEvent) -> bool {
    event.ctrl_key() || event.meta_key() || event.shift_key() || event.button() != 0
}
