//! Questions and approvals that the agent asks for: the card of one ask, with its answer buttons or field.
//! Only an explicit answer counts as one.

pub mod key_answers;
pub mod tray;

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::conversation::ask::consent::Consent;
use pilothouse_core::conversation::ask::{Answer, Ask, AskKind};
use pilothouse_core::render::visible_text::visible_string;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use self::key_answers::consent_option;
use crate::actions::{Actions, use_actions};
use crate::browser;
use crate::reactive::{effect, memo};
use crate::store::client::AnswerDraft;
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
    /// Whether the card is in the tray of all sessions, where it takes no focus and has no shortcuts.
    #[prop(optional)]
    in_tray: bool,
) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(ask.id.clone());
    let session_id = StoredValue::new(session_id);
    let pending = actions.client.pending_answers;
    let sending = memo(move || {
        session_id.with_value(|session_id| id.with_value(|id| pending.is_sending(session_id, id)))
    });
    let problem =
        move || session_id.with_value(|session_id| id.with_value(|id| pending.problem(session_id, id)));
    let reply = move |answer: Answer| {
        send_answer(actions, session_id.get_value(), id.get_value(), answer, in_tray);
    };
    on_cleanup(move || pending.forget(&session_id.get_value(), &id.get_value()));
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
        AskKind::Permission | AskKind::Form => {
            view! { <DismissAnswer approval=ask.approval sending reply /> }.into_any()
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
            {ask.timeout_ms.map(|timeout| view! { <p class="ask-limit">{timeout_text(timeout, ask.approval)}</p> })}
            <p class="problem" role="alert">{problem}</p>
        </section>
    }
}

/// Sends the answer to an ask that is shown, unless one is being sent already.
pub fn send_answer(actions: Actions, session_id: String, ask_id: String, answer: Answer, in_tray: bool) {
    let pending = actions.client.pending_answers;
    if !pending.begin(&session_id, &ask_id) {
        return;
    }
    // The answer removes the card, and focus would be lost with it.
    if !in_tray && !browser::is_touch() {
        focus::focus(COMPOSER);
    }
    let draft = actions.client.answer_drafts.take(&session_id, &ask_id);
    actions.answer(&session_id.clone(), ask_id.clone(), answer, move |error| {
        if pending.refuse(&session_id, &ask_id, error) {
            draft.into_iter().for_each(AnswerDraft::restore);
        }
    });
}

fn timeout_text(milliseconds: u64, approval: bool) -> String {
    let consequence = if approval { " Expiry never counts as approval." } else { "" };
    format!("Expires {} after it was asked.{consequence}", duration(milliseconds))
}

/// The two buttons of a yes-or-no ask.
#[component]
fn ConfirmAnswer(
    /// Whether the ask is an approval rather than a question.
    approval: bool,
    /// Whether the card is in the tray of all sessions.
    in_tray: bool,
    /// Whether an answer is being sent, which disables the buttons.
    sending: Memo<bool>,
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
    sending: Memo<bool>,
    /// Sends the answer.
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let class = if ask.approval { "ask-answers spread" } else { "ask-answers options" };
    let (yes, no) = (consent_option(&ask, Consent::Yes), consent_option(&ask, Consent::No));
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
    sending: Memo<bool>,
    /// Sends the answer.
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let client = use_actions().client;
    let draft = client.answer_drafts.of(&session_id, &ask.id, &ask.prefill);
    let text = draft.text();
    let draft = StoredValue::new(draft);
    let write = move |value| draft.with_value(|draft| draft.set(value));
    let form = NodeRef::<html::Form>::new();
    let message_draft = client.drafts.of(&session_id);
    // Focus the answer field, unless the user is writing a message. On a touch screen, the on-screen keyboard
    // stays closed.
    effect(move || {
        let writing = !message_draft.with_untracked(String::is_empty);
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
                <button type="submit" class="button primary" disabled=sending>"Submit"</button>
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
    sending: Memo<bool>,
    /// Sends the answer.
    reply: impl Fn(Answer) + Copy + 'static,
) -> impl IntoView {
    let title = if approval {
        "Dismiss without answering (doesn't count as approval)"
    } else {
        "Dismiss without answering"
    };
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
