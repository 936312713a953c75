//! What was found, as formulas: for each location the path edges that lead to states which are reached.
//!
//! A set is written as the clauses of an irredundant cover of its complement. Clauses about how the procedure began are
//! only those that the clauses about states do not say already.

use super::encode::{ENTRY, Encoded, NOW, RESULT, copy};
use super::paths::Paths;
use super::states::States;
use crate::program::{ProcedureId, Program, Variable};
use bdd::{Bdd, Manager};
use logic::{Function, Term, term};
use std::collections::BTreeMap;

/// Diagrams with more nodes are written by cases.
const NODES: usize = 1_000;

/// The values that formulas speak of.
pub trait Vocabulary {
    /// The value of a variable of a procedure.
    fn now(&self, procedure: ProcedureId, variable: Variable) -> Function;
    /// The value that a global or parameter had when the procedure began: that of the variable itself where nothing
    /// writes it, and none where it is not remembered.
    fn before(&self, procedure: ProcedureId, variable: Variable) -> Option<Function>;
    /// What a procedure returns.
    fn result(&self, procedure: ProcedureId, number: usize) -> Function;
}

/// An invariant of a program: over what a vocabulary names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relations {
    /// By procedure: when it is called, over globals and parameters.
    pub entries: Vec<Term>,
    /// By procedure, and number of the statement before which control is; then at its end.
    pub locations: Vec<Vec<Term>>,
    /// By procedure: when it has returned, over globals, results and what was given.
    pub exits: Vec<Term>,
}

struct Writer<'w, 'e, 'p> {
    encoded: &'w mut Encoded<'p>,
    kept: &'e [Bdd],
    vocabulary: &'w dyn Vocabulary,
}

/// The formulas; `None` where work was cut off.
pub(super) fn relations(
    encoded: &mut Encoded<'_>,
    paths: &Paths,
    states: &States,
    vocabulary: &dyn Vocabulary,
) -> Option<Relations> {
    let sets = paths.edges.iter().chain(&states.reached).flatten();
    let kept: Vec<Bdd> = sets.chain(&paths.summaries).copied().collect();
    let mut writer = Writer {
        encoded,
        kept: &kept,
        vocabulary,
    };
    let mut relations = Relations::default();
    for procedure in 0..paths.edges.len() {
        let (entry, exit) = (
            writer.encoded.graphs[procedure].entry,
            writer.encoded.graphs[procedure].exit,
        );
        let (path, reached) = (&paths.edges[procedure], &states.reached[procedure]);
        relations
            .entries
            .push(writer.entry(procedure, path[entry], reached[entry]));
        let locations = (0..exit).map(|location| writer.location(procedure, path[location], reached[location]));
        relations.locations.push(locations.collect());
        relations
            .exits
            .push(writer.location(procedure, path[exit], Manager::TRUE));
        if writer.encoded.manager.is_exhausted() {
            return None;
        }
    }
    Some(relations)
}

