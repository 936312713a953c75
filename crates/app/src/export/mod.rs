//! Transition systems as text for other tools: VMT-LIB, constrained Horn clauses, plain SMT-LIB 2.
//!
//! All three say the same: what `check` proves is that no state from `init` by `step` breaks a property, and that no
//! assertion of a start or rule fails on the way. Index sorts are uninterpreted sorts, so of any size.

mod chc;
mod encoder;
mod smt2;
mod vmt;

use crate::arguments::ExportFormat;
use anyhow::bail;
use logic::Sort;
use std::fmt::Write as _;
use system::TransitionSystem;

/// The whole text; `source` is the name of the file that the system comes from.
pub(crate) fn text(system: &TransitionSystem, format: ExportFormat, source: &str) -> anyhow::Result<String> {
    if format == ExportFormat::Chc
        && let Some(list) = list(system)
    {
        bail!("Horn clauses have no sort for lists, which {list} holds: `--to vmt` and `--to smt2` have (sequences)");
    }
    let what = match format {
        ExportFormat::Vmt => "a transition system in VMT-LIB",
        ExportFormat::Chc => {
            "constrained Horn clauses: satisfiable where the system is safe, unsatisfiable where it is not"
        }
        ExportFormat::Smt2 => "a transition system in SMT-LIB 2: definitions only, nothing is asserted but axioms",
    };
    let mut text = String::new();
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(text, "; {}, written by cubist {version}:\n; {what}.", one_line(source));
    text.push_str(&match format {
        ExportFormat::Vmt => vmt::text(system),
        ExportFormat::Chc => chc::text(system),
        ExportFormat::Smt2 => smt2::text(system),
    });
    Ok(text)
}

/// A part of the state that is made of lists, as the user writes it.
fn list(system: &TransitionSystem) -> Option<String> {
    let is_list = |sort: &Sort| matches!(sort, Sort::List(_));
    let found = system.rigid.iter().chain(&system.state).find(|symbol| {
        let function = symbol.function;
        is_list(&function.result()) || function.parameters().iter().any(is_list)
    });
    found.map(|symbol| format!("`{}`", symbol.display.replace("{}", "..")))
}

/// Nothing in a name may end a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn conjunction(parts: &[String]) -> String {
    junction("and", "true", parts)
}

fn disjunction(parts: &[String]) -> String {
    junction("or", "false", parts)
}

fn junction(operator: &str, unit: &str, parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| *part != unit).collect();
    match parts.as_slice() {
        [] => unit.to_owned(),
        [only] => (*only).to_owned(),
        several => format!("({operator} {})", several.join(" ")),
    }
}

/// `body` under a quantifier, if there is anything to bind.
fn quantified(quantifier: &str, bound: &[String], body: &str) -> String {
    match bound {
        [] => body.to_owned(),
        bound => format!("({quantifier} ({}) {body})", bound.join(" ")),
    }
}
