//! Questions and approvals that the agent asks for: the card of one ask, with its answer buttons or field. Only an
//! explicit answer counts as one.

pub mod tray;

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::conversation::ask::consent::{Consent, only_option};
use pilothouse_core::conversation::ask::{Answer, Ask, AskKind};
use pilothouse_core::render::visible_text::visible_string;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlTextAreaElement};

use crate::actions::use_actions;
use crate::browser;
use crate::reactive::effect;
use crate::store::client::answer_drafts::AnswerDraft;
use crate::widgets::focus;
use crate::widgets::focus::COMPOSER;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::relative_time::duration;
use crate::widgets::visible_text::VisibleText;

/// One question or approval, with everything the user needs to answer it.
#[component]
pub fn AskCard(
    session_id: String,
    ask: Ask,
    /// Whether the card is in the tray of all sessions: there it leaves the focus and has no shortcuts.
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
        // The answer removes the card, and focus would be lost with it.
        if !in_tray && !browser::is_touch() {
            focus::focus(COMPOSER);
        }
        actions.answer(&session_id.get_value(), id.get_value(), answer, move |error| {
            // Another tab may have answered, which removes the card and disposes its signals.
            sending.try_set(false);
            problem.try_set(Some(error));
        });
    };
    // The first line of a title is the question; the rest is its exact subject, such as a command.
    let (title, subject) = match ask.title.split_once('\n') {
        Some((title, subject)) => (title.to_owned(), Some(subject.to_owned())),
        None => (ask.title.clone(), None),
    };
    let kicker = if ask.approval { "Approval needed" } else { "Question" };
    let message = (!ask.message.is_empty()).then(|| {
        let class = if ask.approval { "ask-message ask-exact" } else { "ask-message" };
        view! { <div class=class><VisibleText text=ask.message.clone() /></div> }
    });
    // The folder in which a command runs is part of what is approved.
    let folder = actions.server.summary(&session_id.get_value()).map(|summary| summary.cwd);
    let folder = folder.filter(|_| ask.approval).map(|folder| {
        view! { <p class="ask-place">"In " <code><VisibleText text=folder /></code></p> }
    });
    let answers = match ask.kind {
        AskKind::Confirm => {
            view! { <ConfirmAnswer approval=ask.approval in_tray sending reply /> }.into_any()
        }
        AskKind::Select => view! { <SelectAnswer ask=ask.clone() in_tray sending reply /> }.into_any(),
        AskKind::Input | AskKind::Editor => {
            view! { <TextAnswer session_id=session_id.get_value() ask=ask.clone() in_tray sending reply /> }
                .into_any()
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
            {subject.map(|subject| view! { <div class="ask-exact"><VisibleText text=subject /></div> })}
            {message}
            {folder}
            {answers}
            {ask.timeout_ms.map(|timeout| view! { <p class="ask-limit">{timeout_text(timeout)}</p> })}
            <p class="problem" role="alert">{move || problem.get()}</p>
        </section>
    }
}

fn timeout_text(milliseconds: u64) -> String {
    format!("Without an answer within {} of being asked it ends; that is not a yes.", duration(milliseconds))
}

/// The two buttons of a yes-or-no ask.
#[component]
fn ConfirmAnswer(
    /// Whether the ask is an approval rather than a question.
    approval: bool,
    /// Whether the card is in the tray of all sessions.
    in_tray: bool,
    /// Whether an answer is being sent, which disables the buttons.
    sending: RwSignal<bool>,
    /// Sends the answer.
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let (yes, no) = if approval { ("Approve", "Reject") } else { ("Yes", "No") };
    view! {
        <div class="ask-answers spread">
            <button type="button" class="button primary" data-answer="yes" title=keys_hint(in_tray, &["Alt+Y"]) disabled=sending on:click=move |_| reply(Answer::Confirm(true))>
                <Glyph icon=Icon::Check />
                {yes}
            </button>
            <button type="button" class="button" data-answer="no" title=keys_hint(in_tray, &["Alt+X"]) disabled=sending on:click=move |_| reply(Answer::Confirm(false))>
                <Glyph icon=Icon::Close />
                {no}
            </button>
        </div>
    }
}

