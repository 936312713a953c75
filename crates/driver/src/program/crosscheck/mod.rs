//! The system of a program against runs of it, before a proof about the system is believed.
//!
//! Random runs never pass a guard such as `x - y == 98765 && x + 2 * y == 949766`: what is wrong behind it would meet
//! no run. So for places of the program that no run has passed, the solver is asked for inputs that lead there, along
//! rules that some run has taken; and the second reading of programs (`interpret::flat`) runs on them. Every step of
//! every run is compared with the system, and every rule between two cut points ([`follow`]). What disagrees is a
//! mistake of Cubist, never a verdict.

mod follow;

pub use follow::CrossChecked;

use super::Question;
use crate::context::Context;
use follow::Follower;
use interpret::flat::{Flat, FlatOptions};
use interpret::{Inputs, RandomInputs, Request};
use logic::{Function, Sort, Substitution, Term, Value, term};
use smt::{Answer, Model, Purpose, Solver};
use std::collections::{BTreeMap, BTreeSet};
use system::transition::TransitionSystem;
use unfold::back::{Values, concretize};
use unfold::stepwise::{NodeCondition, node_conditions};
use unfold::{Node, Undefinedness, Unfolded};

/// How many random runs are followed, and for how many steps.
const RUNS: u64 = 4;
const STEPS: usize = 600;
/// How often the solver is asked for inputs, how hard that may be, and how many rules lead there at most.
const ASKED: usize = 12;
const RESOURCES: u32 = 600_000;
const LONGEST: usize = 12;
/// Larger programs have blocks that take too long to go through once more.
const LARGEST: usize = 1_000;

/// Given values, and random ones behind them.
struct Led {
    values: std::vec::IntoIter<i128>,
    rest: RandomInputs,
}

impl Inputs for Led {
    fn next(&mut self, request: Request<'_>) -> Option<i128> {
        self.values.next().or_else(|| self.rest.next(request))
    }
}

/// Compares the system with runs. What they disagree about is told.
pub fn cross_check(
    question: &Question,
    unfolded: &Unfolded,
    system: &TransitionSystem,
    context: &Context,
) -> Result<CrossChecked, String> {
    // There is no arithmetic without end in a machine.
    if question.undefined == Undefinedness::Unbounded {
        return Ok(CrossChecked::default());
    }
    let options = FlatOptions {
        asks: true,
        is_strict: question.undefined == Undefinedness::Absent,
    };
    let mut follower = Follower::new(unfolded, system, &context.uncounted().solvers);
    let run = |follower: &mut Follower, values: Vec<i128>, seed: u64| {
        let mut inputs = Led {
            values: values.into_iter(),
            rest: RandomInputs::new(seed, Vec::new()),
        };
        match Flat::new(question.program, &mut inputs, options) {
            Ok(mut flat) => {
                let followed = follower.follow(&mut flat, STEPS);
                followed.map_err(|what| format!("{what}, in the run with the inputs {:?}", flat.given))
            }
            Err(_) => Ok(()),
        }
    };
    for seed in 0..RUNS {
        run(&mut follower, Vec::new(), seed)?;
    }
    let mut asked = 0;
    let mut looked: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
    let is_over = || context.stopped().is_some();
    while !is_over() && asked < ASKED && unfolded.locations <= LARGEST {
        let Some((cut, way)) = next_cut(&follower, &looked) else {
            break;
        };
        let mut path = Path::new(unfolded, system, &way, context);
        looked.insert((cut, way));
        for place in targets(node_conditions(unfolded, cut, &is_over)) {
            if follower.passed.contains(&place.node) {
                continue;
            }
            if asked >= ASKED || is_over() {
                break;
            }
            asked += 1;
            if let Some(inputs) = path.as_mut().and_then(|path| path.inputs(&place)) {
                follower.checked.led += 1;
                run(&mut follower, inputs, asked as u64)?;
            }
        }
    }
    follower.checked.passed = follower.passed.len();
    follower.checked.places = unfolded.locations;
    Ok(follower.checked)
}

/// A cut point that some run has passed, with a way there that was not looked at.
fn next_cut(follower: &Follower, looked: &BTreeSet<(usize, Vec<usize>)>) -> Option<(usize, Vec<usize>)> {
    let ways = follower.ways_out.iter().chain(&follower.ways);
    let new = ways.map(|(cut, way)| (*cut, way.clone()));
    let new = new.filter(|found| !looked.contains(found) && found.1.len() <= LONGEST);
    new.min_by_key(|(_, way)| way.len())
}

