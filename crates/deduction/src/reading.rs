//! SMT-LIB text read back as terms.
//!
//! Reading checks everything: terms that come back are well sorted, over the symbols and names that are known. What
//! cannot be read is `None`, and nothing follows from that.

use logic::smtlib::{Meaning, Symbols};
use logic::well_sorted::ill_sorted_subterm;
use logic::{Rational, Sort, Term, Variable, term};
use smt::expression::{Expression, bits, number, parse};
use std::collections::BTreeMap;

/// Reading is recursive: deeper certificates are refused, and deeper models.
const MAX_DEPTH: usize = 500;
const MAX_MODEL_DEPTH: usize = 3_000;

/// A closed formula over the symbols, as `logic::smtlib` writes it.
pub fn read_formula(text: &str, symbols: &Symbols) -> Option<Term> {
    let mut reader = Reader {
        symbols: Some(symbols),
        bound: Vec::new(),
        depth: MAX_DEPTH,
    };
    let formula = reader.term(&parse(text).ok()?)?;
    let is_closed = formula.sort() == Sort::Bool && formula.free_variables().is_empty();
    (is_closed && ill_sorted_subterm(formula).is_none()).then_some(formula)
}

/// A formula in which these names stand for terms, as solvers write it.
pub fn read_formula_over(text: &str, names: Vec<(String, Term)>) -> Option<Term> {
    let mut reader = Reader {
        symbols: None,
        bound: names,
        depth: MAX_MODEL_DEPTH,
    };
    let formula = reader.term(&parse(text).ok()?)?;
    (formula.sort() == Sort::Bool).then_some(formula)
}

/// The values that the answer to `(get-model)` gives to functions for these arguments, by their names.
pub fn read_definitions(text: &str, wanted: &BTreeMap<String, Vec<Term>>) -> Option<BTreeMap<String, Term>> {
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
        let mut reader = Reader {
            symbols: None,
            bound: Vec::new(),
            depth: MAX_MODEL_DEPTH,
        };
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let [name, _] = parameter.list()? else { return None };
            reader.bound.push((name.symbol()?.to_owned(), *argument));
        }
        let value = reader.term(body)?;
        found.insert(name.symbol()?.to_owned(), value);
    }
    Some(found)
}

struct Reader<'s> {
    symbols: Option<&'s Symbols>,
    /// Names given from outside, and by `let` and quantifiers, the innermost last.
    bound: Vec<(String, Term)>,
    /// The levels that may still be entered.
    depth: usize,
}

