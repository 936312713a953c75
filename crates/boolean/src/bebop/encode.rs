//! States and steps as decision diagrams.
//!
//! A variable of the program has a *slot*: globals first, then the locals of any procedure. A slot has adjacent copies,
//! which keeps the diagram of "nothing has changed" small: its value at the entry of the procedure, now, and after a
//! step. Results of procedures have copies of their own.
//!
//! `*` needs no variable: an expression is encoded by two functions, where it can be true and where it can be false.
//! This is exact, since all choices are independent.

use super::graph::{Graph, Step, callers, graphs};
use crate::program::{Expression, Program, Variable};
use bdd::{Bdd, Manager, Renaming};
use logic::{Cancellation, Term, term};
use std::collections::BTreeMap;
use std::rc::Rc;

pub(super) const ENTRY: u32 = 0;
pub(super) const NOW: u32 = 1;
pub(super) const NEXT: u32 = 2;
pub(super) const RESULT: u32 = 3;
pub(super) const COPIES: u32 = 4;

/// Sets with more clauses are converted to terms by case splits.
const CLAUSES: usize = 200;

/// The maximum size of a part of a relation, in nodes; larger parts are not conjoined.
const LARGE: usize = 500;

/// The variable of a copy of a slot.
pub(super) fn copy(slot: usize, copy: u32) -> u32 {
    COPIES * slot as u32 + copy
}

/// The effect of an edge on a set of pairs of states: at the entry of the procedure, and now.
pub(super) enum Transition {
    Keep,
    /// Restricts the set.
    Filter(Bdd),
    /// `exists cube. set and relation`, followed by a renaming.
    Update {
        relation: Relation,
        cube: Bdd,
        renaming: Renaming,
    },
    Call(Rc<Call>),
}

/// A conjunctively partitioned relation. Values copied across the variable order make a diagram exponential in their
/// number when conjoined for all sets at once, but rarely for a given set. So large parts stay separate.
pub(super) struct Relation(Vec<Bdd>);

impl Relation {
    /// The relational product without renaming: the members of a set that are related to something.
    fn of(&self, manager: &mut Manager, set: Bdd) -> Bdd {
        self.0.iter().fold(set, |set, part| manager.and(set, *part))
    }
}

/// A call: entering the procedure, and returning from it.
pub(super) struct Call {
    pub(super) procedure: usize,
    /// Relates the current values to the parameters, which use the next-state copies.
    pub(super) arguments: Relation,
    /// The variables that the callee does not see.
    pub(super) unseen: Bdd,
    /// The current values of the globals that it sees, and the parameters.
    pub(super) replaced: Bdd,
    /// The globals after the call.
    pub(super) back: Renaming,
    pub(super) targets: Bdd,
    pub(super) results: Renaming,
}

/// A program in diagrams.
pub(super) struct Encoded<'p> {
    pub(super) program: &'p Program,
    pub(super) manager: Manager,
    pub(super) graphs: Vec<Graph<'p>>,
    pub(super) callers: Vec<Vec<(usize, usize)>>,
    /// By procedure and edge.
    pub(super) transitions: Vec<Vec<Transition>>,
    /// By procedure: the globals that matter in it or in its callees. Others are invisible to it and stay unchanged.
    pub(super) relevant: Vec<Vec<bool>>,
    /// By procedure: the states that satisfy its invariants.
    pub(super) enforced: Vec<Bdd>,
    /// By procedure: the identity relation.
    pub(super) identity: Vec<Bdd>,
    /// By procedure and location: the states in which an assertion can fail.
    pub(super) failing: Vec<Vec<Option<Bdd>>>,
    /// By procedure: the renaming of a summary for its callers: entry state to the caller's state, globals to the next
    /// one.
    pub(super) summary: Vec<Renaming>,
    /// By procedure: the renaming from the caller's state to its entry state.
    pub(super) begin: Vec<Renaming>,
}

