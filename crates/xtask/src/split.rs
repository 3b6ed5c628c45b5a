//! Moves the page's lazy parts into files of their own, which the page loads when they are first shown. The parts are
//! declared in the source (`src/widgets/lazy_part.rs`); the splitter of Leptos finds from the linker's relocations which
//! functions and data only they use.
//!
//! Trunk has built the page by then. Its module and script are replaced by a folder named by a hash of its content:
//! the files in it refer to each other by name.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::fingerprint;
use crate::page::{PACKAGE, PROFILE, remove};
use crate::process;
use crate::setup::{PageTools, TARGET, Tool};
use crate::workspace::Workspace;

/// Set while cargo compiles a page that will be split; see `build.rs`.
pub(crate) const VARIABLE: &str = "PILOTHOUSE_SPLIT";

/// The script with the loaders of the parts.
const LOADERS: &str = "__wasm_split.js";

/// What wasm-opt does. The two skipped passes make the compressed code larger. Ordered by name, similar functions are
/// neighbours, which brotli uses.
const OPTIMISATION: [&str; 7] = [
    "-Os",
    "--converge",
    "--skip-pass=inlining-optimizing",
    "--skip-pass=local-cse",
    "--low-memory-unused",
    "--reorder-functions-by-name",
    "--strip-producers",
];

/// Splits the module in the page's folder.
pub(crate) fn split(workspace: &Workspace, tools: &PageTools, page: &Path) -> Result<()> {
    let parts = page.join("parts");
    fs::create_dir(&parts).context("a folder for the page's module cannot be created")?;
    let main = parts.join(PACKAGE).with_extension("wasm");
    let script = main.with_extension("js");
    let compiled = workspace.build_folder().join(TARGET).join(PROFILE).join(format!("{PACKAGE}.wasm"));
    let mut command = Command::new(&tools.wasm_split.program);
    command.arg(compiled).arg(&parts).args(["--out-name", PACKAGE]);
    process::run(&mut command, "the page's module could not be split; see above")?;
    let mut command = Command::new(&tools.wasm_bindgen.program);
    // The parts use the memory and the table of functions.
    command.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-name", PACKAGE]);
    process::run(command.arg("--out-dir").arg(&parts).arg(&main), "wasm-bindgen failed; see above")?;
    fs::remove_file(&main)?;
    if let Some(wasm_opt) = &tools.wasm_opt {
        optimise(&parts, wasm_opt)?;
    }
    if let Some(esbuild) = &tools.esbuild {
        let mut command = Command::new(&esbuild.program);
        command.args(["--bundle", "--minify", "--format=esm", "--allow-overwrite", "--log-level=error"]);
        command.arg(&script).arg(format!("--outfile={}", script.display()));
        process::run(&mut command, "the page's JavaScript could not be bundled; see above")?;
        fs::remove_file(parts.join(LOADERS))?;
    }
    replace(page, &parts)
}

fn optimise(parts: &Path, wasm_opt: &Tool) -> Result<()> {
    for entry in fs::read_dir(parts)? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "wasm") {
            let mut command = Command::new(&wasm_opt.program);
            command.args(OPTIMISATION).arg(&file).arg("-o").arg(&file);
            process::run(&mut command, "wasm-opt failed; see above")?;
        }
    }
    Ok(())
}

/// Replaces Trunk's module and script by those in `parts`.
fn replace(page: &Path, parts: &Path) -> Result<()> {
    let folder = format!("page-{}", fingerprint::of(parts, &[""], &[])?);
    let html = page.join("index.html");
    let text = fs::read_to_string(&html).context("the page's HTML cannot be read")?;
    let name = trunk_name(&text).context("the page's HTML names no module")?;
    for file in [format!("{name}.js"), format!("{name}_bg.wasm")] {
        fs::remove_file(page.join(&file)).with_context(|| format!("{file} cannot be removed"))?;
    }
    fs::write(&html, text.replace(name, &format!("{folder}/{PACKAGE}")))?;
    remove(&page.join(&folder))?;
    fs::rename(parts, page.join(folder)).context("the page's module cannot be moved into place")
}

/// The name that Trunk gave the script and the module: the package with a hash.
fn trunk_name(html: &str) -> Option<&str> {
    let start = html.find(&format!("{PACKAGE}-"))?;
    let length = html[start..].find('.')?;
    html.get(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_trunk_gave_the_module_is_found() {
        let html = "<script>import init from './pilothouse-page-0a1.js';</script>";
        assert_eq!(trunk_name(html), Some("pilothouse-page-0a1"));
        assert_eq!(trunk_name("<script src=x.js>"), None);
    }
}
