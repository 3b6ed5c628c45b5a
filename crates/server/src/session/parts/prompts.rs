//! Prompts: accepted once, stored before they are acknowledged, sent to the agent in order. A client id identifies a
//! prompt permanently: a prompt that is sent again gets the same reply as the first time.

use std::collections::VecDeque;

use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::limits::{
    CLIENT_ID_BYTES, PROMPT_BYTES, PROMPT_IMAGES, REMEMBERED_CLIENT_IDS, SCHEDULED_MESSAGES,
};
use pilothouse_core::protocol::{CommandError, Disposition, ErrorCode, Prompted, SessionReply};

use super::journal::Journal;
use crate::client::Responder;
use crate::http::blobs::check_images;
use crate::session::effect::Effect;
use crate::session::recovery::user_message;
use crate::store::{Prompt, PromptOutcome};

/// The prompts of a session, from the moment they arrive until the agent has reported them.
#[derive(Debug, Default)]
pub(in crate::session) struct Prompts {
    /// The newest client ids, each with its reply once there is one.
    outcomes: VecDeque<(String, Option<PromptOutcome>)>,
    /// Clients that wait for the acknowledgement of a prompt, by its client id.
    waiting: Vec<(String, Responder)>,
    /// Prompts that were sent to start a run and whose user message was not reported yet.
    starting: VecDeque<Prompt>,
    /// Prompts that arrived while a stop or a probe was in progress.
    held: Vec<(Responder, Prompt)>,
    /// Acknowledged prompts that never reached the agent.
    unsent: Vec<Prompt>,
    /// The last prompt that the agent refused or that could not be sent: a retry sends it again.
    refused: Option<Prompt>,
    /// An unsent prompt while it is being sent again.
    resuming: Option<Prompt>,
}

/// The status of a client id.
#[derive(Debug, PartialEq)]
pub(in crate::session) enum KnownId {
    New,
    /// The prompt is being sent: a client that sends it again gets the same reply.
    InProgress,
    Done(PromptOutcome),
    /// The id belongs to another kind of command.
    Other,
}

impl Prompts {
    /// Creates the prompts of a session from what was recovered when it was opened.
    pub(in crate::session) fn recovered(outcomes: Vec<(String, Option<PromptOutcome>)>) -> Self {
        Self { outcomes: outcomes.into(), ..Self::default() }
    }

    /// Replaces the unsent prompts, after the conversation was read from disk.
    pub(in crate::session) fn set_unsent(&mut self, unsent: Vec<Prompt>) {
        self.unsent = unsent;
    }

    pub(in crate::session) fn known(&self, client_id: &str) -> KnownId {
        match self.outcomes.iter().find(|(known, _)| known == client_id) {
            None => KnownId::New,
            Some((_, Some(outcome))) => KnownId::Done(outcome.clone()),
            Some((_, None)) if self.waiting.iter().any(|(waiting, _)| waiting == client_id) => {
                KnownId::InProgress
            }
            Some((_, None)) => KnownId::Other,
        }
    }

    /// Remembers a client id, so that its command is carried out once.
    pub(in crate::session) fn remember(&mut self, client_id: &str) {
        if self.outcomes.len() >= REMEMBERED_CLIENT_IDS {
            self.outcomes.pop_front();
        }
        self.outcomes.push_back((client_id.to_owned(), None));
    }

    /// Adds a client that waits for the acknowledgement of a prompt.
    pub(in crate::session) fn wait(&mut self, client_id: &str, responder: Responder) {
        self.waiting.push((client_id.to_owned(), responder));
    }

    /// Holds a prompt until the stop or the probe in progress is over.
    pub(in crate::session) fn hold(&mut self, responder: Responder, prompt: Prompt) {
        self.held.push((responder, prompt));
    }

    pub(in crate::session) fn take_held(&mut self) -> Vec<(Responder, Prompt)> {
        std::mem::take(&mut self.held)
    }

    pub(in crate::session) fn is_full(&self) -> bool {
        self.held.len() >= SCHEDULED_MESSAGES
    }

    /// Notes that a stored prompt is being sent to start a run.
    pub(in crate::session) fn start(&mut self, prompt: Prompt, responder: Responder) {
        self.wait(&prompt.client_id, responder);
        self.starting.push_back(prompt);
    }

