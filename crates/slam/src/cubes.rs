//! Questions about cubes: conjunctions of predicates and their negations.
//!
//! `F(phi)` is the disjunction of all cubes that imply `phi`, up to a length: the weakest formula over the predicates
//! that does (Ball, Majumdar, Millstein and Rajamani, *Automatic predicate abstraction of C programs*, 2001). What a
//! cube implies, longer ones imply, too. And every time the solver says that a cube does not, its model is a state that
//! tells the same of all cubes that hold in it. What was asked once is kept: with more predicates, only cubes that have
//! one of these are looked at, and of these only those that hold in none of the states that were found before.

use crate::statements::{Bit, Meaning, Steps};
use deduction::cores::minimal_core;
use deduction::formulas::literal;
use deduction::relevance::connected;
use logic::evaluate::{Environment, Evaluator, Interpretation, Value};
use logic::substitute::{functions_of, replace};
use logic::{Cancellation, Function, Kind, Sort, Term, term};
use rustc_hash::FxHashMap;
use smt::{Answer, Purpose, Solver, SolverError, Solvers};
use std::collections::BTreeSet;

/// A conjunction of literals, by the formulas of their predicates.
pub type Cube = Vec<(Term, bool)>;

/// With more candidates than this, cubes have one literal less; with more than twice as many, only one.
const MANY: usize = 14;

/// What `F` is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CubeGoal {
    /// The value that a variable gets.
    Value,
    /// Which states go on.
    Assumption,
}

#[derive(Default)]
struct Known {
    candidates: BTreeSet<Term>,
    cubes: Vec<Cube>,
    /// Where the condition holds, and the goal does not.
    states: Vec<State>,
}

/// What each thing holds that formulas speak of.
struct State(FxHashMap<Function, Value>);

impl Interpretation for State {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        match arguments {
            [] => self.0.get(&function).cloned(),
            _ => None,
        }
    }

    fn domain(&self, _: Sort) -> Option<Vec<Value>> {
        None
    }
}

impl State {
    /// The part of a model that formulas speak of; none where it leaves something open.
    fn of(model: &dyn smt::Model, mentioned: &BTreeSet<Function>) -> Option<State> {
        let values = mentioned.iter().map(|function| {
            let value = model.value(function.apply([])).ok()?;
            Some((*function, value))
        });
        values.collect::<Option<FxHashMap<Function, Value>>>().map(State)
    }

    /// Whether it tells of everything that formulas speak of; of what is new, zero is as good as anything, where it may
    /// be zero.
    fn speaks_of(&mut self, steps: &Steps, mentioned: &BTreeSet<Function>) -> bool {
        for function in mentioned {
            if self.0.contains_key(function) {
                continue;
            }
            let zero = match function.result() {
                Sort::Int => Value::Int(0),
                Sort::Bool => Value::Bool(false),
                _ => return false,
            };
            self.0.insert(*function, zero);
            let may_be = steps
                .range(*function)
                .is_none_or(|range| self.values(&[range]).is_some_and(|values| values[0]));
            if !may_be {
                self.0.remove(function);
                return false;
            }
        }
        true
    }

    /// Which of these formulas hold.
    fn values(&self, formulas: &[Term]) -> Option<Vec<bool>> {
        let environment = Environment::new();
        let mut evaluator = Evaluator::new(&environment, self);
        let values = formulas
            .iter()
            .map(|formula| evaluator.evaluate(*formula).ok()?.as_bool());
        values.collect()
    }
}

/// What an equation of a cell with a number says.
pub(crate) fn equation(formula: Term) -> Option<(Term, Term)> {
    let Kind::Equal(a, b) = formula.kind() else {
        return None;
    };
    let (cell, number) = if a.is_value() { (*b, *a) } else { (*a, *b) };
    (number.is_value() && matches!(cell.kind(), Kind::Apply(..))).then_some((cell, number))
}

/// Which cubes over the candidates, where the condition holds, imply the goal?
struct Question<'q> {
    candidates: &'q [Term],
    longest: usize,
    is_new: &'q dyn Fn(&Term) -> bool,
    /// Nothing is known of it yet.
    is_first: bool,
    condition: Term,
    goal: Term,
}

impl Question<'_> {
    /// An equation with a number says it by itself: whether the goal is true of that number.
    fn by_itself(&self, cube: &[(usize, bool)]) -> Option<bool> {
        let [(at, true)] = cube else { return None };
        let (cell, number) = equation(self.candidates[*at]).filter(|_| self.condition.is_true())?;
        let put = logic::simplify(replace(self.goal, cell, number));
        put.is_value().then(|| put.is_true())
    }
}

