//! What a finite instance needs in order to replay a run: read off the model in which the run is real.

use super::discovery::unroll::Run;
use super::machine::AbstractTrace;
use deduction::Grounding;
use logic::{Function, Sort, Term, Value};
use smt::Model;
use std::collections::{BTreeMap, BTreeSet};
use system::transition::Rule;
use system::{Span, TransitionSystem};

/// Of the elements that the model has but the run does not mention, as many as fit in this size count.
const UNMENTIONED: usize = 6;
/// More cells of an array than this are not looked at.
const CELLS: usize = 1_000;

/// A concrete run of an abstract one, as plain data, to be replayed. It may be wrong where the solver's model is of
/// weaker formulas, and too small where the instance needs elements that no formula mentions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Concrete {
    /// How many elements each index sort of the system needs.
    pub sizes: Vec<(Sort, u64)>,
    /// The least and the greatest number that a state function or a choice has in the run, where there are any.
    pub numbers: Option<(i64, i64)>,
    pub start: Taken,
    pub rules: Vec<Taken>,
}

/// A start or a rule, by its name in the system and its place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    pub name: String,
    pub span: Span,
}

impl Taken {
    pub(crate) fn new(rule: &Rule) -> Taken {
        Taken {
            name: rule.name.clone(),
            span: rule.span,
        }
    }
}

impl Concrete {
    /// Reads the model of all formulas of a run, which were asserted through this grounding.
    pub(super) fn read(
        system: &TransitionSystem,
        trace: &AbstractTrace,
        grounding: &Grounding,
        model: &dyn Model,
    ) -> Concrete {
        let elements = Elements::new(grounding, model);
        let numbers: BTreeSet<i64> = terms(system, trace, &elements)
            .into_iter()
            .filter_map(|term| model.value(term).ok()?.as_int())
            .filter_map(|number| i64::try_from(number).ok())
            .collect();
        let size = |name| {
            let sort = Sort::Index(name);
            let mentioned = elements.of(sort).len();
            let universe = model.domain(sort).map_or(0, |universe| universe.len());
            (sort, mentioned.max(universe.min(UNMENTIONED)).max(1) as u64)
        };
        Concrete {
            sizes: system.index_sorts.iter().map(|sort| size(sort.name)).collect(),
            numbers: numbers.first().copied().zip(numbers.last().copied()),
            start: Taken::new(&system.starts[trace.start]),
            rules: trace
                .rules
                .iter()
                .map(|rule| Taken::new(&system.rules[*rule]))
                .collect(),
        }
    }
}

/// A term for each element of index sorts that the formulas mention.
struct Elements {
    by_sort: BTreeMap<Sort, Vec<Term>>,
}

impl Elements {
    fn new(grounding: &Grounding, model: &dyn Model) -> Elements {
        let mut seen: BTreeSet<Value> = BTreeSet::new();
        let mut by_sort: BTreeMap<Sort, Vec<Term>> = BTreeMap::new();
        for term in grounding.index_terms() {
            if model.value(term).is_ok_and(|value| seen.insert(value)) {
                by_sort.entry(term.sort()).or_default().push(term);
            }
        }
        Elements { by_sort }
    }

    fn of(&self, sort: Sort) -> &[Term] {
        self.by_sort.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// The function at all elements; nowhere where it has other parameters, or too many cells.
    fn cells(&self, function: Function) -> Vec<Term> {
        let mut tuples: Vec<Vec<Term>> = vec![Vec::new()];
        for sort in function.parameters() {
            let longer = |tuple: &Vec<Term>| {
                let tuple = tuple.clone();
                self.of(*sort)
                    .iter()
                    .map(move |next| [tuple.as_slice(), &[*next]].concat())
            };
            tuples = tuples.iter().flat_map(longer).take(CELLS).collect();
        }
        tuples.into_iter().map(|tuple| function.apply(tuple)).collect()
    }
}

/// The numbers of the run: numeric state functions in each of its states, and what its rules choose.
fn terms(system: &TransitionSystem, trace: &AbstractTrace, elements: &Elements) -> BTreeSet<Term> {
    let is_number = |function: &Function| function.result() == Sort::Int;
    let state = system.state.iter().map(|symbol| symbol.function).filter(is_number);
    let cells: Vec<Term> = state.flat_map(|function| elements.cells(function)).collect();
    let mut run = Run::new();
    run.step(&system.starts[trace.start], 0);
    let mut terms: BTreeSet<Term> = cells.iter().map(|cell| run.state.apply(*cell)).collect();
    for (number, rule) in (1..).zip(&trace.rules) {
        run.step(&system.rules[*rule], number);
        terms.extend(cells.iter().map(|cell| run.state.apply(*cell)));
    }
    let chosen = run.locals.iter().filter(|local| is_number(local));
    terms.extend(chosen.flat_map(|local| elements.cells(*local)));
    terms
}
