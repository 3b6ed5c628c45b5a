//! One session in the sidebar. Built from plain elements with one effect, because there may be hundreds of rows.
//! `session_list` handles the clicks.

use leptos::prelude::*;
use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::protocol::SessionSummary;
use web_sys::Element;

use super::session_label::{level_name, session_title, state_icon, state_text};
use crate::actions::Actions;
use crate::dom::build::with_children;
use crate::dom::element::{Changed, append, clear, set, toggle_attribute, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::routes;
use crate::routes::Route;
use crate::widgets::focus;
use crate::widgets::icon::Icon;
use crate::widgets::relative_time::relative_time;
use crate::widgets::rename_field::{NEXT_FOCUS, rename_field};

const EXTERNAL_WRITER: &str = "Running elsewhere";
const UNREAD: &str = "Unread";

/// Everything a row shows.
#[derive(Debug, PartialEq, Eq)]
struct RowContent {
    title: String,
    agent: String,
    state: SessionState,
    unread: bool,
    external_writer: bool,
    auto_approve: AutoApprove,
    current: bool,
    time: String,
    /// The agent is shown, because there are sessions of several.
    names_agent: bool,
}

impl RowContent {
    fn of(summary: &SessionSummary, actions: Actions) -> Self {
        let is_open = |route: &Route| route.session_id() == Some(summary.id.as_str());
        // An unfinished run of another program is not paused.
        let works = summary.external_writer && summary.state == SessionState::Paused;
        Self {
            title: session_title(summary),
            agent: actions.server.agent_title(&summary.agent),
            names_agent: actions.server.several_agents.get(),
            state: if works { SessionState::Streaming } else { summary.state },
            unread: summary.unread,
            external_writer: summary.external_writer,
            auto_approve: summary.auto_approve,
            current: actions.route.with(is_open),
            time: relative_time(summary.modified, actions.client.now.get()),
        }
    }

    fn render(&self, link: &Element) {
        set(link, "data-state", self.state.name());
        set(link, "data-auto-approve", level_name(self.auto_approve));
        toggle_attribute(link, "data-unread", self.unread.then_some(""));
        toggle_attribute(link, "aria-current", self.current.then_some("page"));
        let mut tooltip = vec![self.title.as_str(), &self.agent, state_text(self.state)];
        tooltip.extend(self.external_writer.then_some(EXTERNAL_WRITER));
        tooltip.extend(self.unread.then_some(UNREAD));
        let auto_approve = format!("Auto-approve: {}", self.auto_approve.label());
        tooltip.extend(self.auto_approve.is_on().then_some(auto_approve.as_str()));
        set(link, "title", &tooltip.join(" · "));
        clear(link);
        append(link, &state_icon_element(self.state));
        append(link, &with_text("span", "sidebar-title", &self.title));
        if self.external_writer {
            append(link, &labelled_icon("sidebar-mark", Some(Icon::Globe), EXTERNAL_WRITER));
        }
        if self.auto_approve.is_on() {
            append(link, &labelled_icon("sidebar-mark warning", Some(Icon::Shield), &auto_approve));
        }
        if self.unread {
            append(link, &labelled_icon("unread-dot", None, UNREAD));
        }
        if self.names_agent {
            append(link, &with_text("span", "sidebar-agent", &self.agent));
        }
        append(link, &with_text("span", "sidebar-time", &self.time));
    }
}

/// Builds the row of a session and updates it as long as the current owner lives.
pub fn build(actions: Actions, id: &str) -> Element {
    let item = with_class("li", "sidebar-item");
    let link = with_class("a", "sidebar-row");
    set(&link, "href", &routes::path_of(&Route::Session(id.to_owned())));
    set(&link, "data-session-id", id);
    let menu_button = with_class("button", "button icon-only quiet row-menu icon-before");
    for (name, value) in [
        ("type", "button"),
        ("data-icon", Icon::More.name()),
        ("aria-label", "Session menu"),
        ("title", "Session menu"),
        ("aria-haspopup", "menu"),
    ] {
        set(&menu_button, name, value);
    }
    append(&item, &link);
    append(&item, &menu_button);
    let (built, id) = (item.clone(), id.to_owned());
    let mut rendered = Changed::default();
    let mut renamed = None::<Element>;
    render_effect(Box::new(move || {
        let summary = actions.server.summary(&id).unwrap_or_default();
        let content = RowContent::of(&summary, actions);
        if rendered.as_ref() != Some(&content) {
            content.render(&link);
            rendered.update(content);
        }
        let renaming = actions.client.renaming.with(|renaming| {
            renaming.as_ref().is_some_and(|renaming| renaming.in_sidebar && renaming.session_id == id)
        });
        if renaming == renamed.is_some() {
            return;
        }
        for part in [&link, &menu_button] {
            toggle_attribute(part, "hidden", renaming.then_some(""));
        }
        match renamed.take() {
            Some(field) => {
                field.remove();
                focus::focus_if_lost(NEXT_FOCUS);
            }
            None => {
                let field = rename_field(actions, id.clone(), session_title(&summary));
                let place = with_children("div", "sidebar-rename", &[&field]);
                append(&item, &place);
                renamed = Some(place);
            }
        }
    }));
    built
}

fn state_icon_element(state: SessionState) -> Element {
    let icon = labelled_icon("state-mark", state_icon(state), state_text(state));
    set(&icon, "data-of", state.name());
    icon
}

/// An element that shows an icon or a dot, with a label for screen readers.
fn labelled_icon(class: &str, icon: Option<Icon>, label: &str) -> Element {
    let element = with_class("span", class);
    if let Some(icon) = icon {
        element.set_class_name(&format!("{class} icon-before"));
        set(&element, "data-icon", icon.name());
    }
    set(&element, "role", "img");
    set(&element, "aria-label", label);
    element
}
