//! The semantics of terms: evaluation in a finite or partial interpretation.
//!
//! This is the reference semantics for tests of the simplifier, the solvers and the lowered transition systems, so it
//! favours simplicity over speed. Where it cannot determine a value (an uninterpreted symbol, a quantifier over all
//! integers, a number beyond 128 bits), it returns an error and never guesses.

use crate::bits::{self, BitOperation, Bits};
use crate::hashing::FastMap;
use crate::rational::Rational;
use crate::sort::{EnumSort, Name, Sort};
use crate::term::{Function, Kind, ListOperation, Quantifier, Term, Variable};
use crate::traverse::deep_subterms_until;
use std::collections::BTreeMap;
use std::fmt;

/// The value of a term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    Bool(bool),
    Int(i128),
    Real(Rational),
    Bits(Bits),
    /// The value of the enumeration with this position.
    Enumerator(EnumSort, u32),
    /// The element of the index sort with this position.
    Index(Name, u32),
    List(Vec<Value>),
}

impl Value {
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i128> {
        match self {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether this is a value of the sort. The empty list belongs to every list sort.
    pub fn has_sort(&self, sort: Sort) -> bool {
        match (self, sort) {
            (Value::Bool(_), Sort::Bool) | (Value::Int(_), Sort::Int) | (Value::Real(_), Sort::Real) => true,
            (Value::Bits(bits), Sort::BitVector(width)) => bits.width() == width,
            (Value::Enumerator(of, position), Sort::Enum(sort)) => {
                *of == sort && (*position as usize) < sort.values().len()
            }
            (Value::Index(of, _), Sort::Index(name)) => *of == name,
            (Value::List(elements), Sort::List(element)) => elements.iter().all(|e| e.has_sort(*element)),
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Real(value) => write!(f, "{value}"),
            Value::Bits(value) => write!(f, "{value}"),
            Value::Enumerator(sort, position) => match sort.values().get(*position as usize) {
                Some(name) => write!(f, "{name}"),
                None => write!(f, "{}#{position}", sort.name()),
            },
            Value::Index(name, position) => write!(f, "{name}_{}", u64::from(*position) + 1),
            Value::List(elements) => {
                f.write_str("[")?;
                for (position, element) in elements.iter().enumerate() {
                    let separator = if position == 0 { "" } else { ", " };
                    write!(f, "{separator}{element}")?;
                }
                f.write_str("]")
            }
        }
    }
}

/// An operation that is not defined everywhere. Outside its domain, SMT-LIB gives it an arbitrary value that depends
/// only on the operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PartialOperation {
    /// Division by zero.
    Divide,
    /// Remainder by zero.
    Modulo,
    /// Head of the empty list.
    Head,
}

/// The meaning of function symbols and of index sorts.
pub trait Interpretation {
    /// `None` if the interpretation does not define the symbol.
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value>;

    /// All values of a sort; `None` if there are infinitely many or they are unknown. Booleans and enumerations need no
    /// answer.
    fn domain(&self, sort: Sort) -> Option<Vec<Value>>;

    /// The value of a partial operation outside its domain. The default has none, and evaluation stops with an error.
    fn undefined(&self, _operation: PartialOperation, _sort: Sort, _operands: &[Value]) -> Option<Value> {
        None
    }
}

/// Values of free variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    values: BTreeMap<Variable, Value>,
}

impl Environment {
    pub fn new() -> Environment {
        Environment::default()
    }

    pub fn get(&self, variable: Variable) -> Option<&Value> {
        self.values.get(&variable)
    }

    pub fn bind(&mut self, variable: Variable, value: Value) {
        self.values.insert(variable, value);
    }

    pub fn iter(&self) -> impl Iterator<Item = (Variable, &Value)> {
        self.values.iter().map(|(variable, value)| (*variable, value))
    }
}

impl FromIterator<(Variable, Value)> for Environment {
    fn from_iter<I: IntoIterator<Item = (Variable, Value)>>(pairs: I) -> Environment {
        Environment {
            values: pairs.into_iter().collect(),
        }
    }
}

/// Why a term could not be evaluated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EvaluateError {
    #[error("the variable {0:?} has no value")]
    UnboundVariable(Variable),
    #[error("{function:?} has no value for the arguments ({})", comma_separated(.arguments))]
    NoInterpretation { function: Function, arguments: Vec<Value> },
    #[error("a quantifier ranges over the sort {0}, whose values cannot be listed")]
    InfiniteDomain(Sort),
    #[error("a number is too large")]
    Overflow,
    #[error("division by zero")]
    DivisionByZero,
    #[error("the head of an empty list")]
    HeadOfEmptyList,
    #[error("the term {0:?} is not well sorted, or the interpretation gave a value of another sort")]
    IllSorted(Term),
}

