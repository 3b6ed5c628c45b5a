//! Tables of compiled languages.

use super::{DOUBLE, OwnEnds, PLAIN, Prefix, Quote, Rules, SINGLE, long, quote, verbatim};

const fn prefix(word: &'static str) -> Prefix {
    Prefix { word, escapes: true, hole: "" }
}

pub const RUST: Rules = Rules {
    keywords: "as async await break const continue crate dyn else enum extern fn for gen if impl in let loop match mod \
               move mut pub ref return static struct super trait type union unsafe use where while yield",
    constants: "true false self",
    types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
    definers: "fn",
    nested_comments: true,
    quotes: &[long("\"", "")],
    prefixes: &[prefix("b"), prefix("c")],
    own_ends: OwnEnds::Rust,
    attributes: true,
    ticks: true,
    ..PLAIN
};

pub const C: Rules = Rules {
    keywords: "auto break case const continue default do else enum extern for goto if inline register restrict return \
               sizeof static struct switch typedef typeof union volatile while alignas alignof constexpr static_assert",
    constants: "NULL true false nullptr",
    types: "bool char double float int long short signed unsigned void size_t ssize_t ptrdiff_t intptr_t uintptr_t \
            int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t va_list FILE",
    directives: true,
    prefixes: &[prefix("L"), prefix("u8"), prefix("u"), prefix("U")],
    ..PLAIN
};

pub const CPP: Rules = Rules {
    keywords: "alignas alignof asm auto break case catch class concept const consteval constexpr constinit const_cast \
               continue co_await co_return co_yield decltype default delete do dynamic_cast else enum explicit export \
               extern final for friend goto if import inline module mutable namespace new noexcept operator override \
               private protected public register reinterpret_cast requires return sizeof static static_assert \
               static_cast struct switch template this thread_local throw try typedef typeid typename union using \
               virtual volatile while",
    constants: "NULL true false nullptr YES NO nil self",
    types: "bool char char8_t char16_t char32_t double float int long short signed unsigned void size_t ssize_t \
            ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t \
            string string_view vector map unordered_map set unordered_set pair tuple optional variant unique_ptr \
            shared_ptr weak_ptr span array deque list function id",
    own_ends: OwnEnds::Cpp,
    ..C
};

pub const CSHARP: Rules = Rules {
    keywords: "abstract as async await base break case catch checked class const continue default delegate do else enum \
               event explicit extern finally fixed for foreach get global goto if implicit in init interface internal is \
               let lock nameof namespace new operator out override params partial private protected public readonly \
               record ref required return sealed select set sizeof stackalloc static struct switch this throw try typeof \
               unchecked unsafe using var virtual volatile when where while with yield",
    constants: "true false null",
    capital_functions: true,
    types: "bool byte char decimal double dynamic float int long nint nuint object sbyte short string uint ulong ushort \
            void",
    quotes: &[
        Quote { open: "$\"\"\"", close: "\"\"\"", escapes: false, lines: true, hole: "{" },
        verbatim("\"\"\""),
        Quote { open: "$@\"", close: "\"", escapes: false, lines: true, hole: "{" },
        Quote { open: "@$\"", close: "\"", escapes: false, lines: true, hole: "{" },
        Quote { open: "@\"", close: "\"", escapes: false, lines: true, hole: "" },
        Quote { open: "$\"", close: "\"", escapes: true, lines: false, hole: "{" },
        DOUBLE,
        SINGLE,
    ],
    directives: true,
    ..PLAIN
};

pub const DART: Rules = Rules {
    keywords: "abstract as assert async await base break case catch class const continue covariant default deferred do \
               else enum export extends extension external factory final finally for get hide if implements import in \
               interface is late library mixin new of on operator part required rethrow return sealed set show static \
               super switch sync this throw try typedef var when while with yield",
    constants: "true false null",
    types: "bool double dynamic int num void",
    quotes: &[long("\"\"\"", "${"), long("'''", "${"), quote("\"", "${"), quote("'", "${")],
    prefixes: &[Prefix { word: "r", escapes: false, hole: "" }],
    decorators: true,
    keys: true,
    ..PLAIN
};

