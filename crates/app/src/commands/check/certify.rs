//! The confirmation of a proof by solvers that did not find it.

use super::Task;
use super::prove::Proof;
use crate::files::write_whole;
use crate::terminal::counted;
use anyhow::Context as _;
use smt::{SolverCommand, Z3Options};
use system::certificate::Certificate;

/// How a solver that did not find the proof judges it.
pub(crate) struct Confirmation {
    pub(crate) solver: String,
    pub(crate) total: usize,
    /// The proof obligations that it could not decide.
    pub(crate) undecided: Vec<String>,
}

/// Every obligation must be confirmed by a solver that runs as another program, and refuted by none. Z3, which found the
/// proof inside of this one, is asked only where cvc5 leaves something open.
pub(super) fn certify(
    task: &Task,
    certificate: &Certificate,
    options: &Z3Options,
    proof: &mut Proof,
) -> anyhow::Result<()> {
    let file = &task.input.file;
    let digest = validate::sha256(file.text.as_bytes());
    let notes = [format!("source: {} (sha256 {digest})", file.name)];
    let text = match validate::certificate_text(task.system, certificate, &notes) {
        Ok(text) => text,
        Err(error) => {
            proof.doubt = Some(format!("the proof cannot be certified: {error}"));
            return Ok(());
        }
    };
    let mut open: Option<Vec<String>> = None;
    for (name, solver) in solvers() {
        if open.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
        task.progress.phase(&format!("{name} confirms the proof"), "");
        let report = validate::confirm_text(&text, &solver, validate::Limits::default(), &options.interrupt)
            .context("the certificate just made cannot be read")?;
        if let Some(error) = &report.error {
            proof.doubt = Some(format!("{name} rejects the certificate: {error}"));
            return Ok(());
        }
        if let Some(query) = report.refuted().next() {
            proof.doubt = Some(format!("{name} refutes the certificate: {}", query.name));
            return Ok(());
        }
        let undecided = report
            .outcomes
            .iter()
            .filter(|(_, o)| *o != validate::Outcome::Confirmed);
        let undecided: Vec<String> = undecided.map(|(query, _)| query.name.clone()).collect();
        proof.confirmations.push(Confirmation {
            solver: name.to_owned(),
            total: report.outcomes.len(),
            undecided: undecided.clone(),
        });
        open = Some(match open {
            Some(open) => open.into_iter().filter(|name| undecided.contains(name)).collect(),
            None => undecided,
        });
    }
    proof.doubt = match open {
        None => Some("no solver is installed that could confirm the proof; `make setup` installs them".to_owned()),
        Some(open) if open.is_empty() => None,
        Some(open) => Some(format!("{} confirmed by no solver", were(open.len()))),
    };
    if let Some(path) = &task.arguments.certificate {
        write_whole(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        proof.certificate = Some(path.clone());
    }
    Ok(())
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
    let cvc5 = on_path("cvc5").or_else(|| beside("tools/cvc5"));
    let z3 = beside("third-party/solvers/bin/z3").or_else(|| on_path("z3"));
    // Proof obligations speak of sorts with few terms: where patterns do not apply, all of them can be tried.
    let cvc5 = cvc5.map(|path| SolverCommand::new(path).argument("--full-saturate-quant"));
    let z3 = z3.map(SolverCommand::new);
    let found = [("cvc5", cvc5), ("z3", z3)];
    found
        .into_iter()
        .filter_map(|(name, command)| Some((name, command?)))
        .collect()
}
