//! The answer to `(get-model)`, read as an interpretation: definitions of functions whose bodies we evaluate ourselves.

use crate::expression::{self, Expression};
use crate::solver::{Model, SolverError};
use logic::evaluate::PartialOperation;
use logic::smtlib::{Meaning, Symbols};
use logic::{Bits, Environment, Function, Interpretation, Name, Rational, Sort, Term, Value, Variable, evaluate};
use std::collections::{BTreeMap, HashMap};

/// Deeper recursion in a body is given up.
const DEPTH: usize = 400;

/// See the module.
#[derive(Debug)]
pub struct ProcessModel {
    symbols: Symbols,
    /// The symbols that the solver was told, by what they stand for.
    functions: HashMap<Function, String>,
    variables: HashMap<Variable, String>,
    definitions: HashMap<String, Definition>,
    /// The elements of index sorts by the solver's names for them.
    elements: HashMap<String, Value>,
    /// The number of elements of each index sort that the solver lists.
    sizes: BTreeMap<Name, u32>,
}

#[derive(Debug)]
struct Definition {
    parameters: Vec<String>,
    body: Expression,
}

type Bindings<'a> = HashMap<&'a str, Value>;

impl ProcessModel {
    pub(crate) fn read(text: &str, symbols: Symbols) -> Result<ProcessModel, SolverError> {
        let parsed = expression::parse(text).map_err(SolverError::Protocol)?;
        let entries = parsed
            .list()
            .ok_or_else(|| SolverError::Protocol("a model was expected".to_owned()))?;
        let mut model = ProcessModel {
            symbols,
            functions: HashMap::new(),
            variables: HashMap::new(),
            definitions: HashMap::new(),
            elements: HashMap::new(),
            sizes: BTreeMap::new(),
        };
        model.read_universe_in_comments(text);
        for entry in entries {
            model.read_entry(entry);
        }
        model.meet_elements(&parsed);
        Ok(model)
    }

    /// cvc5 lists the elements of a sort in comments: `; rep: (as @Node_0 Node)`.
    fn read_universe_in_comments(&mut self, text: &str) {
        for line in text.lines() {
            let Some(element) = line.trim_start().strip_prefix("; rep: ") else {
                continue;
            };
            if let Ok(Expression::List(parts)) = expression::parse(element)
                && let [_, Expression::Symbol(element), Expression::Symbol(sort)] = parts.as_slice()
            {
                self.meet_element(element, sort, true);
            }
        }
    }

    fn read_entry(&mut self, entry: &Expression) {
        match entry.list() {
            // Z3 declares the elements of a sort.
            Some(
                [
                    Expression::Symbol(declare),
                    Expression::Symbol(element),
                    _,
                    Expression::Symbol(sort),
                ],
            ) if declare == "declare-fun" => {
                self.meet_element(element, sort, true);
            }
            Some(
                [
                    Expression::Symbol(define),
                    Expression::Symbol(name),
                    Expression::List(parameters),
                    _,
                    body,
                ],
            ) if define == "define-fun" || define == "define-fun-rec" => {
                let parameter = |p: &Expression| Some(p.list()?.first()?.symbol()?.to_owned());
                let Some(parameters) = parameters.iter().map(parameter).collect() else {
                    return;
                };
                match self.symbols.meaning(name) {
                    Some(Meaning::Function(function)) => {
                        self.functions.insert(function, name.clone());
                    }
                    Some(Meaning::Variable(variable)) => {
                        self.variables.insert(variable, name.clone());
                    }
                    _ => {}
                }
                self.definitions.insert(
                    name.clone(),
                    Definition {
                        parameters,
                        body: body.clone(),
                    },
                );
            }
            _ => {}
        }
    }

    /// Gives numbers to elements that occur without having been listed: `(as @Node_0 Node)` of cvc5, `Node!val!0` of
    /// Z3.
    fn meet_elements(&mut self, expression: &Expression) {
        let mut pending = vec![expression];
        while let Some(expression) = pending.pop() {
            match expression {
                Expression::List(parts) => match parts.as_slice() {
                    [
                        Expression::Symbol(word),
                        Expression::Symbol(element),
                        Expression::Symbol(sort),
                    ] if word == "as" => {
                        self.meet_element(element, sort, false);
                    }
                    parts => pending.extend(parts.iter().rev()),
                },
                Expression::Symbol(symbol) => {
                    if let Some((sort, _)) = symbol.split_once("!val!") {
                        self.meet_element(symbol, sort, false);
                    }
                }
                Expression::Number(_) | Expression::Text(_) => {}
            }
        }
    }

    fn meet_element(&mut self, element: &str, sort: &str, listed: bool) {
        let Some(Sort::Index(name)) = self.symbols.sort_meaning(sort) else {
            return;
        };
        if self.elements.contains_key(element) {
            return;
        }
        let known = self
            .elements
            .values()
            .filter(|value| matches!(value, Value::Index(of, _) if *of == name))
            .count();
        let Ok(position) = u32::try_from(known) else { return };
        self.elements.insert(element.to_owned(), Value::Index(name, position));
        if listed {
            self.sizes.insert(name, position + 1);
        }
    }

