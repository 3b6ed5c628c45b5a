//! Questions and approvals that the agent asks for: the card of one ask, with its answer buttons or fields.
//! Only an explicit answer counts as one.

mod form_answer;
pub mod key_answers;
pub mod reading;
mod subject;
pub mod tray;

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use pilothouse_core::conversation::ask::consent::Consent;
use pilothouse_core::conversation::ask::{Answer, Ask, AskKind};
use pilothouse_core::protocol::{SessionCommand, SessionMetaStoreFields};
use pilothouse_core::render::visible_text::visible_string;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use self::key_answers::displayed_choices;
use crate::actions::{Actions, use_actions};
use crate::browser;
use crate::dom::build::{
    button, event_value, glyph, hand_built, on, outside_link, set_value, with_attributes, with_children,
};
use crate::dom::element::{append, set, toggle_attribute, toggle_child, with_class, with_text};
use crate::dom::keyed_list::{render_effect, render_keyed};
use crate::reactive::effect;
use crate::store::client::{AnswerDraft, PendingAnswers};
use crate::store::server::Session;
use crate::widgets::focus;
use crate::widgets::focus::COMPOSER;
use crate::widgets::icon::Icon;
use crate::widgets::lazy_part;
use crate::widgets::lazy_part::lazy_part;
use crate::widgets::relative_time::duration;
use crate::widgets::visible_text::visible_text;

/// The card of one ask.
struct Card {
    actions: Actions,
    session_id: String,
    ask: Ask,
    /// Whether the card is in the tray of all sessions, where it takes no focus and has no shortcuts.
    in_tray: bool,
    /// The buttons that may let the agent act.
    approving: RefCell<Vec<(Element, Answer)>>,
}

/// The cards of a session's asks in the timeline.
pub fn ask_cards(session: Session) -> AnyView {
    let actions = use_actions();
    hand_built("contents", move |place| {
        let asks = move || session.meta.asks().get();
        render_keyed(place.clone(), asks, move |ask| ask_card(actions, session.id(), ask.clone(), false));
    })
}

/// One question or approval, with everything the user needs to answer it.
fn ask_card(actions: Actions, session_id: String, ask: Ask, in_tray: bool) -> Element {
    let place = with_class("div", "ask");
    let card = Rc::new(Card { actions, session_id, ask, in_tray, approving: RefCell::default() });
    lazy_part::show(&place, card_builder, move |build, place| build(&card, place));
    place
}

/// Loads the cards before an agent asks: the connection may be lost by then.
pub fn preload() {
    spawn_local(async {
        let _ = card_builder().await;
    });
}

lazy_part!(card_builder in asks: fn(&Rc<Card>, &Element) = build);

fn build(card: &Rc<Card>, place: &Element) {
    let ask = &card.ask;
    let kicker = if ask.approval { "Approval needed" } else { "Question" };
    let label = format!("{kicker}: {}", visible_string(&ask.title));
    for (name, value) in [
        ("role", "group"),
        ("aria-label", &label),
        ("data-ask-id", &ask.id),
        ("data-ask-kind", ask.kind.name()),
    ] {
        set(place, name, value);
    }
    let kicker_line = with_children("p", "ask-kicker", &[&glyph(Icon::Question)]);
    append(&kicker_line, &document().create_text_node(kicker));
    append(place, &kicker_line);
    let folder = card.actions.server.summary(&card.session_id).map(|summary| summary.cwd);
    let parts = subject::append_to(place, ask, &folder.unwrap_or_default());
    append(place, &answers(card));
    if ask.approval {
        watch_reading(card, place, &parts);
    }
    if let Some(timeout) = ask.timeout_ms {
        append(place, &with_text("p", "ask-limit", &timeout_text(timeout, ask.approval)));
    }
    let problem = with_attributes("p", &[("class", "problem"), ("role", "alert")]);
    append(place, &problem);
    let (place, pending, own) = (place.clone(), card.actions.client.pending_answers, card.clone());
    render_effect(Box::new(move || {
        let shown = |read: fn(&PendingAnswers, &str, &str) -> Option<String>| {
            read(&pending, &own.session_id, &own.ask.id)
        };
        let sending = pending.is_sending(&own.session_id, &own.ask.id);
        problem.set_text_content(shown(PendingAnswers::problem).as_deref());
        if let Ok(buttons) = place.query_selector_all("button") {
            let buttons = (0..buttons.length()).filter_map(|index| buttons.item(index));
            buttons.for_each(|button| {
                toggle_attribute(button.unchecked_ref(), "disabled", sending.then_some(""));
            });
        }
        own.approving.borrow().iter().for_each(|(button, answer)| {
            let enabled = !sending && own.may_send(answer);
            toggle_attribute(button, "disabled", (!enabled).then_some(""));
        });
    }));
    let (session_id, id) = (card.session_id.clone(), ask.id.clone());
    on_cleanup(move || pending.forget(&session_id, &id));
}

