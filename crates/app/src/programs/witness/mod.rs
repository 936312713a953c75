//! Witnesses of SV-COMP: written of an answer, and validated against the program.
//!
//! A violation witness names what every input function returned, and the violation. It is confirmed by a run of the
//! interpreter that passes all its waypoints. The invariants of a correctness witness are woven into the program, each
//! as an error where it does not hold: then no error of this program, and none of the program without them, may be
//! reached.

mod followed;
mod macros;
mod woven;
mod written;

use crate::arguments::Validate;
use crate::outcomes;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use anyhow::Context as _;
use c::{DataModel, Options};
use followed::violation;
use report::Status;
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;
use system::{Diagnostic, Rejected, SourceFile, Sources, Span};
use witness::{Content, Location, Task};
use woven::Weaving;
pub(super) use written::text;

/// Whether a file is a witness, by its name.
pub(crate) fn is_witness(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "yml" || extension == "yaml")
}

/// The answer about a witness.
enum Answer {
    Confirmed(String),
    /// With the place in the witness.
    Refused(Span, String),
    Unknown(String),
}

/// `cubist validate WITNESS.yml --model FILE.c`
pub(crate) fn validate(text: &str, arguments: &Validate, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let name = driver::shown_name(&arguments.file);
    let sources = Sources::new(SourceFile::new(name.clone(), text));
    let witness = witness::read(sources.model().clone())?;
    let model = arguments.model()?;
    let model = model.context("this is a witness: name the program with --model FILE.c")?;
    super::refuse(&arguments.of_models())?;
    let reject = |span: Span, message: String| Rejected::new(sources.clone(), vec![Diagnostic::error(span, message)]);
    let program = std::fs::read(model).with_context(|| format!("cannot read {}", model.display()))?;
    let digest = validate::sha256(&program);
    if digest != witness.task.digest {
        let message = format!(
            "this witness is about another file: {} has the digest {digest}",
            model.display()
        );
        return Err(reject(witness.task.digest_span, message).into());
    }
    let options =
        options(&witness.task, arguments).map_err(|message| reject(witness.task.specification_span, message))?;
    let unit = c::read_file(model, &options)?;
    let answer = match &witness.content {
        Content::Violation(waypoints) => violation(&unit, waypoints, &reject)?,
        Content::Invariants(invariants) => {
            let weaving = Weaving {
                unit: &unit,
                model,
                options: &options,
                reject: &reject,
            };
            weaving.correctness(invariants, limits, control)?
        }
    };
    let (status, word) = match &answer {
        Answer::Confirmed(_) => (Status::Done, "confirmed"),
        Answer::Refused(..) => (Status::Violated, "refused"),
        Answer::Unknown(_) => (Status::Incomplete, "unknown"),
    };
    if !control.begin_report() {
        return Ok(status);
    }
    let (reason, place) = match &answer {
        Answer::Confirmed(reason) | Answer::Unknown(reason) => (reason, None),
        Answer::Refused(span, reason) => (reason, Some(*span)),
    };
    let header = outcomes::Header::new(&name);
    let task = &witness.task;
    let json = || {
        let line = place.map(|span| sources.model().position(span.start).0);
        json!({
            "cubist": header.cubist, "schema": header.schema, "file": header.file,
            "model": model.display().to_string(), "specification": task.specification,
            "data_model": task.data_model, "verdict": word, "reason": reason, "line": line,
        })
    };
    let words = || {
        let paint = Paint::stdout();
        let mut text = match &answer {
            Answer::Confirmed(_) => format!("{} {reason}.\n", paint.good("Confirmed:")),
            Answer::Refused(..) => format!("{} {reason}.\n", paint.bad("Refused:")),
            Answer::Unknown(_) => format!("{} {reason}.\n", paint.doubtful("Not confirmed:")),
        };
        if let Some(span) = place {
            let diagnostic = Diagnostic::error(span, reason.clone());
            let _ = write!(
                text,
                "\n{}",
                outcomes::diagnostics::text(&[diagnostic], &sources, paint)
            );
        }
        // The witness chooses these, so the answer shows them.
        let _ = writeln!(text, "  program   {} ({})", model.display(), task.data_model);
        let _ = writeln!(text, "  property  {}", task.specification);
        text
    };
    terminal::print(&outcomes::written(arguments.json, json, words)?)?;
    Ok(status)
}

/// How the program was read, as the witness says.
fn options(task: &Task, arguments: &Validate) -> Result<Options, String> {
    let model = match task.data_model.as_str() {
        "ILP32" => DataModel::Ilp32,
        _ => DataModel::Lp64,
    };
    let specification = c::specification(SourceFile::new("specification", task.specification.as_str()));
    let message = |rejected: Rejected| {
        let first = rejected.diagnostics.first();
        first.map_or("this is no property".to_owned(), |first| first.message.clone())
    };
    let specification = specification.map_err(message)?;
    if let Some(path) = &arguments.property {
        let name = path.display().to_string();
        let text = super::text(path).map_err(|error| format!("{error:#}"))?;
        let wanted = c::specification(SourceFile::new(name.clone(), text));
        if wanted.map_err(|rejected| format!("{name}: {}", message(rejected)))? != specification {
            return Err(format!("this witness is about another property than {name}"));
        }
    }
    if arguments.data_model.is_some_and(|wanted| wanted.data_model() != model) {
        return Err(format!("this witness is about another data model: {}", task.data_model));
    }
    if !specification.undefined.is_empty() {
        return Err("witnesses about undefined behaviour are not understood".to_owned());
    }
    let mut options = Options {
        include_paths: arguments.include.clone(),
        definitions: arguments.define.clone(),
        ..Options::new(model)
    };
    options.specify(&specification);
    Ok(options)
}

/// What is wrong at a place of the witness.
type Reject<'a> = &'a dyn Fn(Span, String) -> Rejected;

/// Where a location of the witness is in the program's file.
fn offset(model: &SourceFile, location: &Location) -> Option<u32> {
    let mut start = 0;
    for _ in 1..location.line {
        start += model.text.get(start..)?.find('\n')? + 1;
    }
    let line = model.text.get(start..)?.split('\n').next()?;
    let column = location
        .column
        .unwrap_or_else(|| line.len() - line.trim_start().len() + 1);
    let (within, _) = line.char_indices().nth(column - 1)?;
    u32::try_from(start + within).ok()
}

fn loop_word(text: &str) -> Option<&'static str> {
    ["while", "for", "do"].into_iter().find(|word| {
        text.strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    })
}
