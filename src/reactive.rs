//! Memos and effects with boxed closures. Leptos compiles its reactive graph once per closure type; boxed,
//! the page is smaller (see ARCHITECTURE.md for the figures).

use leptos::prelude::*;

/// A memo: recomputed when its inputs change, notifies only when its value does.
pub fn memo<T>(compute: impl Fn() -> T + Send + Sync + 'static) -> Memo<T>
where
    T: PartialEq + Send + Sync + 'static,
{
    boxed_memo(Box::new(compute))
}

fn boxed_memo<T>(compute: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T>
where
    T: PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| compute())
}

/// An effect: runs after rendering, and again whenever a signal that it reads changes.
pub fn effect(run: impl FnMut() + 'static) {
    boxed_effect(Box::new(run));
}

fn boxed_effect(mut run: Box<dyn FnMut()>) {
    Effect::new(move |_| run());
}
