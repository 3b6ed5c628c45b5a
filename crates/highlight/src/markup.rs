//! Lexers of markup: HTML and XML, style sheets, Markdown.

mod markdown;
mod style;
mod tags;

pub use markdown::Markdown;
pub use style::Style;
pub use tags::Markup;
