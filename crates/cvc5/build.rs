//! Links the pinned libcvc5parser, as crates/smt does with libz3.
//!
//! The run paths in `.cargo/config.toml` serve `target/release/cubist-cvc5` and the installed program. For a target
//! folder elsewhere: Cargo adds each link search folder inside the target folder to the library path of the processes
//! it runs, so we link to the libraries from there.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../third-party/solvers/cvc5.libs");
    println!("cargo::rerun-if-changed={}", installed.display());
    let installed = fs::canonicalize(&installed)
        .map_err(|error| format!("no cvc5 in {}: run `make setup` first ({error})", installed.display()))?;
    let here = PathBuf::from(env::var("OUT_DIR")?);
    for entry in fs::read_dir(&installed)? {
        let library = entry?.path();
        let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
        link(&library, &here.join(&name))?;
        // The wheel adds a digest to each file name; the linker needs the plain name.
        if name.starts_with("libcvc5parser-") {
            link(&library, &here.join("libcvc5parser.so"))?;
        } else if name.starts_with("libcvc5-") {
            link(&library, &here.join("libcvc5.so"))?;
        }
    }
    println!("cargo::rustc-link-search=native={}", here.display());
    println!("cargo::rustc-link-lib=dylib=cvc5parser");
    println!("cargo::rustc-link-lib=dylib=cvc5");
    Ok(())
}

fn link(library: &Path, link: &Path) -> std::io::Result<()> {
    if link.symlink_metadata().is_ok() {
        fs::remove_file(link)?;
    }
    std::os::unix::fs::symlink(library, link)
}
