//! Models of Z3, read as interpretations.

use crate::expression;
use crate::solver::{Model, SolverError};
use crate::z3_translate::Translation;
use logic::evaluate::PartialOperation;
use logic::{Environment, Function, Interpretation, Name, Sort, Term, Value, evaluate};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use z3::ast::{Ast, Dynamic, Int, Real, Seq};

/// A model of Z3. What it leaves open gets a value when it is asked for.
pub struct Z3Model {
    model: Rc<z3::Model>,
    translation: Rc<RefCell<Translation>>,
    /// The elements of index sorts that were met so far; `Value::Index` holds positions in these lists.
    elements: RefCell<BTreeMap<Name, Vec<Dynamic>>>,
}

impl Z3Model {
    pub(crate) fn new(model: Rc<z3::Model>, translation: Rc<RefCell<Translation>>) -> Z3Model {
        Z3Model {
            model,
            translation,
            elements: RefCell::default(),
        }
    }

    /// The value that Z3 computes; `None` where it is no literal.
    fn computed(&self, term: &Dynamic, sort: Sort) -> Option<Value> {
        let value = self.model.eval(term, true)?;
        self.literal(&value, sort)
    }

    fn literal(&self, term: &Dynamic, sort: Sort) -> Option<Value> {
        match sort {
            Sort::Bool => term.as_bool()?.as_bool().map(Value::Bool),
            Sort::Int => term.as_int()?.as_i128().map(Value::Int),
            Sort::Real => expression::number(&expression::parse(&term.to_string()).ok()?).map(Value::Real),
            // By its text: numerals of 128 bits fit into no number of Z3's interface.
            Sort::BitVector(_) => expression::bits(&term.to_string()).map(Value::Bits),
            Sort::Enum(enumeration) => {
                let mut translation = self.translation.borrow_mut();
                let position = translation
                    .enumerators(enumeration)
                    .iter()
                    .position(|constant| constant == term)?;
                u32::try_from(position)
                    .ok()
                    .map(|position| Value::Enumerator(enumeration, position))
            }
            Sort::Index(name) => self.element(term, name),
            Sort::List(element) => self.list(term, *element),
        }
    }

    /// Elements of index sorts are constants that Z3 made up.
    fn element(&self, term: &Dynamic, name: Name) -> Option<Value> {
        if !term.is_const() {
            return None;
        }
        self.meet_universe(name);
        let mut elements = self.elements.borrow_mut();
        let known = elements.entry(name).or_default();
        let position = known.iter().position(|element| element == term).unwrap_or_else(|| {
            known.push(term.clone());
            known.len() - 1
        });
        u32::try_from(position)
            .ok()
            .map(|position| Value::Index(name, position))
    }

    /// Meets the elements in the order in which Z3 lists them.
    fn meet_universe(&self, name: Name) {
        let mut elements = self.elements.borrow_mut();
        if elements.contains_key(&name) {
            return;
        }
        let sort = self.translation.borrow_mut().sort(Sort::Index(name));
        let universe = self
            .model
            .get_sort_universe(&sort)
            .map_or_else(Vec::new, |universe| universe.to_vec());
        elements.insert(name, universe);
    }

    /// Sequences are empty, of one element, or the concatenation of sequences.
    fn list(&self, term: &Dynamic, element: Sort) -> Option<Value> {
        let mut values = Vec::new();
        let mut pending = vec![term.clone()];
        while let Some(part) = pending.pop() {
            match part.safe_decl().ok()?.name().as_str() {
                "seq.empty" => {}
                "seq.unit" => values.push(self.literal(&part.nth_child(0)?, element)?),
                "seq.++" => pending.extend(part.children().into_iter().rev()),
                _ => return None,
            }
        }
        Some(Value::List(values))
    }

    /// The value as a Z3 term.
    fn term_of(&self, value: &Value, sort: Sort) -> Option<Dynamic> {
        let element = |position: u32, sort: Sort| match sort {
            Sort::Index(name) => self.elements.borrow().get(&name)?.get(position as usize).cloned(),
            _ => None,
        };
        self.translation.borrow_mut().value(value, sort, &element)
    }
}

impl Interpretation for Z3Model {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        let parameters = function.parameters().iter();
        let arguments: Option<Vec<Dynamic>> = arguments
            .iter()
            .zip(parameters)
            .map(|(value, sort)| self.term_of(value, *sort))
            .collect();
        let arguments = arguments.filter(|arguments| arguments.len() == function.parameters().len())?;
        let application = self.translation.borrow_mut().application(function, &arguments);
        self.computed(&application, function.result())
    }

    /// The elements that Z3 lists. An index sort that its model does not mention has one element.
    fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
        let Sort::Index(name) = sort else { return None };
        self.meet_universe(name);
        let mut elements = self.elements.borrow_mut();
        let known = elements.entry(name).or_default();
        if known.is_empty() {
            // The element that every constant gets which the model leaves open.
            let sort = self.translation.borrow_mut().sort(sort);
            known.push(self.model.eval(&Dynamic::fresh_const("element", &sort), true)?);
        }
        (0..known.len())
            .map(|position| u32::try_from(position).ok().map(|n| Value::Index(name, n)))
            .collect()
    }

    fn undefined(&self, operation: PartialOperation, sort: Sort, operands: &[Value]) -> Option<Value> {
        let term = match (operation, operands) {
            (PartialOperation::Head, []) => Seq::empty(&self.translation.borrow_mut().sort(sort)).nth(0),
            (PartialOperation::Divide, [dividend]) if sort == Sort::Real => {
                Dynamic::from(self.term_of(dividend, sort)?.as_real()?.div(Real::from_rational(0, 1)))
            }
            (PartialOperation::Divide, [dividend]) => {
                Dynamic::from(self.term_of(dividend, sort)?.as_int()?.div(Int::from(0)))
            }
            (PartialOperation::Modulo, [dividend]) => {
                Dynamic::from(self.term_of(dividend, sort)?.as_int()?.modulo(Int::from(0)))
            }
            _ => return None,
        };
        self.computed(&term, sort)
    }
}

impl Model for Z3Model {
    fn value(&self, term: Term) -> Result<Value, SolverError> {
        let translated = self.translation.borrow_mut().term(term)?;
        if let Some(value) = self.computed(&translated, term.sort()) {
            return Ok(value);
        }
        // Z3 does not evaluate quantifiers; we do, over the elements that it lists.
        let mut environment = Environment::new();
        for variable in term.free_variables() {
            let translated = self.translation.borrow_mut().term(variable.term())?;
            let value = self
                .computed(&translated, variable.sort)
                .ok_or(SolverError::NoValue(variable.term()))?;
            environment.bind(*variable, value);
        }
        evaluate(term, &environment, self).map_err(|reason| SolverError::CannotEvaluate { term, reason })
    }
}
