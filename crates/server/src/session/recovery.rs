//! Opens a session: reads its file, and the records that only the store has. Recovers prompts that were acknowledged
//! and never reached the agent, the queue, the message that was in progress when the server was killed, and questions
//! that can no longer be answered. Opening changes nothing on the agent's side.
//!
//! Everything here reads the disk and blocks.

use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::conversation::message::{Content, Message, Part};
use pilothouse_core::conversation::queue::{Queue, Scheduled};
use pilothouse_core::conversation::ui_message::BashResult;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{Branches, Disposition, Prompted};

use super::SessionOrigin;
use super::parts::in_flight::{is_part_of_message, shell_id};
use super::parts::journal::ask_record;
use super::parts::recorder::RecordedFacts;
use crate::clock::now_ms;
use crate::history::{HistoryFile, ScannedFile};
use crate::http::blobs::Blobs;
use crate::hub::Hub;
use crate::hub::elsewhere::{Elsewhere, SCAN_INTERVAL, SessionFile};
use crate::store::{Extra, Prompt, PromptOutcome, Store, Write};

/// The state of a session that is opened.
#[derive(Debug, Default)]
pub(super) struct Recovered {
    /// `None` if the session has no file, or it cannot be read.
    pub(super) history: Option<HistoryFile>,
    /// The properties of a session that is recorded here, from its file.
    pub(super) recorded: Option<RecordedFacts>,
    /// Rows that are in no session file, ordered by time.
    pub(super) extras: Vec<Extra>,
    pub(super) queue: Queue,
    /// Acknowledged prompts that never reached the agent: resuming the session sends them.
    pub(super) unsent: Vec<Prompt>,
    /// The times of messages in the file that are prompts of this server, which was killed before it knew.
    unreported_times: Vec<u64>,
    /// Something was in progress when the server ended.
    pub(super) interrupted: bool,
    /// The client ids that are remembered, with the replies to them.
    pub(super) outcomes: Vec<(String, Option<PromptOutcome>)>,
    /// The writes to the store that complete the recovery.
    pub(super) writes: Vec<Write>,
    /// Another program works in the session, or has it open.
    pub(super) elsewhere: Option<Elsewhere>,
    /// Which approvals of new sessions in the session's folder are answered automatically.
    pub(super) folder_auto_approve: AutoApprove,
    /// The branches of the file besides the one that is shown.
    pub(super) branches: Branches,
}

/// Reads a session in which nothing runs.
pub(super) fn open(origin: &SessionOrigin, hub: &Hub) -> Recovered {
    let scanned = origin.file.as_deref().and_then(|file| hub.scan(file));
    let mut recovered = Recovered::read(hub.store(), &origin.id, &origin.blobs, scanned.as_ref());
    recovered.history = scanned.map(|scanned| scanned.fold(&recovered.extras, &origin.blobs));
    recovered.elsewhere = recovered.find_elsewhere(origin, hub);
    recovered.branches = recovered.history.as_ref().map(HistoryFile::branches).unwrap_or_default();
    recovered.folder_auto_approve = hub.store().folder_auto_approve(&origin.cwd.to_string_lossy());
    if origin.agent.is_recorded() {
        recovered.recorded = recovered.history.as_ref().map(|history| RecordedFacts {
            agent_session: history.agent_session().map(str::to_owned),
            import: history.import().map(str::to_owned),
            last_entry: history.last_entry_id(),
            last_time: history.last_message_time().unwrap_or_default(),
            is_named_by_user: history.is_named_by_user(),
            model: history.model().map(|(_, id)| id.to_owned()),
            thinking_level: history.thinking_level().map(str::to_owned),
            mode: history.mode().map(str::to_owned),
            options: history.options().clone(),
        });
    }
    recovered
}

/// Reads the file of a session that is open, with the rows that only the store has. Changes nothing, because the
/// agent may not have reported everything that the file contains.
pub(super) fn read_open_session(origin: &SessionOrigin, store: &Store) -> Option<HistoryFile> {
    let scanned = HistoryFile::scan(origin.file.as_deref()?)?;
    let mut extras = extras_of_file(origin, store, &scanned);
    let unsent =
        store.prompts(&origin.id).into_iter().filter(|prompt| prompt.reported.is_none() && is_unsent(prompt));
    extras.extend(unsent.map(|prompt| Extra { at: prompt.at, events: vec![user_message(&prompt)] }));
    extras.sort_by_key(|extra| extra.at);
    Some(scanned.fold(&extras, &origin.blobs))
}

