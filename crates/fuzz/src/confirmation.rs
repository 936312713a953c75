//! Confirms certificates in batches: a process of cvc5 takes longer to start than to answer.

use logic::Cancellation;
use logic::term;
use smt::{Answer, Purpose, Solver as _, SolverCommand, Z3Options, Z3Solver, run_script};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use system::TransitionSystem;
use system::certificate::Certificate;
use validate::{Expected, obligations, parse_certificate};

/// Certificates per process.
const TOGETHER: usize = 40;
/// The time limit of one query.
const QUERY: Duration = Duration::from_secs(3);

/// The root folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// cvc5, if it is installed.
pub fn cvc5() -> Option<SolverCommand> {
    let solver = smt::installed_solvers()
        .into_iter()
        .find(|solver| solver.name() == "cvc5")?;
    let limit = format!("--tlimit-per={}", QUERY.as_millis());
    Some(solver.argument("--full-saturate-quant").argument(limit))
}

/// The result of confirming a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    Confirmed,
    /// The number of open queries.
    Open(usize),
    /// The first refuted query.
    Refuted(String),
    /// The certificate is malformed, or the solver reports an error.
    Rejected(String),
}

impl Confirmation {
    /// A model may have no initial state. Everything then holds vacuously, as the certificate says.
    pub fn says_no_initial_state(&self) -> bool {
        matches!(self, Confirmation::Refuted(query) if query.starts_with("there is an initial state"))
    }
}

/// Certificates awaiting confirmation, with what they are about.
#[derive(Default)]
pub struct Batch<T> {
    waiting: Vec<(T, String)>,
}

impl<T> Batch<T> {
    pub fn new() -> Batch<T> {
        Batch { waiting: Vec::new() }
    }

    pub fn add(&mut self, about: T, certificate: String) {
        self.waiting.push((about, certificate));
    }

    pub fn is_full(&self) -> bool {
        self.waiting.len() >= TOGETHER
    }

    /// Confirms all waiting certificates.
    pub fn confirm(&mut self, solver: &SolverCommand) -> Vec<(T, String, Confirmation)> {
        let (about, texts): (Vec<T>, Vec<String>) = self.waiting.drain(..).unzip();
        let opinions = opinions(&texts, solver);
        let with_texts = about.into_iter().zip(texts).zip(opinions);
        with_texts
            .map(|((about, text), opinion)| (about, text, opinion))
            .collect()
    }
}

/// Whether some proof obligation fails, according to the in-process Z3; `None` if it cannot decide within these
/// resources, which are the same on every machine.
pub fn countermodel(system: &TransitionSystem, certificate: &Certificate, resources: u32) -> Option<bool> {
    let options = Z3Options {
        resource_limit: Some(resources),
        ..Z3Options::default()
    };
    let mut known = true;
    let mut solver = Z3Solver::new(options, Arc::default()).ok()?;
    for obligation in obligations(system, certificate).ok()? {
        solver.push().ok()?;
        let all = term::and(obligation.formulas);
        solver.assert(term::exists(all.free_variables(), all)).ok()?;
        match (solver.check_assuming(Purpose::Other, &[]).ok()?, obligation.expected) {
            (Answer::Sat, Expected::Sat) | (Answer::Unsat, Expected::Unsat) => {}
            (Answer::Unknown(_), _) => known = false,
            (Answer::Sat, Expected::Unsat) | (Answer::Unsat, Expected::Sat) => return Some(true),
        }
        solver.pop().ok()?;
    }
    known.then_some(false)
}

fn opinions(texts: &[String], solver: &SolverCommand) -> Vec<Confirmation> {
    let mut script = String::new();
    let mut expected = Vec::new();
    for text in texts {
        let queries = parse_certificate(text).map(|certificate| {
            script.push_str("(reset)\n");
            script.push_str(&certificate.prelude);
            for query in &certificate.queries {
                script.push_str(&format!("(push 1)\n{}(check-sat)\n(pop 1)\n", query.assertions));
            }
            certificate.queries
        });
        expected.push(queries);
    }
    let total: usize = expected.iter().flatten().map(Vec::len).sum();
    let answers = run_script(solver, &script, Some(Duration::from_secs(120)), &Cancellation::new());
    let answers = match answers {
        Ok(answers) if answers.len() == total => answers,
        // One at a time, to attribute the error.
        _ if texts.len() > 1 => {
            return texts
                .iter()
                .flat_map(|text| opinions(std::slice::from_ref(text), solver))
                .collect();
        }
        Ok(answers) => answers,
        Err(error) => return vec![Confirmation::Rejected(error.to_string())],
    };
    let mut answers = answers.into_iter();
    let judge = |queries: Result<Vec<validate::Query>, validate::CertificateError>| match queries {
        Err(error) => Confirmation::Rejected(error.to_string()),
        Ok(queries) => {
            let mut open = 0;
            let mut refuted = None;
            for query in queries {
                match (query.expected, answers.next()) {
                    (Expected::Sat, Some(Answer::Sat)) | (Expected::Unsat, Some(Answer::Unsat)) => {}
                    (_, None | Some(Answer::Unknown(_))) => open += 1,
                    _ => refuted = refuted.or(Some(query.name)),
                }
            }
            match (refuted, open) {
                (Some(name), _) => Confirmation::Refuted(name),
                (None, 0) => Confirmation::Confirmed,
                (None, open) => Confirmation::Open(open),
            }
        }
    };
    expected.into_iter().map(judge).collect()
}
