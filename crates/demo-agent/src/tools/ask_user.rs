//! Questions to the user: a request goes out, the answer comes back in its own time.
//!
//! As in pi, an abort does not close a question; whoever aborts also cancels it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::{agent::Agent, scenes::Question};

#[derive(Serialize)]
struct Request<'a> {
    r#type: &'static str,
    id: &'a str,
    #[serde(flatten)]
    question: &'a Question,
}

/// Asks and waits for the answer. Anything that is no answer counts as cancelled.
pub(crate) async fn ask(agent: &Arc<Agent>, question: &Question) -> Value {
    let id = uuid::Uuid::now_v7().to_string();
    let (sender, receiver) = oneshot::channel();
    agent.with(|state| {
        state.dialogs.insert(id.clone(), sender);
    });
    agent.output.send(&Request { r#type: "extension_ui_request", id: &id, question });
    receiver.await.unwrap_or(json!({"cancelled": true}))
}

/// Whether the user allows a command. Everything but an explicit "Allow" means no.
pub(crate) async fn allow(agent: &Arc<Agent>, command: &str) -> bool {
    let question = Question::Select {
        title: format!("Allow this command?\n{command}"),
        options: vec!["Allow".to_owned(), "Block".to_owned()],
    };
    ask(agent, &question).await["value"] == "Allow"
}

/// Hands an answer to whoever waits for it; an unknown id is nobody's.
pub(crate) fn answer(agent: &Agent, response: Value) {
    let id = response["id"].as_str().unwrap_or_default();
    let waiting = agent.with(|state| state.dialogs.remove(id));
    if let Some(sender) = waiting {
        // Fails only when the asker is gone.
        let _ = sender.send(response);
    }
}
