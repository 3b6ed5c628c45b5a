//! Tables of scripting languages.

use super::{DOUBLE, OwnEnds, PLAIN, Prefix, Quote, Rules, SINGLE, long, quote, verbatim};

macro_rules! javascript_keywords {
    () => {
        "await break case catch class const continue debugger default delete do else export extends finally for function \
         if import in instanceof let new return super switch this throw try typeof var void while with yield"
    };
}

pub const JAVASCRIPT: Rules = Rules {
    keywords: javascript_keywords!(),
    soft_keywords: "as async from get of set static using",
    constants: "true false null undefined NaN Infinity arguments globalThis",
    definers: "function",
    quotes: &[long("`", "${"), DOUBLE, SINGLE],
    letters: b"$",
    first_letters: b"$#",
    keys: true,
    decorators: true,
    regexes: true,
    elements: true,
    ..PLAIN
};

pub const TYPESCRIPT: Rules = Rules {
    keywords: concat!(
        javascript_keywords!(),
        " enum implements interface keyof private protected public readonly"
    ),
    soft_keywords: "abstract accessor as asserts async declare from get infer is module namespace of override satisfies set \
                    static type unique using",
    types: "any bigint boolean never number object string symbol unknown",
    elements: false,
    ..JAVASCRIPT
};

pub const TSX: Rules = Rules { elements: true, ..TYPESCRIPT };

pub const PYTHON: Rules = Rules {
    keywords: "and as assert async await break class continue def del elif else except finally for from global if \
               import in is lambda nonlocal not or pass raise return try while with yield",
    soft_keywords: "case match type",
    constants: "True False None Ellipsis NotImplemented self cls __name__ __file__",
    types: "bool bytearray bytes complex dict float frozenset int list object set str tuple",
    definers: "def",
    line_comments: &["#"],
    block_comment: None,
    quotes: &[long("\"\"\"", ""), long("'''", ""), DOUBLE, SINGLE],
    prefixes: &[
        Prefix { word: "f", escapes: true, hole: "{" },
        Prefix { word: "t", escapes: true, hole: "{" },
        Prefix { word: "fr", escapes: false, hole: "{" },
        Prefix { word: "rf", escapes: false, hole: "{" },
        Prefix { word: "b", escapes: true, hole: "" },
        Prefix { word: "u", escapes: true, hole: "" },
        Prefix { word: "r", escapes: false, hole: "" },
        Prefix { word: "br", escapes: false, hole: "" },
        Prefix { word: "rb", escapes: false, hole: "" },
    ],
    decorators: true,
    ..PLAIN
};

pub const RUBY: Rules = Rules {
    keywords: "alias and attr_accessor attr_reader attr_writer begin break case class def defined? do else elsif end \
               ensure extend for if in include loop module next not or prepend private protected public raise redo \
               require require_relative rescue retry return super then undef unless until when while yield",
    constants: "true false nil self __FILE__ __dir__ __method__",
    definers: "def",
    line_comments: &["#"],
    block_comment: Some(("=begin", "=end")),
    quotes: &[quote("\"", "#{"), SINGLE, quote("`", "#{")],
    own_ends: OwnEnds::Ruby,
    letters: b"?!",
    sigils: b"@$",
    keys: true,
    symbols: true,
    regexes: true,
    ..PLAIN
};

pub const PHP: Rules = Rules {
    keywords: "abstract and as break callable case catch class clone const continue declare default do echo else elseif \
               empty enddeclare endfor endforeach endif endswitch endwhile enum exit extends final finally fn for foreach \
               function global goto if implements include include_once instanceof insteadof interface isset list match \
               namespace new or print private protected public readonly require require_once return static switch throw \
               trait try unset use var while xor yield",
    constants: "true false null parent self __CLASS__ __DIR__ __FILE__ __LINE__ __METHOD__",
    types: "array bool float int iterable mixed never object string void",
    definers: "function",
    line_comments: &["//", "#"],
    quotes: &[long("\"", "{$"), long("'", "")],
    own_ends: OwnEnds::Php,
    sigils: b"$",
    attributes: true,
    ..PLAIN
};

pub const LUA: Rules = Rules {
    keywords: "and break continue do else elseif end export for function goto if in local not or repeat return then type \
               until while",
    constants: "true false nil self",
    definers: "function",
    line_comments: &["--"],
    block_comment: None,
    own_ends: OwnEnds::Lua,
    ..PLAIN
};

pub const ELIXIR: Rules = Rules {
    keywords: "after alias and case catch cond def defdelegate defexception defguard defimpl defmacro defmacrop defmodule \
               defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue super \
               throw try unless unquote use when with",
    constants: "true false nil",
    definers: "def defp defmacro defmacrop",
    line_comments: &["#"],
    block_comment: None,
    quotes: &[long("\"\"\"", "#{"), long("'''", "#{"), quote("\"", "#{"), quote("'", "#{")],
    letters: b"?!",
    keys: true,
    decorators: true,
    symbols: true,
    ..PLAIN
};

pub const JULIA: Rules = Rules {
    keywords: "abstract baremodule begin break catch const continue do else elseif end export finally for function global \
               if import in isa let local macro module mutable primitive quote return struct try type using where while",
    constants: "true false nothing missing Inf NaN pi",
    definers: "function macro",
    line_comments: &["#"],
    block_comment: Some(("#=", "=#")),
    nested_comments: true,
    quotes: &[long("\"\"\"", "$("), quote("\"", "$("), quote("`", "$(")],
    letters: b"!",
    decorators: true,
    symbols: true,
    ..PLAIN
};

pub const R: Rules = Rules {
    keywords: "break else for function if in next repeat return while library require source",
    constants: "TRUE FALSE NULL NA NaN Inf NA_integer_ NA_real_ NA_character_",
    line_comments: &["#"],
    block_comment: None,
    quotes: &[long("\"", ""), long("'", ""), verbatim("`")],
    letters: b".",
    capitals: false,
    ..PLAIN
};

pub const POWERSHELL: Rules = Rules {
    keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach \
               from function if in param process return switch throw trap try until using while",
    definers: "function filter",
    line_comments: &["#"],
    block_comment: Some(("<#", "#>")),
    quotes: &[
        Quote { open: "@\"", close: "\"@", escapes: false, lines: true, hole: "$(" },
        Quote { open: "@'", close: "'@", escapes: false, lines: true, hole: "" },
        Quote { open: "\"", close: "\"", escapes: false, lines: false, hole: "$(" },
        Quote { open: "'", close: "'", escapes: false, lines: false, hole: "" },
    ],
    letters: b"-",
    sigils: b"$",
    ignores_case: true,
    capitals: false,
    ..PLAIN
};