/// Reads the branch of a session's file that ends with this entry.
pub(super) fn read_branch(origin: &SessionOrigin, store: &Store, leaf: &str) -> Option<HistoryFile> {
    let scanned = HistoryFile::scan(origin.file.as_deref()?)?;
    let extras = extras_of_file(origin, store, &scanned);
    scanned.fold_branch(leaf, &extras, &origin.blobs)
}

/// The rows that only the store has.
fn extras_of_file(origin: &SessionOrigin, store: &Store, file: &ScannedFile) -> Vec<Extra> {
    let mut extras = store.extras(&origin.id);
    extras.retain(|extra| !is_in_file(Some(file), extra));
    extras
}

impl Recovered {
    fn read(store: &Store, session: &str, blobs: &Blobs, file: Option<&ScannedFile>) -> Self {
        let stored = store.extras(session);
        let mut recovered = Self { outcomes: store.client_ids(session), ..Self::default() };
        recovered.recover_message_in_progress(store, session, file);
        recovered.recover_asks(store, session);
        recovered.recover_prompts(store, session, blobs, file);
        // Among extras with the same time, those stored earlier come first.
        let earlier = stored.into_iter().filter(|extra| !is_in_file(file, extra));
        recovered.extras = earlier.chain(std::mem::take(&mut recovered.extras)).collect();
        recovered.extras.sort_by_key(|extra| extra.at);
        recovered
    }

    /// Looks for another program in the session. A run that was interrupted here is not another program's.
    fn find_elsewhere(&self, origin: &SessionOrigin, hub: &Hub) -> Option<Elsewhere> {
        let turn = self.history.as_ref().filter(|_| !origin.agent.is_recorded())?.last_turn();
        let file = SessionFile {
            id: origin.id.clone(),
            path: origin.file.clone()?,
            cwd: origin.cwd.clone(),
            folder: origin.agent.folder.clone(),
            turn,
            is_ours: self.interrupted || self.unreported_times.contains(&turn.prompted),
        };
        hub.find_elsewhere(&file, SCAN_INTERVAL)
    }

    fn add_extra(&mut self, session: &str, extra: Extra) {
        self.writes.push(Write::AddExtra { session: session.to_owned(), extra: extra.clone() });
        self.extras.push(extra);
    }

    /// Makes the message in progress a permanent row, unless the agent finished it after the end of the server.
    fn recover_message_in_progress(&mut self, store: &Store, session: &str, file: Option<&ScannedFile>) {
        let Some(note) = store.in_flight(session) else { return };
        tracing::info!(session, events = note.events.len(), "recovering the message in progress");
        let mut events = note.events;
        if note.message.is_some_and(|time| file.is_some_and(|file| file.has_reply(time))) {
            events.retain(|event| !is_part_of_message(event));
        }
        recover_shell_commands(&mut events, file);
        if !events.is_empty() {
            events.push(Event::AgentEnd { will_retry: false });
            // A message that is recorded here may have ended after the note was written, with tools that the note has:
            // they must find its rows.
            let at = file.and_then(ScannedFile::last_recorded_time).unwrap_or_default().max(note.at);
            self.add_extra(session, Extra { at, events });
        }
        self.interrupted = true;
        self.writes.push(Write::SetInFlight { session: session.to_owned(), note: None });
    }

    fn recover_asks(&mut self, store: &Store, session: &str) {
        let asks = store.asks(session);
        if asks.is_empty() {
            return;
        }
        for ask in asks {
            self.add_extra(
                session,
                Extra { at: now_ms(), events: vec![ask_record(ask.process_ended_text())] },
            );
        }
        self.interrupted = true;
        self.writes.push(Write::SaveAsks { session: session.to_owned(), asks: Vec::new() });
    }

