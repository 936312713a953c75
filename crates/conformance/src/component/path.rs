//! Counterexample analysis for one component, section 6.

use super::Component;
use super::abstraction::{AbstractState, AbstractionError, Abstractor, ControlState, Model, Oracle, Via};
use super::predicates::Predicates;
use crate::lts::{Action, TAU};
use deduction::constants::substitute;
use logic::substitute::functions_of;
use logic::term::conjuncts;
use logic::{Function, Sort, Term, simplify, term};
use rustc_hash::FxHashMap;
use smt::{Answer, Purpose, Solver, UnknownReason};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Definition 9: a path of a trace in the abstraction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    pub steps: Vec<PathStep>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathStep {
    pub action: Action,
    pub via: Via,
    /// The target.
    pub place: ControlState,
}

/// A state, and the number of actions of the trace that are done.
type Position = (usize, usize);

impl Model {
    /// A shortest path with this trace. Hidden actions count as τ.
    pub fn path(&self, trace: &[Action], hidden: &BTreeSet<Action>) -> Option<Path> {
        let first: Position = (0, 0);
        // The predecessor and the move to it.
        let mut parents: FxHashMap<Position, Option<(Position, usize)>> = FxHashMap::default();
        parents.insert(first, None);
        let mut pending = VecDeque::from([first]);
        let mut end = trace.is_empty().then_some(first);
        while let (None, Some((state, done))) = (end, pending.pop_front()) {
            for (number, step) in self.moves[state].iter().enumerate() {
                let next = match step.action {
                    action if action == TAU || hidden.contains(&action) => (step.to, done),
                    action if trace.get(done) == Some(&action) => (step.to, done + 1),
                    _ => continue,
                };
                if let std::collections::hash_map::Entry::Vacant(entry) = parents.entry(next) {
                    entry.insert(Some(((state, done), number)));
                    pending.push_back(next);
                    if next.1 == trace.len() {
                        end = Some(next);
                        break;
                    }
                }
            }
        }
        let mut here = end?;
        let mut steps = Vec::new();
        while let Some(Some((before, number))) = parents.get(&here) {
            let taken = &self.moves[before.0][*number];
            steps.push(PathStep {
                action: taken.action,
                via: taken.via,
                place: self.states[taken.to].place,
            });
            here = *before;
        }
        steps.reverse();
        Some(Path { steps })
    }
}

/// The result of checking a path.
pub enum PathCheck {
    /// The steps of the unfolded program, each with the values of its choices.
    Real {
        steps: Vec<usize>,
        values: Vec<BTreeMap<Function, i128>>,
    },
    /// The path is infeasible because of the conditions at these nodes.
    Spurious { because: BTreeSet<usize> },
}

impl Component<'_> {
    /// *CECheck*, forwards: whether the path is feasible in the component.
    pub fn check(&self, path: &Path, solver: &mut dyn Solver) -> Result<PathCheck, AbstractionError> {
        let mut run = Symbolic::new(self);
        for step in &path.steps {
            run.take(step);
        }
        solver.push()?;
        for formula in run.ranges() {
            solver.assert(formula)?;
        }
        let mut switches: BTreeMap<Term, usize> = BTreeMap::new();
        for (number, (node, formula)) in run.conditions.iter().enumerate() {
            let switch = Function::constant(format!("condition!{number}").as_str(), Sort::Bool).apply([]);
            solver.assert(term::implies(switch, *formula))?;
            switches.insert(switch, *node);
        }
        let assumptions: Vec<Term> = switches.keys().copied().collect();
        let answer = solver.check_assuming(Purpose::Trace, &assumptions)?;
        let checked = match answer {
            Answer::Unsat => {
                let core = solver.unsat_core()?;
                let because = core.iter().filter_map(|switch| switches.get(switch)).copied().collect();
                Ok(PathCheck::Spurious { because })
            }
            Answer::Unknown(UnknownReason::Interrupted) => Err(AbstractionError::Interrupted),
            Answer::Unknown(reason) => Err(AbstractionError::Undecided(reason)),
            Answer::Sat => {
                let model = solver.model()?;
                let mut values = Vec::new();
                for renamed in &run.chosen {
                    let mut of_step = BTreeMap::new();
                    for (function, term) in renamed {
                        let value = model.value(*term)?.as_int().unwrap_or(0);
                        of_step.insert(*function, value);
                    }
                    values.push(of_step);
                }
                Ok(PathCheck::Real {
                    steps: run.steps.clone(),
                    values,
                })
            }
        };
        solver.pop()?;
        checked
    }

    /// *CEEliminate*: whether no state of `MP(P)` is possible at the end of the path.
    pub fn eliminates(
        &self,
        path: &Path,
        predicates: &Predicates,
        oracle: &mut Oracle,
    ) -> Result<bool, AbstractionError> {
        let mut abstractor = Abstractor::new(self, predicates, oracle);
        let mut states = BTreeSet::from([Abstractor::init()]);
        for step in &path.steps {
            let mut next: BTreeSet<AbstractState> = BTreeSet::new();
            for state in &states {
                if let Via::Inside(..) = step.via {
                    next.insert(AbstractState {
                        place: step.place,
                        valuation: state.valuation.clone(),
                    });
                    continue;
                }
                let mut found = Vec::new();
                abstractor.along(state, step.via, &mut found)?;
                let consistent = found.into_iter().filter(|(_, to, _)| to.place == step.place);
                next.extend(consistent.map(|(_, to, _)| to));
            }
            if next.is_empty() {
                return Ok(true);
            }
            states = next;
        }
        Ok(false)
    }
}