    /// The value that an expression without variables stands for.
    pub(crate) fn literal(&self, expression: &Expression, sort: Sort) -> Option<Value> {
        self.evaluate(expression, &HashMap::new(), DEPTH)
            .and_then(|value| fit(value, sort))
    }

    fn call(&self, name: &str, arguments: Vec<Value>, depth: usize) -> Option<Value> {
        let definition = self.definitions.get(name)?;
        if definition.parameters.len() != arguments.len() {
            return None;
        }
        let bindings: Bindings = definition
            .parameters
            .iter()
            .map(String::as_str)
            .zip(arguments)
            .collect();
        self.evaluate(&definition.body, &bindings, depth.checked_sub(1)?)
    }

    fn evaluate(&self, expression: &Expression, bindings: &Bindings, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let mut expression = expression;
        // Tables are long chains of `ite`: those are followed without recursion.
        while let Some([Expression::Symbol(ite), condition, then, otherwise]) = expression.list()
            && ite == "ite"
        {
            let condition = self.evaluate(condition, bindings, depth)?.as_bool()?;
            expression = if condition { then } else { otherwise };
        }
        match expression {
            Expression::Number(digits) => {
                let value = expression::number(expression)?;
                Some(if digits.contains('.') {
                    Value::Real(value)
                } else {
                    Value::Int(value.numerator)
                })
            }
            Expression::Symbol(symbol) => self.symbol(symbol, bindings, depth),
            Expression::Text(_) => None,
            Expression::List(parts) => self.application(parts, bindings, depth),
        }
    }

    fn symbol(&self, symbol: &str, bindings: &Bindings, depth: usize) -> Option<Value> {
        if let Some(value) = bindings.get(symbol).or_else(|| self.elements.get(symbol)) {
            return Some(value.clone());
        }
        match (symbol, self.symbols.meaning(symbol)) {
            ("true", _) => Some(Value::Bool(true)),
            ("false", _) => Some(Value::Bool(false)),
            (_, Some(Meaning::Enumerator(sort, position))) => Some(Value::Enumerator(sort, position)),
            _ => match expression::bits(symbol) {
                Some(bits) => Some(Value::Bits(bits)),
                None => self.call(symbol, Vec::new(), depth),
            },
        }
    }

    fn application(&self, parts: &[Expression], bindings: &Bindings, depth: usize) -> Option<Value> {
        let (operator, operands) = parts.split_first()?;
        match (operator.symbol()?, operands) {
            ("as", [Expression::Symbol(empty), _]) if empty == "seq.empty" => return Some(Value::List(Vec::new())),
            ("as", [value, _]) => return self.evaluate(value, bindings, depth),
            ("let", [Expression::List(pairs), body]) => {
                let mut inner = bindings.clone();
                for pair in pairs {
                    let [name, value] = pair.list()? else { return None };
                    inner.insert(name.symbol()?, self.evaluate(value, bindings, depth)?);
                }
                return self.evaluate(body, &inner, depth);
            }
            _ => {}
        }
        let values: Option<Vec<Value>> = operands
            .iter()
            .map(|part| self.evaluate(part, bindings, depth))
            .collect();
        let values = values?;
        match operator.symbol()? {
            operator @ ("and" | "or" | "not" | "=>" | "=" | "distinct") => connective(operator, &values),
            operator @ ("seq.unit" | "seq.++" | "seq.len") => sequence(operator, values),
            operator @ ("+" | "-" | "*" | "/" | "div" | "mod" | "<" | "<=" | ">" | ">=") => {
                arithmetic(operator, &values)
            }
            name => self.call(name, values, depth),
        }
    }
}

fn connective(operator: &str, values: &[Value]) -> Option<Value> {
    let pairs_equal = || values.windows(2).all(|pair| same(&pair[0], &pair[1]));
    if operator == "=" {
        return Some(Value::Bool(pairs_equal()));
    }
    if operator == "distinct" {
        let meets_equal = |n: usize| values[n + 1..].iter().any(|other| same(&values[n], other));
        return Some(Value::Bool(!(0..values.len()).any(meets_equal)));
    }
    let truths: Vec<bool> = values.iter().map(Value::as_bool).collect::<Option<_>>()?;
    Some(Value::Bool(match (operator, truths.as_slice()) {
        ("and", all) => all.iter().all(|truth| *truth),
        ("or", all) => all.iter().any(|truth| *truth),
        ("not", [truth]) => !truth,
        ("=>", [a, b]) => !a || *b,
        _ => return None,
    }))
}

