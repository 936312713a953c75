//! What a proof says of undefined behaviour.
//!
//! An invariant that excludes a hazard proves that the step is never undefined. Those that it does not exclude are
//! asked for as properties of their own, for a moment. What is excluded then becomes a part of the certificate; what is
//! not is what the verdict is provided that.

use crate::context::Context;
use abstraction::horn::{self, Flow};
use logic::{Kind, Term, Value, term};
use smt::{Answer, Purpose, Solver, SolverError};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::program::Undefined;
use system::transition::{Fact, TransitionSystem};
use unfold::{Contract, Hazard, Node, Unfolded};

/// The word of the header.
const WORD: &str = "undefined";
const EXCLUDED: &str = "excluded";
const NOT_PROVED: &str = "not proved: ";
/// For each check: what takes longer is not proved.
const RESOURCES: u32 = 500_000;
/// How many checks a cut point gets, and how many attempts there are to find a stronger invariant.
const MOST_CHECKS: usize = 100;
const MOST_ATTEMPTS: usize = 6;
/// Programs that leave more open are about memory of which nothing is known, such as drivers.
const MOST_WANTED: usize = 24;
/// In the units of the solver of Horn clauses, for each attempt.
const LIMIT: u32 = 300_000;

/// Steps of one kind at one place of the source, in whatever calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HazardSite {
    pub span: Span,
    pub kind: Undefined,
}

impl HazardSite {
    fn of(hazard: &Hazard) -> HazardSite {
        HazardSite {
            span: hazard.span,
            kind: hazard.kind,
        }
    }
}

/// What a proof excludes, and what is left open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exclusion {
    /// False where the system is that of the program alone.
    is_guarded: bool,
    /// Each with its number among all, in the order of the source.
    open: BTreeMap<HazardSite, usize>,
}

impl Exclusion {
    /// Nothing is excluded.
    pub fn none(unfolded: &Unfolded) -> Exclusion {
        Exclusion {
            is_guarded: false,
            open: numbered(unfolded),
        }
    }

    fn but_for(unfolded: &Unfolded, is_open: impl Fn(HazardSite, usize) -> bool) -> Exclusion {
        let all = numbered(unfolded);
        let count = all.len();
        let open = all.into_iter().filter(|(provided, number)| is_open(*provided, *number));
        let open: BTreeMap<HazardSite, usize> = open.collect();
        Exclusion {
            is_guarded: open.len() < count,
            open,
        }
    }

    /// As the header of a certificate says it. Where it says nothing, nothing is excluded.
    pub fn recorded<'c>(unfolded: &Unfolded, lines: impl Fn(&str) -> Option<&'c [String]>) -> Exclusion {
        let Some(said) = lines(WORD) else {
            return Exclusion::none(unfolded);
        };
        Exclusion::but_for(unfolded, |provided, number| said.contains(&line(provided, number)))
    }

    /// The lines of the header.
    pub fn about(&self) -> Vec<(&'static str, String)> {
        if !self.is_guarded {
            return Vec::new();
        }
        let open = self.open.iter().map(|(provided, number)| line(*provided, *number));
        let lines = std::iter::once(EXCLUDED.to_owned()).chain(open);
        lines.map(|line| (WORD, line)).collect()
    }

    pub fn is_guarded(&self) -> bool {
        self.is_guarded
    }

    /// What is not excluded, in the order of the source.
    pub fn open(&self) -> impl Iterator<Item = HazardSite> {
        self.open.keys().copied()
    }

    /// The system in which what is excluded is a violation.
    pub fn system(&self, unfolded: &Unfolded) -> TransitionSystem {
        match self.is_guarded {
            true => unfolded.guarded(&|hazard| !self.open.contains_key(&HazardSite::of(hazard))),
            false => unfolded.system.clone(),
        }
    }
}

/// All that is undefined in some states. Where files lie changes their places in what the preprocessor makes of them,
/// but
/// not the order.
fn numbered(unfolded: &Unfolded) -> BTreeMap<HazardSite, usize> {
    let all: BTreeSet<HazardSite> = unfolded.hazards.iter().map(HazardSite::of).collect();
    all.into_iter().zip(1..).collect()
}

fn line(provided: HazardSite, number: usize) -> String {
    format!("{NOT_PROVED}{:?}, {number}", provided.kind)
}

/// Facts with what they exclude, those that exclude most first: these, maybe with others that exclude more.
pub(super) fn excluded(
    unfolded: &Unfolded,
    contracts: &[Contract],
    facts: Vec<Fact>,
    context: &Context,
) -> Vec<(Vec<Fact>, Exclusion)> {
    let exclusion = |open: BTreeSet<HazardSite>| Exclusion::but_for(unfolded, |provided, _| open.contains(&provided));
    let mut all = Vec::new();
    if let Ok(open) = open_hazards(unfolded, contracts, &facts, context) {
        if !open.is_empty() && open.len() <= MOST_WANTED && contracts.is_empty() {
            let more = stronger(unfolded, &facts, &open, context);
            if more.len() > facts.len() {
                let more = merged(unfolded, &more);
                match open_hazards(unfolded, contracts, &more, context) {
                    Ok(left) if left.len() < open.len() => all.push((more, exclusion(left))),
                    _ => {}
                }
            }
        }
        all.push((facts.clone(), exclusion(open)));
    }
    all.retain(|(_, exclusion)| exclusion.is_guarded());
    all.push((facts, Exclusion::none(unfolded)));
    all
}

