//! The lists of sessions in the sidebar and in its search results, and the menu that all rows share.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::row;
use super::session_menu::SessionMenuItems;
use crate::actions::use_actions;
use crate::dom::keyed_list::render_keyed;
use crate::reactive::memo;
use crate::routes::Route;
use crate::widgets::popover;

/// How many sessions a list shows at first.
const INITIAL_COUNT: usize = 12;

/// How many more each click on "more" shows.
const MORE_COUNT: usize = 50;

/// A list of sessions. A long one shows its first entries and the open session, and a button for more.
#[component]
pub fn SessionList(
    /// The ids of the sessions, newest first.
    #[prop(into)]
    ids: Signal<Vec<String>>,
) -> impl IntoView {
    let actions = use_actions();
    let limit = RwSignal::new(INITIAL_COUNT);
    let open = memo(move || match actions.route.get() {
        Route::Session(id) => id,
        Route::New => String::new(),
    });
    let shown = memo(move || {
        let (limit, open) = (limit.get(), open.get());
        ids.with(|ids| {
            let is_shown = |(index, id): &(usize, &String)| *index < limit || **id == open;
            ids.iter().enumerate().filter(is_shown).map(|(_, id)| id.clone()).collect::<Vec<String>>()
        })
    });
    let hidden = memo(move || ids.with(Vec::len) - shown.with(Vec::len));
    let owner = Owner::current().unwrap_or_default();
    let fill = move |list: Element| {
        owner.with(|| render_keyed(list, move || shown.get(), move |id| row::build(actions, id)));
    };
    view! {
        <ul use:fill></ul>
        <Show when=move || { hidden.get() > 0 }>
            <button type="button" class="button quiet more-sessions" on:click=move |_| limit.update(|limit| *limit += MORE_COUNT)>
                {move || format!("{} more", hidden.get())}
            </button>
        </Show>
    }
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
        let closest = |selector: &str| target.closest(selector).ok().flatten();
        if let Some(button) = closest(".row-menu") {
            menu.toggle(&button.unchecked_into(), open_before);
        } else if let Some(link) = closest("a.sidebar-row")
            && !opens_new_tab(&event)
        {
            event.prevent_default();
            actions.go(Route::Session(session_id_of(&link)));
        }
    };
    let items = move || {
        let id = menu.session_id.get();
        id.map(|id| view! { <SessionMenuItems id in_sidebar=true /> }.into_any())
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
    fn toggle(self, button: &HtmlElement, open_before: Option<String>) {
        let session_id = button.previous_element_sibling().map(|link| session_id_of(&link));
        let Some(panel) = self.panel.get_untracked().filter(|_| open_before != session_id) else { return };
        let _ = panel.hide_popover();
        // A popover that closes and reopens at once fires no `toggle` for closing.
        self.reset_button();
        popover::position_beside(button, &panel);
        let _ = button.set_attribute("aria-expanded", "true");
        self.button.set_value(Some(button.clone()));
        self.session_id.set(session_id);
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

fn session_id_of(link: &Element) -> String {
    link.get_attribute("data-session-id").unwrap_or_default()
}

/// Whether a click on a link asks the browser for a new tab or window.
pub fn opens_new_tab(event: &leptos::ev::MouseEvent) -> bool {
    event.ctrl_key() || event.meta_key() || event.shift_key() || event.button() != 0
}
