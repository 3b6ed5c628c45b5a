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
pub(super) const DEPENDENCIES: [DependencyRule; 10] = [
    DependencyRule {
        package: "pilothouse-json-derive",
        may_use: &[],
        never: IMPURE,
        reach: Reach::Transitive,
    },
    DependencyRule {
        package: "pilothouse-core",
        may_use: &["pilothouse-json-derive"],
        never: IMPURE,
        reach: Reach::Transitive,
    },
    DependencyRule {
        package: "pilothouse-agents",
        may_use: &["pilothouse-core"],
        never: IMPURE,
        reach: Reach::Transitive,
    },
    DependencyRule { package: "pilothouse-highlight", may_use: &[], never: IMPURE, reach: Reach::Transitive },
    DependencyRule {
        package: "pilothouse-highlight-web",
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
        may_use: &["pilothouse-core", "pilothouse-highlight", "pilothouse-highlight-web"],
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

/// The crates whose `clippy.toml` forbids clocks, files and threads. Their files are equal.
pub(super) const PURE: [&str; 3] = ["crates/core", "crates/agents", "crates/highlight"];

/// What the top level of the project must have.
pub(super) const TOP_LEVEL: [&str; 8] =
    ["Cargo.toml", "Trunk.toml", "index.html", "src", "style", "tests", "crates", ".ci/run"];
