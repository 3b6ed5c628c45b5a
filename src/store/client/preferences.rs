//! What the person has chosen for this browser: how the page looks, and how it calls for attention.

use leptos::prelude::*;

use crate::browser;

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
    /// A message of the system's when a hidden tab's session ends or needs somebody.
    pub notify: RwSignal<bool>,
    pub sound: RwSignal<bool>,
    /// The sidebar is put away, where it is not a drawer anyway.
    pub no_sidebar: RwSignal<bool>,
}

const THEME: &str = "pilothouse.theme";
const CONTRAST: &str = "pilothouse.contrast";
const NOTIFY: &str = "pilothouse.notify";
const SOUND: &str = "pilothouse.sound";
const NO_SIDEBAR: &str = "pilothouse.no-sidebar";

impl Default for Preferences {
    /// As they were left.
    fn default() -> Self {
        let chosen = |key: &str| RwSignal::new(browser::recall(key).is_some());
        Self {
            theme: RwSignal::new(Theme::parse(&browser::recall(THEME).unwrap_or_default())),
            contrast: chosen(CONTRAST),
            notify: chosen(NOTIFY),
            sound: chosen(SOUND),
            no_sidebar: chosen(NO_SIDEBAR),
        }
    }
}

impl Preferences {
    /// Remembers what is chosen, from now on.
    pub fn keep(self) {
        Effect::new(move |_| match self.theme.get() {
            Theme::System => browser::remember(THEME, ""),
            theme => browser::remember(THEME, theme.name()),
        });
        let switches = [
            (CONTRAST, self.contrast),
            (NOTIFY, self.notify),
            (SOUND, self.sound),
            (NO_SIDEBAR, self.no_sidebar),
        ];
        for (key, chosen) in switches {
            Effect::new(move |_| browser::remember(key, if chosen.get() { "yes" } else { "" }));
        }
    }
}
