//! Alerts from a hidden tab: a count in its title, browser notifications and a sound. Nothing happens while
//! the tab is visible.

use std::collections::HashMap;

use leptos::prelude::*;
use pilothouse_core::SessionState;
use pilothouse_core::protocol::{SessionMetaStoreFields, SessionSummary};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AudioContext, AudioContextState, Notification, NotificationOptions, NotificationPermission};

use crate::actions::{Actions, use_actions};
use crate::net::access::Access;
use crate::reactive::effect;
use crate::routes::Route;

/// Alerts the user while the tab is hidden, and keeps the tab's title up to date.
pub fn start() {
    let actions = use_actions();
    let client = actions.client;
    let states = StoredValue::new(SessionStates::new());
    let audio = Audio::new();
    effect(move || {
        let alerts = actions.server.sessions().with(|sessions| {
            states.try_update_value(|states| new_alerts(states, sessions)).unwrap_or_default()
        });
        if alerts.is_empty() || !client.hidden.get_untracked() {
            return;
        }
        client.missed_alerts.update(|missed| *missed += alerts.len());
        if client.preferences.notify.get_untracked() && supports_notifications() {
            alerts.iter().for_each(|alert| notify(actions, alert));
        }
        if client.preferences.sound.get_untracked() {
            let _ = audio.play_chime();
        }
    });
    effect(move || {
        let title = page_title(actions);
        document().set_title(&match client.missed_alerts.get() {
            0 => title,
            count => format!("({count}) {title}"),
        });
    });
}

/// The title of the page without the count of alerts: that of the current session and of its agent. Tracked.
pub fn page_title(actions: Actions) -> String {
    // Without access, the page shows no session.
    let is_denied = actions.client.access.with(|access| access.as_ref().is_some_and(Access::is_denied));
    let session = actions.track_current_session().filter(|_| !is_denied);
    let titles = session.map(|session| [session.meta.title().get(), session.meta.window_title().get()]);
    let mut parts: Vec<String> = titles.into_iter().flatten().filter(|title| !title.is_empty()).collect();
    parts.push("Pilothouse".to_owned());
    parts.join(" · ")
}

/// Whether notifications are available: some browsers have none, others only in secure contexts.
fn supports_notifications() -> bool {
    js_sys::Reflect::has(&window(), &"Notification".into()).unwrap_or_default()
}

/// Asks the user to allow notifications, and reports whether the page can show them.
pub fn request_permission(done: impl FnOnce(bool) + 'static) {
    if !supports_notifications() {
        return done(false);
    }
    if Notification::permission() == NotificationPermission::Granted {
        return done(can_notify());
    }
    let Ok(request) = Notification::request_permission() else { return done(false) };
    leptos::task::spawn_local(async move {
        let answer = wasm_bindgen_futures::JsFuture::from(request).await;
        done(answer.is_ok() && Notification::permission() == NotificationPermission::Granted && can_notify());
    });
}

/// Whether the page can create a notification. Some mobile browsers grant the permission and then fail, so
/// this tries.
fn can_notify() -> bool {
    let options = NotificationOptions::new();
    options.set_silent(Some(true));
    Notification::new_with_options("Pilothouse", &options).map(|notification| notification.close()).is_ok()
}

fn notify(actions: Actions, alert: &SessionAlert) {
    let options = NotificationOptions::new();
    options.set_body(&alert.title);
    // A newer notification of the same session replaces this one.
    options.set_tag(&alert.session_id);
    let Ok(notification) = Notification::new_with_options(alert.text, &options) else { return };
    let session_id = alert.session_id.clone();
    let on_click = Closure::once_into_js(move || {
        let _ = window().focus();
        actions.navigate_to(Route::Session(session_id));
    });
    notification.set_onclick(Some(on_click.unchecked_ref()));
}

/// The page's only audio context, created for the first sound.
#[derive(Clone, Copy)]
struct Audio(StoredValue<Option<AudioContext>, LocalStorage>);

impl Audio {
    /// Closes the context when the page is left or the current owner is cleaned up.
    fn new() -> Self {
        let audio = Self(StoredValue::new_local(None));
        let leaving = window_event_listener(leptos::ev::pagehide, move |_| audio.close());
        on_cleanup(move || {
            leaving.remove();
            audio.close();
        });
        audio
    }

    /// Returns the context. One that the browser does not allow to run is replaced: it would play its sounds
    /// later, all at once.
    fn context(self) -> Result<AudioContext, wasm_bindgen::JsValue> {
        let is_running = |context: &AudioContext| context.state() == AudioContextState::Running;
        if let Some(context) = self.0.get_value().filter(is_running) {
            return Ok(context);
        }
        self.close();
        let context = AudioContext::new()?;
        self.0.set_value(Some(context.clone()));
        Ok(context)
    }

    fn close(self) {
        if let Some(context) = self.0.try_update_value(Option::take).flatten() {
            let _ = context.close();
        }
    }

    /// Plays two short, quiet notes.
    fn play_chime(self) -> Result<(), wasm_bindgen::JsValue> {
        let context = self.context()?;
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
}

/// A session that has come to need the user: it waits, failed or finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionAlert {
    pub session_id: String,
    pub title: String,
    pub text: &'static str,
}

/// The state of each session at the last comparison.
pub type SessionStates = HashMap<String, SessionState>;

/// Compares the sessions with their previous states, which it replaces. A session that is new causes no
/// alert.
pub fn new_alerts(states: &mut SessionStates, sessions: &[SessionSummary]) -> Vec<SessionAlert> {
    let mut alerts = Vec::new();
    for session in sessions {
        let before = states.insert(session.id.clone(), session.state);
        let Some(before) = before.filter(|before| *before != session.state) else { continue };
        let text = match session.state {
            SessionState::WaitingApproval => "Waiting for your approval",
            SessionState::WaitingInput => "Waiting for your answer",
            SessionState::Completed if before.is_active() => "Done",
            SessionState::Error if before.is_active() => "Failed",
            _ => continue,
        };
        alerts.push(SessionAlert { session_id: session.id.clone(), title: session.title.clone(), text });
    }
    states.retain(|id, _| sessions.iter().any(|session| session.id == *id));
    alerts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_change_to_waiting_or_finished_causes_an_alert() {
        let list = |state| vec![SessionSummary { id: "s".into(), state, ..SessionSummary::default() }];
        let mut states = SessionStates::new();
        let mut alert =
            |state| new_alerts(&mut states, &list(state)).into_iter().map(|alert| alert.text).next();
        assert_eq!(alert(SessionState::Completed), None);
        assert_eq!(alert(SessionState::Streaming), None);
        assert_eq!(alert(SessionState::WaitingApproval), Some("Waiting for your approval"));
        assert_eq!(alert(SessionState::WaitingApproval), None);
        assert_eq!(alert(SessionState::Streaming), None);
        assert_eq!(alert(SessionState::Error), Some("Failed"));
        assert_eq!(alert(SessionState::Completed), None, "nothing has run since");
    }
}
