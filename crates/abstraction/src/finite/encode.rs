//! Terms without quantifiers as truth values and numbers.
//!
//! A term of an enumeration becomes one truth value for each value that it may have. A function becomes its cells: one
//! symbol for each tuple of arguments (two values need one truth value, more need one each).

use super::{Unsuited, Window};
use logic::hashing::FastMap;
use logic::normal_forms::values_of;
use logic::pretty::pretty;
use logic::substitute::rebuild;
use logic::traverse::post_order;
use logic::{Function, Kind, Sort, Term, Value, term};
use smt::{Model, SolverError};
use std::collections::BTreeSet;

/// More symbols than this are not made.
const SYMBOLS: usize = 200_000;
/// Nor is a function looked up in more cells than this at once.
const TUPLES: usize = 2_000;

/// A function at certain arguments, which are values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cell {
    pub(crate) function: Function,
    pub(crate) arguments: Vec<Term>,
}

impl Cell {
    pub(crate) fn term(&self) -> Term {
        self.function.apply(self.arguments.clone())
    }
}

/// One term for a truth value or a number, one for each value of an enumeration.
type Code = Vec<Term>;

/// See the module. What a function means may depend on the moment.
pub(super) struct Encoder {
    window: Window,
    /// Whether there are functions of integers.
    has_integer_indices: bool,
    /// What means the same at every moment.
    constant: BTreeSet<Function>,
    done: FastMap<(Term, usize), Code>,
    symbols: FastMap<(Cell, usize), Code>,
    /// What holds of new symbols: that a cell has one value.
    fresh: Vec<Term>,
}

impl Encoder {
    pub(super) fn new(window: Window, constant: BTreeSet<Function>, has_integer_indices: bool) -> Encoder {
        Encoder {
            window,
            has_integer_indices,
            constant,
            done: FastMap::default(),
            symbols: FastMap::default(),
            fresh: Vec::new(),
        }
    }

    pub(super) fn window(&self) -> Window {
        self.window
    }

    /// Takes what holds of the symbols made since the last time.
    pub(super) fn take_fresh(&mut self) -> Vec<Term> {
        std::mem::take(&mut self.fresh)
    }

    pub(super) fn formula(&mut self, formula: Term, moment: usize) -> Result<Term, Unsuited> {
        Ok(self.code(formula, moment)?[0])
    }

    pub(super) fn code(&mut self, term: Term, moment: usize) -> Result<Code, Unsuited> {
        if let Some(known) = self.done.get(&(term, moment)) {
            return Ok(known.clone());
        }
        for inner in post_order(term, false) {
            if !self.done.contains_key(&(inner, moment)) {
                let code = self.compound(inner, moment)?;
                self.done.insert((inner, moment), code);
            }
        }
        Ok(self.done[&(term, moment)].clone())
    }

    fn compound(&mut self, term: Term, moment: usize) -> Result<Code, Unsuited> {
        let code = |part: &Term| &self.done[&(*part, moment)];
        Ok(match term.kind() {
            Kind::Enumerator(sort, position) => {
                let position = *position as usize;
                (0..sort.values().len()).map(|n| term::bool(n == position)).collect()
            }
            Kind::Apply(function, arguments) => return self.application(*function, arguments, moment),
            Kind::Ite(condition, then, otherwise) => {
                let condition = code(condition)[0];
                let branches = code(then).iter().zip(code(otherwise));
                branches.map(|(a, b)| term::ite(condition, *a, *b)).collect()
            }
            Kind::Equal(a, b) if matches!(a.sort(), Sort::Enum(_)) => {
                let same = code(a).iter().zip(code(b)).map(|(a, b)| term::and([*a, *b]));
                vec![term::or(same)]
            }
            Kind::EmptyList(_) | Kind::List(..) | Kind::Variable(_) | Kind::Quantified(..) => {
                return Err(Unsuited::Sorts);
            }
            _ if matches!(term.sort(), Sort::List(_)) => return Err(Unsuited::Sorts),
            _ => vec![rebuild(term, |part| code(&part)[0])],
        })
    }

    /// What the function is at the arguments: a case for each cell that may be meant.
    fn application(&mut self, function: Function, arguments: &[Term], moment: usize) -> Result<Code, Unsuited> {
        let mut cases: Vec<(Vec<Term>, Vec<Term>)> = vec![(Vec::new(), Vec::new())];
        for argument in arguments {
            let values = self.values(*argument, moment)?;
            if cases.len().saturating_mul(values.len()) > TUPLES {
                return Err(Unsuited::TooLarge);
            }
            let longer = cases.iter().flat_map(|(conditions, tuple)| {
                values.iter().map(move |(condition, value)| {
                    let conditions = conditions.iter().copied().chain([*condition]).collect();
                    (conditions, tuple.iter().copied().chain([*value]).collect())
                })
            });
            cases = longer.collect();
        }
        let mut result: Option<Code> = None;
        for (conditions, arguments) in cases.into_iter().rev() {
            let condition = term::and(conditions);
            let cell = self.symbol(&Cell { function, arguments }, moment)?;
            result = Some(match result {
                None => cell,
                Some(others) => {
                    let pairs = cell.into_iter().zip(others);
                    pairs.map(|(a, b)| term::ite(condition, a, b)).collect()
                }
            });
        }
        result.ok_or(Unsuited::Sorts)
    }

