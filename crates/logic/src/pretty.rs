//! Terms for people: infix operators as Murphi writes them, and no more parentheses than needed.
//!
//! State functions are written as the user wrote them, `Chan[i].Cmd`, by way of a [`Notation`]. This text is for reading
//! only. It does not name shared sub-terms, so it is cut off with `...` where it would become too long for anyone to read.

use crate::order::StructuralOrder;
use crate::rational::Rational;
use crate::sort::Sort;
use crate::term::{Function, Kind, ListOperation, Quantifier, Term, as_number};
use std::collections::HashMap;

/// How the user writes things.
pub trait Notation {
    /// The application of a function to arguments that are already text; `None` for `f(a, b)`.
    fn application(&self, function: Function, arguments: &[String]) -> Option<String>;

    fn list_operation(&self, operation: ListOperation, operands: &[String]) -> String {
        let name = match operation {
            ListOperation::Append => "append",
            ListOperation::Head => "head",
            ListOperation::Tail => "tail",
            ListOperation::Length => "length",
        };
        format!("{name}({})", operands.join(", "))
    }
}

/// Patterns with one `{}` for each argument, such as `Chan[{}].Cmd`.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    patterns: HashMap<Function, String>,
}

impl FromIterator<(Function, String)> for Patterns {
    fn from_iter<I: IntoIterator<Item = (Function, String)>>(pairs: I) -> Patterns {
        Patterns {
            patterns: pairs.into_iter().collect(),
        }
    }
}

impl Notation for Patterns {
    fn application(&self, function: Function, arguments: &[String]) -> Option<String> {
        let pattern = self.patterns.get(&function)?;
        let mut pieces = pattern.split("{}");
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for (piece, argument) in pieces.zip(arguments) {
            text.push_str(argument);
            text.push_str(piece);
        }
        Some(text)
    }
}

/// Sub-terms deeper than this, or beyond this many, are written as `...`.
const DEPTH: usize = 100;
const SIZE: usize = 50_000;

/// The term with every application as `f(a, b)`.
pub fn pretty(term: Term) -> String {
    pretty_with(term, &Patterns::default())
}

/// The term as the user would write it.
pub fn pretty_with(term: Term, notation: &dyn Notation) -> String {
    let printer = Printer {
        notation,
        order: None,
        size: SIZE,
    };
    printer.whole(term)
}

/// The same, with the sides of equations in an order that is the same in every process.
pub fn pretty_ordered(term: Term, notation: &dyn Notation) -> String {
    let printer = Printer {
        notation,
        order: Some(StructuralOrder::of(term)),
        size: SIZE,
    };
    printer.whole(term)
}

/// How tightly operators bind, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Quantifiers reach as far to the right as possible.
    Whole,
    Conditional,
    Implication,
    Disjunction,
    Conjunction,
    Comparison,
    Sum,
    Product,
    Unary,
    Atom,
}

impl Level {
    fn tighter(self) -> Level {
        match self {
            Level::Whole => Level::Conditional,
            Level::Conditional => Level::Implication,
            Level::Implication => Level::Disjunction,
            Level::Disjunction => Level::Conjunction,
            Level::Conjunction => Level::Comparison,
            Level::Comparison => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Unary,
            Level::Unary | Level::Atom => Level::Atom,
        }
    }
}

struct Printer<'a> {
    notation: &'a dyn Notation,
    /// Of the sides of equations, where it matters.
    order: Option<StructuralOrder>,
    /// How many more sub-terms may be written.
    size: usize,
}

