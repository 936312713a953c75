//! Runs of a system of scalars into a violation, found by unrolling its rules (A. Biere, A. Cimatti, E. Clarke and
//! Y. Zhu, *Symbolic model checking without BDDs*, 1999).
//!
//! `x_k` are the variables after `k` rules. For each location `l` that `k` rules may lead to there is a literal
//! `at_k_l`, and for each rule into it a literal `take_k_r`:
//!
//! `at_k_l -> some take_k_r`, and `take_k_r -> at_(k-1)_from and guard(x_(k-1)) and x_k = updates(x_(k-1))`.

use super::control::{Edge, Flow};
use logic::{Function, Sort, Substitution, Term, Value, term};
use smt::{Answer, Model, Purpose, Solver, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};

/// A run in a model of the solver, to be replayed by an interpreter.
#[derive(Clone, Debug)]
pub struct Run {
    pub steps: Vec<RunStep>,
}

#[derive(Clone, Debug)]
pub struct RunStep {
    /// The position of the rule in the system.
    pub rule: usize,
    /// Of its choices, and of what never changes.
    pub values: BTreeMap<Function, i128>,
}

/// The result of the search.
#[derive(Clone, Debug)]
pub enum UnrollingResult {
    Run(Run),
    /// There is none at all: no more rules can fire.
    None,
}

pub struct Unrolling<'f, 's> {
    flow: &'f Flow<'s>,
    solver: Box<dyn Solver>,
    /// Where the program may be now.
    reached: BTreeSet<usize>,
    depth: usize,
}

impl<'f, 's> Unrolling<'f, 's> {
    pub fn new(flow: &'f Flow<'s>, solvers: &Solvers) -> Result<Unrolling<'f, 's>, SolverError> {
        let mut unrolling = Unrolling {
            flow,
            solver: solvers.solver()?,
            reached: BTreeSet::new(),
            depth: 0,
        };
        unrolling.start()?;
        Ok(unrolling)
    }

    /// The number of rules in the runs that are checked next.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Looks for a violation after one more rule than before. None where none is found.
    pub fn go_on(&mut self) -> Result<Option<UnrollingResult>, SolverError> {
        let bad: Vec<Term> = self
            .reached
            .iter()
            .flat_map(|location| {
                let properties = self.flow.properties(*location).into_iter();
                properties.map(|property| {
                    let fails = self.at_depth(self.depth).apply(term::not(property));
                    term::and([at(self.depth, *location), fails])
                })
            })
            .collect();
        if !bad.is_empty() {
            let name = literal(&format!("bad {}", self.depth));
            self.solver.assert(term::implies(name, term::or(bad)))?;
            if self.solver.check_assuming(Purpose::Bounded, &[name])? == Answer::Sat {
                let model = self.solver.model()?;
                return Ok(Some(UnrollingResult::Run(self.run(&*model)?)));
            }
        }
        self.unroll()?;
        Ok(self.reached.is_empty().then_some(UnrollingResult::None))
    }

    /// Never finds a run with the same values again.
    pub fn block(&mut self, run: &Run) -> Result<(), SolverError> {
        let mut same = Vec::new();
        for (depth, step) in run.steps.iter().enumerate() {
            let values = step.values.iter();
            same.extend(values.map(|(choice, value)| term::equal(copy(*choice, depth), term::int(*value))));
        }
        self.solver.assert(term::not(term::and(same)))
    }

    fn start(&mut self) -> Result<(), SolverError> {
        let first = self.at_depth(0);
        let mut taken: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        for start in self.flow.starts.iter().filter(|start| self.flow.matters(start.to)) {
            let take = literal(&format!("start {}", start.rule));
            let sets = start.updates.iter().map(|(function, value)| {
                let after = first.apply(function.apply([]));
                term::equal(after, *value)
            });
            let constraint = first.apply(self.flow.here(self.flow.system.starts[start.rule].constraint, start.to));
            let effect = term::and([first.apply(start.guard), constraint].into_iter().chain(sets));
            self.solver.assert(term::implies(take, effect))?;
            taken.entry(start.to).or_default().push(take);
        }
        for fact in self.flow.system.type_facts.iter().chain(&self.flow.system.axioms) {
            self.solver.assert(first.apply(fact.formula))?;
        }
        self.arrive(taken)
    }

