//! Steps that break a formula, in universes of a few elements.

use super::like::{like, symbol};
use super::matters::Matters;
use super::{BreakingStep, PlaceValues, Settings};
use crate::finite::{Cell, Failure, Universe, Unrolling, Unsuited};
use logic::{Function, Kind, Sort, Term, Value, Variable, term};
use smt::{Answer, Model, Purpose, SolverError};
use std::collections::BTreeMap;
use system::TransitionSystem;

pub(super) enum Looked {
    Found(Box<BreakingStep>),
    Nothing,
    Unsuited(Unsuited),
}

/// One universe for each size, made when it is needed: one step from any state, and one initial state.
pub(super) struct Steps<'s> {
    system: &'s TransitionSystem,
    /// What holds before; the formulas that are asked about come first.
    facts: Vec<Term>,
    settings: &'s Settings<'s>,
    between: BTreeMap<u32, Unrolling>,
    initial: BTreeMap<u32, Unrolling>,
    unsuited: Option<Unsuited>,
}

/// That a formula fails.
fn failing(formula: usize) -> Term {
    Function::constant(format!("fails {formula}").as_str(), Sort::Bool).apply([])
}

impl<'s> Steps<'s> {
    pub(super) fn new(system: &'s TransitionSystem, facts: Vec<Term>, settings: &'s Settings<'s>) -> Steps<'s> {
        Steps {
            system,
            facts,
            settings,
            between: BTreeMap::new(),
            initial: BTreeMap::new(),
            unsuited: None,
        }
    }

    /// A step by the rule, or a state that the start makes, after which the formula does not hold.
    pub(super) fn look(&mut self, rule: usize, is_start: bool, formula: usize) -> Result<Looked, SolverError> {
        let sizes = match self.system.index_sorts.is_empty() {
            true => &[1],
            false => self.settings.sizes,
        };
        for size in sizes {
            if self.unsuited.is_some() {
                break;
            }
            let found = match is_start {
                true => self.initial_in(*size, rule, formula),
                false => self.step_in(*size, rule, formula),
            };
            match found {
                Ok(Some(step)) => return Ok(Looked::Found(Box::new(step))),
                Ok(None) => {}
                Err(Failure::Solver(error)) => return Err(error),
                Err(Failure::Unsuited(unsuited)) => self.unsuited = Some(unsuited),
            }
        }
        Ok(self.unsuited.map_or(Looked::Nothing, Looked::Unsuited))
    }

    fn unrolling(&self, size: u32) -> Result<Unrolling, Failure> {
        let universe = Universe::new(self.system, size);
        Unrolling::new(self.system, universe, self.settings.solvers, Purpose::Induction)
    }

    fn initial_in(&mut self, size: u32, start: usize, formula: usize) -> Result<Option<BreakingStep>, Failure> {
        self.make_initial(size)?;
        let fact = self.facts[formula];
        let Some(unrolling) = self.initial.get_mut(&size) else {
            return Ok(None);
        };
        let instances = (0..unrolling.starts.len()).filter(|n| unrolling.starts[*n].rule == start);
        let selectors: Vec<(usize, Term)> = instances.map(|n| (n, unrolling.start_selector(n))).collect();
        let fails = unrolling.formula(term::not(fact), 0)?;
        let assumptions = [term::or(selectors.iter().map(|(_, selector)| *selector)), fails];
        if unrolling.check(&assumptions)? != Answer::Sat {
            return Ok(None);
        }
        let model = unrolling.small_model(&assumptions, 0)?;
        let Some(instance) = taken(&selectors, model.as_ref())? else {
            return Ok(None);
        };
        let parameters = unrolling.starts[instance].parameters.clone();
        let parameters = self::parameters(unrolling, &parameters, model.as_ref())?;
        let mut matters = Matters::new(unrolling, self.settings.solvers, model.as_ref(), 0)?;
        matters.fails(unrolling, fact, 0)?;
        let is_certain = !unrolling.is_cut() && !self.system.is_approximate(&self.system.starts[start]);
        let sizes = unrolling.universe.sizes();
        let like = like(self.system, &unrolling.universe, &[], &matters);
        Ok(Some(BreakingStep {
            sizes,
            parameters,
            places: places(self.system, &matters),
            like,
            is_initial: true,
            is_certain,
        }))
    }

    fn make_initial(&mut self, size: u32) -> Result<(), Failure> {
        if !self.initial.contains_key(&size) {
            let mut unrolling = self.unrolling(size)?;
            unrolling.start()?;
            self.initial.insert(size, unrolling);
        }
        Ok(())
    }

    fn make_between(&mut self, size: u32) -> Result<(), Failure> {
        if self.between.contains_key(&size) {
            return Ok(());
        }
        let mut unrolling = self.unrolling(size)?;
        unrolling.any_state()?;
        for fact in &self.facts {
            let fact = unrolling.anywhere(*fact, 0)?;
            unrolling.assert(fact)?;
        }
        unrolling.step(0)?;
        self.between.insert(size, unrolling);
        Ok(())
    }

    fn step_in(&mut self, size: u32, rule: usize, formula: usize) -> Result<Option<BreakingStep>, Failure> {
        self.make_between(size)?;
        let fact = self.facts[formula];
        let Some(unrolling) = self.between.get_mut(&size) else {
            return Ok(None);
        };
        let instances = (0..unrolling.rules.len()).filter(|n| unrolling.rules[*n].rule == rule);
        let selectors: Vec<(usize, Term)> = instances.map(|n| (n, unrolling.selector(n, 0))).collect();
        let fails = unrolling.formula(term::not(fact), 1)?;
        unrolling.assert(term::implies(failing(formula), fails))?;
        let is_taken = term::or(selectors.iter().map(|(_, selector)| *selector));
        let assumptions = [is_taken, failing(formula)];
        if unrolling.check(&assumptions)? != Answer::Sat {
            return Ok(None);
        }
        let model = unrolling.small_model(&assumptions, 1)?;
        let Some(instance) = taken(&selectors, model.as_ref())? else {
            return Ok(None);
        };
        let values = unrolling.rules[instance].parameters.clone();
        let parameters = self::parameters(unrolling, &values, model.as_ref())?;
        let mut matters = Matters::new(unrolling, self.settings.solvers, model.as_ref(), 1)?;
        matters.fails(unrolling, fact, 1)?;
        matters.leads_to_failure(unrolling, instance, fact)?;
        let is_certain = !unrolling.is_cut() && !self.system.is_approximate(&self.system.rules[rule]);
        let sizes = unrolling.universe.sizes();
        let like = like(self.system, &unrolling.universe, &values, &matters);
        let places = places(self.system, &matters);
        Ok(Some(BreakingStep {
            sizes,
            parameters,
            places,
            like,
            is_initial: self.is_initial(size, &matters)?,
            is_certain,
        }))
    }

    /// Whether for certain an initial state agrees with the state before in what matters.
    fn is_initial(&mut self, size: u32, matters: &Matters) -> Result<bool, Failure> {
        if self.system.starts.iter().any(|start| self.system.is_approximate(start)) {
            return Ok(false);
        }
        self.make_initial(size)?;
        let Some(unrolling) = self.initial.get_mut(&size) else {
            return Ok(false);
        };
        let mut assumptions = Vec::new();
        for (cell, value) in matters.first() {
            assumptions.push(unrolling.has_value(cell, 0, value)?);
        }
        Ok(!unrolling.is_cut() && unrolling.check(&assumptions)? == Answer::Sat)
    }
}

/// The places that matter, as the user writes them.
pub(super) fn places(system: &TransitionSystem, matters: &Matters) -> Vec<PlaceValues> {
    let place = |(cell, values): &(Cell, Vec<Value>)| {
        let symbol = symbol(system, cell)?;
        Some(PlaceValues {
            text: written(&symbol.display, cell),
            before: values[..matters.last].first().map(Value::to_string),
            after: values.last()?.to_string(),
        })
    };
    matters.cells().filter_map(place).collect()
}

/// The first instance whose selector holds.
fn taken(selectors: &[(usize, Term)], model: &dyn Model) -> Result<Option<usize>, SolverError> {
    for (instance, selector) in selectors {
        if model.value(*selector)?.as_bool() == Some(true) {
            return Ok(Some(*instance));
        }
    }
    Ok(None)
}

/// A place as the user writes it.
fn written(display: &str, cell: &Cell) -> String {
    let mut parts = display.split("{}");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (part, argument) in parts.zip(&cell.arguments) {
        text.push_str(&logic::pretty::pretty(*argument));
        text.push_str(part);
    }
    text
}

fn parameters(
    unrolling: &mut Unrolling,
    parameters: &[(Variable, Term)],
    model: &dyn Model,
) -> Result<Vec<(String, String)>, Failure> {
    let mut written = Vec::new();
    for (variable, value) in parameters {
        let value = match value.kind() {
            Kind::Apply(function, _) => {
                let cell = Cell {
                    function: *function,
                    arguments: Vec::new(),
                };
                let value: Option<Value> = unrolling.value(&cell, 0, model)?;
                value.map_or_else(String::new, |value| value.to_string())
            }
            _ => logic::pretty::pretty(*value),
        };
        written.push((variable.name.to_string(), value));
    }
    Ok(written)
}
