//! One turn: a reply and its tool calls, or a failed reply and the wait before the next attempt.

use std::{sync::Arc, time::Duration};

use super::{
    NextAction, Run,
    stream::{Ending, Stream},
};
use crate::{
    agent::Agent,
    pace::Cancel,
    protocol::{AssistantMessage, Content, Event, Message, StopReason},
    scenes::{Block, Call, CallResult, Reply},
    session::{EntryBody, context},
    tools::{self, NumberedCall, ToolContext},
};

/// The delay before a failing provider reports its error.
const ERROR_DELAY: Duration = Duration::from_millis(400);
/// The delay before the first retry; as in pi, it doubles with every attempt.
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(2);
const MAX_ATTEMPTS: u32 = 3;

impl Run {
    pub(super) async fn play_reply(&mut self, reply: Reply) -> NextAction {
        let blocks = self.drop_thinking_if_off(reply.blocks);
        let calls = self.number_calls(&blocks);
        let message = self.stream(&blocks, &calls, &Ending::Complete).await;
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
            return NextAction::SettleIfIdle;
        }
        let results = self.run_tools(&calls).await;
        self.end_turn(&message, &results);
        if self.work.cancel.is_cancelled() {
            return self.abort_after_tools();
        }
        NextAction::StartTurn
    }

    async fn stream(&self, blocks: &[Block], calls: &[NumberedCall], ending: &Ending) -> Message {
        let stream = Stream::new(&self.agent, &self.work.cancel);
        stream.play(blocks, calls, ending).await
    }

    fn drop_thinking_if_off(&self, blocks: Vec<Block>) -> Vec<Block> {
        let off = self.agent.with(|state| state.thinking_level == "off");
        let is_kept = |block: &Block| !(off && matches!(block, Block::Thinking(_)));
        blocks.into_iter().filter(is_kept).collect()
    }

    /// Assigns an id to every call. The ids count up through the whole session.
    fn number_calls(&self, blocks: &[Block]) -> Vec<NumberedCall> {
        let before = self.agent.with(|state| context::count_calls(state.session.entries()));
        let calls = blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            _ => None,
        });
        let numbered = |(index, call): (usize, &Call)| NumberedCall {
            id: format!("call_{}", before + index + 1),
            call: call.clone(),
        };
        calls.enumerate().map(numbered).collect()
    }

    async fn run_tools(&mut self, calls: &[NumberedCall]) -> Vec<Message> {
        let context = ToolContext { agent: &self.agent, cancel: &self.work.cancel };
        let results = tools::run_all(&context, calls).await;
        for result in &results {
            self.store_and_announce(result);
        }
        self.results = results.iter().filter_map(call_result).collect();
        results
    }

    pub(super) async fn play_failure(&mut self, blocks: Vec<Block>, error: String) -> NextAction {
        let message = if blocks.is_empty() {
            self.agent.pace.wait(ERROR_DELAY, &self.work.cancel).await;
            Stream::new(&self.agent, &self.work.cancel).fail_at_once(&error)
        } else {
            let blocks = self.drop_thinking_if_off(blocks);
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
        if !wait_to_retry(&self.agent, &self.work.cancel, self.attempts, &error, &entry).await {
            return self.settle_only(self.work.cancel.is_cancelled());
        }
        self.agent.output.emit(&Event::AgentStart);
        NextAction::StartTurn
    }

    /// Ends a run that was aborted during its tool calls. As in pi, one more turn starts and fails at once.
    fn abort_after_tools(&mut self) -> NextAction {
        self.agent.output.emit(&Event::TurnStart);
        self.deliver_steering();
        let message = Stream::new(&self.agent, &self.work.cancel).fail_at_once("This operation was aborted");
        self.store_and_announce_end(&message);
        self.end_aborted(&message)
    }

    fn end_aborted(&mut self, message: &Message) -> NextAction {
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

/// Announces a retry, removes the failed message from the context, and waits for the retry delay. Returns false if
/// the wait was cancelled.
async fn wait_to_retry(
    agent: &Arc<Agent>,
    abort: &Cancel,
    attempt: u32,
    error: &str,
    failed_entry: &str,
) -> bool {
    let delay = FIRST_RETRY_DELAY * 2_u32.pow(attempt - 1);
    let scaled = agent.pace.scale(delay).unwrap_or_default();
    let cancel_retry = Cancel::new();
    agent.with(|state| {
        agent.output.emit(&Event::AutoRetryStart {
            attempt,
            max_attempts: MAX_ATTEMPTS,
            delay_ms: u64::try_from(scaled.as_millis()).unwrap_or(u64::MAX),
            error_message: error,
        });
        let entry =
            state.session.append(&EntryBody::ContextEdit { target_id: failed_entry, replacement: None });
        agent.output.emit(&Event::EntryAppended { entry: &entry });
        state.retry_wait = Some(cancel_retry.clone());
    });
    let elapsed = tokio::select! {
        elapsed = agent.pace.wait(delay, abort) => elapsed,
        () = cancel_retry.cancelled() => false,
    };
    agent.with(|state| state.retry_wait = None);
    if elapsed {
        return true;
    }
    agent.output.emit(&Event::AutoRetryEnd { success: false, attempt, final_error: Some("Retry cancelled") });
    false
}