    /// The values that an argument may have, each with the condition that it does.
    fn values(&self, argument: Term, moment: usize) -> Result<Vec<(Term, Term)>, Unsuited> {
        if argument.is_value() {
            return Ok(vec![(term::bool(true), argument)]);
        }
        let code = &self.done[&(argument, moment)];
        match argument.sort() {
            Sort::Bool => Ok(vec![
                (term::not(code[0]), term::bool(false)),
                (code[0], term::bool(true)),
            ]),
            Sort::Enum(_) => {
                let values = values_of(argument.sort()).unwrap_or_default();
                let possible = code.iter().copied().zip(values).filter(|(is, _)| !is.is_false());
                Ok(possible.collect())
            }
            Sort::Int => {
                let number = |n: i128| (term::equal(code[0], term::int(n)), term::int(n));
                Ok((self.window.0..=self.window.1).map(number).collect())
            }
            Sort::Real | Sort::BitVector(_) | Sort::List(_) | Sort::Index(_) => Err(Unsuited::Sorts),
        }
    }

    /// That every index in the term lies in the window: only then does its code say what it says.
    pub(super) fn within(&mut self, term: Term, moment: usize) -> Result<Term, Unsuited> {
        if !self.has_integer_indices {
            return Ok(term::bool(true));
        }
        self.code(term, moment)?;
        let mut conditions = Vec::new();
        for inner in post_order(term, false) {
            let Kind::Apply(_, arguments) = inner.kind() else {
                continue;
            };
            for argument in arguments.iter().filter(|argument| argument.sort() == Sort::Int) {
                let index = self.code(*argument, moment)?[0];
                conditions.push(term::less_equal(term::int(self.window.0), index));
                conditions.push(term::less_equal(index, term::int(self.window.1)));
            }
        }
        Ok(term::and(conditions))
    }

    pub(super) fn symbol(&mut self, cell: &Cell, moment: usize) -> Result<Code, Unsuited> {
        let moment = if self.constant.contains(&cell.function) {
            0
        } else {
            moment
        };
        let key = (cell.clone(), moment);
        if let Some(known) = self.symbols.get(&key) {
            return Ok(known.clone());
        }
        if self.symbols.len() >= SYMBOLS {
            return Err(Unsuited::TooLarge);
        }
        let arguments: Vec<String> = cell.arguments.iter().map(|argument| pretty(*argument)).collect();
        let name = format!("{}({})@{moment}", cell.function.name(), arguments.join(","));
        let truth = |name: String| Function::constant(name.as_str(), Sort::Bool).apply([]);
        let code = match cell.function.result() {
            Sort::Enum(sort) => match sort.values().len() {
                1 => vec![term::bool(true)],
                2 => {
                    let second = truth(name);
                    vec![term::not(second), second]
                }
                count => {
                    let each: Code = (0..count).map(|value| truth(format!("{name}={value}"))).collect();
                    self.fresh.extend(exactly_one(&each));
                    each
                }
            },
            sort @ (Sort::Bool | Sort::Int | Sort::Real) => vec![Function::constant(name.as_str(), sort).apply([])],
            Sort::BitVector(_) | Sort::Index(_) | Sort::List(_) => return Err(Unsuited::Sorts),
        };
        self.symbols.insert(key, code.clone());
        Ok(code)
    }

    /// The value of a cell in a model.
    pub(super) fn value(
        &mut self,
        cell: &Cell,
        moment: usize,
        model: &dyn Model,
    ) -> Result<Option<Value>, SolverError> {
        let Ok(code) = self.symbol(cell, moment) else {
            return Ok(None);
        };
        let Sort::Enum(sort) = cell.function.result() else {
            return model.value(code[0]).map(Some);
        };
        for (position, is) in (0..).zip(code) {
            if model.value(is)?.as_bool() == Some(true) {
                return Ok(Some(Value::Enumerator(sort, position)));
            }
        }
        Ok(None)
    }
}

fn exactly_one(each: &[Term]) -> Vec<Term> {
    let mut formulas = vec![term::or(each.iter().copied())];
    for (number, a) in each.iter().enumerate() {
        formulas.extend(each[..number].iter().map(|b| term::or([term::not(*a), term::not(*b)])));
    }
    formulas
}

/// At most one, by the names of "one of those up to here".
pub(super) fn at_most_one(each: &[Term], name: &str) -> Vec<Term> {
    let up_to = |number: usize| Function::constant(format!("{name}<={number}").as_str(), Sort::Bool).apply([]);
    let mut formulas = Vec::new();
    for (number, one) in each.iter().enumerate() {
        formulas.push(term::implies(*one, up_to(number)));
        if number > 0 {
            formulas.push(term::implies(up_to(number - 1), up_to(number)));
            formulas.push(term::implies(up_to(number - 1), term::not(*one)));
        }
    }
    formulas
}

/// All tuples of values of these sorts; integers are those of the window.
pub(super) fn tuples(sorts: &[Sort], window: Window) -> Result<Vec<Vec<Term>>, Unsuited> {
    let mut tuples: Vec<Vec<Term>> = vec![Vec::new()];
    for sort in sorts {
        let values = match sort {
            Sort::Int => (window.0..=window.1).map(term::int).collect(),
            _ => values_of(*sort).ok_or(Unsuited::Sorts)?,
        };
        if tuples.len().saturating_mul(values.len()) > TUPLES {
            return Err(Unsuited::TooLarge);
        }
        let longer = tuples.iter().flat_map(|tuple| {
            values
                .iter()
                .map(move |value| tuple.iter().copied().chain([*value]).collect())
        });
        tuples = longer.collect();
    }
    Ok(tuples)
}
