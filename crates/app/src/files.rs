//! Files that the program writes.

use anyhow::{Context as _, bail};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use system::graph::Graph;

/// A file for a drawing of a graph.
pub(crate) struct Drawing {
    pub(crate) path: PathBuf,
    format: Format,
}

#[derive(Clone, Copy)]
enum Format {
    Dot,
    Svg,
}

impl Drawing {
    pub(crate) fn new(path: &Path) -> anyhow::Result<Drawing> {
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("dot") => Format::Dot,
            Some("svg") => Format::Svg,
            _ => bail!("--graph {}: the name must end in .svg or .dot", path.display()),
        };
        Ok(Drawing {
            path: path.to_owned(),
            format,
        })
    }

    pub(crate) fn write(&self, graph: &Graph) -> anyhow::Result<()> {
        let text = match self.format {
            Format::Dot => graph.dot(),
            Format::Svg => graph.svg(),
        };
        write_whole(&self.path, &text).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Writes all of the file or none: under another name first, so that no half of a file is left behind.
pub(crate) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(name);
    let write = || {
        let mut file = std::fs::File::create_new(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    let result = write();
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}
