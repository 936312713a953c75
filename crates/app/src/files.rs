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
            Format::Dot => report::graph::dot(graph),
            Format::Svg => report::graph::svg(graph),
        };
        write_whole(&self.path, &text).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// A folder of its own for the files of a run, removed at the end.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    _removed: children::Folder,
}

impl Folder {
    pub(crate) fn new() -> anyhow::Result<Folder> {
        let made = children::folder("run").context("cannot make a folder for temporary files")?;
        Ok(Folder {
            path: made.path().to_owned(),
            _removed: made,
        })
    }
}
