//! Normal forms on demand: negation normal form, and elimination of quantifiers over enumerations.

use crate::hashing::FastMap;
use crate::sort::Sort;
use crate::substitute::{Substitution, functions_of, rebuild, replace};
use crate::term::{self, Function, Kind, Quantifier, Term, Variable, and, less, less_equal, not, or};
use crate::traverse::{deep_subterms, deep_subterms_until, post_order};
use std::collections::BTreeSet;

/// Negation normal form: an equivalent formula of conjunctions, disjunctions, quantifiers, atoms and negated atoms.
/// Negated comparisons become the opposite comparison. Formulas inside atoms (arguments, conditions of numbers) are
/// left unchanged.
///
/// Both sides of an equivalence occur with both polarities; as a shared term, the result is still at most twice as
/// large.
pub fn negation_normal_form(formula: Term) -> Term {
    convert_deep(formula, true, &mut FastMap::default())
}

/// Processes deep formulas bottom-up to keep the recursion shallow.
fn convert_deep(formula: Term, positive: bool, done: &mut FastMap<(Term, bool), Term>) -> Term {
    let is_done = |term: Term| [true, false].iter().all(|sign| done.contains_key(&(term, *sign)));
    for inner in deep_subterms_until(formula, is_done) {
        if inner.sort() == Sort::Bool {
            convert(inner, true, done);
            convert(inner, false, done);
        }
    }
    convert(formula, positive, done)
}

/// The normal form of the formula, or of its negation if `positive` is false.
fn convert(formula: Term, positive: bool, done: &mut FastMap<(Term, bool), Term>) -> Term {
    if let Some(result) = done.get(&(formula, positive)) {
        return *result;
    }
    let result = match formula.kind() {
        Kind::Not(inner) => convert(*inner, !positive, done),
        Kind::And(operands) | Kind::Or(operands) => {
            let conjunction = matches!(formula.kind(), Kind::And(_));
            let operands: Vec<Term> = operands
                .iter()
                .map(|operand| convert(*operand, positive, done))
                .collect();
            if conjunction == positive {
                and(operands)
            } else {
                or(operands)
            }
        }
        Kind::Implies(condition, conclusion) => {
            let parts = [
                convert(*condition, !positive, done),
                convert(*conclusion, positive, done),
            ];
            if positive { or(parts) } else { and(parts) }
        }
        // a = b is (not a or b) and (a or not b); the negation negates b.
        Kind::Equal(a, b) if a.sort() == Sort::Bool => {
            let forwards = or([convert(*a, false, done), convert(*b, positive, done)]);
            let backwards = or([convert(*a, true, done), convert(*b, !positive, done)]);
            and([forwards, backwards])
        }
        Kind::Ite(condition, then, otherwise) if formula.sort() == Sort::Bool => and([
            or([convert(*condition, false, done), convert(*then, positive, done)]),
            or([convert(*condition, true, done), convert(*otherwise, positive, done)]),
        ]),
        Kind::Quantified(quantifier, variables, body) => {
            let quantifier = if positive { *quantifier } else { dual(*quantifier) };
            let body = convert_deep(*body, positive, done);
            term::quantified(quantifier, variables.clone(), body)
        }
        Kind::Less(a, b) if !positive => less_equal(*b, *a),
        Kind::LessEqual(a, b) if !positive => less(*b, *a),
        _ if positive => formula,
        _ => not(formula),
    };
    done.insert((formula, positive), result);
    result
}

fn dual(quantifier: Quantifier) -> Quantifier {
    match quantifier {
        Quantifier::Forall => Quantifier::Exists,
        Quantifier::Exists => Quantifier::Forall,
    }
}

/// A formula without these functions that implies the given one for every interpretation of them: `forall c. phi(c)`,
/// as far as first-order logic can express it.
///
/// In negation normal form, each application becomes a variable that is quantified where the variables in its arguments
/// are bound: `forall v. phi(v, c(v))` holds for all `c` if `forall v, x. phi(v, x)` does, and `exists v. phi(v, c(v))`
/// if `exists v. forall x. phi(v, x)` does. The result no longer says that equal arguments give equal values. If an
/// application occurs below a quantifier inside an atom, the result is `false`.
pub fn for_all_functions(functions: &BTreeSet<Function>, formula: Term) -> Term {
    if functions.is_empty() || functions_of(formula).is_disjoint(functions) {
        return formula;
    }
    let mut below = Closing {
        functions,
        variables: 0,
        done: FastMap::default(),
    };
    let formula = negation_normal_form(formula);
    for inner in deep_subterms(formula) {
        below.quantifiers(inner);
    }
    let formula = below.quantifiers(formula);
    let formula = below.close_applications(formula, None);
    if functions_of(formula).is_disjoint(functions) {
        formula
    } else {
        term::bool(false)
    }
}

