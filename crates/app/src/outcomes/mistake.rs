//! Mistakes of Cubist that it notices itself. They are never a verdict: exit status 70, and everything that is needed
//! to find the mistake is kept in a folder.

use crate::status::Status;
use crate::supervise::Control;
use crate::terminal;
use anyhow::Context as _;
use driver::{Contradicted, Disagreed, Input, Mistake, Proved, Subject, notation};
use explore::{Unconfirmed, Violation};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use system::Sources;
use system::instance::Instance;

/// Keeps what there is, and says so.
pub(crate) fn report(mistake: &Mistake, json: bool, control: &Control) -> anyhow::Result<Status> {
    match mistake {
        Mistake::Contradicted { subject, proved, found } => {
            let (message, files) = contradicted(subject, proved, found);
            tell(&subject.input, &message, &files, json, control)
        }
        Mistake::Disagreed { subject, proved, found } => {
            let (message, files) = disagreed(subject, proved, found);
            tell(&subject.input, &message, &files, json, control)
        }
        Mistake::Unconfirmed { found, reason } => {
            unconfirmed(&found.input, &found.instance, &found.violation, reason, json, control)
        }
        Mistake::NotAgain { input, reason } => {
            let message = format!("no violation was found, and the other interpreter disagrees: {reason}");
            tell(input, &message, &Vec::new(), json, control)
        }
    }
}

/// The run of a violation is not one by the other interpreter.
pub(crate) fn unconfirmed(
    input: &Input,
    instance: &Instance,
    violation: &Violation,
    reason: &Unconfirmed,
    json: bool,
    control: &Control,
) -> anyhow::Result<Status> {
    let message = format!(
        "a violation ({}) is not confirmed by the other interpreter: {reason}",
        violation.message
    );
    let files = vec![("run.txt", run(input, instance, violation, reason))];
    tell(input, &message, &files, json, control)
}

fn tell(input: &Input, message: &str, files: &Files, json: bool, control: &Control) -> anyhow::Result<Status> {
    let model = match input.file().name == driver::shown_name(Path::new("-")) {
        true => format!("model.{}", input.language().extension()),
        false => file_name(&input.file().name),
    };
    tell_of(&[(model, input.sources())], message, files, json, control)
}

/// The same about any texts, the first of which is the one that the report is about: each with the name that the kept
/// file gets.
pub(crate) fn tell_of(
    read: &[(String, &Sources)],
    message: &str,
    files: &Files,
    json: bool,
    control: &Control,
) -> anyhow::Result<Status> {
    if !control.begin_report() {
        return Ok(Status::Internal);
    }
    let kept = keep(read, files);
    complain(message, &kept);
    let file = read.first().map_or("", |(_, sources)| &sources.model().name);
    let header = super::Header::new(file);
    let object = json!({
        "cubist": header.cubist,
        "schema": header.schema,
        "file": header.file,
        "verdict": Status::Internal.verdict(),
        "properties": [],
        "internal_error": {
            "message": message,
            "folder": kept.ok().map(|folder| folder.display().to_string()),
        },
    });
    control.keep_report(&object);
    if json {
        terminal::print(&super::json(&object)?)?;
    }
    Ok(Status::Internal)
}

pub(crate) type Files = Vec<(&'static str, String)>;

fn of_sizes(sizes: &[(String, i64)]) -> String {
    match sizes.is_empty() {
        true => "the sizes of the file".to_owned(),
        false => super::sizes(sizes),
    }
}

/// The proof, for whoever looks for the mistake.
fn of_proof(subject: &Subject, proved: &Proved) -> Files {
    let engine = proved.account.engine.map_or("none", driver::Engine::name);
    let mut invariant = format!("found by the engine {engine}\n");
    for fact in &proved.facts {
        let formula = notation::closed_formula(&subject.system, fact.formula);
        let _ = writeln!(invariant, "{}: {formula}", fact.name);
    }
    vec![
        ("invariant.txt", invariant),
        ("certificate.smt2", proved.certificate.text().to_owned()),
    ]
}

fn contradicted(subject: &Subject, proved: &Proved, found: &Contradicted) -> (String, Files) {
    let sizes = of_sizes(&found.sizes);
    let failing = format!(
        "instance: {sizes}\nproved, and false in the state below: {}\n{}\n\n{}\n",
        found.claim.name,
        notation::closed_formula(&subject.system, found.claim.formula),
        found.contradiction.state.join("\n")
    );
    let message = format!(
        "the proof says \"{}\", and an explored state with {sizes} contradicts it",
        found.claim.name,
    );
    let mut files = of_proof(subject, proved);
    files.push(("contradiction.txt", failing));
    (message, files)
}

/// A step that the system does not make as the explorer does.
fn disagreed(subject: &Subject, proved: &Proved, found: &Disagreed) -> (String, Files) {
    let sizes = of_sizes(&found.sizes);
    let at = &found.disagreement.at;
    let message = format!("a step by {at} from a state with {sizes} is none of the system that the proof is about");
    let mut files = of_proof(subject, proved);
    files.push(("step.txt", format!("instance: {sizes}\n{}\n", found.disagreement)));
    (message, files)
}

/// The run as far as it is known, with everything that could be the reason.
fn run(input: &Input, instance: &Instance, violation: &Violation, reason: &Unconfirmed) -> String {
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
    let sizes: Vec<(String, i64)> = input.sizes().iter().map(|ty| (ty.name.clone(), ty.size)).collect();
    let _ = writeln!(run, "sizes: {}", super::sizes(&sizes));
    run
}

/// Writes what was read, the command line and other files into a new folder.
fn keep(read: &[(String, &Sources)], files: &Files) -> anyhow::Result<PathBuf> {
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

pub(crate) fn file_name(path: &str) -> String {
    let name = Path::new(path)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "model".to_owned())
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
