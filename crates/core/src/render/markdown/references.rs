//! Link definitions (`[label]: destination`) across the pieces in which a streamed text is parsed. The first
//! definition of a label counts. A definition may follow the links that use it.
//!
//! The parser stops resolving labels once their destinations add up to 100 KB, or to the length of the text if
//! that is more. Each piece of a stream has this limit for itself, so beyond it a stream may resolve links that a
//! single parse leaves unresolved. This is the only difference between the two.

use pulldown_cmark::RefDefs;
use unicase::UniCase;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct References {
    /// Sorted by case-folded label.
    known: Vec<(String, Definition)>,
}

/// A link definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub destination: String,
    pub title: String,
    /// The start of the piece that contains the definition, in the source of the stream.
    pub piece: usize,
}

impl References {
    pub fn get(&self, label: &str) -> Option<&Definition> {
        self.find(&folded(label)).ok().and_then(|position| self.known.get(position)).map(|(_, known)| known)
    }

    /// Adds the definitions whose labels are new. Returns whether there were any.
    pub fn add_new(&mut self, definitions: Vec<(String, Definition)>) -> bool {
        let before = self.known.len();
        for (label, definition) in definitions {
            if let Err(position) = self.find(&label) {
                self.known.insert(position, (label, definition));
            }
        }
        self.known.len() > before
    }

    /// Whether any definition is in a piece that begins at or after this place.
    pub fn any_defined_from(&self, place: usize) -> bool {
        self.known.iter().any(|(_, definition)| definition.piece >= place)
    }

    fn find(&self, folded_label: &str) -> Result<usize, usize> {
        self.known.binary_search_by(|(label, _)| label.as_str().cmp(folded_label))
    }
}

/// All definitions of one parse. The caller sets the piece.
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
