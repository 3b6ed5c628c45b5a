//! User messages: a prompt starts a run, or waits in a queue while one is under way.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::Command;
use crate::{
    agent::{Agent, Queued, State, WorkKind},
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
    let queued = match read(command) {
        Ok(queued) => queued,
        Err(error) => return command.fail(agent, error),
    };
    let queue = match command.text("streamingBehavior") {
        Some("steer") => Some(Queue::Steering),
        Some("followUp") => Some(Queue::FollowUp),
        _ => None,
    };
    // Looking whether somebody works and starting to work are one step.
    let started = agent.with(|state| {
        if state.is_at(WorkKind::Compaction) {
            command.fail(agent, COMPACTING);
        } else if !state.is_at(WorkKind::Run) {
            command.succeed(agent, Some(json!({"disposition": "started"})));
            return Some((state.begin(WorkKind::Run), queued));
        } else if let Some(queue) = queue {
            put(agent, state, command, queue, queued);
        } else {
            command.fail(agent, ALREADY_PROCESSING);
        }
        None
    });
    if let Some(((work, finished), queued)) = started {
        run::start(agent, work, finished, queued);
    }
}

/// `steer` and `follow_up`: into the queue, even when nothing runs that would take it up.
pub(super) fn queue(agent: &Agent, command: &Command, queue: Queue) {
    match read(command) {
        Ok(queued) => agent.with(|state| put(agent, state, command, queue, queued)),
        Err(error) => command.fail(agent, error),
    }
}

fn put(agent: &Agent, state: &mut State, command: &Command, queue: Queue, queued: Queued) {
    match queue {
        Queue::Steering => state.queues.steering.push_back(queued),
        Queue::FollowUp => state.queues.follow_up.push_back(queued),
    }
    agent.output.emit(&state.queues.update());
    command.succeed(agent, Some(json!({"disposition": "queued"})));
}

pub(super) fn clear_queue(agent: &Agent, command: &Command) {
    agent.with(|state| {
        let texts = |queue: &mut std::collections::VecDeque<Queued>| -> Vec<String> {
            queue.drain(..).map(|queued| queued.text).collect()
        };
        let steering = texts(&mut state.queues.steering);
        let follow_up = texts(&mut state.queues.follow_up);
        agent.output.emit(&state.queues.update());
        command.succeed(agent, Some(json!({"steering": steering, "followUp": follow_up})));
    });
}

fn read(command: &Command) -> Result<Queued, &'static str> {
    let text = command.text("message").ok_or(NO_MESSAGE)?.to_owned();
    let given = command.fields["images"].as_array().into_iter().flatten();
    let images: Vec<(Content, ImageInfo)> = given.map(read_image).collect::<Option<_>>().ok_or(NO_IMAGE)?;
    let (images, image_infos) = images.into_iter().unzip();
    Ok(Queued { text, images, image_infos, timestamp: session::milliseconds() })
}

fn read_image(image: &Value) -> Option<(Content, ImageInfo)> {
    let data = image["data"].as_str()?.to_owned();
    let mime_type = image["mimeType"].as_str().unwrap_or("application/octet-stream").to_owned();
    let bytes = STANDARD.decode(&data).map_or(0, |bytes| bytes.len());
    let info = ImageInfo { mime_type: mime_type.clone(), bytes };
    Some((Content::Image { data, mime_type }, info))
}

const COMPACTING: &str =
    "Cannot submit a prompt while compaction is in progress. Wait for compaction to finish and retry.";
const ALREADY_PROCESSING: &str =
    "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
const NO_MESSAGE: &str = "Cannot read properties of undefined (reading 'startsWith')";
const NO_IMAGE: &str = "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or \
an Array-like Object. Received undefined";