    /// Settles prompts and scheduled messages that the session file contains, whether the agent reported them or not.
    /// The others are shown as unsent, or stay in the queue.
    fn recover_prompts(&mut self, store: &Store, session: &str, blobs: &Blobs, file: Option<&ScannedFile>) {
        let mut items = store.queue(session);
        let scheduled = items.len();
        let known = store.settled_prompt_times(session);
        let (settled, open) = settled_and_open(store.prompts(session), &items, file, &known);
        items.retain(|item| !settled.iter().any(|(prompt, _)| prompt.client_id == item.id));
        for (prompt, _) in settled.iter().filter(|(prompt, _)| prompt.outcome.is_none()) {
            // The server was killed before the agent replied. A client that sends the prompt again gets this outcome.
            self.set_outcome(session, &prompt.client_id, Disposition::Started);
        }
        for (prompt, time) in settled.iter().filter(|(prompt, _)| prompt.reported.is_none()) {
            // The server was killed before the agent reported it. The turn that it began is not another program's.
            if let Some(timestamp) = *time {
                let (session, client_id) = (session.to_owned(), prompt.client_id.clone());
                self.writes.push(Write::PromptReported { session, client_id, timestamp });
                self.unreported_times.push(timestamp);
            }
        }
        if !settled.is_empty() {
            let client_ids = settled.into_iter().map(|(prompt, _)| prompt.client_id).collect();
            self.writes.push(Write::SettlePrompts { session: session.to_owned(), client_ids });
        }
        if items.len() != scheduled {
            self.writes.push(Write::SaveQueue { session: session.to_owned(), items: items.clone() });
        }
        let (queued, unsent): (Vec<Prompt>, Vec<Prompt>) =
            open.into_iter().partition(|prompt| items.iter().any(|item| item.id == prompt.client_id));
        for prompt in queued.iter().filter(|prompt| prompt.outcome.is_none()) {
            self.set_outcome(session, &prompt.client_id, Disposition::Queued);
        }
        for prompt in unsent {
            self.set_outcome(session, &prompt.client_id, Disposition::Unsent);
            self.extras.push(Extra { at: prompt.at, events: vec![user_message(&prompt)] });
            self.unsent.push(prompt);
        }
        items.iter_mut().flat_map(|item| item.images.iter_mut()).for_each(|image| blobs.retain(image));
        items.iter_mut().for_each(|item| item.under_edit = false);
        self.queue.replace(items);
    }

    fn set_outcome(&mut self, session: &str, client_id: &str, disposition: Disposition) {
        let outcome: PromptOutcome = Ok(Some(Prompted { disposition }));
        if let Some((_, known)) = self.outcomes.iter_mut().find(|(id, _)| id == client_id) {
            *known = Some(outcome.clone());
        }
        let (session, client_id) = (session.to_owned(), client_id.to_owned());
        self.writes.push(Write::SetOutcome { session, client_id, outcome });
    }
}

/// Ends the shell commands that ran when the server was killed, and leaves out those that were recorded before it.
fn recover_shell_commands(events: &mut Vec<Event>, file: Option<&ScannedFile>) {
    let mut running: Vec<(String, BashResult)> = Vec::new();
    for event in events.iter() {
        match event {
            Event::BashStart { id, command, exclude_from_context } => {
                let (command, exclude_from_context) = (command.clone(), *exclude_from_context);
                let result =
                    BashResult { command, exclude_from_context, cancelled: true, ..BashResult::default() };
                running.push((id.clone(), result));
            }
            Event::BashExecutionUpdate { id, delta } => {
                if let Some((_, result)) = running.iter_mut().find(|(known, _)| known == id) {
                    result.output.push_str(delta);
                }
            }
            Event::BashEnd { id, .. } => running.retain(|(known, _)| known != id),
            _ => {}
        }
    }
    let has_commands = events.iter().any(|event| shell_id(event).is_some());
    let recorded = file.filter(|_| has_commands).map(ScannedFile::recent_shell_commands).unwrap_or_default();
    running.retain(|(id, _)| !recorded.contains(id));
    events.retain(|event| !shell_id(event).is_some_and(|id| recorded.contains(id)));
    events.extend(running.into_iter().map(|(id, result)| Event::BashEnd { id, result }));
}

