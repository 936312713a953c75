//! Free variables, substitution and beta-reduction.

use crate::bits;
use crate::hashing::{FastMap, FastSet};
use crate::sort::Name;
use crate::term::{self, Function, Kind, Term, Variable};
use crate::traverse::deep_subterms;
use std::collections::{BTreeMap, BTreeSet};

/// `lambda parameters. body`: the new value that an update gives to a state function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lambda {
    pub parameters: Vec<Variable>,
    pub body: Term,
}

impl Lambda {
    /// Beta-reduction: the body with arguments substituted for parameters.
    pub fn apply(&self, arguments: &[Term]) -> Term {
        let variables = self.parameters.iter().copied().zip(arguments.iter().copied()).collect();
        Substitution {
            variables,
            functions: BTreeMap::new(),
        }
        .apply(self.body)
    }
}

/// A simultaneous substitution of terms for free variables and lambdas for function symbols.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    pub variables: BTreeMap<Variable, Term>,
    pub functions: BTreeMap<Function, Lambda>,
}

impl Substitution {
    pub fn of_variables(pairs: impl IntoIterator<Item = (Variable, Term)>) -> Substitution {
        Substitution {
            variables: pairs.into_iter().collect(),
            functions: BTreeMap::new(),
        }
    }

    pub fn of_functions(pairs: impl IntoIterator<Item = (Function, Lambda)>) -> Substitution {
        Substitution {
            variables: BTreeMap::new(),
            functions: pairs.into_iter().collect(),
        }
    }

    /// Substitutes terms for nullary functions.
    pub fn of_constants(pairs: impl IntoIterator<Item = (Function, Term)>) -> Substitution {
        Substitution::of_functions(pairs.into_iter().map(|(function, body)| {
            let lambda = Lambda {
                parameters: Vec::new(),
                body,
            };
            (function, lambda)
        }))
    }

    /// The free variables of the replacement terms, which no quantifier may capture.
    fn range_variables(&self) -> BTreeSet<Variable> {
        let mut range = BTreeSet::new();
        for term in self.variables.values() {
            range.extend(free_variables(*term));
        }
        for lambda in self.functions.values() {
            let mut free = free_variables(lambda.body);
            for parameter in &lambda.parameters {
                free.remove(parameter);
            }
            range.extend(free);
        }
        range
    }

    pub fn apply(&self, term: Term) -> Term {
        self.apply_one(term, &self.range_variables(), &mut FastMap::default())
    }

    /// Applies the substitution to several terms with shared memoisation.
    pub fn apply_all(&self, terms: &[Term]) -> Vec<Term> {
        let (range, mut done) = (self.range_variables(), FastMap::default());
        terms
            .iter()
            .map(|term| self.apply_one(*term, &range, &mut done))
            .collect()
    }

    fn apply_one(&self, term: Term, range: &BTreeSet<Variable>, done: &mut FastMap<Term, Term>) -> Term {
        for inner in deep_subterms(term) {
            self.apply_with(inner, range, done);
        }
        self.apply_with(term, range, done)
    }

    fn apply_with(&self, term: Term, range: &BTreeSet<Variable>, done: &mut FastMap<Term, Term>) -> Term {
        let touches = |v: &Variable| self.variables.contains_key(v);
        if self.functions.is_empty() && !term.free_variables().iter().any(touches) {
            return term;
        }
        if let Some(result) = done.get(&term) {
            return *result;
        }
        let result = match term.kind() {
            Kind::Variable(variable) => self.variables.get(variable).copied().unwrap_or(term),
            Kind::Apply(function, arguments) => {
                let arguments: Vec<Term> = arguments.iter().map(|a| self.apply_with(*a, range, done)).collect();
                match self.functions.get(function) {
                    Some(lambda) => lambda.apply(&arguments),
                    None => function.apply(arguments),
                }
            }
            // Nothing is shadowed or captured, so the outer results hold inside.
            Kind::Quantified(quantifier, variables, body)
                if variables.iter().all(|v| !touches(v) && !range.contains(v)) =>
            {
                let body = self.apply_one(*body, range, done);
                term::quantified(*quantifier, variables.clone(), body)
            }
            Kind::Quantified(quantifier, variables, body) => {
                // Bound variables shadow the substitution; those that would capture are renamed.
                let mut inner = self.clone();
                let mut renamed = Vec::new();
                for variable in variables {
                    inner.variables.remove(variable);
                    let mut fresh = *variable;
                    if range.contains(variable) {
                        let taken = |v: Variable| {
                            range.contains(&v) || variables.contains(&v) || body.free_variables().contains(&v)
                        };
                        fresh = fresh_variable(*variable, taken);
                        inner.variables.insert(*variable, fresh.term());
                    }
                    renamed.push(fresh);
                }
                term::quantified(*quantifier, renamed, inner.apply(*body))
            }
            _ => rebuild(term, |t| self.apply_with(t, range, done)),
        };
        done.insert(term, result);
        result
    }
}

/// The variable itself, or a numbered variant for which `taken` is false.
pub fn fresh_variable(variable: Variable, taken: impl Fn(Variable) -> bool) -> Variable {
    let mut candidate = variable;
    let mut number = 0;
    while taken(candidate) {
        number += 1;
        candidate = Variable {
            name: Name::new(&format!("{}_{number}", variable.name)),
            sort: variable.sort,
        };
    }
    candidate
}

/// Replaces every occurrence of a sub-term, also below quantifiers.
pub fn replace(within: Term, what: Term, by: Term) -> Term {
    fn replace_below(term: Term, what: Term, by: Term, done: &mut FastMap<Term, Term>) -> Term {
        if term == what {
            return by;
        }
        if let Some(result) = done.get(&term) {
            return *result;
        }
        let result = rebuild(term, |part| replace_below(part, what, by, done));
        done.insert(term, result);
        result
    }
    replace_below(within, what, by, &mut FastMap::default())
}

