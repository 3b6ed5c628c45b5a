//! Sessions as a whole: the library in the sidebar, sessions that wait for the user, and other branches of a session.

mod branches;
mod folders;
mod library;
mod waiting;