struct Closing<'f> {
    functions: &'f BTreeSet<Function>,
    variables: usize,
    done: FastMap<Term, Term>,
}

impl Closing<'_> {
    /// Closes the body of each quantifier, innermost first.
    fn quantifiers(&mut self, formula: Term) -> Term {
        if let Some(result) = self.done.get(&formula) {
            return *result;
        }
        let result = match formula.kind() {
            Kind::And(operands) => and(operands.iter().map(|o| self.quantifiers(*o)).collect::<Vec<_>>()),
            Kind::Or(operands) => or(operands.iter().map(|o| self.quantifiers(*o)).collect::<Vec<_>>()),
            Kind::Quantified(quantifier, variables, body) => {
                let body = self.quantifiers(*body);
                let body = self.close_applications(body, Some(variables));
                term::quantified(*quantifier, variables.clone(), body)
            }
            _ => formula,
        };
        self.done.insert(formula, result);
        result
    }

    /// `forall x. body[x / c(t)]` for each application whose arguments mention one of the variables; without variables,
    /// for each remaining application.
    fn close_applications(&mut self, body: Term, variables: Option<&[Variable]>) -> Term {
        let mut body = body;
        let mut bound: Vec<Variable> = variables.unwrap_or_default().to_vec();
        let mut new = Vec::new();
        while let Some(application) = self.application(body, variables.map(|_| bound.as_slice())) {
            self.variables += 1;
            let variable = Variable::new(format!("choice!{}", self.variables).as_str(), application.sort());
            body = replace(body, application, variable.term());
            bound.push(variable);
            new.push(variable);
        }
        term::forall(new, body)
    }

    /// An application to close next: its arguments contain no other application.
    fn application(&self, body: Term, bound: Option<&[Variable]>) -> Option<Term> {
        let free = body.free_variables();
        post_order(body, true).into_iter().find(|part| match part.kind() {
            Kind::Apply(function, arguments) if self.functions.contains(function) => {
                let is_simple = arguments.iter().all(|a| functions_of(*a).is_disjoint(self.functions));
                let mentioned = part.free_variables();
                let is_in_scope = mentioned.iter().all(|v| free.contains(v));
                let is_due = bound.is_none_or(|bound| mentioned.iter().any(|v| bound.contains(v)));
                is_simple && is_in_scope && is_due
            }
            _ => false,
        })
    }
}

/// Expands each quantifier over Booleans or an enumeration, value by value. The size grows with the product of the
/// numbers of values.
pub fn expand_finite(term: Term) -> Term {
    expanded_deep(term, &mut FastMap::default())
}

/// Innermost parts first, so that a deep term needs no deep stack.
fn expanded_deep(term: Term, done: &mut FastMap<Term, Term>) -> Term {
    for inner in deep_subterms_until(term, |inner| done.contains_key(&inner)) {
        expanded(inner, done);
    }
    expanded(term, done)
}

fn expanded(term: Term, done: &mut FastMap<Term, Term>) -> Term {
    if let Some(result) = done.get(&term) {
        return *result;
    }
    let result = match term.kind() {
        Kind::Quantified(quantifier, variables, body) => {
            let (finite, other): (Vec<Variable>, Vec<Variable>) = variables
                .iter()
                .copied()
                .partition(|variable| values_of(variable.sort).is_some());
            let body = finite.into_iter().fold(expanded_deep(*body, done), |body, variable| {
                let instances = values_of(variable.sort)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|value| Substitution::of_variables([(variable, value)]).apply(body));
                if *quantifier == Quantifier::Forall {
                    and(instances)
                } else {
                    or(instances)
                }
            });
            term::quantified(*quantifier, other, body)
        }
        _ => rebuild(term, |child| expanded(child, done)),
    };
    done.insert(term, result);
    result
}

/// The values of a Boolean or enumerated sort, as terms.
pub fn values_of(sort: Sort) -> Option<Vec<Term>> {
    match sort {
        Sort::Bool => Some(vec![term::bool(false), term::bool(true)]),
        Sort::Enum(sort) => Some(
            (0..sort.values().len())
                .map(|position| term::enumerator(sort, position))
                .collect(),
        ),
        _ => None,
    }
}

