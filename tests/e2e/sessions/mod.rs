//! Sessions as a whole: the library in the sidebar, and sessions that wait for the user.

mod library;
mod waiting;
