//! The page's state, by origin: `server` mirrors the server's state, `client` belongs to this browser alone. Neither
//! writes into the other. `sidebar` is computed from both.

pub mod client;
pub mod server;
pub mod sidebar;

pub use self::client::ClientState;
pub use self::server::ServerState;
