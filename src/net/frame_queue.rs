//! Received frames that wait for the next animation frame, in their order. Pure.

use pilothouse_core::limits::HIDDEN_TAB_FRAMES;
use pilothouse_core::protocol::ServerFrame;

#[derive(Default)]
pub struct FrameQueue {
    frames: Vec<ServerFrame>,
    scheduled: bool,
}

/// What the caller must do after pushing a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Request an animation frame.
    Schedule,
    /// Nothing: an animation frame is already requested.
    Wait,
    /// Drain the queue now: hidden tabs get no animation frames.
    Drain,
}

impl FrameQueue {
    pub fn push(&mut self, frame: ServerFrame, hidden: bool) -> Plan {
        self.frames.push(frame);
        if hidden && self.frames.len() >= HIDDEN_TAB_FRAMES {
            return Plan::Drain;
        }
        if self.scheduled {
            return Plan::Wait;
        }
        self.scheduled = true;
        Plan::Schedule
    }

    pub fn drain(&mut self) -> Vec<ServerFrame> {
        self.scheduled = false;
        std::mem::take(&mut self.frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(number: usize) -> ServerFrame {
        ServerFrame::SessionsChanged { changed: Vec::new(), removed: vec![number.to_string()] }
    }

    #[test]
    fn frames_of_one_animation_frame_are_drained_together_in_order() {
        let mut queue = FrameQueue::default();
        assert_eq!(queue.push(frame(0), false), Plan::Schedule);
        assert_eq!(queue.push(frame(1), false), Plan::Wait);
        assert_eq!(queue.drain(), [frame(0), frame(1)]);
        assert_eq!(queue.push(frame(2), false), Plan::Schedule);
    }

    #[test]
    fn a_hidden_tab_drains_a_full_queue() {
        let mut queue = FrameQueue::default();
        let plans: Vec<Plan> = (0..HIDDEN_TAB_FRAMES).map(|number| queue.push(frame(number), true)).collect();
        assert_eq!(plans.last(), Some(&Plan::Drain));
        assert_eq!(queue.drain().len(), HIDDEN_TAB_FRAMES);
    }
}
