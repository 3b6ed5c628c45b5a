//! The choice of the agent: one card per agent, with a description.

use leptos::prelude::*;
use pilothouse_core::protocol::AgentInfo;

use crate::reactive::memo;
use crate::widgets::icon::{Glyph, Icon};

/// The agents as radio buttons.
#[component]
pub fn AgentChoice(
    agents: Signal<Vec<AgentInfo>>,
    /// The name of the selected agent.
    chosen: RwSignal<String>,
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
                    prop:checked=move || chosen.with(|chosen| *chosen == own_name)
                    on:change:target=move |event| chosen.set(event.target().value())
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
                    "To work with a model, install pi and set it up once in the terminal: "
                    <code>"npm install -g @earendil-works/pi-coding-agent"</code> ", then " <code>"pi"</code>
                    ". It is offered here after the next start of Pilothouse. Another program that speaks pi's RPC mode is connected with "
                    <code>"pilothouse --agent name=pi:command"</code> "."
                </p>
            </Show>
        </fieldset>
    }
}

/// The agent to select at first: the one used last, else the first usable one, the demo agent last.
pub fn default_agent(agents: &[AgentInfo], last: Option<&str>) -> Option<String> {
    let mut usable = agents.iter().filter(|agent| agent.problem.is_none());
    let last_used = usable.clone().find(|agent| Some(agent.name.as_str()) == last);
    let real = usable.clone().find(|agent| !agent.demo);
    last_used.or(real).or_else(|| usable.next()).map(|agent| agent.name.clone())
}

fn description(agent: &AgentInfo) -> String {
    match (agent.demo, agent.dialect.as_str()) {
        (true, _) => {
            "The built-in guide: no model behind it, answers at once, shows what the page can do.".to_owned()
        }
        (false, "pi") => "The pi coding agent on this machine.".to_owned(),
        (false, "acp") => "Speaks the Agent Client Protocol.".to_owned(),
        (false, other) => format!("Speaks {other}."),
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
    fn the_last_used_agent_is_the_default_then_a_real_one_then_the_demo() {
        let agents = [agent("demo", true, None), agent("broken", false, Some("x")), agent("pi", false, None)];
        assert_eq!(default_agent(&agents, Some("demo")).as_deref(), Some("demo"));
        assert_eq!(default_agent(&agents, Some("broken")).as_deref(), Some("pi"));
        assert_eq!(default_agent(&agents[..2], None).as_deref(), Some("demo"));
        assert_eq!(default_agent(&[], None), None);
    }
}
