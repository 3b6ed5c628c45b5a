//! The rules of the architecture, as tables.

/// The dependencies that a crate may have.
pub(super) struct DependencyRule {
    pub(super) package: &'static str,
    /// The crates of this workspace that it may use.
    pub(super) may_use: &'static [&'static str],
    /// The crates that it must not use.
    pub(super) never: &'static [&'static str],
    /// Whether `never` includes the dependencies of dependencies.
    pub(super) reach: Reach,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Direct,
    Transitive,
}

/// Crates with a clock, random numbers, threads, files, sockets or a DOM.
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

/// The rules. Development dependencies are not restricted.
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

/// The files and folders that the top level must have.
pub(super) const TOP_LEVEL: [&str; 8] =
    ["Cargo.toml", "Trunk.toml", "index.html", "src", "style", "tests", "crates", ".ci/run"];
