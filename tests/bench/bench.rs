//! The cost of the page, compared with a page of plain elements (the floor), in one real browser with one real server.
//! `cargo xtask bench page` shows the figures as ratios beside their budgets. Nothing is asserted, since the current
//! speed of a machine is no property of the code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answer;
mod figures;
mod fixture;
mod history;
mod visit;

use figures::Figures;
use fixture::{Fixture, Kind, LENGTHS};
use visit::Visit;

/// The extent of the measurement.
struct Extent {
    rounds: usize,
    deltas: usize,
}

#[tokio::main]
async fn main() {
    let Some(Extent { rounds, deltas }) = extent(std::env::args().skip(1)) else { return };
    println!("{rounds} rounds, {deltas} deltas; the conversations are written and indexed first");
    let fixture = Fixture::new(rounds, deltas).await;
    fixture.page().add_init_script(visit::MEASURE_SOURCE).await;
    // Gives this browser access.
    fixture.page().enter(&fixture.address(Kind::Page)).await;
    let mut figures = Figures::default();
    for round in 0..rounds {
        // The pages take turns in being measured first.
        let mut kinds = [Kind::Page, Kind::Floor];
        kinds.rotate_left(round % 2);
        for kind in kinds {
            fixture.until_idle().await;
            println!("round {}: the {}", round + 1, kind.name());
            let visit = Visit::new(&fixture, kind, round);
            visit.first_visit(&mut figures).await;
            visit.switch(&mut figures).await;
            visit.weigh(&mut figures).await;
            for turns in LENGTHS {
                visit.stream(turns, deltas, &mut figures).await;
            }
        }
    }
    fixture.browser.quit().await;
    figures.write();
}

/// Reads the arguments. Returns `None` if nothing is to be measured: `cargo test` starts benches, too.
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