fn sequence(operator: &str, values: Vec<Value>) -> Option<Value> {
    if operator == "seq.unit" {
        return Some(Value::List(values));
    }
    let mut elements = Vec::new();
    for value in values {
        let Value::List(part) = value else { return None };
        elements.extend(part);
    }
    match operator {
        "seq.len" => i128::try_from(elements.len()).ok().map(Value::Int),
        _ => Some(Value::List(elements)),
    }
}

fn arithmetic(operator: &str, values: &[Value]) -> Option<Value> {
    let numbers: Vec<Rational> = values.iter().map(as_number).collect::<Option<_>>()?;
    let compare = |holds: fn(&Rational, &Rational) -> bool| {
        Some(Value::Bool(numbers.windows(2).all(|pair| holds(&pair[0], &pair[1]))))
    };
    let fold = |step: fn(Rational, Rational) -> Option<Rational>| {
        numbers
            .iter()
            .skip(1)
            .try_fold(*numbers.first()?, |sum, number| step(sum, *number))
    };
    let result = match operator {
        "<" => return compare(|a, b| a < b),
        "<=" => return compare(|a, b| a <= b),
        ">" => return compare(|a, b| a > b),
        ">=" => return compare(|a, b| a >= b),
        "+" => fold(Rational::checked_add),
        "*" => fold(Rational::checked_mul),
        "/" => return fold(Rational::checked_div).map(Value::Real),
        "-" if numbers.len() == 1 => numbers[0].checked_neg(),
        "-" => fold(|a, b| a.checked_add(b.checked_neg()?)),
        "div" => fold(|a, b| a.numerator.checked_div_euclid(b.numerator).map(Rational::from_integer)),
        "mod" => fold(|a, b| a.numerator.checked_rem_euclid(b.numerator).map(Rational::from_integer)),
        _ => None,
    }?;
    let whole = values.iter().all(|value| matches!(value, Value::Int(_)));
    Some(if whole {
        Value::Int(result.numerator)
    } else {
        Value::Real(result)
    })
}

fn as_number(value: &Value) -> Option<Rational> {
    match value {
        Value::Int(value) => Some(Rational::from_integer(*value)),
        Value::Real(value) => Some(*value),
        _ => None,
    }
}

/// Solvers write some real numbers as integers.
fn same(a: &Value, b: &Value) -> bool {
    match (as_number(a), as_number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// The value as one of the sort.
fn fit(value: Value, sort: Sort) -> Option<Value> {
    let value = match (value, sort) {
        (Value::Int(value), Sort::Real) => Value::Real(Rational::from_integer(value)),
        (Value::List(values), Sort::List(element)) => Value::List(
            values
                .into_iter()
                .map(|value| fit(value, *element))
                .collect::<Option<_>>()?,
        ),
        (value, _) => value,
    };
    value.has_sort(sort).then_some(value)
}

/// What a symbol stands for that the model does not mention: anything will do, but always the same.
fn default_value(sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(false),
        Sort::Int => Value::Int(0),
        Sort::Real => Value::Real(Rational::ZERO),
        Sort::BitVector(width) => Value::Bits(Bits::new(width, 0)),
        Sort::Index(name) => Value::Index(name, 0),
        Sort::Enum(sort) => Value::Enumerator(sort, 0),
        Sort::List(_) => Value::List(Vec::new()),
    }
}

impl Interpretation for ProcessModel {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        match self.functions.get(&function) {
            Some(name) => fit(self.call(name, arguments.to_vec(), DEPTH)?, function.result()),
            None => Some(default_value(function.result())),
        }
    }

    fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
        let Sort::Index(name) = sort else { return None };
        let size = self.sizes.get(&name)?;
        Some((0..*size).map(|position| Value::Index(name, position)).collect())
    }

    /// Z3 defines functions for division by zero; cvc5 does not tell.
    fn undefined(&self, operation: PartialOperation, sort: Sort, operands: &[Value]) -> Option<Value> {
        let (name, zero) = match (operation, sort) {
            (PartialOperation::Divide, Sort::Real) => ("/0", Value::Real(Rational::ZERO)),
            (PartialOperation::Divide, _) => ("div0", Value::Int(0)),
            (PartialOperation::Modulo, _) => ("mod0", Value::Int(0)),
            (PartialOperation::Head, _) => return None,
        };
        let arguments = operands.iter().cloned().chain([zero]).collect();
        fit(self.call(name, arguments, DEPTH)?, sort)
    }
}

impl Model for ProcessModel {
    fn value(&self, term: Term) -> Result<Value, SolverError> {
        let mut environment = Environment::new();
        for variable in term.free_variables() {
            let value = match self.variables.get(variable) {
                Some(name) => self
                    .call(name, Vec::new(), DEPTH)
                    .and_then(|value| fit(value, variable.sort)),
                None => Some(default_value(variable.sort)),
            };
            environment.bind(*variable, value.ok_or(SolverError::NoValue(variable.term()))?);
        }
        evaluate(term, &environment, self).map_err(|reason| SolverError::CannotEvaluate { term, reason })
    }
}
