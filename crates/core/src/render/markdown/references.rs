//! What `[label]: destination` defines, across the pieces a text is parsed in. The first definition of a label wins,
//! wherever it stands; a definition may come after the links that use it.
//!
//! The parser stops resolving labels once their destinations add up to 100 KB in one text, or to the length of the
//! text if that is more. A text in pieces has that allowance for each piece: beyond it, and only there, a whole parse
//! may leave links unresolved that a stream resolves.

use pulldown_cmark::RefDefs;
use unicase::UniCase;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct References {
    /// By folded label, in order.
    known: Vec<(String, Definition)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub destination: String,
    pub title: String,
    /// Where the piece of text begins that holds the definition.
    pub piece: usize,
}

impl References {
    pub fn get(&self, label: &str) -> Option<&Definition> {
        self.find(&folded(label)).ok().and_then(|position| self.known.get(position)).map(|(_, known)| known)
    }

    /// Takes the definitions of a piece that are new; true if there were any.
    pub fn learn(&mut self, definitions: Vec<(String, Definition)>) -> bool {
        let before = self.known.len();
        for (label, definition) in definitions {
            if let Err(position) = self.find(&label) {
                self.known.insert(position, (label, definition));
            }
        }
        self.known.len() > before
    }

    /// Whether anything is defined at or behind this place in the source.
    pub fn reach_behind(&self, place: usize) -> bool {
        self.known.iter().any(|(_, definition)| definition.piece >= place)
    }

    fn find(&self, folded_label: &str) -> Result<usize, usize> {
        self.known.binary_search_by(|(label, _)| label.as_str().cmp(folded_label))
    }
}

/// All definitions of one parse, with the piece they belong to still to be said.
pub fn definitions(parsed: &RefDefs<'_>) -> Vec<(String, Definition)> {
    parsed
        .iter()
        .map(|(label, definition)| {
            let destination = definition.dest.to_string();
            let title = definition.title.as_ref().map(ToString::to_string).unwrap_or_default();
            (folded(label), Definition { destination, title, piece: 0 })
        })
        .collect()
}

fn folded(label: &str) -> String {
    UniCase::new(label).to_folded_case()
}