impl Card {
    fn reply(&self, answer: Answer) {
        send_answer(self.actions, self.session_id.clone(), &self.ask, answer, self.in_tray);
    }

    /// Whether the user has seen what this answer is about. Tracked.
    fn may_send(&self, answer: &Answer) -> bool {
        self.actions.client.read_asks.allow(&self.session_id, &self.ask, answer)
    }

    /// The draft of the answer, which starts with `prefill`.
    fn draft(&self, prefill: &str) -> AnswerDraft {
        self.actions.client.answer_drafts.of(&self.session_id, &self.ask.id, prefill)
    }

    /// Focuses an answer field, unless the user is writing a message. On a touch screen, the on-screen keyboard
    /// stays closed.
    fn focus(&self, field: &Element) {
        let message_draft = self.actions.client.drafts.of(&self.session_id);
        let (field, in_tray) = (field.clone(), self.in_tray);
        effect(move || {
            let writing = !message_draft.with_untracked(String::is_empty);
            if !in_tray && !writing && !browser::is_touch() {
                let _ = field.unchecked_ref::<HtmlElement>().focus();
            }
        });
    }
}

/// Allows approving once everything has been in view, and says so as long as it has not.
fn watch_reading(card: &Rc<Card>, place: &Element, parts: &[Element]) {
    let is_cut = card.ask.left_out > 0;
    let why = if is_cut {
        "Too large to be shown completely, so it can only be rejected."
    } else {
        "Scroll to the end to approve."
    };
    let unread = with_text("p", "ask-limit", why);
    let (place, card) = (place.clone(), card.clone());
    reading::watch(parts, move |read| {
        toggle_child(&place, &unread, is_cut || !read);
        if read && !is_cut {
            card.actions.client.read_asks.add(&card.session_id, &card.ask);
        }
    });
}

/// Sends the answer to an ask that is shown, unless one is being sent already or the user has not seen everything.
pub fn send_answer(actions: Actions, session_id: String, ask: &Ask, answer: Answer, in_tray: bool) {
    let (pending, ask_id) = (actions.client.pending_answers, ask.id.clone());
    let may_send = untrack(|| actions.client.read_asks.allow(&session_id, ask, &answer));
    if !may_send || !pending.begin(&session_id, &ask_id) {
        return;
    }
    // The answer removes the card, and focus would be lost with it.
    if !in_tray && !browser::is_touch() {
        focus::focus(COMPOSER);
    }
    let draft = actions.client.answer_drafts.take(&session_id, &ask_id);
    actions.answer(&session_id.clone(), SessionCommand::answer(ask, answer), move |error| {
        if pending.refuse(&session_id, &ask_id, error) {
            draft.into_iter().for_each(AnswerDraft::restore);
        }
    });
}

fn timeout_text(milliseconds: u64, approval: bool) -> String {
    let consequence = if approval { " Expiry never counts as approval." } else { "" };
    format!("Expires {} after it was asked.{consequence}", duration(milliseconds))
}

/// The buttons or fields of the answer.
fn answers(card: &Rc<Card>) -> Element {
    let ask = &card.ask;
    let with_answer =
        |(index, (name, answer)): (usize, (&str, Answer))| answer_button(card, name, answer, Some(index + 1));
    let buttons: Vec<Element> = match ask.kind {
        AskKind::Confirm => {
            let (yes, no) = match (ask.url.is_empty(), ask.approval) {
                (false, _) => ("Done", "Decline"),
                (_, true) => ("Approve", "Reject"),
                (_, false) => ("Yes", "No"),
            };
            let buttons = [(yes, true), (no, false)];
            buttons.map(|(name, yes)| answer_button(card, name, Answer::Confirm(yes), None)).into()
        }
        AskKind::Select => {
            let options = ask.options.iter().map(|option| (option.as_str(), Answer::Choose(option.clone())));
            options.enumerate().map(with_answer).collect()
        }
        AskKind::Permission => return permission_answers(card),
        AskKind::Input | AskKind::Editor => return text_answer(card),
        AskKind::Form => return form_answer::build(card),
    };
    let spread = ask.approval || ask.kind == AskKind::Confirm;
    let row = with_class("div", if spread { "ask-answers spread" } else { "ask-answers options" });
    buttons.iter().for_each(|button| append(&row, button));
    if ask.kind == AskKind::Confirm {
        return row;
    }
    let end = with_children("div", "ask-answers end", &[&dismiss_button(card)]);
    with_children("div", "", &[&row, &end])
}

