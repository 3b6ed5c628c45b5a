//! Commands to pi. They are built from types alone: nothing from a browser is passed through unchecked.

use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::conversation::ui_message::Image;
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq)]
pub enum PiCommand {
    GetState,
    GetSessionStats,
    GetCommands,
    GetAvailableModels,
    GetAvailableThinkingLevels,
    /// Always with a lane: an idle pi starts a run, a busy one refuses a prompt without a lane.
    Prompt {
        message: String,
        images: Vec<Image>,
        lane: Lane,
    },
    Abort,
    ClearQueue,
    Bash {
        command: String,
        exclude_from_context: bool,
    },
    AbortBash,
    Compact {
        instructions: Option<String>,
    },
    Fork {
        entry_id: String,
    },
    /// Forks after the last entry.
    Clone,
    SetSessionName {
        name: String,
    },
    SetModel {
        provider: String,
        model_id: String,
    },
    SetThinkingLevel {
        level: String,
    },
    /// pi has no modes. Other agents that speak its protocol may have some and report them with their state.
    SetMode {
        mode: String,
    },
    /// Not a command in pi's terms: it carries the question's id and gets no response.
    AnswerDialog {
        ask_id: String,
        answer: Answer,
    },
}

impl PiCommand {
    /// The command's type in pi's protocol.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::GetState => "get_state",
            Self::GetSessionStats => "get_session_stats",
            Self::GetCommands => "get_commands",
            Self::GetAvailableModels => "get_available_models",
            Self::GetAvailableThinkingLevels => "get_available_thinking_levels",
            Self::Prompt { .. } => "prompt",
            Self::Abort => "abort",
            Self::ClearQueue => "clear_queue",
            Self::Bash { .. } => "bash",
            Self::AbortBash => "abort_bash",
            Self::Compact { .. } => "compact",
            Self::Fork { .. } => "fork",
            Self::Clone => "clone",
            Self::SetSessionName { .. } => "set_session_name",
            Self::SetModel { .. } => "set_model",
            Self::SetThinkingLevel { .. } => "set_thinking_level",
            Self::SetMode { .. } => "set_mode",
            Self::AnswerDialog { .. } => "extension_ui_response",
        }
    }

    /// Encodes the command as one line, with its line break.
    pub fn encode(&self, id: &str) -> String {
        let mut body = match self {
            Self::Prompt { message, images, lane } => {
                let mut body = json!({"message": message, "streamingBehavior": lane});
                if !images.is_empty() {
                    body["images"] = images.iter().map(encode_image).collect();
                }
                body
            }
            Self::Bash { command, exclude_from_context } => {
                json!({"command": command, "excludeFromContext": exclude_from_context})
            }
            Self::Compact { instructions: Some(text) } => json!({"customInstructions": text}),
            Self::Fork { entry_id } => json!({"entryId": entry_id}),
            Self::SetSessionName { name } => json!({"name": name}),
            Self::SetModel { provider, model_id } => json!({"provider": provider, "modelId": model_id}),
            Self::SetThinkingLevel { level } => json!({"level": level}),
            Self::SetMode { mode } => json!({"mode": mode}),
            Self::GetState
            | Self::GetSessionStats
            | Self::GetCommands
            | Self::GetAvailableModels
            | Self::GetAvailableThinkingLevels
            | Self::Abort
            | Self::ClearQueue
            | Self::AbortBash
            | Self::Clone
            | Self::Compact { instructions: None } => json!({}),
            Self::AnswerDialog { ask_id, answer } => return encode_answer(ask_id, answer),
        };
        body["type"] = self.name().into();
        body["id"] = id.into();
        format!("{body}\n")
    }
}

fn encode_image(image: &Image) -> Value {
    json!({"type": "image", "data": image.data, "mimeType": image.mime_type})
}

fn encode_answer(ask_id: &str, answer: &Answer) -> String {
    let mut body = match answer {
        Answer::Choose(value) | Answer::Text(value) => json!({"value": value}),
        Answer::Confirm(confirmed) => json!({"confirmed": confirmed}),
        // pi has no forms.
        Answer::Form(_) | Answer::Cancel => json!({"cancelled": true}),
    };
    body["type"] = "extension_ui_response".into();
    body["id"] = ask_id.into();
    format!("{body}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_always_names_its_lane_and_stays_on_one_line() {
        let line = PiCommand::Prompt { message: "a\nb".into(), images: Vec::new(), lane: Lane::FollowUp }
            .encode("7");
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            value,
            json!({"id": "7", "type": "prompt", "message": "a\nb", "streamingBehavior": "followUp"})
        );
        assert_eq!(line.matches('\n').count(), 1);
    }

    #[test]
    fn an_answer_carries_the_id_of_its_question() {
        let line = PiCommand::AnswerDialog { ask_id: "q1".into(), answer: Answer::Confirm(true) }.encode("9");
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value, json!({"type": "extension_ui_response", "id": "q1", "confirmed": true}));
    }
}
