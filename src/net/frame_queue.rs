//! Frames that have arrived and wait for the next animation frame. Order is never changed. Pure.

use pilothouse_core::limits::HIDDEN_TAB_FRAMES;
use pilothouse_core::protocol::ServerFrame;

#[derive(Default)]
pub struct FrameQueue {
    frames: Vec<ServerFrame>,
    planned: bool,
}

/// What has to happen after a frame was put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Ask for an animation frame.
    Schedule,
    /// One is already under way.
    Wait,
    /// Take everything out now.
    Drain,
}

impl FrameQueue {
    pub fn push(&mut self, frame: ServerFrame, hidden: bool) -> Plan {
        self.frames.push(frame);
        if hidden && self.frames.len() >= HIDDEN_TAB_FRAMES {
            return Plan::Drain;
        }
        if self.planned {
            return Plan::Wait;
        }
        self.planned = true;
        Plan::Schedule
    }

    pub fn drain(&mut self) -> Vec<ServerFrame> {
        self.planned = false;
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
    fn frames_of_one_animation_frame_are_taken_together_in_order() {
        let mut inbox = FrameQueue::default();
        assert_eq!(inbox.push(frame(0), false), Plan::Schedule);
        assert_eq!(inbox.push(frame(1), false), Plan::Wait);
        assert_eq!(inbox.drain(), [frame(0), frame(1)]);
        assert_eq!(inbox.push(frame(2), false), Plan::Schedule);
    }

    #[test]
    fn a_hidden_tab_does_not_hoard() {
        let mut inbox = FrameQueue::default();
        let plans: Vec<Plan> = (0..HIDDEN_TAB_FRAMES).map(|number| inbox.push(frame(number), true)).collect();
        assert_eq!(plans.last(), Some(&Plan::Drain));
        assert_eq!(inbox.drain().len(), HIDDEN_TAB_FRAMES);
    }
}
