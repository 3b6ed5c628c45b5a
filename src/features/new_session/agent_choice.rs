//! The choice of the agent: one card per agent, with a description.

use leptos::prelude::*;
use pilothouse_core::protocol::AgentInfo;

use crate::reactive::memo;
use crate::widgets::icon::{Glyph, Icon};

/// The agents as radio buttons.
#[component]
pub fn AgentChoice(
    agents: Signal<Vec<AgentInfo>>,
    /// The name of the selected agent: the chosen one or a default.
    selected: Memo<String>,
    /// The name of the agent that the user has chosen.
    chosen: RwSignal<Option<String>>,
) -> impl IntoView {
    let card = move |agent: AgentInfo| {
        let name = agent.name.clone();
        let own_name = name.clone();
        let disabled = agent.problem.is_some();
        view! {
            <label class="choice-card" class:disabled=disabled>
                <input
                    type="radio"
                    name="agent"
                    value=name.clone()
                    disabled=disabled
                    prop:checked=move || selected.with(|selected| *selected == own_name)
                    on:change:target=move |event| chosen.set(Some(event.target().value()))
                />
                <span class="choice-name">
                    {name} <span class="choice-version">{agent.version.clone()}</span>
                </span>
                <span class="choice-words">{description(&agent)}</span>
                {agent.problem.clone().map(|problem| view! {
                    <span class="choice-words choice-problem"><Glyph icon=Icon::Alert /> <span>{problem}</span></span>
                })}
            </label>
        }
        .into_any()
    };
    let only_demo = memo(move || agents.with(|agents| agents.iter().all(|agent| agent.demo)));
    view! {
        <fieldset class="choice">
            <legend>"Agent"</legend>
            <div class="choice-cards">
                <For each=move || agents.get() key=|agent| format!("{} {:?} {:?}", agent.name, agent.version, agent.problem) children=card />
            </div>
            <Show when=move || only_demo.get()>
                <p class="choice-hint">
                    "To work with a real agent, install pi with "
                    <code>"npm install -g @earendil-works/pi-coding-agent"</code> ", run " <code>"pi"</code>
                    " once to set up a model, and restart Pilothouse. To connect another program that supports pi's RPC mode, use "
                    <code>"pilothouse --agent name=pi:command"</code> "."
                </p>
            </Show>
        </fieldset>
    }
}

/// The selected agent: the first usable one of the preferred, else the first usable one, the demo agent last.
pub fn selected_agent(agents: &[AgentInfo], preferred: &[Option<String>]) -> Option<String> {
    let mut usable = agents.iter().filter(|agent| agent.problem.is_none());
    let find = |name: &String| usable.clone().find(|agent| agent.name == *name);
    let preferred = preferred.iter().flatten().find_map(find);
    let real = usable.clone().find(|agent| !agent.demo);
    preferred.or(real).or_else(|| usable.next()).map(|agent| agent.name.clone())
}

fn description(agent: &AgentInfo) -> String {
    match (agent.demo, agent.dialect.as_str()) {
        (true, _) => "The built-in demo. It needs no model and shows what Pilothouse can do.".to_owned(),
        (false, "pi") => "The pi coding agent on this machine.".to_owned(),
        (false, "acp") => "Uses the Agent Client Protocol.".to_owned(),
        (false, other) => format!("Uses the {other} protocol."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str, demo: bool, problem: Option<&str>) -> AgentInfo {
        AgentInfo {
            name: name.into(),
            dialect: "pi".into(),
            demo,
            problem: problem.map(str::to_owned),
            ..AgentInfo::default()
        }
    }

    #[test]
    fn the_chosen_agent_is_selected_then_the_last_used_then_a_real_one_then_the_demo() {
        let agents = [agent("demo", true, None), agent("broken", false, Some("x")), agent("pi", false, None)];
        let select = |agents: &[AgentInfo], chosen: Option<&str>, last: Option<&str>| {
            selected_agent(agents, &[chosen, last].map(|name| name.map(str::to_owned)))
        };
        assert_eq!(select(&agents, Some("pi"), Some("demo")).as_deref(), Some("pi"));
        assert_eq!(select(&agents, Some("broken"), Some("demo")).as_deref(), Some("demo"));
        assert_eq!(select(&agents, None, Some("demo")).as_deref(), Some("demo"));
        assert_eq!(select(&agents, None, Some("broken")).as_deref(), Some("pi"));
        assert_eq!(select(&agents[..2], None, None).as_deref(), Some("demo"));
        assert_eq!(select(&[], Some("pi"), None), None);
    }
}
