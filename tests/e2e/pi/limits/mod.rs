//! A pi that cannot work as usual: failing providers, missing models, an old version, hostile text.

mod hostile;
mod old_generation;
mod provider_errors;
mod unusable;
