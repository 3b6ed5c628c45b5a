//! One session in the sidebar: elements made by hand, since there may be many, and one effect that keeps them true.
//! What a click on them does is in `session_list`.

use leptos::prelude::*;
use pilothouse_core::SessionState;
use pilothouse_core::protocol::SessionSummary;
use web_sys::Element;

use super::session_title::title_words;
use super::state_mark::{state_icon, state_words};
use crate::actions::Actions;
use crate::dom::element::{Changed, add, clear, mark, set, with_class, with_text};
use crate::dom::keyed_list::{Mounted, Mounting, follow};
use crate::routes;
use crate::routes::Route;
use crate::widgets::icon::Icon;
use crate::widgets::relative_time::relative_time;
use crate::widgets::rename_field::RenameField;

const ELSEWHERE: &str = "Another program is working here";
const UNREAD: &str = "Not seen yet";

/// All that a row says.
#[derive(Debug, PartialEq, Eq)]
struct Face {
    title: String,
    agent: String,
    state: SessionState,
    unread: bool,
    elsewhere: bool,
    current: bool,
    time: String,
}

impl Face {
    fn of(summary: &SessionSummary, actions: Actions) -> Self {
        let current = |route: &Route| matches!(route, Route::Session(open) if *open == summary.id);
        Self {
            title: title_words(summary),
            agent: summary.agent.clone(),
            state: summary.state,
            unread: summary.unread,
            elsewhere: summary.external_writer,
            current: actions.route.with(current),
            time: relative_time(summary.modified, actions.client.now.get()),
        }
    }

    fn draw(&self, link: &Element) {
        set(link, "data-state", self.state.name());
        mark(link, "data-unread", self.unread.then_some(""));
        mark(link, "aria-current", self.current.then_some("page"));
        let mut words = vec![self.title.as_str(), &self.agent, state_words(self.state)];
        words.extend(self.elsewhere.then_some(ELSEWHERE));
        words.extend(self.unread.then_some(UNREAD));
        set(link, "title", &words.join(" · "));
        clear(link);
        add(link, &state_mark(self.state));
        add(link, &with_text("span", "sidebar-title", &self.title));
        if self.elsewhere {
            add(link, &sign("sidebar-mark", Some(Icon::Globe), ELSEWHERE));
        }
        if self.unread {
            add(link, &sign("unread-dot", None, UNREAD));
        }
        add(link, &with_text("span", "sidebar-time", &self.time));
    }
}

/// Lives as long as the current owner.
pub fn build(actions: Actions, id: &str) -> Element {
    let item = with_class("li", "sidebar-item");
    let link = with_class("a", "sidebar-row");
    set(&link, "href", &routes::path_of(&Route::Session(id.to_owned())));
    set(&link, "data-session-id", id);
    let menu = with_class("button", "button icon-only quiet row-menu icon-before");
    for (name, value) in [
        ("type", "button"),
        ("data-icon", Icon::More.name()),
        ("aria-label", "Session menu"),
        ("title", "Session menu"),
        ("aria-haspopup", "menu"),
    ] {
        set(&menu, name, value);
    }
    add(&item, &link);
    add(&item, &menu);
    let (built, id) = (item.clone(), id.to_owned());
    let mut shown = Changed::default();
    let mounting = Mounting::here();
    let mut field = None::<Mounted>;
    follow(Box::new(move || {
        let summary = actions.server.summary(&id).unwrap_or_default();
        let face = Face::of(&summary, actions);
        if shown.as_ref() != Some(&face) {
            face.draw(&link);
            shown.differs(face);
        }
        let renaming = actions.client.renaming.with(|renaming| {
            renaming.as_ref().is_some_and(|renaming| renaming.in_sidebar && renaming.session_id == id)
        });
        if renaming == field.is_some() {
            return;
        }
        for part in [&link, &menu] {
            mark(part, "hidden", renaming.then_some(""));
        }
        match field.take() {
            Some(field) => field.place.remove(),
            None => {
                let place = with_class("div", "sidebar-rename");
                add(&item, &place);
                let (session_id, title) = (id.clone(), title_words(&summary));
                let view = move || view! { <RenameField session_id title /> }.into_any();
                field = Some(mounting.mount(place, view));
            }
        }
    }));
    built
}

fn state_mark(state: SessionState) -> Element {
    let mark = sign("state-mark", state_icon(state), state_words(state));
    set(&mark, "data-of", state.name());
    mark
}

/// A sign with words for those who do not see it.
fn sign(class: &str, icon: Option<Icon>, words: &str) -> Element {
    let sign = with_class("span", class);
    if let Some(icon) = icon {
        sign.set_class_name(&format!("{class} icon-before"));
        set(&sign, "data-icon", icon.name());
    }
    set(&sign, "role", "img");
    set(&sign, "aria-label", words);
    sign
}