/// A question before the solver.
struct Asking<'q> {
    candidates: &'q [Term],
    /// What stands for each candidate, where it was defined.
    literals: Vec<Option<Term>>,
    /// Of each state that was found, which candidates hold.
    values: Vec<Vec<bool>>,
    mentioned: BTreeSet<Function>,
}

impl Known {
    /// Which candidates hold in the states that are known. States that do not tell are of no use any more.
    fn values(&mut self, steps: &Steps, candidates: &[Term], mentioned: &BTreeSet<Function>) -> Vec<Vec<bool>> {
        self.states.retain_mut(|state| state.speaks_of(steps, mentioned));
        let values = self.states.iter().filter_map(|state| state.values(candidates));
        values.collect()
    }
}

/// Asks, and remembers.
pub struct Cubes {
    cancellation: Cancellation,
    solver: Box<dyn Solver>,
    /// For questions about two literals.
    pair: Box<dyn Solver>,
    /// Whether two literals can hold together.
    pairs: FxHashMap<(Term, Term), bool>,
    /// Whether a formula is open.
    open: FxHashMap<Term, bool>,
    /// The longest cubes.
    pub longest: usize,
    known: FxHashMap<(Term, Term), Known>,
    literals: FxHashMap<Term, Function>,
}

impl Cubes {
    pub fn new(solvers: &Solvers, longest: usize) -> Result<Cubes, SolverError> {
        Ok(Cubes {
            cancellation: solvers.cancellation().clone(),
            solver: solvers.solver()?,
            pair: solvers.solver()?,
            pairs: FxHashMap::default(),
            open: FxHashMap::default(),
            longest,
            known: FxHashMap::default(),
            literals: FxHashMap::default(),
        })
    }

    /// A Boolean constant that is equivalent to a formula.
    fn name(&mut self, formula: Term) -> Term {
        let count = self.literals.len();
        let made = || Function::constant(format!("literal {count}").as_str(), Sort::Bool);
        self.literals.entry(formula).or_insert_with(made).apply([])
    }

    fn define(&mut self, formula: Term) -> Result<Term, SolverError> {
        let literal = self.name(formula);
        self.solver.assert(term::equal(literal, formula))?;
        Ok(literal)
    }

    fn assert_ranges(&mut self, steps: &Steps, formulas: &[Term]) -> Result<(), SolverError> {
        for range in ranges(steps, formulas) {
            self.solver.assert(range)?;
        }
        Ok(())
    }

    /// Whether a formula holds in some states and not in others, as far as the solver knows.
    pub fn is_open(&mut self, steps: &Steps, formula: Term) -> Result<bool, SolverError> {
        if let Some(known) = self.open.get(&formula) {
            return Ok(*known);
        }
        self.solver.push()?;
        self.assert_ranges(steps, &[formula])?;
        let mut is_open = !formula.is_value();
        for value in [formula, term::not(formula)] {
            self.solver.push()?;
            self.solver.assert(value)?;
            is_open = is_open && self.solver.check(Purpose::Discovery)? != Answer::Unsat;
            self.solver.pop()?;
        }
        self.solver.pop()?;
        // Where the solver was stopped, it knows nothing.
        if !self.cancellation.is_cancelled() {
            self.open.insert(formula, is_open);
        }
        Ok(is_open)
    }

