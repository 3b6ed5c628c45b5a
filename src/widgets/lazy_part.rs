//! Parts of the page that are loaded when they are first shown. `lazy_part!` declares the function that builds one, and
//! `cargo xtask` moves the code that only this function uses into a file of its own. In all other builds, a part is an
//! ordinary function.

use std::pin::Pin;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Element;

use crate::browser;
use crate::dom::build::{button, hand_built, with_attributes, with_children};
use crate::dom::element::{append, clear, set, with_text};

pub use leptos::wasm_split::SplitLoaderError as LoadError;

/// Builds a loaded part in its place.
type Build = Box<dyn FnOnce(&Element)>;

/// Loads a part.
type Load = Rc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<Build, LoadError>>>>>;

/// Declares `async fn $name`, which returns the function `$build` once the file `$file` is loaded. Several parts may share
/// a file.
macro_rules! lazy_part {
    ($name:ident in $file:ident: $type:ty = $build:path) => {
        #[cfg(split)]
        #[leptos::wasm_split::wasm_split($file, wasm_split_path = leptos::wasm_split, fallible)]
        fn $name() -> Result<$type, $crate::widgets::lazy_part::LoadError> {
            Ok($build)
        }

        #[cfg(not(split))]
        async fn $name() -> Result<$type, $crate::widgets::lazy_part::LoadError> {
            Ok($build)
        }
    };
}
pub(crate) use lazy_part;

/// A view that consists of a part.
pub fn lazy_view<F>(load: fn() -> F) -> AnyView
where
    F: Future<Output = Result<fn(&Element), LoadError>> + 'static,
{
    hand_built("contents", move |place| show(place, load, |build, place| build(place)))
}

/// Loads a part and builds it in `place`, unless the current owner is cleaned up by then. If the part is loaded already, it
/// is shown in the same frame.
pub fn show<P, F>(place: &Element, load: fn() -> F, build: impl Fn(P, &Element) + 'static)
where
    P: 'static,
    F: Future<Output = Result<P, LoadError>> + 'static,
{
    let build = Rc::new(build);
    let load = move || {
        let build = build.clone();
        Box::pin(async move {
            let part = load().await?;
            Ok(Box::new(move |place: &Element| build(part, place)) as Build)
        }) as Pin<Box<dyn Future<Output = _>>>
    };
    show_boxed(place.clone(), Rc::new(load));
}

fn show_boxed(place: Element, load: Load) {
    let owner = Owner::current().unwrap_or_default();
    let alive = StoredValue::new(());
    let words = with_text("p", "faint", "Loading…");
    set(&words, "role", "status");
    append(&place, &words);
    spawn_local(async move {
        let part = load().await;
        if alive.try_get_value().is_none() {
            return;
        }
        words.remove();
        owner.clone().with(|| {
            untrack(|| match part {
                Ok(build) => build(&place),
                Err(_) => show_problem(place, owner, load),
            })
        });
    });
}

/// Says that the part could not be loaded. The files of an older page are gone after an update of the server.
fn show_problem(place: Element, owner: Owner, load: Load) {
    let text = "This part of the page could not be loaded. If Pilothouse was updated, reload the page.";
    let problem = with_attributes("p", &[("class", "problem"), ("role", "alert")]);
    problem.set_text_content(Some(text));
    let retried = place.clone();
    let retry = button("button", None, "Try again", move || {
        clear(&retried);
        owner.with(|| show_boxed(retried.clone(), load.clone()));
    });
    let reload = button("button", None, "Reload", browser::reload);
    append(&place, &problem);
    append(&place, &with_children("div", "ask-answers", &[&retry, &reload]));
}