/// Symbolic execution of a path.
struct Symbolic<'c, 'p> {
    component: &'c Component<'p>,
    state: BTreeMap<Function, Term>,
    /// The path conditions, with their nodes.
    conditions: Vec<(usize, Term)>,
    node: usize,
    steps: Vec<usize>,
    chosen: Vec<BTreeMap<Function, Term>>,
}

impl<'c, 'p> Symbolic<'c, 'p> {
    fn new(component: &'c Component<'p>) -> Symbolic<'c, 'p> {
        Symbolic {
            component,
            state: component.flow.initial.iter().copied().collect(),
            conditions: Vec::new(),
            node: 0,
            steps: Vec::new(),
            chosen: Vec::new(),
        }
    }

    fn require(&mut self, formula: Term) {
        let formula = simplify(substitute(&self.state, formula));
        self.add(formula);
    }

    fn add(&mut self, formula: Term) {
        let node = self.node;
        self.conditions
            .extend(conjuncts(formula).into_iter().map(|part| (node, part)));
    }

    fn take(&mut self, step: &PathStep) {
        let component = self.component;
        let (Via::Edge(edge)
        | Via::Enter(edge, _)
        | Via::Inside(edge, _)
        | Via::Leave(edge)
        | Via::Return(edge, _)
        | Via::Astray(edge)) = step.via;
        self.node = component.automaton.edges[edge].from;
        match step.via {
            Via::Edge(edge) | Via::Leave(edge) | Via::Astray(edge) => self.follow(edge),
            Via::Enter(edge, abstraction) => self.require(component.sites[&edge].guards[abstraction]),
            Via::Inside(..) => {}
            Via::Return(edge, action) => {
                self.follow(edge);
                let ending = &component.ending;
                let found = ending.returns.iter().find(|(known, _)| *known == action);
                match found {
                    Some((_, condition)) => self.require(*condition),
                    None => {
                        for (_, condition) in &ending.returns {
                            self.require(term::not(*condition));
                        }
                    }
                }
            }
        }
    }

    /// Executes the steps of an edge. A returned result satisfies the condition of the edge; at the entry, the guard
    /// holds.
    fn follow(&mut self, edge: usize) {
        let component = self.component;
        for number in &component.automaton.edges[edge].steps {
            let step = &component.flow.steps[*number];
            let renamed: BTreeMap<Function, Term> = step
                .choices
                .iter()
                .map(|(choice, _)| {
                    let name = format!("{}@{}", choice.function.name(), self.steps.len());
                    (choice.function, Function::constant(name.as_str(), Sort::Int).apply([]))
                })
                .collect();
            for (_, range) in &step.choices {
                self.add(simplify(substitute(&renamed, *range)));
            }
            let put = |state: &BTreeMap<Function, Term>, formula: Term| {
                let mut both = state.clone();
                both.extend(renamed.iter().map(|(function, term)| (*function, *term)));
                simplify(substitute(&both, formula))
            };
            self.add(put(&self.state, step.condition));
            if let Some(call) = &step.call
                && let Some(condition) = component.returned(edge, call.result)
            {
                self.add(put(&self.state, condition));
            }
            let updates: Vec<(Function, Term)> = step
                .updates
                .iter()
                .map(|(function, value)| (*function, put(&self.state, *value)))
                .collect();
            self.state.extend(updates);
            self.steps.push(*number);
            self.chosen.push(renamed);
        }
        if component.begins(edge) {
            self.require(component.guard);
        }
    }

    /// The ranges of uninitialized values.
    fn ranges(&self) -> Vec<Term> {
        let mentioned: BTreeSet<Function> = self
            .conditions
            .iter()
            .flat_map(|(_, condition)| functions_of(*condition))
            .collect();
        let range = |function: &Function| self.component.flow.cells.get(function).copied();
        mentioned.iter().filter_map(range).collect()
    }
}

impl Component<'_> {
    /// The condition on the returned value that the edge of a return implies.
    fn returned(&self, edge: usize, wanted: Option<Function>) -> Option<Term> {
        let wanted = wanted?;
        for site in self.sites.values() {
            for (abstraction, after) in site.after.iter().enumerate() {
                if let Some((action, _)) = after.iter().find(|(_, number)| **number == edge) {
                    let routine = &self.routines[site.routine];
                    let condition = *routine.abstractions[abstraction].returns.get(action)?;
                    let known = BTreeMap::from([(routine.result?, wanted.apply([]))]);
                    return Some(substitute(&known, condition));
                }
            }
        }
        None
    }
}

impl Component<'_> {
    /// The nodes of a path.
    pub fn nodes_of(&self, path: &Path) -> BTreeSet<usize> {
        path.steps.iter().filter_map(|step| self.node(step.place)).collect()
    }

    /// The node of a control position.
    pub fn node(&self, place: ControlState) -> Option<usize> {
        match place {
            ControlState::At(node) => Some(node),
            ControlState::Inside(edge, ..) => Some(self.automaton.edges[edge].from),
            ControlState::Stop => None,
        }
    }
}
