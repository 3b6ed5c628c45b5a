//! The classes of spans. They are few, because a reader can distinguish only a few colours.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Comment,
    Keyword,
    Text,
    Number,
    Constant,
    Function,
    Type,
    /// A key, the name of an attribute, or a variable with a sigil.
    Property,
    Tag,
    /// Attributes, decorators, directives and lifetimes.
    Meta,
    Heading,
    Inserted,
    Deleted,
}

impl Class {
    /// The name in the samples of the tests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Keyword => "keyword",
            Self::Text => "text",
            Self::Number => "number",
            Self::Constant => "constant",
            Self::Function => "function",
            Self::Type => "type",
            Self::Property => "property",
            Self::Tag => "tag",
            Self::Meta => "meta",
            Self::Heading => "heading",
            Self::Inserted => "inserted",
            Self::Deleted => "deleted",
        }
    }
}
