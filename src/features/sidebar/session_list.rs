//! Sessions under one another, as the sidebar and its search show them, and the one menu that all of them share.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::row;
use super::session_menu::SessionMenuItems;
use crate::actions::use_actions;
use crate::dom::keyed_list::keep;
use crate::routes::Route;
use crate::widgets::popover;

/// So many stand there at first, and so many more with each wish.
const FIRST: usize = 12;
const MORE: usize = 50;

/// Of a long list the newest, and the one that is open.
#[component]
pub fn SessionList(#[prop(into)] ids: Signal<Vec<String>>) -> impl IntoView {
    let actions = use_actions();
    let most = RwSignal::new(FIRST);
    let open = Memo::new(move |_| match actions.route.get() {
        Route::Session(id) => id,
        Route::New => String::new(),
    });
    let shown = Memo::new(move |_| {
        let (most, open) = (most.get(), open.get());
        ids.with(|ids| {
            let fits = |(index, id): &(usize, &String)| *index < most || **id == open;
            ids.iter().enumerate().filter(fits).map(|(_, id)| id.clone()).collect::<Vec<String>>()
        })
    });
    let hidden = Memo::new(move |_| ids.with(Vec::len) - shown.with(Vec::len));
    let owner = Owner::current().unwrap_or_default();
    let begin = move |place: Element| {
        owner.with(|| keep(place, move || shown.get(), move |id| row::build(actions, id)));
    };
    view! {
        <ul use:begin></ul>
        <Show when=move || { hidden.get() > 0 }>
            <button type="button" class="button quiet more-sessions" on:click=move |_| most.update(|most| *most += MORE)>
                {move || format!("{} more", hidden.get())}
            </button>
        </Show>
    }
}

/// Around all lists: goes to the session that is clicked, or opens its menu.
#[component]
pub fn SessionLists(children: Children) -> impl IntoView {
    let actions = use_actions();
    let menu = SharedMenu::new();
    let act = move |event: leptos::ev::MouseEvent| {
        let was_open = menu.before.try_update_value(Option::take).flatten();
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
            return;
        };
        let closest = |selector: &str| target.closest(selector).ok().flatten();
        if let Some(button) = closest(".row-menu") {
            menu.toggle(&button.unchecked_into(), was_open);
        } else if let Some(link) = closest("a.sidebar-row")
            && !opens_elsewhere(&event)
        {
            event.prevent_default();
            actions.go(Route::Session(id_of(&link)));
        }
    };
    let items = move || {
        let id = menu.chosen.get();
        id.map(|id| view! { <SessionMenuItems id in_sidebar=true /> }.into_any())
    };
    view! {
        <div class="sidebar-list" on:click=act on:pointerdown=move |_| menu.remember()>
            {children()}
        </div>
        <div
            node_ref=menu.panel
            class="popover menu"
            popover="auto"
            role="menu"
            aria-label="Session menu"
            on:toggle=move |event| menu.toggled(&event)
            on:keydown=popover::move_focus
        >
            {items}
        </div>
    }
}

/// One menu for all sessions of the sidebar: a row has only its button.
#[derive(Clone, Copy)]
struct SharedMenu {
    panel: NodeRef<html::Div>,
    button: StoredValue<Option<HtmlElement>, LocalStorage>,
    /// Whose menu is open.
    chosen: RwSignal<Option<String>>,
    /// Whose was, when the pointer went down: the browser closes it before the click is told.
    before: StoredValue<Option<String>>,
}

impl SharedMenu {
    fn new() -> Self {
        Self {
            panel: NodeRef::new(),
            button: StoredValue::new_local(None),
            chosen: RwSignal::default(),
            before: StoredValue::default(),
        }
    }

    fn remember(self) {
        self.before.set_value(self.chosen.get_untracked());
    }

    fn toggle(self, button: &HtmlElement, was_open: Option<String>) {
        let id = button.previous_element_sibling().map(|link| id_of(&link));
        let Some(panel) = self.panel.get_untracked().filter(|_| was_open != id) else { return };
        let _ = panel.hide_popover();
        // Of one that closes and opens at once nobody is told that it closed.
        self.has_closed();
        popover::put_beside(button, &panel);
        let _ = button.set_attribute("aria-expanded", "true");
        self.button.set_value(Some(button.clone()));
        self.chosen.set(id);
        let _ = panel.show_popover();
    }

    fn toggled(self, event: &leptos::ev::Event) {
        if !popover::has_opened(event) {
            self.chosen.set(None);
            self.has_closed();
        }
    }

    fn has_closed(self) {
        if let Some(button) = self.button.try_update_value(Option::take).flatten() {
            let _ = button.remove_attribute("aria-expanded");
        }
    }
}

fn id_of(link: &Element) -> String {
    link.get_attribute("data-session-id").unwrap_or_default()
}

/// The person asked the browser for a new tab or window.
pub fn opens_elsewhere(event: &leptos::ev::MouseEvent) -> bool {
    event.ctrl_key() || event.meta_key() || event.shift_key() || event.button() != 0
}
