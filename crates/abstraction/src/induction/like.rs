//! All states that are like one of a universe: its elements become variables.

use super::matters::Matters;
use crate::finite::{Cell, Universe};
use logic::{Function, Kind, Sort, Term, Value, Variable, term};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::Symbol;

/// The symbol that a cell is of.
pub(super) fn symbol<'s>(system: &'s TransitionSystem, cell: &Cell) -> Option<&'s Symbol> {
    let mut symbols = system.state.iter().chain(&system.rigid);
    symbols.find(|symbol| symbol.function.name() == cell.function.name())
}

/// The states that agree with the first one in what matters, up to renaming of elements: a closed formula. It also
/// says which parameters of the rule are different elements.
pub(super) fn like(
    system: &TransitionSystem,
    universe: &Universe,
    parameters: &[(Variable, Term)],
    matters: &Matters,
) -> Term {
    let mut elements = Elements {
        system,
        universe,
        variables: BTreeSet::new(),
    };
    for (_, value) in parameters {
        elements.term(*value);
    }
    let mut parts = Vec::new();
    for (cell, value) in matters.first() {
        let arguments: Vec<Term> = cell.arguments.iter().map(|argument| elements.term(*argument)).collect();
        let value = match value {
            Value::Bool(value) => term::bool(*value),
            Value::Int(number) => term::int(*number),
            Value::Real(number) => term::real(*number),
            Value::Enumerator(sort, position) => elements.term(term::enumerator(*sort, *position as usize)),
            Value::Bits(_) | Value::Index(..) | Value::List(_) => continue,
        };
        if let Some(symbol) = symbol(system, cell) {
            parts.push(term::equal(symbol.function.apply(arguments), value));
        }
    }
    let variables = elements.variables.clone();
    parts.extend(elements.relations());
    term::exists(
        variables.into_iter().map(|(_, _, v)| v).collect::<Vec<_>>(),
        term::and(parts),
    )
}

/// Elements of a universe as variables, or as the constants that they are.
struct Elements<'e> {
    system: &'e TransitionSystem,
    universe: &'e Universe,
    /// By sort and position.
    variables: BTreeSet<(Sort, u32, Variable)>,
}

impl Elements<'_> {
    fn term(&mut self, value: Term) -> Term {
        let Kind::Enumerator(values, position) = value.kind() else {
            return value;
        };
        let Some(sort) = self.universe.index_sort(*values) else {
            return value;
        };
        let constants = self.constants(sort);
        if let Some((constant, _)) = constants.into_iter().find(|(_, of)| of == position) {
            return constant;
        }
        let variable = Variable::new(values.values()[*position as usize], sort);
        self.variables.insert((sort, *position, variable));
        variable.term()
    }

    fn constants(&self, sort: Sort) -> Vec<(Term, u32)> {
        let constants = self.system.index_sort(sort).map_or(&[][..], |sort| &sort.constants);
        let constant = |(function, position): &(Function, u64)| {
            let position = u32::try_from(*position).ok()?;
            Some((function.apply([]), position))
        };
        constants.iter().filter_map(constant).collect()
    }

    /// That they are different, and in which order where there is one.
    fn relations(&self) -> Vec<Term> {
        let mut relations = Vec::new();
        for (sort, position, variable) in &self.variables {
            let others = self
                .variables
                .iter()
                .filter(|(of, before, _)| of == sort && before < position);
            let others = others.map(|(_, before, variable)| (variable.term(), *before));
            for (other, before) in others.chain(self.constants(*sort)) {
                relations.push(term::distinct(other, variable.term()));
                if let Some(less) = self.system.index_sort(*sort).and_then(|sort| sort.order) {
                    let (low, high) = match before < *position {
                        true => (other, variable.term()),
                        false => (variable.term(), other),
                    };
                    relations.push(less.apply([low, high]));
                }
            }
        }
        relations
    }
}
