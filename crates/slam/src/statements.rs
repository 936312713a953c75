//! What the statements of the Boolean program say of the program: its variables before, a condition, and its variables
//! after, as formulas over the same cells.
//!
//! Both the abstraction and Constrain read them, so that they mean the same by a statement.

use crate::predicates::{Predicate, PredicateId, Predicates};
use logic::substitute::functions_of;
use logic::{Function, Substitution, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use system::program::{LocationId, ProcedureId};
use unfold::frames::{Effect, Frames, Owner, Towards, Way};

/// A variable of the Boolean program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bit {
    /// A predicate where it belongs.
    Predicate(PredicateId),
    /// In a caller: the value that a predicate of the procedure that it calls is to have there.
    Argument(PredicateId),
    /// In a caller: the value that it had when the procedure returned.
    Result(PredicateId),
}

/// A statement that an abstraction is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Site {
    /// Before anything else.
    Start,
    Step(Way),
    /// `p1, ..., pM = F(...)`, before a call.
    Arguments(Way),
    /// `b1, ..., bn = G(ret1, ..., retL)`, behind it.
    Results(Way),
}

/// A statement: from states where the variables have these values, under the condition, to states where those have.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// What each variable says of the state before.
    pub before: Vec<(Bit, Term)>,
    pub condition: Term,
    /// The variables that are assigned to: what each will say of the state after, as a formula over the one before.
    pub after: Vec<(Bit, Term)>,
}

/// All steps of the program.
pub struct Steps<'p> {
    pub frames: Frames<'p>,
    effects: BTreeMap<Way, Effect>,
    returns: BTreeMap<Way, Effect>,
    /// By procedure and location.
    ways: BTreeMap<(ProcedureId, LocationId), Vec<Way>>,
    /// By procedure: what its own steps write.
    own: BTreeMap<ProcedureId, BTreeSet<Function>>,
    /// By procedure: which memory it and those that it calls may change.
    changed: BTreeMap<ProcedureId, BTreeSet<Function>>,
}

