//! Embeds the built page: compresses each of its files and generates a table of them. If the page is not built, a
//! placeholder that explains how to build it is embedded, so that the server always compiles.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><title>Pilothouse</title><p>The page is not built yet. \
                         Start Pilothouse with <code>cargo xtask run</code>.</p></html>";

/// The name of the page for addresses one folder deeper.
const NESTED: &str = "nested.html";

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let manifest_dir = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let page = env::var_os("PILOTHOUSE_PAGE_DIR")
        .map_or_else(|| manifest_dir.join("../../target/page"), PathBuf::from);
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=PILOTHOUSE_PAGE_DIR");
    println!("cargo:rerun-if-changed={}", page.display());

    let mut files = Vec::new();
    collect_files(&page, &page, &mut files)?;
    let is_built = files.iter().any(|(name, _)| name == "index.html");
    if !is_built {
        files = vec![("index.html".to_owned(), NOT_BUILT.as_bytes().to_vec())];
    }
    if let Some((_, html)) = files.iter().find(|(name, _)| name == "index.html") {
        let nested = nested_page(&String::from_utf8_lossy(html));
        files.push((NESTED.to_owned(), nested.into_bytes()));
    }
    files.sort();

    let mut table = String::new();
    let mut total = 0;
    let (mut script_hashes, mut style_hashes) = (String::new(), String::new());
    for (number, (name, bytes)) in files.iter().enumerate() {
        let brotli = compress_brotli(bytes)?;
        let gzip = compress_gzip(bytes)?;
        total += brotli.len();
        fs::write(out.join(format!("{number}.br")), &brotli)?;
        fs::write(out.join(format!("{number}.gz")), &gzip)?;
        let tag = hash(bytes);
        let _ = writeln!(
            table,
            "Asset {{ name: {name:?}, tag: {tag:?}, named_by_hash: {}, \
             brotli: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{number}.br\")), \
             gzip: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{number}.gz\")) }},",
            is_named_by_hash(name),
        );
        if name == "index.html" || name == NESTED {
            let html = String::from_utf8_lossy(bytes);
            script_hashes += &inline_hashes(&html, "script");
            style_hashes += &inline_hashes(&html, "style");
        }
    }
    fs::write(
        out.join("page.rs"),
        format!(
            "pub static ASSETS: &[Asset] = &[\n{table}];\npub static SCRIPT_HASHES: &[&str] = &[{script_hashes}];\n\
             pub static STYLE_HASHES: &[&str] = &[{style_hashes}];\n"
        ),
    )?;
    if is_built {
        println!(
            "cargo:warning=embedded page: {:.1} KB with brotli, {} files",
            total as f64 / 1000.0,
            files.len()
        );
    }
    Ok(())
}

/// The page as it is served one folder deeper: its relative addresses lead one folder up.
fn nested_page(html: &str) -> String {
    ["'", "\"", "="]
        .iter()
        .fold(html.to_owned(), |html, before| html.replace(&format!("{before}./"), &format!("{before}../")))
}

/// Reads all files below a folder, with their paths relative to the root.
fn collect_files(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_files(root, &path, files)?;
        } else if let Ok(name) = path.strip_prefix(root)
            && !name.to_string_lossy().starts_with('.')
        {
            println!("cargo:rerun-if-changed={}", path.display());
            files.push((name.to_string_lossy().into_owned(), fs::read(&path)?));
        }
    }
    Ok(())
}

fn compress_brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: 24,
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &parameters)?;
    Ok(compressed)
}

fn compress_gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    io::Write::write_all(&mut encoder, bytes)?;
    encoder.finish()
}

fn hash(bytes: &[u8]) -> String {
    STANDARD.encode(Sha256::digest(bytes))
}

/// The hashes of the page's inline scripts or styles, as the elements of an array. The content security policy allows
/// only these.
fn inline_hashes(html: &str, tag: &str) -> String {
    let (start, end) = (format!("<{tag}"), format!("</{tag}>"));
    let contents = html.split(start.as_str()).skip(1).filter_map(|rest| {
        let (attributes, content) = rest.split_once('>')?;
        let (content, _) = content.split_once(end.as_str())?;
        (!attributes.contains(" src")).then_some(content)
    });
    let contents = contents.filter(|content| !content.trim().is_empty());
    contents.map(|content| format!("\"sha256-{}\", ", hash(content.as_bytes()))).collect()
}

/// Whether the name contains a hash, of the file or of its folder: such a file never changes. Trunk writes 64 bits without
/// leading zeros, so one hash in sixteen has fewer than sixteen hexadecimal digits.
fn is_named_by_hash(name: &str) -> bool {
    name.split(['-', '_', '.', '/'])
        .any(|part| (12..=16).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
