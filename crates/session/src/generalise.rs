//! States like one that must not be reached: as few conditions as explored states allow.

use crate::cases::conjuncts;
use crate::session::World;
use abstraction::goal::Goal;
use logic::simplify::simplify;
use logic::traverse::post_order;
use logic::{Kind, Quantifier, Sort, Substitution, Term, Variable, substitute, term};

/// More conditions than this are not tried one by one.
const CONDITIONS: usize = 12;

/// A formula `exists x. a & b & c`, without conditions that are not needed: no explored state is like what is left.
/// The formula as it is where explored states are like it.
pub(crate) fn less_specific(world: &World, like: Term) -> Term {
    let (variables, mut conditions) = flat(like);
    if conditions.len() > CONDITIONS || world.seen(term::not(like), true).is_none() {
        return like;
    }
    let mut number = conditions.len();
    while number > 0 && conditions.len() > 1 {
        number -= 1;
        let mut fewer = conditions.clone();
        fewer.remove(number);
        if world.seen(term::not(closed(&variables, &fewer)), true).is_some() {
            conditions = fewer;
        }
    }
    closed(&variables, &conditions)
}

/// Whether states are told apart by particular numbers: that says nothing of others.
pub(crate) fn is_about_numbers(like: Term) -> bool {
    let (_, conditions) = flat(like);
    let is_number = |term: Term| term::as_number(term).is_some();
    conditions.iter().any(|condition| match condition.kind() {
        Kind::Equal(a, b) => is_number(*a) || is_number(*b),
        _ => false,
    })
}

/// A case that must not be speaks of a place of an array whose index is a number, such as the head of a queue: that it is
/// not so there, or further up, or further down. Formulas over the constants of the goal, the case being what they deny.
///
/// ```text
/// not C(head)      becomes      forall i. head <= i -> not C(i)
/// ```
pub(crate) fn at_all_indices(goal: &Goal, case: Term) -> Vec<Term> {
    let mut indices: Vec<Term> = Vec::new();
    for part in post_order(case, false) {
        if let Kind::Apply(_, arguments) = part.kind() {
            let numbers = arguments.iter().filter(|argument| argument.sort() == Sort::Int);
            let numbers = numbers.filter(|argument| matches!(argument.kind(), Kind::Apply(..)));
            indices.extend(
                numbers
                    .filter(|number| !indices.contains(number))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
    }
    let i = Variable::new("i", Sort::Int);
    let mut formulas = Vec::new();
    for index in indices {
        // What does not speak of the index is not what makes the case impossible.
        let about = conjuncts(case)
            .into_iter()
            .filter(|literal| post_order(*literal, false).contains(&index));
        let elsewhere = term::not(substitute::replace(term::and(about), index, i.term()));
        for bound in [term::less_equal(index, i.term()), term::less_equal(i.term(), index)] {
            let formula = term::forall([i], term::implies(bound, elsewhere));
            formulas.push(simplify(goal.close(formula)));
        }
    }
    formulas
}

fn closed(variables: &[Variable], conditions: &[Term]) -> Term {
    let body = term::and(conditions.iter().copied());
    let free = substitute::free_variables(body);
    let mentioned: Vec<Variable> = variables
        .iter()
        .copied()
        .filter(|variable| free.contains(variable))
        .collect();
    term::exists(mentioned, body)
}

/// The variables and conditions of a formula with its quantifiers at the front; variables get names of their own.
fn flat(formula: Term) -> (Vec<Variable>, Vec<Term>) {
    let (mut variables, mut conditions) = (Vec::new(), Vec::new());
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        match formula.kind() {
            Kind::Quantified(Quantifier::Exists, bound, body) => {
                let mut renaming = Vec::new();
                for variable in bound {
                    let taken = |v: Variable| variables.iter().any(|other: &Variable| other.name == v.name);
                    let fresh = substitute::fresh_variable(*variable, taken);
                    variables.push(fresh);
                    renaming.push((*variable, fresh.term()));
                }
                pending.push(Substitution::of_variables(renaming).apply(*body));
            }
            Kind::And(_) => pending.extend(conjuncts(formula).into_iter().rev()),
            _ => conditions.push(formula),
        }
    }
    (variables, conditions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Function, Name, Sort};

    #[test]
    fn quantifiers_come_to_the_front() {
        let sort = Sort::Index(Name::new("P"));
        let busy = Function::new("busy", vec![sort], Sort::Bool);
        let x = Variable::new("x", sort);
        let inner = term::exists([x], busy.apply([x.term()]));
        let both = term::and([busy.apply([x.term()]), inner]);
        let (variables, conditions) = flat(term::exists([x], both));
        assert_eq!((variables.len(), conditions.len()), (2, 2));
        assert_ne!(conditions[0], conditions[1]);
    }
}
