//! HTTP: the guard in front of every request, the table of routes, the embedded page, and images.

pub mod assets;
pub mod blobs;
pub mod connections;
pub mod guard;
pub mod routes;
pub mod tls;
