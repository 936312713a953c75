//! What `check` found out, for people.

use super::agreement;
use super::explore_text::wrapped;
use crate::commands::check::{Agreement, Further, Proof, PropertyResult, Stopped, Task};
use crate::input::{Input, Model, TypeSize};
use crate::terminal::{Paint, counted, grouped};
use abstraction::cegar::GoalVerdict;
use abstraction::goal::Goal;
use abstraction::machine::AbstractTrace;
use logic::pretty::{Patterns, pretty_with};
use logic::{Function, Term};
use smt::{Purpose, Statistics};
use std::fmt::Write as _;
use system::TransitionSystem;
use system::transition::Rule;

const WIDTH: usize = 110;
/// So many proof obligations that a solver could not decide are shown.
const UNDECIDED: usize = 5;

fn patterns(system: &TransitionSystem) -> Vec<(Function, String)> {
    let symbols = system.rigid.iter().chain(&system.state);
    symbols
        .map(|symbol| (symbol.function, symbol.display.clone()))
        .collect()
}

/// A formula in the user's notation; the constants of a goal are its property's variables again.
pub(crate) fn formula(system: &TransitionSystem, goal: &Goal, formula: Term) -> String {
    let mut patterns = patterns(system);
    patterns.extend(
        goal.constants
            .iter()
            .map(|(constant, variable)| (*constant, variable.name.to_string())),
    );
    pretty_with(formula, &patterns.into_iter().collect::<Patterns>())
}

/// A closed formula in the user's notation.
pub(crate) fn closed_formula(system: &TransitionSystem, formula: Term) -> String {
    pretty_with(formula, &patterns(system).into_iter().collect::<Patterns>())
}

/// The whole report.
pub(crate) fn text(task: &Task, proof: &Proof, paint: Paint) -> String {
    let style = &task.arguments.style;
    let mut text = headline(proof, paint);
    if style.quiet {
        return text;
    }
    if proof.is_safe() {
        let _ = writeln!(text, "{}", scope(task.input));
    }
    for result in &proof.results {
        if result.reason().is_some() {
            failure(&mut text, task, proof, result, paint);
        } else if result.goals.iter().any(|(_, goal)| goal.cycles > 0) || style.verbose {
            let cycles: usize = result.goals.iter().map(|(_, goal)| goal.cycles).sum();
            let predicates = result.goals.iter().map(|(_, goal)| goal.predicates.len()).max();
            let _ = writeln!(
                text,
                "  {}: proved with {} predicates, {cycles} discovery cycles",
                paint.bold(&result.name),
                predicates.unwrap_or(0),
            );
        }
    }
    if proof.is_safe() {
        let title = match proof.facts.is_empty() {
            true => "No invariant is needed.",
            false => "The invariant",
        };
        let _ = writeln!(text, "\n{}", paint.bold(title));
        let notation: Patterns = patterns(task.system).into_iter().collect();
        for fact in &proof.facts {
            item(
                &mut text,
                "- ",
                &format!("{}: {}", fact.name, pretty_with(fact.formula, &notation)),
            );
        }
        further(&mut text, proof, paint);
    } else {
        advice(&mut text, task, proof, paint);
    }
    confirmations(&mut text, task, proof);
    others(&mut text, task, proof.agreement.as_ref(), paint);
    if let (Some(path), Some(_)) = (&task.arguments.certificate, &proof.certificate) {
        let _ = writeln!(text, "The certificate is in {}.", path.display());
    }
    let counts = Counts::new(&task.statistics, proof.beside.as_deref());
    let _ = writeln!(
        text,
        "\n  solver checks  {} (abstraction {}, traces {}, discovery {}, other {})",
        grouped(counts.total),
        grouped(counts.abstraction),
        grouped(counts.trace),
        grouped(counts.discovery),
        grouped(counts.other()),
    );
    if counts.stopped > 0 {
        let stopped = grouped(counts.stopped);
        let _ = writeln!(text, "                 and {stopped} of an engine that was stopped");
    }
    text
}

