//! What the agent asks of the person: an approval or a question. Only an explicit answer is one.

mod answers;
pub mod tray;

use leptos::prelude::*;
use pilothouse_core::conversation::ask::{Answer, Ask, AskKind};
use pilothouse_core::render::visible_text::visible_string;

use wasm_bindgen::JsCast;

use self::answers::{ConfirmAnswer, SelectAnswer, TextAnswer};
use crate::actions::use_actions;
use crate::browser;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::relative_time::duration;
use crate::widgets::visible_text::VisibleText;

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
            {exact.map(|exact| view! { <div class="ask-exact"><VisibleText text=exact /></div> })}
            {message}
            {place}
            {body}
            {ask.timeout_ms.map(|limit| view! { <p class="ask-limit">{limit_words(limit)}</p> })}
            <p class="problem" role="alert">{move || problem.get()}</p>
        </section>
    }
}

fn limit_words(milliseconds: u64) -> String {
    format!("Without an answer within {} of being asked it ends; that is not a yes.", duration(milliseconds))
}

/// The card goes with its answer: the keyboard must not be lost with it.
fn focus_composer() {
    if let Ok(Some(field)) = document().query_selector("textarea[name=prompt]")
        && !browser::is_touch()
    {
        let _ = field.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}
