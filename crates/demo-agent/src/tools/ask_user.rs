//! Questions to the user: a request is sent, and the answer arrives later as a command.
//!
//! As in pi, an abort does not close an open question. The client that aborts also cancels the question.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::{agent::Agent, scenes::Question};

#[derive(Serialize)]
struct QuestionRequest<'a> {
    r#type: &'static str,
    id: &'a str,
    #[serde(flatten)]
    question: &'a Question,
}

/// Asks a question and waits for the answer. If no answer is possible any more, the question counts as cancelled.
pub(crate) async fn ask(agent: &Arc<Agent>, question: &Question) -> Value {
    let id = uuid::Uuid::now_v7().to_string();
    let (sender, receiver) = oneshot::channel();
    agent.with(|state| {
        state.open_questions.insert(id.clone(), sender);
    });
    agent.output.send(&QuestionRequest { r#type: "extension_ui_request", id: &id, question });
    receiver.await.unwrap_or(json!({"cancelled": true}))
}

/// Asks whether a command may run. Everything but an explicit "Allow" means no.
pub(crate) async fn request_approval(agent: &Arc<Agent>, command: &str) -> bool {
    let question = Question::Select {
        title: format!("Allow this command?\n{command}"),
        options: vec!["Allow".to_owned(), "Block".to_owned()],
    };
    ask(agent, &question).await["value"] == "Allow"
}

/// Delivers the answer to an open question. Ignores answers with an unknown id.
pub(crate) fn answer(agent: &Agent, response: Value) {
    let id = response["id"].as_str().unwrap_or_default();
    let open_question = agent.with(|state| state.open_questions.remove(id));
    if let Some(sender) = open_question {
        // Fails only if the question is no longer awaited.
        let _ = sender.send(response);
    }
}
