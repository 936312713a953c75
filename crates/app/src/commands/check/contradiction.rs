//! What was proved is false in a state that the explorer reaches: a mistake of Cubist, with everything that is needed to find it.

use super::meet::Contradicted;
use super::prove::Proof;
use super::Task;
use crate::report::{self, check_json, check_report};
use crate::status::Status;
use crate::terminal;
use anyhow::Context as _;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use system::transition::Fact;

/// Keeps what there is, and says so. The verdict is never "safe".
pub(super) fn report(task: &Task, proof: &Proof, found: &Contradicted) -> anyhow::Result<Status> {
    task.progress.finish();
    let folder = keep(task, proof, found);
    let kept = match &folder {
        Ok(path) => format!("Everything to report it is in {}.", path.display()),
        Err(error) => format!("Nothing could be kept: {error:#}."),
    };
    let message = format!(
        "internal error: the proof says \"{}\", and an explored state with {} contradicts it",
        found.claim.name,
        sizes(found)
    );
    if task.control.begin_report() {
        let version = env!("CARGO_PKG_VERSION");
        terminal::complain(&format!(
            "{message}\n{kept}\nThis is a bug of Cubist {version}. Please report it, with that folder.\n"
        ));
        if task.arguments.style.json {
            let seconds = task.limits.started.elapsed().as_secs_f64();
            let folder = folder.ok();
            let json = check_json::contradiction(task, &message, folder.as_deref(), seconds);
            terminal::print(&report::json(&json)?)?;
        }
    }
    Ok(Status::Internal)
}

fn sizes(found: &Contradicted) -> String {
    match found.sizes.is_empty() {
        true => "the sizes of the file".to_owned(),
        false => report::sizes(&found.sizes),
    }
}

/// Writes the model, the options, the invariant, the state and what fails in it into a new folder.
fn keep(task: &Task, proof: &Proof, found: &Contradicted) -> anyhow::Result<PathBuf> {
    let folder = new_folder(&std::env::temp_dir())?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    let file_name = |path: &str| {
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "model".to_owned())
    };
    write(&file_name(&task.input.file.name), &task.input.file.text)?;
    for addition in &task.input.additions {
        write(&format!("addition-{}", file_name(&addition.file.name)), &addition.file.text)?;
    }
    let command: Vec<String> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    write("command.txt", &(command.join(" ") + "\n"))?;
    let formula = |formula| check_report::closed_formula(task.system, formula);
    let mut invariant = format!("found by the engine {}\n", proof.engine);
    for fact in &proof.facts {
        let Fact { name, formula: of, .. } = fact;
        let _ = writeln!(invariant, "{name}: {}", formula(*of));
    }
    write("invariant.txt", &invariant)?;
    let failing = format!(
        "instance: {}\nproved, and false in the state below: {}\n{}\n\n{}\n",
        sizes(found),
        found.claim.name,
        formula(found.claim.formula),
        found.contradiction.state.join("\n")
    );
    write("contradiction.txt", &failing)?;
    if let Some(certificate) = &proof.certificate {
        write("certificate.smt2", certificate)?;
    }
    Ok(folder)
}

fn new_folder(parent: &Path) -> anyhow::Result<PathBuf> {
    let process = std::process::id();
    for number in 0..1000 {
        let path = parent.join(format!("cubist-contradiction-{process}-{number}"));
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            result => {
                result.with_context(|| format!("cannot create {}", path.display()))?;
                return Ok(path);
            }
        }
    }
    anyhow::bail!("there are too many folders of other contradictions in {}", parent.display())
}
