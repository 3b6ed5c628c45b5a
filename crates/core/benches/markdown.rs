//! Measures one delta of streamed Markdown, after a short and after a long text. For comparison, the usual
//! approach: parsing the whole text again with every delta.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a bench reads the clock")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pilothouse_core::render::markdown::{self, MarkdownStream};

const DELTA: &str = "and so **on**, ";

/// The deltas of one round. Every round begins with the same text, which is not measured, so that the last block
/// has the same length in all samples.
const DELTAS: u64 = 100;

const SIZES: [usize; 2] = [1, 100];

/// Blocks of several kinds and the beginning of a last paragraph.
fn text(kilobytes: usize) -> String {
    let some = "## A heading\n\nA paragraph with **strong** words, `code` and [a link](https://example.org).\n\n\
                - one thing\n- another thing\n\n```rust\nfn main() {\n    start();\n}\n```\n\n";
    format!("{}The last one begins, ", some.repeat((kilobytes * 1024).div_ceil(some.len())))
}

/// One open block of code.
fn fence(kilobytes: usize) -> String {
    let line = "    let row = controller.rows().get(index);\n";
    format!("```rust\n{}", line.repeat((kilobytes * 1024).div_ceil(line.len())))
}

fn delta(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("markdown-delta");
    for (kind, create) in [("text", text as fn(usize) -> String), ("fence", fence)] {
        for size in SIZES {
            let beginning = create(size);
            group.bench_function(BenchmarkId::from_parameter(format!("{kind}-{size}-kb")), |bencher| {
                bencher.iter_custom(|count| {
                    in_rounds(count, |deltas| {
                        let mut stream = MarkdownStream::default();
                        stream.push(&beginning);
                        let start = Instant::now();
                        for _ in 0..deltas {
                            stream.push(black_box(DELTA));
                            black_box(stream.blocks());
                        }
                        start.elapsed()
                    })
                });
            });
        }
    }
}

fn delta_whole(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("markdown-delta-whole");
    for size in SIZES {
        let mut text = text(size);
        let beginning = text.len();
        group.bench_function(BenchmarkId::from_parameter(format!("text-{size}-kb")), |bencher| {
            bencher.iter_custom(|count| {
                in_rounds(count, |deltas| {
                    text.truncate(beginning);
                    let start = Instant::now();
                    for _ in 0..deltas {
                        text.push_str(black_box(DELTA));
                        black_box(markdown::parse_blocks(&text));
                    }
                    start.elapsed()
                })
            });
        });
    }
}

fn in_rounds(count: u64, mut round: impl FnMut(u64) -> Duration) -> Duration {
    let whole = (0..count / DELTAS).map(|_| round(DELTAS)).sum::<Duration>();
    whole + round(count % DELTAS)
}

fn short_runs() -> Criterion {
    let (warm_up, measured) = (Duration::from_millis(300), Duration::from_secs(1));
    Criterion::default().sample_size(20).warm_up_time(warm_up).measurement_time(measured)
}

criterion_group! { name = streamed; config = short_runs(); targets = delta, delta_whole }
criterion_main!(streamed);