impl<'p> Encoded<'p> {
    pub(super) fn new(program: &'p Program, cancellation: &Cancellation) -> Encoded<'p> {
        let graphs = graphs(program);
        let mut encoded = Encoded {
            program,
            manager: Manager::interruptible(cancellation),
            callers: callers(&graphs),
            relevant: relevant(program, &graphs),
            graphs: Vec::new(),
            transitions: Vec::new(),
            enforced: Vec::new(),
            identity: Vec::new(),
            failing: Vec::new(),
            summary: Vec::new(),
            begin: Vec::new(),
        };
        for (number, graph) in graphs.iter().enumerate() {
            encoded.procedure(number);
            let transitions = graph.edges.iter().map(|edge| encoded.transition(number, edge.step));
            let transitions = transitions.collect();
            encoded.transitions.push(transitions);
            let failing = graph.assertions.iter().map(|assertion| {
                let condition = (*assertion)?;
                Some(encoded.rails(condition, &[]).1)
            });
            let failing = failing.collect();
            encoded.failing.push(failing);
        }
        encoded.graphs = graphs;
        encoded
    }

    /// The diagrams that garbage collection must keep.
    pub(super) fn kept(&self) -> impl Iterator<Item = Bdd> + '_ {
        let of_transition = |transition: &Transition| match transition {
            Transition::Keep => vec![],
            Transition::Filter(filter) => vec![*filter],
            Transition::Update { relation, cube, .. } => [&relation.0[..], &[*cube]].concat(),
            Transition::Call(call) => [&call.arguments.0[..], &[call.unseen, call.replaced, call.targets]].concat(),
        };
        let transitions = self.transitions.iter().flatten().flat_map(of_transition);
        let failing = self.failing.iter().flatten().flatten().copied();
        transitions
            .chain(failing)
            .chain(self.enforced.iter().copied())
            .chain(self.identity.iter().copied())
    }

    /// A set of states of a procedure as a formula: a conjunction of clauses, where these are few.
    pub(super) fn formula(&mut self, procedure: usize, set: Bdd, meaning: &dyn Fn(Variable) -> Option<Term>) -> Term {
        let globals = (0..self.program.globals.len()).map(Variable::Global);
        let locals = (0..self.program.procedures[procedure].local_count()).map(Variable::Local);
        let mut terms: BTreeMap<u32, Term> = BTreeMap::new();
        let mut forgotten = Vec::new();
        for variable in globals.chain(locals) {
            let number = copy(self.slot(variable), NOW);
            match meaning(variable) {
                Some(term) => {
                    terms.insert(number, term);
                }
                None => forgotten.push(number),
            }
        }
        let forgotten = self.manager.cube(forgotten);
        let set = self.manager.exists(set, forgotten);
        let rest = self.manager.not(set);
        let (excluded, _) = self.manager.cover(rest, rest);
        let of = |number: &u32| terms.get(number).copied().unwrap_or(term::bool(true));
        if excluded.len() > CLAUSES {
            return self.manager.formula(set, &|number| of(&number));
        }
        let clause = |cube: &Vec<(u32, bool)>| {
            let literals = cube.iter().map(|(number, value)| match value {
                true => term::not(of(number)),
                false => of(number),
            });
            term::or(literals)
        };
        term::and(excluded.iter().map(clause))
    }

    pub(super) fn slot(&self, variable: Variable) -> usize {
        match variable {
            Variable::Global(number) => number,
            Variable::Local(number) => self.program.globals.len() + number,
        }
    }

    pub(super) fn local_slot(&self, number: usize) -> usize {
        self.program.globals.len() + number
    }