/// What the facts do not exclude.
fn open_hazards(
    unfolded: &Unfolded,
    contracts: &[Contract],
    facts: &[Fact],
    context: &Context,
) -> Result<BTreeSet<HazardSite>, SolverError> {
    let mut open = BTreeSet::new();
    if unfolded.hazards.is_empty() {
        return Ok(open);
    }
    let hazards: Vec<&Hazard> = unfolded.hazards.iter().collect();
    let system = unfolded.with_contracts(unfolded.guarded_by_each(&hazards), contracts);
    let rules = &system.rules[unfolded.system.rules.len()..];
    let mut solver = context.uncounted().solvers.with_resources(RESOURCES).solver()?;
    for fact in system.type_facts.iter().chain(&system.axioms) {
        solver.assert(fact.formula)?;
    }
    let mut by_node: BTreeMap<Node, Vec<(HazardSite, Term)>> = BTreeMap::new();
    for (hazard, rule) in hazards.iter().zip(rules) {
        let at = by_node.entry(unfolded.node_of(hazard)).or_default();
        at.push((HazardSite::of(hazard), rule.guard));
    }
    for (node, hazards) in by_node {
        solver.push()?;
        for fact in facts {
            match unfolded.located(fact.formula) {
                Some((at, formula)) if at == node => solver.assert(formula)?,
                Some(_) => {}
                None => solver.assert(fact.formula)?,
            }
        }
        look(&mut *solver, hazards, &mut open, context)?;
        solver.pop()?;
    }
    Ok(open)
}

/// Looks for all of these that are possible: each model shows some.
fn look(
    solver: &mut dyn Solver,
    mut hazards: Vec<(HazardSite, Term)>,
    open: &mut BTreeSet<HazardSite>,
    context: &Context,
) -> Result<(), SolverError> {
    for _ in 0..MOST_CHECKS {
        hazards.retain(|(provided, _)| !open.contains(provided));
        if hazards.is_empty() {
            return Ok(());
        }
        if context.stopped().is_some() {
            break;
        }
        solver.push()?;
        solver.assert(term::or(hazards.iter().map(|(_, guard)| *guard)))?;
        let answer = solver.check(Purpose::Other)?;
        let mut shown = BTreeSet::new();
        if answer == Answer::Sat {
            let model = solver.model()?;
            for (provided, guard) in &hazards {
                if !matches!(model.value(*guard), Ok(Value::Bool(false))) {
                    shown.insert(*provided);
                }
            }
        }
        solver.pop()?;
        match answer {
            Answer::Unsat => return Ok(()),
            Answer::Sat if !shown.is_empty() => open.extend(shown),
            _ if hazards.len() == 1 => open.extend(hazards.iter().map(|(provided, _)| *provided)),
            // What is too much together may not be so in parts.
            _ => {
                let rest = hazards.split_off(hazards.len() / 2);
                look(solver, hazards, open, context)?;
                return look(solver, rest, open, context);
            }
        }
    }
    open.extend(hazards.iter().map(|(provided, _)| *provided));
    Ok(())
}

/// These facts, and others that exclude more, as far as they are found in a moment.
fn stronger(unfolded: &Unfolded, facts: &[Fact], open: &BTreeSet<HazardSite>, context: &Context) -> Vec<Fact> {
    let mut facts = facts.to_vec();
    let mut pending: Vec<Vec<HazardSite>> = vec![open.iter().copied().collect()];
    for _ in 0..MOST_ATTEMPTS {
        let Some(wanted) = pending.pop() else { break };
        if context.stopped().is_some() {
            break;
        }
        match with_wanted(unfolded, &facts, &wanted, context) {
            Some(found) => facts.extend(found),
            None if wanted.len() > 1 => {
                let (first, second) = wanted.split_at(wanted.len() / 2);
                pending.extend([second.to_vec(), first.to_vec()]);
            }
            None => {}
        }
    }
    facts
}

/// Facts that exclude these, too.
fn with_wanted(unfolded: &Unfolded, facts: &[Fact], wanted: &[HazardSite], context: &Context) -> Option<Vec<Fact>> {
    let solver = smt::horn_solver()?;
    let context = context.uncounted();
    let system = unfolded.guarded(&|hazard| wanted.contains(&HazardSite::of(hazard)));
    let mut flow = Flow::of(&system)?;
    flow.without_dead_edges(&context.solvers.with_resources(RESOURCES))
        .ok()?;
    let believed: Vec<Term> = facts.iter().map(|fact| fact.formula).collect();
    let settings = horn::Settings {
        solver: &solver,
        solvers: &context.solvers,
        deadline: context.deadline,
        cancellation: context.cancellation(),
        believed: &believed,
        observer: &|_| {},
    };
    match horn::solve_briefly(&flow, &settings, LIMIT) {
        Ok(horn::HornResult::Invariant(found)) => Some(found),
        _ => None,
    }
}

/// One fact for each place.
fn merged(unfolded: &Unfolded, facts: &[Fact]) -> Vec<Fact> {
    let mut merged: Vec<Fact> = Vec::new();
    let mut places: BTreeMap<Node, usize> = BTreeMap::new();
    for fact in facts {
        let Some((node, formula)) = unfolded.located(fact.formula) else {
            if !merged.iter().any(|known| known.formula == fact.formula) {
                merged.push(fact.clone());
            }
            continue;
        };
        let Some(position) = places.get(&node) else {
            places.insert(node, merged.len());
            merged.push(fact.clone());
            continue;
        };
        let known = &mut merged[*position].formula;
        if let Kind::Implies(premise, said) = known.kind() {
            *known = term::implies(*premise, term::and([*said, formula]));
        }
    }
    merged
}
