//! Placeholder.
#[derive(Debug, clap::Args)]
pub struct DemoArguments {}
pub async fn run(_: DemoArguments) -> anyhow::Result<()> {
    Ok(())
}
