//! Puts the pinned libz3 where Cargo's own runs find it.
//!
//! The run path in `.cargo/config.toml` serves `target/release/cubist`. It cannot serve documentation tests, which run
//! from a temporary folder, nor a target folder elsewhere. For those: Cargo adds each link search folder that lies
//! inside the target folder to the library path of whatever it runs, so we link to the library from there.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    let installed = PathBuf::from(env::var("Z3_LIBRARY_PATH_OVERRIDE")?);
    println!("cargo::rerun-if-changed={}", installed.display());
    let entries = fs::read_dir(&installed)
        .map_err(|error| format!("no Z3 in {}: run `make setup` first ({error})", installed.display()))?;
    let here = PathBuf::from(env::var("OUT_DIR")?);
    for entry in entries {
        let library = entry?.path();
        link(&library, &here.join(library.file_name().unwrap_or_default()))?;
    }
    println!("cargo::rustc-link-search=native={}", here.display());
    Ok(())
}

fn link(library: &Path, link: &Path) -> std::io::Result<()> {
    if link.symlink_metadata().is_ok() {
        fs::remove_file(link)?;
    }
    std::os::unix::fs::symlink(library, link)
}
