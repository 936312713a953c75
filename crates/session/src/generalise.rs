//! States like one that must not be reached: as few conditions as explored states allow.

use crate::session::World;
use abstraction::goal::Goal;
use deduction::comparisons::{Comparison, comparison};
use deduction::cores::shrink_list;
use deduction::formulas::signed_atom;
use logic::simplify::simplify;
use logic::substitute::free_variables;
use logic::term::conjuncts;
use logic::traverse::post_order;
use logic::{Function, Kind, Lambda, Quantifier, Sort, Substitution, Term, Variable, substitute, term};

/// More conditions than this are not tried one by one.
const CONDITIONS: usize = 12;

/// A formula `exists x. a & b & c`, without conditions that are not needed: no explored state is like what is left.
/// The formula as it is where explored states are like it.
pub(crate) fn less_specific(world: &World, like: Term) -> Term {
    let (variables, conditions) = flat(like);
    if conditions.len() > CONDITIONS || world.seen(term::not(like), true).is_none() {
        return like;
    }
    let kept = shrink_list(&conditions, |fewer| {
        world.seen(term::not(closed(&variables, fewer)), true).is_some()
    });
    closed(&variables, &kept)
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

/// That a case cannot be, in general terms. Where it speaks of a place of an array whose index is a number, such as the
/// head of a queue, the same is said of all places further up, or further down. Conditions that explored states do not
/// need are dropped, those first that do not speak of the place.
///
/// ```text
/// not C(head)      becomes      forall i. head <= i -> not C(i)
/// ```
pub(crate) fn without_case(world: &World, goal: &Goal, case: Term) -> Vec<Without> {
    let case = conjuncts(case);
    let places = places(world, &case);
    if places.is_empty() {
        let formula = fewer(world, goal, &[], &case, &[]);
        return formula.into_iter().map(Without::explored).collect();
    }
    let taken = |v: Variable| goal.constants.iter().any(|(_, variable)| variable.name == v.name);
    let i = substitute::fresh_variable(Variable::new("i", Sort::Int), taken);
    let mut formulas = Vec::new();
    for place in places {
        let elsewhere = |literal: &Term| simplify(substitute::replace(*literal, place, i.term()));
        let (about, others): (Vec<Term>, Vec<Term>) = case
            .iter()
            .partition(|literal| post_order(**literal, false).contains(&place));
        let conditions: Vec<Term> = about.iter().map(elsewhere).chain(others).collect();
        let about: Vec<Term> = about.iter().map(elsewhere).collect();
        for bound in [term::less_equal(place, i.term()), term::less_equal(i.term(), place)] {
            formulas.push(Without {
                formula: for_all(goal, &[i], &[&[bound], &about[..]].concat()),
                is_explored: false,
            });
            formulas.extend(fewer(world, goal, &[i], &conditions, &[bound]).map(Without::explored));
        }
    }
    formulas
}

/// That a case cannot be.
pub(crate) struct Without {
    pub(crate) formula: Term,
    /// Whether it holds in explored states, a few at least. Else it is worth something only where it is proved.
    pub(crate) is_explored: bool,
}

impl Without {
    fn explored(formula: Term) -> Without {
        let is_explored = true;
        Without { formula, is_explored }
    }
}

/// The numbers of the state that are indices of arrays here.
fn places(world: &World, case: &[Term]) -> Vec<Term> {
    let is_state = |function: &Function| world.system.state.iter().any(|symbol| symbol.function == *function);
    let mut places: Vec<Term> = Vec::new();
    for part in case.iter().flat_map(|literal| post_order(*literal, false)) {
        let Kind::Apply(_, arguments) = part.kind() else {
            continue;
        };
        for argument in arguments.iter().filter(|argument| argument.sort() == Sort::Int) {
            if matches!(argument.kind(), Kind::Apply(function, _) if is_state(function)) && !places.contains(argument) {
                places.push(*argument);
            }
        }
    }
    places
}

/// `forall variables. bounds => not conditions`, with as few conditions as explored states allow, beginning at the
/// last. Nothing where they do not even allow that all of them are excluded.
fn fewer(world: &World, goal: &Goal, variables: &[Variable], conditions: &[Term], bounds: &[Term]) -> Option<Term> {
    let excluded = |conditions: &[Term]| for_all(goal, variables, &[bounds, conditions].concat());
    world.seen(excluded(conditions), true)?;
    let kept = match conditions.len() > CONDITIONS {
        true => conditions.to_vec(),
        false => shrink_list(conditions, |fewer| world.seen(excluded(fewer), true).is_some()),
    };
    let speaks = |condition: &Term| variables.iter().all(|v| free_variables(*condition).contains(v));
    kept.iter().any(speaks).then(|| excluded(&kept))
}

/// `forall variables. not conditions`, for all constants of the goal as well, as an implication. Numbers of which only
/// is said between which others they are, are left out.
fn for_all(goal: &Goal, variables: &[Variable], conditions: &[Term]) -> Term {
    let mut bound = variables.to_vec();
    let mut lambdas = Vec::new();
    for (constant, variable) in &goal.constants {
        let fresh = substitute::fresh_variable(*variable, |v| bound.iter().any(|other| other.name == v.name));
        bound.push(fresh);
        let (parameters, body) = (Vec::new(), fresh.term());
        lambdas.push((*constant, Lambda { parameters, body }));
    }
    let of_constants = Substitution::of_functions(lambdas);
    let all = goal.hypotheses.iter().chain(conditions);
    let mut all: Vec<Term> = all.map(|condition| simplify(of_constants.apply(*condition))).collect();
    for variable in bound.iter().filter(|variable| variable.sort == Sort::Int) {
        all = without_variable(&all, *variable).unwrap_or(all);
    }
    let upright = |condition: Term| match comparison(condition) {
        Some(found) if found.is_strict => term::less(found.left, found.right),
        Some(found) => term::less_equal(found.left, found.right),
        None => condition,
    };
    let all: Vec<Term> = all.into_iter().map(upright).collect();
    let (denied, hypotheses): (Vec<Term>, Vec<Term>) = all.iter().partition(|c| !signed_atom(**c).1);
    let conclusion = term::or(denied.into_iter().map(|literal| signed_atom(literal).0));
    let body = simplify(term::implies(term::and(hypotheses), conclusion));
    bound.retain(|variable| free_variables(body).contains(variable));
    bound.reverse();
    term::forall(bound, body)
}

/// `exists i. conditions` without `i`, where that is an integer between others, or equal to one.
fn without_variable(conditions: &[Term], variable: Variable) -> Option<Vec<Term>> {
    let i = variable.term();
    let is_free = |term: Term| !free_variables(term).contains(&variable);
    let (mut others, about): (Vec<Term>, Vec<Term>) = conditions.iter().partition(|condition| is_free(**condition));
    let value = about
        .iter()
        .enumerate()
        .find_map(|(number, condition)| match condition.kind() {
            Kind::Equal(a, b) if *a == i && is_free(*b) => Some((number, *b)),
            Kind::Equal(a, b) if *b == i && is_free(*a) => Some((number, *a)),
            _ => None,
        });
    if let Some((number, value)) = value {
        let rest = about.iter().enumerate().filter(|(other, _)| *other != number);
        let rest = rest.map(|(_, condition)| simplify(substitute::replace(*condition, i, value)));
        others.extend(rest.filter(|condition| !condition.is_true()));
        return Some(others);
    }
    let (mut below, mut above) = (Vec::new(), Vec::new());
    for condition in about {
        match comparison(condition)? {
            Comparison { left, right, is_strict } if right == i && is_free(left) => below.push((left, is_strict)),
            Comparison { left, right, is_strict } if left == i && is_free(right) => above.push((right, is_strict)),
            _ => return None,
        }
    }
    for (a, is_below) in &below {
        for (b, is_above) in &above {
            let between = term::int(i128::from(*is_below) + i128::from(*is_above));
            let condition = simplify(term::less_equal(term::add([*a, between]), *b));
            if !condition.is_true() && !others.contains(&condition) {
                others.push(condition);
            }
        }
    }
    Some(others)
}

fn closed(variables: &[Variable], conditions: &[Term]) -> Term {
    let body = term::and(conditions.iter().copied());
    let free = free_variables(body);
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
    use logic::{Name, Sort};

    /// `a < i & i <= b & c <= i` says of `a`, `b` and `c` that `a < b` and `c <= b`; all integers from 0 to 3 agree.
    #[test]
    fn a_number_between_others_is_left_out() {
        let [a, b, c] = ["a", "b", "c"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let variable = Variable::new("i", Sort::Int);
        let i = variable.term();
        let conditions = [term::less(a, i), term::less_equal(i, b), term::not(term::less(i, c))];
        let left = without_variable(&conditions, variable).unwrap_or_default();
        let number = |at: Term, value: i128, formula: Term| substitute::replace(formula, at, term::int(value));
        for values in 0..64 {
            let at = |formula: Term, i_value: i128| {
                let with_i = number(i, i_value, formula);
                let with_a = number(a, values % 4, with_i);
                let with_b = number(b, values / 4 % 4, with_a);
                simplify(number(c, values / 16, with_b)).is_true()
            };
            let exists = (-1..6).any(|value| conditions.iter().all(|condition| at(*condition, value)));
            assert_eq!(
                left.iter().all(|condition| at(*condition, 0)),
                exists,
                "{values}: {left:?}"
            );
        }
        let of_array = Function::new("array", vec![Sort::Int], Sort::Bool).apply([i]);
        assert_eq!(without_variable(&[of_array, term::less(a, i)], variable), None);
        let equal = without_variable(&[of_array, term::equal(i, a)], variable);
        assert_eq!(
            equal,
            Some(vec![Function::new("array", vec![Sort::Int], Sort::Bool).apply([a])])
        );
    }

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
