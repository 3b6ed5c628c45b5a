//! User messages: a prompt starts a run, or is queued while a run is under way.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::Command;
use crate::{
    agent::{Agent, State, UserMessage, WorkKind},
    protocol::Content,
    run,
    scenes::ImageInfo,
    session,
};

#[derive(Clone, Copy)]
pub(super) enum Queue {
    Steering,
    FollowUp,
}

pub(super) fn prompt(agent: &Arc<Agent>, command: &Command) {
    let message = match read_message(command) {
        Ok(message) => message,
        Err(error) => return command.fail(agent, error),
    };
    let queue = match command.text("streamingBehavior") {
        Some("steer") => Some(Queue::Steering),
        Some("followUp") => Some(Queue::FollowUp),
        _ => None,
    };
    // The check and the start happen under one lock, so that two prompts cannot both start a run.
    let started = agent.with(|state| {
        if state.is_busy_with(WorkKind::Compaction) {
            command.fail(agent, COMPACTING);
        } else if !state.is_busy_with(WorkKind::Run) {
            command.succeed(agent, Some(json!({"disposition": "started"})));
            return Some((state.begin_work(WorkKind::Run), message));
        } else if let Some(queue) = queue {
            enqueue(agent, state, command, queue, message);
        } else {
            command.fail(agent, ALREADY_PROCESSING);
        }
        None
    });
    if let Some(((work, finished), message)) = started {
        run::start(agent, work, finished, message);
    }
}

/// Handles `steer` and `follow_up`: queues the message, even while no run is under way.
pub(super) fn queue(agent: &Agent, command: &Command, queue: Queue) {
    match read_message(command) {
        Ok(message) => agent.with(|state| enqueue(agent, state, command, queue, message)),
        Err(error) => command.fail(agent, error),
    }
}

fn enqueue(agent: &Agent, state: &mut State, command: &Command, queue: Queue, message: UserMessage) {
    match queue {
        Queue::Steering => state.queues.steering.push_back(message),
        Queue::FollowUp => state.queues.follow_up.push_back(message),
    }
    agent.output.emit(&state.queues.update_event());
    command.succeed(agent, Some(json!({"disposition": "queued"})));
}

pub(super) fn clear_queue(agent: &Agent, command: &Command) {
    agent.with(|state| {
        let texts = |queue: &mut std::collections::VecDeque<UserMessage>| -> Vec<String> {
            queue.drain(..).map(|queued| queued.text).collect()
        };
        let steering = texts(&mut state.queues.steering);
        let follow_up = texts(&mut state.queues.follow_up);
        agent.output.emit(&state.queues.update_event());
        command.succeed(agent, Some(json!({"steering": steering, "followUp": follow_up})));
    });
}

fn read_message(command: &Command) -> Result<UserMessage, &'static str> {
    let text = command.text("message").ok_or(NO_MESSAGE)?.to_owned();
    let images = command.fields["images"].as_array().into_iter().flatten();
    let images: Vec<(Content, ImageInfo)> =
        images.map(read_image).collect::<Option<_>>().ok_or(NO_IMAGE_DATA)?;
    let (images, image_infos) = images.into_iter().unzip();
    Ok(UserMessage { text, images, image_infos, timestamp: session::milliseconds() })
}

fn read_image(image: &Value) -> Option<(Content, ImageInfo)> {
    let data = image["data"].as_str()?.to_owned();
    let mime_type = image["mimeType"].as_str().unwrap_or("application/octet-stream").to_owned();
    let bytes = STANDARD.decode(&data).map_or(0, |bytes| bytes.len());
    let info = ImageInfo { mime_type: mime_type.clone(), bytes };
    Some((Content::Image { data, mime_type }, info))
}

// The texts of pi, including those of exceptions that its runtime throws.
const COMPACTING: &str =
    "Cannot submit a prompt while compaction is in progress. Wait for compaction to finish and retry.";
const ALREADY_PROCESSING: &str =
    "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
const NO_MESSAGE: &str = "Cannot read properties of undefined (reading 'startsWith')";
const NO_IMAGE_DATA: &str = "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or \
an Array-like Object. Received undefined";