    fn unroll(&mut self) -> Result<(), SolverError> {
        let before = self.at_depth(self.depth);
        let after = self.at_depth(self.depth + 1);
        let mut taken: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        let flow = self.flow;
        let edges = flow.edges.iter().enumerate();
        for (number, edge) in edges.filter(|(_, edge)| self.reached.contains(&edge.from) && flow.matters(edge.to)) {
            let take = take(self.depth + 1, number);
            let effect = self.effect(edge, &before, &after);
            self.solver.assert(term::implies(take, effect))?;
            taken.entry(edge.to).or_default().push(take);
        }
        self.depth += 1;
        self.arrive(taken)
    }

    fn effect(&self, edge: &Edge, before: &Substitution, after: &Substitution) -> Term {
        let sets = self.flow.live[edge.to].iter().map(|function| {
            let value = edge
                .updates
                .get(function)
                .copied()
                .unwrap_or_else(|| function.apply([]));
            term::equal(after.apply(function.apply([])), before.apply(value))
        });
        let here = at(self.depth, edge.from);
        term::and([here, before.apply(edge.guard)].into_iter().chain(sets))
    }

    /// `at_k_l -> some take_k_r`
    fn arrive(&mut self, taken: BTreeMap<usize, Vec<Term>>) -> Result<(), SolverError> {
        self.reached = taken.keys().copied().collect();
        for (location, takes) in taken {
            self.solver
                .assert(term::implies(at(self.depth, location), term::or(takes)))?;
        }
        Ok(())
    }

    /// Variables and choices after this many rules.
    fn at_depth(&self, depth: usize) -> Substitution {
        let choices = self.flow.system.rules.iter().flat_map(|rule| &rule.choices);
        let functions = self.flow.state.iter().chain(choices);
        Substitution::of_constants(functions.map(|function| (*function, copy(*function, depth))))
    }

    /// The rules that were taken, from the last to the first.
    fn run(&self, model: &dyn Model) -> Result<Run, SolverError> {
        let holds = |literal: Term| Ok::<bool, SolverError>(model.value(literal)? == Value::Bool(true));
        let mut steps = Vec::new();
        let mut location = None;
        for candidate in &self.reached {
            if holds(at(self.depth, *candidate))? && !self.flow.properties(*candidate).is_empty() {
                location = Some(*candidate);
            }
        }
        let Some(mut location) = location else {
            return Ok(Run { steps });
        };
        for depth in (1..=self.depth).rev() {
            for (number, edge) in self.flow.edges.iter().enumerate() {
                if edge.to != location || !self.flow.matters(edge.from) || !holds(take(depth, number))? {
                    continue;
                }
                let mut values = BTreeMap::new();
                let rigid = self.flow.system.rigid.iter().map(|symbol| &symbol.function);
                for choice in self.flow.system.rules[edge.rule].choices.iter().chain(rigid) {
                    if let Value::Int(value) = model.value(copy(*choice, depth - 1))? {
                        values.insert(*choice, value);
                    }
                }
                steps.push(RunStep {
                    rule: edge.rule,
                    values,
                });
                location = edge.from;
                break;
            }
        }
        steps.reverse();
        Ok(Run { steps })
    }
}

fn literal(name: &str) -> Term {
    Function::constant(name, Sort::Bool).apply([])
}

fn at(depth: usize, location: usize) -> Term {
    literal(&format!("at {depth} {location}"))
}

fn take(depth: usize, edge: usize) -> Term {
    literal(&format!("take {depth} {edge}"))
}

fn copy(function: Function, depth: usize) -> Term {
    Function::constant(format!("{} @{depth}", function.name()).as_str(), function.result()).apply([])
}
