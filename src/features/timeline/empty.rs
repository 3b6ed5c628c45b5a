//! The placeholder of an empty conversation.

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
                "Send a message to start. " <strong>{move || session.meta.agent().get()}</strong> " works in "
                <code>{move || session.meta.cwd().get()}</code> "."
            </p>
        </div>
    }
}

/// An introduction to the demo agent, and how to install a real one.
#[component]
fn DemoWords() -> impl IntoView {
    view! {
        <h2>"Welcome to Pilothouse"</h2>
        <p>
            "This is the built-in demo. It has no model, but its tools really run. Try " <code>"/tour"</code> " or "
            <code>"/plan"</code> "."
        </p>
        <p>"To work with a real agent, install pi, run it once to set up a model, and restart Pilothouse:"</p>
        <p><code>"npm install -g @earendil-works/pi-coding-agent"</code></p>
        <p>"To connect another program that supports pi's RPC mode:"</p>
        <p><code>"pilothouse --agent name=pi:command"</code></p>
    }
}
