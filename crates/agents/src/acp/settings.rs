//! The settings that an agent offers: config options, and the older modes and models. An agent may list the same
//! setting in several of them; config options are preferred, then modes, then models.

use agent_client_protocol_schema::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOptions,
};
use pilothouse_core::json::Object;
use pilothouse_core::limits::OFFERED_ITEMS;
use pilothouse_core::protocol::event::ModelInfo;
use pilothouse_core::protocol::{AgentMode, AgentOption, OptionChoice};
use serde_json::{Value, json};

use crate::request::WantedSettings;

/// The settings of a session, as the agent last reported them.
#[derive(Debug, Default)]
pub(super) struct AgentSettings {
    options: Vec<ConfigOption>,
    modes: Vec<AgentMode>,
    mode: String,
    models: Vec<ModelInfo>,
    model: String,
}

#[derive(Debug)]
struct ConfigOption {
    role: Role,
    option: AgentOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Mode,
    Model,
    ThinkingLevel,
    Other,
}

/// The request that changes a setting.
#[derive(Debug, PartialEq)]
pub(super) struct SettingChange {
    pub(super) method: &'static str,
    /// The parameters without the session's id.
    pub(super) params: Value,
}

impl AgentSettings {
    /// Reads the answer to `session/new`, `session/load` or `session/resume`.
    pub(super) fn read_session(&mut self, result: &mut Object) {
        if result.contains("configOptions") {
            self.read_options(result.take("configOptions"));
        }
        if let Some(mut modes) = Object::of(result.take("modes")) {
            self.mode = modes.text("currentModeId");
            self.modes = list(modes.take("availableModes"), |mode| AgentMode {
                id: mode.text("id"),
                name: mode.text("name"),
                description: mode.text("description"),
            });
        }
        if let Some(mut models) = Object::of(result.take("models")) {
            self.model = models.text("currentModelId");
            self.models = list(models.take("availableModels"), |model| ModelInfo {
                id: model.text("modelId"),
                name: model.text("name"),
                ..ModelInfo::default()
            });
        }
    }

    /// Replaces the config options: every report has the whole list, and a change of one option may remove others.
    pub(super) fn read_options(&mut self, list: Value) {
        let Value::Array(list) = list else { return };
        let read = |value: Value| serde_json::from_value(value).ok().and_then(config_option);
        self.options = list.into_iter().take(OFFERED_ITEMS).filter_map(read).collect();
        // Of several options with the same role only the first has it; the others stay reachable as options.
        let mut taken = Vec::new();
        for option in &mut self.options {
            if taken.contains(&option.role) {
                option.role = Role::Other;
            }
            taken.push(option.role);
        }
    }

    pub(super) fn set_mode(&mut self, mode: String) {
        if let Some(option) = self.option_mut(Role::Mode) {
            option.value.clone_from(&mode);
        }
        self.mode = mode;
    }

    fn set_model(&mut self, model: &str) {
        model.clone_into(&mut self.model);
    }

    pub(super) fn modes(&self) -> Vec<AgentMode> {
        match self.option(Role::Mode) {
            Some(option) => option
                .choices
                .iter()
                .map(|choice| AgentMode {
                    id: choice.value.clone(),
                    name: choice.name.clone(),
                    description: choice.description.clone(),
                })
                .collect(),
            None => self.modes.clone(),
        }
    }

    pub(super) fn mode(&self) -> &str {
        self.option(Role::Mode).map_or(&self.mode, |option| &option.value)
    }

    pub(super) fn models(&self) -> Vec<ModelInfo> {
        match self.option(Role::Model) {
            Some(option) => option
                .choices
                .iter()
                .map(|choice| ModelInfo {
                    id: choice.value.clone(),
                    name: choice.name.clone(),
                    ..ModelInfo::default()
                })
                .collect(),
            None => self.models.clone(),
        }
    }

    pub(super) fn model(&self) -> Option<ModelInfo> {
        let id = self.option(Role::Model).map_or(&self.model, |option| &option.value);
        let known = self.models().into_iter().find(|model| model.id == *id);
        known.or_else(|| (!id.is_empty()).then(|| ModelInfo { id: id.clone(), ..ModelInfo::default() }))
    }

    pub(super) fn thinking_levels(&self) -> Vec<String> {
        let choices = self.option(Role::ThinkingLevel).map(|option| &option.choices);
        choices.into_iter().flatten().map(|choice| choice.value.clone()).collect()
    }

    pub(super) fn thinking_level(&self) -> String {
        self.option(Role::ThinkingLevel).map(|option| option.value.clone()).unwrap_or_default()
    }

    /// The options that have no place of their own.
    pub(super) fn others(&self) -> Vec<AgentOption> {
        let others = self.options.iter().filter(|option| option.role == Role::Other);
        others.map(|option| option.option.clone()).collect()
    }

    pub(super) fn change_mode(&self, mode: &str) -> Option<SettingChange> {
        self.change(Role::Mode, mode).or_else(|| {
            let known = self.modes.iter().any(|known| known.id == mode);
            known.then(|| SettingChange { method: "session/set_mode", params: json!({ "modeId": mode }) })
        })
    }

    pub(super) fn change_model(&self, model: &str) -> Option<SettingChange> {
        self.change(Role::Model, model).or_else(|| {
            let known = self.models.iter().any(|known| known.id == model);
            known.then(|| SettingChange { method: "session/set_model", params: json!({ "modelId": model }) })
        })
    }