    /// Whether a prompt was sent whose user message was not reported yet.
    pub(in crate::session) fn is_starting(&self) -> bool {
        !self.starting.is_empty()
    }

    /// Removes a prompt that will not be reported as the start of a run: it was handled as a command, or scheduled.
    pub(in crate::session) fn take_starting(&mut self, client_id: &str) -> Option<Prompt> {
        let position = self.starting.iter().position(|prompt| prompt.client_id == client_id)?;
        self.starting.remove(position)
    }

    /// Finds the prompt that the agent reports as a user message. A message that starts a run precedes everything that
    /// was scheduled for it, unless its text is that of a scheduled message.
    pub(in crate::session) fn match_reported(&mut self, text: &str, is_scheduled: bool) -> Option<String> {
        let same_text = self.starting.iter().position(|prompt| prompt.text == text);
        let first = (!is_scheduled && !self.starting.is_empty()).then_some(0);
        let prompt = self.starting.remove(same_text.or(first)?)?;
        Some(prompt.client_id)
    }

    /// Acknowledges a prompt: stores the reply and sends it to all waiting clients. Older unsent prompts are settled
    /// and stay in the conversation as they are.
    pub(in crate::session) fn acknowledge(
        &mut self,
        client_id: &str,
        disposition: Disposition,
        journal: &Journal,
    ) -> Vec<Effect> {
        let prompted = Prompted { disposition };
        let mut effects = vec![self.set_outcome(client_id, Ok(Some(prompted)), journal)];
        self.refused = None;
        for prompt in std::mem::take(&mut self.unsent) {
            effects.push(Effect::Persist(journal.add_extra_at(prompt.at, vec![user_message(&prompt)])));
            effects.push(Effect::Persist(journal.settle_prompts(vec![prompt.client_id])));
        }
        let replies = self.take_waiting(client_id);
        effects.extend(
            replies.map(|responder| Effect::Respond(responder, Ok(SessionReply::Prompted(prompted)))),
        );
        effects
    }

    /// Refuses a prompt that did not reach the agent, or that the agent refused.
    pub(in crate::session) fn refuse(
        &mut self,
        client_id: &str,
        error: &CommandError,
        journal: &Journal,
    ) -> Vec<Effect> {
        self.refused = self.take_starting(client_id);
        let replies = self.take_waiting(client_id);
        let mut effects: Vec<Effect> =
            replies.map(|responder| Effect::Respond(responder, Err(error.clone()))).collect();
        if let Some(resuming) = self.resuming.take_if(|resuming| resuming.client_id == client_id) {
            // It was acknowledged before, so it stays.
            self.unsent.insert(0, resuming);
            return effects;
        }
        effects.insert(0, self.set_outcome(client_id, Err(error.message.clone()), journal));
        effects.push(Effect::Persist(journal.settle_prompts(vec![client_id.to_owned()])));
        effects
    }

    fn set_outcome(&mut self, client_id: &str, outcome: PromptOutcome, journal: &Journal) -> Effect {
        if let Some((_, known)) = self.outcomes.iter_mut().find(|(known, _)| known == client_id) {
            *known = Some(outcome.clone());
        }
        Effect::Persist(journal.set_outcome(client_id, outcome))
    }

    fn take_waiting(&mut self, client_id: &str) -> impl Iterator<Item = Responder> + use<> {
        let (taken, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiting).into_iter().partition(|(waiting, _)| waiting == client_id);
        self.waiting = rest;
        taken.into_iter().map(|(_, responder)| responder)
    }

    /// Handles the end of the process: prompts that it accepted and never reported become unsent, and are shown.
    pub(in crate::session) fn process_ended(&mut self) -> Vec<Effect> {
        self.resuming = None;
        let lost = std::mem::take(&mut self.starting);
        let is_new = |prompt: &Prompt| !self.unsent.iter().any(|unsent| unsent.client_id == prompt.client_id);
        // A conversation that was just read again has them already.
        let lost: Vec<Prompt> = lost.into_iter().filter(is_new).collect();
        let effects = lost.iter().map(|prompt| Effect::Publish(user_message(prompt))).collect();
        self.unsent.extend(lost);
        effects
    }