/// Who confirms the proof: solvers, and the states that it agrees with.
fn confirmations(text: &mut String, task: &Task, proof: &Proof) {
    for confirmation in &proof.confirmations {
        let total = confirmation.total;
        let confirmed = total - confirmation.undecided.len();
        let _ = writeln!(
            text,
            "{} confirms {confirmed} of {total} proof obligations.",
            confirmation.solver
        );
        // On the way to a limit most are left open, which says nothing about them.
        if proof.stopped.is_none() {
            for name in confirmation.undecided.iter().take(UNDECIDED) {
                item(text, "  undecided: ", name);
            }
        }
    }
    if let Some(agreement) = &proof.agreement {
        item(text, "", &agreement::text(agreement));
        if task.arguments.style.verbose {
            let seconds = agreement.time.as_secs_f64();
            let _ = writeln!(text, "  looking at explored states took {seconds:.2} s");
        }
    }
}

/// What the verdict is not about.
pub(crate) fn others(text: &mut String, task: &Task, agreement: Option<&Agreement>, paint: Paint) {
    let lines = agreement::other_lines(task, agreement);
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", paint.bold("Not part of the verdict"));
    for line in lines {
        item(text, "- ", &line);
    }
}

/// How many checks there were, by purpose.
pub(crate) struct Counts {
    pub(crate) total: u64,
    pub(crate) abstraction: u64,
    pub(crate) trace: u64,
    pub(crate) discovery: u64,
    /// Of an engine that was stopped, and not in the total: how far it came is a matter of time.
    pub(crate) stopped: u64,
}

impl Counts {
    pub(crate) fn new(all: &Statistics, beside: Option<&Statistics>) -> Counts {
        let of = |purpose| all.checks(purpose) - beside.map_or(0, |beside| beside.checks(purpose));
        let stopped = beside.map_or(0, Statistics::total);
        Counts {
            total: all.total() - stopped,
            abstraction: of(Purpose::Abstraction),
            trace: of(Purpose::Trace),
            discovery: of(Purpose::Discovery),
            stopped,
        }
    }

    pub(crate) fn other(&self) -> u64 {
        self.total - self.abstraction - self.trace - self.discovery
    }
}

/// The verdict, and why it is not "safe".
fn headline(proof: &Proof, paint: Paint) -> String {
    if proof.is_safe() {
        let unshown = proof.further.iter().filter(|further| !further.holds()).count();
        let also = match unshown {
            0 => String::new(),
            _ => format!(
                " Of {}, {unshown} cannot be shown by the invariant.",
                counted(proof.further.len(), "further property")
            ),
        };
        return format!("{}{also}\n", paint.good("Safe."));
    }
    let stopped = proof.stopped.map(|stopped| stopped.message().to_owned());
    match stopped.or_else(|| proof.doubt.clone()) {
        Some(reason) => format!("{} {reason}.\n", paint.doubtful("Unknown:")),
        None => format!("{}\n", paint.doubtful("Unknown.")),
    }
}

/// What the proof is about.
fn scope(input: &Input) -> String {
    let any = input.sizes.iter().filter(|size| size.is_any());
    let any: Vec<String> = any.map(TypeSize::range).collect();
    let fixed: Vec<String> = input
        .sizes
        .iter()
        .filter(|size| !size.is_any())
        .map(|size| format!("{} = {}", size.name, size.size))
        .collect();
    match (any.is_empty(), fixed.is_empty()) {
        (true, true) => "Every reachable state satisfies the properties, and no assertion fails.".to_owned(),
        (true, false) => format!("This holds for {}.", fixed.join(", ")),
        (false, true) => format!("This holds for every number of {}.", any.join(", ")),
        (false, false) => format!(
            "This holds for every number of {}, and {}.",
            any.join(", "),
            fixed.join(", ")
        ),
    }
}

/// What the invariant says of the further properties.
fn further(text: &mut String, proof: &Proof, paint: Paint) {
    if proof.further.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", paint.bold("Further properties"));
    for further in &proof.further {
        let answer = further.doubt.as_deref().unwrap_or("holds by the invariant");
        item(text, "- ", &format!("{}: {answer}", further.name));
    }
    if !proof.further.iter().all(Further::holds) {
        item(
            text,
            "",
            "What the invariant does not imply may hold all the same: `--properties FILE` instead of `--also FILE` proves or refutes it.",
        );
    }
}

