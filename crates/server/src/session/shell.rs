//! The person's own shell commands, run by the agent in the session's folder.

use pilothouse_agents::pi::PiCommand;
use pilothouse_core::conversation::ui_message::BashResult;
use pilothouse_core::limits::PROMPT_BYTES;
use pilothouse_core::protocol::event::Event;
use serde_json::Value;

use super::Session;
use super::prompts::check_client_id;
use super::requests::Pending;

impl Session {
    pub(super) fn bash(
        &mut self,
        client_id: String,
        command: String,
        exclude_from_context: bool,
    ) -> Result<Value, String> {
        if command.trim().is_empty() || command.len() > PROMPT_BYTES {
            return Err("A shell command is between one and a million characters long.".to_owned());
        }
        check_client_id(&client_id)?;
        if self.client_ids.iter().any(|(known, _)| *known == client_id) {
            return Ok(Value::Null);
        }
        self.may_write()?;
        self.ensure_process()?;
        // Its id is kept before it runs: one that is sent again after a kill of the server does not run twice.
        self.keep_id(&client_id)?;
        self.remember(client_id.clone());
        self.emit(Event::BashStart { id: client_id.clone(), command: command.clone(), exclude_from_context });
        let result = BashResult {
            command: command.clone(),
            exclude_from_context,
            running: true,
            ..BashResult::default()
        };
        self.request(PiCommand::Bash { command, exclude_from_context }, Pending::Bash { client_id, result });
        Ok(Value::Null)
    }
}
