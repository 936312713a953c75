//! Loops over types of any size, as one simultaneous update.
//!
//! The body is run once, for a round `v` that stands for all of them, on a state of which nothing is known: every
//! component that a round changes is a new symbol. The loop is the same as doing all rounds at once where
//! - a changed component has an index that is always the round's own: `f'(u) = e(u)` for `u = v`, and `f(u)` else;
//!   or every round that changes it sets it to one and the same value, so that it is set where some round does so;
//!   or each sets it to a value of its own, and then the last one counts. A type of any size has no order, so this
//!   is any one of the rounds that set it;
//! - no round reads what another one writes.
//!
//! A local that each round sets before it reads it is a scratch variable; after the loop its value is arbitrary.
//! Anything else is reported with the place of the loop.

use super::execute::{Binding, Executor, State, identity};
use super::meaning::{Meaning, is_parameter, parameter};
use crate::model::*;
use logic::{Function, Kind, Lambda, Sort, Substitution, Term, Variable, substitute, term};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use system::Span;

/// A component of a variable or local.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    Variable(usize, usize),
    Local {
        frame: usize,
        local: usize,
        component: usize,
    },
}

/// How the rounds change a component.
enum Change {
    /// Round `v` changes it only where this parameter is `v`.
    Own(usize),
    /// A round sets it, under its condition; it does not look at what was there.
    Set {
        condition: Term,
        value: Term,
    },
    Scratch,
}

/// How much there was before the loop.
#[derive(Clone, Copy)]
struct Counts {
    assertions: usize,
    choices: usize,
    refusals: usize,
}

impl Executor<'_, '_> {
    pub(crate) fn parallel(
        &mut self,
        local: LocalId,
        variable: Variable,
        meaning: Meaning,
        body: &[Statement],
        span: Span,
    ) {
        let counts = Counts {
            assertions: self.assertions.len(),
            choices: self.choices.len(),
            refusals: self.refusals.len(),
        };
        // What was assumed until here holds in every round; each adds its own.
        let path = self.path;
        let assumed = std::mem::replace(&mut self.state.possible, term::bool(true));
        self.path = term::and([path, assumed]);
        let entry = self.state.clone();
        self.scope.push(variable);
        self.rounds.push(variable);
        self.bind(local, Binding::Value(meaning.clone()));
        let all: BTreeSet<Slot> = slots(&self.state).into_iter().collect();
        let changed: BTreeMap<Slot, Function> = {
            let symbols = self.make_unknown(&all);
            self.run(body);
            let after = |slot: Slot| lambda(&self.state, slot).map(|l| l.body);
            symbols
                .into_iter()
                .filter(|(slot, symbol)| after(*slot) != Some(identity(*symbol).body))
                .collect()
        };
        let failed = self.refusals.len() > counts.refusals;
        self.assertions.truncate(counts.assertions);
        self.choices.truncate(counts.choices);
        self.state = entry.clone();
        if !failed {
            self.bind(local, Binding::Value(meaning));
            self.all_rounds(&entry, variable, &changed.into_keys().collect(), body, span, counts);
        }
        self.scope.pop();
        self.rounds.pop();
        self.path = path;
        self.state.possible = term::and([assumed, self.state.possible]);
    }

    fn all_rounds(
        &mut self,
        entry: &State,
        variable: Variable,
        changed: &BTreeSet<Slot>,
        body: &[Statement],
        span: Span,
        counts: Counts,
    ) {
        let symbols = self.make_unknown(changed);
        self.run(body);
        if self.state.active != entry.active {
            self.state = entry.clone();
            let help = "rounds of such a loop happen at once: move the `return` out of it";
            let message = "`return` inside a loop over a type of any size";
            return self.only_of_known_size(variable.sort, span, message, help);
        }
        let after = std::mem::replace(&mut self.state, entry.clone());
        let changes: BTreeMap<Slot, (Change, Term)> = symbols
            .iter()
            .filter_map(|(slot, symbol)| {
                let result = lambda(&after, *slot)?.body;
                let changed = result != identity(*symbol).body;
                changed.then(|| (*slot, (classify(*slot, *symbol, result, variable), result)))
            })
            .collect();
        let conflict = self.conflict(&changes, &symbols, variable, counts.assertions, after.possible);
        if let Some(slot) = conflict {
            let name = self.slot_name(slot);
            let help = "the rounds of a loop over a type of any size happen all at once: each may change only what \
                        belongs to its own element, and read only what no other round changes; `--fixed` takes the \
                        type at its declared size instead";
            let message = format!("the rounds of this loop depend on each other through `{name}`");
            return self.only_of_known_size(variable.sort, span, message, help);
        }
        // Put the meaning at the entry of the loop in the place of the unknown symbols.
        let at_entry = symbols
            .iter()
            .filter_map(|(slot, symbol)| Some((*symbol, lambda(entry, *slot)?.clone())));
        let known = Substitution::of_functions(at_entry);
        self.generalise(variable, counts.assertions, counts.choices);
        for assertion in &mut self.assertions[counts.assertions..] {
            assertion.condition = known.apply(assertion.condition);
        }
        for (_, fact) in &mut self.choices[counts.choices..] {
            *fact = known.apply(*fact);
        }
        self.state.possible = known.apply(term::forall([variable], after.possible));
        for (slot, (change, result)) in changes {
            let body = match change {
                Change::Own(position) => {
                    let own = parameter(position, variable.sort).term();
                    Substitution::of_variables([(variable, own)]).apply(result)
                }
                Change::Set { condition, value } => {
                    let old = identity(symbols[&slot]).body;
                    let some_round = term::exists([variable], condition);
                    let value = self.value_of_some_round(variable, condition, value, &known);
                    term::ite(some_round, value, old)
                }
                Change::Scratch => self.scratch_value(symbols[&slot], variable),
            };
            let body = known.apply(body);
            if let Some(target) = lambda_mut(&mut self.state, slot) {
                target.body = body;
            }
        }
    }

