//! Questions about cubes: conjunctions of predicates and their negations.
//!
//! `F(phi)` is the disjunction of all cubes that imply `phi`, up to a length: the weakest formula over the predicates that
//! does (Ball, Majumdar, Millstein and Rajamani, *Automatic predicate abstraction of C programs*, 2001). What a cube
//! implies, longer ones imply, too. And every time the solver says that a cube does not, its model tells the same of
//! all cubes that hold in it. What was asked once is kept: with more predicates, only cubes that have one of these are
//! looked at.

use crate::statements::{Bit, Meaning, Steps};
use logic::substitute::functions_of;
use logic::{Function, Sort, Term, term};
use rustc_hash::FxHashMap;
use smt::{Answer, Purpose, Solver, SolverError, Solvers, minimise_core};
use std::collections::BTreeSet;

/// A conjunction of literals, by the formulas of their predicates.
pub type Cube = Vec<(Term, bool)>;

/// With more candidates than this, cubes have one literal less; with more than twice as many, only one.
const MANY: usize = 14;

/// What `F` is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The value that a variable gets.
    Value,
    /// Which states go on.
    Assumption,
}

struct Known {
    candidates: BTreeSet<Term>,
    cubes: Vec<Cube>,
}

/// Asks, and remembers.
pub struct Cubes {
    solver: Box<dyn Solver>,
    /// The longest cubes.
    pub longest: usize,
    known: FxHashMap<(Term, Term), Known>,
    literals: FxHashMap<Term, Function>,
}

impl Cubes {
    pub fn new(solvers: &Solvers, longest: usize) -> Result<Cubes, SolverError> {
        Ok(Cubes {
            solver: solvers.solver()?,
            longest,
            known: FxHashMap::default(),
            literals: FxHashMap::default(),
        })
    }

    /// A Boolean constant that stands for a formula.
    fn literal(&mut self, formula: Term) -> Term {
        let count = self.literals.len();
        let made = || Function::constant(format!("literal {count}").as_str(), Sort::Bool);
        self.literals.entry(formula).or_insert_with(made).apply([])
    }

    fn define(&mut self, formula: Term) -> Result<Term, SolverError> {
        let literal = self.literal(formula);
        self.solver.assert(term::equal(literal, formula))?;
        Ok(literal)
    }

    fn assert_ranges(&mut self, steps: &Steps, formulas: &[Term]) -> Result<(), SolverError> {
        let functions: BTreeSet<Function> = formulas.iter().flat_map(|formula| functions_of(*formula)).collect();
        for range in functions.into_iter().filter_map(|function| steps.range(function)) {
            self.solver.assert(range)?;
        }
        Ok(())
    }

    /// Whether a formula holds in some states and not in others, as far as the solver knows.
    pub fn is_open(&mut self, steps: &Steps, formula: Term) -> Result<bool, SolverError> {
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
        Ok(is_open)
    }

    /// `F(goal)`, where the condition holds.
    pub fn implying(
        &mut self,
        steps: &Steps,
        candidates: &[Term],
        condition: Term,
        goal: Term,
        part: Part,
    ) -> Result<Vec<Cube>, SolverError> {
        if goal.is_true() || condition.is_false() {
            return Ok(vec![Vec::new()]);
        }
        // A predicate is itself what implies it; others that do add something where abstract states are impossible.
        let exact = [(goal, true), (term::not(goal), false)];
        let exact = exact.into_iter().find(|(formula, _)| candidates.contains(formula));
        if let (Some(literal), Part::Value) = (exact, part) {
            return Ok(vec![vec![literal]]);
        }
        let longest = if exact.is_some() { 1 } else { self.longest };
        let candidates = relevant(candidates, condition, goal);
        let key = (condition, goal);
        let (old, cubes) = match self.known.remove(&key) {
            Some(known) => (known.candidates, known.cubes),
            None => (BTreeSet::new(), Vec::new()),
        };
        let is_new = |candidate: &Term| !old.contains(candidate);
        let is_first = old.is_empty();
        let is_settled = cubes.iter().any(Vec::is_empty);
        let cubes = match candidates.iter().any(is_new) || (is_first && !goal.is_false()) {
            true if !is_settled => {
                self.solver.push()?;
                let cubes = self.search(steps, (&candidates, longest), &is_new, condition, goal, cubes);
                self.solver.pop()?;
                cubes?
            }
            _ => cubes,
        };
        let entry = Known {
            candidates: candidates.iter().copied().chain(old).collect(),
            cubes: cubes.clone(),
        };
        self.known.insert(key, entry);
        let is_there = |cube: &Cube| cube.iter().all(|(formula, _)| candidates.contains(formula));
        Ok(cubes.into_iter().filter(is_there).collect())
    }

