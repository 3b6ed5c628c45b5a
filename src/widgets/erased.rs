//! What changes on the page, behind one type for each kind of value. For every closure type it meets the framework
//! builds its rendering anew; boxed here, it builds it once, and the page is a good part smaller. No look of anything
//! lives here.

use std::sync::{Arc, Mutex};

use leptos::ev::{Event, MouseEvent, SubmitEvent};
use leptos::prelude::*;

type Live<T> = Arc<Mutex<dyn FnMut() -> T + Send>>;
type Handler<E> = Box<dyn FnMut(E)>;

/// A text, an attribute or a view that is read again when what it reads has changed.
pub fn live<T: 'static>(read: impl FnMut() -> T + Send + 'static) -> Live<T> {
    Arc::new(Mutex::new(read))
}

/// What is made of other values. Who reads it runs again only when it has become another.
pub fn memo<T>(read: impl Fn() -> T + Send + Sync + 'static) -> Memo<T>
where
    T: PartialEq + Send + Sync + 'static,
{
    memo_of(Box::new(read))
}

// A closure is of another type for every type its function is generic over: hence the functions of boxes.
fn memo_of<T>(read: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T>
where
    T: PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| read())
}

/// Runs once the page stands there, and again when what it reads has changed.
pub fn effect(run: impl FnMut() + 'static) {
    effect_of(Box::new(run));
}

fn effect_of(mut run: Box<dyn FnMut()>) {
    Effect::new(move |_| run());
}

pub fn clicked(handle: impl FnMut(MouseEvent) + 'static) -> Handler<MouseEvent> {
    Box::new(handle)
}

/// What a field holds after each change of it.
pub fn entered(mut handle: impl FnMut(String) + 'static) -> Handler<Event> {
    Box::new(move |event: Event| handle(event_target_value(&event)))
}

/// The page sends no form itself.
pub fn submitted(mut handle: impl FnMut() + 'static) -> Handler<SubmitEvent> {
    Box::new(move |event: SubmitEvent| {
        event.prevent_default();
        handle();
    })
}

/// Its children, as long as a condition holds. The framework's own `Show`, but of one type.
#[component]
pub fn When(
    #[prop(into)] when: Signal<bool>,
    #[prop(optional, into)] fallback: ViewFn,
    children: ChildrenFn,
) -> impl IntoView {
    let holds = ArcMemo::new(move |_| when.get());
    live(move || if holds.get() { children() } else { fallback.run() })
}

struct Item {
    key: String,
    build: Box<dyn FnOnce() -> AnyView + Send>,
}

/// A list in which what stands there stays as long as its key does.
pub fn list<T: Send + 'static>(
    each: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> String + Send + 'static,
    build: impl Fn(T) -> AnyView + Clone + Send + 'static,
) -> AnyView {
    list_of_items(Box::new(move || {
        let item = |value| {
            let (key, build) = (key(&value), build.clone());
            Item { key, build: Box::new(move || build(value)) }
        };
        each().into_iter().map(item).collect()
    }))
}

fn list_of_items(items: Box<dyn Fn() -> Vec<Item> + Send>) -> AnyView {
    view! { <For each=items key=|item| item.key.clone() children=|item: Item| (item.build)() /> }.into_any()
}
