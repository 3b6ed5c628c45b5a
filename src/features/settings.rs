//! How the page looks and how it calls, behind a button in the sidebar.

use leptos::prelude::*;

use super::notifications::ask_permission;
use crate::actions::use_actions;
use crate::store::client::Theme;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::popover::{Popover, close_popover};

#[component]
pub fn Settings() -> impl IntoView {
    let face = || view! { <Glyph icon=Icon::Settings /> };
    view! {
        <Popover label="Settings" class="button icon-only quiet" face=face.into() panel="menu settings" role="dialog">
            <SettingsPanel />
        </Popover>
    }
}

#[component]
fn SettingsPanel() -> impl IntoView {
    let actions = use_actions();
    let preferences = actions.client.preferences;
    let refused = RwSignal::new(false);
    let themes = Theme::ALL.into_iter().map(|theme| {
        let words = match theme {
            Theme::System => "As the system",
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
                {words}
            </button>
        }
    });
    let notify = move || {
        if preferences.notify.get_untracked() {
            return preferences.notify.set(false);
        }
        ask_permission(move |allowed| {
            preferences.notify.set(allowed);
            refused.try_set(!allowed);
        });
    };
    let flip = |signal: RwSignal<bool>| move || signal.update(|chosen| *chosen = !*chosen);
    view! {
        <div class="settings-row" role="group" aria-label="Theme">{themes.collect_view()}</div>
        {switch("High contrast", preferences.contrast, flip(preferences.contrast))}
        <hr class="menu-line" />
        {switch("Notify me when a hidden tab needs me", preferences.notify, notify)}
        <p class="menu-words" hidden=move || !refused.get()>"The browser shows no notifications from this page."</p>
        {switch("Play a sound as well", preferences.sound, flip(preferences.sound))}
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

fn switch(words: &'static str, chosen: RwSignal<bool>, act: impl Fn() + 'static) -> AnyView {
    view! {
        <button
            type="button"
            class="menu-item switch"
            role="switch"
            aria-checked=move || chosen.get().to_string()
            on:click=move |_| act()
        >
            <span class="switch-mark" aria-hidden="true"></span>
            {words}
        </button>
    }
    .into_any()
}
