//! The card of an agent that needs a login before it can work: its message and the ways to log in.

use leptos::prelude::*;
use pilothouse_core::protocol::{LoginKind, LoginMethod, SessionCommand, SessionMetaStoreFields};
use web_sys::Element;

use crate::actions::{Actions, use_actions};
use crate::dom::build::{
    button, command_box, elapsed_seconds, glyph, hand_built, outside_link, with_attributes, with_children,
};
use crate::dom::element::{append, clear, set, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::store::server::Session;
use crate::widgets::icon::Icon;
use crate::widgets::visible_text::visible_text;

/// The login that the user has started, and why the last one failed.
#[derive(Clone, Copy, Default)]
struct Progress {
    method: RwSignal<Option<String>>,
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
            let agent = session.meta.agent().with(|agent| actions.server.agent_title(agent));
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
            append(&place, &card);
        }));
    })
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
    let place = with_class("div", "login-progress");
    let shown = place.clone();
    render_effect(Box::new(move || {
        clear(&shown);
        let started = progress.method.get();
        if started.as_ref() == Some(&id) {
            let words = with_attributes("span", &[("role", "status")]);
            append(&shown, &glyph(Icon::Spinner));
            append(&shown, &words);
            let cancel = move || actions.send_command(&session.id(), SessionCommand::Abort);
            append(&shown, &button("button", None, "Cancel", cancel));
            let seconds = elapsed_seconds();
            render_effect(Box::new(move || {
                words.set_text_content(Some(&format!("Logging in… {} s", seconds.get())));
            }));
            return;
        }
        let method = id.clone();
        let log_in = button("button primary", None, "Log in", move || {
            progress.problem.set(None);
            progress.method.set(Some(method.clone()));
            actions.log_in(session, method.clone(), move |error| {
                progress.method.try_set(None);
                progress.problem.try_set(error);
            });
        });
        if started.is_some() {
            set(&log_in, "disabled", "");
        }
        append(&shown, &log_in);
        let problem = with_text("p", "problem", &progress.problem.get().unwrap_or_default());
        set(&problem, "role", "alert");
        append(&shown, &problem);
    }));
    place
}
