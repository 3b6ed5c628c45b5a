//! The choice of the agent: one card per agent, agents that are not installed, and a form that adds one.

use leptos::prelude::*;
use pilothouse_core::protocol::{AgentInfo, AvailableAgent, HubCommand};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::actions::Actions;
use crate::browser;
use crate::dom::build::{
    button, command_box, disclosure, glyph, icon_button, on, outside_link, set_checked, set_value,
    with_attributes, with_children,
};
use crate::dom::element::{
    Changed, append, clear, set, toggle_attribute, toggle_class, with_class, with_text,
};
use crate::dom::keyed_list::{render_effect, render_keyed};
use crate::features::shortcuts::keys::KeyPress;
use crate::reactive::memo;
use crate::widgets::focus;
use crate::widgets::icon::Icon;

/// The agents as radio buttons. `selected` is the chosen one or a default, `chosen` the user's choice.
pub fn agent_choice(
    place: &Element,
    actions: Actions,
    selected: Memo<String>,
    chosen: RwSignal<Option<String>>,
) {
    let agents = actions.server.agents;
    let only_demo = memo(move || agents.with(|agents| agents.iter().all(|agent| agent.demo)));
    let cards = with_class("div", "choice-cards");
    let hint = "To work with a real agent, install one of “More agents” and check again.";
    let hint = with_text("p", "choice-hint", hint);
    let more = disclosure("more", "More agents");
    let list = with_class("ul", "available");
    let status = with_attributes("span", &[("class", "faint"), ("role", "status")]);
    append(&more, &with_text("h2", "form-label", "Not installed"));
    append(&more, &list);
    let parts = [
        &with_text("legend", "", "Agent"),
        &cards,
        &hint,
        &check_again(actions, &status),
        &more,
        &add_agent(actions, chosen, &status),
    ];
    append(place, &with_children("fieldset", "choice", &parts));
    let names = move || agents.with(|agents| agents.iter().map(|agent| agent.name.clone()).collect());
    render_keyed(cards, names, move |name: &String| card(actions, name.clone(), selected, chosen));
    let (details, mut listed) = (more.clone(), Changed::default());
    render_effect(Box::new(move || {
        let available = actions.server.available.get();
        // A list that is the same stays, with its focus.
        if listed.as_ref() != Some(&available) {
            toggle_attribute(&details, "hidden", available.is_empty().then_some(""));
            clear(&list);
            available.iter().for_each(|agent| append(&list, &available_agent(agent)));
            listed.update(available);
        }
    }));
    render_effect(Box::new(move || {
        let only_demo = only_demo.get();
        toggle_attribute(&hint, "hidden", (!only_demo).then_some(""));
        // The list is opened for the user, but never closed.
        if only_demo {
            set(&more, "open", "");
        }
    }));
}

/// The card of an agent. Its radio button stays when the agent changes, so that it keeps the focus.
fn card(actions: Actions, name: String, selected: Memo<String>, chosen: RwSignal<Option<String>>) -> Element {
    let input = with_attributes("input", &[("type", "radio"), ("name", "agent"), ("value", &name)]);
    let content = with_class("span", "contents");
    let card = with_children("label", "choice-card", &[&input, &content]);
    let (frame, shown, own_name) = (card.clone(), input.clone(), name.clone());
    let mut described = Changed::default();
    render_effect(Box::new(move || {
        set_checked(&shown, selected.with(|selected| *selected == own_name));
        let find = |agents: &Vec<AgentInfo>| agents.iter().find(|agent| agent.name == own_name).cloned();
        let Some(agent) = actions.server.agents.with(find) else { return };
        if described.as_ref() != Some(&agent) {
            toggle_attribute(&shown, "disabled", agent.problem.as_ref().map(|_| ""));
            toggle_class(&frame, "disabled", agent.problem.is_some());
            describe(&content, actions, &agent);
            described.update(agent);
        }
    }));
    on(&input, "change", move |_| chosen.set(Some(name.clone())));
    card
}

/// Replaces the content of an agent's card.
fn describe(content: &Element, actions: Actions, agent: &AgentInfo) {
    clear(content);
    let (name, title) = (agent.name.clone(), title_of(agent).to_owned());
    let heading = with_text("span", "choice-name", &title);
    if let Some(version) = &agent.version {
        append(&heading, &with_text("span", "choice-version", version));
    }
    append(content, &heading);
    append(content, &with_text("span", "choice-words", &description(agent)));
    if let Some(problem) = &agent.problem {
        let words = with_text("span", "", problem);
        append(
            content,
            &with_children("span", "choice-words choice-problem", &[&glyph(Icon::Alert), &words]),
        );
    }
    if agent.custom {
        let label = format!("Remove {title}");
        let remove = icon_button("button icon-only quiet choice-remove", Icon::Trash, &label, move || {
            actions.remove_agent(name.clone(), &title);
        });
        append(content, &remove);
    }
}

