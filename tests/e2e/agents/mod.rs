//! Stories with agents that speak the Agent Client Protocol: Claude with its adapter, and opencode. Their models are
//! scripted; everything else is real. Agents that a story needs in a certain state, such as without a login, are scripts.

mod acceptance;
mod claude;
mod fixture;
mod offering;
mod opencode;
mod protocol;
