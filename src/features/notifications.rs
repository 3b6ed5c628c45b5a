//! Calls the person back to a tab that is hidden: by its title, by a message of the system's, by a sound. Nothing is
//! said while somebody looks.

pub mod calls;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AudioContext, Notification, NotificationOptions, NotificationPermission};

use self::calls::{Call, States, calls};
use crate::actions::{Actions, use_actions};
use crate::routes::Route;
use crate::store::client::Theme;

/// From now on the page looks as it was chosen, and calls when it is not looked at.
pub fn attend() {
    let actions = use_actions();
    let client = actions.client;
    client.preferences.keep();
    Effect::new(move |_| show_theme(client.preferences.theme.get(), client.preferences.contrast.get()));
    let missed = RwSignal::new(0usize);
    Effect::new(move |_| {
        if !client.hidden.get() {
            missed.set(0);
        }
    });
    let states = StoredValue::new(States::new());
    Effect::new(move |_| {
        let new = actions
            .server
            .sessions
            .with(|sessions| states.try_update_value(|states| calls(states, sessions)).unwrap_or_default());
        if new.is_empty() || !client.hidden.get_untracked() {
            return;
        }
        missed.update(|missed| *missed += new.len());
        if client.preferences.notify.get_untracked() && has_notifications() {
            new.iter().for_each(|call| tell(actions, call));
        }
        if client.preferences.sound.get_untracked() {
            let _ = chime();
        }
    });
    Effect::new(move |_| {
        let title = client.title.get();
        let title = if title.is_empty() { "Pilothouse" } else { &title };
        document().set_title(&match missed.get() {
            0 => title.to_owned(),
            count => format!("({count}) {title}"),
        });
    });
}

fn show_theme(theme: Theme, contrast: bool) {
    let Some(root) = document().document_element() else { return };
    // What was chosen before the page was loaded is shown already.
    let chosen = (theme != Theme::System).then(|| theme.name());
    if root.get_attribute("data-theme").as_deref() != chosen {
        let _ = match chosen {
            None => root.remove_attribute("data-theme"),
            Some(name) => root.set_attribute("data-theme", name),
        };
        show_around(theme);
    }
    let _ = match contrast {
        true => root.set_attribute("data-contrast", "more"),
        false => root.remove_attribute("data-contrast"),
    };
}

/// What is around the page is of its colour.
fn show_around(theme: Theme) {
    for (own, system) in
        [(Theme::Light, "(prefers-color-scheme: light)"), (Theme::Dark, "(prefers-color-scheme: dark)")]
    {
        let media = match theme {
            Theme::System => system,
            theme if theme == own => "all",
            _ => "not all",
        };
        if let Ok(Some(colour)) = document().query_selector(&format!("meta[data-of={}]", own.name())) {
            let _ = colour.set_attribute("media", media);
        }
    }
}

/// Some browsers have no notifications at all, or none for a page that was not opened in a safe way.
fn has_notifications() -> bool {
    js_sys::Reflect::has(&window(), &"Notification".into()).unwrap_or_default()
}

/// Asks the browser whether the page may; tells what it said.
pub fn ask_permission(done: impl FnOnce(bool) + 'static) {
    if !has_notifications() {
        return done(false);
    }
    if Notification::permission() == NotificationPermission::Granted {
        return done(can_tell());
    }
    let Ok(asked) = Notification::request_permission() else { return done(false) };
    leptos::task::spawn_local(async move {
        let answer = wasm_bindgen_futures::JsFuture::from(asked).await;
        done(answer.is_ok() && Notification::permission() == NotificationPermission::Granted && can_tell());
    });
}

/// Some browsers allow them and show none from a page: only trying tells.
fn can_tell() -> bool {
    let options = NotificationOptions::new();
    options.set_silent(Some(true));
    Notification::new_with_options("Pilothouse", &options).map(|notification| notification.close()).is_ok()
}

fn tell(actions: Actions, call: &Call) {
    let options = NotificationOptions::new();
    options.set_body(&call.title);
    // A newer one of the same session takes its place.
    options.set_tag(&call.session_id);
    let Ok(notification) = Notification::new_with_options(call.words, &options) else { return };
    let session_id = call.session_id.clone();
    let clicked = Closure::once_into_js(move || {
        let _ = window().focus();
        actions.go(Route::Session(session_id));
    });
    notification.set_onclick(Some(clicked.unchecked_ref()));
}

/// Two short notes, not loud.
fn chime() -> Result<(), wasm_bindgen::JsValue> {
    let context = AudioContext::new()?;
    let (tone, volume) = (context.create_oscillator()?, context.create_gain()?);
    let start = context.current_time();
    tone.frequency().set_value_at_time(660.0, start)?;
    tone.frequency().set_value_at_time(880.0, start + 0.12)?;
    volume.gain().set_value_at_time(0.06, start)?;
    volume.gain().exponential_ramp_to_value_at_time(0.000_1, start + 0.4)?;
    tone.connect_with_audio_node(&volume)?;
    volume.connect_with_audio_node(&context.destination())?;
    tone.start()?;
    tone.stop_with_when(start + 0.4)
}