    /// `F(goal)`, where the condition holds.
    pub fn implying(
        &mut self,
        steps: &Steps,
        candidates: &[Term],
        condition: Term,
        goal: Term,
        part: CubeGoal,
    ) -> Result<Vec<Cube>, SolverError> {
        if goal.is_true() || condition.is_false() {
            return Ok(vec![Vec::new()]);
        }
        // Fewer cubes are less precise, and nothing else.
        if self.cancellation.is_cancelled() {
            return Ok(Vec::new());
        }
        // A predicate is itself what implies it; others that do add something where abstract states are impossible.
        let exact = [(goal, true), (term::not(goal), false)];
        let exact = exact.into_iter().find(|(formula, _)| candidates.contains(formula));
        if let (Some(literal), CubeGoal::Value) = (exact, part) {
            return Ok(vec![vec![literal]]);
        }
        let longest = if exact.is_some() { 1 } else { self.longest };
        let candidates = relevant(candidates, condition, goal);
        let key = (condition, goal);
        let (mut known, is_first) = match self.known.remove(&key) {
            Some(known) => (known, false),
            None => (Known::default(), true),
        };
        let old = std::mem::take(&mut known.candidates);
        let is_new = |candidate: &Term| !old.contains(candidate);
        let is_settled = known.cubes.iter().any(Vec::is_empty);
        let longest = match candidates.len() {
            count if count > 2 * MANY => longest.min(1),
            count if count > MANY => longest.min(2),
            _ => longest,
        };
        // Cubes of one literal are looked at one by one.
        let looked_at: Vec<Term> = match longest {
            1 => candidates.iter().copied().filter(is_new).collect(),
            _ => candidates.clone(),
        };
        let is_asked = looked_at.iter().any(is_new) || (is_first && !goal.is_false());
        if is_asked && !is_settled {
            let question = Question {
                candidates: &looked_at,
                longest,
                is_new: &is_new,
                is_first,
                condition,
                goal,
            };
            self.solver.push()?;
            let searched = self.search(steps, &question, &mut known);
            self.solver.pop()?;
            searched?;
        }
        known.candidates = candidates.iter().copied().chain(old).collect();
        let cubes = known.cubes.clone();
        self.known.insert(key, known);
        let is_there = |cube: &Cube| cube.iter().all(|(formula, _)| candidates.contains(formula));
        Ok(cubes.into_iter().filter(is_there).collect())
    }

    fn search(&mut self, steps: &Steps, question: &Question, known: &mut Known) -> Result<(), SolverError> {
        let (candidates, longest) = (question.candidates, question.longest);
        self.solver.assert(question.condition)?;
        self.solver.assert(term::not(question.goal))?;
        let formulas: Vec<Term> = candidates
            .iter()
            .copied()
            .chain([question.condition, question.goal])
            .collect();
        self.assert_ranges(steps, &formulas)?;
        let mentioned: BTreeSet<Function> = formulas.iter().flat_map(|formula| functions_of(*formula)).collect();
        let mut asking = Asking {
            candidates,
            literals: vec![None; candidates.len()],
            values: known.values(steps, candidates, &mentioned),
            mentioned,
        };
        let Known { cubes, states, .. } = known;
        let mut pending: Vec<Vec<(usize, bool)>> = vec![Vec::new()];
        for length in 0..=longest {
            let mut longer = Vec::new();
            for cube in pending {
                if self.cancellation.is_cancelled() {
                    return Ok(());
                }
                let has = |known: &Cube| {
                    let holds = |(formula, value): &(Term, bool)| {
                        cube.iter().any(|(at, of)| candidates[*at] == *formula && of == value)
                    };
                    known.iter().all(holds)
                };
                if cubes.iter().any(has) {
                    continue;
                }
                let holds_in = |state: &Vec<bool>| cube.iter().all(|(at, value)| state[*at] == *value);
                let is_refuted = asking.values.iter().any(holds_in);
                if !is_refuted && !self.can_be(steps, candidates, &cube)? {
                    continue;
                }
                let is_asked = match cube.is_empty() {
                    true => question.is_first,
                    false => cube.iter().any(|(at, _)| (question.is_new)(&candidates[*at])),
                };
                let mut is_implied = false;
                if is_asked && !is_refuted {
                    is_implied = match question.by_itself(&cube) {
                        Some(is_implied) => is_implied,
                        None => self.is_implied(&mut asking, &cube, states)?,
                    };
                }
                if is_implied {
                    let literals = cube.iter().map(|(at, value)| (candidates[*at], *value));
                    cubes.push(literals.collect());
                } else if length < longest {
                    let from = cube.last().map_or(0, |(at, _)| at + 1);
                    for at in from..candidates.len() {
                        for value in [true, false] {
                            let mut more = cube.clone();
                            more.push((at, value));
                            longer.push(more);
                        }
                    }
                }
            }
            pending = longer;
        }
        Ok(())
    }

