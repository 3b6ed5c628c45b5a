//! Hostile text: promise 11 in a real browser, through every channel. Each story is watched from before the first
//! script of the page to its end. The payloads are in `tests/hostile`.

mod extensions;
mod history;
mod live;
mod names;
pub mod payloads;
pub mod trap;
pub mod watch;
