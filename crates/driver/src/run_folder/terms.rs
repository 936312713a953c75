//! Formulas as JSON, and back: an array of an operator and its operands.
//!
//! Symbols and sorts are named, and looked up among those of the system and the goal. Reading checks everything:
//! whatever the text says, a formula that comes back is closed and well sorted.

use deduction::reading;
use logic::term::ListOperation;
use logic::traverse::occurrences;
use logic::well_sorted::ill_sorted_subterm;
use logic::{Function, Kind, Quantifier, Rational, Sort, Term, Variable, term};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use system::TransitionSystem;

/// The parser of JSON gives up beyond 128 levels, some of which lie around a formula.
const DEEPEST: u32 = 100;
/// Text does not share what formulas share.
const LARGEST: u64 = 100_000;

/// The symbols and sorts that formulas about a goal may mention.
pub(crate) struct Vocabulary {
    functions: BTreeMap<String, Function>,
    sorts: BTreeMap<String, Sort>,
}

impl Vocabulary {
    /// The constants are those of a goal; formulas about all states have none.
    pub(crate) fn new(system: &TransitionSystem, constants: &[(Function, Variable)]) -> Vocabulary {
        let symbols = system.rigid.iter().chain(&system.state).map(|symbol| symbol.function);
        let constants = constants.iter().map(|(constant, _)| *constant);
        let elements = system.index_sorts.iter().flat_map(|sort| &sort.constants);
        let functions: Vec<Function> = symbols.chain(constants).chain(elements.map(|(f, _)| *f)).collect();
        let sorts = system.index_sorts.iter().map(|sort| Sort::Index(sort.name));
        Vocabulary::of(&functions, sorts)
    }

    /// These symbols, and these sorts beside those that they have.
    pub(crate) fn of(functions: &[Function], sorts: impl IntoIterator<Item = Sort>) -> Vocabulary {
        let mut sorts: Vec<Sort> = sorts.into_iter().collect();
        sorts.extend([Sort::Bool, Sort::Int, Sort::Real]);
        for function in functions {
            for sort in function.parameters().iter().chain([&function.result()]) {
                let mut sort = *sort;
                sorts.push(sort);
                while let Sort::List(element) = sort {
                    sort = *element;
                    sorts.push(sort);
                }
            }
        }
        Vocabulary {
            functions: functions.iter().map(|f| (f.name().to_string(), *f)).collect(),
            sorts: sorts.into_iter().map(|sort| (sort.to_string(), sort)).collect(),
        }
    }

    /// `None` for a formula that mentions something else, or is too large; such a one cannot be kept.
    pub(crate) fn write(&self, formula: Term) -> Option<Value> {
        if formula.depth() > DEEPEST || occurrences(formula) > LARGEST {
            return None;
        }
        self.written(formula)
    }

    fn written(&self, formula: Term) -> Option<Value> {
        let list = |operator: &str, operands: &[Term]| {
            let mut array = vec![json!(operator)];
            for operand in operands {
                array.push(self.written(*operand)?);
            }
            Some(Value::Array(array))
        };
        match formula.kind() {
            Kind::Bool(value) => Some(json!(value)),
            Kind::Int(value) => Some(json!(["int", value.to_string()])),
            Kind::Real(value) => Some(json!([
                "real",
                value.numerator.to_string(),
                value.denominator.to_string()
            ])),
            Kind::Enumerator(of, position) => {
                let sort = self.sort_name(Sort::Enum(*of))?;
                Some(json!(["value", sort, of.values().get(*position as usize)?.as_str()]))
            }
            Kind::EmptyList(sort) => Some(json!(["empty", self.sort_name(*sort)?])),
            Kind::Variable(variable) => Some(json!(["var", variable.name.as_str()])),
            Kind::Apply(function, arguments) => {
                let known = self.functions.get(function.name().as_str()) == Some(function);
                let Value::Array(mut array) = list("apply", arguments)? else {
                    return None;
                };
                array.insert(1, json!(function.name().as_str()));
                known.then_some(Value::Array(array))
            }
            Kind::Not(a) => list("not", &[*a]),
            Kind::And(operands) => list("and", operands),
            Kind::Or(operands) => list("or", operands),
            Kind::Implies(a, b) => list("=>", &[*a, *b]),
            Kind::Equal(a, b) => list("=", &[*a, *b]),
            Kind::Ite(a, b, c) => list("ite", &[*a, *b, *c]),
            Kind::Less(a, b) => list("<", &[*a, *b]),
            Kind::LessEqual(a, b) => list("<=", &[*a, *b]),
            Kind::Add(operands) => list("+", operands),
            Kind::Multiply(a, b) => list("*", &[*a, *b]),
            Kind::Divide(a, b) => list("/", &[*a, *b]),
            Kind::Modulo(a, b) => list("mod", &[*a, *b]),
            // No transition system has bit-vectors.
            Kind::BitVector(_) | Kind::Bits(..) => None,
            Kind::List(operation, operands) => list(list_operator(*operation), operands),
            Kind::Quantified(quantifier, variables, body) => {
                let operator = match quantifier {
                    Quantifier::Forall => "forall",
                    Quantifier::Exists => "exists",
                };
                let variable = |v: &Variable| Some(json!([v.name.as_str(), self.sort_name(v.sort)?]));
                let variables: Option<Vec<Value>> = variables.iter().map(variable).collect();
                Some(json!([operator, variables?, self.written(*body)?]))
            }
        }
    }

