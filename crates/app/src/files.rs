//! Files that the program writes.

use anyhow::{Context as _, bail};
use driver::write_whole;
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

/// A folder of its own for the files of a run, removed at the end.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

impl Folder {
    pub(crate) fn new() -> anyhow::Result<Folder> {
        let process = std::process::id();
        for number in 0.. {
            let path = std::env::temp_dir().join(format!("cubist-run-{process}-{number}"));
            match std::fs::create_dir(&path) {
                // One that was killed has left it.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && number < 1000 => {}
                result => {
                    result.with_context(|| format!("cannot make the folder {}", path.display()))?;
                    return Ok(Folder { path });
                }
            }
        }
        bail!(
            "there are too many folders of other runs in {}",
            std::env::temp_dir().display()
        )
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
