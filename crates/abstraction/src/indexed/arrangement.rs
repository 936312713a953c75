//! From one model of a step to all that differ from it in finite values only.
//!
//! A model says which indices are equal and how numbers compare: the *arrangement* of the terms. Where it is kept, a
//! place such as `cache[p].right`, for the value that `p` has in the model, may hold any value of its enumeration,
//! whatever the others hold: there is nothing that could forbid it but the formulas themselves. So formulas become
//! Boolean functions of the places. What they say together, about all the values that the places can have, needs no
//! further model.

use bdd::{Bdd, Manager};
use logic::hashing::FastMap;
use logic::{Function, Kind, Sort, Term, Value, Variable};
use smt::{Model, SolverError};
use std::collections::BTreeMap;

/// What has a value: an application to these arguments, or a free variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Application(Function, Vec<Value>),
    Variable(Variable),
}

/// Reads formulas as Boolean functions. Variables of decision diagrams with odd numbers stand for the values of places.
pub(super) struct Arrangement<'a> {
    model: &'a dyn Model,
    pub manager: &'a mut Manager,
    /// For each value that the place can have: when it has it.
    places: BTreeMap<Place, Vec<Bdd>>,
    variables: u32,
    values: FastMap<Term, Value>,
    formulas: FastMap<Term, Bdd>,
    /// For each value that a conditional can have: when it has it.
    conditionals: FastMap<Term, Vec<Bdd>>,
    /// Finite values that the arrangement itself depends on are those of the model.
    pub pinned: Bdd,
}

/// Whether the sort has finitely many values, all of them known.
fn is_finite(sort: Sort) -> bool {
    matches!(sort, Sort::Bool | Sort::Enum(_))
}

