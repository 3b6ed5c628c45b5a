//! Lists of elements made by hand. What stays in the list stays where it stands; each element lives, with all that
//! follows the state for its sake, as long as it is listed.

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Keeps the children of a place true to a list, at once and from now on, as long as the current owner lives.
pub fn keep<K: PartialEq + 'static>(
    place: Element,
    list: impl Fn() -> Vec<K> + 'static,
    build: impl Fn(&K) -> Element + 'static,
) {
    // Not the effect's own, which lives only until it runs again.
    let owner = Owner::current().unwrap_or_default();
    let mut kept = KeyedList { place, built: Vec::new() };
    let mut keys = Vec::new();
    follow(Box::new(move || {
        let list = list();
        let before = |key: &K| keys.iter().position(|known| known == key);
        let places = list.iter().map(before).collect();
        owner.with(|| untrack(|| kept.show(places, &|index| build(&list[index]))));
        keys = list;
    }));
}

/// Shows something at once, and again whenever what is read meanwhile has changed, as long as the current owner lives.
/// Of one type for all: the framework builds its part anew for every other.
pub fn follow(mut show: Box<dyn FnMut()>) {
    let effect = RenderEffect::new(move |_| show());
    on_cleanup(move || drop(effect));
}

/// Knows nothing of what is listed, so that there is one of it for all lists.
struct KeyedList {
    place: Element,
    built: Vec<Built>,
}

struct Built {
    element: Element,
    owner: Owner,
}

impl Drop for Built {
    fn drop(&mut self) {
        self.owner.cleanup();
    }
}

impl KeyedList {
    /// For each of the list, where it stood before, if it did.
    fn show(&mut self, places: Vec<Option<usize>>, build: &dyn Fn(usize) -> Element) {
        let mut before: Vec<_> = self.built.drain(..).map(Some).collect();
        let known = |place: Option<usize>| before.get_mut(place?)?.take();
        let stays: Vec<_> = places.into_iter().map(known).collect();
        // Only here: what goes with its place need not be taken out of it one by one.
        for gone in before.into_iter().flatten() {
            gone.element.remove();
        }
        let mut next = self.place.first_child();
        for (index, built) in stays.into_iter().enumerate() {
            let built = built.unwrap_or_else(|| {
                let owner = Owner::new();
                Built { element: owner.with(|| build(index)), owner }
            });
            match &next {
                Some(node) if node.is_same_node(Some(&built.element)) => next = node.next_sibling(),
                // The framework may keep a marker of its own behind everything.
                _ => drop(self.place.insert_before(&built.element, next.as_ref())),
            }
            self.built.push(built);
        }
    }
}

/// Puts reactive views into elements made by hand. Made where the element is built: in an effect a view would live only
/// until that runs again.
pub struct Mounting(Owner);

/// A reactive view in an element made by hand; it goes with this.
pub struct Mounted {
    pub place: Element,
    _view: UnmountHandle<AnyViewState>,
}

impl Mounting {
    pub fn here() -> Self {
        Self(Owner::current().unwrap_or_default())
    }

    pub fn mount(&self, place: Element, view: impl FnOnce() -> AnyView + 'static) -> Mounted {
        let element = place.clone().unchecked_into::<HtmlElement>();
        Mounted { place, _view: self.0.with(|| untrack(|| mount_to(element, view))) }
    }
}
