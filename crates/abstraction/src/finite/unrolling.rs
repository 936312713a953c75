//! Steps of a system in a universe, one after the other, in one solver.
//!
//! Every instance of a rule has a selector at every moment, and exactly one is taken. What the instance does to a cell
//! is said under its selector; a cell keeps its value unless an instance that changes it is taken.

use super::encode::{Encoder, at_most_one, tuples};
use super::ground::Ground;
use super::survey::{cells, has_list, has_numbers, window};
use super::{Cell, Universe, Unsuited, Window};
use deduction::parameters::values_of_parameter;
use logic::{Cancellation, Function, Kind, Sort, Substitution, Term, Value, Variable, term};
use smt::{Answer, Model, Purpose, Solver, SolverError, Solvers};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::Rule;

/// Rules with more instances than this, together, are not unrolled.
const INSTANCES: usize = 4_000;

/// Windows in which the numbers of a model are looked for: small ones are what people like to see, and an instance with
/// few is soon replayed.
const SMALL: [Window; 7] = [
    (0, 1),
    (0, 3),
    (-2, 5),
    (-8, 8),
    (-20, 40),
    (-200, 200),
    (-2_000, 2_000),
];

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    Unsuited(Unsuited),
    Solver(SolverError),
}

impl From<Unsuited> for Failure {
    fn from(unsuited: Unsuited) -> Failure {
        Failure::Unsuited(unsuited)
    }
}

impl From<SolverError> for Failure {
    fn from(error: SolverError) -> Failure {
        Failure::Solver(error)
    }
}

/// A start or a rule for certain values of its parameters.
pub(crate) struct Instance {
    /// As a position in the system.
    pub(crate) rule: usize,
    /// Numbers may be symbols.
    pub(crate) parameters: Vec<(Variable, Term)>,
    guard: Term,
    constraint: Term,
    /// By the number of the cell.
    changes: Vec<(usize, Term)>,
}

/// See the module.
pub(crate) struct Unrolling {
    pub(crate) universe: Universe,
    pub(crate) starts: Vec<Instance>,
    pub(crate) rules: Vec<Instance>,
    /// Those of the state.
    pub(crate) cells: Vec<Cell>,
    /// Those of rigid symbols.
    pub(crate) rigid: Vec<Cell>,
    /// Cells that some rule changes, by number: which instances.
    changers: Vec<Vec<usize>>,
    choices: BTreeSet<Function>,
    type_facts: Vec<Term>,
    encoder: Encoder,
    ground: Ground,
    solver: Box<dyn Solver>,
    purpose: Purpose,
    cancellation: Cancellation,
}

impl Unrolling {
    pub(crate) fn new(
        system: &TransitionSystem,
        universe: Universe,
        solvers: &Solvers,
        purpose: Purpose,
    ) -> Result<Unrolling, Failure> {
        let all = system.rigid.iter().chain(&system.state).map(|symbol| symbol.function);
        let choices = system.starts.iter().chain(&system.rules).flat_map(|rule| &rule.choices);
        if all.chain(choices.copied()).any(has_list) {
            return Err(Unsuited::Sorts.into());
        }
        let system = universe.system(system);
        let window = window(&system);
        let changed = system.rules.iter().flat_map(|rule| &rule.updates).map(|u| u.function);
        let changed: BTreeSet<Function> = changed.collect();
        let symbols = system.rigid.iter().chain(&system.state).map(|symbol| symbol.function);
        let constant = symbols.filter(|function| !changed.contains(function)).collect();
        let steps = system.starts.iter().chain(&system.rules);
        let choices: BTreeSet<Function> = steps.flat_map(|rule| &rule.choices).copied().collect();
        let functions = system.rigid.iter().chain(&system.state).map(|symbol| symbol.function);
        let mut indices = functions.chain(choices.iter().copied()).flat_map(Function::parameters);
        let has_integer_indices = indices.any(|sort| *sort == Sort::Int);
        let mut unrolling = Unrolling {
            universe,
            starts: Vec::new(),
            rules: Vec::new(),
            cells: cells(&system.state, window)?,
            rigid: cells(&system.rigid, window)?,
            changers: Vec::new(),
            choices,
            type_facts: Vec::new(),
            encoder: Encoder::new(window, constant, has_integer_indices),
            ground: Ground::new(window, solvers.cancellation()),
            solver: solvers.propositional(!has_numbers(&system)).solver()?,
            purpose,
            cancellation: solvers.cancellation().clone(),
        };
        unrolling.starts = unrolling.instances(&system.starts, "start")?;
        unrolling.rules = unrolling.instances(&system.rules, "rule")?;
        unrolling.changers = vec![Vec::new(); unrolling.cells.len()];
        for (number, instance) in unrolling.rules.iter().enumerate() {
            for (cell, _) in &instance.changes {
                unrolling.changers[*cell].push(number);
            }
        }
        for axiom in &system.axioms {
            let axiom = unrolling.ground.formula(axiom.formula)?;
            unrolling.say(axiom, 0)?;
        }
        for fact in &system.type_facts {
            let fact = unrolling.ground.formula(fact.formula)?;
            unrolling.type_facts.push(fact);
        }
        Ok(unrolling)
    }

