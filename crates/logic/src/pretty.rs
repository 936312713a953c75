//! Terms for people: Murphi's infix operators, and no redundant parentheses.
//!
//! A [`Notation`] renders state functions the way the user wrote them, `Chan[i].Cmd`. The text is for reading only:
//! shared sub-terms are not named, so very large terms are truncated with `...`.

use crate::bits::BitOperation;
use crate::quotient::{self, Quotient, Remainders, Rounding};
use crate::rational::Rational;
use crate::sort::Sort;
use crate::term::{self, Function, Kind, ListOperation, Quantifier, Term, as_number};
use std::collections::{HashMap, HashSet};

/// How the user writes functions.
pub trait Notation {
    /// The application of a function to rendered arguments; `None` for the default `f(a, b)`.
    fn application(&self, function: Function, arguments: &[String]) -> Option<String>;

    /// Whether the function is never negative, so that all kinds of division coincide.
    fn is_natural(&self, _function: Function) -> bool {
        false
    }

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
    naturals: HashSet<Function>,
}

impl Patterns {
    /// Derives from facts such as `forall i. 0 <= f(i)` which functions are never negative.
    pub fn with_facts(mut self, facts: impl IntoIterator<Item = Term>) -> Patterns {
        let mut pending: Vec<Term> = facts.into_iter().collect();
        while let Some(fact) = pending.pop() {
            match fact.kind() {
                Kind::Quantified(Quantifier::Forall, _, body) => pending.push(*body),
                Kind::And(operands) => pending.extend(operands),
                Kind::LessEqual(low, number) if as_number(*low).is_some_and(|low| low.numerator >= 0) => {
                    if let Kind::Apply(function, arguments) = number.kind()
                        && arguments
                            .iter()
                            .all(|argument| matches!(argument.kind(), Kind::Variable(_)))
                    {
                        self.naturals.insert(*function);
                    }
                }
                _ => {}
            }
        }
        self
    }
}

impl FromIterator<(Function, String)> for Patterns {
    fn from_iter<I: IntoIterator<Item = (Function, String)>>(pairs: I) -> Patterns {
        Patterns {
            patterns: pairs.into_iter().collect(),
            naturals: HashSet::new(),
        }
    }
}

impl Notation for Patterns {
    fn is_natural(&self, function: Function) -> bool {
        self.naturals.contains(&function)
    }

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

/// Sub-terms deeper than this, or beyond this many, are rendered as `...`.
const DEPTH: usize = 100;
const SIZE: usize = 50_000;

/// Renders every application as `f(a, b)`.
pub fn pretty(term: Term) -> String {
    pretty_with(term, &Patterns::default())
}

/// Renders the term in the user's notation.
pub fn pretty_with(term: Term, notation: &dyn Notation) -> String {
    pretty_up_to(SIZE, term, notation)
}

/// Renders at most `size` sub-terms; the rest becomes `...`.
pub fn pretty_up_to(size: usize, term: Term, notation: &dyn Notation) -> String {
    let printer = Printer { notation, size };
    printer.whole(term)
}

/// Operator precedence, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Quantifiers extend as far to the right as possible.
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
    /// The remaining budget of sub-terms.
    size: usize,
}

