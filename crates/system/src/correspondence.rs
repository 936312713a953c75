//! Relates a finite instance to a transition system: which slot is which function at which arguments, and which rule is
//! which.
//!
//! A front end compiles an instance and lowers a transition system from one model, independently. With this table, the
//! explorer compares the two state by state, and turns an engine's finite model into a run of the instance.

use crate::instance::UNDEFINED;
use logic::evaluate::Value;
use logic::{Function, Name};
use std::collections::BTreeMap;

/// The relation between one instance and one transition system.
#[derive(Clone, Debug, Default)]
pub struct Correspondence {
    /// The number of elements of each index sort in the instance.
    pub sizes: Vec<(Name, u32)>,
    /// Rigid symbols with a fixed value in the instance, such as a home node.
    pub constants: Vec<(Function, Value)>,
    /// State functions, and rigid symbols that the instance stores in slots.
    pub entries: Vec<Entry>,
    /// For each rule of the instance.
    pub rules: Vec<RuleMatch>,
    /// For each start of the instance.
    pub starts: Vec<RuleMatch>,
    /// For each property of the instance, that of the system; `None` if the system has none.
    pub properties: Vec<Option<usize>>,
    /// Whether the system asserts that no undefined value is read, as the instance does.
    pub asserts_reads: bool,
}

/// The decoder gives the value of `function(arguments)` from the slot.
#[derive(Clone, Debug)]
pub struct Entry {
    pub slot: usize,
    pub function: Function,
    pub arguments: Vec<Value>,
    pub reading: SlotDecoder,
}

/// Decodes the number in a slot to a value of the logic.
#[derive(Clone, Debug)]
pub enum SlotDecoder {
    /// A number without an entry has no value.
    Table(BTreeMap<i64, Value>),
    Integer,
    /// A fixed-point number with this scale.
    Real(i64),
    /// True if the slot is defined.
    Defined,
    /// True if the slot holds 1.
    IsOne,
    List(Box<SlotDecoder>),
}

/// A rule of the instance and its counterparts in the system.
#[derive(Clone, Debug)]
pub struct RuleMatch {
    /// The rule, as an index into those of the system.
    pub rule: usize,
    /// Rules of the system that only assert what must not go wrong in it; for a start as well.
    pub errors: Vec<usize>,
    /// For each parameter of the system's rule, the instance's parameter and its decoder. A parameter without a value
    /// is any one that the guard allows.
    pub parameters: Vec<(usize, SlotDecoder)>,
}

impl SlotDecoder {
    /// The value; `None` if the slot has none, so that any value agrees. `list` gives the elements of an interned list.
    pub fn value(&self, number: i64, list: &dyn Fn(i64) -> Vec<i64>) -> Option<Value> {
        match self {
            SlotDecoder::Defined => return Some(Value::Bool(number != UNDEFINED)),
            SlotDecoder::IsOne => return Some(Value::Bool(number == 1)),
            _ if number == UNDEFINED => return None,
            _ => {}
        }
        match self {
            SlotDecoder::Table(values) => values.get(&number).cloned(),
            SlotDecoder::Integer => Some(Value::Int(i128::from(number))),
            SlotDecoder::Real(scale) => logic::Rational::new(i128::from(number), i128::from(*scale)).map(Value::Real),
            SlotDecoder::List(element) => {
                let elements = list(number)
                    .into_iter()
                    .map(|e| element.value(e, list))
                    .collect::<Option<Vec<_>>>();
                elements.map(Value::List)
            }
            SlotDecoder::Defined | SlotDecoder::IsOne => None,
        }
    }

    /// Like [`value`](SlotDecoder::value), with arbitrary values for undefined elements of a list, whose length the
    /// slot determines.
    pub fn filled(&self, number: i64, list: &dyn Fn(i64) -> Vec<i64>) -> Option<Value> {
        match self {
            SlotDecoder::List(element) if number != UNDEFINED => {
                let elements = list(number).into_iter();
                let filled = elements.map(|e| element.filled(e, list).or_else(|| element.default_value()));
                filled.collect::<Option<Vec<_>>>().map(Value::List)
            }
            _ => self.value(number, list),
        }
    }

    fn default_value(&self) -> Option<Value> {
        match self {
            SlotDecoder::Table(values) => values.values().next().cloned(),
            SlotDecoder::Integer => Some(Value::Int(0)),
            SlotDecoder::Real(_) => Some(Value::Real(logic::Rational::ZERO)),
            SlotDecoder::List(_) => Some(Value::List(Vec::new())),
            SlotDecoder::Defined | SlotDecoder::IsOne => None,
        }
    }
}
