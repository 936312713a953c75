//! Newton: whether an abstract run is one of the program, and if not, which predicates would have shown that.
//!
//! Ball and Rajamani, *Generating abstract explanations of spurious counterexamples in C programs*, 2002. The path is
//! followed with symbolic values through calls and loops. Where its conditions cannot hold together, some of them are
//! to blame, none of which can be left out: the weakest precondition of these, from step to step back to the beginning,
//! says at each place what has to be known there, and its atoms are the predicates.

use crate::predicates::procedures;
use crate::statements::{Steps, writes};
use deduction::conditionals::find_conditional;
use deduction::cores::{minimise_core, positions};
use deduction::formulas::atom;
use logic::substitute::{functions_of, rebuild, replace};
use logic::traverse::{occurrences, post_order};
use logic::{Cancellation, Function, Kind, Sort, Substitution, Term, Value, term};
use rustc_hash::FxHashMap;
use smt::{Answer, Purpose, Solver, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::program::ProcedureId;
use unfold::frames::{Followed, Frames, Move, Owner, Towards, Way};

/// Larger formulas are not followed back.
const LARGEST: u64 = 4_000;
/// A choice within a comparison is looked into so often.
const CHOICES: usize = 6;

/// What is known of a path.
pub enum Explanation {
    /// The inputs of the run, if the model of the solver is one.
    Feasible(Vec<i128>),
    /// Predicates that speak against it, those that are needed last first.
    Infeasible(Vec<Term>),
    /// The solver does not know.
    Unclear,
}

/// How much is made of the conditions of choices in arithmetic, such as whether a sum wraps around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Those whose outcome is known on the path are taken for granted.
    Path,
    All,
}

pub fn explain(steps: &Steps, solvers: &Solvers, path: &[Move], detail: Detail) -> Result<Explanation, SolverError> {
    let followed = steps.frames.follow(path);
    let mut conditions = Conditions::new(solvers, &followed)?;
    let core = match conditions.blamed()? {
        CoreOrModel::Core(core) => core,
        CoreOrModel::Unclear => return Ok(Explanation::Unclear),
        CoreOrModel::Model(model) => {
            let mentioned = followed.conditions.iter().chain(&followed.ranges);
            let value = |function: Function| match model.value(function.apply([])) {
                Ok(Value::Int(value)) => Some((function, value)),
                _ => None,
            };
            let values = mentioned
                .flat_map(|term| functions_of(*term))
                .filter_map(value)
                .collect();
            return Ok(Explanation::Feasible(steps.frames.inputs(path, &values)));
        }
    };
    let found = Found {
        cancellation: solvers.cancellation(),
        steps,
        conditions,
        decided: FxHashMap::default(),
        detail,
        known: BTreeSet::new(),
        found: Vec::new(),
    };
    Ok(Explanation::Infeasible(found.predicates(path, &core)?))
}

enum CoreOrModel {
    Core(BTreeSet<usize>),
    Model(Box<dyn smt::Model>),
    Unclear,
}

/// The conditions of a path, before a solver.
struct Conditions<'a> {
    followed: &'a Followed,
    solver: Box<dyn Solver>,
    /// A literal for each condition that does not hold by itself, and its step.
    literals: Vec<(Term, usize)>,
}

