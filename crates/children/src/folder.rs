//! Temporary files.

use crate::watcher::Watcher;
use crate::{Run, over, run};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A temporary folder, removed when this is dropped and at the end of the run.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Creates a folder within that of this run. Its name starts with `word`, for people who look at it.
pub fn folder(word: &str) -> io::Result<Folder> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = run().own_folder()?.join(format!("{word}-{number}"));
    std::fs::create_dir(&path)?;
    Ok(Folder { path })
}

impl Run {
    /// The folder of this run, created on first use.
    pub(crate) fn own_folder(&mut self) -> io::Result<&Path> {
        if self.is_finished {
            return Err(over());
        }
        if self.folder.is_none() {
            let folder = new_folder()?;
            self.watcher = Watcher::start(&folder);
            self.folder = Some(folder);
        }
        self.folder.as_deref().ok_or_else(over)
    }
}

/// Creates a folder that did not exist before and that only this user may access.
fn new_folder() -> io::Result<PathBuf> {
    use std::os::unix::fs::DirBuilderExt as _;
    let process = std::process::id();
    for number in 0..1000 {
        let path = std::env::temp_dir().join(format!("cubist-{process}-{number}"));
        match std::fs::DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result.map(|()| path),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// A killed process may still write for a moment.
pub(crate) fn remove(folder: &Path) {
    for _ in 0..50 {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => std::thread::sleep(Duration::from_millis(2)),
            _ => return,
        }
    }
}
