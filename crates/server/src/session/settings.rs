//! What is changed about a session beside the conversation: its name, a compaction, a fork.

use std::sync::Arc;

use pilothouse_agents::pi::PiCommand;
use pilothouse_core::limits::TITLE_BYTES;
use pilothouse_core::protocol::Forked;
use pilothouse_core::protocol::event::Event;
use serde_json::{Value, json};

use super::requests::{Pending, Waiter};
use super::{Input, Origin, Session, opening};
use crate::agent::probe;
use crate::agent::process::Launch;
use crate::hub::Hub;

impl Session {
    /// pi ends the run that is under way for a compaction: that has to be the person's own decision.
    pub(super) fn compact(&mut self, waiter: Waiter, instructions: Option<String>) {
        if self.machine.state().is_active() {
            return waiter
                .respond(Err("The agent is at work. Stop it first, or wait for its end.".to_owned()));
        }
        if self.view.compacting {
            return waiter.respond(Err("A compaction is under way already.".to_owned()));
        }
        let instructions = instructions.filter(|text| !text.trim().is_empty());
        self.ask_agent(waiter, PiCommand::Compact { instructions });
    }

    /// The name stands in the agent's own file, so that the terminal shows it, too. A session without a process gets
    /// a short visit for it.
    pub(super) fn rename(&mut self, waiter: Waiter, title: &str) {
        let name = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() || name.len() > TITLE_BYTES {
            return waiter.respond(Err(format!("A title is between one and {TITLE_BYTES} bytes long.")));
        }
        if let Err(why) = self.may_write() {
            return waiter.respond(Err(why));
        }
        if self.process.is_none() && self.origin.file.is_none() {
            return waiter.respond(Err("A session can be named once something was said in it.".to_owned()));
        }
        let command = PiCommand::SetSessionName { name: name.clone() };
        if self.process.is_some() {
            return self.request(command, Pending::Renamed { waiter, name });
        }
        if self.visiting {
            return waiter.respond(Err("The session is being renamed. Try again in a moment.".to_owned()));
        }
        // Nothing else of ours writes the file meanwhile.
        self.visiting = true;
        let launch = self.launch();
        let (hub, id) = (self.hub.clone(), self.origin.id.clone());
        tokio::spawn(async move {
            let outcome = probe::run(&launch, vec![command]).await;
            let title = outcome.is_ok().then_some(name);
            let _ = hub.send(&id, Input::Visited { title }).await;
            waiter.respond(outcome.map(|_| Value::Null));
        });
    }

    pub(super) fn visited(&mut self, title: Option<String>) {
        self.visiting = false;
        if let Some(title) = title {
            self.emit(Event::TitleChanged { title });
            self.tell_hub();
        }
        self.release_held();
    }

    /// A process of its own makes the fork. One that opens the session's file may bring it into its newest form, as
    /// ours did when it began: meanwhile no other of ours begins.
    pub(super) fn fork(&mut self, waiter: Waiter, row: usize) {
        if self.visiting {
            return waiter
                .respond(Err("The session is being renamed or forked. Try again in a moment.".to_owned()));
        }
        self.visiting = self.process.is_none();
        let visits = self.visiting;
        let (launch, hub, origin) = (self.launch(), self.hub.clone(), self.origin.clone());
        tokio::spawn(async move {
            let forked = make_fork(&launch, &hub, &origin, row).await;
            if visits {
                let _ = hub.send(&origin.id, Input::Visited { title: None }).await;
            }
            waiter.respond(forked.map(|forked| json!(forked)));
        });
    }
}

async fn make_fork(launch: &Launch, hub: &Arc<Hub>, origin: &Origin, row: usize) -> Result<Forked, String> {
    let looking = (origin.clone(), hub.clone());
    let entry = tokio::task::spawn_blocking(move || {
        opening::read_beside(&looking.0, &looking.1)?.entry_of_user_row(row)
    });
    let entry_id =
        entry.await.ok().flatten().ok_or("A fork begins at one of your own messages.".to_owned())?;
    let answers = probe::run(launch, vec![PiCommand::Fork { entry_id }, PiCommand::GetState]).await?;
    let text = |answer: usize, key: &str| {
        answers.get(answer).and_then(|answer| answer.data.get(key)?.as_str()).map(str::to_owned)
    };
    let (Some(session_id), Some(text)) = (text(1, "sessionId"), text(0, "text")) else {
        return Err("An extension of the agent's prevented the fork.".to_owned());
    };
    hub.refresh().await;
    hub.add_session(&session_id, &origin.agent.name, origin.cwd.clone())?;
    Ok(Forked { session_id, text })
}
