//! `cubist validate`: have a solver that did not find the proof answer every query of a certificate.
//!
//! With `--model`, the model is read and lowered again, the whole text is made again from the facts that the
//! certificate states, and any difference is refused: then it is the model of which something is proved.

use crate::arguments::Validate;
use crate::outcomes::validate_report::{Subject, Verdict};
use crate::outcomes::{self, exploration_report, validate_report};
use crate::programs;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use anyhow::{Context as _, bail};
use driver::about::{self, Recorded};
use driver::solvers;
use driver::{Context, FrontEnds, Input, Kind, kind_of};
use logic::Cancellation;
use report::Status;
use smt::{SolverCommand, Solvers};
use std::path::Path;
use system::{Role, TransitionSystem};
use validate::{ParsedCertificate, Refusal};

pub(crate) fn run(arguments: &Validate, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let shown = driver::shown_name(&arguments.file);
    let read = match driver::is_standard_input(&arguments.file) {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(&arguments.file),
    };
    let text = read.with_context(|| format!("cannot read {shown}"))?;
    if programs::witness::is_witness(&arguments.file) {
        return programs::witness::validate(&text, arguments, limits, control);
    }
    if let Some((option, _)) = arguments.of_witnesses().into_iter().find(|(_, is_given)| *is_given) {
        bail!("{option} is about witnesses: what a certificate is about stands in it");
    }
    if validate::is_exploration(&text) {
        return exploration(&text, arguments, limits, control);
    }
    if validate::is_conformance(&text) {
        return super::conform::recorded::validate(&text, arguments, limits, control);
    }
    let certificate = validate::parse_certificate(&text).with_context(|| format!("{shown} is refused"))?;
    let (subject, made) = match arguments.model()? {
        None => (None, Ok(certificate.clone())),
        Some(model) => {
            let (subject, made) = match kind_of(model) == Kind::Program {
                true => programs::check::remade(&text, &certificate, arguments, model)?,
                false => remade(&text, &certificate, arguments, model)?,
            };
            (Some(subject), made)
        }
    };
    let verdict = match made {
        Err(refusal) => Verdict::NotOfTheModel(refusal),
        Ok(certificate) => confirmed(&certificate, arguments, limits, control)?,
    };
    let status = verdict.status();
    let answer = validate_report::Answer {
        file: &arguments.file,
        certificate: &certificate,
        subject: subject.as_ref(),
        verdict: &verdict,
    };
    if control.begin_report() {
        let text = outcomes::written(arguments.json, || answer.json(), || answer.text(Paint::stdout()))?;
        terminal::print(&text)?;
    }
    Ok(status)
}

/// The certificate of an exploration says nothing by itself: the model is explored again.
fn exploration(text: &str, arguments: &Validate, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let shown = driver::shown_name(&arguments.file);
    let certificate = validate::parse_exploration(text).with_context(|| format!("{shown} is refused"))?;
    let model = arguments.model()?;
    let model = model.context("this is the certificate of an exploration: name the model with --model FILE")?;
    let context = Context {
        solvers: Solvers::default().under(&control.cancellation),
        deadline: limits.deadline(),
        observer: &driver::Silent,
        jobs: 1,
    };
    let revisited = driver::revalidate_exploration(text, &certificate, &arguments.question(model), &context)?;
    let answer = exploration_report::Answer {
        file: &arguments.file,
        model,
        certificate: &certificate,
        revisited: &revisited,
    };
    if control.begin_report() {
        let text = outcomes::written(arguments.json, || answer.json(), || answer.text(Paint::stdout()))?;
        terminal::print(&text)?;
    }
    Ok(answer.status())
}

type Made = Result<ParsedCertificate, Refusal>;

/// The certificate made again from the model.
fn remade(
    text: &str,
    certificate: &ParsedCertificate,
    arguments: &Validate,
    model: &Path,
) -> anyhow::Result<(Subject, Made)> {
    let recorded = Recorded::of(&certificate.header, &arguments.question(model))?;
    let files: Vec<(Role, &Path)> = recorded
        .files
        .iter()
        .map(|(role, path)| (*role, path.as_path()))
        .collect();
    let input = Input::read_with(FrontEnds::default(), model, &recorded.reading, &files)?;
    let input = input.for_proof(&Cancellation::new())?;
    let system = input.model.system()?;
    let about = recorded.lines(&certificate.header, &input);
    let made = validate::against(text, system, &about);
    Ok((subject(&recorded, certificate, &input, system), made))
}

fn subject(recorded: &Recorded, certificate: &ParsedCertificate, input: &Input, system: &TransitionSystem) -> Subject {
    let is_proved = |name: &str| {
        certificate
            .properties
            .iter()
            .any(|proved| validate::is_same_name(proved, name))
    };
    let is_left_out = |name: &&String| !is_proved(name);
    let names = system.properties.iter().map(|property| &property.name);
    let options = about::options(&recorded.reading);
    Subject {
        model: input.file().name.clone(),
        digest: validate::sha256(input.file().text.as_bytes()),
        files: input.sources().additions().map(|file| file.name.clone()).collect(),
        read_with: options.clone(),
        options,
        sizes: input.sizes().iter().map(about::size_of).collect(),
        left_out: names.filter(is_left_out).cloned().collect(),
        // The line is made again from the model, so it is there where it has to be.
        qualified: certificate
            .header
            .get("provided")
            .and_then(|lines| lines.first())
            .map(|what| format!("provided that {what}")),
        provided: Vec::new(),
    }
}

/// Has the solvers answer the queries: those that are named, or those that are installed.
pub(super) fn judgement(
    certificate: &dyn validate::Asks,
    arguments: &Validate,
    limits: &Limits,
    control: &Control,
) -> anyhow::Result<validate::Judgement> {
    let asked = match &arguments.solver {
        Some(program) => vec![SolverCommand::new(program)],
        None => solvers(),
    };
    let bounds = validate::Limits {
        total: limits.time_left(),
        ..validate::Limits::default()
    };
    let judgement = validate::judge(certificate, &asked, bounds, &control.cancellation, &mut |_| {});
    judgement.context("no solver is installed; `make setup` installs cvc5, or name one with --solver")
}

/// What the solvers say: what the first one leaves open, the next one may decide.
fn confirmed(
    certificate: &ParsedCertificate,
    arguments: &Validate,
    limits: &Limits,
    control: &Control,
) -> anyhow::Result<Verdict> {
    let judgement = judgement(certificate, arguments, limits, control)?;
    let names: Vec<&str> = judgement
        .opinions
        .iter()
        .map(|opinion| opinion.solver.as_str())
        .collect();
    Ok(Verdict::Answered {
        solvers: names.join(" and "),
        report: judgement.report,
    })
}
