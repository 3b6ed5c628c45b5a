//! Lexers of data formats: settings, YAML, diffs.

mod diff;
mod settings;
mod yaml;

pub use diff::Diff;
pub use settings::Settings;
pub use yaml::Yaml;
