//! Measures folding a whole conversation. Ten times the events should take ten times the time.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a bench reads the clock")]

mod conversation;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use pilothouse_core::MessageController;

const MOST_EVENTS: usize = 100_000;

fn fold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fold");
    group.sampling_mode(SamplingMode::Flat);
    for events in [10_000, MOST_EVENTS] {
        group.bench_function(BenchmarkId::from_parameter(format!("events-{events}")), |bencher| {
            bencher.iter_custom(|count| (0..count).map(|_| mean_time_of(events)).sum());
        });
    }
}

/// The mean time of folding one conversation. Several short conversations are kept in memory at once, so that both
/// sizes allocate the same amount: fresh memory is slow, whatever it is used for.
fn mean_time_of(events: usize) -> Duration {
    let conversations = MOST_EVENTS / events;
    let folded: Vec<(MessageController, Duration)> = (0..conversations).map(|_| time_of(events)).collect();
    let time: Duration = folded.iter().map(|(_, time)| *time).sum();
    time / u32::try_from(conversations).unwrap_or(u32::MAX)
}

/// The time of folding one conversation. Each turn is created just before it is folded, as events arrive from a
/// socket, and only the folding is timed.
fn time_of(events: usize) -> (MessageController, Duration) {
    let mut controller = MessageController::default();
    let mut time = Duration::ZERO;
    let mut left = events;
    for number in 0.. {
        let mut turn = conversation::turn(number);
        turn.truncate(left);
        left -= turn.len();
        let start = Instant::now();
        for event in turn {
            black_box(controller.handle_server_event(event));
        }
        time += start.elapsed();
        if left == 0 {
            break;
        }
    }
    (controller, time)
}

fn short_runs() -> Criterion {
    let (warm_up, measured) = (Duration::from_millis(300), Duration::from_millis(1_500));
    Criterion::default().sample_size(20).warm_up_time(warm_up).measurement_time(measured)
}

criterion_group! { name = folding; config = short_runs(); targets = fold }
criterion_main!(folding);
