//! The one file of a run folder: its first line has the format and a checksum of the rest, which is JSON.
//!
//! It is written anew under another name and renamed, so that at every moment, whatever ends the program, there is a
//! whole one.

use crate::error::{Error, Result};
use crate::files::write_whole;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

const FILE: &str = "learned.json";
const FORMAT: u32 = 1;

/// What the knowledge is about.
pub(crate) struct About {
    /// The path of the model or the program.
    pub(crate) file: String,
    /// Of its text, and of the options that change its meaning.
    pub(crate) digest: String,
}

pub(crate) struct RunFile {
    path: PathBuf,
    about: About,
}

impl RunFile {
    /// A new folder, or an empty one.
    pub(crate) fn create(path: &Path, about: About) -> Result<RunFile> {
        if path.join(FILE).exists() {
            let shown = path.display();
            return Err(Error::refused(format!(
                "{shown} holds a run already: `--resume {shown}` goes on from it, `--run` starts in another folder"
            )));
        }
        std::fs::create_dir_all(path).map_err(Error::io(format!("cannot make the folder {}", path.display())))?;
        Ok(RunFile {
            path: path.join(FILE),
            about,
        })
    }

    /// That of a folder which another run left, and what it says.
    pub(crate) fn resume(path: &Path, about: About) -> Result<(RunFile, Value)> {
        let file = path.join(FILE);
        let shown = file.display();
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::refused(format!(
                    "there is no run in {}: {shown} is missing",
                    path.display()
                )));
            }
            Err(error) => return Err(Error::io(format!("cannot read {shown}"))(error)),
        };
        let text = String::from_utf8(bytes).ok();
        let (head, body) = match text.as_ref().and_then(|text| text.split_once('\n')) {
            Some((head, body)) if head.starts_with("cubist run ") => (head, body),
            _ => {
                return Err(Error::refused(format!(
                    "{shown} was not written by `cubist check --run`"
                )));
            }
        };
        match head.split_whitespace().nth(2) {
            Some(format) if format == FORMAT.to_string() => {}
            Some(format) => {
                return Err(Error::refused(format!(
                    "{shown} has the format {format}, and this version of Cubist reads {FORMAT} only"
                )));
            }
            None => return Err(Error::refused(format!("{shown} is damaged: its first line is cut off"))),
        }
        if head != header(body) {
            return Err(Error::refused(format!("{shown} is damaged: its checksum is wrong")));
        }
        let value: Value =
            serde_json::from_str(body).map_err(|error| Error::refused(format!("{shown} is damaged: {error}")))?;
        if value["digest"] != about.digest {
            let file = value["file"].as_str().unwrap_or("another model");
            return Err(Error::refused(format!(
                "{shown} is about {file} as it was, or with other options: nothing of it is known to fit now"
            )));
        }
        remove_parts(path);
        Ok((RunFile { path: file, about }, value))
    }

    pub(crate) fn write(&self, mut content: Map<String, Value>) -> Result<()> {
        content.insert("cubist".to_owned(), json!(env!("CARGO_PKG_VERSION")));
        content.insert("file".to_owned(), json!(self.about.file));
        content.insert("digest".to_owned(), json!(self.about.digest));
        let mut body = Value::Object(content).to_string();
        body.push('\n');
        write_whole(&self.path, &format!("{}\n{body}", header(&body)))
            .map_err(Error::io(format!("cannot write {}", self.path.display())))
    }

    /// The error for a file that says what cannot be.
    pub(crate) fn damaged(&self, what: &str) -> Error {
        Error::refused(format!("{} is damaged: {what}", self.path.display()))
    }
}

/// Removes what a run left that was killed while it wrote.
fn remove_parts(path: &Path) {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&format!(".{FILE}.")) && name.ends_with(".part") {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn header(body: &str) -> String {
    format!("cubist run {FORMAT} sha256 {}", validate::sha256(body.as_bytes()))
}
