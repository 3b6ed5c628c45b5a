//! The hostile texts, the links of every form to every destination, and what a reader must see of them.

use serde::Deserialize;

use super::trap::Trap;

#[derive(Deserialize)]
struct File {
    /// Markdown keeps every word of these.
    plain: Vec<String>,
    /// Markdown may drop parts of these; the word `hatch` stays.
    formed: Vec<String>,
    destinations: Vec<String>,
    links: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Payload {
    pub text: String,
    formed: bool,
}

impl Payload {
    /// Whether rendered Markdown shows this payload.
    pub fn is_in(&self, shown: &str) -> bool {
        if self.formed { shown.contains("hatch") } else { words(&self.text).all(|word| shown.contains(word)) }
    }
}

pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| word.len() >= 3)
}

fn file(trap: &Trap) -> File {
    let text = include_str!("../../hostile/payloads.json").replace("{trap}", &trap.host);
    serde_json::from_str(&text).unwrap()
}

/// The payloads for every place that shows text.
pub fn texts(trap: &Trap) -> Vec<Payload> {
    let file = file(trap);
    let plain = file.plain.into_iter().map(|text| Payload { text, formed: false });
    let formed = file.formed.into_iter().map(|text| Payload { text, formed: true });
    plain.chain(formed).collect()
}

/// The payloads that only Markdown interprets.
pub fn links(trap: &Trap) -> Vec<Payload> {
    let File { destinations, links, .. } = file(trap);
    let pairs = links.iter().flat_map(|form| destinations.iter().map(|to| form.replace("{to}", to)));
    pairs.map(|text| Payload { text, formed: true }).collect()
}

/// Several payloads in one text, for places that show plain text.
pub fn bundles(payloads: &[Payload], size: usize) -> Vec<String> {
    let joined = |some: &[Payload]| some.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n");
    payloads.chunks(size).map(joined).collect()
}

#[test]
fn there_are_many_payloads_without_duplicates() {
    let trap = Trap::set();
    let (texts, links) = (texts(&trap), links(&trap));
    let mut all: Vec<&str> = texts.iter().chain(&links).map(|payload| payload.text.as_str()).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), texts.len() + links.len());
    assert!(texts.len() >= 300, "{}", texts.len());
}
