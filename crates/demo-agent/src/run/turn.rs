//! One turn: a reply and its tools, or a failure and the wait after it.

use std::{sync::Arc, time::Duration};

use super::{
    After, Run,
    stream::{Ending, Stream},
};
use crate::{
    agent::Agent,
    pace::Cancel,
    protocol::{AssistantMessage, Content, Event, Message, StopReason},
    scenes::{Block, Call, CallResult, Reply},
    session::{Body, context},
    tools::{self, NumberedCall, Workbench},
};

/// Until a provider that fails says so.
const UNTIL_REFUSED: Duration = Duration::from_millis(400);

impl Run {
    pub(super) async fn play_reply(&mut self, reply: Reply) -> After {
        let blocks = self.without_thinking_if_off(reply.blocks);
        let calls = self.number(&blocks);
        let message = self.stream(&blocks, &calls, &Ending::Whole).await;
        let aborted = stop_reason(&message) == Some(StopReason::Aborted);
        self.store_and_announce_end(&message);
        if self.attempts > 0 && !aborted {
            self.agent.output.emit(&Event::AutoRetryEnd {
                success: true,
                attempt: self.attempts,
                final_error: None,
            });
            self.attempts = 0;
        }
        if aborted {
            return self.end_aborted(&message);
        }
        self.then_compact |= reply.then_compact;
        if calls.is_empty() {
            self.scene_over = true;
            self.end_turn(&message, &[]);
            if self.work.cancel.is_cancelled() {
                return self.settle(true);
            }
            return After::MaybeDone;
        }
        let results = self.run_tools(&calls).await;
        self.end_turn(&message, &results);
        if self.work.cancel.is_cancelled() {
            return self.abort_after_tools();
        }
        After::AnotherTurn
    }

    async fn stream(&self, blocks: &[Block], calls: &[NumberedCall], ending: &Ending) -> Message {
        let stream = Stream::new(&self.agent, &self.work.cancel);
        stream.play(blocks, calls, ending).await
    }

    fn without_thinking_if_off(&self, blocks: Vec<Block>) -> Vec<Block> {
        let off = self.agent.with(|state| state.thinking_level == "off");
        let wanted = |block: &Block| !(off && matches!(block, Block::Thinking(_)));
        blocks.into_iter().filter(wanted).collect()
    }

    /// Gives every call its id: they count through the session.
    fn number(&self, blocks: &[Block]) -> Vec<NumberedCall> {
        let before = self.agent.with(|state| context::count_calls(state.session.entries()));
        let calls = blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            _ => None,
        });
        let numbered = |(place, call): (usize, &Call)| NumberedCall {
            id: format!("call_{}", before + place + 1),
            call: call.clone(),
        };
        calls.enumerate().map(numbered).collect()
    }

    async fn run_tools(&mut self, calls: &[NumberedCall]) -> Vec<Message> {
        let bench = Workbench { agent: &self.agent, cancel: &self.work.cancel };
        let results = tools::run_all(&bench, calls).await;
        for result in &results {
            self.announce(result);
        }
        self.results = results.iter().filter_map(call_result).collect();
        results
    }

    pub(super) async fn play_failure(&mut self, blocks: Vec<Block>, error: String) -> After {
        let message = if blocks.is_empty() {
            self.agent.pace.wait(UNTIL_REFUSED, &self.work.cancel).await;
            Stream::new(&self.agent, &self.work.cancel).fail_at_once(&error)
        } else {
            let blocks = self.without_thinking_if_off(blocks);
            self.stream(&blocks, &[], &Ending::Broken(error.clone())).await
        };
        let entry = self.store_and_announce_end(&message);
        if stop_reason(&message) == Some(StopReason::Aborted) {
            return self.end_aborted(&message);
        }
        self.end_turn(&message, &[]);
        let will_retry = self.agent.with(|state| state.auto_retry) && self.attempts < MAX_ATTEMPTS;
        self.end_agent(will_retry);
        if !will_retry {
            if self.attempts > 0 {
                self.agent.output.emit(&Event::AutoRetryEnd {
                    success: false,
                    attempt: self.attempts,
                    final_error: Some(&error),
                });
            }
            return self.settle_only(false);
        }
        self.attempts += 1;
        match wait_to_retry(&self.agent, &self.work.cancel, self.attempts, &error, &entry).await {
            Waited::TryAgain => {
                self.agent.output.emit(&Event::AgentStart);
                After::AnotherTurn
            }
            Waited::Cancelled => self.settle_only(self.work.cancel.is_cancelled()),
        }
    }

    /// What follows an abort while tools ran: one more turn, which is over before it begins.
    fn abort_after_tools(&mut self) -> After {
        self.agent.output.emit(&Event::TurnStart);
        self.take_steering();
        let message = Stream::new(&self.agent, &self.work.cancel).fail_at_once("This operation was aborted");
        self.store_and_announce_end(&message);
        self.end_aborted(&message)
    }

    fn end_aborted(&mut self, message: &Message) -> After {
        self.end_turn(message, &[]);
        self.settle(true)
    }
}

fn stop_reason(message: &Message) -> Option<StopReason> {
    match message {
        Message::Assistant(AssistantMessage { stop_reason, .. }) => Some(*stop_reason),
        _ => None,
    }
}

fn call_result(message: &Message) -> Option<CallResult> {
    match message {
        Message::ToolResult { content, is_error, .. } => Some(CallResult {
            text: content.iter().filter_map(Content::as_text).collect(),
            is_error: *is_error,
        }),
        _ => None,
    }
}

const MAX_ATTEMPTS: u32 = 3;
/// Doubles with every attempt, as pi's does.
const FIRST_DELAY: Duration = Duration::from_secs(2);

enum Waited {
    TryAgain,
    Cancelled,
}

/// Announces the retry, takes the failed message out of the context and waits.
async fn wait_to_retry(
    agent: &Arc<Agent>,
    abort: &Cancel,
    attempt: u32,
    error: &str,
    failed_entry: &str,
) -> Waited {
    let delay = FIRST_DELAY * 2_u32.pow(attempt - 1);
    let scaled = agent.pace.scale(delay).unwrap_or_default();
    let give_up = Cancel::new();
    agent.with(|state| {
        agent.output.emit(&Event::AutoRetryStart {
            attempt,
            max_attempts: MAX_ATTEMPTS,
            delay_ms: u64::try_from(scaled.as_millis()).unwrap_or(u64::MAX),
            error_message: error,
        });
        let entry = state.session.append(&Body::ContextEdit { target_id: failed_entry, replacement: None });
        agent.output.emit(&Event::EntryAppended { entry: &entry });
        state.retry_wait = Some(give_up.clone());
    });
    let go_on = tokio::select! {
        go_on = agent.pace.wait(delay, abort) => go_on,
        () = give_up.cancelled() => false,
    };
    agent.with(|state| state.retry_wait = None);
    if go_on {
        return Waited::TryAgain;
    }
    agent.output.emit(&Event::AutoRetryEnd { success: false, attempt, final_error: Some("Retry cancelled") });
    Waited::Cancelled
}
