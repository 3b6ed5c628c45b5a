//! The page beside a page of plain elements, the floor, in one real browser and with one real server: what each costs,
//! written down for `cargo xtask bench page`, which tells it as ratios beside the budgets. Nothing is asserted, since
//! how fast a machine is at the moment is no property of the code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answer;
mod figures;
mod history;
mod stage;
mod visit;

use figures::Figures;
use stage::{Kind, LENGTHS, Stage};
use visit::Visit;

/// How much is measured.
struct Extent {
    rounds: usize,
    deltas: usize,
}

#[tokio::main]
async fn main() {
    let Some(Extent { rounds, deltas }) = extent(std::env::args().skip(1)) else { return };
    println!("{rounds} rounds, {deltas} deltas; the conversations are written and indexed first");
    let stage = Stage::new(rounds, deltas).await;
    stage.page().add_init_script(include_str!("measure.js")).await;
    // The token is traded for the cookie, which both have from then on.
    stage.page().enter(&stage.address(Kind::Page)).await;
    let mut figures = Figures::default();
    for round in 0..rounds {
        // Who comes first changes.
        let mut kinds = [Kind::Page, Kind::Floor];
        kinds.rotate_left(round % 2);
        for kind in kinds {
            stage.until_quiet().await;
            println!("round {}: the {}", round + 1, kind.name());
            let visit = Visit::new(&stage, kind, round);
            visit.look(&mut figures).await;
            visit.weigh(&mut figures).await;
            for turns in LENGTHS {
                visit.stream(turns, deltas, &mut figures).await;
            }
        }
    }
    stage.browser.quit().await;
    figures.write();
}

/// None if it is not to be measured at all: cargo's tests start benches, too, with arguments of their own.
fn extent(arguments: impl Iterator<Item = String>) -> Option<Extent> {
    std::env::var_os("PILOTHOUSE_BINARY")?;
    let mut extent = Extent { rounds: 3, deltas: 4_000 };
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => extent = Extent { rounds: 1, deltas: 800 },
            "--rounds" => extent.rounds = arguments.next().and_then(|count| count.parse().ok()).unwrap(),
            _ => {}
        }
    }
    Some(extent)
}
