//! `cubist validate` of a certificate of components: sources are read again as the certificate says, and its text is
//! made again from these.

use super::answers::qualified;
use super::options_of;
use super::subject::Subject;
use crate::arguments::{Conform, Validate};
use crate::commands::validate::judgement;
use crate::outcomes;
use crate::outcomes::conformance_report::{Answer, Part, Sources, Verdict};
use crate::programs;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use anyhow::{Context as _, bail};
use clap::Parser as _;
use conformance::assembly::{ConformanceProblem, SystemOptions};
use conformance::certificate::{Refusal, about, against};
use conformance::confirm::{ConfirmationError, check_runs, provided};
use report::Status;
use report::outcome::Proviso;
use smt::Solvers;
use std::path::PathBuf;
use validate::conformance::split;
use validate::{ParsedConformance, parse_conformance};

/// The options that decide what is proved.
const OPTIONS: [&str; 4] = ["--data-model", "--undefined", "--include", "--define"];

/// How components were read, as a certificate says.
#[derive(clap::Parser)]
struct Recorded {
    #[command(flatten)]
    conform: Conform,
}

/// `cubist validate FILE --model SPEC --model FILE.c`, of a certificate that `conform` wrote.
pub(crate) fn validate(text: &str, arguments: &Validate, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    programs::refuse(&arguments.of_models())?;
    let shown = driver::shown_name(&arguments.file);
    let texts = split(text);
    let mut certificates = Vec::new();
    for text in &texts {
        certificates.push(parse_conformance(text).with_context(|| format!("{shown} is refused"))?);
    }
    let asked: Vec<Option<usize>> = certificates.iter().map(|one| about::question(&one.header)).collect();
    if (1..asked.len()).any(|number| asked[..number].contains(&asked[number])) {
        bail!("{shown} is refused: it answers the same question twice");
    }
    let (parts, sources) = match arguments.models.is_empty() {
        true => {
            let mut parts = Vec::new();
            for certificate in &certificates {
                let verdict = answered(certificate, arguments, limits, control)?;
                parts.push(Part::new(certificate, verdict));
            }
            (parts, None)
        }
        false => {
            let (parts, sources) = of_sources(&texts, &certificates, arguments, limits, control)?;
            (parts, Some(sources))
        }
    };
    let answer = Answer {
        file: &arguments.file,
        parts,
        sources,
    };
    if control.begin_report() {
        let text = outcomes::written(arguments.json, || answer.json(), || answer.text(Paint::stdout()))?;
        terminal::print(&text)?;
    }
    Ok(answer.status())
}

/// What solvers say of the queries.
fn answered(
    certificate: &ParsedConformance,
    arguments: &Validate,
    limits: &Limits,
    control: &Control,
) -> anyhow::Result<Verdict> {
    let judgement = judgement(certificate, arguments, limits, control)?;
    let names: Vec<&str> = judgement.opinions.iter().map(|one| one.solver.as_str()).collect();
    Ok(Verdict::Answered {
        solvers: names.join(" and "),
        report: judgement.report,
        runs: None,
    })
}