impl<'a> Arrangement<'a> {
    /// The arrangement of the model; `symbols` are constants whose functions are known.
    pub(super) fn new(
        model: &'a dyn Model,
        manager: &'a mut Manager,
        symbols: impl IntoIterator<Item = (Term, Bdd)>,
    ) -> Arrangement<'a> {
        Arrangement {
            model,
            manager,
            places: BTreeMap::new(),
            variables: 0,
            values: FastMap::default(),
            formulas: symbols.into_iter().collect(),
            conditionals: FastMap::default(),
            pinned: Manager::TRUE,
        }
    }

    /// When the quantifier-free formula holds.
    pub(super) fn formula(&mut self, formula: Term) -> Result<Bdd, SolverError> {
        if let Some(known) = self.formulas.get(&formula) {
            return Ok(*known);
        }
        let result = match formula.kind() {
            Kind::Bool(true) => Manager::TRUE,
            Kind::Bool(false) => Manager::FALSE,
            Kind::Not(a) => {
                let a = self.formula(*a)?;
                self.manager.not(a)
            }
            Kind::And(parts) => self.all(parts, true)?,
            Kind::Or(parts) => self.all(parts, false)?,
            Kind::Implies(a, b) => {
                let (a, b) = (self.formula(*a)?, self.formula(*b)?);
                self.manager.ite(a, b, Manager::TRUE)
            }
            Kind::Ite(c, a, b) => {
                let (c, a, b) = (self.formula(*c)?, self.formula(*a)?, self.formula(*b)?);
                self.manager.ite(c, a, b)
            }
            Kind::Equal(a, b) if a.sort() == Sort::Bool => {
                let (a, b) = (self.formula(*a)?, self.formula(*b)?);
                self.manager.iff(a, b)
            }
            Kind::Equal(a, b) if is_finite(a.sort()) => self.equal(*a, *b)?,
            Kind::Apply(..) | Kind::Variable(_) => self.place(formula)?[1],
            _ if self.holds(formula)? => Manager::TRUE,
            _ => Manager::FALSE,
        };
        self.formulas.insert(formula, result);
        Ok(result)
    }

    /// The conjunction of the parts, or their disjunction.
    fn all(&mut self, parts: &[Term], conjunction: bool) -> Result<Bdd, SolverError> {
        let mut result = if conjunction { Manager::TRUE } else { Manager::FALSE };
        for part in parts {
            let part = self.formula(*part)?;
            result = match conjunction {
                true => self.manager.and(result, part),
                false => self.manager.or(result, part),
            };
        }
        Ok(result)
    }

    fn equal(&mut self, a: Term, b: Term) -> Result<Bdd, SolverError> {
        let (a, b) = (self.enumeration(a)?, self.enumeration(b)?);
        let mut result = Manager::FALSE;
        for (a, b) in a.into_iter().zip(b) {
            let both = self.manager.and(a, b);
            result = self.manager.or(result, both);
        }
        Ok(result)
    }

    /// For each value of an enumeration: when the term has it.
    fn enumeration(&mut self, term: Term) -> Result<Vec<Bdd>, SolverError> {
        match term.kind() {
            Kind::Apply(..) | Kind::Variable(_) => self.place(term),
            Kind::Ite(c, a, b) => {
                if let Some(known) = self.conditionals.get(&term) {
                    return Ok(known.clone());
                }
                let c = self.formula(*c)?;
                let (a, b) = (self.enumeration(*a)?, self.enumeration(*b)?);
                let values: Vec<Bdd> = a.into_iter().zip(b).map(|(a, b)| self.manager.ite(c, a, b)).collect();
                self.conditionals.insert(term, values.clone());
                Ok(values)
            }
            // A literal, or the head of a list.
            _ => match self.arranged(term)? {
                Value::Enumerator(sort, position) => {
                    let mut values = vec![Manager::FALSE; sort.values().len()];
                    values[position as usize] = Manager::TRUE;
                    Ok(values)
                }
                _ => Err(SolverError::NoValue(term)),
            },
        }
    }

    /// For each value, when the place has it.
    fn place(&mut self, term: Term) -> Result<Vec<Bdd>, SolverError> {
        let place = match term.kind() {
            Kind::Apply(function, arguments) => {
                let values = arguments.iter().map(|argument| self.value(*argument));
                Place::Application(*function, values.collect::<Result<_, _>>()?)
            }
            Kind::Variable(variable) => Place::Variable(*variable),
            _ => return Err(SolverError::NoValue(term)),
        };
        if let Some(known) = self.places.get(&place) {
            return Ok(known.clone());
        }
        let count = match term.sort() {
            Sort::Enum(sort) => sort.values().len(),
            _ => 2,
        };
        // The first value where the first variable is false, else the second where the second is, and so on: every
        // assignment is a value.
        let mut values = Vec::new();
        let mut rest = Manager::TRUE;
        for _ in 1..count {
            let further = self.manager.variable(2 * self.variables + 1);
            self.variables += 1;
            let here = self.manager.not(further);
            values.push(self.manager.and(rest, here));
            rest = self.manager.and(rest, further);
        }
        values.push(rest);
        self.places.insert(place, values.clone());
        Ok(values)
    }

    /// The value of a term that is no place itself: as it is in the model.
    fn arranged(&mut self, term: Term) -> Result<Value, SolverError> {
        for child in term.children() {
            self.value(child)?;
        }
        self.model.value(term)
    }

    /// Whether a formula about indices and numbers holds in the model.
    fn holds(&mut self, formula: Term) -> Result<bool, SolverError> {
        Ok(match formula.kind() {
            Kind::Equal(a, b) => self.value(*a)? == self.value(*b)?,
            Kind::Less(a, b) if a.sort() == Sort::Int => self.value(*a)? < self.value(*b)?,
            Kind::LessEqual(a, b) if a.sort() == Sort::Int => self.value(*a)? <= self.value(*b)?,
            _ => self.arranged(formula)?.as_bool() == Some(true),
        })
    }

    /// The value of the term in the model. Where it depends on finite values, these are pinned.
    pub(super) fn value(&mut self, term: Term) -> Result<Value, SolverError> {
        if let Some(known) = self.values.get(&term) {
            return Ok(known.clone());
        }
        let value = self.arranged(term)?;
        if is_finite(term.sort()) && !term.is_value() {
            self.pin(term, &value)?;
        }
        self.values.insert(term, value.clone());
        Ok(value)
    }

    fn pin(&mut self, term: Term, value: &Value) -> Result<(), SolverError> {
        let pinned = match value {
            Value::Bool(true) => self.formula(term)?,
            Value::Bool(false) => {
                let formula = self.formula(term)?;
                self.manager.not(formula)
            }
            Value::Enumerator(_, position) => self.enumeration(term)?[*position as usize],
            _ => return Err(SolverError::NoValue(term)),
        };
        self.pinned = self.manager.and(self.pinned, pinned);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{EnumSort, Name, term};
    use smt::{Answer, Purpose, Solvers};

    /// `colour(p) = red` says nothing about `colour(q)`, unless the model has `p = q`; a colour that a number depends
    /// on is pinned.
    #[test]
    fn places_are_told_apart_by_the_model() {
        let node = Sort::Index(Name::new("NODE"));
        let colours = EnumSort::new(Name::new("COLOUR"), ["red", "green", "blue"].map(Name::new).to_vec());
        let colour = Function::new("colour", vec![node], Sort::Enum(colours));
        let weight = Function::new("weight", vec![Sort::Enum(colours)], Sort::Int);
        let [p, q] = ["p", "q"].map(|name| Variable::new(name, node).term());
        let red = |node: Term| term::equal(colour.apply([node]), term::enumerator(colours, 0));
        let blue = |node: Term| term::equal(colour.apply([node]), term::enumerator(colours, 2));
        let heavy = term::less(term::int(3), weight.apply([colour.apply([p])]));
        for same in [false, true] {
            let mut solver = Solvers::default().solver().unwrap();
            let equal = term::equal(p, q);
            solver.assert(if same { equal } else { term::not(equal) }).unwrap();
            solver.assert(red(p)).unwrap();
            solver.assert(heavy).unwrap();
            assert_eq!(solver.check(Purpose::Other).unwrap(), Answer::Sat);
            let model = solver.model().unwrap();
            let mut manager = Manager::new();
            let mut arrangement = Arrangement::new(model.as_ref(), &mut manager, []);
            let [one, other] = [red(p), blue(q)].map(|formula| arrangement.formula(formula).unwrap());
            let both = arrangement.manager.and(one, other);
            assert_eq!(both == Manager::FALSE, same);
            assert_eq!(arrangement.pinned, Manager::TRUE);
            assert_eq!(arrangement.formula(heavy).unwrap(), Manager::TRUE);
            assert_eq!(arrangement.pinned, one);
        }
    }
}