    fn sort_name(&self, sort: Sort) -> Option<String> {
        let name = sort.to_string();
        (self.sorts.get(&name) == Some(&sort)).then_some(name)
    }

    /// `None` for what is not a closed, well sorted formula over these symbols.
    pub(crate) fn read(&self, value: &Value) -> Option<Term> {
        let formula = self.term(value, &mut Vec::new())?;
        let fits = formula.sort() == Sort::Bool && formula.free_variables().is_empty();
        (fits && ill_sorted_subterm(formula).is_none()).then_some(formula)
    }

    fn term(&self, value: &Value, bound: &mut Vec<Variable>) -> Option<Term> {
        let array = match value {
            Value::Bool(value) => return Some(term::bool(*value)),
            Value::Array(array) => array,
            _ => return None,
        };
        let (operator, rest) = array.split_first()?;
        let operator = operator.as_str()?;
        let texts: Vec<&str> = rest.iter().map_while(Value::as_str).collect();
        match (operator, texts.as_slice(), rest) {
            ("int", [number], [_]) => Some(term::int(number.parse().ok()?)),
            ("real", [numerator, denominator], [_, _]) => Some(term::real(Rational::new(
                numerator.parse().ok()?,
                denominator.parse().ok()?,
            )?)),
            ("value", [sort, name], [_, _]) => match self.sorts.get(*sort)? {
                Sort::Enum(of) => {
                    let position = of.values().iter().position(|value| value.as_str() == *name)?;
                    Some(term::enumerator(*of, position))
                }
                _ => None,
            },
            ("empty", [sort], [_]) => match self.sorts.get(*sort)? {
                Sort::List(element) => Some(term::empty_list(**element)),
                _ => None,
            },
            ("var", [name], [_]) => {
                let variable = bound.iter().rev().find(|variable| variable.name.as_str() == *name)?;
                Some(variable.term())
            }
            ("apply", [name, ..], [_, arguments @ ..]) => {
                let function = *self.functions.get(*name)?;
                let arguments = self.terms(arguments, bound)?;
                let sorts: Vec<Sort> = arguments.iter().map(|argument| argument.sort()).collect();
                (sorts == function.parameters()).then(|| function.apply(arguments))
            }
            ("forall" | "exists", [], [variables, body]) => self.quantified(operator, variables, body, bound),
            _ => operation(operator, &self.terms(rest, bound)?),
        }
    }

    fn terms(&self, values: &[Value], bound: &mut Vec<Variable>) -> Option<Vec<Term>> {
        values.iter().map(|value| self.term(value, bound)).collect()
    }

    fn quantified(&self, operator: &str, variables: &Value, body: &Value, bound: &mut Vec<Variable>) -> Option<Term> {
        let outside = bound.len();
        for variable in variables.as_array()? {
            let [name, sort] = variable.as_array()?.as_slice() else {
                return None;
            };
            bound.push(Variable::new(name.as_str()?, *self.sorts.get(sort.as_str()?)?));
        }
        let body = self.term(body, bound);
        let variables = bound.split_off(outside);
        let body = body.filter(|body| body.sort() == Sort::Bool)?;
        Some(match operator {
            "forall" => term::forall(variables, body),
            _ => term::exists(variables, body),
        })
    }
}

fn list_operator(operation: ListOperation) -> &'static str {
    match operation {
        ListOperation::Append => "append",
        ListOperation::Head => "head",
        ListOperation::Tail => "tail",
        ListOperation::Length => "length",
    }
}

