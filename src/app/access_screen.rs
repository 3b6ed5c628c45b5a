//! The screen for a browser without access: it explains how to get in and accepts a token.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::actions::use_actions;
use crate::net::access;
use crate::net::access::Access;
use crate::widgets::icon::{Glyph, Icon};

/// The form that exchanges a pasted address or token for access.
#[component]
pub fn AccessScreen() -> impl IntoView {
    let actions = use_actions();
    let token = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<&'static str>);
    let submitting = RwSignal::new(false);
    let submit = move || {
        if submitting.get_untracked() || token.with_untracked(|text| text.trim().is_empty()) {
            return;
        }
        submitting.set(true);
        problem.set(None);
        spawn_local(async move {
            let access = access::trade(&token.get_untracked()).await;
            submitting.set(false);
            match access {
                Access::Granted => actions.set_access(access),
                Access::Denied => problem.set(Some("Invalid token. Check the address and try again.")),
                Access::Limited => problem.set(Some("Too many attempts. Try again in a minute.")),
                Access::Unknown => {
                    problem.set(Some("The server isn't responding. Check that pilothouse is running."))
                }
            }
        });
    };
    view! {
        <main class="access">
            <div class="access-card">
                <h1 class="brand"><Glyph icon=Icon::Wheel /> "Pilothouse"</h1>
                <p>
                    "This browser doesn't have access yet. Open the address that " <code>"pilothouse"</code>
                    " printed when it started, or paste it here."
                </p>
                <form
                    class="access-form"
                    on:submit=move |event: leptos::ev::SubmitEvent| { event.prevent_default(); submit() }
                >
                    <label for="token">"Address or token"</label>
                    <div class="field-row">
                        <input
                            id="token"
                            name="token"
                            type="password"
                            autocomplete="off"
                            spellcheck="false"
                            aria-describedby="token-problem"
                            prop:value=token
                            on:input:target=move |event| token.set(event.target().value())
                        />
                        <button type="submit" class="button primary" disabled=submitting>"Sign in"</button>
                    </div>
                    <p id="token-problem" class="problem" role="alert">{move || problem.get()}</p>
                </form>
            </div>
        </main>
    }
}
