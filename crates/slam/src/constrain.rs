//! Constrain: which steps of an abstract run the program cannot make, and what follows from that for all runs.
//!
//! Das, sections 6.4 and 6.5. `E(s)` is what an abstract state says of the program.
//!
//! | statement | `Spurious` |
//! | --- | --- |
//! | assignment, assumption | `E(s0) => not Pre(step, E(s1))` |
//! | call | `E(s0) => not Pre(f1, ..., fN = e1, ..., eN; E(s1))` |
//! | return | `gamma(E(s0)) and rho(E(sc)) => not Pre(x = x_ret, E(s1))` |
//!
//! `Pre`, `gamma` and `rho` are in the [`Meaning`](crate::statements::Meaning) of a statement, so all three are one
//! question: whether `before`, `condition` and `after` can hold together. Where they cannot, the literals that are to
//! blame, as few as possible, become a constraint of the statement. A state that itself says the impossible becomes an
//! invariant.

use crate::abstraction::{Abstraction, Scope};
use crate::cubes::{Blamed, Cubes};
use crate::knowledge::ConstraintPlace;
use crate::predicates::Predicates;
use crate::statements::{Bit, Meaning, Site, Steps};
use boolean::trace::Point;
use boolean::{Control, Expression, Trace, Variable};
use logic::term;
use smt::SolverError;
use std::collections::{BTreeMap, BTreeSet};
use system::program::ProcedureId;

/// All that Constrain has found.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    of_sites: BTreeMap<Site, BTreeSet<Vec<Blamed>>>,
    /// Impossible states, by procedure.
    enforced: BTreeMap<Option<ProcedureId>, BTreeSet<Vec<Blamed>>>,
}

impl Constraints {
    pub fn count(&self) -> usize {
        self.of_sites.values().map(BTreeSet::len).sum()
    }

    pub fn invariants(&self) -> usize {
        self.enforced.values().map(BTreeSet::len).sum()
    }

    /// All of them, each with what it is about.
    pub fn all(&self) -> impl Iterator<Item = (ConstraintPlace, &[Blamed])> {
        let of_sites = self
            .of_sites
            .iter()
            .map(|(site, found)| (ConstraintPlace::Statement(*site), found));
        let enforced = self
            .enforced
            .iter()
            .map(|(owner, found)| (ConstraintPlace::States(*owner), found));
        let all = of_sites.chain(enforced);
        all.flat_map(|(place, found)| found.iter().map(move |blamed| (place, blamed.as_slice())))
    }

    /// Whether it is new.
    pub fn add(&mut self, place: ConstraintPlace, blamed: Vec<Blamed>) -> bool {
        let found = match place {
            ConstraintPlace::Statement(site) => self.of_sites.entry(site).or_default(),
            ConstraintPlace::States(owner) => self.enforced.entry(owner).or_default(),
        };
        found.insert(blamed)
    }

    /// Of a statement, over its variables.
    pub fn of(&self, site: Site, variables: &dyn Fn(Bit) -> Variable) -> Vec<Expression> {
        let found = self.of_sites.get(&site).into_iter().flatten();
        found.map(|blamed| excluded(blamed, variables)).collect()
    }

    pub fn enforced(&self, procedure: Option<ProcedureId>, scope: &Scope) -> Vec<Expression> {
        let found = self.enforced.get(&procedure).into_iter().flatten();
        found
            .map(|blamed| excluded(blamed, &|bit| scope.variables[&bit]))
            .collect()
    }
}

/// `not (s0 and s1')`
fn excluded(blamed: &[Blamed], variables: &dyn Fn(Bit) -> Variable) -> Expression {
    let literals = blamed.iter().map(|blamed| {
        let variable = variables(blamed.bit);
        let variable = match blamed.is_after {
            true => Expression::Next(variable),
            false => Expression::Variable(variable),
        };
        if blamed.value { variable } else { variable.negated() }
    });
    Expression::all(literals.collect()).negated()
}

/// Looks at the steps of an abstract run, and adds at most so many constraints. How many there are more.
pub fn constrain(
    steps: &Steps,
    predicates: &Predicates,
    cubes: &mut Cubes,
    abstraction: &Abstraction,
    trace: &Trace,
    constraints: &mut Constraints,
    most: usize,
) -> Result<usize, SolverError> {
    let mut added = 0;
    let origin = |point: &Point| match point.control {
        Control::Before(number) => abstraction.origins[point.procedure.0].get(number).copied(),
        Control::End => None,
    };
    for pair in trace.points.windows(2) {
        if added >= most {
            break;
        }
        let [here, next] = pair else { continue };
        let Some(site) = origin(here).and_then(|origin| origin.site) else {
            continue;
        };
        let scope = &abstraction.scopes[here.procedure.0];
        let value = |point: &Point, bit: Bit| scope.variables.get(&bit).is_some_and(|v| point.state.get(*v));
        if let Some((owner, blamed)) = impossible(steps, predicates, cubes, here, &value)?
            && constraints.add(ConstraintPlace::States(owner), blamed)
        {
            added += 1;
            continue;
        }
        let meaning = steps.meaning(site, predicates);
        let spurious = cubes.spurious(steps, &meaning, &|bit| value(here, bit), &|bit| value(next, bit))?;
        if let Some(blamed) = spurious
            && constraints.add(ConstraintPlace::Statement(site), blamed)
        {
            added += 1;
        }
    }
    Ok(added)
}

/// What cannot hold together, in states of this procedure or of any.
type Impossible = (Option<ProcedureId>, Vec<Blamed>);

/// Whether no state of the program is as an abstract one says. Only predicates that always say what is: those of the
/// procedure that no call can make stale, and those of memory.
fn impossible(
    steps: &Steps,
    predicates: &Predicates,
    cubes: &mut Cubes,
    point: &Point,
    value: &dyn Fn(&Point, Bit) -> bool,
) -> Result<Option<Impossible>, SolverError> {
    let procedure = ProcedureId(u32::try_from(point.procedure.0).unwrap_or(u32::MAX));
    let is_fresh = |cells: &BTreeSet<logic::Function>| {
        let mut callees = steps.callees(procedure).into_iter();
        !callees.any(|callee| cells.iter().any(|cell| steps.changes(callee, *cell)))
    };
    let local = predicates
        .of(procedure)
        .filter(|(_, predicate)| is_fresh(&predicate.cells));
    let all = predicates.global().chain(local);
    let meaning = Meaning {
        before: all
            .map(|(id, predicate)| (Bit::Predicate(id), predicate.formula))
            .collect(),
        condition: term::bool(true),
        after: Vec::new(),
    };
    let blamed = cubes.spurious(steps, &meaning, &|bit| value(point, bit), &|_| false)?;
    Ok(blamed.map(|blamed| {
        let is_local = |blamed: &Blamed| match blamed.bit {
            Bit::Predicate(id) => predicates.get(id).scope.is_some(),
            Bit::Argument(_) | Bit::Result(_) => true,
        };
        (blamed.iter().any(is_local).then_some(procedure), blamed)
    }))
}