/// The last places first: who gets there has passed what lies before.
fn targets(mut places: Vec<NodeCondition>) -> Vec<NodeCondition> {
    places.retain(|place| matches!(place.node, Node::At(..)));
    places.reverse();
    places
}

/// Runs along certain rules, as a formula.
struct Path<'u> {
    unfolded: &'u Unfolded<'u>,
    system: &'u TransitionSystem,
    solver: Box<dyn Solver>,
    rules: Vec<usize>,
}

impl<'u> Path<'u> {
    fn new(
        unfolded: &'u Unfolded<'u>,
        system: &'u TransitionSystem,
        way: &[usize],
        context: &Context,
    ) -> Option<Path<'u>> {
        let mut path = Path {
            unfolded,
            system,
            solver: context.uncounted().solvers.with_resources(RESOURCES).solver().ok()?,
            rules: Vec::new(),
        };
        for pair in way.windows(2) {
            let name = format!("{} to {}", pair[0], pair[1]);
            path.rules.push(system.rules.iter().position(|rule| rule.name == name)?);
        }
        path.assert().ok()?;
        Some(path)
    }

    fn assert(&mut self) -> Result<(), smt::SolverError> {
        let system = self.system;
        let first = self.at(0);
        for start in system.starts.iter().take(1) {
            for update in &start.updates {
                let value = first.apply(update.function.apply([]));
                self.solver.assert(term::equal(value, update.value))?;
            }
        }
        for fact in system.type_facts.iter().chain(&system.axioms) {
            self.solver.assert(first.apply(fact.formula))?;
        }
        for (depth, number) in self.rules.clone().into_iter().enumerate() {
            let rule = &system.rules[number];
            let (before, after) = (self.at(depth), self.at(depth + 1));
            self.solver.assert(before.apply(rule.guard))?;
            for symbol in &system.state {
                let function = symbol.function;
                let update = rule.updates.iter().find(|update| update.function == function);
                let value = update.map_or_else(|| function.apply([]), |update| update.value);
                let value = before.apply(value);
                self.solver
                    .assert(term::equal(after.apply(function.apply([])), value))?;
            }
        }
        Ok(())
    }

    /// Symbols after so many rules.
    fn at(&self, depth: usize) -> Substitution {
        let choices = self
            .rules
            .get(depth)
            .map_or(&[][..], |rule| &self.system.rules[*rule].choices);
        let state = self.system.state.iter().map(|symbol| &symbol.function);
        let functions = state.chain(choices);
        Substitution::of_constants(functions.map(|function| (*function, copy(*function, depth))))
    }

    /// Inputs that lead to a place behind these rules.
    fn inputs(&mut self, place: &NodeCondition) -> Option<Vec<i128>> {
        let last = self.rules.len();
        let state = self.system.state.iter().map(|symbol| symbol.function);
        let choices = place.choices.iter().map(|(function, _)| *function);
        let put = Substitution::of_constants(state.chain(choices).map(|function| (function, copy(function, last))));
        self.solver.push().ok()?;
        let ranges = place.choices.iter().map(|(_, range)| *range);
        let goal = put.apply(term::and([place.condition].into_iter().chain(ranges)));
        let asserted = self.solver.assert(goal);
        let answer = asserted.and_then(|()| self.solver.check(Purpose::Bounded));
        let found = match answer {
            Ok(Answer::Sat) => self.solver.model().ok().map(|model| self.walked(&*model, place)),
            _ => None,
        };
        self.solver.pop().ok()?;
        found
    }

    fn walked(&self, model: &dyn Model, place: &NodeCondition) -> Vec<i128> {
        let rigid: Vec<Function> = self.system.rigid.iter().map(|symbol| symbol.function).collect();
        let mut run: Vec<Values> = Vec::new();
        for depth in 0..=self.rules.len() {
            let choices: Vec<Function> = match self.rules.get(depth) {
                Some(rule) => self.system.rules[*rule].choices.clone(),
                None => place.choices.iter().map(|(function, _)| *function).collect(),
            };
            let mut values: BTreeMap<Function, i128> = BTreeMap::new();
            let copies = choices.iter().map(|function| (*function, copy(*function, depth)));
            let fixed = rigid.iter().map(|function| (*function, function.apply([])));
            for (function, term) in copies.chain(fixed) {
                if let Ok(Value::Int(value)) = model.value(term) {
                    values.insert(function, value);
                }
            }
            run.push(values);
        }
        concretize(self.unfolded, &run).asked
    }
}

fn copy(function: Function, depth: usize) -> Term {
    let name = format!("{} @{depth}", function.name());
    let sort: Sort = function.result();
    Function::constant(name.as_str(), sort).apply([])
}