/// Replaces every child through the smart constructors; returns the term itself if nothing changes.
pub fn rebuild(term: Term, mut change: impl FnMut(Term) -> Term) -> Term {
    let mut is_changed = false;
    let mut new = |part: &Term| {
        let changed = change(*part);
        is_changed |= changed != *part;
        changed
    };
    match term.kind() {
        Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVector(_) | Kind::Enumerator(..) => term,
        Kind::EmptyList(_) | Kind::Variable(_) => term,
        Kind::Apply(_, operands)
        | Kind::And(operands)
        | Kind::Or(operands)
        | Kind::Add(operands)
        | Kind::List(_, operands)
        | Kind::Bits(_, operands) => {
            let operands: Vec<Term> = operands.iter().map(new).collect();
            if !is_changed {
                return term;
            }
            match term.kind() {
                Kind::Apply(function, _) => function.apply(operands),
                Kind::And(_) => term::and(operands),
                Kind::Or(_) => term::or(operands),
                Kind::List(operation, _) => match operation {
                    term::ListOperation::Append => term::append(operands[0], operands[1]),
                    term::ListOperation::Head => term::head(operands[0]),
                    term::ListOperation::Tail => term::tail(operands[0]),
                    term::ListOperation::Length => term::length(operands[0]),
                },
                Kind::Bits(operation, _) => bits::operation(*operation, operands),
                _ => term::add(operands),
            }
        }
        Kind::Not(a) => term::not(new(a)),
        Kind::Implies(a, b) => term::implies(new(a), new(b)),
        Kind::Equal(a, b) => term::equal(new(a), new(b)),
        Kind::Ite(a, b, c) => {
            let (a, b, c) = (new(a), new(b), new(c));
            if is_changed { term::ite(a, b, c) } else { term }
        }
        Kind::Less(a, b) => term::less(new(a), new(b)),
        Kind::LessEqual(a, b) => term::less_equal(new(a), new(b)),
        Kind::Multiply(a, b) => term::multiply(new(a), new(b)),
        Kind::Divide(a, b) => term::divide(new(a), new(b)),
        Kind::Modulo(a, b) => term::modulo(new(a), new(b)),
        Kind::Quantified(quantifier, variables, body) => {
            let body = new(body);
            if is_changed {
                term::quantified(*quantifier, variables.clone(), body)
            } else {
                term
            }
        }
    }
}

/// The free variables of the term.
pub fn free_variables(term: Term) -> BTreeSet<Variable> {
    term.free_variables().iter().copied().collect()
}

/// The function symbols that occur in the term.
pub fn functions_of(term: Term) -> BTreeSet<Function> {
    let mut functions = BTreeSet::new();
    visit_all(&[term], |kind| {
        if let Kind::Apply(function, _) = kind {
            functions.insert(*function);
        }
    });
    functions
}

/// The integer literals in the terms.
pub fn numbers_of(terms: &[Term]) -> BTreeSet<i128> {
    let mut numbers = BTreeSet::new();
    visit_all(terms, |kind| {
        if let Kind::Int(number) = kind {
            numbers.insert(*number);
        }
    });
    numbers
}

/// Visits every sub-term once.
fn visit_all(terms: &[Term], mut look: impl FnMut(&Kind)) {
    let mut seen = FastSet::default();
    let mut pending = terms.to_vec();
    while let Some(term) = pending.pop() {
        if seen.insert(term) {
            look(term.kind());
            pending.extend(term.children());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;
    use crate::term::{exists, forall, int, less};

    fn variable(name: &str) -> Variable {
        Variable::new(name, Sort::Int)
    }

    #[test]
    fn nothing_is_captured() {
        let [x, y, x_1, x_2] = ["x", "y", "x_1", "x_2"].map(variable);
        let relation = Function::new("r", vec![Sort::Int; 3], Sort::Bool);
        let formula = exists([x], relation.apply([x.term(), y.term(), x_1.term()]));
        let result = Substitution::of_variables([(y, x.term())]).apply(formula);
        // Not x_1, which is free in the body.
        assert_eq!(
            result,
            exists([x_2], relation.apply([x_2.term(), x.term(), x_1.term()]))
        );
    }

    #[test]
    fn bound_variables_hide_the_substitution() {
        let x = variable("x");
        let formula = forall([x], less(x.term(), int(0)));
        assert_eq!(Substitution::of_variables([(x, int(1))]).apply(formula), formula);
    }

    #[test]
    fn an_update_is_a_beta_reduction() {
        let [i, u] = ["i", "u"].map(variable);
        let array = Function::new("a", vec![Sort::Int], Sort::Int);
        // a'(u) = if u = i then 7 else a(u)
        let body = term::ite(term::equal(u.term(), i.term()), int(7), array.apply([u.term()]));
        let update = Substitution::of_functions([(
            array,
            Lambda {
                parameters: vec![u],
                body,
            },
        )]);
        assert_eq!(update.apply(array.apply([i.term()])), int(7));
        let nested = array.apply([array.apply([i.term()])]);
        let expected = term::ite(term::equal(int(7), i.term()), int(7), array.apply([int(7)]));
        assert_eq!(update.apply(nested), expected);
    }

    #[test]
    fn deep_terms_do_not_overflow_the_stack() {
        let x = variable("x");
        let step = Function::new("step", vec![Sort::Int], Sort::Int);
        let deep = (0..100_000).fold(x.term(), |term, _| step.apply([term]));
        let expected = (0..100_000).fold(int(0), |term, _| step.apply([term]));
        assert_eq!(Substitution::of_variables([(x, int(0))]).apply(deep), expected);
    }
}