impl Reader<'_> {
    fn term(&mut self, expression: &Expression) -> Option<Term> {
        self.depth = self.depth.checked_sub(1)?;
        let result = match expression {
            Expression::Symbol(symbol) => self.symbol(symbol),
            Expression::Number(_) => literal(expression),
            Expression::List(parts) => literal(expression).or_else(|| self.list(parts)),
            Expression::Text(_) => None,
        };
        self.depth += 1;
        result
    }

    fn symbol(&self, symbol: &str) -> Option<Term> {
        if let Some((_, value)) = self.bound.iter().rev().find(|(name, _)| name == symbol) {
            return Some(*value);
        }
        match (symbol, self.meaning(symbol)) {
            ("true", _) => Some(term::bool(true)),
            ("false", _) => Some(term::bool(false)),
            (_, Some(Meaning::Function(function))) if function.parameters().is_empty() => Some(function.apply([])),
            (_, Some(Meaning::Enumerator(of, position))) => Some(term::enumerator(of, position as usize)),
            _ => bits(symbol).map(logic::bits::literal),
        }
    }

    fn meaning(&self, symbol: &str) -> Option<Meaning> {
        self.symbols?.meaning(symbol)
    }

    fn list(&mut self, parts: &[Expression]) -> Option<Term> {
        let (head, rest) = parts.split_first()?;
        match (head.symbol()?, rest) {
            ("let", [definitions, body]) => {
                let outside = self.bound.len();
                let mut named = Vec::new();
                for definition in definitions.list()? {
                    let [name, value] = definition.list()? else { return None };
                    named.push((name.symbol()?.to_owned(), self.term(value)?));
                }
                self.bound.extend(named);
                let body = self.term(body);
                self.bound.truncate(outside);
                body
            }
            (word @ ("forall" | "exists"), [variables, body]) => self.quantified(word, variables, body),
            ("as", [empty, sort]) if empty.symbol() == Some("seq.empty") => match self.sort(sort)? {
                Sort::List(element) => Some(term::empty_list(*element)),
                _ => None,
            },
            ("seq.++", [list, unit]) => match unit.list()? {
                [word, element] if word.symbol() == Some("seq.unit") => {
                    let (list, element) = (self.term(list)?, self.term(element)?);
                    (list.sort() == Sort::list(element.sort())).then(|| term::append(list, element))
                }
                _ => None,
            },
            ("seq.nth", [list, position]) if is_number(position, 0) => self.list_term(list).map(term::head),
            ("seq.extract", [list, from, length]) if is_number(from, 1) => {
                let [word, whole] = length.list()? else { return None };
                let same = word.symbol() == Some("seq.len") && self.term(whole)? == self.term(list)?;
                self.list_term(list).filter(|_| same).map(term::tail)
            }
            ("seq.len", [list]) => self.list_term(list).map(term::length),
            (word, operands) => {
                let operands: Option<Vec<Term>> = operands.iter().map(|operand| self.term(operand)).collect();
                self.application(word, operands?)
            }
        }
    }

    fn list_term(&mut self, list: &Expression) -> Option<Term> {
        self.term(list).filter(|list| matches!(list.sort(), Sort::List(_)))
    }

    fn quantified(&mut self, word: &str, variables: &Expression, body: &Expression) -> Option<Term> {
        let outside = self.bound.len();
        let mut bound = Vec::new();
        for variable in variables.list()? {
            let [name, sort] = variable.list()? else { return None };
            bound.push(Variable::new(name.symbol()?, self.sort(sort)?));
        }
        let names = bound
            .iter()
            .map(|variable| (variable.name.to_string(), variable.term()));
        self.bound.extend(names);
        let body = self.term(body);
        self.bound.truncate(outside);
        let body = body.filter(|body| body.sort() == Sort::Bool)?;
        Some(match word {
            "forall" => term::forall(bound, body),
            _ => term::exists(bound, body),
        })
    }

    fn sort(&self, expression: &Expression) -> Option<Sort> {
        match expression {
            Expression::Symbol(symbol) => match symbol.as_str() {
                "Bool" => Some(Sort::Bool),
                "Int" => Some(Sort::Int),
                "Real" => Some(Sort::Real),
                other => self.symbols?.sort_meaning(other),
            },
            Expression::List(parts) => match parts.as_slice() {
                [word, element] if word.symbol() == Some("Seq") => Some(Sort::list(self.sort(element)?)),
                _ => None,
            },
            _ => None,
        }
    }

    fn application(&self, word: &str, operands: Vec<Term>) -> Option<Term> {
        if let Some(term) = operation(word, &operands) {
            return Some(term);
        }
        match self.meaning(word)? {
            Meaning::Function(function) => {
                let sorts: Vec<Sort> = operands.iter().map(|operand| operand.sort()).collect();
                (!sorts.is_empty() && sorts == function.parameters()).then(|| function.apply(operands))
            }
            _ => None,
        }
    }
}

