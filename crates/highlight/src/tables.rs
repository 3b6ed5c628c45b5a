//! What is peculiar to each language, as tables: its words, comments and strings, and a few habits.

mod compiled;
mod data;
mod scripts;

pub use data::{INI, TOML, VALUES};
pub use scripts::JAVASCRIPT;

use crate::language::Language;

/// Lists of words are separated by blanks.
#[derive(Debug)]
pub struct Rules {
    pub keywords: &'static str,
    pub constants: &'static str,
    /// Keywords that are also names: only what follows them tells.
    pub soft_keywords: &'static str,
    /// Types that do not look like one.
    pub types: &'static str,
    /// The keywords before the name of a function.
    pub definers: &'static str,
    pub line_comments: &'static [&'static str],
    pub block_comment: Option<(&'static str, &'static str)>,
    pub nested_comments: bool,
    /// A comment of one line begins the line or stands behind a blank.
    pub spaced_comments: bool,
    /// Longer ones first.
    pub quotes: &'static [Quote],
    /// What stands before a quote and changes it.
    pub prefixes: &'static [Prefix],
    pub own_ends: OwnEnds,
    /// Words also have these letters in them; at their start only those of `first_letters`.
    pub letters: &'static [u8],
    pub first_letters: &'static [u8],
    /// Before variables.
    pub sigils: &'static [u8],
    /// Large and small letters are the same.
    pub ignores_case: bool,
    /// Names with a capital are types, those in capitals constants.
    pub capitals: bool,
    /// But functions also have one.
    pub capital_functions: bool,
    /// A word or a string with a colon right behind it is a key.
    pub keys: bool,
    /// `@name` says something about what follows.
    pub decorators: bool,
    /// So does `#[…]`.
    pub attributes: bool,
    /// So does a line that begins with `#`.
    pub directives: bool,
    /// `:name` is a constant.
    pub symbols: bool,
    /// `'a` is a lifetime, `'a'` a character; `name!` a macro.
    pub ticks: bool,
    /// `/…/` is a string where a value may stand.
    pub regexes: bool,
    /// `<Tag>` is an element where a value may stand.
    pub elements: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Quote {
    pub open: &'static str,
    pub close: &'static str,
    /// A backslash takes the meaning from what follows.
    pub escapes: bool,
    /// Goes on behind the end of a line.
    pub lines: bool,
    /// What begins code inside, such as `${`; empty for none.
    pub hole: &'static str,
}

#[derive(Debug)]
pub struct Prefix {
    pub word: &'static str,
    pub escapes: bool,
    pub hole: &'static str,
}

/// Strings that say themselves how they end.
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

/// A string over several lines.
const fn long(open: &'static str, hole: &'static str) -> Quote {
    Quote { open, close: open, escapes: true, lines: true, hole }
}

/// A string over several lines in which a backslash is nothing special.
const fn verbatim(open: &'static str) -> Quote {
    Quote { open, close: open, escapes: false, lines: true, hole: "" }
}

const DOUBLE: Quote = quote("\"", "");
const SINGLE: Quote = quote("'", "");

/// The languages that have no lexer of their own.
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
