//! A small C library that is preloaded into the server, to observe or change its calls of the system. Needs a C compiler,
//! as the server's build does, and no privileges.

use std::path::PathBuf;
use std::process::Command;

use crate::server::ServerSetup;

/// A compiled library. It is deleted when this is dropped.
pub struct Preload {
    library: PathBuf,
    _folder: tempfile::TempDir,
}

impl Preload {
    pub fn compile(source: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (file, library) = (folder.path().join("source.c"), folder.path().join("library.so"));
        std::fs::write(&file, source).unwrap();
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&file).arg("-ldl");
        let output = command.output().expect("a C compiler is needed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self { library, _folder: folder }
    }

    /// Preloads the library into the server and its agents.
    pub fn apply(&self, setup: ServerSetup) -> ServerSetup {
        setup.env("LD_PRELOAD", &self.library)
    }
}
