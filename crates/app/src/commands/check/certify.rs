//! The confirmation of a proof by solvers that did not find it.

use super::Task;
use super::prove::{Proof, certified_properties};
use crate::about;
use crate::files::write_whole;
use crate::terminal::counted;
use anyhow::Context as _;
use smt::{SolverCommand, Z3Options};
use std::time::{Duration, Instant};
use system::certificate::Certificate;
use validate::Outcome;

/// How a solver that did not find the proof judges it.
pub(crate) struct Confirmation {
    pub(crate) solver: String,
    pub(crate) total: usize,
    /// The proof obligations that it could not decide.
    pub(crate) undecided: Vec<String>,
    pub(crate) time: Duration,
}

/// Every obligation must be confirmed by a solver that runs as another program, and refuted by none. Z3, which found the
/// proof inside of this one, is asked only where cvc5 leaves something open. A further property that is not confirmed is taken out of the
/// certificate, and harms nothing else.
pub(super) fn certify(task: &Task, options: &Z3Options, proof: &mut Proof) -> anyhow::Result<()> {
    let Some(text) = text(task, proof) else { return Ok(()) };
    // The last obligations are about the further properties.
    let further = proof.further.iter().filter(|further| further.holds()).count();
    let mut open: Option<Vec<usize>> = None;
    let mut disputed = Vec::new();
    for (name, solver) in solvers() {
        if open.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
        task.progress.phase(&format!("{name} confirms the proof"), "");
        let start = Instant::now();
        let report = validate::confirm_text(&text, &solver, validate::Limits::default(), &options.cancellation)
            .context("the certificate just made cannot be read")?;
        if let Some(error) = &report.error {
            proof.doubt = Some(format!("{name} rejects the certificate: {error}"));
            return Ok(());
        }
        let total = report.outcomes.len();
        let outcomes = report.outcomes.iter().enumerate();
        let (refuted, unconfirmed): (Vec<_>, Vec<_>) = outcomes
            .filter(|(_, (_, outcome))| *outcome != Outcome::Confirmed)
            .partition(|(_, (_, outcome))| *outcome == Outcome::Refuted);
        if let Some((_, (query, _))) = refuted.iter().find(|(number, _)| number + further < total) {
            proof.doubt = Some(format!("{name} refutes the certificate: {}", query.name));
            return Ok(());
        }
        disputed.extend(refuted.iter().map(|(number, _)| number + further - total));
        proof.confirmations.push(Confirmation {
            solver: name.to_owned(),
            total,
            undecided: unconfirmed.iter().map(|(_, (query, _))| query.name.clone()).collect(),
            time: start.elapsed(),
        });
        let undecided = unconfirmed.iter().map(|(number, _)| *number);
        open = Some(match open {
            Some(open) => undecided.filter(|number| open.contains(number)).collect(),
            None => undecided.collect(),
        });
    }
    let total = proof.confirmations.first().map_or(0, |confirmation| confirmation.total);
    let (stated, unshown): (Vec<usize>, Vec<usize>) = open
        .iter()
        .flatten()
        .copied()
        .partition(|number| number + further < total);
    proof.doubt = match open {
        None => Some("no solver is installed that could confirm the proof; `make setup` installs them".to_owned()),
        Some(_) if stated.is_empty() => None,
        Some(_) => Some(format!("{} confirmed by no solver", were(stated.len()))),
    };
    disputed.extend(unshown.iter().map(|number| number + further - total));
    withdraw(proof, &disputed);
    proof.certificate = match disputed.is_empty() {
        true => Some(text),
        // It says more than was confirmed.
        false => self::text(task, proof),
    };
    Ok(())
}

/// Takes back that these further properties hold, counted among those that the certificate shows.
fn withdraw(proof: &mut Proof, disputed: &[usize]) {
    let holding = proof.further.iter_mut().filter(|further| further.holds());
    for (number, further) in holding.enumerate() {
        if disputed.contains(&number) {
            further.doubt = Some("that the invariant implies it was not confirmed".to_owned());
        }
    }
}

/// Writes the certificate into a file, if one is wanted.
pub(super) fn write(task: &Task, proof: &Proof) -> anyhow::Result<()> {
    match (&task.arguments.certificate, &proof.certificate) {
        (Some(path), Some(text)) => write_whole(path, text).with_context(|| format!("cannot write {}", path.display())),
        _ => Ok(()),
    }
}

/// The certificate of the proof; the proof says why, where there is none.
fn text(task: &Task, proof: &mut Proof) -> Option<String> {
    let about = about::lines(task.input, &task.arguments.reading, |_, name| name.to_owned());
    let certificate = Certificate {
        properties: certified_properties(task, &proof.further),
        facts: proof.facts.clone(),
        premises: proof.premises.clone(),
    };
    match validate::certificate_text(task.system, &certificate, &about) {
        Ok(text) => Some(text),
        Err(error) => {
            proof.doubt = Some(format!("the proof cannot be certified: {error}"));
            None
        }
    }
}

fn were(obligations: usize) -> String {
    let verb = if obligations == 1 { "was" } else { "were" };
    format!("{} {verb}", counted(obligations, "proof obligation"))
}

/// The solvers that confirm certificates: cvc5 first, then Z3 as a program of its own.
pub(crate) fn solvers() -> Vec<(&'static str, SolverCommand)> {
    let beside = |path: &str| {
        // The binary lies in target/release of the project that `make setup` prepared.
        let executable = std::env::current_exe().ok()?;
        let candidate = executable.ancestors().nth(3)?.join(path);
        candidate.is_file().then_some(candidate)
    };
    let on_path = |name: &str| {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders)
            .map(|folder| folder.join(name))
            .find(|candidate| candidate.is_file())
    };
    // The Python that cvc5 was installed for, which need not be the first on the path.
    let with_python = || {
        let (python, script) = (beside("third-party/solvers/bin/python")?, beside("tools/cvc5")?);
        Some(SolverCommand::script(python, &script))
    };
    let cvc5 = on_path("cvc5").map(SolverCommand::new).or_else(with_python);
    let cvc5 = cvc5.or_else(|| beside("tools/cvc5").map(SolverCommand::new));
    let z3 = beside("third-party/solvers/bin/z3").or_else(|| on_path("z3"));
    // Proof obligations speak of sorts with few terms: where patterns do not apply, all of them can be tried.
    let cvc5 = cvc5.map(|command| command.argument("--full-saturate-quant"));
    let z3 = z3.map(SolverCommand::new);
    let found = [("cvc5", cvc5), ("z3", z3)];
    found
        .into_iter()
        .filter_map(|(name, command)| Some((name, command?)))
        .collect()
}