/// Divides prompts into those that need no recovery, and the others. `known` are the times of messages that are other
/// prompts.
fn settled_and_open(
    prompts: Vec<Prompt>,
    queue: &[Scheduled],
    file: Option<&ScannedFile>,
    known: &[u64],
) -> (Vec<(Prompt, Option<u64>)>, Vec<Prompt>) {
    // Without a prompt the messages of the file, which may be thousands, are not read.
    let earliest = prompts.iter().map(|prompt| prompt.at).min();
    let messages = file.zip(earliest).map(|(file, at)| file.user_messages_since(at)).unwrap_or_default();
    let messages = without_known(messages, known);
    let settled = match_prompts(&prompts, queue, messages);
    let mut open = Vec::new();
    let mut done = Vec::new();
    for (prompt, settled) in prompts.into_iter().zip(settled) {
        match settled {
            Some(time) => done.push((prompt, time)),
            None => open.push(prompt),
        }
    }
    (done, open)
}

/// Leaves out one message for each of these times.
fn without_known(mut messages: Vec<(u64, String)>, known: &[u64]) -> Vec<(u64, String)> {
    for known in known {
        if let Some(position) = messages.iter().position(|(time, _)| time == known) {
            messages.remove(position);
        }
    }
    messages
}

/// Whether the session file contains this extra: shell commands that ended before the agent created its file are
/// written to it by the agent.
fn is_in_file(file: Option<&ScannedFile>, extra: &Extra) -> bool {
    let is_shell = |event: &Event| matches!(event, Event::BashStart { .. } | Event::BashEnd { .. });
    file.is_some() && extra.events.iter().all(is_shell)
}

/// Whether a user message of the file, with its time, is this prompt.
type Matches<'a> = dyn Fn(&Prompt, &(u64, String)) -> bool + 'a;

/// Returns, for each prompt that is in the file, was refused, or was handled as a command, the time of its message in the
/// file, if it has one. `messages` are the user's messages in the file, with their times.
///
/// A server that was killed may have missed the agent's report of a prompt: then a message with its text is the prompt.
/// Templates and skills change the text: the first message after a prompt that was to start a run is that prompt, when
/// it is examined for the first time. Each message matches one prompt, since several may have the same time or text.
fn match_prompts(
    prompts: &[Prompt],
    queue: &[Scheduled],
    mut messages: Vec<(u64, String)>,
) -> Vec<Option<Option<u64>>> {
    let mut settled: Vec<Option<Option<u64>>> =
        prompts.iter().map(|prompt| needs_no_recovery(prompt).then_some(None)).collect();
    let was_starting =
        |prompt: &Prompt| !queue.iter().any(|item| item.id == prompt.client_id) && !is_unsent(prompt);
    let rules: [&Matches<'_>; 4] = [
        &|prompt, (time, text)| prompt.reported == Some(*time) && *text == prompt.text,
        &|prompt, (time, _)| prompt.reported == Some(*time),
        &|prompt, (time, text)| prompt.reported.is_none() && *time >= prompt.at && *text == prompt.text,
        &|prompt, (time, _)| {
            prompt.reported.is_none()
                && *time >= prompt.at
                && prompt.text.starts_with('/')
                && was_starting(prompt)
        },
    ];
    for matches in rules {
        for (prompt, settled) in prompts.iter().zip(&mut settled).filter(|(_, settled)| settled.is_none()) {
            if let Some(position) = messages.iter().position(|message| matches(prompt, message)) {
                *settled = Some(Some(messages.remove(position).0));
            }
        }
    }
    settled
}

fn disposition(prompt: &Prompt) -> Option<Disposition> {
    Some(prompt.outcome.as_ref()?.as_ref().ok()?.as_ref()?.disposition)
}

fn is_unsent(prompt: &Prompt) -> bool {
    disposition(prompt) == Some(Disposition::Unsent)
}

/// A prompt that was refused, or was a command that the agent has handled.
fn needs_no_recovery(prompt: &Prompt) -> bool {
    matches!(prompt.outcome, Some(Err(_)))
        || (prompt.reported.is_none() && disposition(prompt) == Some(Disposition::Handled))
}

