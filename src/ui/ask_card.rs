//! What the agent asks of the person: an approval or a question. Only an explicit answer is one.

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::ask::{Answer, Ask, AskKind};
use pilothouse_core::visible_text::visible_string;

use wasm_bindgen::JsCast;

use super::dynamic::{clicked, effect, entered, live, submitted};
use super::icon::{Glyph, Icon};
use super::relative_time::duration;
use super::visible_text::VisibleText;
use crate::actions::use_actions;
use crate::browser;

#[component]
pub fn AskCard(
    session_id: String,
    ask: Ask,
    /// Beside others: it does not take the keyboard.
    #[prop(optional)]
    in_tray: bool,
) -> impl IntoView {
    let actions = use_actions();
    let sending = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let id = StoredValue::new(ask.id.clone());
    let session_id = StoredValue::new(session_id);
    let reply = move |answer: Answer| {
        if sending.get_untracked() {
            return;
        }
        sending.set(true);
        problem.set(None);
        if !in_tray {
            focus_composer();
        }
        actions.answer(&session_id.get_value(), id.get_value(), answer, move |error| {
            // The card may be gone by now: answered in another tab.
            sending.try_set(false);
            problem.try_set(Some(error));
        });
    };
    // A title of several lines is a question and what exactly it is about.
    let (title, exact) = match ask.title.split_once('\n') {
        Some((title, exact)) => (title.to_owned(), Some(exact.to_owned())),
        None => (ask.title.clone(), None),
    };
    let kicker = if ask.approval { "Approval needed" } else { "Question" };
    let message = (!ask.message.is_empty()).then(|| {
        let class = if ask.approval { "ask-message ask-exact" } else { "ask-message" };
        view! { <div class=class><VisibleText text=ask.message.clone() /></div> }
    });
    // Where a command runs is part of what is approved.
    let folder = actions.server.summary(&session_id.get_value()).map(|summary| summary.cwd);
    let place = folder.filter(|_| ask.approval).map(|folder| {
        view! { <p class="ask-place">"In " <code><VisibleText text=folder /></code></p> }
    });
    let body = match ask.kind {
        AskKind::Confirm => view! { <ConfirmAnswer approval=ask.approval sending reply /> }.into_any(),
        AskKind::Select => {
            view! { <SelectAnswer options=ask.options.clone() approval=ask.approval sending reply /> }
                .into_any()
        }
        AskKind::Input | AskKind::Editor => {
            view! { <TextAnswer ask=ask.clone() in_tray sending reply /> }.into_any()
        }
    };
    view! {
        <section
            class="ask"
            role="group"
            aria-label=format!("{kicker}: {}", visible_string(&ask.title))
            data-ask-id=ask.id.clone()
            data-ask-kind=ask.kind.name()
        >
            <p class="ask-kicker"><Glyph icon=Icon::Question /> {kicker}</p>
            <h2 class="ask-title"><VisibleText text=title /></h2>
            {exact.map(|exact| view! { <div class="ask-exact"><VisibleText text=exact /></div> })}
            {message}
            {place}
            {body}
            {ask.timeout_ms.map(|limit| view! { <p class="ask-limit">{limit_words(limit)}</p> })}
            <p class="problem" role="alert">{live(move || problem.get())}</p>
        </section>
    }
}

fn limit_words(milliseconds: u64) -> String {
    format!("Without an answer it ends after {}; that is not a yes.", duration(milliseconds))
}

/// The card goes with its answer: the keyboard must not be lost with it.
fn focus_composer() {
    if let Ok(Some(field)) = document().query_selector("textarea[name=prompt]")
        && !browser::is_touch()
    {
        let _ = field.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}

#[component]
fn ConfirmAnswer(
    approval: bool,
    sending: RwSignal<bool>,
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let (yes, no) = if approval { ("Approve", "Reject") } else { ("Yes", "No") };
    view! {
        <div class="ask-answers spread">
            <button type="button" class="button primary" data-answer="yes" title="Alt+Y" disabled=sending on:click=clicked(move |_| reply(Answer::Confirm(true)))>
                <Glyph icon=Icon::Check />
                {yes}
            </button>
            <button type="button" class="button" data-answer="no" title="Alt+X" disabled=sending on:click=clicked(move |_| reply(Answer::Confirm(false)))>
                <Glyph icon=Icon::Close />
                {no}
            </button>
        </div>
    }
}

#[component]
fn SelectAnswer(
    options: Vec<String>,
    approval: bool,
    sending: RwSignal<bool>,
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let class = if approval { "ask-answers spread" } else { "ask-answers options" };
    let options = options.into_iter().zip(1..).map(|(option, number)| {
        let choice = option.clone();
        view! {
            <button type="button" class="button option" data-choice=number.to_string() title=format!("Alt+{number}") disabled=sending on:click=clicked(move |_| reply(Answer::Choose(choice.clone())))>
                <VisibleText text=option />
            </button>
        }
    });
    view! {
        <div class=class>{options.collect_view()}</div>
        <div class="ask-answers end"><CancelAnswer sending reply /></div>
    }
}

#[component]
fn TextAnswer(
    ask: Ask,
    in_tray: bool,
    sending: RwSignal<bool>,
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let text = RwSignal::new(ask.prefill.clone());
    let place = NodeRef::<html::Form>::new();
    // The question is what comes next, unless something is being written. On a phone the keyboard stays down.
    effect(move || {
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
                on:input=entered(move |value| text.set(value))
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
                on:input=entered(move |value| text.set(value))
            />
        }
        .into_any()
    };
    view! {
        <form
            node_ref=place
            on:submit=submitted(send)
        >
            {field}
            <div class="ask-answers spread">
                <button type="submit" class="button primary" disabled=sending>"Answer"</button>
                <CancelAnswer sending reply />
            </div>
        </form>
    }
}

#[component]
fn CancelAnswer(sending: RwSignal<bool>, reply: impl Fn(Answer) + Copy + 'static) -> impl IntoView {
    view! {
        <button type="button" class="button quiet" disabled=sending on:click=clicked(move |_| reply(Answer::Cancel))>
            "Cancel"
        </button>
    }
}
