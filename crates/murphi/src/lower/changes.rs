//! Classifies how an iteration of a loop changes each component.

use super::execute::{Binding, State, identity};
use super::meaning::{DEEPEST, is_parameter, parameter};
use logic::hashing::{FastMap, FastSet};
use logic::{Function, Kind, Lambda, Sort, Substitution, Term, Variable, substitute, term};

/// A component of a variable, of a local, or of a function result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Variable(usize, usize),
    Local {
        frame: usize,
        local: usize,
        component: usize,
    },
    Result {
        frame: usize,
        component: usize,
    },
}

impl Slot {
    pub(super) fn is_local(self) -> bool {
        matches!(self, Slot::Local { .. })
    }
}

/// How the iterations change a component.
#[derive(Clone, Copy)]
pub(super) enum Change {
    /// Iteration `v` changes it only where this parameter equals `v`.
    Own(usize),
    /// An iteration sets it, under its condition, without reading the old value.
    Set {
        condition: Term,
        value: Term,
    },
    /// An iteration adds this number, under its condition.
    Count {
        condition: Term,
        step: i128,
    },
    Scratch,
}

/// Classifies how the iterations change one component.
pub(super) fn classify(symbol: Function, result: Term, variable: Variable) -> Change {
    let old = identity(symbol).body;
    for (position, sort) in symbol.parameters().iter().enumerate() {
        let own = term::equal(parameter(position, variable.sort).term(), variable.term());
        if *sort == variable.sort && substitute::replace(result, own, term::bool(false)) == old {
            return Change::Own(position);
        }
    }
    if let Some(count) = classify_counter(result, old) {
        return count;
    }
    // For Booleans, the constructors have turned the conditional into and/or.
    if old.sort() == Sort::Bool {
        let when_true = substitute::replace(result, old, term::bool(true));
        let when_false = substitute::replace(result, old, term::bool(false));
        if unchanged_unless(term::bool(false), when_true, term::bool(true)) {
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
    // `result = if condition then value else old`, or with swapped branches.
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
    let looks_back = substitute::functions_of(result).contains(&symbol);
    if !looks_back {
        return Change::Set {
            condition: term::bool(true),
            value: result,
        };
    }
    Change::Scratch
}

/// `if condition then old + step else old`, possibly with several conditions for the same step.
fn classify_counter(result: Term, old: Term) -> Option<Change> {
    if old.sort() != Sort::Int {
        return None;
    }
    let mut counting: Option<(Vec<Term>, i128)> = None;
    let mut pending = vec![(result, term::bool(true))];
    let mut leaves = 0;
    while let Some((part, path)) = pending.pop() {
        leaves += 1;
        if leaves > 64 {
            return None;
        }
        match part.kind() {
            _ if part == old => {}
            Kind::Ite(condition, then, otherwise) => {
                pending.push((*otherwise, term::and([path, term::not(*condition)])));
                pending.push((*then, term::and([path, *condition])));
            }
            _ => {
                let step = match term::subtract(part, at_known_indices(old, path)).kind() {
                    Kind::Int(step) => *step,
                    _ => return None,
                };
                match &mut counting {
                    Some((conditions, known)) if *known == step => conditions.push(path),
                    Some(_) => return None,
                    None => counting = Some((vec![path], step)),
                }
            }
        }
    }
    let (conditions, step) = counting?;
    let condition = term::or(conditions);
    let looks_back = |function: &Function| substitute::functions_of(condition).contains(function);
    match old.kind() {
        Kind::Apply(symbol, _) if !looks_back(symbol) => Some(Change::Count { condition, step }),
        _ => None,
    }
}

/// The old component at the indices that this path determines.
fn at_known_indices(old: Term, path: Term) -> Term {
    let parts = match path.kind() {
        Kind::And(parts) => parts.to_vec(),
        _ => vec![path],
    };
    let index = |part: &Term| match part.kind() {
        Kind::Equal(a, b) => match (a.kind(), b.kind()) {
            (Kind::Variable(index), _) if is_parameter(*index) => Some((*index, *b)),
            (_, Kind::Variable(index)) if is_parameter(*index) => Some((*index, *a)),
            _ => None,
        },
        _ => None,
    };
    Substitution::of_variables(parts.iter().filter_map(index)).apply(old)
}

/// Whether a component is unchanged wherever `acts` is false. False if that is hard to see.
pub(super) fn unchanged_unless(acts: Term, result: Term, old: Term) -> bool {
    split(acts, result, old, &mut 256)
}

/// Case split on one condition after the other.
fn split(acts: Term, result: Term, old: Term, budget: &mut usize) -> bool {
    if result == old || acts.is_true() {
        return true;
    }
    let Some(atom) = first_atom(acts).or_else(|| first_atom(result)) else {
        return false;
    };
    if *budget == 0 || result.depth() > DEEPEST {
        return false;
    }
    *budget -= 1;
    [true, false].into_iter().all(|value| {
        let [acts, result, old] = [acts, result, old].map(|part| substitute::replace(part, atom, term::bool(value)));
        split(acts, result, old, budget)
    })
}

/// Some of the values that a term can have.
pub(super) fn leaves(term: Term) -> Vec<Term> {
    if term.sort() == Sort::Bool {
        return vec![term::bool(true), term::bool(false)];
    }
    let (mut leaves, mut pending) = (Vec::new(), vec![term]);
    while let Some(part) = pending.pop() {
        match part.kind() {
            Kind::Ite(_, then, otherwise) => pending.extend([*otherwise, *then]),
            _ => leaves.push(part),
        }
        if leaves.len() + pending.len() > 8 {
            return Vec::new();
        }
    }
    leaves
}

/// The first condition that a term depends on.
fn first_atom(term: Term) -> Option<Term> {
    match term.kind() {
        Kind::Bool(_) => None,
        Kind::Not(inner) => first_atom(*inner),
        Kind::And(parts) | Kind::Or(parts) => parts.iter().find_map(|part| first_atom(*part)),
        Kind::Implies(a, b) => first_atom(*a).or_else(|| first_atom(*b)),
        Kind::Ite(condition, ..) => first_atom(*condition),
        _ => (term.sort() == Sort::Bool).then_some(term),
    }
}

/// A changed component that some term reads at an index other than the iteration's own.
pub(super) fn foreign_read(
    terms: &[Term],
    own: &FastMap<Function, (Slot, Option<usize>)>,
    round: Term,
) -> Option<Slot> {
    let mut seen: FastSet<Term> = FastSet::default();
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

pub(super) fn slots(state: &State) -> Vec<Slot> {
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
        slots.extend((0..contents.result.len()).map(|component| Slot::Result { frame, component }));
    }
    slots
}

pub(super) fn lambda(state: &State, slot: Slot) -> Option<&Lambda> {
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
        Slot::Result { frame, component } => state.frames.get(frame)?.result.get(component),
    }
}

pub(super) fn lambda_mut(state: &mut State, slot: Slot) -> Option<&mut Lambda> {
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
        Slot::Result { frame, component } => state.frames.get_mut(frame)?.result.get_mut(component),
    }
}