/// The certificates compared with sources that are read again.
fn of_sources(
    texts: &[&str],
    certificates: &[ParsedConformance],
    arguments: &Validate,
    limits: &Limits,
    control: &Control,
) -> anyhow::Result<(Vec<Part>, Sources)> {
    let refused = |refusal: &dyn Fn() -> Refusal| {
        let parts = certificates
            .iter()
            .map(|one| Part::new(one, Verdict::Refused(refusal())));
        parts.collect::<Vec<Part>>()
    };
    let header = &certificates[0].header;
    let conform = match recorded(header, &arguments.models)? {
        Ok(conform) => conform,
        Err(differences) => {
            let made_by = &certificates[0].made_by;
            let parts = refused(&|| Refusal::Differences {
                differences: differences.clone(),
                made_by: made_by.clone(),
            });
            return Ok((parts, Sources::named(&arguments.models)));
        }
    };
    let subject = Subject::read(&conform)?;
    let solvers = Solvers::default().under(&control.cancellation);
    let is_over = || control.cancellation.is_cancelled() || limits.time_left().is_some_and(|left| left.is_zero());
    let making = SystemOptions {
        undefined: subject.undefined,
        // The claim has its own.
        predicates: 0,
        constants: true,
        solvers: &solvers,
        is_over: &is_over,
    };
    let systems = match subject.systems(&making) {
        Err(_) if is_over() => {
            let parts = refused(&|| Refusal::ConfirmationError(ConfirmationError::Interrupted));
            return Ok((parts, Sources::named(&arguments.models)));
        }
        systems => systems?,
    };
    let options = options_of(&conform);
    let mut parts = Vec::new();
    for (text, certificate) in texts.iter().zip(certificates) {
        let number = about::question(&certificate.header).filter(|number| *number < systems.len());
        let Some(number) = number else {
            bail!("the specification has no such question as the certificate is about");
        };
        let about = subject.asked(number, &options).lines_as(&certificate.header);
        let system = &systems[number];
        let remade = match against(text, system, &about, &is_over) {
            Ok(remade) => remade,
            Err(refusal) => {
                parts.push(Part::new(certificate, Verdict::Refused(refusal)));
                continue;
            }
        };
        let each = subject.provisos(number, &provided(system, &remade.claim));
        let mut part = Part::new(certificate, answered(&remade.parsed, arguments, limits, control)?);
        part.qualified = qualified(&each);
        part.provided = each.into_iter().flat_map(|(all, _)| all).collect::<Vec<Proviso>>();
        part.run(|| check_runs(system, &subject.opened[number], subject.undefined, &is_over));
        parts.push(part);
    }
    let is_left_out = |claimed: &String| certificates.iter().all(|one| one.proves != *claimed);
    let claimed = subject.questions.iter().map(ConformanceProblem::claimed);
    let sources = Sources {
        options,
        left_out: claimed.filter(is_left_out).collect(),
        ..Sources::named(&arguments.models)
    };
    Ok((parts, sources))
}

type Found<T> = Result<T, Vec<validate::Difference>>;

/// The command line of `conform` with the options that a certificate names and the files that are given now.
fn recorded(header: &about::Header, files: &[PathBuf]) -> anyhow::Result<Found<Conform>> {
    let (programs, specifications): (Vec<&PathBuf>, Vec<&PathBuf>) = files
        .iter()
        .partition(|path| driver::kind_of(path) == driver::Kind::Program);
    if programs.is_empty() || specifications.is_empty() {
        bail!("this certificate is about components: name the specification and the C files with --model, each");
    }
    let read = |paths: &[&PathBuf]| -> anyhow::Result<Vec<String>> {
        let texts = paths.iter().map(|path| Ok(driver::read_file(path)?.text.clone()));
        texts.collect()
    };
    let order = match about::ordered(header, &read(&specifications)?, &read(&programs)?) {
        Ok(order) => order,
        Err(differences) => return Ok(Err(differences)),
    };
    let mut words = vec!["certificate".to_owned()];
    for option in about::options(header) {
        match option.split_once(' ') {
            Some((word, value)) if OPTIONS.contains(&word) => words.push(format!("{word}={value}")),
            _ => bail!("the certificate names options that decide nothing about components"),
        }
    }
    let mut words: Vec<std::ffi::OsString> = words.into_iter().map(Into::into).collect();
    let named = |word: &str, path: &PathBuf| {
        let mut option = std::ffi::OsString::from(word);
        option.push(path);
        option
    };
    words.extend(order.iter().map(|position| named("--spec=", specifications[*position])));
    words.push("--".into());
    words.extend(programs.iter().map(|path| path.as_os_str().to_owned()));
    let recorded = Recorded::try_parse_from(words);
    let recorded = recorded.map_err(|_| anyhow::anyhow!("the certificate names options that make no sense"))?;
    Ok(Ok(recorded.conform))
}
