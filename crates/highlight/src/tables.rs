//! The tables of the languages: words, comments, strings and other syntax.

mod compiled;
mod data;
mod scripts;

pub use data::{INI, TOML, VALUES};
pub use scripts::JAVASCRIPT;

use crate::language::Language;

/// The syntax of a language. Words in lists are separated by blanks.
#[derive(Debug)]
pub struct Rules {
    pub keywords: &'static str,
    pub constants: &'static str,
    /// Keywords that can also be names; the next token decides.
    pub soft_keywords: &'static str,
    /// Types without a capital letter.
    pub types: &'static str,
    /// Keywords before the name of a function.
    pub definers: &'static str,
    pub line_comments: &'static [&'static str],
    pub block_comment: Option<(&'static str, &'static str)>,
    pub nested_comments: bool,
    /// A line comment must start the line or follow a blank.
    pub spaced_comments: bool,
    /// Longer quotes first.
    pub quotes: &'static [Quote],
    /// Words before a quote that change its meaning.
    pub prefixes: &'static [Prefix],
    pub own_ends: OwnEnds,
    /// Further letters inside of words.
    pub letters: &'static [u8],
    /// Further letters at the start of words.
    pub first_letters: &'static [u8],
    /// Letters before variables, such as `$`.
    pub sigils: &'static [u8],
    /// Keywords are recognised regardless of case.
    pub ignores_case: bool,
    /// Names that start with a capital are types; names in capitals are constants.
    pub capitals: bool,
    /// Names of functions may start with a capital.
    pub capital_functions: bool,
    /// A word or a string directly before a colon is a key.
    pub keys: bool,
    /// `@name` is a decorator.
    pub decorators: bool,
    /// `#[…]` is an attribute.
    pub attributes: bool,
    /// A line that starts with `#` is a directive.
    pub directives: bool,
    /// `:name` is a constant.
    pub symbols: bool,
    /// `'a` is a lifetime, `'a'` a character; `name!` a macro.
    pub ticks: bool,
    /// `/…/` is a regular expression where a value is expected.
    pub regexes: bool,
    /// `<Tag>` is an element where a value is expected.
    pub elements: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Quote {
    pub open: &'static str,
    pub close: &'static str,
    /// A backslash escapes the next character.
    pub escapes: bool,
    /// May contain line breaks.
    pub lines: bool,
    /// The start of embedded code, such as `${`; empty if there is none.
    pub hole: &'static str,
}

#[derive(Debug)]
pub struct Prefix {
    pub word: &'static str,
    pub escapes: bool,
    pub hole: &'static str,
}

/// Strings with a delimiter that is chosen by their author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnEnds {
    None,
    /// `r#"…"#`
    Rust,
    /// `R"x(…)x"`
    Cpp,
    /// `[==[…]==]`
    Lua,
    /// `$tag$…$tag$`
    Sql,
    /// `#"…"#`
    Swift,
    /// `<<~END`
    Ruby,
    /// `<<<END`
    Php,
}

const PLAIN: Rules = Rules {
    keywords: "",
    constants: "",
    soft_keywords: "",
    types: "",
    definers: "",
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    nested_comments: false,
    spaced_comments: false,
    quotes: &[DOUBLE, SINGLE],
    prefixes: &[],
    own_ends: OwnEnds::None,
    letters: b"",
    first_letters: b"",
    sigils: b"",
    ignores_case: false,
    capitals: true,
    capital_functions: false,
    keys: false,
    decorators: false,
    attributes: false,
    directives: false,
    symbols: false,
    ticks: false,
    regexes: false,
    elements: false,
};

const fn quote(open: &'static str, hole: &'static str) -> Quote {
    Quote { open, close: open, escapes: true, lines: false, hole }
}

/// A string that may contain line breaks.
const fn long(open: &'static str, hole: &'static str) -> Quote {
    Quote { open, close: open, escapes: true, lines: true, hole }
}

/// A string that may contain line breaks and has no escapes.
const fn verbatim(open: &'static str) -> Quote {
    Quote { open, close: open, escapes: false, lines: true, hole: "" }
}

const DOUBLE: Quote = quote("\"", "");
const SINGLE: Quote = quote("'", "");

/// The table of a language that uses the common lexer.
pub const fn of(language: Language) -> &'static Rules {
    match language {
        Language::C => &compiled::C,
        Language::CSharp => &compiled::CSHARP,
        Language::Cpp => &compiled::CPP,
        Language::Dart => &compiled::DART,
        Language::Elixir => &scripts::ELIXIR,
        Language::Go => &compiled::GO,
        Language::GraphQl => &data::GRAPHQL,
        Language::Haskell => &compiled::HASKELL,
        Language::Hcl => &data::HCL,
        Language::Java => &compiled::JAVA,
        Language::JavaScript => &JAVASCRIPT,
        Language::Json => &data::JSON,
        Language::Julia => &scripts::JULIA,
        Language::Kotlin => &compiled::KOTLIN,
        Language::Lua => &scripts::LUA,
        Language::Php => &scripts::PHP,
        Language::PowerShell => &scripts::POWERSHELL,
        Language::Proto => &data::PROTO,
        Language::Python => &scripts::PYTHON,
        Language::R => &scripts::R,
        Language::Ruby => &scripts::RUBY,
        Language::Rust => &compiled::RUST,
        Language::Scala => &compiled::SCALA,
        Language::Sql => &data::SQL,
        Language::Swift => &compiled::SWIFT,
        Language::Tsx => &scripts::TSX,
        Language::TypeScript => &scripts::TYPESCRIPT,
        Language::Zig => &compiled::ZIG,
        _ => &PLAIN,
    }
}
