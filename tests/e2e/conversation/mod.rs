//! A conversation with the agent: what streams in, and what a user does with it.

mod announcements;
mod answers;
mod approvals;
mod export;
mod messages;
mod notifications;
mod run_control;
mod streaming;
