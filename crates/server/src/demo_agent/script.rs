//! stub
use super::{DemoArguments, agent::Agent};
use std::sync::Arc;
use tokio::sync::mpsc;
pub(crate) async fn play(
    _agent: &Arc<Agent>,
    _arguments: &DemoArguments,
    _lines: mpsc::Receiver<Vec<u8>>,
) -> anyhow::Result<()> {
    Ok(())
}
