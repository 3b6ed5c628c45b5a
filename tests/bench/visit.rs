//! One look at a page: what is done with it, and what that costs. The same for every page.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use pilothouse_test_support::browser::Page;

use crate::answer::{BURST, END, PACED, PER_SECOND};
use crate::figures::{Figures, median, nanoseconds};
use crate::stage::{FIRST, Kind, LENGTHS, Stage};

/// How often one switches back to each conversation: a page that is kept open has done so before, and the browser has
/// compiled for good what that runs.
const SWITCHES: usize = 20;
/// Between two keys.
const TYPING: Duration = Duration::from_millis(100);

pub struct Visit<'a> {
    stage: &'a Stage,
    page: Page,
    kind: Kind,
    round: usize,
}

/// What `measure.js` tells of an answer; times are in milliseconds.
#[derive(Debug, Deserialize)]
struct Streamed {
    took: f64,
    updates: f64,
    key: f64,
    keys: usize,
    task: f64,
    letters: usize,
}

#[derive(Deserialize)]
struct Loaded {
    name: String,
    bytes: f64,
    later: bool,
}

impl<'a> Visit<'a> {
    pub fn new(stage: &'a Stage, kind: Kind, round: usize) -> Self {
        Self { stage, page: stage.page(), kind, round }
    }

    /// Shows conversations for the first time and again.
    pub async fn look(&self, figures: &mut Figures) {
        for turns in LENGTHS {
            self.load().await;
            self.show(FIRST).await;
            figures.least(self.figure("show", turns), nanoseconds(self.show(turns).await));
        }
        let mut switched = LENGTHS.map(|_| Vec::new());
        // The first time they are not all known to this page.
        for number in 0..=SWITCHES {
            for (times, turns) in switched.iter_mut().zip(LENGTHS) {
                let took = self.show(turns).await;
                if number > 0 {
                    times.push(took);
                }
            }
        }
        for (times, turns) in switched.into_iter().zip(LENGTHS) {
            figures.least(self.figure("switch", turns), nanoseconds(median(times)));
        }
    }

    /// What comes over the wire before anything is shown, and what follows when it is.
    pub async fn weigh(&self, figures: &mut Figures) {
        self.load().await;
        let mut first = self.loaded().await;
        first.retain(|file| !file.later);
        self.show(LENGTHS[0]).await;
        self.stage.until_quiet().await;
        let all = self.loaded().await;
        let later = all.iter().filter(|file| first.iter().all(|known| known.name != file.name));
        figures.least(self.kind.figure("first-load"), bytes(first.iter()));
        // In some rounds it has not all come by then.
        figures.most(self.kind.figure("later-load"), bytes(later));
    }

    /// Lets the answer come at its rate while somebody types, and once more as fast as it goes.
    pub async fn stream(&self, turns: usize, deltas: usize, figures: &mut Figures) {
        self.load().await;
        self.show(turns).await;
        self.stage.until_quiet().await;
        let before = self.metric("ThreadTime").await;
        let keys = deltas * 1_000 / PER_SECOND / TYPING.as_millis() as usize;
        let paced = self.answer(PACED, keys).await;
        let worked = self.metric("ThreadTime").await - before;
        figures.least(self.figure("cpu", turns), worked * 1e9 / deltas as f64);
        figures.most(self.figure("updates", turns), paced.updates);
        figures.least(self.figure("key", turns), nanoseconds(paced.key));
        self.page.cdp("HeapProfiler.collectGarbage", json!({})).await;
        figures.least(self.figure("memory", turns), self.memory().await);
        figures.least(self.figure("nodes", turns), self.metric("Nodes").await);
        let burst = self.answer(BURST, 0).await;
        figures.least(self.figure("burst", turns), nanoseconds(burst.took));
        figures.least(self.figure("task", turns), nanoseconds(burst.task));
        println!("  {turns} turns, {} letters of an answer, {} keys", paced.letters, paced.keys);
    }

    async fn load(&self) {
        self.page.visit("about:blank").await;
        self.page.visit(&self.stage.address(self.kind)).await;
        self.page.until_connected().await;
        for turns in LENGTHS {
            let session = self.kind.session(turns, self.round);
            let listed = format!("return !!document.querySelector('nav [data-session-id=\"{session}\"]')");
            self.page.until("the list of sessions", &listed).await;
        }
        self.page.cdp("Performance.enable", json!({"timeDomain": "threadTicks"})).await;
    }

    async fn show(&self, turns: usize) -> f64 {
        let session = self.kind.session(turns, self.round);
        let took = self.page.async_script(&format!("return await measure.show('{session}')")).await;
        took.as_f64().unwrap_or_else(|| panic!("{session} was not shown: {took}"))
    }

    /// Sends a prompt and waits for the end of its answer, with so many keys meanwhile.
    async fn answer(&self, prompt: &str, keys: usize) -> Streamed {
        self.page.script("measure.begin(arguments[0])", vec![json!(END)]).await;
        self.page.send(prompt).await;
        for letter in "what was that about again ".chars().cycle().take(keys) {
            let next = tokio::time::Instant::now() + TYPING;
            for kind in ["keyDown", "keyUp"] {
                let text = letter.to_string();
                let key =
                    json!({"type": kind, "key": text, "text": if kind == "keyDown" { &text } else { "" }});
                self.page.cdp("Input.dispatchKeyEvent", key).await;
            }
            tokio::time::sleep_until(next).await;
        }
        self.page.until("the end of the answer", "return measure.isDone()").await;
        let empty = "const field = document.querySelector('textarea[name=prompt]');\
                     field.value = ''; field.dispatchEvent(new Event('input', { bubbles: true }))";
        let told = self.page.script("return measure.end()", vec![]).await;
        self.page.script(empty, vec![]).await;
        serde_json::from_value(told.clone()).unwrap_or_else(|error| panic!("{error}: {told}"))
    }

    /// What scripts, elements and WebAssembly hold.
    async fn memory(&self) -> f64 {
        let heap = self.page.cdp("Runtime.getHeapUsage", json!({})).await;
        let part = |name: &str| heap[name].as_f64().unwrap_or_default();
        let wasm = self.page.script("return measure.wasmBytes()", vec![]).await.as_f64().unwrap();
        println!(
            "  scripts {:.1} MB, elements {:.1} MB, WebAssembly {:.1} MB",
            part("usedSize") / 1e6,
            part("embedderHeapUsedSize") / 1e6,
            wasm / 1e6
        );
        part("usedSize") + part("embedderHeapUsedSize") + wasm
    }

    async fn metric(&self, name: &str) -> f64 {
        let answer = self.page.cdp("Performance.getMetrics", json!({})).await;
        let metrics = answer["metrics"].as_array().unwrap();
        let metric = metrics.iter().find(|metric| metric["name"] == name);
        metric.and_then(|metric| metric["value"].as_f64()).unwrap_or_else(|| panic!("no {name} in {answer}"))
    }

    async fn loaded(&self) -> Vec<Loaded> {
        serde_json::from_value(self.page.script("return measure.loaded()", vec![]).await).unwrap()
    }

    fn figure(&self, what: &str, turns: usize) -> String {
        self.kind.figure(&format!("{what}-{turns}"))
    }
}

fn bytes<'a>(files: impl Iterator<Item = &'a Loaded>) -> f64 {
    files.fold(0.0, |sum, file| sum + file.bytes)
}