fn available_agent(agent: &AvailableAgent) -> Element {
    let title = if agent.title.is_empty() { &agent.name } else { &agent.title };
    let item = with_children("li", "", &[&with_text("span", "choice-name", title)]);
    set(&item, "data-available", &agent.name);
    if !agent.needs.is_empty() {
        append(&item, &with_text("p", "faint", &agent.needs));
    }
    if !agent.install.is_empty() {
        append(&item, &command_box(&agent.install));
    }
    if !agent.link.is_empty() {
        append(&item, &outside_link("link", &agent.link, "Website"));
    }
    item
}

/// The button that makes the server look for agents again, and the status of that.
fn check_again(actions: Actions, status: &Element) -> Element {
    let shown = status.clone();
    let check = button("button quiet", Some(Icon::Retry), "Check again", move || {
        shown.set_text_content(Some("Looking for agents…"));
        let (shown, before) = (shown.clone(), actions.server.agents.get_untracked());
        actions.change_agents(HubCommand::CheckAgents, move |error| {
            let outcome = actions.server.agents.with_untracked(|agents| check_result(&before, agents));
            shown.set_text_content(Some(&error.unwrap_or(outcome)));
        });
    });
    with_children("div", "agent-tools", &[&check, status])
}

/// Says which agents were found or can be used now.
fn check_result(before: &[AgentInfo], after: &[AgentInfo]) -> String {
    let is_new = |agent: &&AgentInfo| {
        let known = before.iter().find(|known| known.name == agent.name);
        known.is_none_or(|known| known.problem.is_some() && agent.problem.is_none())
    };
    let found: Vec<&str> = after.iter().filter(is_new).map(title_of).collect();
    match found.as_slice() {
        [] => "No new agents found.".to_owned(),
        found => format!("Found {}.", found.join(", ")),
    }
}

/// The form that adds an agent. It is inside another form, so it has no `form` element of its own.
fn add_agent(actions: Actions, chosen: RwSignal<Option<String>>, status: &Element) -> Element {
    let more = disclosure("more", "Add an agent…");
    set(&more, "data-add-agent", "");
    append(&more, &with_text("p", "faint", "Any program that supports the Agent Client Protocol."));
    let [name, command] = [("agent-name", "Name", ""), ("agent-command", "Command", "my-agent --acp")].map(
        |(name, label, placeholder)| {
            let attributes = [
                ("type", "text"),
                ("name", name),
                ("autocomplete", "off"),
                ("spellcheck", "false"),
                ("placeholder", placeholder),
            ];
            let field = with_attributes("input", &attributes);
            append(
                &more,
                &with_children("label", "form-field", &[&with_text("span", "form-label", label), &field]),
            );
            field
        },
    );
    let problem = with_attributes("p", &[("class", "problem"), ("role", "alert")]);
    let fields = [name, command];
    let (shown, inputs, details, status) = (problem.clone(), fields.clone(), more.clone(), status.clone());
    let add = move || {
        let [name, command] = inputs.clone().map(|field| browser::field_value(&field).trim().to_owned());
        if name.is_empty() || command.is_empty() {
            return shown.set_text_content(Some("Enter a name and a command."));
        }
        shown.set_text_content(None);
        let (shown, inputs, details, status) =
            (shown.clone(), inputs.clone(), details.clone(), status.clone());
        let command = HubCommand::AddAgent { name: name.clone(), command };
        actions.change_agents(command, move |error| {
            if error.is_some() {
                return shown.set_text_content(error.as_deref());
            }
            inputs.iter().for_each(|field| set_value(field, ""));
            toggle_attribute(&details, "open", None);
            status.set_text_content(Some(&format!("Added {name}.")));
            // The server accepts only names without quotes.
            let card = format!("input[name=agent][value='{name}']");
            chosen.set(Some(name));
            // By then, the card is there.
            request_animation_frame(move || {
                focus::focus(&card);
            });
        });
    };
    for field in &fields {
        let add = add.clone();
        on(field, "keydown", move |event| {
            if KeyPress::name_of(event.unchecked_ref::<KeyboardEvent>()) == "Enter" {
                event.prevent_default();
                add();
            }
        });
    }
    append(&more, &problem);
    let add = button("button", Some(Icon::Plus), "Add agent", add);
    append(&more, &with_children("div", "ask-answers", &[&add]));
    more
}

/// The name that the user sees.
pub fn title_of(agent: &AgentInfo) -> &str {
    if agent.title.is_empty() { &agent.name } else { &agent.title }
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

    #[test]
    fn a_check_says_what_was_found() {
        let before = [agent("codex", false, Some("x")), agent("pi", false, None)];
        assert_eq!(check_result(&before, &before), "No new agents found.");
        let after =
            [agent("codex", false, None), agent("pi", false, Some("y")), agent("kimi", false, Some("z"))];
        assert_eq!(check_result(&before, &after), "Found codex, kimi.");
    }
}
