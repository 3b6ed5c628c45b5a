//! Keyed lists of hand-built elements. Elements whose key stays in the list are
//! neither moved nor rebuilt. Each element has its own reactive owner, which is cleaned up when its key leaves the list.

use leptos::prelude::*;
use web_sys::Element;

/// Renders one child of `parent` per key, and updates the children whenever `keys` changes. Stops when the current owner
/// is cleaned up.
pub fn render_keyed<K: PartialEq + 'static>(
    parent: Element,
    keys: impl Fn() -> Vec<K> + 'static,
    build: impl Fn(&K) -> Element + 'static,
) {
    // Items belong to this owner: the effect's own owner is cleaned up on every run.
    let owner = Owner::current().unwrap_or_default();
    let mut list = KeyedList { parent, items: Vec::new() };
    let mut rendered = Vec::new();
    render_effect(Box::new(move || {
        let keys = keys();
        let previous_index = |key: &K| rendered.iter().position(|known| known == key);
        let previous = keys.iter().map(previous_index).collect();
        owner.with(|| untrack(|| list.update(previous, &|index| build(&keys[index]))));
        rendered = keys;
    }));
}

/// Runs `render` now and again whenever a signal that it reads changes, until the current owner is cleaned up.
///
/// The closure is boxed because Leptos compiles the effect once per closure type, which would add to the size of the
/// page.
pub fn render_effect(mut render: Box<dyn FnMut()>) {
    let effect = RenderEffect::new(move |_| render());
    on_cleanup(move || drop(effect));
}

/// The part of a keyed list that does not depend on the key's type, so that it is compiled once.
struct KeyedList {
    parent: Element,
    items: Vec<ListItem>,
}

struct ListItem {
    element: Element,
    owner: Owner,
}

impl Drop for ListItem {
    fn drop(&mut self) {
        self.owner.cleanup();
    }
}

impl KeyedList {
    /// Updates the children. `previous` holds, per new item, the index that it had before, or `None` for a new key.
    fn update(&mut self, previous: Vec<Option<usize>>, build: &dyn Fn(usize) -> Element) {
        let mut old: Vec<_> = self.items.drain(..).map(Some).collect();
        let take = |index: Option<usize>| old.get_mut(index?)?.take();
        let reused: Vec<_> = previous.into_iter().map(take).collect();
        // Not in `Drop`: when the whole list goes, its elements go with their parent.
        for removed in old.into_iter().flatten() {
            removed.element.remove();
        }
        let mut next = self.parent.first_child();
        for (index, item) in reused.into_iter().enumerate() {
            let item = item.unwrap_or_else(|| {
                let owner = Owner::new();
                ListItem { element: owner.with(|| build(index)), owner }
            });
            match &next {
                Some(node) if node.is_same_node(Some(&item.element)) => next = node.next_sibling(),
                // Inserts before `next` instead of appending: Leptos may keep a marker node at the end.
                _ => drop(self.parent.insert_before(&item.element, next.as_ref())),
            }
            self.items.push(item);
        }
    }
}