impl<'p> Steps<'p> {
    pub fn new(mut frames: Frames<'p>) -> Steps<'p> {
        let program = frames.program();
        let (mut effects, mut returns, mut ways) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut own: BTreeMap<ProcedureId, BTreeSet<Function>> = BTreeMap::new();
        let mut changed: BTreeMap<ProcedureId, BTreeSet<Function>> = BTreeMap::new();
        let mut calls: BTreeSet<(ProcedureId, ProcedureId)> = BTreeSet::new();
        for (number, procedure) in (0..).zip(&program.procedures) {
            let id = ProcedureId(number);
            let Some(automaton) = procedure.body.automaton() else {
                continue;
            };
            for location in (0..).map(LocationId).take(automaton.locations.len()) {
                let here = frames.ways(id, location);
                for way in &here {
                    let effect = frames.effect(*way);
                    let mut written: BTreeSet<Function> = effect.writes.keys().copied().collect();
                    if let Towards::Call(callee) = effect.towards {
                        calls.insert((id, callee));
                        let back = frames.returned(*way);
                        written.extend(back.writes.keys());
                        // The parameters are the callee's.
                        written.retain(|cell| !is_of(&frames, *cell, callee) || back.writes.contains_key(cell));
                        returns.insert(*way, back);
                    }
                    let memory = effect.writes.keys().filter(|cell| is_memory(&frames, **cell));
                    changed.entry(id).or_default().extend(memory.copied());
                    changed
                        .entry(id)
                        .or_default()
                        .extend(written.iter().filter(|cell| is_memory(&frames, **cell)).copied());
                    own.entry(id).or_default().extend(written);
                    effects.insert(*way, effect);
                }
                ways.insert((id, location), here);
            }
        }
        // What is called changes what it changes.
        let mut is_growing = true;
        while is_growing {
            is_growing = false;
            for (caller, callee) in &calls {
                let more = changed.get(callee).cloned().unwrap_or_default();
                let known = changed.entry(*caller).or_default();
                let before = known.len();
                known.extend(more);
                is_growing |= known.len() > before;
            }
        }
        Steps {
            frames,
            effects,
            returns,
            ways,
            own,
            changed,
        }
    }

    pub fn ways(&self, procedure: ProcedureId, location: LocationId) -> &[Way] {
        self.ways.get(&(procedure, location)).map_or(&[], Vec::as_slice)
    }

    pub fn effect(&self, way: Way) -> &Effect {
        &self.effects[&way]
    }

    pub fn returned(&self, way: Way) -> Option<&Effect> {
        self.returns.get(&way)
    }

    /// The procedures that one calls, each once, in order.
    pub fn callees(&self, procedure: ProcedureId) -> Vec<ProcedureId> {
        let ways = self.returns.keys().filter(|way| way.procedure == procedure);
        let callees: BTreeSet<ProcedureId> = ways.filter_map(|way| way.callee).collect();
        callees.into_iter().collect()
    }

    /// Whether a step of the procedure writes to a cell.
    pub fn writes(&self, procedure: ProcedureId, cell: Function) -> bool {
        self.own.get(&procedure).is_some_and(|own| own.contains(&cell))
    }

    /// Whether a call of the procedure may change a cell of its caller's or of memory.
    pub fn changes(&self, procedure: ProcedureId, cell: Function) -> bool {
        self.changed
            .get(&procedure)
            .is_some_and(|changed| changed.contains(&cell))
    }

    /// By location of a procedure: its own variables that may be read from there on, before they are written to.
    pub fn live(&self, procedure: ProcedureId) -> BTreeMap<LocationId, BTreeSet<Function>> {
        let ways = self.effects.iter().map(|(way, effect)| (*way, effect));
        let ways: Vec<(Way, &Effect)> = ways.filter(|(way, _)| way.procedure == procedure).collect();
        let mut live: BTreeMap<LocationId, BTreeSet<Function>> = BTreeMap::new();
        loop {
            let mut is_stable = true;
            for (way, effect) in ways.iter().rev() {
                let back = self.returned(*way);
                let mut here = match back.map_or(effect.towards, |back| back.towards) {
                    Towards::Location(to) => live.get(&to).cloned().unwrap_or_default(),
                    _ => BTreeSet::new(),
                };
                for effect in back.into_iter().chain([*effect]) {
                    here.retain(|cell| !effect.writes.contains_key(cell));
                    let read = effect.writes.values().chain([&effect.condition]);
                    let read = read.flat_map(|formula| functions_of(*formula));
                    here.extend(read.filter(|cell| is_of(&self.frames, *cell, procedure)));
                }
                let known = live.entry(way.location).or_default();
                let before = known.len();
                known.extend(here);
                is_stable &= known.len() == before;
            }
            if is_stable {
                return live;
            }
        }
    }

    pub fn meaning(&self, site: Site, predicates: &Predicates) -> Meaning {
        match site {
            Site::Start => self.start(predicates),
            Site::Step(way) => self.step(way, predicates),
            Site::Arguments(way) => self.arguments(way, predicates),
            Site::Results(way) => self.results(way, predicates),
        }
    }

    /// What the global predicates are before the program runs.
    fn start(&self, predicates: &Predicates) -> Meaning {
        let written = writes(&self.frames.initial());
        let after = predicates.global().map(|(id, predicate)| {
            let formula = written.apply(predicate.formula);
            (Bit::Predicate(id), logic::simplify(formula))
        });
        Meaning {
            before: Vec::new(),
            condition: term::bool(true),
            after: after.collect(),
        }
    }

    fn in_scope(&self, procedure: ProcedureId, predicates: &Predicates) -> Vec<(Bit, Term)> {
        let all = predicates.global().chain(predicates.of(procedure));
        all.map(|(id, predicate)| (Bit::Predicate(id), predicate.formula))
            .collect()
    }

    /// `b = wp(step, b)`, of all predicates that may change.
    fn step(&self, way: Way, predicates: &Predicates) -> Meaning {
        let effect = self.effect(way);
        let all = predicates.global().chain(predicates.of(way.procedure));
        Meaning {
            before: self.in_scope(way.procedure, predicates),
            condition: logic::simplify(effect.condition),
            after: assigned(effect, all),
        }
    }

    /// `p = wp(f1, ..., fN = e1, ..., eN; p)`, of the predicates about parameters.
    fn arguments(&self, way: Way, predicates: &Predicates) -> Meaning {
        let effect = self.effect(way);
        let written = writes(&effect.writes);
        let mut after = Vec::new();
        if let Towards::Call(callee) = effect.towards {
            for (id, predicate) in predicates.of(callee).filter(|(_, predicate)| predicate.is_parameter) {
                after.push((Bit::Argument(id), logic::simplify(written.apply(predicate.formula))));
            }
        }
        after.extend(assigned(effect, predicates.global()));
        Meaning {
            before: self.in_scope(way.procedure, predicates),
            condition: logic::simplify(effect.condition),
            after,
        }
    }

    /// Behind a call: what is returned speaks of the arguments as they were (`gamma`), predicates of the caller of
    /// memory as it was (`rho`); those that the call may have changed, or the place of its result, are known anew.
    fn results(&self, way: Way, predicates: &Predicates) -> Meaning {
        let (effect, back) = (self.effect(way), self.returned(way));
        let nothing = BTreeMap::new();
        let written = back.map_or(&nothing, |back| &back.writes);
        let Towards::Call(callee) = effect.towards else {
            return self.step(way, predicates);
        };
        let old = |cell: Function| Function::constant(format!("{} before", cell.name()).as_str(), cell.result());
        // rho
        let then = |formula: Term| {
            let cells = functions_of(formula).into_iter();
            let changed = cells.filter(|cell| self.changes(callee, *cell));
            let pairs = changed.map(|cell| (cell, old(cell).apply([])));
            Substitution::of_constants(pairs).apply(formula)
        };
        let fresh = |cell: Function| Function::constant(format!("{} returned", cell.name()).as_str(), cell.result());
        // gamma, where it is about the result and the parameters.
        let given = |formula: Term| {
            let cells = functions_of(formula).into_iter();
            let pairs = cells.filter(|cell| is_of(&self.frames, *cell, callee)).map(|cell| {
                let value = match effect.writes.get(&cell) {
                    Some(argument) if !self.writes(callee, cell) => then(*argument),
                    _ => fresh(cell).apply([]),
                };
                (cell, value)
            });
            Substitution::of_constants(pairs).apply(formula)
        };
        let mut before: Vec<(Bit, Term)> = predicates
            .global()
            .map(|(id, predicate)| (Bit::Predicate(id), predicate.formula))
            .collect();
        let local = predicates.of(way.procedure);
        before.extend(local.map(|(id, predicate)| (Bit::Predicate(id), then(predicate.formula))));
        let returned = predicates.of(callee).filter(|(_, predicate)| predicate.is_returned);
        before.extend(returned.map(|(id, predicate)| (Bit::Result(id), given(predicate.formula))));
        let result_cells = written.values().flat_map(|value| functions_of(*value));
        let result_cells: BTreeSet<Function> = result_cells.filter(|cell| is_of(&self.frames, *cell, callee)).collect();
        let of_result = Substitution::of_constants(result_cells.into_iter().map(|cell| (cell, fresh(cell).apply([]))));
        let assigned = Substitution::of_constants(written.iter().map(|(cell, value)| (*cell, of_result.apply(*value))));
        let mut after = Vec::new();
        for (id, predicate) in predicates.global().chain(predicates.of(way.procedure)) {
            let is_written = predicate.cells.iter().any(|cell| written.contains_key(cell));
            let is_local = predicate.scope.is_some();
            let is_stale = is_local && predicate.cells.iter().any(|cell| self.changes(callee, *cell));
            if is_written || is_stale {
                let formula = logic::simplify(assigned.apply(predicate.formula));
                after.push((Bit::Predicate(id), formula));
            }
        }
        let condition = back.map_or(term::bool(true), |back| of_result.apply(back.condition));
        Meaning {
            before,
            condition: logic::simplify(condition),
            after,
        }
    }

    /// The range of a function in a formula: a cell, a choice, or a copy of a cell.
    pub fn range(&self, function: Function) -> Option<Term> {
        if let Some(range) = self.frames.range(function) {
            return Some(range);
        }
        let name = function.name().to_string();
        let cell = name
            .strip_suffix(" before")
            .or_else(|| name.strip_suffix(" returned"))?;
        let cell = Function::constant(cell, function.result());
        let range = self.frames.range(cell)?;
        Some(Substitution::of_constants([(cell, function.apply([]))]).apply(range))
    }
}

/// The weakest preconditions of predicates over cells that a step writes.
fn assigned<'a>(effect: &Effect, predicates: impl Iterator<Item = (PredicateId, &'a Predicate)>) -> Vec<(Bit, Term)> {
    let written = writes(&effect.writes);
    let is_written = |predicate: &Predicate| predicate.cells.iter().any(|cell| effect.writes.contains_key(cell));
    predicates
        .filter(|(_, predicate)| is_written(predicate))
        .map(|(id, predicate)| (Bit::Predicate(id), logic::simplify(written.apply(predicate.formula))))
        .collect()
}

pub(crate) fn writes(writes: &BTreeMap<Function, Term>) -> Substitution {
    Substitution::of_constants(writes.iter().map(|(cell, value)| (*cell, *value)))
}

fn is_memory(frames: &Frames, cell: Function) -> bool {
    matches!(frames.owner(cell), Some(Owner::Memory))
}

fn is_of(frames: &Frames, cell: Function, procedure: ProcedureId) -> bool {
    matches!(frames.owner(cell), Some(Owner::Procedure(owner, _)) if owner == procedure)
}