/// The application of an operator of SMT-LIB's core and arithmetic. The sorts of operands are checked first:
/// constructors rely on them.
pub fn operation(word: &str, operands: &[Term]) -> Option<Term> {
    let sort = operands.first()?.sort();
    let all = |wanted: Sort| operands.iter().all(|operand| operand.sort() == wanted);
    let (is_boolean, is_integer) = (all(Sort::Bool), all(Sort::Int));
    let is_numeric = sort.is_numeric() && all(sort);
    let each = operands.iter().copied();
    let chain = |relation: fn(Term, Term) -> Term| {
        let pairs = operands.windows(2).map(|pair| relation(pair[0], pair[1]));
        (operands.len() > 1).then(|| term::and(pairs))
    };
    Some(match (word, operands) {
        ("and", _) if is_boolean => term::and(each),
        ("or", _) if is_boolean => term::or(each),
        ("not", [a]) if is_boolean => term::not(*a),
        ("=>", [a, b]) if is_boolean => term::implies(*a, *b),
        ("=", _) if all(sort) => chain(term::equal)?,
        ("distinct", [a, b]) if all(sort) => term::distinct(*a, *b),
        ("ite", [condition, a, b]) if sort == Sort::Bool && a.sort() == b.sort() => term::ite(*condition, *a, *b),
        ("<", _) if is_numeric => chain(term::less)?,
        ("<=", _) if is_numeric => chain(term::less_equal)?,
        (">", _) if is_numeric => chain(|a, b| term::less(b, a))?,
        (">=", _) if is_numeric => chain(|a, b| term::less_equal(b, a))?,
        ("+", _) if is_numeric => term::add(each),
        ("-", [a]) if is_numeric => term::negate(*a),
        ("-", [a, rest @ ..]) if is_numeric => rest.iter().fold(*a, |sum, next| term::subtract(sum, *next)),
        ("*", [a, rest @ ..]) if is_numeric => rest.iter().fold(*a, |product, next| term::multiply(product, *next)),
        ("/", [a, b]) if all(Sort::Real) => term::divide(*a, *b),
        ("div", [a, b]) if is_integer => term::divide(*a, *b),
        ("mod", [a, b]) if is_integer => term::modulo(*a, *b),
        _ => return None,
    })
}

fn is_number(expression: &Expression, wanted: i128) -> bool {
    matches!(expression, Expression::Number(_)) && number(expression) == Some(Rational::from_integer(wanted))
}

