//! What is done to the page after trunk: its WebAssembly is split and made smaller, its style sheets become one, and
//! all that changed gets its name anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::html::{File, Html};
use super::{PROFILE, glue, style};
use crate::process;
use crate::setup::{PageTools, TARGET};
use crate::split::{self, List};
use crate::workspace::Workspace;

/// The functions that come later; `cargo xtask first-load` makes it.
pub(crate) const LIST: &str = "crates/xtask/src/split/later.txt";

const STEM: &str = "pilothouse-page";

/// Loaded by its plain name, when code appears.
const HIGHLIGHTER: &str = "pilothouse-highlight-web_bg.wasm";
const HIGHLIGHTER_SCRIPT: &str = "pilothouse-highlight-web.js";

/// For WebAssembly that has lost its own list of what it uses. Inlining and looking for common expressions make it
/// smaller as it is, and larger once it is compressed.
const WASM_OPT: [&str; 9] = [
    "-Oz",
    "--skip-pass=inlining-optimizing",
    "--skip-pass=local-cse",
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Splits the page in a folder that trunk wrote.
pub(super) fn split(workspace: &Workspace, tools: &PageTools, folder: &Path) -> Result<()> {
    let built = Built::read(folder)?;
    let list = fs::read_to_string(workspace.path(LIST)).with_context(|| format!("{LIST} cannot be read"))?;
    let linked = workspace.build_folder().join(TARGET).join(PROFILE).join(STEM).with_extension("wasm");
    let linked = fs::read(&linked).with_context(|| format!("{} cannot be read", linked.display()))?;
    let halves = split::halves(&built.wasm.bytes, &linked, &List::read(&list))
        .context("the page's WebAssembly cannot be split")?;
    let later = File::new("later", "wasm", smaller(workspace, tools, halves.later)?);
    let first = File::new(STEM, "wasm", smaller(workspace, tools, halves.first)?);
    let script = glue::split(&built.script()?, &halves.renamed, &later.name, &later.integrity())?;
    built.write(&later)?;
    let highlighter = folder.join(HIGHLIGHTER);
    fs::write(&highlighter, smaller(workspace, tools, split::bare(&fs::read(&highlighter)?)?)?)?;
    let highlighter = folder.join(HIGHLIGHTER_SCRIPT);
    fs::write(&highlighter, glue::smaller(&fs::read_to_string(&highlighter)?)?)?;
    built.finish(&first, &File::new(STEM, "js", script))
}

/// Lets the page in a folder keep count of its functions that run. Returns its WebAssembly as trunk wrote it.
pub(super) fn trace(folder: &Path) -> Result<Vec<u8>> {
    let built = Built::read(folder)?;
    let traced = File::new(STEM, "wasm", split::traced(&built.wasm.bytes)?);
    let script = glue::traced(&built.script()?)?;
    let wasm = built.wasm.bytes.clone();
    built.finish(&traced, &File::new(STEM, "js", script))?;
    Ok(wasm)
}

/// What trunk built.
struct Built {
    folder: PathBuf,
    html: Html,
    wasm: File,
    script: File,
}

impl Built {
    fn read(folder: &Path) -> Result<Self> {
        let read = |name: String| -> Result<File> {
            let bytes = fs::read(folder.join(&name)).with_context(|| format!("{name} cannot be read"))?;
            Ok(File { name, bytes })
        };
        let html = String::from_utf8(read("index.html".into())?.bytes)?;
        let mut names =
            fs::read_dir(folder)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let stem = names.find_map(|name| {
            name.strip_suffix("_bg.wasm").filter(|name| name.starts_with(STEM)).map(String::from)
        });
        let stem = stem.context("trunk wrote no WebAssembly")?;
        Ok(Self {
            folder: folder.to_owned(),
            html: Html(html),
            wasm: read(format!("{stem}_bg.wasm"))?,
            script: read(format!("{stem}.js"))?,
        })
    }

    fn script(&self) -> Result<String> {
        Ok(String::from_utf8(self.script.bytes.clone())?)
    }

    fn write(&self, file: &File) -> Result<()> {
        fs::write(self.folder.join(&file.name), &file.bytes)
            .with_context(|| format!("{} cannot be written", file.name))
    }

    fn remove(&self, name: &str) -> Result<()> {
        fs::remove_file(self.folder.join(name)).with_context(|| format!("{name} cannot be removed"))
    }

    fn finish(mut self, wasm: &File, script: &File) -> Result<()> {
        for (old, new) in [(&self.wasm, wasm), (&self.script, script)] {
            self.html.replace(old, new)?;
            self.remove(&old.name)?;
            self.write(new)?;
        }
        self.join_style_sheets()?;
        self.write(&File { name: "index.html".into(), bytes: glue::smaller(&self.html.0)?.into_bytes() })
    }

    fn join_style_sheets(&mut self) -> Result<()> {
        let names = self.html.style_sheets();
        let Some((first, rest)) = names.split_first() else { bail!("trunk wrote no style sheets") };
        let mut sheet = String::new();
        for name in &names {
            sheet.push_str(&style::smaller(&fs::read_to_string(self.folder.join(name))?));
        }
        let old = File { name: first.clone(), bytes: fs::read(self.folder.join(first))? };
        let new = File::new("style", "css", sheet);
        self.html.replace(&old, &new)?;
        for name in rest {
            self.html.remove_style_sheet(name)?;
        }
        names.iter().try_for_each(|name| self.remove(name))?;
        self.write(&new)
    }
}

/// Without wasm-opt the page works all the same.
fn smaller(workspace: &Workspace, tools: &PageTools, wasm: Vec<u8>) -> Result<Vec<u8>> {
    let Some(wasm_opt) = &tools.wasm_opt else { return Ok(wasm) };
    let folder = workspace.path("target/wasm-opt");
    fs::create_dir_all(&folder)?;
    let (large, small) = (folder.join("large.wasm"), folder.join("small.wasm"));
    fs::write(&large, wasm)?;
    let mut command = Command::new(&wasm_opt.program);
    command.args(WASM_OPT).arg(&large).arg("-o").arg(&small);
    process::run(&mut command, "wasm-opt could not make the page smaller; the lines above say why")?;
    fs::read(&small).context("wasm-opt wrote nothing")
}
