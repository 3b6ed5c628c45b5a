//! Measured figures by name. Within a round the median counts, of several rounds the best: other work of the machine only
//! ever adds time.

use std::collections::BTreeMap;

#[derive(Default)]
pub struct Figures(BTreeMap<String, f64>);

impl Figures {
    /// Adds a figure of which the smallest counts.
    pub fn least(&mut self, name: String, value: f64) {
        self.put(name, value, f64::min);
    }

    /// Adds a figure of which the largest counts.
    pub fn most(&mut self, name: String, value: f64) {
        self.put(name, value, f64::max);
    }

    fn put(&mut self, name: String, value: f64, better: fn(f64, f64) -> f64) {
        let best = self.0.get(&name).map_or(value, |known| better(*known, value));
        self.0.insert(name, best);
    }

    /// Writes the figures for `cargo xtask bench page`, or prints them.
    pub fn write(&self) {
        match std::env::var_os("PILOTHOUSE_FIGURES") {
            Some(file) => std::fs::write(file, serde_json::to_string(&self.0).unwrap()).unwrap(),
            None => println!("{:#?}", self.0),
        }
    }
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub fn nanoseconds(milliseconds: f64) -> f64 {
    milliseconds * 1e6
}
