//! What the page knows, by owner: `server` holds what the server told, `client` what belongs to this browser alone.
//! Neither writes into the other.

pub mod client;
pub mod server;

pub use self::client::ClientState;
pub use self::server::ServerState;