    /// The globals that matter in a procedure.
    pub(super) fn seen(&self, procedure: usize) -> impl Iterator<Item = usize> + '_ {
        let relevant = self.relevant[procedure].iter().enumerate();
        relevant
            .filter(|(_, is_relevant)| **is_relevant)
            .map(|(number, _)| number)
    }

    pub(super) fn parameter_slots(&self, procedure: usize) -> Vec<usize> {
        let parameters = self.program.procedures[procedure].parameters.len();
        (0..parameters).map(|number| self.local_slot(number)).collect()
    }

    pub(super) fn local_slots(&self, procedure: usize) -> Vec<usize> {
        let locals = self.program.procedures[procedure].local_count();
        (0..locals).map(|number| self.local_slot(number)).collect()
    }

    /// Encodes the procedure-wide sets and renamings.
    fn procedure(&mut self, number: usize) {
        let program = self.program;
        let mut enforced = Manager::TRUE;
        for invariant in program.enforced.iter().chain(&program.procedures[number].enforced) {
            let (holds, _) = self.rails(invariant, &[]);
            enforced = self.manager.and(enforced, holds);
        }
        self.enforced.push(enforced);
        let seen: Vec<usize> = self.seen(number).collect();
        let parameters = self.parameter_slots(number);
        let mut identity = Manager::TRUE;
        for slot in parameters.iter().rev().chain(seen.iter().rev()) {
            let before = self.manager.variable(copy(*slot, ENTRY));
            let now = self.manager.variable(copy(*slot, NOW));
            let same = self.manager.iff(before, now);
            identity = self.manager.and(same, identity);
        }
        self.identity.push(identity);
        let globals = seen.iter().flat_map(|slot| {
            let [entry, now, next] = [ENTRY, NOW, NEXT].map(|kind| copy(*slot, kind));
            [(entry, now), (now, next)]
        });
        let of_parameters = |from, to| {
            let parameters = parameters.iter();
            parameters.map(move |slot| (copy(*slot, from), copy(*slot, to)))
        };
        self.summary
            .push(Renaming::new(globals.chain(of_parameters(ENTRY, NEXT))));
        let globals = seen.iter().map(|slot| (copy(*slot, NOW), copy(*slot, ENTRY)));
        self.begin
            .push(Renaming::new(globals.chain(of_parameters(NEXT, ENTRY))));
    }

    /// Dual-rail encoding of an expression: where it can be true, and where it can be false. Primed variables are those
    /// of the next state if assigned, otherwise the current ones.
    pub(super) fn rails(&mut self, expression: &Expression, assigned: &[Variable]) -> (Bdd, Bdd) {
        match expression {
            Expression::Constant(true) => (Manager::TRUE, Manager::FALSE),
            Expression::Constant(false) => (Manager::FALSE, Manager::TRUE),
            Expression::Any => (Manager::TRUE, Manager::TRUE),
            Expression::Variable(variable) => self.literal(*variable, NOW),
            Expression::Next(variable) if assigned.contains(variable) => self.literal(*variable, NEXT),
            Expression::Next(variable) => self.literal(*variable, NOW),
            Expression::Not(inner) => {
                let (truth, falsity) = self.rails(inner, assigned);
                (falsity, truth)
            }
            Expression::And(parts) => {
                let mut all = (Manager::TRUE, Manager::FALSE);
                for part in parts {
                    let (truth, falsity) = self.rails(part, assigned);
                    all = (self.manager.and(all.0, truth), self.manager.or(all.1, falsity));
                }
                all
            }
            Expression::Or(parts) => {
                let mut all = (Manager::FALSE, Manager::TRUE);
                for part in parts {
                    let (truth, falsity) = self.rails(part, assigned);
                    all = (self.manager.or(all.0, truth), self.manager.and(all.1, falsity));
                }
                all
            }
            Expression::Implies(a, b) => {
                let ((a1, a0), (b1, b0)) = (self.rails(a, assigned), self.rails(b, assigned));
                (self.manager.or(a0, b1), self.manager.and(a1, b0))
            }
            Expression::Equal(a, b) => self.equal(a, b, assigned),
            Expression::Differ(a, b) => {
                let (truth, falsity) = self.equal(a, b, assigned);
                (falsity, truth)
            }
            Expression::Choose(a, b) => {
                let ((a1, a0), (_, b0)) = (self.rails(a, assigned), self.rails(b, assigned));
                // False is possible wherever the first can be false.
                let open = self.manager.and(a0, b0);
                (self.manager.or(a1, open), a0)
            }
        }
    }

    fn literal(&mut self, variable: Variable, kind: u32) -> (Bdd, Bdd) {
        let number = copy(self.slot(variable), kind);
        (self.manager.literal(number, true), self.manager.literal(number, false))
    }

    fn equal(&mut self, a: &Expression, b: &Expression, assigned: &[Variable]) -> (Bdd, Bdd) {
        let ((a1, a0), (b1, b0)) = (self.rails(a, assigned), self.rails(b, assigned));
        let mut either = |(p, q): (Bdd, Bdd), (r, s): (Bdd, Bdd)| {
            let first = self.manager.and(p, q);
            let second = self.manager.and(r, s);
            self.manager.or(first, second)
        };
        (either((a1, b1), (a0, b0)), either((a1, b0), (a0, b1)))
    }

    /// That a diagram variable equals a value of an expression.
    fn assigned(&mut self, variable: u32, value: &Expression) -> Bdd {
        let (truth, falsity) = self.rails(value, &[]);
        let variable = self.manager.variable(variable);
        self.manager.ite(variable, truth, falsity)
    }

    /// That diagram variables equal values of expressions, under the constraint.
    fn relation<'e>(&mut self, allowed: Option<Bdd>, values: impl Iterator<Item = (u32, &'e Expression)>) -> Relation {
        let mut parts: Vec<Bdd> = allowed.into_iter().collect();
        for (variable, value) in values {
            let part = self.assigned(variable, value);
            match parts.last_mut() {
                Some(last) if self.manager.is_small(*last, LARGE) => *last = self.manager.and(*last, part),
                _ => parts.push(part),
            }
        }
        Relation(parts)
    }

    /// The members of a set that are related to something.
    pub(super) fn related(&mut self, set: Bdd, relation: &Relation) -> Bdd {
        relation.of(&mut self.manager, set)
    }

    fn transition(&mut self, procedure: usize, step: Step<'p>) -> Transition {
        match step {
            Step::Keep => Transition::Keep,
            Step::Test(condition, value) => {
                let (truth, falsity) = self.rails(condition, &[]);
                Transition::Filter(if value { truth } else { falsity })
            }
            Step::Forget(variables) => {
                let slots: Vec<usize> = variables.iter().map(|variable| self.slot(*variable)).collect();
                Transition::Update {
                    relation: Relation(Vec::new()),
                    cube: self.manager.cube(slots.iter().map(|slot| copy(*slot, NOW))),
                    renaming: Renaming::default(),
                }
            }
            Step::Assign {
                targets,
                values,
                constraint,
            } => {
                let slots: Vec<usize> = targets.iter().map(|target| self.slot(*target)).collect();
                let allowed = constraint.map(|constraint| self.rails(constraint, targets).0);
                let values = slots.iter().map(|slot| copy(*slot, NEXT)).zip(values);
                Transition::Update {
                    relation: self.relation(allowed, values),
                    cube: self.manager.cube(slots.iter().map(|slot| copy(*slot, NOW))),
                    renaming: Renaming::new(slots.iter().map(|slot| (copy(*slot, NEXT), copy(*slot, NOW)))),
                }
            }
            Step::Return(values) => {
                let values = values.into_iter().flatten().enumerate();
                let values = values.map(|(number, value)| (copy(number, RESULT), value));
                let relation = self.relation(None, values);
                let locals = self.local_slots(procedure);
                Transition::Update {
                    relation,
                    cube: self.manager.cube(locals.iter().map(|slot| copy(*slot, NOW))),
                    renaming: Renaming::default(),
                }
            }
            Step::Call {
                results,
                procedure: called,
                arguments,
            } => Transition::Call(Rc::new(self.call(procedure, called.0, results, arguments))),
        }
    }

    fn call(&mut self, caller: usize, called: usize, results: &[Variable], arguments: &[Expression]) -> Call {
        let parameters = self.parameter_slots(called);
        let values = parameters.iter().map(|slot| copy(*slot, NEXT)).zip(arguments);
        let relation = self.relation(None, values);
        let globals = 0..self.program.globals.len();
        let unseen_globals = globals.clone().filter(|global| !self.relevant[called][*global]);
        let unseen: Vec<u32> = globals
            .chain(self.parameter_slots(caller))
            .map(|slot| copy(slot, ENTRY))
            .chain(
                unseen_globals
                    .chain(self.local_slots(caller))
                    .map(|slot| copy(slot, NOW)),
            )
            .collect();
        let seen: Vec<usize> = self.seen(called).collect();
        let replaced = seen.iter().map(|slot| copy(*slot, NOW));
        let replaced: Vec<u32> = replaced
            .chain(parameters.iter().map(|slot| copy(*slot, NEXT)))
            .collect();
        let targets: Vec<usize> = results.iter().map(|result| self.slot(*result)).collect();
        let values = targets.iter().enumerate();
        Call {
            procedure: called,
            arguments: relation,
            unseen: self.manager.cube(unseen),
            replaced: self.manager.cube(replaced),
            back: Renaming::new(seen.iter().map(|slot| (copy(*slot, NEXT), copy(*slot, NOW)))),
            targets: self.manager.cube(targets.iter().map(|slot| copy(*slot, NOW))),
            results: Renaming::new(values.map(|(number, slot)| (copy(number, RESULT), copy(*slot, NOW)))),
        }
    }

    /// The call that an edge makes, if any.
    pub(super) fn called(&self, procedure: usize, edge: usize) -> Option<Rc<Call>> {
        match &self.transitions[procedure][edge] {
            Transition::Call(call) => Some(Rc::clone(call)),
            _ => None,
        }
    }

    /// The pairs before an edge that is no call, related to those after it where it changes them.
    pub(super) fn taken(&mut self, procedure: usize, edge: usize, set: Bdd) -> Bdd {
        match &self.transitions[procedure][edge] {
            Transition::Filter(filter) => self.manager.and(set, *filter),
            Transition::Update { relation, .. } => relation.of(&mut self.manager, set),
            Transition::Keep | Transition::Call(_) => set,
        }
    }

    /// The pairs after an edge that is no call.
    pub(super) fn image(&mut self, procedure: usize, edge: usize, set: Bdd) -> Bdd {
        let image = match &self.transitions[procedure][edge] {
            Transition::Keep => return set,
            Transition::Filter(filter) => return self.manager.and(set, *filter),
            Transition::Update {
                relation,
                cube,
                renaming,
            } => {
                let (last, first) = relation.0.split_last().unwrap_or((&Manager::TRUE, &[]));
                let set = first.iter().fold(set, |set, part| self.manager.and(set, *part));
                let image = self.manager.and_exists_cube(set, *last, *cube);
                self.manager.rename(image, renaming)
            }
            Transition::Call(_) => Manager::FALSE,
        };
        let edge = &self.graphs[procedure].edges[edge];
        match edge.to == self.graphs[procedure].exit {
            true => image,
            false => self.manager.and(image, self.enforced[procedure]),
        }
    }

    /// The entry states of the callee.
    pub(super) fn begun(&mut self, call: &Call, set: Bdd) -> Bdd {
        let passed = self.related(set, &call.arguments);
        let begun = self.manager.exists(passed, call.unseen);
        self.manager.rename(begun, &self.begin[call.procedure])
    }

    /// The initial pairs of a procedure for these entry states.
    pub(super) fn first(&mut self, procedure: usize, entries: Bdd) -> Bdd {
        let first = self.manager.and(entries, self.identity[procedure]);
        self.manager.and(first, self.enforced[procedure])
    }

    /// As [`Self::first`], for states.
    pub(super) fn first_states(&mut self, procedure: usize, entries: Bdd) -> Bdd {
        let slots = 0..self.program.globals.len() + self.program.procedures[procedure].parameters.len();
        let cube = self.manager.cube(slots.map(|slot| copy(slot, ENTRY)));
        let first = self.first(procedure, entries);
        self.manager.exists(first, cube)
    }

    /// An empty set for each location of each procedure.
    pub(super) fn nothing(&self) -> Vec<Vec<Bdd>> {
        let graphs = self.graphs.iter();
        graphs.map(|graph| vec![Manager::FALSE; graph.locations()]).collect()
    }

    /// A set of pairs at the exit of a procedure, renamed for its callers.
    pub(super) fn summarised(&mut self, procedure: usize, exits: Bdd) -> Bdd {
        self.manager.rename(exits, &self.summary[procedure])
    }

    /// The pairs after a call, by a summary of the callee.
    pub(super) fn returned(&mut self, caller: usize, call: &Call, set: Bdd, summary: Bdd) -> Bdd {
        if summary == Manager::FALSE {
            return Manager::FALSE;
        }
        let passed = self.related(set, &call.arguments);
        let done = self.manager.and_exists_cube(passed, summary, call.replaced);
        let back = self.manager.rename(done, &call.back);
        let open = self.manager.exists(back, call.targets);
        let set = self.manager.rename(open, &call.results);
        self.manager.and(set, self.enforced[caller])
    }
}