/// An operator that is known by its name alone. Division is written as `/` for integers, too.
fn operation(operator: &str, operands: &[Term]) -> Option<Term> {
    let sort = operands.first()?.sort();
    let is_list = matches!(sort, Sort::List(_));
    match (operator, operands) {
        ("/", _) if sort == Sort::Int => reading::operation("div", operands),
        ("append", [list, element]) if sort == Sort::list(element.sort()) => Some(term::append(*list, *element)),
        ("head", [list]) if is_list => Some(term::head(*list)),
        ("tail", [list]) if is_list => Some(term::tail(*list)),
        ("length", [list]) if is_list => Some(term::length(*list)),
        _ => reading::operation(operator, operands),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::Span;
    use system::transition::Symbol;

    fn vocabulary() -> (Vocabulary, Vec<Function>) {
        let node = Sort::Index("Node".into());
        let colour = Sort::enumeration("Colour".into(), vec!["red".into(), "green".into()]);
        let functions = vec![
            Function::new("colour", vec![node], colour),
            Function::new("count", vec![node], Sort::Int),
            Function::constant("queue", Sort::list(Sort::Int)),
            Function::constant("clock", Sort::Real),
        ];
        let state = functions.iter().map(|function| Symbol {
            function: *function,
            display: function.name().to_string(),
            span: Span::default(),
        });
        let system = TransitionSystem {
            state: state.collect(),
            ..TransitionSystem::default()
        };
        let i = Variable::new("i", node);
        let property = term::forall(vec![i], term::less(term::int(0), functions[1].apply([i.term()])));
        let goal = &abstraction::goal::goals("positive", property, &system)[0];
        (Vocabulary::new(&system, &goal.constants), functions)
    }

    #[test]
    fn formulas_come_back_as_they_were() {
        let (vocabulary, functions) = vocabulary();
        let node = Sort::Index("Node".into());
        let (n, m) = (Variable::new("n", node), Variable::new("m", node));
        let i = Function::constant("i@0", node).apply([]);
        let Sort::Enum(colours) = functions[0].result() else {
            unreachable!()
        };
        let red = term::equal(functions[0].apply([n.term()]), term::enumerator(colours, 0));
        let count = |t: Term| functions[1].apply([t]);
        let queue = functions[2].apply([]);
        let formulas = [
            term::exists(vec![n], term::and([red, term::distinct(n.term(), i)])),
            term::forall(
                vec![n],
                term::or([red, term::exists(vec![m], term::less(count(m.term()), count(n.term())))]),
            ),
            term::less_equal(
                term::add([count(i), term::int(-3)]),
                term::multiply(term::int(2), count(i)),
            ),
            term::equal(
                term::head(term::tail(queue)),
                term::modulo(term::length(queue), term::int(4)),
            ),
            term::equal(queue, term::append(term::empty_list(Sort::Int), term::int(1))),
            Rational::new(1, 3).map_or(term::bool(true), |third| {
                term::less(functions[3].apply([]), term::real(third))
            }),
            term::implies(red, term::bool(false)),
        ];
        for formula in &formulas[..6] {
            let written = vocabulary.write(*formula).map(|value| value.to_string());
            let read = written.and_then(|text| vocabulary.read(&serde_json::from_str(&text).ok()?));
            assert_eq!(read, Some(*formula));
        }
        // The last one is not closed.
        let written = vocabulary.write(formulas[6]);
        assert_eq!(written.and_then(|value| vocabulary.read(&value)), None);
        let stranger = Function::constant("stranger", Sort::Bool).apply([]);
        assert_eq!(vocabulary.write(stranger), None);
    }

    #[test]
    fn nonsense_is_refused() {
        let (vocabulary, _) = vocabulary();
        for text in [
            "5",
            "[]",
            "[\"and\"]",
            "[\"and\", [\"int\", \"1\"], true]",
            "[\"apply\", \"count\"]",
            "[\"apply\", \"count\", true]",
            "[\"=\", true, [\"int\", \"1\"]]",
            "[\"<\", true, false]",
            "[\"ite\", [\"int\", \"1\"], true, false]",
            "[\"value\", \"Colour\", \"blue\"]",
            "[\"forall\", [[\"n\", \"Nobody\"]], true]",
            "[\"forall\", [[\"n\", \"Node\"]], [\"int\", \"1\"]]",
            "[\"var\", \"n\"]",
            "[\"int\", \"1\"]",
            "[\"real\", \"1\", \"0\"]",
            "[\"append\", [\"apply\", \"queue\"], true]",
        ] {
            let value: Option<Value> = serde_json::from_str(text).ok();
            assert!(value.is_some(), "{text}");
            assert_eq!(value.and_then(|value| vocabulary.read(&value)), None, "{text}");
        }
    }
}
