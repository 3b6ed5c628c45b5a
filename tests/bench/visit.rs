//! One visit of a page: the same actions for every page, and their cost.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use pilothouse_test_support::browser::{Browser, JavaScript, Page, Size, session_row};

use crate::answer::{BURST, END, PACED, PER_SECOND};
use crate::figures::{Figures, median, nanoseconds};
use crate::fixture::{FIRST, Fixture, Kind, LENGTHS};

/// How often the visit switches back to each conversation. In a page that is kept open, the browser has compiled the code
/// for that.
const SWITCHES: usize = 20;
/// The time between two keys.
const TYPING: Duration = Duration::from_millis(100);

pub const MEASURE_SOURCE: &str = include_str!("measure.js");
/// The functions of `measure.js`, which every document has as `measure`.
const MEASURE: JavaScript = JavaScript("");

pub struct Visit<'a> {
    fixture: &'a Fixture,
    page: Page,
    kind: Kind,
    round: usize,
}

/// Work of the main thread. Times are in seconds.
struct Work {
    main_thread: f64,
    script: f64,
    style: f64,
    layout: f64,
    /// The number of layouts.
    layouts: f64,
}

impl std::ops::Sub for Work {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            main_thread: self.main_thread - before.main_thread,
            script: self.script - before.script,
            style: self.style - before.style,
            layout: self.layout - before.layout,
            layouts: self.layouts - before.layouts,
        }
    }
}

/// The measurement of an answer by `measure.js`. Times are in milliseconds.
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
    bytes: f64,
}

impl<'a> Visit<'a> {
    pub fn new(fixture: &'a Fixture, kind: Kind, round: usize) -> Self {
        Self { fixture, page: fixture.page(), kind, round }
    }

    /// Measures showing conversations for the first time and again.
    pub async fn switch(&self, figures: &mut Figures) {
        for turns in LENGTHS {
            self.load().await;
            self.show(FIRST).await;
            figures.least(self.figure("show", turns), nanoseconds(self.show(turns).await));
        }
        let mut switched = LENGTHS.map(|_| Vec::new());
        // The first round loads conversations that the page does not have yet.
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

    /// Measures the bytes that are loaded before a session is shown.
    pub async fn weigh(&self, figures: &mut Figures) {
        self.load().await;
        let files: Vec<Loaded> = self.page.call_as(MEASURE, "measure.loaded", json!([])).await;
        let bytes = files.iter().fold(0.0, |sum, file| sum + file.bytes);
        figures.least(self.kind.figure("first-load"), bytes);
    }

    /// Measures the first visit, in a browser with a new profile: from the navigation until a session is shown and its
    /// composer accepts input.
    pub async fn first_visit(&self, figures: &mut Figures) {
        let browser = Browser::start(Size::Wide).await;
        let page = browser.page();
        page.add_init_script(MEASURE_SOURCE).await;
        let session = self.kind.session(LENGTHS[0], self.round);
        page.visit(&self.fixture.session_link(self.kind, &session)).await;
        let took = page.call_as(MEASURE, "measure.interactive", json!([])).await;
        figures.least(self.kind.figure("first-visit"), nanoseconds(took));
        browser.quit().await;
    }

    /// Measures an answer at its rate while the user types, and another as fast as possible.
    pub async fn stream(&self, turns: usize, deltas: usize, figures: &mut Figures) {
        self.load().await;
        self.show(turns).await;
        self.fixture.until_idle().await;
        let before = self.work().await;
        let keys = deltas * 1_000 / PER_SECOND / TYPING.as_millis() as usize;
        let paced = self.answer(PACED, keys).await;
        let work = self.work().await - before;
        let per_delta = |seconds: f64| seconds * 1e9 / deltas as f64;
        figures.least(self.figure("cpu", turns), per_delta(work.main_thread));
        figures.least(self.figure("script", turns), per_delta(work.script));
        figures.least(self.figure("style", turns), per_delta(work.style));
        figures.least(self.figure("layout", turns), per_delta(work.layout));
        figures.least(self.figure("layouts", turns), work.layouts / (paced.took / 1_000.0));
        figures.most(self.figure("updates", turns), paced.updates);
        figures.least(self.figure("key", turns), nanoseconds(paced.key));
        self.page.cdp("HeapProfiler.collectGarbage", json!({})).await;
        figures.least(self.figure("memory", turns), self.fixture.browser.page_memory() as f64);
        figures.least(self.figure("nodes", turns), self.nodes().await);
        let burst = self.answer(BURST, 0).await;
        figures.least(self.figure("burst", turns), nanoseconds(burst.took));
        figures.least(self.figure("task", turns), nanoseconds(burst.task));
        println!("  {turns} turns, {} letters of an answer, {} keys", paced.letters, paced.keys);
    }

    async fn load(&self) {
        self.page.visit("about:blank").await;
        self.page.visit(&self.fixture.address(self.kind)).await;
        self.page.until_connected().await;
        for turns in LENGTHS {
            let session = self.kind.session(turns, self.round);
            self.page.until_present(&session_row(&session)).await;
        }
        self.page.cdp("Performance.enable", json!({"timeDomain": "threadTicks"})).await;
    }

    async fn show(&self, turns: usize) -> f64 {
        let session = self.kind.session(turns, self.round);
        self.page.call(MEASURE, "measure.prepare", json!([session])).await;
        self.page.click(&session_row(&session)).await;
        let took = self.page.call(MEASURE, "measure.shown", json!([])).await;
        took.as_f64().unwrap_or_else(|| panic!("{session} was not shown: {took}"))
    }

    /// Sends a prompt, types so many keys, and waits for the end of the answer.
    async fn answer(&self, prompt: &str, keys: usize) -> Streamed {
        self.page.call(MEASURE, "measure.begin", json!([END])).await;
        self.page.send(prompt).await;
        let mut typing = tokio::time::interval(TYPING);
        for letter in "what was that about again ".chars().cycle().take(keys) {
            typing.tick().await;
            for kind in ["keyDown", "keyUp"] {
                let text = letter.to_string();
                let key =
                    json!({"type": kind, "key": text, "text": if kind == "keyDown" { &text } else { "" }});
                self.page.cdp("Input.dispatchKeyEvent", key).await;
            }
        }
        self.page.until_call("the end of the answer", MEASURE, "measure.isDone", json!([])).await;
        let streamed = self.page.call_as(MEASURE, "measure.end", json!([])).await;
        self.page.fill_composer("").await;
        streamed
    }

    /// The work of the main thread since the page was loaded.
    async fn work(&self) -> Work {
        let answer = self.page.cdp("Performance.getMetrics", json!({})).await;
        Work {
            main_thread: metric(&answer, "ThreadTime"),
            script: metric(&answer, "ScriptDuration"),
            style: metric(&answer, "RecalcStyleDuration"),
            layout: metric(&answer, "LayoutDuration"),
            layouts: metric(&answer, "LayoutCount"),
        }
    }

    async fn nodes(&self) -> f64 {
        metric(&self.page.cdp("Performance.getMetrics", json!({})).await, "Nodes")
    }

    fn figure(&self, what: &str, turns: usize) -> String {
        self.kind.figure(&format!("{what}-{turns}"))
    }
}

fn metric(answer: &Value, name: &str) -> f64 {
    let metrics = answer["metrics"].as_array().unwrap();
    let metric = metrics.iter().find(|metric| metric["name"] == name);
    metric.and_then(|metric| metric["value"].as_f64()).unwrap_or_else(|| panic!("no {name} in {answer}"))
}
