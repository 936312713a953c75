//! Files that are written whole or not at all.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

/// Writes all of the file or none: under another name first, so that no half of a file is left behind. What is no plain
/// file, such as `/dev/stdout` or a pipe, is written to, and not replaced.
pub fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    if let Ok(known) = path.metadata()
        && !known.is_file()
    {
        return std::fs::File::options()
            .write(true)
            .open(path)?
            .write_all(text.as_bytes());
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileTypeExt as _;

    #[test]
    fn devices_are_written_to_and_not_replaced() {
        assert!(write_whole(Path::new("/dev/null"), "text").is_ok());
        assert!(write_whole(Path::new("/dev/full"), "text").is_err());
        for device in ["/dev/null", "/dev/full"] {
            assert!(
                Path::new(device).metadata().unwrap().file_type().is_char_device(),
                "{device}"
            );
        }
        assert!(write_whole(Path::new("/dev"), "text").is_err());
    }
}