    /// Gives each of these components a new symbol for its meaning.
    fn make_unknown(&mut self, slots: &BTreeSet<Slot>) -> BTreeMap<Slot, Function> {
        let mut symbols = BTreeMap::new();
        for &slot in slots {
            let number = self.lowering.next_choice();
            if let Some(target) = lambda_mut(&mut self.state, slot) {
                let sorts: Vec<Sort> = target.parameters.iter().map(|p| p.sort).collect();
                let symbol = Function::new(format!("entry!{number}").as_str(), sorts, target.body.sort());
                *target = identity(symbol);
                symbols.insert(slot, symbol);
            }
        }
        symbols
    }

    /// The value that some round which satisfies the condition gives; the same round for the same condition.
    fn value_of_some_round(&mut self, variable: Variable, condition: Term, value: Term, known: &Substitution) -> Term {
        if !substitute::free_variables(value).contains(&variable) {
            return value;
        }
        let mut around: Vec<Variable> = self.rounds.iter().copied().filter(|v| *v != variable).collect();
        let free = substitute::free_variables(condition);
        let indices: Vec<Variable> = free.into_iter().filter(|v| is_parameter(*v)).collect();
        around.extend(&indices);
        let name = format!("some {}!{}", variable.name, self.lowering.number_of(condition));
        let symbol = Function::new(name.as_str(), around.iter().map(|v| v.sort).collect(), variable.sort);
        let round = symbol.apply(around.iter().map(|v| v.term()).collect::<Vec<_>>());
        let at_round = Substitution::of_variables([(variable, round)]);
        if self.choices.iter().all(|(known, _)| *known != symbol) {
            let fits = term::implies(term::exists([variable], condition), at_round.apply(condition));
            self.choices.push((symbol, known.apply(term::forall(indices, fits))));
            self.lowering.made_by_loop(symbol, variable.sort);
        }
        at_round.apply(value)
    }

    /// Any value, one for each round of the loops around this one.
    fn scratch_value(&mut self, symbol: Function, variable: Variable) -> Term {
        let number = self.lowering.next_choice();
        let around = self.rounds.iter().copied().filter(|v| *v != variable);
        let indices = symbol
            .parameters()
            .iter()
            .enumerate()
            .map(|(n, sort)| parameter(n, *sort));
        let arguments: Vec<Variable> = around.chain(indices).collect();
        let sorts = arguments.iter().map(|v| v.sort).collect();
        let choice = Function::new(format!("scratch!{number}").as_str(), sorts, symbol.result());
        self.choices.push((choice, term::bool(true)));
        self.lowering.made_by_loop(choice, variable.sort);
        choice.apply(arguments.iter().map(|v| v.term()).collect::<Vec<_>>())
    }

