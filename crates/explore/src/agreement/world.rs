//! A state of an instance as an interpretation of the system's symbols.

use crate::worker::SearchContext;
use logic::evaluate::PartialOperation;
use logic::{Function, Interpretation, Sort, Value};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use system::TransitionSystem;
use system::correspondence::Correspondence;
use system::instance::Type;

/// Ranges with fewer values than this are enumerated.
const SMALL: i64 = 20;

#[derive(Clone)]
pub(super) struct World<'w> {
    context: &'w SearchContext<'w>,
    pub(super) values: HashMap<(Function, Vec<Value>), Value>,
    /// A value for undefined slots, for each function with entries.
    defaults: HashMap<Function, Value>,
    sizes: &'w [(logic::Name, u32)],
    /// The order of each index sort is that of positions.
    orders: Vec<Function>,
    pub(super) choices: RefCell<HashMap<(Function, Vec<Value>), Value>>,
    /// Set if a value was needed that the instance does not define.
    pub(super) unknown: Cell<bool>,
}

impl<'w> World<'w> {
    pub(super) fn new(
        context: &'w SearchContext<'w>,
        system: &TransitionSystem,
        correspondence: &'w Correspondence,
        state: Option<&[i64]>,
    ) -> World<'w> {
        let mut world = World {
            context,
            values: HashMap::new(),
            defaults: HashMap::new(),
            sizes: &correspondence.sizes,
            orders: system.index_sorts.iter().filter_map(|sort| sort.order).collect(),
            choices: RefCell::default(),
            unknown: Cell::new(false),
        };
        for (function, value) in &correspondence.constants {
            world.values.insert((*function, Vec::new()), value.clone());
        }
        let instance = context.program.instance;
        for entry in &correspondence.entries {
            let least = instance.bounds(instance.slots[entry.slot].ty).0;
            let lists = |list| context.lists.elements(list);
            if let Some(value) = entry.reading.value(least, &lists) {
                world.defaults.entry(entry.function).or_insert(value);
            }
            if let Some(value) = state.and_then(|state| entry.reading.filled(state[entry.slot], &lists)) {
                world.values.insert((entry.function, entry.arguments.clone()), value);
            }
        }
        world
    }

    /// Whether every slot has a value.
    pub(super) fn is_complete(&self, correspondence: &Correspondence) -> bool {
        let mut entries = correspondence.entries.iter();
        entries.all(|entry| self.values.contains_key(&(entry.function, entry.arguments.clone())))
    }

    pub(super) fn default_of(&self, sort: Sort) -> Value {
        self.candidates(sort).into_iter().next().unwrap_or(Value::Int(0))
    }

    /// Candidate values for a choice.
    pub(super) fn candidates(&self, sort: Sort) -> Vec<Value> {
        match sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Enum(sort) => (0u32..)
                .zip(sort.values())
                .map(|(n, _)| Value::Enumerator(sort, n))
                .collect(),
            Sort::Index(_) => self.domain(sort).unwrap_or_default(),
            Sort::Int => {
                let instance = self.context.program.instance;
                let mut numbers = BTreeSet::from([0, 1, 2]);
                for ty in 0..instance.types.len() {
                    let (low, high) = instance.bounds(ty);
                    numbers.insert(low);
                    // All values of a small range, since a choice may be outside of what the goal mentions.
                    if high.checked_sub(low).is_some_and(|size| size < SMALL) {
                        numbers.extend(low..=high);
                    }
                }
                numbers.into_iter().map(|n| Value::Int(i128::from(n))).collect()
            }
            Sort::Real => vec![Value::Real(logic::Rational::ZERO)],
            Sort::BitVector(width) => vec![Value::Bits(logic::Bits::new(width, 0))],
            Sort::List(_) => vec![Value::List(Vec::new())],
        }
    }
}

impl Interpretation for World<'_> {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        let key = (function, arguments.to_vec());
        if let Some(value) = self.values.get(&key).or(self.choices.borrow().get(&key)) {
            return Some(value.clone());
        }
        if let ([Value::Index(_, a), Value::Index(_, b)], true) = (arguments, self.orders.contains(&function)) {
            return Some(Value::Bool(a < b));
        }
        let value = self.defaults.get(&function).cloned();
        if value.is_some() {
            self.unknown.set(true);
        }
        value
    }

    fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
        let name = match sort {
            Sort::Index(name) => name,
            // In the instance, a quantifier over all integers only covers the window.
            Sort::Int => {
                let mut types = self.context.program.instance.types.iter();
                return types.find_map(|ty| match ty {
                    Type::Integer { window } => Some((window.0..=window.1).map(|n| Value::Int(n.into())).collect()),
                    _ => None,
                });
            }
            _ => return None,
        };
        let (_, size) = self.sizes.iter().find(|(of, _)| *of == name)?;
        Some((0..*size).map(|n| Value::Index(name, n)).collect())
    }

    fn undefined(&self, _: PartialOperation, sort: Sort, _: &[Value]) -> Option<Value> {
        self.unknown.set(true);
        Some(self.default_of(sort))
    }
}
