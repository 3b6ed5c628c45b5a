//! The one way to the parser, and what is kept of a parse. How blocks come out of its events is in `tree`.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CowStr, OffsetIter, Options, Parser};

use super::Block;
use super::references::{Definition, References, definitions};
use super::tree::Builder;

pub struct Built {
    pub blocks: Vec<Block>,
    /// The last block that has no blocks in it.
    pub leaf: Option<Leaf>,
    pub definitions: Vec<(String, Definition)>,
    /// Labels that are used and not defined so far.
    pub missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    pub kind: LeafKind,
    pub range: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    Paragraph,
    /// Spans that end with their line.
    Heading,
    Cell,
    /// Code, HTML, a rule: nothing in it is marked up.
    Verbatim,
}

/// Says where a label leads that the text itself does not define.
pub type Resolve<'r, 'a> = dyn FnMut(BrokenLink<'a>) -> Option<(CowStr<'a>, CowStr<'a>)> + 'r;

/// The parser, as everybody here uses it: with one type of callback, since it is compiled once for each.
pub fn parse<'r, 'a>(
    text: &'a str,
    resolve: &'r mut Resolve<'r, 'a>,
) -> OffsetIter<'a, &'r mut Resolve<'r, 'a>> {
    #[cfg(test)]
    crate::render::work::add(text.len());
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_with_broken_link_callback(text, options, Some(resolve)).into_offset_iter()
}

/// The blocks of a text. `references` are definitions that stand before it. A bare address that reaches `live` may
/// still grow, so it gets no destination.
pub fn build(text: &str, references: &References, live: Option<usize>) -> Built {
    let mut missing = Vec::new();
    let mut resolve = |broken: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        match references.get(&broken.reference) {
            Some(known) => Some((known.destination.clone().into(), known.title.clone().into())),
            None => {
                missing.push(broken.reference.to_string());
                None
            }
        }
    };
    let events = parse(text, &mut resolve);
    let definitions = definitions(events.reference_definitions());
    let mut builder = Builder::new(references, live);
    for (event, range) in events {
        builder.take(event, range);
    }
    let (blocks, leaf) = builder.finish();
    Built { blocks, leaf, definitions, missing }
}
