//! A disk that is full or stalls, for the server's own database: a small library that is preloaded into the server
//! makes writes fail or wait.

use std::path::{Path, PathBuf};

use crate::preload::Preload;
use crate::server::ServerSetup;

/// Controls the faults of one server.
pub struct DiskFaults {
    control: PathBuf,
    library: Preload,
    _folder: tempfile::TempDir,
}

impl Default for DiskFaults {
    fn default() -> Self {
        Self::new()
    }
}

impl DiskFaults {
    /// Compiles the library. The disk works at first.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let library = Preload::compile(include_str!("disk_faults/shim.c"));
        Self { control: folder.path().join("control"), library, _folder: folder }
    }

    /// Preloads the library into the server.
    pub fn apply(&self, setup: ServerSetup) -> ServerSetup {
        self.library.apply(setup).env("DISK_FAULT_CONTROL", &self.control)
    }

    /// Makes every write to the store fail, as on a full disk.
    pub fn fill(&self) {
        set(&self.control, "full");
    }

    /// Makes every write to recorded sessions fail, as on a full disk.
    pub fn fill_recordings(&self) {
        set(&self.control, "recordings");
    }

    /// Makes every wait for the disk last until the disk is repaired.
    pub fn stall(&self) {
        set(&self.control, "slow");
    }

    /// Makes the disk work again.
    pub fn repair(&self) {
        set(&self.control, "");
    }
}

/// Replaces the file in one step, so that no half-written one is read.
fn set(control: &Path, fault: &str) {
    let new = control.with_extension("new");
    std::fs::write(&new, fault).unwrap();
    std::fs::rename(&new, control).unwrap();
}