fn comma_separated(values: &[Value]) -> String {
    values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
}

/// Evaluates a term. Connectives evaluate their operands from left to right and stop as soon as the result is known.
pub fn evaluate(
    term: Term,
    environment: &Environment,
    interpretation: &dyn Interpretation,
) -> Result<Value, EvaluateError> {
    Evaluator::new(environment, interpretation).evaluate(term)
}

/// Evaluates a formula.
pub fn holds(
    formula: Term,
    environment: &Environment,
    interpretation: &dyn Interpretation,
) -> Result<bool, EvaluateError> {
    evaluate(formula, environment, interpretation)?
        .as_bool()
        .ok_or(EvaluateError::IllSorted(formula))
}

type Outcome = Result<Value, EvaluateError>;

/// Evaluates several terms; shared sub-terms are evaluated once.
pub struct Evaluator<'a> {
    environment: &'a Environment,
    interpretation: &'a dyn Interpretation,
    /// The variables of the quantifiers around the current term, the innermost last.
    bound: Vec<(Variable, Value)>,
    /// Memoised results: `known[n]` holds those of terms whose innermost bound variable is `bound[n - 1]`. They are
    /// discarded when that variable takes its next value, so a term is evaluated once for each value of the variables
    /// it depends on.
    known: Vec<FastMap<Term, Outcome>>,
}

