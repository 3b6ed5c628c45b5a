//! What stands where nothing has been said yet.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;

use crate::actions::use_actions;
use crate::reactive::memo;
use crate::store::server::Session;

#[component]
pub fn EmptyConversation(session: Session) -> impl IntoView {
    let agents = use_actions().server.agents;
    let is_demo = memo(move || {
        session
            .meta
            .agent()
            .with(|name| agents.with(|agents| agents.iter().any(|agent| agent.demo && agent.name == *name)))
    });
    view! {
        <div class="empty-state">
            <Show when=move || is_demo.get()><DemoWords /></Show>
            <p>
                "Write the first message. " <strong>{move || session.meta.agent().get()}</strong> " works in "
                <code>{move || session.meta.cwd().get()}</code> "."
            </p>
        </div>
    }
}

/// What the demo is, and the way to a real agent.
#[component]
fn DemoWords() -> impl IntoView {
    view! {
        <h2>"Welcome aboard"</h2>
        <p>
            "This is the built-in demo: no model behind it, and tools that really run. Try " <code>"/tour"</code> " or "
            <code>"/plan"</code> "."
        </p>
        <p>"To work with a model, install pi, start it once in the terminal, and start Pilothouse again:"</p>
        <p><code>"npm install -g @earendil-works/pi-coding-agent"</code></p>
        <p>"Another program that speaks pi's RPC mode is connected with"</p>
        <p><code>"pilothouse --agent name=pi:command"</code></p>
    }
}