/// By procedure: the globals that it or a callee reads, writes or has an invariant about.
fn relevant(program: &Program, graphs: &[Graph<'_>]) -> Vec<Vec<bool>> {
    let mut relevant = vec![vec![false; program.globals.len()]; program.procedures.len()];
    for (number, procedure) in program.procedures.iter().enumerate() {
        let mut mark = |variable: &Variable| {
            if let Variable::Global(global) = variable {
                relevant[number][*global] = true;
            }
        };
        let statements = program.statements(crate::ProcedureId(number));
        let mut pending: Vec<&Expression> = statements
            .iter()
            .flat_map(|statement| statement.expressions())
            .collect();
        pending.extend(program.enforced.iter().chain(&procedure.enforced));
        while let Some(expression) = pending.pop() {
            if let Expression::Variable(variable) | Expression::Next(variable) = expression {
                mark(variable);
            }
            pending.extend(expression.parts());
        }
        statements
            .iter()
            .flat_map(|statement| statement.written())
            .for_each(mark);
    }
    let callers = callers(graphs);
    let mut pending: Vec<usize> = (0..graphs.len()).collect();
    while let Some(procedure) = pending.pop() {
        for (caller, _) in &callers[procedure] {
            let of_callee = relevant[procedure].clone();
            let mut changed = false;
            for (mine, theirs) in relevant[*caller].iter_mut().zip(of_callee) {
                changed |= theirs && !*mine;
                *mine |= theirs;
            }
            if changed {
                pending.push(*caller);
            }
        }
    }
    relevant
}
