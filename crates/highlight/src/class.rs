//! What a part of a text is. Few classes: a reader tells half a dozen colours apart, not thirty.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Comment,
    Keyword,
    Text,
    Number,
    Constant,
    Function,
    Type,
    /// A key, an attribute's name, a variable that is marked as one.
    Property,
    Tag,
    /// What is said about the code: attributes, decorators, directives, lifetimes.
    Meta,
    Heading,
    Inserted,
    Deleted,
}

impl Class {
    /// For people who read tests.
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
