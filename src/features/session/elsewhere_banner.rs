//! The banner while another program works in the session, or has it open: what it does, and the three choices.

use leptos::prelude::*;
use pilothouse_core::SessionState;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::render::visible_text::visible_string;
use web_sys::Element;

use crate::actions::elsewhere::program_name;
use crate::actions::use_actions;
use crate::browser;
use crate::dom::build::{button, elapsed_seconds, glyph, rebuilt, with_attributes, with_children};
use crate::dom::element::{append, clear, set, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::reactive::memo;
use crate::store::server::Session;
use crate::widgets::icon::Icon;
use crate::widgets::lazy_part;
use crate::widgets::lazy_part::lazy_part;
use crate::widgets::relative_time::time_ago;

pub fn elsewhere_banner(session: Session) -> AnyView {
    let is_elsewhere = memo(move || session.meta.external_writer().get());
    rebuilt("contents", move |place| {
        if is_elsewhere.get() {
            lazy_part::show(place, banner_builder, move |build, place| build(place, session));
        }
    })
}

lazy_part!(banner_builder in elsewhere: fn(&Element, Session) = build_banner);

fn build_banner(place: &Element, session: Session) {
    let actions = use_actions();
    let place = place.clone();
    let draft = actions.client.drafts.of(&session.id());
    let has_text = memo(move || draft.with(|draft| !draft.trim().is_empty()));
    let held = memo(move || actions.is_held(&session.id()));
    render_effect(Box::new(move || {
        clear(&place);
        let program = session.meta.external_program().get();
        let works = session.meta.state().get() == SessionState::Paused;
        let words = with_attributes("span", &[("class", "elsewhere-words"), ("role", "status")]);
        append(&words, &with_text("strong", "", "Running elsewhere"));
        let said = program_name(program.as_ref());
        append(&words, &with_text("span", "", &format!(" · {said}")));
        if let Some(program) = program {
            append(&words, &with_text("span", "", &format!(" · {}", visible_string(&program.activity))));
            let time = with_attributes("span", &[("aria-hidden", "true")]);
            let (shown, seconds) = (time.clone(), elapsed_seconds());
            render_effect(Box::new(move || {
                seconds.track();
                shown.set_text_content(Some(&format!(" · {}", ago(program.since, browser::now()))));
            }));
            append(&words, &time);
        }
        let id = session.id();
        let waiting = with_class("div", "elsewhere-choices");
        if held.get() {
            let note = "Your message is sent when it has finished.";
            append(&waiting, &with_text("span", "elsewhere-held", note));
            append(
                &waiting,
                &button("button quiet", None, "Don't send", move || actions.release_message(&id)),
            );
        } else if works && has_text.get() {
            let wait = button("button quiet", None, "Wait", move || actions.hold_message(&id));
            set(&wait, "title", "Send the message when the other program has finished");
            append(&waiting, &wait);
        }
        if session.meta.capabilities().with(|can| can.fork) {
            let fork =
                button("button quiet", Some(Icon::Fork), "Fork here", move || actions.fork_here(session));
            set(&fork, "title", "Continue in a new session with the same conversation");
            append(&waiting, &fork);
        }
        append(
            &waiting,
            &button("button quiet", None, "Take over", move || actions.confirm_take_over(session)),
        );
        let banner = with_children("div", "beside elsewhere", &[&glyph(Icon::Globe), &words, &waiting]);
        append(&place, &banner);
    }));
}

/// The time since the program last wrote, in seconds for the first minute.
fn ago(then: u64, now: f64) -> String {
    match (now - then as f64) / 1_000.0 {
        seconds if (0.0..60.0).contains(&seconds) => format!("{} s ago", seconds as u64),
        _ => time_ago(then, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_minute_is_counted_in_seconds() {
        assert_eq!(ago(1_000, 13_900.0), "12 s ago");
        assert_eq!(ago(0, 60_000.0), "1m ago");
        assert_eq!(ago(9_000, 1_000.0), "just now", "a clock that is behind");
    }
}