pub const GO: Rules = Rules {
    keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map \
               package range return select struct switch type var",
    constants: "true false nil iota",
    types: "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string \
            uint uint8 uint16 uint32 uint64 uintptr",
    definers: "func",
    quotes: &[verbatim("`"), DOUBLE, SINGLE],
    // Exported names start with a capital, whether types or not.
    capitals: false,
    ..PLAIN
};

pub const HASKELL: Rules = Rules {
    keywords: "case class data default deriving do else family forall foreign hiding if import in infix infixl infixr \
               instance let mdo module newtype of qualified then type where as",
    constants: "otherwise",
    line_comments: &["--"],
    block_comment: Some(("{-", "-}")),
    nested_comments: true,
    letters: b"'",
    ..PLAIN
};

pub const JAVA: Rules = Rules {
    keywords: "abstract assert break case catch class continue default def do else enum extends final finally for goto if \
               implements import in instanceof interface native new package permits private protected public \
               record return sealed static strictfp super switch synchronized this throw throws transient try var volatile when while yield",
    constants: "true false null",
    types: "boolean byte char double float int long short void",
    definers: "def",
    quotes: &[verbatim("\"\"\""), DOUBLE, SINGLE],
    letters: b"$",
    first_letters: b"$",
    decorators: true,
    ..PLAIN
};

pub const KOTLIN: Rules = Rules {
    keywords: "abstract as break catch class companion const constructor continue crossinline do else enum external final \
               finally for fun if import in infix inline interface internal is lateinit noinline object operator override \
               package private protected public reified return sealed super suspend tailrec this throw try typealias val \
               var vararg when where while",
    soft_keywords: "actual annotation by data expect get init inner open out set value",
    constants: "true false null it",
    definers: "fun",
    nested_comments: true,
    quotes: &[
        Quote { open: "\"\"\"", close: "\"\"\"", escapes: false, lines: true, hole: "${" },
        quote("\"", "${"),
        SINGLE,
    ],
    decorators: true,
    ..PLAIN
};

pub const SCALA: Rules = Rules {
    keywords: "abstract as case catch class def derives do else end enum export extends extension final finally for \
               forSome given if implicit import infix inline lazy match new object opaque open override package private \
               protected return sealed super then this throw trait transparent try type using val var while with yield",
    constants: "true false null",
    definers: "def",
    nested_comments: true,
    quotes: &[verbatim("\"\"\""), DOUBLE, SINGLE],
    prefixes: &[
        Prefix { word: "s", escapes: true, hole: "${" },
        Prefix { word: "f", escapes: true, hole: "${" },
        Prefix { word: "raw", escapes: false, hole: "${" },
    ],
    decorators: true,
    ..PLAIN
};

pub const SWIFT: Rules = Rules {
    keywords: "actor any as associatedtype async await break case catch class consuming continue convenience default \
               defer deinit didSet do dynamic else enum extension fallthrough fileprivate final for func get guard if \
               import in indirect infix init inout internal is isolated lazy let mutating nonisolated nonmutating open \
               operator optional override postfix precedencegroup prefix private protocol public repeat required \
               rethrows return set some static struct subscript super switch throw throws try typealias unowned var \
               weak where while willSet",
    constants: "true false nil self",
    definers: "func",
    nested_comments: true,
    quotes: &[long("\"\"\"", "\\("), quote("\"", "\\(")],
    own_ends: OwnEnds::Swift,
    decorators: true,
    directives: true,
    ..PLAIN
};

pub const ZIG: Rules = Rules {
    keywords: "addrspace align allowzero and anyframe asm async await break callconv catch comptime const continue defer \
               else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend opaque or \
               orelse packed pub resume return struct suspend switch test threadlocal try union unreachable \
               usingnamespace var volatile while",
    constants: "true false null undefined",
    types: "anyerror anyopaque anytype bool f16 f32 f64 f80 f128 i8 i16 i32 i64 i128 isize noreturn type u8 u16 u32 u64 \
            u128 usize void",
    definers: "fn",
    block_comment: None,
    quotes: &[Quote { open: "\\\\", close: "\n", escapes: false, lines: false, hole: "" }, DOUBLE, SINGLE],
    decorators: true,
    ..PLAIN
};
