//! What was proved is false in a state that the explorer reaches: a mistake of Cubist, with everything that is needed to find it.

use super::Task;
use super::meet::Contradicted;
use super::prove::Proof;
use crate::internal;
use crate::report::{self, check_json, check_report};
use crate::status::Status;
use crate::terminal;
use std::fmt::Write as _;

/// Keeps what there is, and says so. The verdict is never "safe".
pub(super) fn report(task: &Task, proof: &Proof, found: &Contradicted) -> anyhow::Result<Status> {
    task.progress.finish();
    let sizes = match found.sizes.is_empty() {
        true => "the sizes of the file".to_owned(),
        false => report::sizes(&found.sizes),
    };
    let message = format!(
        "the proof says \"{}\", and an explored state with {sizes} contradicts it",
        found.claim.name,
    );
    if task.control.begin_report() {
        let (invariant, failing) = texts(task, proof, found, &sizes);
        let mut files = vec![
            ("invariant.txt", invariant.as_str()),
            ("contradiction.txt", failing.as_str()),
        ];
        files.extend(proof.certificate.as_deref().map(|text| ("certificate.smt2", text)));
        let kept = internal::keep(task.input, &files);
        internal::complain(&message, &kept);
        if task.arguments.style.json {
            let seconds = task.limits.started.elapsed().as_secs_f64();
            let json = check_json::contradiction(task, &message, kept.ok().as_deref(), seconds);
            terminal::print(&report::json(&json)?)?;
        }
    }
    Ok(Status::Internal)
}

/// The invariant; and what fails of it, with the state.
fn texts(task: &Task, proof: &Proof, found: &Contradicted, sizes: &str) -> (String, String) {
    let formula = |formula| check_report::closed_formula(task.system, formula);
    let mut invariant = format!("found by the engine {}\n", proof.engine);
    for fact in &proof.facts {
        let _ = writeln!(invariant, "{}: {}", fact.name, formula(fact.formula));
    }
    let failing = format!(
        "instance: {sizes}\nproved, and false in the state below: {}\n{}\n\n{}\n",
        found.claim.name,
        formula(found.claim.formula),
        found.contradiction.state.join("\n")
    );
    (invariant, failing)
}
