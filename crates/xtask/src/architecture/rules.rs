//! The rules of the architecture, as tables.

/// What a crate may depend on.
pub(super) struct DependencyRule {
    pub(super) package: &'static str,
    /// The crates of this workspace it may use.
    pub(super) may_use: &'static [&'static str],
    /// The crates it never uses.
    pub(super) never: &'static [&'static str],
    /// Whether `never` holds for what its dependencies use as well.
    pub(super) reach: Reach,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Direct,
    Transitive,
}

/// Crates that bring a clock, chance, threads, files, sockets or a document.
const IMPURE: &[&str] = &[
    "async-std",
    "axum",
    "chrono",
    "fastrand",
    "getrandom",
    "gloo-net",
    "hyper",
    "jiff",
    "js-sys",
    "leptos",
    "mio",
    "rand",
    "reqwest",
    "rusqlite",
    "smol",
    "socket2",
    "tempfile",
    "time",
    "tokio",
    "uuid",
    "wasm-bindgen",
    "web-sys",
    "web-time",
];

/// Development dependencies are free: tests may use what they like.
pub(super) const DEPENDENCIES: [DependencyRule; 9] = [
    DependencyRule { package: "pilothouse-core", may_use: &[], never: IMPURE, reach: Reach::Transitive },
    DependencyRule {
        package: "pilothouse-agents",
        may_use: &["pilothouse-core"],
        never: IMPURE,
        reach: Reach::Transitive,
    },
    DependencyRule { package: "pilothouse-highlight", may_use: &[], never: IMPURE, reach: Reach::Transitive },
    DependencyRule {
        package: "pilothouse-highlighter",
        may_use: &["pilothouse-highlight"],
        never: &["leptos", "pulldown-cmark", "serde", "serde_json"],
        reach: Reach::Transitive,
    },
    // The demo agent is a program of its own that talks to the server over stdio, as any other agent does.
    DependencyRule {
        package: "pilothouse-demo-agent",
        may_use: &[],
        never: &["leptos", "web-sys", "axum", "rusqlite"],
        reach: Reach::Transitive,
    },
    DependencyRule {
        package: "pilothouse-server",
        may_use: &["pilothouse-core", "pilothouse-agents", "pilothouse-demo-agent"],
        never: &["leptos", "leptos_router", "web-sys"],
        reach: Reach::Direct,
    },
    DependencyRule {
        package: "pilothouse-page",
        may_use: &["pilothouse-core", "pilothouse-highlight"],
        never: &["tokio", "axum", "rusqlite"],
        reach: Reach::Direct,
    },
    // No rule lists this crate in `may_use`, so only development dependencies can name it.
    DependencyRule {
        package: "pilothouse-test-support",
        may_use: &["pilothouse-core", "pilothouse-agents"],
        never: &["axum", "leptos", "rusqlite"],
        reach: Reach::Direct,
    },
    DependencyRule { package: "xtask", may_use: &[], never: &["tokio", "leptos"], reach: Reach::Direct },
];

/// What the code in a folder never names.
pub(super) struct SourceRule {
    pub(super) folder: &'static str,
    /// Paths such as `std::fs`, with what is below them; single words such as `SystemTime` or `println!`.
    pub(super) never: &'static [&'static str],
    /// Whether test modules and test files are free.
    pub(super) tests_are_free: bool,
}

const NO_OUTSIDE_WORLD: &[&str] = &[
    "std::env",
    "std::fs",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "std::time::UNIX_EPOCH",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "Instant",
    "SystemTime",
    "RandomState",
    "DefaultHasher",
    "js_sys",
    "tokio",
    "wasm_bindgen",
    "web_sys",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "thread_local!",
    "async",
    "await",
];

pub(super) const SOURCES: [SourceRule; 4] = [
    SourceRule { folder: "crates/core/src", never: NO_OUTSIDE_WORLD, tests_are_free: true },
    SourceRule { folder: "crates/highlight/src", never: NO_OUTSIDE_WORLD, tests_are_free: true },
    SourceRule { folder: "crates/agents/src", never: NO_OUTSIDE_WORLD, tests_are_free: true },
    // Model and tool output becomes elements, never a string of HTML.
    SourceRule {
        folder: "src",
        never: &["inner_html", "set_inner_html", "set_outer_html", "insert_adjacent_html", "document_write"],
        tests_are_free: false,
    },
];

/// What the top level of the project must have.
pub(super) const TOP_LEVEL: [&str; 8] =
    ["Cargo.toml", "Trunk.toml", "index.html", "src", "style", "tests", "crates", ".ci/run"];
