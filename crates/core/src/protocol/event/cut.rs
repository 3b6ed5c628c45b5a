//! Cuts what is too long in an event, and says so where it is shown. The reducer cuts what rows show, so that live events
//! and history have the same rows; the server cuts everything before it numbers an event.

use super::{Event, ModelInfo, Update};
use crate::conversation::limit::{
    cut_bash, cut_call, cut_message, cut_output, cut_row, cut_row_value, shorten, shorten_id,
};
use crate::conversation::plan::PlanStep;
use crate::limits::{
    DRAFT_BYTES, EXTENSION_LINES, LINE_BYTES, NAME_BYTES, NOTICE_BYTES, OFFERED_ITEMS, PLAN_STEPS,
    ROW_TEXT_BYTES, STDERR_LINES, TITLE_BYTES,
};
use crate::protocol::{AgentCommand, AgentMode, AgentOption, Capabilities, Login};

impl Event {
    /// Cuts what rows show of an event. Text that is streamed is cut when it is appended.
    pub fn cut_rows(&mut self) {
        match self {
            Self::MessageStart { message } | Self::MessageEnd { message } => cut_message(message),
            Self::MessageUpdate { update: Update::ToolcallStart { id, tool_name, .. } } => {
                shorten_id(id);
                shorten(tool_name, NAME_BYTES);
            }
            Self::MessageUpdate { update: Update::ToolcallEnd { tool_call, .. } }
            | Self::ToolCallChanged { tool_call } => cut_call(tool_call),
            Self::ToolExecutionStart { tool_call_id, tool_name, args } => {
                shorten_id(tool_call_id);
                shorten(tool_name, NAME_BYTES);
                cut_row_value(args);
            }
            Self::ToolExecutionUpdate { tool_call_id, tool_name, partial_result: output }
            | Self::ToolExecutionEnd { tool_call_id, tool_name, result: output, .. } => {
                shorten_id(tool_call_id);
                shorten(tool_name, NAME_BYTES);
                cut_output(output);
            }
            Self::ToolExecutionDelta { tool_call_id, .. } => shorten_id(tool_call_id),
            Self::CompactionEnd { summary: Some(summary), .. } => shorten(summary, ROW_TEXT_BYTES),
            Self::BashStart { id, command, .. } => {
                shorten_id(id);
                shorten(command, ROW_TEXT_BYTES);
            }
            Self::BashExecutionUpdate { id, .. } => shorten_id(id),
            Self::BashEnd { id, result } => {
                shorten_id(id);
                cut_bash(result);
            }
            Self::ProcessExit { stderr, .. } => {
                stderr.truncate(STDERR_LINES);
                stderr.iter_mut().for_each(|line| shorten(line, LINE_BYTES));
            }
            _ => {}
        }
    }

    /// Cuts everything in an event.
    pub fn cut(&mut self) {
        self.cut_rows();
        match self {
            Self::CompactionStart { reason: text }
            | Self::CompactionEnd { error: Some(text), .. }
            | Self::AutoRetryStart { error_message: text, .. }
            | Self::Notice { text, .. }
            | Self::SessionState { reason: text, .. } => shorten(text, NOTICE_BYTES),
            // The deltas have counted what is left out.
            Self::MessageUpdate {
                update: Update::TextEnd { content: text, .. } | Update::ThinkingEnd { content: text, .. },
            } => {
                cut_row(text);
            }
            Self::ModelChanged { model: Some(model) } => cut_model(model),
            Self::ThinkingLevelChanged { level: name }
            | Self::ModeChanged { mode: name }
            | Self::Raw { name, .. } => shorten(name, NAME_BYTES),
            Self::OptionsChanged { options } => cut_options(options),
            Self::PlanChanged { steps } => cut_plan(steps),
            Self::TitleChanged { title } | Self::WindowTitle { title } => shorten(title, TITLE_BYTES),
            Self::StatusChanged { key, text } => {
                shorten_id(key);
                text.iter_mut().for_each(|text| shorten(text, LINE_BYTES));
            }
            Self::WidgetChanged { key, lines } => {
                shorten_id(key);
                cut_list(lines, EXTENSION_LINES, |more| format!("… {more} more lines not shown"));
                lines.iter_mut().for_each(|line| shorten(line, LINE_BYTES));
            }
            Self::EditorText { text } => shorten(text, DRAFT_BYTES),
            Self::ContextUsage { usage } => shorten(&mut usage.currency, NAME_BYTES),
            Self::LoginChanged { login: Some(login) } => cut_login(login),
            Self::CapabilitiesChanged { capabilities } => cut_capabilities(capabilities),
            _ => {}
        }
    }
}

