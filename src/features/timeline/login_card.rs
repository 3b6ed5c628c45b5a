//! The card of an agent that needs a login before it can work: its message and the ways to log in.

use leptos::prelude::*;
use pilothouse_core::protocol::{Login, LoginKind, LoginMethod, SessionCommand, SessionMetaStoreFields};
use web_sys::Element;

use crate::actions::{Actions, use_actions};
use crate::dom::build::{self, button, command_box, glyph, hand_built, outside_link, with_children};
use crate::dom::element::{append, clear, set, toggle_class, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::store::server::Session;
use crate::widgets::focus;
use crate::widgets::icon::Icon;
use crate::widgets::lazy_part;
use crate::widgets::lazy_part::lazy_part;
use crate::widgets::visible_text::visible_text;

/// The method of the login that is under way, and of the last one that failed with the reason.
#[derive(Clone, Copy, Default)]
struct Progress {
    method: RwSignal<Option<String>>,
    failed: RwSignal<Option<String>>,
    problem: RwSignal<Option<String>>,
}

pub fn login_card(session: Session) -> AnyView {
    let actions = use_actions();
    let progress = Progress::default();
    hand_built("contents", move |place| {
        let place = place.clone();
        render_effect(Box::new(move || {
            clear(&place);
            let Some(login) = session.meta.login().get() else { return };
            lazy_part::show(&place, card_builder, move |build, place| {
                build(place, actions, session, &login, progress);
            });
        }));
    })
}

lazy_part!(card_builder in asks: fn(&Element, Actions, Session, &Login, Progress) = build);

fn build(place: &Element, actions: Actions, session: Session, login: &Login, progress: Progress) {
    // Later news about the agent must not rebuild the card, which the user may be using.
    let agent = untrack(|| session.meta.agent().with(|agent| actions.server.agent_title(agent)));
    let title = format!("{agent} needs a login");
    let card = with_class("div", "ask login");
    for (name, value) in [("role", "group"), ("aria-label", &title), ("data-login", "")] {
        set(&card, name, value);
    }
    let kicker = with_children("p", "ask-kicker", &[&glyph(Icon::Plug)]);
    append(&kicker, &document().create_text_node("Login needed"));
    append(&card, &kicker);
    append(&card, &with_text("h2", "ask-title", &title));
    append(&card, &visible_text("div", "ask-message", &login.message));
    login.methods.iter().for_each(|method| append(&card, &way(actions, session, method, progress)));
    let retry = button("button", Some(Icon::Retry), "Try again", move || actions.retry(session));
    append(&card, &with_children("div", "ask-answers end", &[&retry]));
    append(place, &card);
}

/// One way to log in.
fn way(actions: Actions, session: Session, method: &LoginMethod, progress: Progress) -> Element {
    let way = with_children("div", "login-way", &[&visible_text("h3", "form-label", &method.name)]);
    set(&way, "data-login-method", &method.id);
    if !method.description.is_empty() {
        append(&way, &visible_text("p", "faint", &method.description));
    }
    match method.kind {
        LoginKind::Environment => {
            let names = with_class("p", "login-variables");
            method.variables.iter().for_each(|name| append(&names, &visible_text("code", "", name)));
            append(&way, &names);
            let words = "Set these where Pilothouse is started, then restart it.";
            append(&way, &with_text("p", "faint", words));
        }
        LoginKind::Terminal if method.command.is_empty() => {}
        LoginKind::Terminal => append(&way, &command_box(&method.command)),
        LoginKind::Agent => append(&way, &agent_login(actions, session, method.id.clone(), progress)),
    }
    if !method.link.is_empty() {
        append(&way, &outside_link("link", &method.link, "Open instructions"));
    }
    way
}

/// The button for a login that the agent does itself; while it is under way, the elapsed time and Cancel.
fn agent_login(actions: Actions, session: Session, id: String, progress: Progress) -> Element {
    let place = with_class("div", "");
    let shown = place.clone();
    render_effect(Box::new(move || {
        clear(&shown);
        let started = progress.method.get();
        if started.as_ref() == Some(&id) {
            let cancel = move || actions.send_command(&session.id(), SessionCommand::Abort);
            append(&shown, &build::progress("Logging in…", cancel));
            return;
        }
        let method = id.clone();
        let log_in = button("button primary", None, "Log in", move || {
            progress.failed.set(None);
            progress.method.set(Some(method.clone()));
            // The focused button is replaced by Cancel, and Cancel by the button of the login that failed.
            focus::focus_if_lost(".progress button");
            let method = method.clone();
            actions.log_in(session, method.clone(), move |error| {
                progress.problem.try_set(error);
                progress.failed.try_set(Some(method));
                progress.method.try_set(None);
                focus::focus_if_lost(".login-failed button");
            });
        });
        if started.is_some() {
            set(&log_in, "disabled", "");
        }
        append(&shown, &log_in);
        let has_failed = progress.failed.get().as_ref() == Some(&id);
        toggle_class(&shown, "login-failed", has_failed);
        if has_failed {
            let problem = with_text("p", "problem", &progress.problem.get_untracked().unwrap_or_default());
            set(&problem, "role", "alert");
            append(&shown, &problem);
        }
    }));
    place
}