    fn search(
        &mut self,
        steps: &Steps,
        (candidates, longest): (&[Term], usize),
        is_new: &dyn Fn(&Term) -> bool,
        condition: Term,
        goal: Term,
        mut cubes: Vec<Cube>,
    ) -> Result<Vec<Cube>, SolverError> {
        let literals: Vec<Term> = candidates
            .iter()
            .map(|candidate| self.define(*candidate))
            .collect::<Result<_, _>>()?;
        self.solver.assert(condition)?;
        self.solver.assert(term::not(goal))?;
        let mentioned: Vec<Term> = candidates.iter().copied().chain([condition, goal]).collect();
        self.assert_ranges(steps, &mentioned)?;
        let mut models: Vec<Vec<bool>> = Vec::new();
        let longest = match candidates.len() {
            count if count > 2 * MANY => longest.min(1),
            count if count > MANY => longest.min(2),
            _ => longest,
        };
        let mut pending: Vec<Vec<(usize, bool)>> = vec![Vec::new()];
        for length in 0..=longest {
            let mut longer = Vec::new();
            for cube in pending {
                let named = |cube: &[(usize, bool)]| -> Cube {
                    cube.iter().map(|(at, value)| (candidates[*at], *value)).collect()
                };
                let has = |known: &Cube| {
                    let holds = |(formula, value): &(Term, bool)| {
                        cube.iter().any(|(at, of)| candidates[*at] == *formula && of == value)
                    };
                    known.iter().all(holds)
                };
                if cubes.iter().any(has) {
                    continue;
                }
                let is_refuted = models.iter().any(|model| cube.iter().all(|(at, value)| model[*at] == *value));
                let is_asked = cube.is_empty() || cube.iter().any(|(at, _)| is_new(&candidates[*at]));
                let mut is_implied = false;
                if is_asked && !is_refuted {
                    let assumed: Vec<Term> = cube.iter().map(|(at, value)| signed(literals[*at], *value)).collect();
                    match self.solver.check_assuming(Purpose::Abstraction, &assumed)? {
                        Answer::Unsat => is_implied = true,
                        Answer::Sat => {
                            let model = self.solver.model()?;
                            let value = |literal: &Term| {
                                let value = model.value(*literal).ok().and_then(|value| value.as_bool());
                                value.unwrap_or(false)
                            };
                            models.push(literals.iter().map(value).collect());
                        }
                        Answer::Unknown(_) => {}
                    }
                }
                if is_implied {
                    cubes.push(named(&cube));
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
        Ok(cubes)
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
                let literal = Function::constant(name.as_str(), Sort::Bool).apply([]);
                self.solver.assert(term::equal(literal, *formula))?;
                let literal = signed(literal, value(*bit));
                blamed.push((
                    literal,
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
        let answer = self.solver.check_assuming(Purpose::Constrain, &assumed)?;
        let core = match answer {
            Answer::Unsat => {
                let core = self.solver.unsat_core()?;
                Some(minimise_core(self.solver.as_mut(), Purpose::Constrain, core)?)
            }
            Answer::Sat | Answer::Unknown(_) => None,
        };
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

fn signed(literal: Term, value: bool) -> Term {
    if value { literal } else { term::not(literal) }
}

/// The cone of relevance: the candidates that speak of what the goal speaks of, or of what such a candidate speaks of.
fn relevant(candidates: &[Term], condition: Term, goal: Term) -> Vec<Term> {
    let mut cells = functions_of(goal);
    cells.extend(functions_of(condition));
    let mut rest: Vec<(Term, BTreeSet<Function>)> = Vec::new();
    for candidate in candidates {
        if rest.iter().all(|(known, _)| known != candidate) {
            rest.push((*candidate, functions_of(*candidate)));
        }
    }
    let mut found: BTreeSet<Term> = BTreeSet::new();
    loop {
        let before = found.len();
        for (candidate, of) in &rest {
            if !found.contains(candidate) && !of.is_disjoint(&cells) {
                found.insert(*candidate);
                cells.extend(of.iter().copied());
            }
        }
        if found.len() == before {
            break;
        }
    }
    let in_order = rest.into_iter().map(|(candidate, _)| candidate);
    in_order.filter(|candidate| found.contains(candidate)).collect()
}
