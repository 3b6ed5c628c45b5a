//! The settings: theme, contrast, notifications and sound, and the dialog with the lists of devices and approvals. Applies
//! the theme to the document.

mod approvals;
mod devices;

use leptos::prelude::*;
use web_sys::Element;

use super::notifications::request_permission;
use crate::actions::{Actions, use_actions};
use crate::dom::build;
use crate::dom::build::{button, hand_built, icon_button, with_attributes, with_children};
use crate::dom::element::{append, set, toggle_attribute, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::reactive::effect;
use crate::store::client::{SettingsPanel, Theme};
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::lazy_part;
use crate::widgets::lazy_part::lazy_part;
use crate::widgets::popover::{Popover, close_popover};

/// The settings button of the sidebar with its popover.
#[component]
pub fn Settings() -> impl IntoView {
    let actions = use_actions();
    let face = || view! { <Glyph icon=Icon::Settings /> };
    view! {
        <Popover label="Settings" class="button icon-only quiet" face=face.into() panel_class="menu settings" role="dialog">
            {hand_built("contents", move |place| {
                lazy_part::show(place, panel_builder, move |build, place| build(place, actions));
            })}
        </Popover>
    }
}

lazy_part!(panel_builder in preferences: fn(&Element, Actions) = build_panel);

fn build_panel(place: &Element, actions: Actions) {
    let preferences = actions.client.preferences;
    let themes =
        with_attributes("div", &[("class", "settings-row"), ("role", "group"), ("aria-label", "Theme")]);
    for theme in Theme::ALL {
        let label = match theme {
            Theme::System => "System",
            Theme::Light => "Light",
            Theme::Dark => "Dark",
        };
        let choice = button("button quiet", None, label, move || preferences.theme.set(theme));
        append(&themes, &choice);
        render_effect(Box::new(move || {
            set(&choice, "aria-pressed", if preferences.theme.get() == theme { "true" } else { "false" });
        }));
    }
    let switch = |label, on: RwSignal<bool>| {
        append(place, &build::switch(label, move || on.get(), move || on.update(|on| *on = !*on)));
    };
    let line = || append(place, &with_class("hr", "menu-line"));
    append(place, &themes);
    switch("High contrast", preferences.contrast);
    line();
    let denied = "Notifications are blocked. Allow them in your browser's site settings.";
    let denied = with_text("p", "menu-words", denied);
    set(&denied, "hidden", "");
    let shown = denied.clone();
    let toggle_notify = move || {
        if preferences.notify.get_untracked() {
            return preferences.notify.set(false);
        }
        let shown = shown.clone();
        request_permission(move |allowed| {
            preferences.notify.set(allowed);
            toggle_attribute(&shown, "hidden", allowed.then_some(""));
        });
    };
    let label = "Notifications while this tab is hidden";
    append(place, &build::switch(label, move || preferences.notify.get(), toggle_notify));
    append(place, &denied);
    switch("Notification sound", preferences.sound);
    line();
    for (icon, label, panel) in [
        (Icon::Shield, "Devices…", SettingsPanel::Devices),
        (Icon::Check, "Approvals…", SettingsPanel::Approvals),
    ] {
        let open = button("menu-item", Some(icon), label, move || {
            close_popover();
            actions.client.settings_panel.set(Some(panel));
        });
        append(place, &open);
    }
    let help = button("menu-item", Some(Icon::Question), "Keyboard shortcuts", move || {
        close_popover();
        actions.client.help.set(true);
    });
    append(place, &help);
}

/// The dialog with a list that is too long for the popover.
#[component]
pub fn SettingsDialog() -> impl IntoView {
    let actions = use_actions();
    let panel = actions.client.settings_panel;
    let open = Signal::derive(move || panel.get().is_some());
    let close = Callback::new(move |()| panel.set(None));
    view! {
        <Dialog open close class="confirm settings-panel" label="Settings">
            {move || panel.get().map(|panel| settings_panel(actions, panel))}
        </Dialog>
    }
}

lazy_part!(list_builder in settings: fn(&Element, SettingsPanel) = build_list);

/// A list below its title and the button that closes the dialog.
fn settings_panel(actions: Actions, panel: SettingsPanel) -> AnyView {
    let title = match panel {
        SettingsPanel::Devices => "Devices",
        SettingsPanel::Approvals => "Approvals",
    };
    hand_built("contents", move |place| {
        let list = with_class("div", "contents");
        append(place, &panel_head(title, actions));
        append(place, &list);
        lazy_part::show(&list, list_builder, move |build, place| build(place, panel));
    })
}

fn build_list(place: &Element, panel: SettingsPanel) {
    match panel {
        SettingsPanel::Devices => devices::build(place),
        SettingsPanel::Approvals => approvals::build(place),
    }
}

fn panel_head(title: &str, actions: Actions) -> Element {
    let close = icon_button("button icon-only quiet", Icon::Close, "Close", move || {
        actions.client.settings_panel.set(None);
    });
    with_children("div", "settings-head", &[&with_text("h2", "confirm-title", title), &close])
}

/// Saves the preferences when they change, and applies the theme to the document.
pub fn apply_preferences() {
    let preferences = use_actions().client.preferences;
    preferences.persist();
    effect(move || apply_theme(preferences.theme.get(), preferences.contrast.get()));
}

fn apply_theme(theme: Theme, contrast: bool) {
    let Some(root) = document().document_element() else { return };
    // `index.html` has applied the stored theme already.
    let chosen = (theme != Theme::System).then(|| theme.name());
    if root.get_attribute("data-theme").as_deref() != chosen {
        let _ = match chosen {
            None => root.remove_attribute("data-theme"),
            Some(name) => root.set_attribute("data-theme", name),
        };
        apply_theme_color(theme);
    }
    let _ = match contrast {
        true => root.set_attribute("data-contrast", "more"),
        false => root.remove_attribute("data-contrast"),
    };
}

/// Selects the `theme-color` of the page, with which the browser colours its own bars.
fn apply_theme_color(theme: Theme) {
    for (meta_theme, system) in
        [(Theme::Light, "(prefers-color-scheme: light)"), (Theme::Dark, "(prefers-color-scheme: dark)")]
    {
        let media = match theme {
            Theme::System => system,
            theme if theme == meta_theme => "all",
            _ => "not all",
        };
        if let Ok(Some(meta)) = document().query_selector(&format!("meta[data-of={}]", meta_theme.name())) {
            let _ = meta.set_attribute("media", media);
        }
    }
}