/// Cuts a list. An item that says so takes the place of the rest.
fn cut_list<T>(list: &mut Vec<T>, limit: usize, rest: impl FnOnce(usize) -> T) {
    if list.len() > limit {
        let more = list.len() + 1 - limit;
        list.truncate(limit - 1);
        list.push(rest(more));
    }
}

fn cut_plan(steps: &mut Vec<PlanStep>) {
    cut_list(steps, PLAN_STEPS, |more| PlanStep {
        text: format!("… {more} more steps not shown"),
        ..PlanStep::default()
    });
    steps.iter_mut().for_each(|step| shorten(&mut step.text, LINE_BYTES));
}

fn cut_capabilities(capabilities: &mut Capabilities) {
    let Capabilities { thinking_levels, modes, .. } = capabilities;
    // A level that was shortened could not be set.
    thinking_levels.retain(|level| level.len() <= NAME_BYTES);
    thinking_levels.truncate(OFFERED_ITEMS);
    cut_modes(modes);
}

/// Cuts modes. The id is sent back to the agent; a mode whose id is too long cannot be offered.
fn cut_modes(modes: &mut Vec<AgentMode>) {
    modes.retain(|mode| mode.id.len() <= NAME_BYTES);
    modes.truncate(OFFERED_ITEMS);
    for mode in modes {
        shorten(&mut mode.name, NAME_BYTES);
        shorten(&mut mode.description, LINE_BYTES);
    }
}

fn cut_model(model: &mut ModelInfo) {
    for text in [&mut model.provider, &mut model.id, &mut model.name] {
        shorten(text, NAME_BYTES);
    }
}

/// Cuts models that an agent offers. One whose id is too long cannot be offered.
pub fn cut_models(models: &mut Vec<ModelInfo>) {
    models.retain(|model| model.id.len() <= NAME_BYTES && model.provider.len() <= NAME_BYTES);
    models.truncate(OFFERED_ITEMS);
    models.iter_mut().for_each(cut_model);
}

/// Cuts the commands that an agent offers.
pub fn cut_commands(commands: &mut Vec<AgentCommand>) {
    commands.retain(|command| command.name.len() <= NAME_BYTES);
    commands.truncate(OFFERED_ITEMS);
    for command in commands {
        shorten(&mut command.description, LINE_BYTES);
        shorten(&mut command.source, NAME_BYTES);
    }
}

fn cut_options(options: &mut Vec<AgentOption>) {
    options.retain(|option| option.id.len() <= NAME_BYTES && option.value.len() <= NAME_BYTES);
    options.truncate(OFFERED_ITEMS);
    for option in options {
        shorten(&mut option.name, NAME_BYTES);
        shorten(&mut option.description, LINE_BYTES);
        option.choices.retain(|choice| choice.value.len() <= NAME_BYTES);
        option.choices.truncate(OFFERED_ITEMS);
        for choice in &mut option.choices {
            shorten(&mut choice.name, NAME_BYTES);
            shorten(&mut choice.description, LINE_BYTES);
        }
    }
}

/// Cuts a login that an agent needs.
pub fn cut_login(login: &mut Login) {
    shorten(&mut login.message, NOTICE_BYTES);
    login.methods.retain(|method| method.id.len() <= NAME_BYTES);
    login.methods.truncate(OFFERED_ITEMS);
    for method in &mut login.methods {
        shorten(&mut method.name, NAME_BYTES);
        for text in [&mut method.description, &mut method.command, &mut method.link] {
            shorten(text, LINE_BYTES);
        }
        method.variables.truncate(OFFERED_ITEMS);
        method.variables.iter_mut().for_each(|name| shorten(name, NAME_BYTES));
    }
}
