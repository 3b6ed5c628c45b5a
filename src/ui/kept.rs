//! Lists of elements made by hand. What stays in the list stays where it stands; each element lives, with all that
//! follows the state for its sake, as long as it is listed.

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};

/// Keeps the children of a place true to a list, at once and from now on, as long as the current owner lives.
pub fn keep<K: PartialEq + Clone + 'static>(
    place: Element,
    list: impl Fn() -> Vec<K> + 'static,
    build: impl Fn(&K) -> Element + 'static,
) {
    // Not the effect's own, which lives only until it runs again.
    let owner = Owner::current().unwrap_or_default();
    let mut kept = Kept { place, built: Vec::new() };
    follow(Box::new(move || {
        let list = list();
        owner.with(|| untrack(|| kept.show(&list, &build)));
    }));
}

/// Shows something at once, and again whenever what is read meanwhile has changed, as long as the current owner lives.
/// Of one type for all: the framework builds its part anew for every other.
pub fn follow(mut show: Box<dyn FnMut()>) {
    let effect = RenderEffect::new(move |_| show());
    on_cleanup(move || drop(effect));
}

struct Kept<K> {
    place: Element,
    built: Vec<Built<K>>,
}

struct Built<K> {
    key: K,
    element: Element,
    owner: Owner,
}

impl<K> Drop for Built<K> {
    fn drop(&mut self) {
        self.owner.cleanup();
    }
}

impl<K: PartialEq + Clone> Kept<K> {
    fn show(&mut self, list: &[K], build: impl Fn(&K) -> Element) {
        self.built.retain(|built| {
            let stays = list.contains(&built.key);
            // Only here: what goes with its place need not be taken out of it one by one.
            if !stays {
                built.element.remove();
            }
            stays
        });
        for (index, key) in list.iter().enumerate() {
            let place = self.built.iter().skip(index).position(|built| built.key == *key);
            let built = match place {
                Some(0) => continue,
                Some(further) => self.built.remove(index + further),
                None => {
                    let owner = Owner::new();
                    let element = owner.with(|| build(key));
                    Built { key: key.clone(), element, owner }
                }
            };
            let next = self.built.get(index).map(|built| built.element.clone().into()).or_else(|| self.end());
            let _ = self.place.insert_before(&built.element, next.as_ref());
            self.built.insert(index, built);
        }
    }
}

impl<K> Kept<K> {
    /// The framework may keep a marker of its own behind everything.
    fn end(&self) -> Option<Node> {
        self.place.last_child().filter(|last| last.node_type() == Node::COMMENT_NODE)
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