/// A property that is not proved: why, the last abstract run into a bad state, and the predicates so far.
fn failure(text: &mut String, task: &Task, proof: &Proof, result: &PropertyResult, paint: Paint) {
    let Some((goal, report, reason)) = result.failure() else {
        return;
    };
    let _ = writeln!(text, "  {}: {reason}", paint.bold(&result.name));
    if let GoalVerdict::Unknown { trace: Some(trace), .. } | GoalVerdict::Real { trace, .. } = &report.verdict {
        let count = counted(trace.rules.len(), "rule");
        let _ = writeln!(text, "    the last abstract run into a bad state, {count}:");
        abstract_run(text, task, &proof.system, goal, &report.predicates, trace);
    }
    if !report.predicates.is_empty() {
        let _ = writeln!(text, "    the predicates so far:");
        for predicate in &report.predicates {
            item(text, "    - ", &formula(task.system, goal, *predicate));
        }
    }
}

/// The predicates that hold in the first state, and which ones each rule changes.
fn abstract_run(
    text: &mut String,
    task: &Task,
    system: &TransitionSystem,
    goal: &Goal,
    predicates: &[Term],
    trace: &AbstractTrace,
) {
    let name = |rules: &[Rule], number: usize| rules.get(number).map_or_else(String::new, |rule| rule.name.clone());
    let show = |number: usize| formula(task.system, goal, predicates[number]);
    for (number, state) in trace.states.iter().enumerate() {
        let rule = match number.checked_sub(1) {
            None => name(&system.starts, trace.start),
            Some(before) => trace
                .rules
                .get(before)
                .map_or_else(String::new, |rule| name(&system.rules, *rule)),
        };
        let _ = writeln!(text, "    {number:>3}  {rule}");
        // The trace may be older than the last predicates.
        for (predicate, value) in state.iter().enumerate().take(predicates.len()) {
            let before = number.checked_sub(1).map(|before| trace.states[before][predicate]);
            match (before, value) {
                (None, true) => item(text, "           ", &show(predicate)),
                (Some(false), true) => item(text, "           now  ", &show(predicate)),
                (Some(true), false) => item(text, "           not  ", &show(predicate)),
                _ => {}
            }
        }
    }
}

/// A line with something in front, wrapped so that what follows stands below.
fn item(text: &mut String, front: &str, line: &str) {
    let wrapped = wrapped(line, WIDTH - front.len());
    let below = " ".repeat(front.len());
    for (number, line) in wrapped.trim_end().lines().enumerate() {
        let _ = writeln!(text, "{}{line}", if number == 0 { front } else { &below });
    }
}

/// What could help.
fn advice(text: &mut String, task: &Task, proof: &Proof, paint: Paint) {
    let arguments = task.arguments;
    let mut hints = Vec::new();
    if let Some(folder) = task.folder {
        hints.push(format!(
            "`--resume {}` goes on from what was learned",
            folder.path.display()
        ));
    } else if proof.stopped.is_some() {
        hints.push("`--run DIR` keeps what is learned, and `--resume DIR` goes on from it".to_owned());
    }
    if proof.stopped == Some(Stopped::OutOfTime) {
        hints.push("a larger `--timeout`".to_owned());
    }
    if task.properties.is_empty() {
        hints.push("state what must hold in the model, or in a file of its own: `--properties FILE`".to_owned());
    }
    let unproved: Vec<&PropertyResult> = proof.results.iter().filter(|result| !result.proved()).collect();
    if arguments.no_discovery && !unproved.is_empty() {
        hints.push("leave out `--no-discovery`: predicates are then found".to_owned());
    }
    if !unproved.is_empty() {
        hints.push(
            "`--predicates FILE` with what you know about the protocol; they are tried, never believed".to_owned(),
        );
    }
    if unproved.iter().any(|result| result.is_refuted()) {
        hints.push("`cubist explore` with larger sizes, to find the run".to_owned());
    }
    if let ([one, _, ..], true) = (&unproved[..], arguments.property.is_empty()) {
        hints.push(format!("one property at a time: `--property \"{}\"`", one.name));
    }
    if let Some(size) = task.input.sizes.iter().find(|size| size.is_any())
        && matches!(task.input.model, Model::Murphi(_))
        && !unproved.is_empty()
    {
        hints.push(format!("`--fixed {}`: a proof for the declared size only", size.name));
    }
    if proof.confirmations.iter().any(|c| !c.undecided.is_empty()) && arguments.certificate.is_none() {
        hints.push("`--certificate FILE`, and another solver: `cubist validate FILE --solver PROGRAM`".to_owned());
    }
    if hints.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", paint.bold("What to try"));
    for hint in hints {
        item(text, "- ", &hint);
    }
}