impl<'a> Evaluator<'a> {
    pub fn new(environment: &'a Environment, interpretation: &'a dyn Interpretation) -> Evaluator<'a> {
        Evaluator {
            environment,
            interpretation,
            bound: Vec::new(),
            known: vec![FastMap::default()],
        }
    }

    pub fn evaluate(&mut self, term: Term) -> Result<Value, EvaluateError> {
        self.evaluate_deep(term)
    }

    /// Evaluates a term with additional bindings.
    pub fn evaluate_where(&mut self, bindings: &[(Variable, Value)], term: Term) -> Result<Value, EvaluateError> {
        for binding in bindings {
            self.bound.push(binding.clone());
            self.known.push(FastMap::default());
        }
        let outcome = self.evaluate_deep(term);
        self.bound.clear();
        self.known.truncate(1);
        outcome
    }

    /// Discards all memoised results after the interpretation has changed.
    pub fn forget(&mut self) {
        self.known[0].clear();
    }

    /// Evaluates deep sub-terms first to keep the recursion shallow.
    fn evaluate_deep(&mut self, term: Term) -> Outcome {
        let is_known = |term: Term| self.known[self.level(term)].contains_key(&term);
        for inner in deep_subterms_until(term, is_known) {
            // An error matters only if the value is used.
            let _ = self.value(inner);
        }
        self.value(term)
    }

    fn value(&mut self, term: Term) -> Outcome {
        match term.kind() {
            Kind::Bool(value) => return Ok(Value::Bool(*value)),
            Kind::Int(value) => return Ok(Value::Int(*value)),
            Kind::Real(value) => return Ok(Value::Real(*value)),
            Kind::BitVector(bits) => return Ok(Value::Bits(*bits)),
            Kind::Enumerator(sort, position) => return Ok(Value::Enumerator(*sort, *position)),
            Kind::EmptyList(_) => return Ok(Value::List(Vec::new())),
            Kind::Variable(variable) => return self.variable(*variable),
            _ => {}
        }
        let level = self.level(term);
        if let Some(outcome) = self.known[level].get(&term) {
            return outcome.clone();
        }
        let outcome = self.compound(term);
        self.known[level].insert(term, outcome.clone());
        outcome
    }

    /// One more than the index of the innermost bound variable that the term depends on.
    fn level(&self, term: Term) -> usize {
        let free = term.free_variables();
        if free.is_empty() {
            return 0;
        }
        self.bound
            .iter()
            .rposition(|(variable, _)| free.binary_search(variable).is_ok())
            .map_or(0, |n| n + 1)
    }

    fn variable(&self, variable: Variable) -> Outcome {
        let bound = self
            .bound
            .iter()
            .rev()
            .find(|(other, _)| *other == variable)
            .map(|(_, value)| value);
        let value = bound.or_else(|| self.environment.get(variable));
        value.cloned().ok_or(EvaluateError::UnboundVariable(variable))
    }

    fn compound(&mut self, term: Term) -> Outcome {
        match term.kind() {
            Kind::Not(a) => Ok(Value::Bool(!self.truth(*a)?)),
            Kind::And(operands) => self.connective(operands, false),
            Kind::Or(operands) => self.connective(operands, true),
            Kind::Implies(a, b) => Ok(Value::Bool(!self.truth(*a)? || self.truth(*b)?)),
            Kind::Equal(a, b) => Ok(Value::Bool(self.value(*a)? == self.value(*b)?)),
            Kind::Ite(condition, then, otherwise) => {
                let taken = if self.truth(*condition)? { then } else { otherwise };
                self.value(*taken)
            }
            Kind::Quantified(quantifier, variables, body) => {
                let decisive = *quantifier == Quantifier::Exists;
                Ok(Value::Bool(self.any(variables, *body, decisive)?))
            }
            Kind::Apply(function, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|a| self.value(*a))
                    .collect::<Result<Vec<_>, _>>()?;
                match self.interpretation.apply(*function, &arguments) {
                    Some(value) if value.has_sort(term.sort()) => Ok(value),
                    Some(_) => Err(EvaluateError::IllSorted(term)),
                    None => Err(EvaluateError::NoInterpretation {
                        function: *function,
                        arguments,
                    }),
                }
            }
            Kind::List(operation, operands) => {
                let operands = operands.iter().map(|a| self.value(*a)).collect::<Result<Vec<_>, _>>()?;
                self.list(term, *operation, operands)
            }
            Kind::Bits(operation, operands) => self.bits(term, *operation, operands),
            _ => self.arithmetic(term),
        }
    }

    fn truth(&mut self, term: Term) -> Result<bool, EvaluateError> {
        self.value(term)?.as_bool().ok_or(EvaluateError::IllSorted(term))
    }

    /// `decisive` if some operand is `decisive`.
    fn connective(&mut self, operands: &[Term], decisive: bool) -> Outcome {
        for operand in operands {
            if self.truth(*operand)? == decisive {
                return Ok(Value::Bool(decisive));
            }
        }
        Ok(Value::Bool(!decisive))
    }

    /// `decisive` if the body is `decisive` for some values of the variables, `!decisive` otherwise.
    fn any(&mut self, variables: &[Variable], body: Term, decisive: bool) -> Result<bool, EvaluateError> {
        let Some((variable, rest)) = variables.split_first() else {
            let value = self.evaluate_deep(body)?;
            return value.as_bool().ok_or(EvaluateError::IllSorted(body));
        };
        let mut outcome = Ok(!decisive);
        for value in self.domain(variable.sort)? {
            self.bound.push((*variable, value));
            self.known.push(FastMap::default());
            outcome = self.any(rest, body, decisive);
            self.known.pop();
            self.bound.pop();
            if outcome != Ok(!decisive) {
                break;
            }
        }
        outcome
    }

    fn domain(&self, sort: Sort) -> Result<Vec<Value>, EvaluateError> {
        if let Some(values) = self.interpretation.domain(sort) {
            return Ok(values);
        }
        match sort {
            Sort::Bool => Ok(vec![Value::Bool(false), Value::Bool(true)]),
            Sort::Enum(sort) => Ok((0u32..)
                .zip(sort.values())
                .map(|(n, _)| Value::Enumerator(sort, n))
                .collect()),
            _ => Err(EvaluateError::InfiniteDomain(sort)),
        }
    }

    fn list(&self, term: Term, operation: ListOperation, mut operands: Vec<Value>) -> Outcome {
        let ill_sorted = Err(EvaluateError::IllSorted(term));
        let element = if operands.len() == 2 { operands.pop() } else { None };
        let Some(Value::List(mut elements)) = operands.pop() else {
            return ill_sorted;
        };
        match (operation, element) {
            (ListOperation::Append, Some(element)) => {
                elements.push(element);
                Ok(Value::List(elements))
            }
            (ListOperation::Head, None) if elements.is_empty() => {
                let value = self.interpretation.undefined(PartialOperation::Head, term.sort(), &[]);
                value.ok_or(EvaluateError::HeadOfEmptyList)
            }
            (ListOperation::Head, None) => Ok(elements.swap_remove(0)),
            (ListOperation::Tail, None) => Ok(Value::List(elements.into_iter().skip(1).collect())),
            (ListOperation::Length, None) => i128::try_from(elements.len())
                .map(Value::Int)
                .map_err(|_| EvaluateError::Overflow),
            _ => ill_sorted,
        }
    }

    fn bits(&mut self, term: Term, operation: BitOperation, operands: &[Term]) -> Outcome {
        let mut known = Vec::new();
        for operand in operands {
            match self.value(*operand)? {
                Value::Bits(bits) => known.push(bits),
                _ => return Err(EvaluateError::IllSorted(term)),
            }
        }
        match operation.apply(&known) {
            Some(bits::BitResult::Bits(bits)) => Ok(Value::Bits(bits)),
            Some(bits::BitResult::Truth(value)) => Ok(Value::Bool(value)),
            None => Err(EvaluateError::IllSorted(term)),
        }
    }

    fn arithmetic(&mut self, term: Term) -> Outcome {
        let mut operands = Vec::new();
        for child in term.children() {
            operands.push(self.value(child)?);
        }
        let integers: Option<Vec<i128>> = operands.iter().map(Value::as_int).collect();
        if let Some(integers) = integers {
            return self.integer_arithmetic(term, &integers);
        }
        let mut reals = Vec::new();
        for operand in &operands {
            match operand {
                Value::Real(value) => reals.push(*value),
                _ => return Err(EvaluateError::IllSorted(term)),
            }
        }
        self.real_arithmetic(term, &reals)
    }

    fn integer_arithmetic(&self, term: Term, operands: &[i128]) -> Outcome {
        let result = match (term.kind(), operands) {
            (Kind::Less(..), [a, b]) => return Ok(Value::Bool(a < b)),
            (Kind::LessEqual(..), [a, b]) => return Ok(Value::Bool(a <= b)),
            (Kind::Add(_), _) => operands.iter().try_fold(0i128, |sum, a| sum.checked_add(*a)),
            (Kind::Multiply(..), [a, b]) => a.checked_mul(*b),
            (Kind::Divide(..), [a, 0]) => return self.by_zero(PartialOperation::Divide, Value::Int(*a), Sort::Int),
            (Kind::Modulo(..), [a, 0]) => return self.by_zero(PartialOperation::Modulo, Value::Int(*a), Sort::Int),
            (Kind::Divide(..), [a, b]) => a.checked_div_euclid(*b),
            // `checked_rem` overflows only for the least number modulo -1, whose remainder is zero.
            (Kind::Modulo(..), [a, b]) => Some(a.checked_rem_euclid(*b).unwrap_or(0)),
            _ => return Err(EvaluateError::IllSorted(term)),
        };
        result.map(Value::Int).ok_or(EvaluateError::Overflow)
    }

    fn real_arithmetic(&self, term: Term, operands: &[Rational]) -> Outcome {
        let result = match (term.kind(), operands) {
            (Kind::Less(..), [a, b]) => return Ok(Value::Bool(a < b)),
            (Kind::LessEqual(..), [a, b]) => return Ok(Value::Bool(a <= b)),
            (Kind::Add(_), _) => operands.iter().try_fold(Rational::ZERO, |sum, a| sum.checked_add(*a)),
            (Kind::Multiply(..), [a, b]) => a.checked_mul(*b),
            (Kind::Divide(..), [a, b]) if b.is_zero() => {
                return self.by_zero(PartialOperation::Divide, Value::Real(*a), Sort::Real);
            }
            (Kind::Divide(..), [a, b]) => a.checked_div(*b),
            _ => return Err(EvaluateError::IllSorted(term)),
        };
        result.map(Value::Real).ok_or(EvaluateError::Overflow)
    }

    fn by_zero(&self, operation: PartialOperation, dividend: Value, sort: Sort) -> Outcome {
        self.interpretation
            .undefined(operation, sort, &[dividend])
            .ok_or(EvaluateError::DivisionByZero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{self, add, and, equal, exists, forall, int, less, or};

    /// Three nodes; `f` maps each to its successor and the last to itself; nothing else is interpreted.
    struct Line;

    impl Interpretation for Line {
        fn apply(&self, _: Function, arguments: &[Value]) -> Option<Value> {
            match arguments {
                [Value::Index(name, n)] => Some(Value::Index(*name, (n + 1).min(2))),
                _ => None,
            }
        }

        fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
            match sort {
                Sort::Index(name) => Some((0..3).map(|n| Value::Index(name, n)).collect()),
                _ => None,
            }
        }
    }

    fn node() -> Sort {
        Sort::Index("Node".into())
    }

    fn value(term: Term) -> Outcome {
        evaluate(term, &Environment::new(), &Line)
    }

    fn unknown_flag() -> Term {
        Function::constant("unknown", Sort::Bool).apply([])
    }

    #[test]
    fn quantifiers_range_over_the_domain() {
        let next = Function::new("next", vec![node()], node());
        let [x, y] = ["x", "y"].map(|name| Variable::new(name, node()));
        let steps_to = |a: Variable, b: Variable| equal(next.apply([a.term()]), b.term());
        assert_eq!(value(forall([x], exists([y], steps_to(x, y)))), Ok(Value::Bool(true)));
        assert_eq!(value(forall([y], exists([x], steps_to(x, y)))), Ok(Value::Bool(false)));
        let n = Variable::new("n", Sort::Int);
        let positive = exists([n], less(int(0), n.term()));
        assert_eq!(value(positive), Err(EvaluateError::InfiniteDomain(Sort::Int)));
    }

    #[test]
    fn an_inner_binding_hides_the_outer_one() {
        let x = Variable::new("x", Sort::Bool);
        // Smart constructors may rebuild terms, but never rename: both quantifiers bind the same variable.
        let formula = forall([x], or([term::not(x.term()), exists([x], term::not(x.term()))]));
        assert_eq!(value(formula), Ok(Value::Bool(true)));
    }

    #[test]
    fn connectives_look_no_further_than_they_must() {
        let impossible = unknown_flag();
        let x = Variable::new("x", Sort::Bool);
        let environment = Environment::from_iter([(x, Value::Bool(false))]);
        let guarded = and([x.term(), impossible]);
        assert_eq!(evaluate(guarded, &environment, &Line), Ok(Value::Bool(false)));
        assert!(evaluate(and([impossible, x.term()]), &environment, &Line).is_err());
    }

    #[test]
    fn errors_say_what_is_missing() {
        let n = Variable::new("n", Sort::Int);
        let bind = |value| Environment::from_iter([(n, Value::Int(value))]);
        assert_eq!(value(n.term()), Err(EvaluateError::UnboundVariable(n)));
        let sum = add([n.term(), n.term()]);
        assert_eq!(evaluate(sum, &bind(i128::MAX), &Line), Err(EvaluateError::Overflow));
        let quotient = term::divide(int(7), n.term());
        assert_eq!(evaluate(quotient, &bind(0), &Line), Err(EvaluateError::DivisionByZero));
        assert_eq!(evaluate(quotient, &bind(-2), &Line), Ok(Value::Int(-3)));
        let smallest = term::modulo(int(i128::MIN), n.term());
        assert_eq!(evaluate(smallest, &bind(-1), &Line), Ok(Value::Int(0)));
        assert_eq!(
            value(term::head(term::empty_list(Sort::Int))),
            Err(EvaluateError::HeadOfEmptyList)
        );
        assert!(matches!(
            value(unknown_flag()),
            Err(EvaluateError::NoInterpretation { .. })
        ));
    }

    /// Counts its evaluations.
    struct CountingInterpretation(std::cell::Cell<usize>);

    impl Interpretation for CountingInterpretation {
        fn apply(&self, _: Function, _: &[Value]) -> Option<Value> {
            self.0.set(self.0.get() + 1);
            Some(Value::Int(1))
        }

        fn domain(&self, _: Sort) -> Option<Vec<Value>> {
            None
        }
    }

    #[test]
    fn what_terms_have_in_common_is_evaluated_once() {
        let (asked, environment) = (CountingInterpretation(std::cell::Cell::new(0)), Environment::new());
        let n = Variable::new("n", Sort::Int);
        let shared = Function::constant("shared", Sort::Int).apply([]);
        let sum = add([shared, n.term()]);
        let mut evaluator = Evaluator::new(&environment, &asked);
        for number in 0..3 {
            let bindings = [(n, Value::Int(number))];
            assert_eq!(evaluator.evaluate_where(&bindings, sum), Ok(Value::Int(number + 1)));
        }
        assert_eq!(evaluator.evaluate(sum), Err(EvaluateError::UnboundVariable(n)));
        assert_eq!(asked.0.get(), 1);
        evaluator.forget();
        assert_eq!(evaluator.evaluate(add([shared, int(1)])), Ok(Value::Int(2)));
        assert_eq!(asked.0.get(), 2);
    }

    #[test]
    fn deep_terms_do_not_overflow_the_stack() {
        let n = Variable::new("n", Sort::Int);
        let mut term = n.term();
        for _ in 0..100_000 {
            term = term::ite(less(term, int(5)), add([term, int(1)]), n.term());
        }
        let environment = Environment::from_iter([(n, Value::Int(0))]);
        assert!(evaluate(term, &environment, &Line).is_ok());
    }
}
