//! The user's settings for this browser: appearance and notifications.

use leptos::prelude::*;

use crate::browser::local_storage;
use crate::reactive::effect;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.name() == name).unwrap_or_default()
    }
}

#[derive(Clone, Copy)]
pub struct Preferences {
    pub theme: RwSignal<Theme>,
    pub contrast: RwSignal<bool>,
    /// Show a system notification when a session of a hidden tab ends or needs the user.
    pub notify: RwSignal<bool>,
    pub sound: RwSignal<bool>,
    /// Hide the sidebar in wide windows; in narrow ones it is a drawer.
    pub no_sidebar: RwSignal<bool>,
}

const THEME: &str = "pilothouse.theme";
const CONTRAST: &str = "pilothouse.contrast";
const NOTIFY: &str = "pilothouse.notify";
const SOUND: &str = "pilothouse.sound";
const NO_SIDEBAR: &str = "pilothouse.no-sidebar";

impl Default for Preferences {
    /// Loads the stored settings.
    fn default() -> Self {
        let flag = |key: &str| RwSignal::new(local_storage::get(key).is_some());
        Self {
            theme: RwSignal::new(Theme::parse(&local_storage::get(THEME).unwrap_or_default())),
            contrast: flag(CONTRAST),
            notify: flag(NOTIFY),
            sound: flag(SOUND),
            no_sidebar: flag(NO_SIDEBAR),
        }
    }
}

impl Preferences {
    /// Stores the settings whenever they change.
    pub fn persist(self) {
        effect(move || match self.theme.get() {
            Theme::System => local_storage::set(THEME, ""),
            theme => local_storage::set(THEME, theme.name()),
        });
        let flags = [
            (CONTRAST, self.contrast),
            (NOTIFY, self.notify),
            (SOUND, self.sound),
            (NO_SIDEBAR, self.no_sidebar),
        ];
        for (key, flag) in flags {
            effect(move || local_storage::set(key, if flag.get() { "yes" } else { "" }));
        }
    }
}