impl Printer<'_> {
    fn whole(mut self, term: Term) -> String {
        self.text(term, Level::Whole, DEPTH)
    }

    /// The text, in parentheses where the term binds less tightly than `level`.
    fn text(&mut self, term: Term, level: Level, depth: usize) -> String {
        if depth == 0 || self.size == 0 {
            return "...".to_owned();
        }
        self.size -= 1;
        let (own_level, text) = self.unbracketed(term, depth - 1);
        if own_level < level { format!("({text})") } else { text }
    }

    fn unbracketed(&mut self, term: Term, depth: usize) -> (Level, String) {
        match term.kind() {
            Kind::Bool(value) => (Level::Atom, value.to_string()),
            Kind::Int(value) => number(Rational::from_integer(*value)),
            Kind::Real(value) => number(*value),
            Kind::Enumerator(sort, position) => {
                let name = sort.values().get(*position as usize).copied().unwrap_or(sort.name());
                (Level::Atom, name.to_string())
            }
            Kind::EmptyList(_) => (Level::Atom, "[]".to_owned()),
            Kind::Variable(variable) => (Level::Atom, variable.name.to_string()),
            Kind::Apply(function, arguments) => (Level::Atom, self.application(*function, arguments, depth)),
            Kind::Not(inner) => self.negation(*inner, depth),
            Kind::And(operands) => self.infix(" & ", operands, Level::Conjunction, depth),
            Kind::Or(operands) => self.infix(" | ", operands, Level::Disjunction, depth),
            Kind::Implies(a, b) => {
                let condition = self.text(*a, Level::Disjunction, depth);
                let conclusion = self.text(*b, Level::Implication, depth);
                (Level::Implication, format!("{condition} -> {conclusion}"))
            }
            Kind::Equal(a, b) => self.comparison("=", *a, *b, depth),
            Kind::Less(a, b) => self.comparison("<", *a, *b, depth),
            Kind::LessEqual(a, b) => self.comparison("<=", *a, *b, depth),
            Kind::Ite(condition, then, otherwise) => {
                let [condition, then, otherwise] =
                    [*condition, *then, *otherwise].map(|part| self.text(part, Level::Implication, depth));
                (Level::Conditional, format!("{condition} ? {then} : {otherwise}"))
            }
            Kind::Add(operands) => self.sum(operands, depth),
            Kind::Multiply(a, b) if as_number(*a) == Some(Rational::from_integer(-1)) => {
                (Level::Unary, format!("-{}", self.text(*b, Level::Atom, depth)))
            }
            Kind::Multiply(a, b) => self.infix(" * ", &[*a, *b], Level::Product, depth),
            Kind::Divide(a, b) if term.sort() == Sort::Real => self.infix(" / ", &[*a, *b], Level::Product, depth),
            Kind::Divide(a, b) => self.infix(" div ", &[*a, *b], Level::Product, depth),
            Kind::Modulo(a, b) => self.infix(" mod ", &[*a, *b], Level::Product, depth),
            Kind::List(operation, operands) => {
                let operands: Vec<String> = operands
                    .iter()
                    .map(|operand| self.text(*operand, Level::Whole, depth))
                    .collect();
                (Level::Atom, self.notation.list_operation(*operation, &operands))
            }
            Kind::Quantified(quantifier, variables, body) => {
                let word = if *quantifier == Quantifier::Forall {
                    "forall"
                } else {
                    "exists"
                };
                let variables: Vec<String> = variables.iter().map(|v| format!("{}: {}", v.name, v.sort)).collect();
                let body = self.text(*body, Level::Whole, depth);
                (Level::Whole, format!("{word} {}. {body}", variables.join(", ")))
            }
        }
    }

    fn application(&mut self, function: Function, arguments: &[Term], depth: usize) -> String {
        let arguments: Vec<String> = arguments.iter().map(|a| self.text(*a, Level::Whole, depth)).collect();
        self.notation
            .application(function, &arguments)
            .unwrap_or_else(|| match arguments.as_slice() {
                [] => function.name().to_string(),
                _ => format!("{}({})", function.name(), arguments.join(", ")),
            })
    }

    /// A negated comparison is the opposite comparison.
    fn negation(&mut self, inner: Term, depth: usize) -> (Level, String) {
        match inner.kind() {
            Kind::Equal(a, b) => self.comparison("!=", *a, *b, depth),
            Kind::Less(a, b) => self.comparison(">=", *a, *b, depth),
            Kind::LessEqual(a, b) => self.comparison(">", *a, *b, depth),
            _ => (Level::Unary, format!("!{}", self.text(inner, Level::Unary, depth))),
        }
    }

    /// `a operator b`, turned around where that puts a number on the right.
    fn comparison(&mut self, operator: &str, a: Term, b: Term, depth: usize) -> (Level, String) {
        let turned = match operator {
            "<" => ">",
            "<=" => ">=",
            ">" => "<",
            ">=" => "<=",
            _ => operator,
        };
        let [a, b] = match (&self.order, operator) {
            (Some(order), "=" | "!=") => order.sides(a, b),
            _ => [a, b],
        };
        let (a, operator, b) = if a.is_value() && !b.is_value() {
            (b, turned, a)
        } else {
            (a, operator, b)
        };
        let [a, b] = [a, b].map(|side| self.text(side, Level::Sum, depth));
        (Level::Comparison, format!("{a} {operator} {b}"))
    }

    fn infix(&mut self, operator: &str, operands: &[Term], level: Level, depth: usize) -> (Level, String) {
        let operands: Vec<String> = operands.iter().map(|o| self.text(*o, level.tighter(), depth)).collect();
        (level, operands.join(operator))
    }

    /// What is subtracted follows a minus sign.
    fn sum(&mut self, operands: &[Term], depth: usize) -> (Level, String) {
        let mut text = String::new();
        for operand in operands {
            let summand = self.text(*operand, Level::Product, depth);
            // Not every text with a sign in front is negative as a whole: `-x mod y` is not.
            let factor = match operand.kind() {
                Kind::Multiply(a, _) => as_number(*a),
                _ => as_number(*operand),
            };
            let negative = factor.is_some_and(|factor| factor.numerator < 0);
            match summand.strip_prefix('-').filter(|_| negative) {
                _ if text.is_empty() => text = summand,
                Some(positive) => text.push_str(&format!(" - {positive}")),
                None => text.push_str(&format!(" + {summand}")),
            }
        }
        (Level::Sum, text)
    }
}

