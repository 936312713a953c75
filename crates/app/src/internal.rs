//! Mistakes of Cubist that it notices itself. They are never a verdict: exit status 70, and everything that is needed to find the mistake is
//! kept in a folder.

use crate::input::Input;
use crate::report;
use crate::status::Status;
use crate::supervise::Control;
use crate::terminal;
use anyhow::Context as _;
use explore::{Unconfirmed, Violation};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use system::instance::Instance;

/// Writes the model, the command line and other files into a new folder.
pub(crate) fn keep(input: &Input, files: &[(&str, &str)]) -> anyhow::Result<PathBuf> {
    let folder = new_folder(&std::env::temp_dir())?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    let file_name = |path: &str| {
        let name = Path::new(path)
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "model".to_owned())
    };
    write(&file_name(&input.file.name), &input.file.text)?;
    for addition in &input.additions {
        write(
            &format!("addition-{}", file_name(&addition.file.name)),
            &addition.file.text,
        )?;
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
pub(crate) fn complain(message: &str, kept: &anyhow::Result<PathBuf>) {
    let kept = match kept {
        Ok(path) => format!("Everything to report it is in {}.", path.display()),
        Err(error) => format!("Nothing could be kept: {error:#}."),
    };
    let version = env!("CARGO_PKG_VERSION");
    terminal::complain(&format!(
        "internal error: {message}\n{kept}\nThis is a bug of Cubist {version}. Please report it, with that folder.\n"
    ));
}

/// The run of a violation is not one by the other interpreter.
pub(crate) fn unconfirmed(
    input: &Input,
    (instance, violation): (&Instance, &Violation),
    reason: &Unconfirmed,
    control: &Control,
    json: bool,
) -> Status {
    let mut run = format!("{}\n{reason}\n\n", violation.message);
    for (number, step) in violation.trace.iter().flat_map(|trace| trace.steps.iter().enumerate()) {
        let _ = writeln!(run, "{number}  {} choices {:?}", step.firing, step.firing.choices);
        for (slot, text) in step.texts.iter().enumerate() {
            let _ = writeln!(run, "    {} = {text}", instance.slot_name(slot));
        }
    }
    let failing = violation.trace.as_ref().and_then(|trace| trace.failing.as_ref());
    if let Some(firing) = failing {
        let _ = writeln!(run, "fails: {firing} choices {:?}", firing.choices);
    }
    let sizes: Vec<(String, i64)> = input.sizes.iter().map(|ty| (ty.name.clone(), ty.size)).collect();
    let _ = writeln!(run, "sizes: {}", report::sizes(&sizes));
    let message = format!(
        "a violation ({}) is not confirmed by the other interpreter: {reason}",
        violation.message
    );
    if control.begin_report() {
        let kept = keep(input, &[("run.txt", &run)]);
        complain(&message, &kept);
        if json {
            crate::report_as_json(
                input.file.name.clone(),
                format!("internal error: {message}"),
                Vec::new(),
            );
        }
    }
    Status::Internal
}