/// A number, negative or a fraction perhaps: real where it has a point.
fn literal(expression: &Expression) -> Option<Term> {
    fn has_point(expression: &Expression) -> bool {
        match expression {
            Expression::Number(digits) => digits.contains('.'),
            Expression::List(parts) => parts.iter().any(has_point),
            _ => false,
        }
    }
    let value = number(expression)?;
    match (has_point(expression), value.denominator) {
        (true, _) => Some(term::real(value)),
        (false, 1) => Some(term::int(value.numerator)),
        (false, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Function;
    use logic::smtlib::Declarations;

    fn functions() -> Vec<Function> {
        let node = Sort::Index("Node".into());
        let colour = Sort::enumeration("Colour".into(), vec!["red".into(), "dark green".into()]);
        vec![
            Function::new("colour", vec![node], colour),
            Function::new("count", vec![node], Sort::Int),
            Function::constant("queue", Sort::list(Sort::Int)),
            Function::constant("clock", Sort::Real),
            Function::constant("x", Sort::Bool),
        ]
    }

    fn declared() -> Declarations {
        let mut declarations = Declarations::default();
        for function in functions() {
            declarations.declare_function(function, &mut String::new());
        }
        declarations
    }

    #[test]
    fn formulas_come_back_as_they_were() {
        let functions = functions();
        let node = Sort::Index("Node".into());
        let [n, m, x] = ["n", "m", "x"].map(|name| Variable::new(name, node));
        let Sort::Enum(colours) = functions[0].result() else {
            unreachable!()
        };
        let green = |t: Term| term::equal(functions[0].apply([t]), term::enumerator(colours, 1));
        let count = |t: Term| functions[1].apply([t]);
        let (queue, clock) = (functions[2].apply([]), functions[3].apply([]));
        let big = term::add([
            count(n.term()),
            term::multiply(term::int(-3), count(m.term())),
            term::int(-7),
        ]);
        let formulas = [
            term::forall(
                [n, m],
                term::or([term::less(big, term::int(0)), term::less(term::int(9), big)]),
            ),
            term::exists(
                [n],
                term::and([green(n.term()), term::exists([m], term::distinct(m.term(), n.term()))]),
            ),
            term::equal(
                term::head(term::tail(queue)),
                term::modulo(term::length(queue), term::int(4)),
            ),
            term::equal(
                queue,
                term::append(
                    term::empty_list(Sort::Int),
                    term::divide(term::length(queue), term::int(2)),
                ),
            ),
            term::less(clock, term::real(Rational::new(-1, 3).unwrap())),
            term::less_equal(clock, term::real(Rational::from_integer(2))),
            term::implies(functions[4].apply([]), term::bool(true)),
        ];
        for formula in formulas {
            let mut declarations = declared();
            let text = declarations.term(formula);
            assert_eq!(read_formula(&text, declarations.symbols()), Some(formula), "{text}");
        }
        // A variable makes way for a function, and comes back under the name that it got.
        let mut declarations = declared();
        let text = declarations.term(term::forall([x], green(x.term())));
        assert_eq!(text, "(forall ((x_2 Node)) (= (colour x_2) |dark green|))");
        let renamed = Variable::new("x_2", node);
        let read = read_formula(&text, declarations.symbols());
        assert_eq!(read, Some(term::forall([renamed], green(renamed.term()))));
    }

    #[test]
    fn nonsense_is_refused() {
        let declarations = declared();
        let deep = format!("{}x{}", "(not ".repeat(5_000), ")".repeat(5_000));
        for text in [
            "",
            "y",
            "5",
            "clock",
            "(x)",
            "(and)",
            "(and 1 x)",
            "(count n)",
            "(= x 1)",
            "(< clock 1)",
            "(ite 1 x x)",
            "(forall ((n Nobody)) x)",
            "(forall ((n Node)) 1)",
            "(forall ((n Node) (m)) x)",
            "(let (($1)) x)",
            "(let (($1 x)) $2)",
            "(= queue (as seq.empty (Seq Bool)))",
            "(= (seq.nth queue 1) 1)",
            "(= (seq.extract queue 1 (seq.len (seq.++ queue (seq.unit 1)))) queue)",
            "(define-fun x () Bool true)",
            "(! x :named y)",
            "x x",
            "\"x\"",
            &deep,
        ] {
            assert_eq!(read_formula(text, declarations.symbols()), None, "{text}");
        }
        assert_eq!(
            read_formula("x", declarations.symbols()),
            read_formula("|x|", declarations.symbols())
        );
    }

    #[test]
    fn definitions_are_read() {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let text = "((define-fun other () Int 3)
            (define-fun P ((a Int) (b Int)) Bool
              (let ((c (+ a (* (- 1) b)))) (and (not (<= c (- 2))) (or (>= b 0) (= (mod a 2) 1))))))";
        let wanted = BTreeMap::from([("P".to_owned(), vec![x, y])]);
        let read = read_definitions(text, &wanted).unwrap();
        assert_eq!(logic::pretty::pretty(read["P"]), "x - y > -2 & (y >= 0 | x mod 2 = 1)");
    }

    #[test]
    fn models_with_unknown_words_are_refused() {
        let wanted = BTreeMap::from([("P".to_owned(), Vec::new())]);
        for body in [
            "(f 1)",
            "x",
            "(and 1 true)",
            "(<= true false)",
            "(forall ((x Node)) true)",
            "(- )",
        ] {
            let text = format!("((define-fun P () Bool {body}))");
            assert_eq!(read_definitions(&text, &wanted), None, "{body}");
        }
    }

    #[test]
    fn names_stand_for_terms() {
        let x = Function::constant("x", Sort::Int).apply([]);
        let names = || vec![("P_0".to_owned(), x)];
        let read = read_formula_over("(let ((a (+ P_0 1))) (not (< a P_0 5)))", names());
        let sum = term::add([x, term::int(1)]);
        let chain = term::and([term::less(sum, x), term::less(x, term::int(5))]);
        assert_eq!(read, Some(term::not(chain)));
        assert_eq!(read_formula_over("P_0", names()), None, "not a formula");
        assert_eq!(read_formula_over("(< P_1 0)", names()), None);
    }
}
