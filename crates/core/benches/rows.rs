//! Measures one text delta and one snapshot, in short and in long conversations. For comparison with the delta,
//! the usual approach of UI frameworks: copying the list of references with every delta, so that rows can be
//! compared by identity.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a bench reads the clock")]

mod conversation;

use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pilothouse_core::{SessionView, UiMessage};

/// The deltas between two resets of their row. Without resets the row would grow to megabytes, and growing the
/// string would dominate. Neither the resets nor building the conversation is measured.
const DELTAS: u64 = 100;
const DELTA: &str = "and so on, ";
const BEGINNING: &str = "It begins";

fn delta(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("delta");
    for rows in [10, 50_000] {
        let mut controller = conversation::of_rows(rows - 1);
        controller.handle_server_event(conversation::delta(0, BEGINNING));
        group.bench_function(BenchmarkId::from_parameter(format!("rows-{rows}")), |bencher| {
            bencher.iter_custom(|count| {
                in_rounds(count, |deltas| {
                    // The end of an empty message removes its row, and the next delta adds a new one.
                    controller.handle_server_event(conversation::empty_end());
                    controller.handle_server_event(conversation::delta(0, BEGINNING));
                    let events: Vec<_> = (0..deltas).map(|_| conversation::delta(0, DELTA)).collect();
                    let start = Instant::now();
                    for event in events {
                        black_box(controller.handle_server_event(event));
                    }
                    start.elapsed()
                })
            });
        });
    }
}

/// Shares rows, as JavaScript shares objects: a delta copies the references and creates one new row.
fn delta_by_copy(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("delta-by-copy");
    for rows in [10, 50_000] {
        let old = conversation::of_rows(rows - 1);
        let mut list: Vec<Rc<UiMessage>> = old.rows().iter().cloned().map(Rc::new).collect();
        list.push(Rc::default());
        group.bench_function(BenchmarkId::from_parameter(format!("rows-{rows}")), |bencher| {
            bencher.iter_custom(|count| {
                in_rounds(count, |deltas| {
                    list[rows - 1] = Rc::new(conversation::answer(BEGINNING));
                    let start = Instant::now();
                    for _ in 0..deltas {
                        list = black_box(with_delta(&list, DELTA));
                    }
                    start.elapsed()
                })
            });
        });
    }
}

fn with_delta(list: &[Rc<UiMessage>], delta: &str) -> Vec<Rc<UiMessage>> {
    let mut next = list.to_vec();
    if let Some(last) = next.last_mut() {
        let mut row = UiMessage::clone(last);
        row.text.push_str(delta);
        *last = Rc::new(row);
    }
    next
}

/// Both sizes copy one page of rows and the remembered calls, so a difference is the cost of finding them.
fn snapshot(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("snapshot");
    for rows in [1_000, 50_000] {
        let view = SessionView { controller: conversation::of_rows(rows), ..SessionView::default() };
        group.bench_function(BenchmarkId::from_parameter(format!("rows-{rows}")), |bencher| {
            bencher.iter_with_large_drop(|| view.snapshot());
        });
    }
}

fn in_rounds(count: u64, mut round: impl FnMut(u64) -> Duration) -> Duration {
    let whole = (0..count / DELTAS).map(|_| round(DELTAS)).sum::<Duration>();
    whole + round(count % DELTAS)
}

fn short_runs() -> Criterion {
    let (warm_up, measured) = (Duration::from_millis(300), Duration::from_secs(1));
    Criterion::default().sample_size(30).warm_up_time(warm_up).measurement_time(measured)
}

criterion_group! { name = rows; config = short_runs(); targets = delta, delta_by_copy, snapshot }
criterion_main!(rows);