impl<'a> Conditions<'a> {
    fn new(solvers: &Solvers, followed: &'a Followed) -> Result<Conditions<'a>, SolverError> {
        let mut solver = solvers.solver()?;
        let mut mentioned = BTreeSet::new();
        let mut literals = Vec::new();
        for (number, condition) in followed.conditions.iter().enumerate() {
            if condition.is_true() {
                continue;
            }
            mentioned.extend(functions_of(*condition));
            let literal = Function::constant(format!("step {number} is taken").as_str(), Sort::Bool).apply([]);
            solver.assert(term::implies(literal, *condition))?;
            literals.push((literal, number));
        }
        for range in &followed.ranges {
            if functions_of(*range).iter().any(|function| mentioned.contains(function)) {
                solver.assert(*range)?;
            }
        }
        Ok(Conditions {
            followed,
            solver,
            literals,
        })
    }

    /// The steps whose conditions cannot hold together.
    fn blamed(&mut self) -> Result<CoreOrModel, SolverError> {
        let conditions = &self.followed.conditions;
        if let Some(never) = conditions.iter().position(|condition| condition.is_false()) {
            return Ok(CoreOrModel::Core(BTreeSet::from([never])));
        }
        let literals: Vec<Term> = self.literals.iter().map(|(literal, _)| *literal).collect();
        Ok(match self.solver.check_assuming(Purpose::Trace, &literals)? {
            Answer::Sat => CoreOrModel::Model(self.solver.model()?),
            Answer::Unknown(_) => CoreOrModel::Unclear,
            Answer::Unsat => {
                let core = self.solver.unsat_core()?;
                let core = minimise_core(self.solver.as_mut(), Purpose::Discovery, core)?;
                let blamed = positions(&literals, &core).into_iter();
                CoreOrModel::Core(blamed.map(|at| self.literals[at].1).collect())
            }
        })
    }

    /// Whether a formula is true or false whenever the path comes to a step, where either is known.
    fn decided(&mut self, step: usize, formula: Term) -> Result<Option<bool>, SolverError> {
        if formula.is_true() || formula.is_false() {
            return Ok(Some(formula.is_true()));
        }
        let before = self.literals.iter().filter(|(_, number)| *number < step);
        let before: Vec<Term> = before.map(|(literal, _)| *literal).collect();
        for value in [true, false] {
            self.solver.push()?;
            self.solver.assert(if value { term::not(formula) } else { formula })?;
            for range in &self.followed.ranges {
                let mentioned = functions_of(formula);
                if functions_of(*range).iter().any(|function| mentioned.contains(function)) {
                    self.solver.assert(*range)?;
                }
            }
            let answer = self.solver.check_assuming(Purpose::Discovery, &before)?;
            self.solver.pop()?;
            if answer == Answer::Unsat {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }
}

/// A call that is open on a path.
#[derive(Clone, Copy)]
struct Call {
    way: Way,
    callee: ProcedureId,
    /// The number of the call, where the procedure is open already: then its variables are those of its caller, too.
    again: Option<usize>,
}

/// The call that each step is in, none of those in the first procedure; and the call that each step makes or ends.
fn calls(steps: &Steps, path: &[Move]) -> Vec<(Option<Call>, Option<Call>)> {
    let mut stack: Vec<Call> = Vec::new();
    let mut calls = Vec::new();
    for step in path {
        let inside = stack.last().copied();
        let passed = match step {
            Move::Take(way) => match steps.effect(*way).towards {
                Towards::Call(callee) => {
                    let is_open = way.procedure == callee || stack.iter().any(|call| call.callee == callee);
                    stack.push(Call {
                        way: *way,
                        callee,
                        again: is_open.then_some(stack.len()),
                    });
                    stack.last().copied()
                }
                _ => None,
            },
            Move::Return(_) => stack.pop(),
        };
        calls.push((inside, passed));
    }
    calls
}

impl Call {
    fn is_own(self, frames: &Frames, cell: Function) -> bool {
        matches!(frames.owner(cell), Some(Owner::Procedure(owner, _)) if owner == self.callee)
    }

    /// A variable of the procedure as it was when the call was made.
    fn kept(self, cell: Function) -> Function {
        let number = self.again.unwrap_or_default();
        Function::constant(format!("{}@call {number}", cell.name()).as_str(), cell.result())
    }

    /// A formula of the caller, within the call.
    fn within(self, frames: &Frames, formula: Term) -> Term {
        if self.again.is_none() {
            return formula;
        }
        let own = functions_of(formula)
            .into_iter()
            .filter(|cell| self.is_own(frames, *cell));
        let pairs = own.map(|cell| (cell, self.kept(cell).apply([])));
        Substitution::of_constants(pairs).apply(formula)
    }

    /// `wp` of the call: parameters are what they were given, and variables of the caller are its own again.
    fn made(self, frames: &Frames, writes: &BTreeMap<Function, Term>, formula: Term) -> Term {
        let functions = functions_of(formula);
        let lost = |cell: Function| Function::constant(format!("{}@lost", cell.name()).as_str(), cell.result());
        let own = functions.iter().filter(|cell| self.is_own(frames, **cell));
        let mut pairs: BTreeMap<Function, Term> = own.map(|cell| (*cell, lost(*cell).apply([]))).collect();
        pairs.extend(writes.iter().map(|(cell, value)| (*cell, *value)));
        let of_caller = frames.cells_of(self.callee).into_iter();
        pairs.extend(of_caller.map(|cell| (self.kept(cell), cell.apply([]))));
        crate::statements::writes(&pairs).apply(formula)
    }

    /// `wp` of the return: the caller's variables are those that were kept, but for the place of the result.
    fn ended(self, frames: &Frames, writes: &BTreeMap<Function, Term>, formula: Term) -> Term {
        let returning = |cell: Function| Function::constant(format!("{}@result", cell.name()).as_str(), cell.result());
        let renamed = |formula: Term, from: &dyn Fn(Function) -> Function, to: &dyn Fn(Function) -> Function| {
            let cells = frames.cells_of(self.callee).into_iter();
            let pairs = cells.map(|cell| (from(cell), to(cell).apply([])));
            Substitution::of_constants(pairs).apply(formula)
        };
        let values = writes
            .iter()
            .map(|(cell, value)| (*cell, renamed(*value, &|cell| cell, &returning)));
        let values: BTreeMap<Function, Term> = values.collect();
        let assigned = crate::statements::writes(&values).apply(formula);
        let kept = renamed(assigned, &|cell| cell, &|cell| self.kept(cell));
        renamed(kept, &returning, &|cell| cell)
    }
}

/// What a step chooses is its own: other steps choose anew.
fn named(frames: &Frames, formula: Term, number: usize) -> Term {
    let choices = functions_of(formula).into_iter().filter(|function| {
        let is_named = function.name().to_string().contains('@');
        frames.owner(*function).is_none() && !is_named
    });
    let pairs = choices.map(|choice| {
        let own = Function::constant(format!("{}@{number}", choice.name()).as_str(), choice.result());
        (choice, own.apply([]))
    });
    Substitution::of_constants(pairs).apply(formula)
}

struct Found<'a, 'p> {
    cancellation: &'a Cancellation,
    steps: &'a Steps<'p>,
    conditions: Conditions<'a>,
    decided: FxHashMap<(usize, Term), Option<bool>>,
    detail: Detail,
    known: BTreeSet<Term>,
    found: Vec<Term>,
}

impl Found<'_, '_> {
    /// The atoms of `wp(step_k; ...; step_n, conditions to blame)`, for each `k`.
    fn predicates(mut self, path: &[Move], core: &BTreeSet<usize>) -> Result<Vec<Term>, SolverError> {
        let mut wanted: Vec<Term> = Vec::new();
        let calls = calls(self.steps, path);
        for (number, step) in path.iter().enumerate().rev() {
            if self.cancellation.is_cancelled() {
                break;
            }
            let effect = match step {
                Move::Take(way) => Some(self.steps.effect(*way)),
                Move::Return(way) => self.steps.returned(*way),
            };
            let Some(effect) = effect else { continue };
            let (inside, passed) = calls[number];
            let written = writes(&effect.writes);
            let is_blamed = core.contains(&number);
            let frames = &self.steps.frames;
            let before = wanted.into_iter().map(|formula| match (passed, step) {
                (Some(call), Move::Take(_)) if call.again.is_some() => call.made(frames, &effect.writes, formula),
                (Some(call), Move::Return(_)) if call.again.is_some() => call.ended(frames, &effect.writes, formula),
                _ => written.apply(formula),
            });
            let before: Vec<Term> = before.chain(is_blamed.then_some(effect.condition)).collect();
            let mut kept = BTreeSet::new();
            wanted = Vec::new();
            let mut before = before;
            while let Some(formula) = before.pop() {
                let mut formula = logic::simplify(named(&self.steps.frames, formula, number));
                if self.detail == Detail::Path {
                    let (resolved, pointers) = self.on_path(formula, number)?;
                    formula = logic::simplify(resolved);
                    before.extend(pointers);
                }
                let is_open = !formula.is_true() && !formula.is_false() && occurrences(formula) <= LARGEST;
                if is_open && kept.insert(formula) {
                    self.atoms_of(formula, CHOICES, inside);
                    wanted.push(formula);
                }
            }
            if wanted.is_empty() && core.range(..number).next().is_none() {
                break;
            }
        }
        Ok(self.found)
    }

    /// The formula without the choices whose outcome is known when the path comes to a step. Where that is since a
    /// pointer points at one place there, it does so in the formula, and that it does is a formula of its own.
    fn on_path(&mut self, formula: Term, step: usize) -> Result<(Term, Vec<Term>), SolverError> {
        let mut pointers: BTreeMap<Function, Term> = BTreeMap::new();
        let mut made: FxHashMap<Term, Term> = FxHashMap::default();
        for part in post_order(formula, false) {
            let mut new = rebuild(part, |child| made.get(&child).copied().unwrap_or(child));
            if let Kind::Ite(condition, then, otherwise) = new.kind() {
                let decided = self.is_decided(*condition, step)?;
                match decided {
                    Some(true) => new = *then,
                    Some(false) => new = *otherwise,
                    None => {}
                }
                if decided.is_some() {
                    pointers.extend(self.pointers(*condition, step));
                }
            }
            made.insert(part, new);
        }
        let resolved = made.get(&formula).copied().unwrap_or(formula);
        let put = writes(&pointers).apply(resolved);
        let equal = |(cell, place): (&Function, &Term)| term::equal(cell.apply([]), *place);
        Ok((put, pointers.iter().map(equal).collect()))
    }

    /// The pointers in a formula that point at one place when the path comes to a step.
    fn pointers(&self, formula: Term, step: usize) -> Vec<(Function, Term)> {
        let frames = &self.steps.frames;
        let pointers = functions_of(formula)
            .into_iter()
            .filter(|cell| frames.is_pointer(*cell));
        let places = pointers.map(|cell| (cell, frames.at(self.conditions.followed, step, cell.apply([]))));
        places.filter(|(_, place)| place.is_value()).collect()
    }

    fn is_decided(&mut self, condition: Term, step: usize) -> Result<Option<bool>, SolverError> {
        let then = self.steps.frames.at(self.conditions.followed, step, condition);
        if let Some(known) = self.decided.get(&(step, then)) {
            return Ok(*known);
        }
        let decided = self.conditions.decided(step, then)?;
        self.decided.insert((step, then), decided);
        Ok(decided)
    }

    /// The atoms of a formula; those with choices within are split by them.
    fn atoms_of(&mut self, formula: Term, choices: usize, call: Option<Call>) {
        match formula.kind() {
            Kind::Bool(_) => {}
            Kind::Not(inner) => self.atoms_of(*inner, choices, call),
            Kind::And(parts) | Kind::Or(parts) => {
                for part in parts {
                    self.atoms_of(*part, choices, call);
                }
            }
            Kind::Implies(a, b) => {
                self.atoms_of(*a, choices, call);
                self.atoms_of(*b, choices, call);
            }
            Kind::Equal(a, b) if a.sort() == Sort::Bool => {
                self.atoms_of(*a, choices, call);
                self.atoms_of(*b, choices, call);
            }
            Kind::Ite(condition, then, otherwise) => {
                for part in [*condition, *then, *otherwise] {
                    self.atoms_of(part, choices, call);
                }
            }
            _ => self.comparison(formula, choices, call),
        }
    }

    fn comparison(&mut self, formula: Term, choices: usize, call: Option<Call>) {
        let Some(split) = find_conditional(formula, |_| true) else {
            return self.add(formula, call);
        };
        if choices == 0 {
            return;
        }
        for part in [split.condition, split.then, split.otherwise] {
            self.atoms_of(logic::simplify(part), choices - 1, call);
        }
    }

    fn add(&mut self, formula: Term, call: Option<Call>) {
        let formula = atom(logic::simplify(formula));
        if !self.known.insert(formula) {
            return;
        }
        let frames = &self.steps.frames;
        if procedures(frames, formula).is_some_and(|owners| owners.len() <= 1) {
            self.found.push(formula);
        }
        // What the caller gave is what the parameters say.
        if let Some(call) = call {
            let moved = atom(logic::simplify(self.by_parameters(formula, call)));
            let is_own = |owner: &ProcedureId| *owner == call.callee;
            let is_moved = procedures(frames, moved).is_some_and(|owners| owners.iter().all(is_own));
            if is_moved && !moved.is_value() && self.known.insert(moved) {
                self.found.push(moved);
            }
        }
    }

    /// With parameters that no step changes in the place of what they were given.
    fn by_parameters(&self, formula: Term, call: Call) -> Term {
        let frames = &self.steps.frames;
        let mut moved = formula;
        for (cell, value) in &self.steps.effect(call.way).writes {
            let is_fixed = call.is_own(frames, *cell) && !self.steps.writes(call.callee, *cell);
            if is_fixed && !value.is_value() {
                moved = replace(moved, call.within(frames, *value), cell.apply([]));
            }
        }
        moved
    }
}