    pub(in crate::session) fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Takes the unsent prompts to send them again: the first starts a run, the others follow it.
    pub(in crate::session) fn resume(&mut self) -> Option<(Prompt, Vec<Prompt>)> {
        let mut unsent = std::mem::take(&mut self.unsent).into_iter();
        let first = unsent.next()?;
        self.resuming = Some(first.clone());
        Some((first, unsent.collect()))
    }

    /// Forgets the refused prompt, because it is sent again.
    pub(in crate::session) fn forget_refused(&mut self) {
        self.refused = None;
    }

    /// The prompt that the agent refused last, for a retry. It is kept until a prompt is acknowledged.
    pub(in crate::session) const fn refused(&self) -> Option<&Prompt> {
        self.refused.as_ref()
    }
}

/// The reply to a prompt whose outcome is known.
pub(in crate::session) fn reply_of(outcome: PromptOutcome) -> Result<SessionReply, CommandError> {
    match outcome {
        Ok(Some(prompted)) => Ok(SessionReply::Prompted(prompted)),
        Ok(None) => Ok(SessionReply::Done),
        Err(message) => Err(CommandError::new(ErrorCode::AgentFailed, message)),
    }
}

pub(in crate::session) fn check_client_id(client_id: &str) -> Result<(), CommandError> {
    if (1..=CLIENT_ID_BYTES).contains(&client_id.len()) {
        return Ok(());
    }
    Err(CommandError::invalid(format!("A client id must have between 1 and {CLIENT_ID_BYTES} bytes.")))
}

