//! Parts as numbers, since those pass between two modules of WebAssembly without a detour: for each its start, and its
//! length with its class.

use crate::class::Class;
use crate::marks::Span;

const CLASSES: usize = 16;

pub fn pack(spans: &[Span]) -> Vec<u32> {
    // A text is never too long for it: what is not looked at has no parts.
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let pair = |span: &Span| {
        [number(span.start), number((span.end - span.start) * CLASSES + usize::from(span.class as u8))]
    };
    spans.iter().flat_map(pair).collect()
}

/// What is no part is left out.
pub fn unpack(numbers: &[u32]) -> Vec<Span> {
    let spans = numbers.chunks_exact(2).filter_map(|pair| {
        let (start, rest) = (pair[0] as usize, pair[1] as usize);
        let class = *Class::ALL.get(rest % CLASSES)?;
        Some(Span { start, end: start + rest / CLASSES, class })
    });
    spans.collect()
}
