//! Formulas read again from the SMT-LIB text that `logic::smtlib` writes.
//!
//! Reading checks everything: whatever the text says, a formula that comes back is closed, well sorted, and over the
//! symbols that are declared. What cannot be read is `None`.

use logic::smtlib::{Meaning, Symbols};
use logic::well_sorted::ill_sorted_subterm;
use logic::{Rational, Sort, Term, Variable, term};
use smt::expression::{Expression, number, parse};

/// Reading is recursive.
const DEEPEST: usize = 500;

/// A closed formula over the symbols.
pub fn read_formula(text: &str, symbols: &Symbols) -> Option<Term> {
    let expression = parse(text).ok()?;
    let mut reader = Reader {
        symbols,
        bound: Vec::new(),
        depth: 0,
    };
    let formula = reader.term(&expression)?;
    let fits = formula.sort() == Sort::Bool && formula.free_variables().is_empty();
    (fits && ill_sorted_subterm(formula).is_none()).then_some(formula)
}

struct Reader<'s> {
    symbols: &'s Symbols,
    /// What `let` and quantifiers name, the innermost last.
    bound: Vec<(String, Term)>,
    depth: usize,
}

impl Reader<'_> {
    fn term(&mut self, expression: &Expression) -> Option<Term> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let result = match expression {
            Expression::Symbol(symbol) => self.symbol(symbol),
            Expression::Number(_) => literal(expression),
            Expression::List(parts) => literal(expression).or_else(|| self.list(parts)),
            Expression::Text(_) => None,
        };
        self.depth -= 1;
        result
    }

    fn symbol(&self, symbol: &str) -> Option<Term> {
        if let Some((_, value)) = self.bound.iter().rev().find(|(name, _)| name == symbol) {
            return Some(*value);
        }
        match (symbol, self.symbols.meaning(symbol)) {
            ("true", _) => Some(term::bool(true)),
            ("false", _) => Some(term::bool(false)),
            (_, Some(Meaning::Function(function))) if function.parameters().is_empty() => Some(function.apply([])),
            (_, Some(Meaning::Enumerator(of, position))) => Some(term::enumerator(of, position as usize)),
            _ => None,
        }
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
                other => self.symbols.sort_meaning(other),
            },
            Expression::List(parts) => match parts.as_slice() {
                [word, element] if word.symbol() == Some("Seq") => Some(Sort::list(self.sort(element)?)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The sorts of operands are looked at first: constructors rely on them.
    fn application(&self, word: &str, operands: Vec<Term>) -> Option<Term> {
        let sort = operands.first()?.sort();
        let all = |wanted: Sort| operands.iter().all(|operand| operand.sort() == wanted);
        let numeric = sort.is_numeric() && all(sort);
        match (word, operands.as_slice()) {
            ("and", _) if all(Sort::Bool) => Some(term::and(operands)),
            ("or", _) if all(Sort::Bool) => Some(term::or(operands)),
            ("not", [a]) if all(Sort::Bool) => Some(term::not(*a)),
            ("=>", [a, b]) if all(Sort::Bool) => Some(term::implies(*a, *b)),
            ("=", [a, b]) if all(sort) => Some(term::equal(*a, *b)),
            ("ite", [condition, a, b]) if sort == Sort::Bool && a.sort() == b.sort() => {
                Some(term::ite(*condition, *a, *b))
            }
            ("<", [a, b]) if numeric => Some(term::less(*a, *b)),
            ("<=", [a, b]) if numeric => Some(term::less_equal(*a, *b)),
            ("+", _) if numeric => Some(term::add(operands)),
            ("*", [a, b]) if numeric => Some(term::multiply(*a, *b)),
            ("/", [a, b]) if all(Sort::Real) => Some(term::divide(*a, *b)),
            ("div", [a, b]) if all(Sort::Int) => Some(term::divide(*a, *b)),
            ("mod", [a, b]) if all(Sort::Int) => Some(term::modulo(*a, *b)),
            (name, _) => match self.symbols.meaning(name)? {
                Meaning::Function(function) => {
                    let sorts: Vec<Sort> = operands.iter().map(|operand| operand.sort()).collect();
                    (sorts == function.parameters()).then(|| function.apply(operands))
                }
                _ => None,
            },
        }
    }
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
}