/// The integers between which a conjunction confines a variable: from its conjuncts `low <= v` and `v <= high`.
pub fn constant_bounds(conjunction: Term, variable: Variable) -> Option<(i128, i128)> {
    let single = [conjunction];
    let parts: &[Term] = match conjunction.kind() {
        Kind::And(parts) => parts,
        _ => &single,
    };
    let (mut low, mut high) = (None, None);
    for part in parts {
        if let Kind::LessEqual(a, b) = part.kind() {
            match (a.kind(), b.kind()) {
                (Kind::Int(bound), Kind::Variable(v)) if *v == variable => low = Some(*bound),
                (Kind::Variable(v), Kind::Int(bound)) if *v == variable => high = Some(*bound),
                _ => {}
            }
        }
    }
    low.zip(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Name;
    use crate::term::{equal, exists, forall, implies};

    /// The body below several quantifiers is processed once.
    #[test]
    fn shared_quantifiers_stay_shared() {
        let sort = Sort::Index(Name::new("P"));
        let v = Variable::new("v", sort);
        let [p, q] = ["p", "q"].map(|name| Function::new(name, vec![sort], Sort::Bool).apply([v.term()]));
        let below = |formula: Term| and([exists([v], or([p, formula])), exists([v], or([q, formula]))]);
        let formula = (0..60).fold(exists([v], and([p, q])), |formula, _| not(below(formula)));
        let positive = negation_normal_form(formula);
        assert!(post_order(positive, true).len() < 1_000);
        assert_eq!(negation_normal_form(not(not(positive))), positive);
    }

    /// Expanded quantifiers are shared as well, however deeply they nest.
    #[test]
    fn shared_quantifiers_are_written_out_once() {
        let v = Variable::new("v", Sort::Bool);
        let p = Function::new("p", vec![Sort::Bool, Sort::Int], Sort::Bool);
        let level =
            |number: i128, below: [Term; 2]| forall([v], or([p.apply([v.term(), term::int(number)]), and(below)]));
        let (mut inner, mut outer) = (level(0, [term::bool(false); 2]), level(1, [term::bool(false); 2]));
        for number in 2..60 {
            (inner, outer) = (outer, level(number, [inner, outer]));
        }
        let written_out = expand_finite(outer);
        assert!(
            post_order(written_out, true)
                .iter()
                .all(|part| !matches!(part.kind(), Kind::Quantified(..)))
        );
    }

    /// A statement about every `c` is instantiated at each of its applications.
    #[test]
    fn functions_become_variables_where_their_arguments_are_bound() {
        let sort = Sort::Index(Name::new("P"));
        let [v, w] = ["v", "w"].map(|name| Variable::new(name, sort));
        let x = |number: usize| Variable::new(format!("choice!{number}").as_str(), sort);
        let c = Function::new("c", vec![sort], sort);
        let p = Function::new("p", vec![sort, sort], Sort::Bool);
        let at = |v: Variable| c.apply([v.term()]);
        let holds = |a: Term, b: Term| p.apply([a, b]);
        let functions = BTreeSet::from([c]);
        let all = |formula| for_all_functions(&functions, formula);
        let universal = forall([v], holds(v.term(), at(v)));
        assert_eq!(all(universal), forall([v, x(1)], holds(v.term(), x(1).term())));
        let existential = exists([v], holds(v.term(), at(v)));
        assert_eq!(
            all(existential),
            exists([v], forall([x(1)], holds(v.term(), x(1).term())))
        );
        // Under a negation the quantifiers change their order.
        let negated = implies(existential, term::bool(false));
        assert_eq!(all(negated), forall([v, x(1)], not(holds(v.term(), x(1).term()))));
        // The application belongs to the outer quantifier.
        let outer = forall([v], exists([w], holds(w.term(), at(v))));
        let expected = forall([v, x(1)], exists([w], holds(w.term(), x(1).term())));
        assert_eq!(all(outer), expected);
        // One application inside another.
        let nested = forall([v], holds(v.term(), c.apply([at(v)])));
        assert_eq!(all(nested), forall([v, x(2)], holds(v.term(), x(2).term())));
        assert_eq!(all(equal(v.term(), w.term())), equal(v.term(), w.term()));
    }

    /// Inside an atom nothing can be quantified, so the result claims nothing.
    #[test]
    fn what_cannot_be_said_is_not_claimed() {
        let sort = Sort::Index(Name::new("P"));
        let v = Variable::new("v", sort);
        let c = Function::new("c", vec![sort], Sort::Bool);
        let inner = exists([v], c.apply([v.term()]));
        let number = term::ite(inner, term::int(0), term::int(1));
        let formula = less_equal(term::int(0), number);
        let formula = for_all_functions(&BTreeSet::from([c]), formula);
        assert!(formula.is_true() || formula.is_false());
        let formula = equal(number, Function::constant("n", Sort::Int).apply([]));
        assert!(for_all_functions(&BTreeSet::from([c]), formula).is_false());
    }
}
