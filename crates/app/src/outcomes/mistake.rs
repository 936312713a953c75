//! Mistakes of Cubist that it notices itself. They are never a verdict: exit status 70, and everything that is needed
//! to find the mistake is kept in a folder.

use crate::supervise::Control;
use crate::terminal;
use anyhow::Context as _;
use driver::{Mistake, file_name};
use report::Status;
use report::outcome::{InternalError, Outcome};
use std::path::{Path, PathBuf};
use system::Sources;

/// Keeps what there is, and says so.
pub(crate) fn report(mistake: &Mistake, json: bool, control: &Control) -> anyhow::Result<Status> {
    let Mistake {
        message,
        sources,
        files,
        ..
    } = mistake;
    if !control.begin_report() {
        return Ok(Status::Internal);
    }
    let kept = keep(sources, files);
    complain(message, &kept);
    let file = sources.first().map_or("", |(_, sources)| &sources.model().name);
    let outcome = Outcome {
        internal_error: Some(InternalError {
            message: message.to_owned(),
            folder: kept.ok().map(|folder| folder.display().to_string()),
        }),
        ..Outcome::new(file)
    };
    control.keep_report(&outcome);
    if json {
        terminal::print(&super::json(&outcome)?)?;
    }
    Ok(Status::Internal)
}

/// Writes what was read, the command line and other files into a new folder.
fn keep(read: &[(String, Sources)], files: &[(&'static str, String)]) -> anyhow::Result<PathBuf> {
    let folder = new_folder(&std::env::temp_dir())?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    for (name, sources) in read {
        write(name, &sources.model().text)?;
        for added in sources.additions() {
            write(&format!("addition-{}", file_name(&added.name)), &added.text)?;
        }
    }
    let command: Vec<String> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    write("command.txt", &(command.join(" ") + "\n"))?;
    for (name, text) in files {
        write(name, text)?;
    }
    Ok(folder)
}

fn new_folder(parent: &Path) -> anyhow::Result<PathBuf> {
    let process = std::process::id();
    for number in 0..1000 {
        let path = parent.join(format!("cubist-internal-error-{process}-{number}"));
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            result => {
                result.with_context(|| format!("cannot create {}", path.display()))?;
                return Ok(path);
            }
        }
    }
    anyhow::bail!("there are too many folders of other mistakes in {}", parent.display())
}

/// Says what is wrong, and where everything about it is.
fn complain(message: &str, kept: &anyhow::Result<PathBuf>) {
    let kept = match kept {
        Ok(path) => format!("Everything to report it is in {}.", path.display()),
        Err(error) => format!("Nothing could be kept: {error:#}."),
    };
    let version = env!("CARGO_PKG_VERSION");
    terminal::complain(&format!(
        "internal error: {message}\n{kept}\nThis is a bug of Cubist {version}. Please report it, with that folder.\n"
    ));
}