    /// Whether the last literal of a cube goes together with each of the others. A cube that cannot be implies
    /// everything, and says nothing.
    fn can_be(&mut self, steps: &Steps, candidates: &[Term], cube: &[(usize, bool)]) -> Result<bool, SolverError> {
        let Some(((last, value), others)) = cube.split_last() else {
            return Ok(true);
        };
        let last = literal(candidates[*last], *value);
        for (other, value) in others {
            let other = literal(candidates[*other], *value);
            let known = self.pairs.get(&(other, last)).copied();
            let is_possible = match known.or_else(|| go_together(other, last)) {
                Some(known) => known,
                None => {
                    self.pair.push()?;
                    let both = [other, last];
                    for range in ranges(steps, &both) {
                        self.pair.assert(range)?;
                    }
                    self.pair.assert(term::and(both))?;
                    let answer = self.pair.check(Purpose::Abstraction)?;
                    self.pair.pop()?;
                    answer != Answer::Unsat
                }
            };
            self.pairs.insert((other, last), is_possible);
            if !is_possible {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a cube contradicts what is asserted. Where it does not, there is a state more.
    fn is_implied(
        &mut self,
        asking: &mut Asking,
        cube: &[(usize, bool)],
        states: &mut Vec<State>,
    ) -> Result<bool, SolverError> {
        let mut assumed = Vec::new();
        for (at, value) in cube {
            let name = match asking.literals[*at] {
                Some(name) => name,
                None => self.define(asking.candidates[*at])?,
            };
            asking.literals[*at] = Some(name);
            assumed.push(literal(name, *value));
        }
        Ok(match self.solver.check_assuming(Purpose::Abstraction, &assumed)? {
            Answer::Unsat => true,
            Answer::Sat => {
                let model = self.solver.model()?;
                if let Some(state) = State::of(model.as_ref(), &asking.mentioned) {
                    asking.values.extend(state.values(asking.candidates));
                    states.push(state);
                }
                false
            }
            Answer::Unknown(_) => false,
        })
    }

    /// Whether no step of the program leads from a state where these hold to one where those do, and why: the literals
    /// that are to blame, none of which can be left out.
    pub fn spurious(
        &mut self,
        steps: &Steps,
        meaning: &Meaning,
        before: &dyn Fn(Bit) -> bool,
        after: &dyn Fn(Bit) -> bool,
    ) -> Result<Option<Vec<Blamed>>, SolverError> {
        let sides = [(false, &meaning.before, before), (true, &meaning.after, after)];
        let mut blamed: Vec<(Term, Blamed)> = Vec::new();
        self.solver.push()?;
        let mut formulas = vec![meaning.condition];
        for (is_after, bits, value) in sides {
            for (bit, formula) in bits {
                formulas.push(*formula);
                // The same formula may be of both sides: each has its own literal.
                let name = format!("{bit:?} {is_after}");
                let name = Function::constant(name.as_str(), Sort::Bool).apply([]);
                self.solver.assert(term::equal(name, *formula))?;
                blamed.push((
                    literal(name, value(*bit)),
                    Blamed {
                        bit: *bit,
                        is_after,
                        value: value(*bit),
                    },
                ));
            }
        }
        self.solver.assert(meaning.condition)?;
        self.assert_ranges(steps, &formulas)?;
        let assumed: Vec<Term> = blamed.iter().map(|(literal, _)| *literal).collect();
        let core = minimal_core(self.solver.as_mut(), Purpose::Constrain, &assumed)?;
        self.solver.pop()?;
        Ok(core.map(|core| {
            let in_core = blamed.into_iter().filter(|(literal, _)| core.contains(literal));
            in_core.map(|(_, blamed)| blamed).collect()
        }))
    }
}

/// A literal of a transition that no step makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Blamed {
    pub bit: Bit,
    pub is_after: bool,
    pub value: bool,
}

/// Whether two literals can hold together, where that is plain to see. Each can by itself.
fn go_together(one: Term, other: Term) -> Option<bool> {
    if functions_of(one).is_disjoint(&functions_of(other)) {
        return Some(true);
    }
    let ((cell, a), (same, b)) = (equation(one)?, equation(other)?);
    (cell == same).then_some(a == b)
}

/// What is known of all that formulas speak of.
fn ranges(steps: &Steps, formulas: &[Term]) -> Vec<Term> {
    let functions: BTreeSet<Function> = formulas.iter().flat_map(|formula| functions_of(*formula)).collect();
    functions
        .into_iter()
        .filter_map(|function| steps.range(function))
        .collect()
}

/// The cone of relevance: the candidates that speak of what the goal speaks of, or of what such a candidate speaks of.
fn relevant(candidates: &[Term], condition: Term, goal: Term) -> Vec<Term> {
    let mut cells = functions_of(goal);
    cells.extend(functions_of(condition));
    let mut distinct: Vec<Term> = Vec::new();
    for candidate in candidates {
        if !distinct.contains(candidate) {
            distinct.push(*candidate);
        }
    }
    let sets: Vec<BTreeSet<Function>> = distinct.iter().map(|candidate| functions_of(*candidate)).collect();
    let connected = connected(cells, &sets);
    connected.into_iter().map(|at| distinct[at]).collect()
}