impl Writer<'_, '_, '_> {
    fn program(&self) -> &Program {
        self.encoded.program
    }

    fn location(&mut self, procedure: usize, path: Bdd, reached: Bdd) -> Term {
        self.collect(&[]);
        let names = self.names(procedure);
        let path = self.remembered(procedure, path);
        let outside = self.encoded.manager.not(reached);
        let states = self.clauses(outside, outside, &names);
        // What the states exclude the path edges need not.
        let not_path = self.encoded.manager.not(path);
        let needed = self.encoded.manager.without(not_path, outside);
        let allowed = self.encoded.manager.or(not_path, outside);
        let edges = self.clauses(needed, allowed, &names);
        term::and([states, edges])
    }

    /// The values with which a procedure is called: those from which all that it begins with are path edges and
    /// states.
    fn entry(&mut self, procedure: usize, path: Bdd, reached: Bdd) -> Term {
        self.collect(&[]);
        let begun = self.encoded.manager.and(path, reached);
        let first = self.encoded.first(procedure, Manager::TRUE);
        let missed = self.encoded.manager.without(first, begun);
        let globals = self.program().globals.len();
        let parameters = self.program().procedures[procedure].parameters.len();
        let given = 0..globals + parameters;
        let others = globals + parameters..globals + self.program().procedures[procedure].local_count();
        let forgotten = given
            .map(|slot| copy(slot, ENTRY))
            .chain(others.map(|slot| copy(slot, NOW)));
        let forgotten = self.encoded.manager.cube(forgotten);
        let missed = self.encoded.manager.exists(missed, forgotten);
        let names = self.names(procedure);
        self.clauses(missed, missed, &names)
    }

    /// A set of path edges, over what the procedure remembers only.
    fn remembered(&mut self, procedure: usize, path: Bdd) -> Bdd {
        let mut forgotten = Vec::new();
        let mut set = path;
        let id = ProcedureId(procedure);
        for variable in self.given(procedure) {
            let slot = self.encoded.slot(variable);
            let (before, now) = (copy(slot, ENTRY), copy(slot, NOW));
            match self.vocabulary.before(id, variable) {
                Some(old) if old == self.vocabulary.now(id, variable) => {
                    let before = self.encoded.manager.variable(before);
                    let now = self.encoded.manager.variable(now);
                    let same = self.encoded.manager.iff(before, now);
                    set = self.encoded.manager.and(set, same);
                }
                Some(_) => continue,
                None => {}
            }
            forgotten.push(before);
        }
        let forgotten = self.encoded.manager.cube(forgotten);
        self.encoded.manager.exists(set, forgotten)
    }

    /// Globals and parameters.
    fn given(&self, procedure: usize) -> Vec<Variable> {
        let parameters = self.program().procedures[procedure].parameters.len();
        let globals = (0..self.program().globals.len()).map(Variable::Global);
        globals.chain((0..parameters).map(Variable::Local)).collect()
    }

    /// What the variables of diagrams are in a procedure.
    fn names(&self, procedure: usize) -> BTreeMap<u32, Term> {
        let id = ProcedureId(procedure);
        let mut names = BTreeMap::new();
        let globals = (0..self.program().globals.len()).map(Variable::Global);
        let locals = (0..self.program().procedures[procedure].local_count()).map(Variable::Local);
        for variable in globals.chain(locals) {
            let now = self.vocabulary.now(id, variable);
            names.insert(copy(self.encoded.slot(variable), NOW), now.apply([]));
        }
        for variable in self.given(procedure) {
            if let Some(old) = self.vocabulary.before(id, variable) {
                names.insert(copy(self.encoded.slot(variable), ENTRY), old.apply([]));
            }
        }
        for number in 0..self.program().procedures[procedure].results {
            let result = self.vocabulary.result(id, number);
            names.insert(copy(number, RESULT), result.apply([]));
        }
        names
    }

    /// That a state is outside of a set that covers the first and stays within the second.
    fn clauses(&mut self, lower: Bdd, upper: Bdd, names: &BTreeMap<u32, Term>) -> Term {
        let of = |number: u32| names.get(&number).copied().unwrap_or(term::bool(true));
        let manager = &mut self.encoded.manager;
        if !manager.is_small(lower, NODES) {
            return term::not(manager.formula(lower, &of));
        }
        let (cubes, _) = manager.cover(lower, upper);
        let literal = |(number, value): &(u32, bool)| match value {
            true => term::not(of(*number)),
            false => of(*number),
        };
        term::and(cubes.iter().map(|cube| term::or(cube.iter().map(literal))))
    }

    fn collect(&mut self, more: &[Bdd]) {
        if self.encoded.manager.is_crowded() {
            let kept: Vec<Bdd> = self
                .kept
                .iter()
                .chain(more)
                .copied()
                .chain(self.encoded.kept())
                .collect();
            self.encoded.manager.collect(kept);
        }
    }
}