/// The row of a prompt that never reached the agent.
pub(super) fn user_message(prompt: &Prompt) -> Event {
    let mut parts = vec![Part::Text { text: prompt.text.clone() }];
    parts.extend(prompt.images.iter().cloned().map(Part::Image));
    let client_id = Some(prompt.client_id.clone());
    Event::MessageEnd { message: Message::User { content: Content(parts), client_id, timestamp: None } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(client_id: &str, text: &str, at: u64) -> Prompt {
        Prompt { client_id: client_id.to_owned(), text: text.to_owned(), at, ..Prompt::default() }
    }

    fn matched(prompts: &[Prompt], messages: &[(u64, &str)]) -> Vec<bool> {
        let messages = messages.iter().map(|(time, text)| (*time, (*text).to_owned())).collect();
        match_prompts(prompts, &[], messages).iter().map(Option::is_some).collect()
    }

    #[test]
    fn each_message_of_the_file_settles_one_prompt() {
        let twice = [prompt("a", "again", 10), prompt("b", "again", 11)];
        assert_eq!(matched(&twice, &[(12, "again")]), [true, false]);
        assert_eq!(matched(&twice, &[(12, "again"), (12, "again")]), [true, true]);
        assert_eq!(matched(&twice, &[(9, "again")]), [false, false], "an older message is another one");
    }

    #[test]
    fn a_reported_prompt_is_found_by_its_time_even_if_its_text_was_changed() {
        let reported = Prompt { reported: Some(20), ..prompt("a", "/template", 10) };
        assert_eq!(matched(std::slice::from_ref(&reported), &[(20, "the long text")]), [true]);
        assert_eq!(matched(&[reported], &[(21, "/template")]), [false]);
    }

    #[test]
    fn a_command_that_was_to_start_a_run_is_the_first_message_after_it() {
        let command = prompt("a", "/template", 10);
        assert_eq!(matched(std::slice::from_ref(&command), &[(12, "the long text")]), [true]);
        let unsent =
            Prompt { outcome: Some(Ok(Some(Prompted { disposition: Disposition::Unsent }))), ..command };
        assert_eq!(matched(&[unsent], &[(12, "the long text")]), [false], "only the first time");
        assert_eq!(matched(&[prompt("a", "plain", 10)], &[(12, "another")]), [false]);
    }

    #[test]
    fn a_message_of_a_settled_prompt_settles_no_other_prompt() {
        let messages = || vec![(12, "settled before".to_owned()), (13, "again".to_owned())];
        let held = [prompt("held", "/wait", 10), prompt("again", "again", 11)];
        assert_eq!(
            match_prompts(&held, &[], messages()),
            [Some(Some(12)), Some(Some(13))],
            "both would be lost"
        );
        assert_eq!(match_prompts(&held, &[], without_known(messages(), &[12, 13])), [None, None]);
        assert_eq!(without_known(vec![(12, "a".into()), (12, "b".into())], &[12]).len(), 1);
    }

    #[test]
    fn refused_and_handled_prompts_need_no_recovery() {
        let refused = Prompt { outcome: Some(Err("no".to_owned())), ..prompt("a", "x", 1) };
        let handled = Prompt {
            outcome: Some(Ok(Some(Prompted { disposition: Disposition::Handled }))),
            ..prompt("b", "/x", 1)
        };
        assert_eq!(matched(&[refused, handled], &[]), [true, true]);
    }

    #[test]
    fn what_was_in_progress_is_recovered_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let session = || "s".to_owned();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let commit = |writes: Vec<Write>| runtime.block_on(store.write(writes).result()).unwrap();
        commit(vec![
            Write::AcceptPrompt { session: session(), prompt: prompt("lost", "Never arrived", 5) },
            Write::AcceptPrompt { session: session(), prompt: prompt("queued", "Later", 6) },
            Write::SaveQueue {
                session: session(),
                items: vec![Scheduled {
                    id: "queued".to_owned(),
                    text: "Later".to_owned(),
                    under_edit: true,
                    ..Scheduled::default()
                }],
            },
        ]);
        let first = Recovered::read(&store, "s", &Blobs::default(), None);
        assert_eq!(first.unsent.iter().map(|prompt| prompt.client_id.as_str()).collect::<Vec<_>>(), ["lost"]);
        assert_eq!(first.queue.items().len(), 1);
        assert!(!first.queue.items()[0].under_edit, "the editor is gone");
        let unsent = Some(Ok(Some(Prompted { disposition: Disposition::Unsent })));
        assert!(first.outcomes.contains(&("lost".to_owned(), unsent.clone())), "{:?}", first.outcomes);
        commit(first.writes);
        let second = Recovered::read(&store, "s", &Blobs::default(), None);
        assert_eq!(second.unsent.len(), 1, "it stays unsent until it is resumed");
        assert!(second.outcomes.contains(&("lost".to_owned(), unsent)));
    }
}