/// The options of a multiple-choice ask, one button each.
#[component]
fn SelectAnswer(
    ask: Ask,
    /// Whether the card is in the tray of all sessions.
    in_tray: bool,
    /// Whether an answer is being sent, which disables the buttons.
    sending: RwSignal<bool>,
    /// Sends the answer.
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let class = if ask.approval { "ask-answers spread" } else { "ask-answers options" };
    // Only an unambiguous yes or no gets a shortcut, never a permanent approval.
    let unambiguous = |consent| only_option(&ask.options, consent).filter(|_| ask.approval);
    let (yes, no) = (unambiguous(Consent::Yes), unambiguous(Consent::No));
    let options = ask.options.into_iter().enumerate().map(|(index, option)| {
        let (class, answer, key, icon) = match Some(index) {
            index if index == yes => ("button option primary", Some("yes"), Some("Alt+Y"), Some(Icon::Check)),
            index if index == no => ("button option", Some("no"), Some("Alt+X"), Some(Icon::Close)),
            _ => ("button option", None, None, None),
        };
        let number = (index + 1).to_string();
        let number_key = (index < 9).then(|| format!("Alt+{number}"));
        let keys: Vec<&str> = key.into_iter().chain(number_key.as_deref()).collect();
        let title = keys_hint(in_tray, &keys);
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

/// A text field for a free-form answer: one line, or a multi-line editor.
#[component]
fn TextAnswer(
    session_id: String,
    ask: Ask,
    /// Whether the card is in the tray of all sessions.
    in_tray: bool,
    /// Whether an answer is being sent, which disables the buttons.
    sending: RwSignal<bool>,
    /// Sends the answer.
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let saved_draft = StoredValue::new(AnswerDraft::of(&session_id, &ask.id, &ask.prefill));
    let text = saved_draft.with_value(AnswerDraft::text);
    let write = move |value| saved_draft.with_value(|draft| draft.set(value));
    // Forget the saved draft while the answer is sent; save it again if sending fails.
    let mut was_sending = false;
    effect(move || {
        match (was_sending, sending.get()) {
            (false, true) => saved_draft.with_value(AnswerDraft::discard),
            (true, false) => saved_draft.with_value(AnswerDraft::save),
            _ => {}
        }
        was_sending = sending.get_untracked();
    });
    let form = NodeRef::<html::Form>::new();
    // Focus the answer field, unless the user is writing a message. On a touch screen, the on-screen keyboard stays closed.
    effect(move || {
        let writing = document()
            .query_selector(COMPOSER)
            .ok()
            .flatten()
            .is_some_and(|field| !field.unchecked_into::<HtmlTextAreaElement>().value().is_empty());
        if let Some(form) = form.get().filter(|_| !in_tray && !writing && !browser::is_touch())
            && let Ok(Some(field)) = form.query_selector("[name=answer]")
        {
            let _ = field.unchecked_into::<HtmlElement>().focus();
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
            node_ref=form
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

/// A button that closes the ask without an answer. Agents never take that as approval.
#[component]
fn DismissAnswer(
    /// Whether the ask is an approval rather than a question.
    approval: bool,
    /// Whether an answer is being sent, which disables the buttons.
    sending: RwSignal<bool>,
    /// Sends the answer.
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

/// The tooltip with a button's shortcuts. None in the tray: shortcuts answer only the open session.
fn keys_hint(in_tray: bool, keys: &[&str]) -> Option<String> {
    let text = || keys.join(" or ");
    (!in_tray && !keys.is_empty())
        .then(|| if browser::is_mac() { text().replace("Alt+", "⌥") } else { text() })
}
