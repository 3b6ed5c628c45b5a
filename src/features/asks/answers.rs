//! The buttons and fields with which a question is answered, by its kind, and the keys that press them.

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::conversation::ask::consent::{Consent, only_option};
use pilothouse_core::conversation::ask::{Answer, Ask, AskKind};
use pilothouse_core::render::visible_text::visible_string;
use wasm_bindgen::JsCast;

use crate::browser;
use crate::store::client::answer_drafts::HalfAnswer;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::visible_text::VisibleText;

/// The keys that press a button. Those of the tray have none: the keys are for the session that is looked at.
fn keys_words(in_tray: bool, keys: &[&str]) -> Option<String> {
    let words = || keys.join(" or ");
    (!in_tray && !keys.is_empty())
        .then(|| if browser::is_mac() { words().replace("Alt+", "⌥") } else { words() })
}

#[component]
pub fn ConfirmAnswer(
    approval: bool,
    in_tray: bool,
    sending: RwSignal<bool>,
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let (yes, no) = if approval { ("Approve", "Reject") } else { ("Yes", "No") };
    view! {
        <div class="ask-answers spread">
            <button type="button" class="button primary" data-answer="yes" title=keys_words(in_tray, &["Alt+Y"]) disabled=sending on:click=move |_| reply(Answer::Confirm(true))>
                <Glyph icon=Icon::Check />
                {yes}
            </button>
            <button type="button" class="button" data-answer="no" title=keys_words(in_tray, &["Alt+X"]) disabled=sending on:click=move |_| reply(Answer::Confirm(false))>
                <Glyph icon=Icon::Close />
                {no}
            </button>
        </div>
    }
}

#[component]
pub fn SelectAnswer(
    ask: Ask,
    in_tray: bool,
    sending: RwSignal<bool>,
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let class = if ask.approval { "ask-answers spread" } else { "ask-answers options" };
    // Only what is certain has a key: never the yes that means always.
    let certain = |consent| only_option(&ask.options, consent).filter(|_| ask.approval);
    let (yes, no) = (certain(Consent::Yes), certain(Consent::No));
    let options = ask.options.into_iter().enumerate().map(|(index, option)| {
        let (class, answer, key, icon) = match Some(index) {
            here if here == yes => ("button option primary", Some("yes"), Some("Alt+Y"), Some(Icon::Check)),
            here if here == no => ("button option", Some("no"), Some("Alt+X"), Some(Icon::Close)),
            _ => ("button option", None, None, None),
        };
        let number = (index + 1).to_string();
        let by_number = (index < 9).then(|| format!("Alt+{number}"));
        let keys: Vec<&str> = key.into_iter().chain(by_number.as_deref()).collect();
        let title = keys_words(in_tray, &keys);
        let choice = option.clone();
        view! {
            <button type="button" class=class data-choice=number data-answer=answer title=title disabled=sending on:click=move |_| reply(Answer::Choose(choice.clone()))>
                {icon.map(|icon| view! { <Glyph icon /> })}
                <VisibleText text=option />
            </button>
        }
    });
    view! {
        <div class=class>{options.collect_view()}</div>
        <div class="ask-answers end"><DismissAnswer approval=ask.approval sending reply /></div>
    }
}

#[component]
pub fn TextAnswer(
    session_id: String,
    ask: Ask,
    in_tray: bool,
    sending: RwSignal<bool>,
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let half = StoredValue::new(HalfAnswer::of(&session_id, &ask.id, &ask.prefill));
    let text = half.with_value(HalfAnswer::text);
    let write = move |value| half.with_value(|half| half.write(value));
    // What could not be sent is still to be.
    let mut was_sending = false;
    Effect::new(move |_| {
        match (was_sending, sending.get()) {
            (false, true) => half.with_value(HalfAnswer::forget),
            (true, false) => half.with_value(HalfAnswer::keep),
            _ => {}
        }
        was_sending = sending.get_untracked();
    });
    let place = NodeRef::<html::Form>::new();
    // The question is what comes next, unless something is being written. On a phone the keyboard stays down.
    Effect::new(move |_| {
        let writing =
            document().query_selector("textarea[name=prompt]").ok().flatten().is_some_and(|field| {
                !field.unchecked_into::<web_sys::HtmlTextAreaElement>().value().is_empty()
            });
        if let Some(form) = place.get().filter(|_| !in_tray && !writing && !browser::is_touch())
            && let Ok(Some(field)) = form.query_selector("[name=answer]")
        {
            let _ = field.unchecked_into::<web_sys::HtmlElement>().focus();
        }
    });
    let send = move || reply(Answer::Text(text.get_untracked()));
    let field = if ask.kind == AskKind::Editor {
        view! {
            <textarea
                class="ask-field"
                name="answer"
                rows="6"
                aria-label=visible_string(&ask.title)
                placeholder=visible_string(&ask.placeholder)
                prop:value=text
                on:input:target=move |event| write(event.target().value())
            ></textarea>
        }
        .into_any()
    } else {
        view! {
            <input
                class="ask-field"
                name="answer"
                type="text"
                autocomplete="off"
                aria-label=visible_string(&ask.title)
                placeholder=visible_string(&ask.placeholder)
                prop:value=text
                on:input:target=move |event| write(event.target().value())
            />
        }
        .into_any()
    };
    view! {
        <form
            node_ref=place
            on:submit=move |event: leptos::ev::SubmitEvent| { event.prevent_default(); send() }
        >
            {field}
            <div class="ask-answers spread">
                <button type="submit" class="button primary" disabled=sending>"Answer"</button>
                <DismissAnswer approval=false sending reply />
            </div>
        </form>
    }
}

/// The agent is told that there is no answer; none takes that for a yes.
#[component]
fn DismissAnswer(
    approval: bool,
    sending: RwSignal<bool>,
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let title =
        if approval { "Dismiss without an answer, which is not a yes" } else { "Dismiss without an answer" };
    view! {
        <button type="button" class="button quiet" title=title disabled=sending on:click=move |_| reply(Answer::Cancel)>
            "Dismiss"
        </button>
    }
}