    fn instances(&mut self, rules: &[Rule], kind: &str) -> Result<Vec<Instance>, Unsuited> {
        let mut instances = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            let mut assignments: Vec<Vec<(Variable, Term)>> = vec![Vec::new()];
            for parameter in &rule.parameters {
                let local =
                    || Function::constant(format!("{kind} {number}.{}", parameter.name).as_str(), parameter.sort);
                let values = match values_of_parameter(*parameter, rule.guard) {
                    Some(values) => values,
                    None => vec![local().apply([])],
                };
                if assignments.len().saturating_mul(values.len()) > INSTANCES {
                    return Err(Unsuited::TooLarge);
                }
                let longer = assignments.iter().flat_map(|assignment| {
                    let longer = |value| assignment.iter().copied().chain([(*parameter, value)]).collect();
                    values.iter().copied().map(longer)
                });
                assignments = longer.collect();
            }
            for assignment in assignments {
                instances.extend(self.instance(number, rule, assignment)?);
                if instances.len() > INSTANCES {
                    return Err(Unsuited::TooLarge);
                }
            }
        }
        Ok(instances)
    }

    /// None where the guard cannot hold.
    fn instance(
        &mut self,
        number: usize,
        rule: &Rule,
        parameters: Vec<(Variable, Term)>,
    ) -> Result<Option<Instance>, Unsuited> {
        if self.cancellation.is_cancelled() {
            return Err(Unsuited::Cancelled);
        }
        let values = Substitution::of_variables(parameters.iter().copied());
        let guard = self.ground.formula(values.apply(rule.guard))?;
        if guard.is_false() {
            return Ok(None);
        }
        let mut changes = Vec::new();
        for update in &rule.updates {
            let value = values.apply(update.value);
            for cell in 0..self.cells.len() {
                if self.cells[cell].function != update.function {
                    continue;
                }
                let arguments = self.cells[cell].arguments.iter().copied();
                let arguments = Substitution::of_variables(update.parameters.iter().copied().zip(arguments));
                let value = self.ground.term(arguments.apply(value))?;
                if value != self.cells[cell].term() {
                    changes.push((cell, value));
                }
            }
        }
        Ok(Some(Instance {
            rule: number,
            guard,
            constraint: self.ground.formula(values.apply(rule.constraint))?,
            changes,
            parameters,
        }))
    }

    /// Whether a model may be wrong, since universal formulas about integers were written out for a few of them.
    pub(crate) fn is_cut(&self) -> bool {
        self.ground.is_cut
    }

    pub(crate) fn assert(&mut self, formula: Term) -> Result<(), Failure> {
        Ok(self.solver.assert(formula)?)
    }

    /// What is ground holds at the moment.
    fn say(&mut self, ground: Term, moment: usize) -> Result<(), Failure> {
        let code = self.encoder.formula(ground, moment)?;
        self.assert(code)
    }

    /// A formula of the system at the moment, to be asserted: existential integers have constants.
    pub(crate) fn formula(&mut self, formula: Term, moment: usize) -> Result<Term, Failure> {
        let formula = self.universe.term(formula);
        let ground = self.ground.formula(formula)?;
        let code = self.encoder.formula(ground, moment)?;
        let within = self.encoder.within(ground, moment)?;
        Ok(term::and([within, code]))
    }

    /// The same where indices may lie outside of the window.
    pub(crate) fn anywhere(&mut self, formula: Term, moment: usize) -> Result<Term, Failure> {
        let formula = self.universe.term(formula);
        let ground = self.ground.formula(formula)?;
        Ok(self.encoder.formula(ground, moment)?)
    }

    /// The guard of an instance of a rule at the first moment, and what each cell is after it.
    pub(crate) fn taking(&mut self, instance: usize) -> Result<(Term, Vec<Term>), Failure> {
        let guard = self.encoder.formula(self.rules[instance].guard, 0)?;
        let changes = self.rules[instance].changes.clone();
        let mut values: Vec<Term> = self.cells.iter().map(Cell::term).collect();
        for (cell, value) in changes {
            values[cell] = value;
        }
        let mut effects = Vec::new();
        for (number, value) in values.into_iter().enumerate() {
            let cell = self.cells[number].clone();
            let after = self.encoder.symbol(&cell, 1)?;
            let value = self.encoder.code(value, 0)?;
            effects.extend(
                after
                    .into_iter()
                    .zip(value)
                    .map(|(after, value)| term::equal(after, value)),
            );
        }
        Ok((guard, effects))
    }

    pub(crate) fn selector(&self, instance: usize, moment: usize) -> Term {
        Function::constant(format!("rule {instance}@{moment}").as_str(), Sort::Bool).apply([])
    }

    pub(crate) fn start_selector(&self, instance: usize) -> Term {
        Function::constant(format!("start {instance}").as_str(), Sort::Bool).apply([])
    }

    /// The first state is one that fits the types.
    pub(crate) fn any_state(&mut self) -> Result<(), Failure> {
        self.types(0)
    }

    fn types(&mut self, moment: usize) -> Result<(), Failure> {
        for fact in self.type_facts.clone() {
            self.say(fact, moment)?;
        }
        Ok(())
    }

    /// The first state is one that a start makes.
    pub(crate) fn start(&mut self) -> Result<(), Failure> {
        let selectors: Vec<Term> = (0..self.starts.len()).map(|n| self.start_selector(n)).collect();
        let starts = std::mem::take(&mut self.starts);
        let made = starts.iter().zip(&selectors).try_for_each(|(start, selector)| {
            self.take(start, *selector, 0, 0)?;
            let constraint = self.encoder.formula(start.constraint, 0)?;
            self.assert(term::implies(*selector, constraint))
        });
        self.starts = starts;
        made?;
        self.assert(term::or(selectors))?;
        self.types(0)
    }

    /// The rules lead from this moment to the next.
    pub(crate) fn step(&mut self, moment: usize) -> Result<(), Failure> {
        let selectors: Vec<Term> = (0..self.rules.len()).map(|n| self.selector(n, moment)).collect();
        for formula in at_most_one(&selectors, &format!("taken@{moment}")) {
            self.assert(formula)?;
        }
        let rules = std::mem::take(&mut self.rules);
        let mut taken = rules.iter().zip(&selectors);
        let made = taken.try_for_each(|(rule, selector)| self.take(rule, *selector, moment, moment + 1));
        self.rules = rules;
        made?;
        self.assert(term::or(selectors.iter().copied()))?;
        for cell in 0..self.cells.len() {
            let changed = term::or(self.changers[cell].iter().map(|n| selectors[*n]));
            let cell = self.cells[cell].clone();
            let (before, after) = (
                self.encoder.symbol(&cell, moment)?,
                self.encoder.symbol(&cell, moment + 1)?,
            );
            for (before, after) in before.into_iter().zip(after) {
                self.assert(term::or([changed, term::equal(before, after)]))?;
            }
        }
        self.types(moment + 1)
    }

    /// Where the selector holds, the guard does before, and each cell that the instance changes has its new value
    /// after.
    fn take(&mut self, instance: &Instance, selector: Term, before: usize, after: usize) -> Result<(), Failure> {
        if self.cancellation.is_cancelled() {
            return Err(Unsuited::Cancelled.into());
        }
        let mut parts = vec![self.encoder.formula(instance.guard, before)?];
        parts.push(self.encoder.within(instance.guard, before)?);
        for (cell, value) in &instance.changes {
            parts.push(self.encoder.within(*value, before)?);
            let value = self.encoder.code(*value, before)?;
            let cell = self.cells[*cell].clone();
            let next = self.encoder.symbol(&cell, after)?;
            parts.extend(
                next.into_iter()
                    .zip(value)
                    .map(|(next, value)| term::equal(next, value)),
            );
        }
        parts
            .into_iter()
            .try_for_each(|part| self.assert(term::implies(selector, part)))
    }

    pub(crate) fn check(&mut self, assumptions: &[Term]) -> Result<Answer, SolverError> {
        // Of whatever was written since the last time.
        for fresh in self.encoder.take_fresh() {
            self.solver.assert(fresh)?;
        }
        self.solver.check_assuming(self.purpose, assumptions)
    }

    pub(crate) fn core(&mut self) -> Result<Vec<Term>, SolverError> {
        self.solver.unsat_core()
    }

    /// The model of the last check, which was made under these assumptions; one with small numbers up to this moment,
    /// where that can be had.
    pub(crate) fn small_model(&mut self, assumptions: &[Term], last: usize) -> Result<Box<dyn Model>, Failure> {
        let model = self.solver.model()?;
        let mut numbers = Vec::new();
        for moment in 0..=last {
            numbers.extend(self.numbers(moment)?);
        }
        for (low, high) in SMALL.iter().filter(|_| !numbers.is_empty()) {
            let between = |number: &Term| {
                let above = term::less_equal(term::int(*low), *number);
                term::and([above, term::less_equal(*number, term::int(*high))])
            };
            let window = term::and(numbers.iter().map(between));
            let assumptions: Vec<Term> = assumptions.iter().copied().chain([window]).collect();
            if self.check(&assumptions)? == Answer::Sat {
                return Ok(self.solver.model()?);
            }
        }
        Ok(model)
    }

    pub(crate) fn value(
        &mut self,
        cell: &Cell,
        moment: usize,
        model: &dyn Model,
    ) -> Result<Option<Value>, SolverError> {
        self.encoder.value(cell, moment, model)
    }

    /// That the cell has this value at the moment.
    pub(crate) fn has_value(&mut self, cell: &Cell, moment: usize, value: &Value) -> Result<Term, Failure> {
        let code = self.encoder.symbol(cell, moment)?;
        Ok(match value {
            Value::Enumerator(_, position) => {
                let position = *position as usize;
                let is = |(number, is): (usize, &Term)| if number == position { *is } else { term::not(*is) };
                term::and(code.iter().enumerate().map(is))
            }
            Value::Bool(true) => code[0],
            Value::Bool(false) => term::not(code[0]),
            Value::Int(number) => term::equal(code[0], term::int(*number)),
            Value::Real(number) => term::equal(code[0], term::real(*number)),
            Value::Bits(_) | Value::Index(..) | Value::List(_) => return Err(Unsuited::Sorts.into()),
        })
    }

    /// The numbers at a moment: cells of the state, and what was picked there, a parameter or a choice.
    pub(crate) fn numbers(&mut self, moment: usize) -> Result<Vec<Term>, Failure> {
        let mut numbers = Vec::new();
        let mut cells: Vec<Cell> = self.cells.clone();
        cells.extend(self.picked(moment)?);
        for cell in cells.iter().filter(|cell| cell.function.result() == Sort::Int) {
            numbers.extend(self.encoder.symbol(cell, moment)?);
        }
        Ok(numbers)
    }

    /// What the instances pick at a moment, and what exists then.
    pub(crate) fn picked(&self, moment: usize) -> Result<Vec<Cell>, Unsuited> {
        let mut picked = Vec::new();
        for choice in &self.choices {
            let cells = tuples(choice.parameters(), self.encoder.window())?.into_iter();
            picked.extend(cells.map(|arguments| Cell {
                function: *choice,
                arguments,
            }));
        }
        let instances = if moment == 0 { &self.starts[..] } else { &[] };
        let parameters = instances.iter().chain(&self.rules).flat_map(|i| &i.parameters);
        let symbols: BTreeSet<Function> = parameters
            .filter_map(|(_, value)| match value.kind() {
                Kind::Apply(function, _) => Some(*function),
                _ => None,
            })
            .collect();
        let symbols = symbols.iter().chain(&self.ground.witnesses).copied();
        picked.extend(symbols.map(|function| Cell {
            function,
            arguments: Vec::new(),
        }));
        Ok(picked)
    }
}