    /// A component through which one round can see another, if there is one.
    fn conflict(
        &self,
        changes: &BTreeMap<Slot, (Change, Term)>,
        symbols: &BTreeMap<Slot, Function>,
        variable: Variable,
        assertions: usize,
        possible: Term,
    ) -> Option<Slot> {
        let mut own: HashMap<Function, (Slot, Option<usize>)> = HashMap::new();
        for (slot, (change, _)) in changes {
            let position = if let Change::Own(position) = change {
                Some(*position)
            } else {
                None
            };
            own.insert(symbols[slot], (*slot, position));
        }
        let mut seen_by_rounds: Vec<Term> = vec![possible];
        seen_by_rounds.extend(self.assertions[assertions..].iter().map(|a| a.condition));
        for (change, result) in changes.values() {
            match change {
                Change::Own(position) => {
                    let parameter = parameter(*position, variable.sort);
                    seen_by_rounds.push(Substitution::of_variables([(parameter, variable.term())]).apply(*result));
                }
                Change::Set { condition, value } => {
                    seen_by_rounds.extend([*condition, *value]);
                }
                // What a scratch variable holds matters only through what it is used for.
                Change::Scratch => {}
            }
        }
        foreign_read(&seen_by_rounds, &own, variable.term()).or_else(|| {
            // Not scratch after all, nor anything else that could be done at once.
            changes
                .iter()
                .find(|(slot, (change, _))| is_variable(**slot) && matches!(change, Change::Scratch))
                .map(|c| *c.0)
        })
    }

    fn slot_name(&self, slot: Slot) -> String {
        match slot {
            Slot::Variable(id, _) => self.lowering.model.variables[id].name.clone(),
            Slot::Local { frame, local, .. } => self.local_of(frame, local).name.clone(),
        }
    }
}

fn is_variable(slot: Slot) -> bool {
    matches!(slot, Slot::Variable(..))
}

/// Finds how the rounds change one component.
fn classify(slot: Slot, symbol: Function, result: Term, variable: Variable) -> Change {
    let old = identity(symbol).body;
    for (position, sort) in symbol.parameters().iter().enumerate() {
        let own = term::equal(parameter(position, variable.sort).term(), variable.term());
        if *sort == variable.sort && substitute::replace(result, own, term::bool(false)) == old {
            return Change::Own(position);
        }
    }
    // `result = if condition then value else old`, whichever way round; for Booleans the constructors have made
    // and/or of it.
    match result.kind() {
        Kind::Ite(condition, value, otherwise) if *otherwise == old => {
            return Change::Set {
                condition: *condition,
                value: *value,
            };
        }
        Kind::Ite(condition, otherwise, value) if *otherwise == old => {
            return Change::Set {
                condition: term::not(*condition),
                value: *value,
            };
        }
        _ => {}
    }
    if old.sort() == Sort::Bool {
        let when_true = substitute::replace(result, old, term::bool(true));
        let when_false = substitute::replace(result, old, term::bool(false));
        if when_true.is_true() {
            return Change::Set {
                condition: when_false,
                value: term::bool(true),
            };
        }
        if when_false.is_false() {
            return Change::Set {
                condition: term::not(when_true),
                value: term::bool(false),
            };
        }
    }
    let looks_back = substitute::functions_of(result).contains(&symbol);
    if result.is_value() || (is_variable(slot) && !looks_back) {
        return Change::Set {
            condition: term::bool(true),
            value: result,
        };
    }
    Change::Scratch
}

/// A changed component that some term reads at an index that is not the round's own.
fn foreign_read(terms: &[Term], own: &HashMap<Function, (Slot, Option<usize>)>, round: Term) -> Option<Slot> {
    let mut seen = BTreeSet::new();
    let mut pending = terms.to_vec();
    while let Some(current) = pending.pop() {
        if !seen.insert(current) {
            continue;
        }
        if let Kind::Apply(function, arguments) = current.kind()
            && let Some((slot, position)) = own.get(function)
            && position.is_none_or(|p| arguments[p] != round)
        {
            return Some(*slot);
        }
        pending.extend(current.children());
    }
    None
}

fn slots(state: &State) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (id, meaning) in state.variables.iter().enumerate() {
        slots.extend((0..meaning.len()).map(|component| Slot::Variable(id, component)));
    }
    for (frame, contents) in state.frames.iter().enumerate() {
        for (local, binding) in contents.locals.iter().enumerate() {
            if let Some(Binding::Value(meaning)) = binding {
                slots.extend((0..meaning.len()).map(|component| Slot::Local {
                    frame,
                    local,
                    component,
                }));
            }
        }
    }
    slots
}

fn lambda(state: &State, slot: Slot) -> Option<&Lambda> {
    match slot {
        Slot::Variable(id, component) => state.variables.get(id)?.get(component),
        Slot::Local {
            frame,
            local,
            component,
        } => match state.frames.get(frame)?.locals.get(local)? {
            Some(Binding::Value(meaning)) => meaning.get(component),
            _ => None,
        },
    }
}

fn lambda_mut(state: &mut State, slot: Slot) -> Option<&mut Lambda> {
    match slot {
        Slot::Variable(id, component) => state.variables.get_mut(id)?.get_mut(component),
        Slot::Local {
            frame,
            local,
            component,
        } => match state.frames.get_mut(frame)?.locals.get_mut(local)? {
            Some(Binding::Value(meaning)) => meaning.get_mut(component),
            _ => None,
        },
    }
}
