//! The settings: theme, contrast, notifications and sound. Applies the theme to the document.

use leptos::prelude::*;

use super::notifications::request_permission;
use crate::actions::use_actions;
use crate::reactive::effect;
use crate::store::client::Theme;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::popover::{Popover, close_popover};

/// The settings button of the sidebar with its popover.
#[component]
pub fn Settings() -> impl IntoView {
    let face = || view! { <Glyph icon=Icon::Settings /> };
    view! {
        <Popover label="Settings" class="button icon-only quiet" face=face.into() panel_class="menu settings" role="dialog">
            <SettingsPanel />
        </Popover>
    }
}

#[component]
fn SettingsPanel() -> impl IntoView {
    let actions = use_actions();
    let preferences = actions.client.preferences;
    let denied = RwSignal::new(false);
    let themes = Theme::ALL.into_iter().map(|theme| {
        let label = match theme {
            Theme::System => "System",
            Theme::Light => "Light",
            Theme::Dark => "Dark",
        };
        view! {
            <button
                type="button"
                class="button quiet"
                aria-pressed=move || (preferences.theme.get() == theme).to_string()
                on:click=move |_| preferences.theme.set(theme)
            >
                {label}
            </button>
        }
    });
    let toggle_notify = move || {
        if preferences.notify.get_untracked() {
            return preferences.notify.set(false);
        }
        request_permission(move |allowed| {
            preferences.notify.set(allowed);
            denied.try_set(!allowed);
        });
    };
    let toggle = |setting: RwSignal<bool>| move || setting.update(|on| *on = !*on);
    view! {
        <div class="settings-row" role="group" aria-label="Theme">{themes.collect_view()}</div>
        {switch("High contrast", preferences.contrast, toggle(preferences.contrast))}
        <hr class="menu-line" />
        {switch("Notifications while this tab is hidden", preferences.notify, toggle_notify)}
        <p class="menu-words" hidden=move || !denied.get()>"Notifications are blocked. Allow them in your browser's site settings."</p>
        {switch("Notification sound", preferences.sound, toggle(preferences.sound))}
        <hr class="menu-line" />
        <button
            type="button"
            class="menu-item"
            on:click=move |_| {
                close_popover();
                actions.client.help.set(true);
            }
        >
            <Glyph icon=Icon::Question />
            "Keyboard shortcuts"
        </button>
    }
}

fn switch(label: &'static str, on: RwSignal<bool>, toggle: impl Fn() + 'static) -> AnyView {
    view! {
        <button
            type="button"
            class="menu-item switch"
            role="switch"
            aria-checked=move || on.get().to_string()
            on:click=move |_| toggle()
        >
            <span class="switch-mark" aria-hidden="true"></span>
            {label}
        </button>
    }
    .into_any()
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
