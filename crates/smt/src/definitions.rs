//! Definitions that a solver gives for the functions of a script: the answer to `(get-model)`.

use crate::expression::{Expression, bits, number, parse};
use logic::{Sort, Term, term};
use std::collections::BTreeMap;

/// Reading is recursive.
const DEEPEST: usize = 3_000;

/// The value that the definition of a function has for these arguments, for every function that is asked for.
///
/// None where the text is no model, or says something that nobody here knows how to say: nothing follows from that.
pub fn applied(text: &str, wanted: &BTreeMap<String, Vec<Term>>) -> Option<BTreeMap<String, Term>> {
    let model = parse(text).ok()?;
    let mut found = BTreeMap::new();
    for definition in model.list()? {
        let [word, name, parameters, _, body] = definition.list()? else {
            continue;
        };
        let Some(arguments) = name.symbol().and_then(|name| wanted.get(name)) else {
            continue;
        };
        if word.symbol() != Some("define-fun") {
            return None;
        }
        let parameters = parameters.list()?;
        if parameters.len() != arguments.len() {
            return None;
        }
        let mut reader = Reader::default();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let [name, _] = parameter.list()? else { return None };
            reader.bound.push((name.symbol()?.to_owned(), *argument));
        }
        let value = reader.term(body)?;
        found.insert(name.symbol()?.to_owned(), value);
    }
    Some(found)
}

/// The formula of a text in which these names stand for terms. None where it says something that nobody here knows.
pub fn formula(text: &str, names: Vec<(String, Term)>) -> Option<Term> {
    let mut reader = Reader { bound: names, depth: 0 };
    let formula = reader.term(&parse(text).ok()?)?;
    (formula.sort() == Sort::Bool).then_some(formula)
}

#[derive(Default)]
struct Reader {
    /// What parameters and `let` name, the innermost last.
    bound: Vec<(String, Term)>,
    depth: usize,
}

impl Reader {
    fn term(&mut self, expression: &Expression) -> Option<Term> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let result = match expression {
            Expression::Symbol(symbol) => self.symbol(symbol),
            Expression::Number(_) => integer(expression),
            Expression::List(parts) => integer(expression).or_else(|| self.list(parts)),
            Expression::Text(_) => None,
        };
        self.depth -= 1;
        result
    }

    fn symbol(&self, symbol: &str) -> Option<Term> {
        match symbol {
            "true" => Some(term::bool(true)),
            "false" => Some(term::bool(false)),
            _ if symbol.starts_with('#') => bits(symbol).map(logic::bits::literal),
            _ => {
                let bound = self.bound.iter().rev().find(|(name, _)| name == symbol);
                bound.map(|(_, value)| *value)
            }
        }
    }

    fn list(&mut self, parts: &[Expression]) -> Option<Term> {
        let (head, rest) = parts.split_first()?;
        if let (Some("let"), [definitions, body]) = (head.symbol(), rest) {
            let outside = self.bound.len();
            let mut named = Vec::new();
            for definition in definitions.list()? {
                let [name, value] = definition.list()? else { return None };
                named.push((name.symbol()?.to_owned(), self.term(value)?));
            }
            self.bound.extend(named);
            let body = self.term(body);
            self.bound.truncate(outside);
            return body;
        }
        let operands: Option<Vec<Term>> = rest.iter().map(|operand| self.term(operand)).collect();
        application(head.symbol()?, &operands?)
    }
}

/// The sorts of operands are looked at first: constructors rely on them.
fn application(word: &str, operands: &[Term]) -> Option<Term> {
    let sort = operands.first()?.sort();
    let all = |wanted: Sort| operands.iter().all(|operand| operand.sort() == wanted);
    let is_integer = all(Sort::Int);
    let each = operands.iter().copied();
    let chain = |relation: fn(Term, Term) -> Term| {
        let pairs = operands.windows(2).map(|pair| relation(pair[0], pair[1]));
        term::and(pairs)
    };
    Some(match (word, operands) {
        ("and", _) if all(Sort::Bool) => term::and(each),
        ("or", _) if all(Sort::Bool) => term::or(each),
        ("not", [a]) if all(Sort::Bool) => term::not(*a),
        ("=>", [a, b]) if all(Sort::Bool) => term::implies(*a, *b),
        ("=", _) if all(sort) => chain(term::equal),
        ("distinct", [a, b]) if all(sort) => term::distinct(*a, *b),
        ("ite", [condition, a, b]) if sort == Sort::Bool && a.sort() == b.sort() => term::ite(*condition, *a, *b),
        ("<", _) if is_integer => chain(term::less),
        ("<=", _) if is_integer => chain(term::less_equal),
        (">", _) if is_integer => chain(|a, b| term::less(b, a)),
        (">=", _) if is_integer => chain(|a, b| term::less_equal(b, a)),
        ("+", _) if is_integer => term::add(each),
        ("-", [a]) if is_integer => term::negate(*a),
        ("-", [a, rest @ ..]) if is_integer => rest.iter().fold(*a, |sum, next| term::subtract(sum, *next)),
        ("*", [a, rest @ ..]) if is_integer => rest.iter().fold(*a, |product, next| term::multiply(product, *next)),
        ("div", [a, b]) if is_integer => term::divide(*a, *b),
        ("mod", [a, b]) if is_integer => term::modulo(*a, *b),
        _ => return None,
    })
}

fn integer(expression: &Expression) -> Option<Term> {
    let value = number(expression)?;
    (value.denominator == 1).then(|| term::int(value.numerator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Function;
    use logic::pretty::pretty;

    #[test]
    fn definitions_are_read() {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let text = "((define-fun other () Int 3)
            (define-fun P ((a Int) (b Int)) Bool
              (let ((c (+ a (* (- 1) b)))) (and (not (<= c (- 2))) (or (>= b 0) (= (mod a 2) 1))))))";
        let wanted = BTreeMap::from([("P".to_owned(), vec![x, y])]);
        let read = applied(text, &wanted).unwrap();
        assert_eq!(pretty(read["P"]), "x - y > -2 & (y >= 0 | x mod 2 = 1)");
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let wanted = BTreeMap::from([("P".to_owned(), Vec::new())]);
        for body in [
            "(f 1)",
            "x",
            "(and 1 true)",
            "(<= true false)",
            "(forall ((x Int)) true)",
            "(- )",
        ] {
            let text = format!("((define-fun P () Bool {body}))");
            assert_eq!(applied(&text, &wanted), None, "{body}");
        }
    }
}
