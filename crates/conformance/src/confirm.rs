//! Independent confirmation of the answers of the loop.
//!
//! *Conforms* is checked in four parts, which share only the claims with the loop:
//!
//! 1. every step of the unfolded program is part of the automaton ([`Gap`]);
//! 2. `MP` omits no feasible transition: one obligation for each edge, built from single steps of the unfolded program
//!    and discharged by an external solver, which reads them in a [`certificate`];
//! 3. `MA` simulates `MP`, and the explored pairs are closed and never violate the specification;
//! 4. runs of the interpreter have only traces that the specification allows.
//!
//! *Violates* requires a run of the interpreter for each component with its projection of the trace.

use crate::assembly::{ClosedComponent, System};
use crate::certificate::{self, Claim, Subject, Text};
use crate::component::Component;
use crate::component::abstraction::AbstractionError;
use crate::component::automaton::CfaEdge;
use crate::containment::trace_containment;
use crate::lts::{Action, Lts, projection};
use crate::runs;
use crate::verify::{ConformanceProof, TraceViolation};
use logic::Cancellation;
use smt::{SolverCommand, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::program::Undefined;
use unfold::Undefinedness;
use validate::{QueryResult, Unconfirmed};

/// The evidence for a confirmed proof.
#[derive(Clone, Debug)]
pub struct Confirmation {
    /// The number of runs of the interpreter that the specification allows.
    pub runs: usize,
    /// The abstraction of each component, whose traces include those of the component.
    pub systems: Vec<Lts>,
    /// The steps of each component whose undefined behaviour the proof does not exclude.
    pub provided: Vec<BTreeSet<(Span, Undefined)>>,
    /// The text that was confirmed.
    pub certificate: validate::Confirmed,
}

impl Confirmation {
    /// The number of obligations that external solvers discharged.
    pub fn obligations(&self) -> usize {
        self.certificate.opinions().first().map_or(0, |opinion| opinion.total)
    }
}

/// Why an answer of the loop is rejected.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConfirmationError {
    #[error("another solver does not confirm the abstraction of `{component}` ({reason})")]
    Unconfirmed { component: String, reason: String },
    #[error("another solver finds a transition that is missing in the abstraction of `{component}`")]
    MissingTransition { component: String },
    #[error("a step of `{component}` is not part of its automaton")]
    Gap { component: String },
    #[error("the states that were searched are not closed under what the components do")]
    NotClosed,
    #[error("the claim of the proof does not fit `{component}`: {reason}")]
    Misfit { component: String, reason: &'static str },
    #[error("the certificate just made cannot be read: {0}")]
    Malformed(String),
    #[error("there are too many states and classes to check the simulation")]
    TooLarge,
    #[error("no solver is installed that could confirm the proof")]
    NoSolver,
    #[error("interrupted")]
    Interrupted,
    #[error("a run of the interpreter contradicts the proof")]
    Contradicted,
    #[error("the specification has the trace that was found")]
    Accepted,
    #[error("no run of `{component}` could be made that has its part of the trace")]
    NoRun { component: String },
    #[error(transparent)]
    Solver(#[from] SolverError),
}

impl ConfirmationError {
    /// Whether the reason is an error in Cubist itself, which is no verdict.
    pub fn is_mistake(&self) -> bool {
        matches!(
            self,
            ConfirmationError::Gap { .. }
                | ConfirmationError::MissingTransition { .. }
                | ConfirmationError::Misfit { .. }
                | ConfirmationError::Malformed(_)
                | ConfirmationError::NotClosed
                | ConfirmationError::Contradicted
                | ConfirmationError::Accepted
        )
    }
}

/// How a proof is confirmed.
pub struct Confirming<'c> {
    /// Solvers that may guess which steps are never undefined.
    pub finding: &'c Solvers,
    /// External solver processes. They must not be those that found the proof.
    pub solvers: &'c [SolverCommand],
    pub cancellation: &'c Cancellation,
    pub undefined: Undefinedness,
    pub is_over: &'c dyn Fn() -> bool,
    /// What the header of the certificate says about the sources.
    pub about: &'c validate::About,
}

/// Confirms that components conform.
pub fn conforms(
    system: &System,
    opened: &[ClosedComponent],
    proof: &ConformanceProof,
    confirming: &Confirming,
) -> Result<Confirmation, ConfirmationError> {
    for component in &system.components {
        covers(component)?;
    }
    let mut claim = Claim::of(system, proof, confirming.finding)?;
    let systems = certificate::systems(system, &claim, confirming.is_over)?;
    let certificate = confirm_claim(system, &mut claim, confirming)?;
    let runs = check_runs(system, opened, confirming.undefined, confirming.is_over)?;
    Ok(Confirmation {
        runs,
        systems,
        provided: provided(system, &claim),
        certificate,
    })
}

/// The steps of each component whose undefined behaviour the claim does not exclude.
pub fn provided(system: &System, claim: &Claim) -> Vec<BTreeSet<(Span, Undefined)>> {
    let pairs = system.components.iter().zip(&claim.components);
    pairs
        .map(|(component, own)| certificate::open(component, own))
        .collect()
}

/// Checks that every step out of a node begins an edge, and that edges do not branch.
pub(crate) fn covers(component: &Component) -> Result<(), ConfirmationError> {
    let gap = || ConfirmationError::Gap {
        component: component.name.clone(),
    };
    let (flow, automaton) = (&component.flow, &component.automaton);
    let mut from: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (number, step) in flow.steps.iter().enumerate() {
        let leads_on = step.to.is_some_and(|to| matches!(flow.nodes[to], unfold::Node::At(..)));
        if leads_on {
            from.entry(step.from).or_default().insert(number);
        }
    }
    // The location of each node of the automaton in the program.
    let mut places: BTreeMap<usize, usize> = BTreeMap::from([(0, 0)]);
    for node in &automaton.nodes {
        let edges: Vec<&CfaEdge> = node.edges.iter().map(|number| &automaton.edges[*number]).collect();
        for edge in &edges {
            let (Some(first), Some(last)) = (edge.steps.first(), edge.steps.last()) else {
                return Err(gap());
            };
            let place = flow.steps[*first].from;
            let end = flow.steps[*last].to.ok_or_else(gap)?;
            if *places.entry(edge.from).or_insert(place) != place || *places.entry(edge.to).or_insert(end) != end {
                return Err(gap());
            }
        }
        let steps: Vec<&[usize]> = edges.iter().map(|edge| edge.steps.as_slice()).collect();
        if let Some(place) = edges.first().and_then(|edge| places.get(&edge.from))
            && !is_every_way(component, &from, *place, &steps)
        {
            return Err(gap());
        }
    }
    // A node without edges has no steps.
    for (number, node) in automaton.nodes.iter().enumerate() {
        let has_ways = places.get(&number).is_some_and(|place| from.contains_key(place));
        if node.edges.is_empty() && has_ways && number != automaton.last {
            return Err(gap());
        }
    }
    Ok(())
}

/// Whether sequences of steps cover all steps from a location on.
fn is_every_way(
    component: &Component,
    from: &BTreeMap<usize, BTreeSet<usize>>,
    place: usize,
    rows: &[&[usize]],
) -> bool {
    if rows.iter().any(|row| row.is_empty()) {
        return rows.len() == 1;
    }
    let mut ways: BTreeMap<usize, Vec<&[usize]>> = BTreeMap::new();
    for row in rows {
        ways.entry(row[0]).or_default().push(&row[1..]);
    }
    let known: BTreeSet<usize> = ways.keys().copied().collect();
    from.get(&place) == Some(&known)
        && ways.iter().all(|(step, rest)| {
            let to = component.flow.steps[*step].to;
            to.is_some_and(|to| is_every_way(component, from, to, rest))
        })
}

/// The limits of a single query: the caller limits the whole check, and cancels it.
const UNLIMITED: validate::Limits = validate::Limits {
    query: None,
    total: None,
};

/// Has external solvers confirm the certificate of a claim. Steps whose definedness they do not confirm are no longer
/// claimed to be defined, and the rest is confirmed once more.
fn confirm_claim(
    system: &System,
    claim: &mut Claim,
    confirming: &Confirming,
) -> Result<validate::Confirmed, ConfirmationError> {
    loop {
        let Text { text, subjects } = certificate::text(system, claim, confirming.about);
        let judgement = match validate::Confirmed::within(
            UNLIMITED,
            text,
            confirming.solvers,
            confirming.cancellation,
            &mut |_| {},
        ) {
            Ok(confirmed) => return Ok(confirmed),
            Err(Unconfirmed::NoSolver) => return Err(ConfirmationError::NoSolver),
            Err(Unconfirmed::Unreadable(error)) => return Err(ConfirmationError::Malformed(error.to_string())),
            Err(Unconfirmed::Judged(judgement)) => judgement,
        };
        if let Some(error) = judgement.report.error {
            return Err(error.into());
        }
        let outcomes = subjects.iter().zip(&judgement.report.outcomes);
        let open: Vec<_> = outcomes
            .filter(|(_, (_, outcome))| *outcome != QueryResult::Confirmed)
            .collect();
        let mut is_less = false;
        for (subject, (_, outcome)) in open {
            let component = match subject {
                Subject::Statement { component } => *component,
                Subject::Defined { component, hazard } => {
                    is_less |= claim.components[*component].excluded.remove(hazard);
                    continue;
                }
            };
            let component = system.components[component].name.clone();
            return Err(match outcome {
                QueryResult::Unknown(reason) => ConfirmationError::Unconfirmed {
                    component,
                    reason: reason.to_string(),
                },
                _ => ConfirmationError::MissingTransition { component },
            });
        }
        if !is_less || (confirming.is_over)() {
            return Err(ConfirmationError::Interrupted);
        }
    }
}

/// The number of runs of each component.
const RUNS: u64 = 60;
/// The maximum number of states explored of one product of runs, and of all together: components that do not terminate
/// have large ones.
const MOST_STATES: usize = 20_000;
const MOST_OF_ALL: usize = 200_000;

/// Checks that runs of the interpreter have only traces that the specification allows: how many there are.
pub fn check_runs(
    system: &System,
    opened: &[ClosedComponent],
    undefined: Undefinedness,
    is_over: &dyn Fn() -> bool,
) -> Result<usize, ConfirmationError> {
    let (mut met, mut states) = (0, 0);
    for seed in 0..RUNS {
        if is_over() {
            return Err(ConfirmationError::Interrupted);
        }
        if states >= MOST_OF_ALL {
            break;
        }
        let made = system
            .components
            .iter()
            .zip(opened)
            .enumerate()
            .map(|(position, (component, opened))| {
                let run = runs::random(component, opened, seed * 31 + position as u64, undefined);
                runs::traces(component, &run)
            });
        let Some(systems) = made.collect::<Option<Vec<Lts>>>() else {
            continue;
        };
        let systems: Vec<Lts> = systems.iter().map(|lts| lts.hiding(&system.hidden)).collect();
        let systems: Vec<&Lts> = systems.iter().collect();
        match trace_containment(&systems, &system.specification, MOST_STATES, is_over) {
            Ok(found) if found.counterexample.is_some() => return Err(ConfirmationError::Contradicted),
            Ok(found) => {
                met += 1;
                states += found.states;
            }
            Err(_) => states += MOST_STATES,
        }
    }
    Ok(met)
}

/// Searches runs of all components that together have the trace of a violation; returns their inputs.
pub fn violates(
    system: &System,
    opened: &[ClosedComponent],
    violation: &TraceViolation,
    undefined: Undefinedness,
) -> Result<Vec<Vec<i128>>, ConfirmationError> {
    let mut all = Vec::new();
    let own = projection(&violation.trace, &system.specification.alphabet);
    if system.specification.accepts(&own) {
        return Err(ConfirmationError::Accepted);
    }
    for ((component, part), opened) in system.components.iter().zip(&violation.parts).zip(opened) {
        let no_run = || ConfirmationError::NoRun {
            component: component.name.clone(),
        };
        let inputs = component.flow.inputs(&part.steps, &part.values).ok_or_else(no_run)?;
        let run = runs::run(component, opened, inputs.clone(), undefined);
        let traces = runs::traces(component, &run).ok_or_else(no_run)?;
        let alphabet: BTreeSet<Action> = component.alphabet.difference(&system.hidden).copied().collect();
        let trace = projection(&violation.trace, &alphabet);
        if !traces.hiding(&system.hidden).accepts(&trace) {
            return Err(no_run());
        }
        all.push(inputs);
    }
    Ok(all)
}

impl From<ConfirmationError> for AbstractionError {
    fn from(doubt: ConfirmationError) -> AbstractionError {
        AbstractionError::Doubted(doubt.to_string())
    }
}
