//! Values as numbers: truth values are 0 or 1, elements and enumerators are positions, rational numbers and lists are
//! interned.

use logic::Rational;
use logic::evaluate::Value;
use std::collections::HashMap;

/// A value that the state does not determine.
pub(super) const UNKNOWN: i64 = i64::MIN;

#[derive(Default)]
pub(super) struct Interned {
    reals: Vec<Rational>,
    real_numbers: HashMap<Rational, i64>,
    lists: Vec<Vec<i64>>,
    list_numbers: HashMap<Vec<i64>, i64>,
}

impl Interned {
    pub(super) fn real(&mut self, value: Rational) -> i64 {
        if let Some(number) = self.real_numbers.get(&value) {
            return *number;
        }
        let number = i64::try_from(self.reals.len()).unwrap_or(UNKNOWN);
        self.reals.push(value);
        self.real_numbers.insert(value, number);
        number
    }

    pub(super) fn real_of(&self, number: i64) -> Option<Rational> {
        self.reals.get(usize::try_from(number).ok()?).copied()
    }

    pub(super) fn list(&mut self, elements: Vec<i64>) -> i64 {
        if let Some(number) = self.list_numbers.get(&elements) {
            return *number;
        }
        let number = i64::try_from(self.lists.len()).unwrap_or(UNKNOWN);
        self.lists.push(elements.clone());
        self.list_numbers.insert(elements, number);
        number
    }

    /// An element of another list; unknown if any part of it is.
    pub(super) fn element(&mut self, elements: Vec<i64>) -> i64 {
        match elements.contains(&UNKNOWN) {
            true => UNKNOWN,
            false => self.list(elements),
        }
    }

    pub(super) fn list_of(&self, number: i64) -> Option<&[i64]> {
        self.lists.get(usize::try_from(number).ok()?).map(Vec::as_slice)
    }
}

pub(super) fn code(value: &Value, interned: &mut Interned) -> i64 {
    match value {
        Value::Bool(value) => i64::from(*value),
        Value::Int(value) => i64::try_from(*value).unwrap_or(UNKNOWN),
        Value::Real(value) => interned.real(*value),
        // Transition systems contain no bit-vectors.
        Value::Bits(_) => UNKNOWN,
        Value::Enumerator(_, position) | Value::Index(_, position) => i64::from(*position),
        Value::List(elements) => {
            let elements = elements.iter().map(|element| code(element, interned)).collect();
            interned.list(elements)
        }
    }
}