/// The buttons of a permission: yes and no far apart, and below them everything that approves or rejects more.
fn permission_answers(card: &Rc<Card>) -> Element {
    let main = with_class("div", "ask-answers spread");
    let others = with_class("div", "ask-answers others");
    for (index, (choice, is_main)) in displayed_choices(&card.ask).into_iter().enumerate() {
        let button = answer_button(card, &choice.name, Answer::Choose(choice.id.clone()), Some(index + 1));
        if choice.is_lasting_unsaid() {
            append(&button, &with_text("span", "ask-always", "Always"));
        }
        append(if is_main { &main } else { &others }, &button);
    }
    append(&others, &dismiss_button(card));
    with_children("div", "", &[&main, &others])
}

/// A button for one of several answers, styled by its meaning. `number` is its place in a list of answers.
fn answer_button(card: &Rc<Card>, name: &str, answer: Answer, number: Option<usize>) -> Element {
    let ask = &card.ask;
    let (yes, no) = match &answer {
        Answer::Confirm(yes) => (*yes, !*yes),
        // Only an unambiguous answer, never a lasting one, has this meaning for a key.
        answer => [Consent::Yes, Consent::No]
            .map(|consent| ask.only_answer(consent).as_ref() == Some(answer))
            .into(),
    };
    let means = |consent| match &answer {
        Answer::Choose(choice) => ask.approval && ask.consent_of(choice) == Some(consent),
        _ => false,
    };
    let primary = if yes || means(Consent::Yes) { " primary" } else { "" };
    let class = format!("button{}{primary}", if number.is_some() { " option" } else { "" });
    let icon = match () {
        () if !primary.is_empty() => Some(Icon::Check),
        () if no || means(Consent::No) => Some(Icon::Close),
        () => None,
    };
    let reply = card.clone();
    let meaning = if yes { Some(("yes", "Alt+Y")) } else { no.then_some(("no", "Alt+X")) };
    let label = visible_text("span", "", name);
    let sent = answer.clone();
    let button = button(&class, icon, "", move || reply.reply(sent.clone()));
    append(&button, &label);
    if ask.may_be_approved_by(&answer) {
        card.approving.borrow_mut().push((button.clone(), answer));
    }
    let mut keys = Vec::new();
    if let Some((meaning, key)) = meaning {
        set(&button, "data-answer", meaning);
        keys.push(key.to_owned());
    }
    // Printed in the button by the style sheet.
    if let Some(number) = number.filter(|number| *number < 10) {
        set(&button, "data-choice", &number.to_string());
        keys.push(format!("Alt+{number}"));
    }
    // Shortcuts answer only the open session.
    if !card.in_tray && !keys.is_empty() {
        set(&button, "aria-keyshortcuts", &keys.join(" "));
        let keys = keys.join(" or ");
        set(&button, "title", &if browser::is_mac() { keys.replace("Alt+", "⌥") } else { keys });
    }
    button
}

/// A text field for a free-form answer: one line, or a multi-line editor.
fn text_answer(card: &Rc<Card>) -> Element {
    let ask = &card.ask;
    let draft = card.draft(&ask.prefill);
    let text = draft.text();
    let field = match ask.kind {
        AskKind::Editor => with_attributes("textarea", &[("rows", "6")]),
        _ => with_attributes("input", &[("type", "text"), ("autocomplete", "off")]),
    };
    for (name, value) in [
        ("class", "ask-field"),
        ("name", "answer"),
        ("aria-label", &visible_string(&ask.title)),
        ("placeholder", &visible_string(&ask.placeholder)),
    ] {
        set(&field, name, value);
    }
    let shown = field.clone();
    render_effect(Box::new(move || text.with(|text| set_value(&shown, text))));
    on(&field, "input", move |event| draft.set(event_value(&event)));
    card.focus(&field);
    let reply = card.clone();
    answer_form(card, &[&field], move || reply.reply(Answer::Text(text.get_untracked())))
}

/// A form with fields and the buttons Submit, Dismiss, and Decline if the agent distinguishes it.
fn answer_form(card: &Rc<Card>, fields: &[&Element], submit: impl Fn() + 'static) -> Element {
    let form = with_children("form", "", fields);
    // The page validates the fields itself and shows errors next to them.
    set(&form, "novalidate", "");
    let send = with_text("button", "button primary", "Submit");
    set(&send, "type", "submit");
    let others = with_class("div", "ask-answers end");
    if card.ask.kind == AskKind::Form {
        let decline = card.clone();
        append(&others, &button("button", None, "Decline", move || decline.reply(Answer::Confirm(false))));
    }
    append(&others, &dismiss_button(card));
    append(&form, &with_children("div", "ask-answers spread", &[&send, &others]));
    on(&form, "submit", move |event| {
        event.prevent_default();
        submit();
    });
    form
}

/// A button that closes the ask without an answer. Agents never take that as approval.
fn dismiss_button(card: &Rc<Card>) -> Element {
    let title = if card.ask.approval {
        "Dismiss without answering (doesn't count as approval)"
    } else {
        "Dismiss without answering"
    };
    let reply = card.clone();
    let button = button("button quiet", None, "Dismiss", move || reply.reply(Answer::Cancel));
    set(&button, "title", title);
    button
}
