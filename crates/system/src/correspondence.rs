//! How a finite instance and a transition system speak of the same states: which slot is which function at which
//! arguments, and which rule is which.
//!
//! Both front ends make an instance and a transition system from one model, by different ways. With this table the
//! explorer compares the two, state by state, and an engine's finite model becomes a run of the instance.

use crate::instance::UNDEFINED;
use logic::evaluate::Value;
use logic::{Function, Name};
use std::collections::BTreeMap;

/// The whole table.
#[derive(Clone, Debug, Default)]
pub struct Correspondence {
    /// How many elements each index sort has in the instance.
    pub sizes: Vec<(Name, u32)>,
    /// Rigid symbols with a meaning of their own in the instance, such as a home node.
    pub constants: Vec<(Function, Value)>,
    /// State functions, and rigid symbols that the instance keeps in slots.
    pub entries: Vec<Entry>,
    /// For each rule of the instance.
    pub rules: Vec<RuleMatch>,
    /// For each start of the instance.
    pub starts: Vec<RuleMatch>,
    /// For each property of the instance, that of the system; `None` for those that are none there.
    pub properties: Vec<Option<usize>>,
    /// Whether the system asserts that no undefined value is read, as the instance does.
    pub asserts_reads: bool,
}

/// `function(arguments)` is what `reading` makes of the slot.
#[derive(Clone, Debug)]
pub struct Entry {
    pub slot: usize,
    pub function: Function,
    pub arguments: Vec<Value>,
    pub reading: SlotDecoder,
}

/// From the number in a slot to a value.
#[derive(Clone, Debug)]
pub enum SlotDecoder {
    /// Numbers without an entry say nothing.
    Table(BTreeMap<i64, Value>),
    Integer,
    /// A fixed-point number with this scale.
    Real(i64),
    /// Whether the slot is defined.
    Defined,
    /// Whether the slot holds 1.
    IsOne,
    List(Box<SlotDecoder>),
}

/// A rule of the instance and those of the system that it stands for.
#[derive(Clone, Debug)]
pub struct RuleMatch {
    /// The rule itself, as an index into the system's.
    pub rule: usize,
    /// Rules that only say what must not go wrong in it, as indices into the system's, also for a start.
    pub errors: Vec<usize>,
    /// For each parameter of the system's rule: the parameter of the instance's and how to read it. What it says
    /// nothing about is any value that the guard allows.
    pub parameters: Vec<(usize, SlotDecoder)>,
}

impl SlotDecoder {
    /// The value; `None` where the slot says nothing, so that anything goes. `list` gives the elements of an interned
    /// list.
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

    /// The same, with some value in the place of what is undefined inside of a list: how long the list is, the slot
    /// says.
    pub fn filled(&self, number: i64, list: &dyn Fn(i64) -> Vec<i64>) -> Option<Value> {
        match self {
            SlotDecoder::List(element) if number != UNDEFINED => {
                let elements = list(number).into_iter();
                let filled = elements.map(|e| element.filled(e, list).or_else(|| element.some()));
                filled.collect::<Option<Vec<_>>>().map(Value::List)
            }
            _ => self.value(number, list),
        }
    }

    fn some(&self) -> Option<Value> {
        match self {
            SlotDecoder::Table(values) => values.values().next().cloned(),
            SlotDecoder::Integer => Some(Value::Int(0)),
            SlotDecoder::Real(_) => Some(Value::Real(logic::Rational::ZERO)),
            SlotDecoder::List(_) => Some(Value::List(Vec::new())),
            SlotDecoder::Defined | SlotDecoder::IsOne => None,
        }
    }
}
