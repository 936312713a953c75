//! States like one that must not be reached: as few conditions as explored states allow.

use crate::cases::conjuncts;
use crate::session::World;
use logic::{Kind, Quantifier, Substitution, Term, Variable, substitute, term};

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