impl Printer<'_> {
    fn whole(mut self, term: Term) -> String {
        self.text(term, Level::Whole, DEPTH)
    }

    /// The text, in parentheses if the term binds less tightly than `level`.
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
            Kind::BitVector(bits) => number(Rational::from_integer(bits.signed())),
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
                if let Some(quotient) = quotient::recognise(term) {
                    return self.quotient(quotient, depth);
                }
                let [condition, then, otherwise] =
                    [*condition, *then, *otherwise].map(|part| self.text(part, Level::Implication, depth));
                (Level::Conditional, format!("{condition} ? {then} : {otherwise}"))
            }
            Kind::Add(_) => self.sum(term, depth),
            Kind::Multiply(a, b) if as_number(*a) == Some(Rational::from_integer(-1)) => {
                (Level::Unary, format!("-{}", self.text(*b, Level::Atom, depth)))
            }
            Kind::Multiply(a, b) => self.infix(" * ", &[*a, *b], Level::Product, depth),
            Kind::Divide(a, b) if term.sort() == Sort::Real => self.infix(" / ", &[*a, *b], Level::Product, depth),
            Kind::Divide(a, b) => {
                let operator = if self.are_natural([*a, *b]) { " / " } else { " div " };
                self.infix(operator, &[*a, *b], Level::Product, depth)
            }
            Kind::Modulo(a, b) => {
                let operator = if self.are_natural([*a, *b]) { " % " } else { " mod " };
                self.infix(operator, &[*a, *b], Level::Product, depth)
            }
            Kind::List(operation, operands) => {
                let operands: Vec<String> = operands
                    .iter()
                    .map(|operand| self.text(*operand, Level::Whole, depth))
                    .collect();
                (Level::Atom, self.notation.list_operation(*operation, &operands))
            }
            Kind::Bits(operation, operands) => self.bits(*operation, operands, depth),
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

    /// Unsigned variants of operations carry a `u`.
    fn bits(&mut self, operation: BitOperation, operands: &[Term], depth: usize) -> (Level, String) {
        let (operator, level) = match operation {
            BitOperation::Negate | BitOperation::Complement => {
                let sign = if operation == BitOperation::Negate { "-" } else { "~" };
                let operand = operands.first().map(|a| self.text(*a, Level::Atom, depth));
                return (Level::Unary, format!("{sign}{}", operand.unwrap_or_default()));
            }
            BitOperation::Add => (" + ", Level::Sum),
            BitOperation::Multiply => (" * ", Level::Product),
            BitOperation::UnsignedDivide => (" /u ", Level::Product),
            BitOperation::UnsignedRemainder => (" %u ", Level::Product),
            BitOperation::SignedDivide => (" / ", Level::Product),
            BitOperation::SignedRemainder => (" % ", Level::Product),
            BitOperation::UnsignedLess => (" <u ", Level::Comparison),
            BitOperation::UnsignedLessEqual => (" <=u ", Level::Comparison),
            BitOperation::SignedLess => (" < ", Level::Comparison),
            BitOperation::SignedLessEqual => (" <= ", Level::Comparison),
            _ => {
                let operands: Vec<String> = operands.iter().map(|a| self.text(*a, Level::Whole, depth)).collect();
                let indices = match operation {
                    BitOperation::Extract { high, low } => format!("[{high}..{low}]"),
                    BitOperation::ZeroExtend(by) | BitOperation::SignExtend(by) => format!("[{by}]"),
                    _ => String::new(),
                };
                let text = format!("{}{indices}({})", operation.symbol(), operands.join(", "));
                return (Level::Atom, text);
            }
        };
        self.infix(operator, operands, level, depth)
    }

    /// A negated comparison becomes the opposite comparison.
    fn negation(&mut self, inner: Term, depth: usize) -> (Level, String) {
        match inner.kind() {
            Kind::Equal(a, b) => self.comparison("!=", *a, *b, depth),
            Kind::Less(a, b) => self.comparison(">=", *a, *b, depth),
            Kind::LessEqual(a, b) => self.comparison(">", *a, *b, depth),
            _ => (Level::Unary, format!("!{}", self.text(inner, Level::Unary, depth))),
        }
    }

    /// `a operator b`, mirrored if that moves a number to the right.
    fn comparison(&mut self, operator: &str, a: Term, b: Term, depth: usize) -> (Level, String) {
        let turned = match operator {
            "<" => ">",
            "<=" => ">=",
            ">" => "<",
            ">=" => "<=",
            _ => operator,
        };
        if let Some(text) = self.comparison_of_remainder((operator, turned), a, b, depth) {
            return (Level::Comparison, text);
        }
        let (a, operator, b) = if a.is_value() && !b.is_value() {
            (b, turned, a)
        } else {
            (a, operator, b)
        };
        let [a, b] = [a, b].map(|side| self.text(side, Level::Sum, depth));
        (Level::Comparison, format!("{a} {operator} {b}"))
    }

    /// `x = 2 * (x / 2) + 1` is `x % 2 = 1`.
    fn comparison_of_remainder(
        &mut self,
        (operator, turned): (&str, &str),
        a: Term,
        b: Term,
        depth: usize,
    ) -> Option<String> {
        let has_quotient =
            |side: Term| matches!(side.kind(), Kind::Add(_) | Kind::Multiply(..)) && side.sort() == Sort::Int;
        if !has_quotient(a) && !has_quotient(b) {
            return None;
        }
        let Remainders { rest, parts } = quotient::remainders(term::subtract(a, b));
        let [(factor @ (1 | -1), remainder)] = parts[..] else {
            return None;
        };
        let (operator, other) = match factor {
            1 => (operator, term::negate(rest)),
            _ => (turned, rest),
        };
        let remainder = self.remainder(remainder, depth);
        Some(format!(
            "{remainder} {operator} {}",
            self.text(other, Level::Sum, depth)
        ))
    }

    fn infix(&mut self, operator: &str, operands: &[Term], level: Level, depth: usize) -> (Level, String) {
        let operands: Vec<String> = operands.iter().map(|o| self.text(*o, level.tighter(), depth)).collect();
        (level, operands.join(operator))
    }

    /// Subtracted operands follow a minus sign, and the constant comes last.
    fn sum(&mut self, sum: Term, depth: usize) -> (Level, String) {
        let Remainders { rest, parts } = quotient::remainders(sum);
        if let (Kind::Int(0), [(1, remainder)]) = (rest.kind(), &parts[..]) {
            return (Level::Product, self.remainder(*remainder, depth));
        }
        let rest = match rest.kind() {
            Kind::Add(operands) => operands.clone(),
            Kind::Int(0) => Vec::new(),
            _ => vec![rest],
        };
        let (constants, rest): (Vec<Term>, Vec<Term>) = rest.iter().partition(|operand| operand.is_value());
        let mut summands: Vec<(bool, String)> = rest.iter().map(|operand| self.summand(*operand, depth)).collect();
        for (factor, remainder) in parts {
            let text = self.remainder(remainder, depth);
            summands.push(match factor.unsigned_abs() {
                1 => (factor < 0, text),
                times => (factor < 0, format!("{times} * ({text})")),
            });
        }
        summands.extend(constants.iter().map(|constant| self.summand(*constant, depth)));
        let mut text = String::new();
        for (negative, summand) in summands {
            text.push_str(match (text.is_empty(), negative) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            text.push_str(&summand);
        }
        (Level::Sum, text)
    }

    /// An operand without its sign, and whether the sign is a minus.
    fn summand(&mut self, operand: Term, depth: usize) -> (bool, String) {
        let text = self.text(operand, Level::Product, depth);
        // A text that starts with a sign need not be negative as a whole: `-x mod y` is not.
        let factor = match operand.kind() {
            Kind::Multiply(a, _) => as_number(*a),
            _ => as_number(operand),
        };
        let negative = factor.is_some_and(|factor| factor.numerator < 0);
        match text.strip_prefix('-').filter(|_| negative) {
            Some(positive) => (true, positive.to_owned()),
            None => (false, text),
        }
    }

    /// In the user's notation; in SMT-LIB's terms if the rounding makes a difference.
    fn quotient(&mut self, quotient: Quotient, depth: usize) -> (Level, String) {
        let operator = if self.is_plain(&quotient) { " / " } else { " div " };
        let sides = [quotient.dividend, quotient.divisor];
        let (level, text) = self.infix(operator, &sides, Level::Product, depth);
        match quotient.negative {
            true => (Level::Unary, format!("-({text})")),
            false => (level, text),
        }
    }

    fn remainder(&mut self, quotient: Quotient, depth: usize) -> String {
        let operator = if self.is_plain(&quotient) { " % " } else { " mod " };
        let sides = [quotient.dividend, quotient.divisor];
        self.infix(operator, &sides, Level::Product, depth).1
    }

    fn is_plain(&self, quotient: &Quotient) -> bool {
        quotient.rounding == Rounding::Truncated || self.are_natural([quotient.dividend, quotient.divisor])
    }

    /// Whether the numbers are never negative. The analysis is no deeper than the rendered text.
    fn are_natural(&self, numbers: [Term; 2]) -> bool {
        let mut pending = numbers.to_vec();
        let mut patience = DEPTH;
        while let Some(number) = pending.pop() {
            if patience == 0 {
                return false;
            }
            patience -= 1;
            match number.kind() {
                Kind::Int(value) if *value >= 0 => {}
                Kind::Apply(function, _) if self.notation.is_natural(*function) => {}
                Kind::List(ListOperation::Length, _) => {}
                Kind::Add(operands) => pending.extend(operands),
                Kind::Multiply(a, b) | Kind::Divide(a, b) | Kind::Modulo(a, b) | Kind::Ite(_, a, b) => {
                    pending.extend([*a, *b]);
                }
                _ => return false,
            }
        }
        true
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
        assert_eq!(pretty(distinct(n, m)), "m != n");
        assert_eq!(pretty(subtract(n, add([multiply(int(2), m), int(3)]))), "n - 2 * m - 3");
        assert_eq!(pretty(add([n, int(-3)])), "n - 3");
        assert_eq!(pretty(add([n, multiply(int(-2), m)])), "n - 2 * m");
        assert_eq!(pretty(multiply(int(2), add([n, m]))), "2 * n + 2 * m");
        assert_eq!(pretty(add([n, modulo(negate(n), m)])), "n + -n mod m");
        assert_eq!(pretty(append(empty_list(Sort::Int), n)), "append([], n)");
    }

    #[test]
    fn division_is_shown_as_it_was_written() {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let next = add([x, int(3)]);
        let quotient = quotient::truncated_quotient;
        let remainder = quotient::truncated_remainder;
        for (term, text) in [
            (quotient(x, int(2)), "x / 2"),
            (quotient(next, int(2)), "(x + 3) / 2"),
            (quotient(x, y), "x / y"),
            (quotient(int(-7), y), "-7 / y"),
            (quotient(x, int(-2)), "-(x / 2)"),
            (remainder(x, int(2)), "x % 2"),
            (remainder(next, int(3)), "(x + 3) % 3"),
            (remainder(x, add([y, int(1)])), "x % (y + 1)"),
            (add([y, remainder(x, int(2)), int(1)]), "y + x % 2 + 1"),
            (subtract(y, remainder(multiply(int(2), x), int(3))), "y - (2 * x) % 3"),
            (subtract(y, multiply(int(4), remainder(x, int(3)))), "y - 4 * (x % 3)"),
            (equal(remainder(x, int(2)), int(1)), "x % 2 = 1"),
            (
                equal(x, add([multiply(int(2), quotient(x, int(2))), int(1)])),
                "x % 2 = 1",
            ),
            (less(multiply(int(2), quotient(x, int(2))), x), "x % 2 > 0"),
            (equal(x, multiply(int(2), term::divide(x, int(2)))), "x mod 2 = 0"),
            (term::divide(x, int(2)), "x div 2"),
        ] {
            assert_eq!(pretty(term), text);
            // Simplification exploits the conditions on signs, which are not rendered then.
            if !text.contains("y") && !text.contains("mod") {
                assert!(
                    !pretty(crate::simplify(term)).contains('?'),
                    "{}",
                    pretty(crate::simplify(term))
                );
            }
        }
    }

    #[test]
    fn where_nothing_is_negative_all_division_is_the_same() {
        let node = Sort::Index("Node".into());
        let count = Function::new("count", vec![node], Sort::Int);
        let i = Variable::new("i", node);
        let fact = forall(
            [i],
            and([
                less_equal(int(0), count.apply([i.term()])),
                less_equal(count.apply([i.term()]), int(7)),
            ]),
        );
        let notation = Patterns::from_iter([(count, "count[{}]".to_owned())]).with_facts([fact]);
        let next = add([count.apply([i.term()]), int(1)]);
        assert_eq!(pretty_with(modulo(next, int(8)), &notation), "(count[i] + 1) % 8");
        assert_eq!(pretty_with(term::divide(next, int(2)), &notation), "(count[i] + 1) / 2");
        assert_eq!(pretty(modulo(next, int(8))), "(count(i) + 1) mod 8");
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
