//! Files that are written whole or not at all.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

/// Writes all of the file or none: under another name first, so that no half of a file is left behind.
pub fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
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