/// Negative numbers bind like a sign, fractions like a product.
fn number(value: Rational) -> (Level, String) {
    let level = match (value.numerator < 0, value.denominator) {
        (_, denominator) if denominator != 1 => Level::Product,
        (true, _) => Level::Unary,
        _ => Level::Atom,
    };
    (level, value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;
    use crate::term::{
        Variable, add, and, append, distinct, empty_list, equal, exists, forall, implies, int, ite, less, less_equal,
        multiply, not, or, subtract,
    };
    use crate::term::{modulo, negate};

    fn flag(name: &str) -> Term {
        Function::constant(name, Sort::Bool).apply([])
    }

    #[test]
    fn parentheses_only_where_needed() {
        let [p, q, r] = ["p", "q", "r"].map(flag);
        assert_eq!(pretty(or([and([p, q]), not(r)])), "p & q | !r");
        assert_eq!(pretty(and([or([p, q]), not(or([p, r]))])), "(p | q) & !(p | r)");
        assert_eq!(pretty(implies(implies(p, q), implies(q, r))), "(p -> q) -> q -> r");
        assert_eq!(pretty(equal(p, and([q, r]))), "p = (q & r)");
        assert_eq!(pretty(ite(p, q, ite(q, r, p))), "p ? q : (q ? r : p)");
        let x = Variable::new("x", Sort::Index("Node".into()));
        let owns = Function::new("owns", vec![x.sort], Sort::Bool).apply([x.term()]);
        assert_eq!(pretty(forall([x], implies(p, owns))), "forall x: Node. p -> owns(x)");
        assert_eq!(pretty(and([p, exists([x], owns)])), "p & (exists x: Node. owns(x))");
        assert_eq!(pretty(not(exists([x], owns))), "!(exists x: Node. owns(x))");
    }

    #[test]
    fn numbers_and_lists() {
        let [n, m] = ["n", "m"].map(|name| Function::constant(name, Sort::Int).apply([]));
        assert_eq!(pretty(less(int(0), n)), "n > 0");
        assert_eq!(pretty(not(less_equal(n, int(0)))), "n > 0");
        assert_eq!(pretty(distinct(n, m)), "n != m");
        assert_eq!(pretty(subtract(n, add([multiply(int(2), m), int(3)]))), "n - 2 * m - 3");
        assert_eq!(pretty(add([n, int(-3)])), "n - 3");
        assert_eq!(pretty(add([n, multiply(int(-2), m)])), "n - 2 * m");
        assert_eq!(pretty(multiply(int(2), add([n, m]))), "2 * n + 2 * m");
        assert_eq!(pretty(add([n, modulo(negate(n), m)])), "n + -n mod m");
        assert_eq!(pretty(append(empty_list(Sort::Int), n)), "append([], n)");
    }

    #[test]
    fn functions_look_as_the_user_wrote_them() {
        let node = Sort::Index("Node".into());
        let command = Function::new("Chan.Cmd", vec![node], Sort::Bool);
        let notation = Patterns::from_iter([(command, "Chan[{}].Cmd".to_owned())]);
        let i = Variable::new("i", node);
        assert_eq!(pretty_with(not(command.apply([i.term()])), &notation), "!Chan[i].Cmd");
    }

    #[test]
    fn endless_text_is_cut_off() {
        let mut number = Function::constant("n", Sort::Int).apply([]);
        for _ in 0..200 {
            number = multiply(number, add([number, int(1)]));
        }
        assert!(pretty(number).len() < 1_000_000);
    }
}