pub(in crate::session) fn check_prompt(message: &str, images: &[Image]) -> Result<(), CommandError> {
    if message.trim().is_empty() && images.is_empty() {
        return Err(CommandError::invalid("The message is empty. Type something to send."));
    }
    if message.len() > PROMPT_BYTES {
        let text =
            format!("The message is too long ({} bytes). The limit is {PROMPT_BYTES} bytes.", message.len());
        return Err(CommandError::invalid(text));
    }
    if images.len() > PROMPT_IMAGES {
        let text = format!("The message has {} images. The limit is {PROMPT_IMAGES}.", images.len());
        return Err(CommandError::invalid(text));
    }
    check_images(images).map_err(CommandError::invalid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{ClientId, ClientReceiver, client_channel};
    use crate::store::{Store, Write};

    struct Fixture {
        prompts: Prompts,
        journal: Journal,
        _folder: tempfile::TempDir,
    }

    fn fixture() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(Store::open(folder.path()).unwrap(), "s".to_owned());
        Fixture { prompts: Prompts::default(), journal, _folder: folder }
    }

    fn prompt(client_id: &str, text: &str) -> Prompt {
        Prompt { client_id: client_id.to_owned(), text: text.to_owned(), at: 5, ..Prompt::default() }
    }

    fn responder() -> (Responder, ClientReceiver) {
        let (client, frames) = client_channel(ClientId(1));
        (Responder { client, request: "r".to_owned(), command: "prompt" }, frames)
    }

    /// Sends a prompt the way the session does.
    fn started(fixture: &mut Fixture, client_id: &str, text: &str) {
        fixture.prompts.remember(client_id);
        fixture.prompts.start(prompt(client_id, text), responder().0);
    }

    fn replies(effects: &[Effect]) -> Vec<&Result<SessionReply, CommandError>> {
        let replies = effects.iter().filter_map(|effect| match effect {
            Effect::Respond(_, reply) => Some(reply),
            _ => None,
        });
        replies.collect()
    }

    fn writes(effects: &[Effect]) -> Vec<&Write> {
        let writes = effects.iter().filter_map(|effect| match effect {
            Effect::Persist(write) => Some(write),
            _ => None,
        });
        writes.collect()
    }

    #[test]
    fn a_prompt_that_is_sent_again_gets_the_reply_of_the_first() {
        let mut fixture = fixture();
        assert_eq!(fixture.prompts.known("a"), KnownId::New);
        started(&mut fixture, "a", "Hello");
        assert_eq!(fixture.prompts.known("a"), KnownId::InProgress);
        fixture.prompts.wait("a", responder().0);
        let effects = fixture.prompts.acknowledge("a", Disposition::Started, &fixture.journal);
        let prompted = Prompted { disposition: Disposition::Started };
        assert_eq!(
            replies(&effects),
            [&Ok(SessionReply::Prompted(prompted)), &Ok(SessionReply::Prompted(prompted))]
        );
        assert_eq!(fixture.prompts.known("a"), KnownId::Done(Ok(Some(prompted))));
        fixture.prompts.remember("shell");
        assert_eq!(fixture.prompts.known("shell"), KnownId::Other);
    }

    #[test]
    fn a_refused_prompt_is_settled_and_can_be_retried() {
        let mut fixture = fixture();
        started(&mut fixture, "a", "Hello");
        let error = CommandError::new(ErrorCode::AgentFailed, "no model");
        let effects = fixture.prompts.refuse("a", &error, &fixture.journal);
        assert_eq!(replies(&effects), [&Err(error)]);
        assert_eq!(writes(&effects).len(), 2, "its outcome, and that it is settled: {effects:?}");
        assert_eq!(fixture.prompts.known("a"), KnownId::Done(Err("no model".to_owned())));
        assert!(!fixture.prompts.is_starting());
        assert_eq!(fixture.prompts.refused().map(|prompt| prompt.text.as_str()), Some("Hello"));
    }

    #[test]
    fn a_reported_message_is_matched_by_its_text_then_by_its_order() {
        let mut fixture = fixture();
        started(&mut fixture, "a", "/template");
        started(&mut fixture, "b", "plain");
        assert_eq!(fixture.prompts.match_reported("plain", false).as_deref(), Some("b"));
        assert_eq!(fixture.prompts.match_reported("scheduled", true), None, "it is a scheduled message");
        assert_eq!(fixture.prompts.match_reported("the long text", false).as_deref(), Some("a"));
        assert_eq!(fixture.prompts.match_reported("anything", false), None);
    }

    #[test]
    fn prompts_that_a_dead_process_never_reported_can_be_resumed() {
        let mut fixture = fixture();
        for (id, text) in [("a", "one"), ("b", "two")] {
            started(&mut fixture, id, text);
            fixture.prompts.acknowledge(id, Disposition::Started, &fixture.journal);
        }
        let shown = fixture.prompts.process_ended();
        assert!(shown.iter().all(|effect| matches!(effect, Effect::Publish(_))) && shown.len() == 2);
        let (first, others) = fixture.prompts.resume().unwrap();
        assert_eq!((first.client_id.as_str(), others.len()), ("a", 1));
        // The agent refuses it again: it was acknowledged, so it stays unsent.
        fixture.prompts.start(first, responder().0);
        let error = CommandError::new(ErrorCode::AgentFailed, "no");
        let effects = fixture.prompts.refuse("a", &error, &fixture.journal);
        assert_eq!((writes(&effects).len(), replies(&effects).len()), (0, 1));
        assert!(fixture.prompts.has_unsent());
    }

    #[test]
    fn an_acknowledged_prompt_leaves_older_unsent_ones_in_the_conversation() {
        let mut fixture = fixture();
        fixture.prompts.set_unsent(vec![prompt("old", "Never arrived")]);
        started(&mut fixture, "new", "Hello");
        let effects = fixture.prompts.acknowledge("new", Disposition::Started, &fixture.journal);
        let extra = writes(&effects)
            .iter()
            .any(|write| matches!(write, Write::AddExtra { extra, .. } if extra.at == 5));
        let settled = writes(&effects)
            .iter()
            .any(|write| matches!(write, Write::SettlePrompts { client_ids, .. } if client_ids == &["old"]));
        assert!(extra && settled, "{effects:?}");
        assert!(!fixture.prompts.has_unsent());
    }

    #[test]
    fn only_the_newest_ids_are_remembered() {
        let mut prompts = Prompts::default();
        for number in 0..=REMEMBERED_CLIENT_IDS {
            prompts.remember(&number.to_string());
        }
        assert_eq!(prompts.known("0"), KnownId::New);
        assert_eq!(prompts.known("1"), KnownId::Other);
    }

    #[test]
    fn invalid_prompts_are_refused_with_a_sentence() {
        assert!(check_prompt(" ", &[]).is_err());
        assert!(check_prompt(&"x".repeat(PROMPT_BYTES + 1), &[]).unwrap_err().message.contains("limit"));
        assert!(check_client_id("").is_err() && check_client_id(&"x".repeat(65)).is_err());
        assert!(check_prompt("Hello", &[]).is_ok() && check_client_id("c").is_ok());
    }
}