    pub(super) fn change_thinking_level(&self, level: &str) -> Option<SettingChange> {
        self.change(Role::ThinkingLevel, level)
    }

    /// The next change towards the wanted settings, which is removed from them. The model comes first, because another
    /// model may have other options. Settings that the agent does not offer are left out.
    pub(super) fn next_change(&self, wanted: &mut WantedSettings) -> Option<SettingChange> {
        let model = std::mem::take(&mut wanted.model);
        let is_other_model = !model.is_empty() && self.model().is_none_or(|current| current.id != model);
        if let Some(change) = is_other_model.then(|| self.change_model(&model)).flatten() {
            return Some(change);
        }
        let level = std::mem::take(&mut wanted.thinking_level);
        let is_other_level = !level.is_empty() && level != self.thinking_level();
        if let Some(change) = is_other_level.then(|| self.change_thinking_level(&level)).flatten() {
            return Some(change);
        }
        let mode = std::mem::take(&mut wanted.mode);
        let is_other_mode = !mode.is_empty() && mode != self.mode();
        if let Some(change) = is_other_mode.then(|| self.change_mode(&mode)).flatten() {
            return Some(change);
        }
        while let Some((id, value)) = wanted.options.pop_first() {
            let option = self.options.iter().find(|known| known.option.id == id);
            let is_other = option.is_some_and(|known| known.option.value != value);
            if let Some(change) = is_other.then(|| self.change_option(&id, &value)).flatten() {
                return Some(change);
            }
        }
        None
    }

    pub(super) fn change_option(&self, id: &str, value: &str) -> Option<SettingChange> {
        let known = self.options.iter().find(|known| known.option.id == id)?;
        change(&known.option, value)
    }

    /// Applies a change that the agent confirmed. Its answer has the whole list of options, or nothing.
    pub(super) fn changed(&mut self, change: &SettingChange, result: &mut Object) {
        let param = |key: &str| change.params.get(key).and_then(Value::as_str).unwrap_or_default();
        match change.method {
            "session/set_mode" => self.set_mode(param("modeId").to_owned()),
            "session/set_model" => self.set_model(param("modelId")),
            _ => match result.take("configOptions") {
                list @ Value::Array(_) => self.read_options(list),
                _ => {
                    let value = match change.params.get("value") {
                        Some(Value::Bool(value)) => value.to_string(),
                        _ => param("value").to_owned(),
                    };
                    let id = param("configId");
                    let changed = self.options.iter_mut().filter(|known| known.option.id == id);
                    changed.for_each(|known| known.option.value.clone_from(&value));
                }
            },
        }
    }

    fn change(&self, role: Role, value: &str) -> Option<SettingChange> {
        change(self.option(role)?, value)
    }

    fn option(&self, role: Role) -> Option<&AgentOption> {
        self.options.iter().find(|option| option.role == role).map(|option| &option.option)
    }

    fn option_mut(&mut self, role: Role) -> Option<&mut AgentOption> {
        self.options.iter_mut().find(|option| option.role == role).map(|option| &mut option.option)
    }
}

fn change(option: &AgentOption, value: &str) -> Option<SettingChange> {
    let params = if option.choices.is_empty() {
        json!({"configId": option.id, "type": "boolean", "value": value == "true"})
    } else if option.choices.iter().any(|choice| choice.value == value) {
        json!({"configId": option.id, "value": value})
    } else {
        return None;
    };
    Some(SettingChange { method: "session/set_config_option", params })
}

fn config_option(option: SessionConfigOption) -> Option<ConfigOption> {
    let (value, choices) = match option.kind {
        SessionConfigKind::Select(select) => {
            let options = match select.options {
                SessionConfigSelectOptions::Ungrouped(options) => options,
                SessionConfigSelectOptions::Grouped(groups) => {
                    groups.into_iter().flat_map(|group| group.options).collect()
                }
                _ => return None,
            };
            let choice = options.into_iter().map(|choice| OptionChoice {
                value: choice.value.to_string(),
                name: choice.name,
                description: choice.description.unwrap_or_default(),
            });
            (select.current_value.to_string(), choice.collect())
        }
        SessionConfigKind::Boolean(switch) => (switch.current_value.to_string(), Vec::new()),
        _ => return None,
    };
    let id = option.id.to_string();
    let role = match option.category {
        _ if choices.is_empty() => Role::Other,
        Some(SessionConfigOptionCategory::Mode) => Role::Mode,
        Some(SessionConfigOptionCategory::Model) => Role::Model,
        Some(SessionConfigOptionCategory::ThoughtLevel) => Role::ThinkingLevel,
        None if id == "mode" => Role::Mode,
        None if id == "model" => Role::Model,
        _ => Role::Other,
    };
    let description = option.description.unwrap_or_default();
    Some(ConfigOption { role, option: AgentOption { id, name: option.name, description, value, choices } })
}

/// Reads a list of objects; other items are skipped.
fn list<T>(list: Value, read: impl Fn(&mut Object) -> T) -> Vec<T> {
    let Value::Array(list) = list else { return Vec::new() };
    let list = list.into_iter().take(OFFERED_ITEMS).filter_map(Object::of);
    list.map(|mut item| read(&mut item)).collect()
}
