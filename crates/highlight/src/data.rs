//! Data: settings, YAML, changes of files.

mod diff;
mod settings;
mod yaml;

pub use diff::Diff;
pub use settings::Settings;
pub use yaml::Yaml;
