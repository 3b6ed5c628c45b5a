//! Text that wants to be more than text: promise 11, in a real browser and through every channel there is. Each story
//! is watched from before the page's first script to its end; the payloads are in `tests/hostile`.

mod beside;
mod history;
mod live;
mod names;
pub mod payloads;
pub mod trap;
pub mod watch;
