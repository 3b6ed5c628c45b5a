//! The hostile texts, and what a reader has to see of them. Texts, and links of every form to every destination.

use serde::Deserialize;

use super::trap::Trap;

#[derive(Deserialize)]
struct File {
    /// Markdown makes no form of these: every word is seen.
    plain: Vec<String>,
    /// Markdown gives these a form in which something may go; the word `hatch` is seen.
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
    /// Whether Markdown that is shown still says what it said.
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

/// Those that are tried wherever a text can stand.
pub fn texts(trap: &Trap) -> Vec<Payload> {
    let file = file(trap);
    let plain = file.plain.into_iter().map(|text| Payload { text, formed: false });
    let formed = file.formed.into_iter().map(|text| Payload { text, formed: true });
    plain.chain(formed).collect()
}

/// Those that are something only where Markdown is read.
pub fn links(trap: &Trap) -> Vec<Payload> {
    let File { destinations, links, .. } = file(trap);
    let pairs = links.iter().flat_map(|form| destinations.iter().map(|to| form.replace("{to}", to)));
    pairs.map(|text| Payload { text, formed: true }).collect()
}

/// Several in one text, where nothing reads them but the eye.
pub fn bundles(payloads: &[Payload], size: usize) -> Vec<String> {
    let joined = |some: &[Payload]| some.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n");
    payloads.chunks(size).map(joined).collect()
}

#[test]
fn there_are_more_than_enough_and_none_is_there_twice() {
    let trap = Trap::set();
    let (texts, links) = (texts(&trap), links(&trap));
    let mut all: Vec<&str> = texts.iter().chain(&links).map(|payload| payload.text.as_str()).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), texts.len() + links.len());
    assert!(texts.len() >= 300, "{}", texts.len());
}
