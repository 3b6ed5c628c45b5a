//! Prepares the page for splitting when `cargo xtask` builds it: see `widgets/lazy_part.rs`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PILOTHOUSE_SPLIT");
    println!("cargo::rustc-check-cfg=cfg(split)");
    if std::env::var_os("PILOTHOUSE_SPLIT").is_some() {
        println!("cargo::rustc-cfg=split");
        // The splitter reads from the relocations what each function uses.
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
