//! Relates the slots of a compiled instance to the functions of the lowered system.

use super::Lowered;
use crate::compile::Shape;
use crate::model::{Model, SymbolId};
use logic::evaluate::Value;
use logic::{Function, Name, Sort};
use std::collections::BTreeMap;
use system::correspondence::{Correspondence, Entry, RuleMatch, SlotDecoder};
use system::instance::{self, Instance};

impl Lowered {
    /// The correspondence for an instance compiled from the lowered model. If the instance has outsiders that the model
    /// does not need, they have no counterpart in the system and are omitted.
    pub fn correspondence(&self, model: &Model, instance: &Instance) -> Correspondence {
        let shape = Shape::of(instance);
        let mut correspondence = Correspondence {
            sizes: self.sizes(instance, &shape),
            constants: self.constants(),
            ..Correspondence::default()
        };
        let mut slot = 0;
        for (number, symbol) in model.symbols.iter().enumerate() {
            let function = self.symbols[SymbolId(number).0];
            for cell in 0..shape.cells(symbol.arity) {
                correspondence.entries.push(Entry {
                    slot,
                    function,
                    arguments: shape
                        .cell_indices(cell, symbol.arity)
                        .into_iter()
                        .map(process)
                        .collect(),
                    reading: self.reading(self.sort(model, symbol.ty), instance, slot),
                });
                slot += 1;
            }
        }
        correspondence.entries.extend(self.process_entries(instance, &shape));
        let parameter = SlotDecoder::Table((0..shape.processes).map(|p| (p, process(p))).collect());
        let rule = |rule: usize, parameters: usize| RuleMatch {
            rule,
            errors: Vec::new(),
            parameters: (0..parameters).map(|number| (number, parameter.clone())).collect(),
        };
        correspondence.starts = vec![rule(0, 0)];
        let transitions = model.transitions.iter().enumerate();
        correspondence.rules = transitions
            .map(|(n, transition)| rule(n, transition.parameters))
            .collect();
        correspondence.properties = (0..model.unsafes.len()).map(Some).collect();
        correspondence
    }

    /// The sizes of the index sorts. A sort without slots gets a single element.
    fn sizes(&self, instance: &Instance, shape: &Shape) -> Vec<(Name, u32)> {
        let size_of = |name: Name| {
            instance.types.iter().find_map(|ty| match ty {
                instance::Type::Scalarset { name: other, size, .. } if other == name.as_str() => Some(*size),
                _ => None,
            })
        };
        let sorts = self.system.index_sorts.iter().map(|sort| {
            let size = match Sort::Index(sort.name) == self.processes {
                true if self.is_process.is_some() => shape.processes + shape.outsiders,
                true => shape.processes,
                false => size_of(sort.name).unwrap_or(1),
            };
            (sort.name, u32::try_from(size).unwrap_or(u32::MAX))
        });
        sorts.collect()
    }

    fn constants(&self) -> Vec<(Function, Value)> {
        let constants = self.system.index_sorts.iter().flat_map(|sort| {
            let name = sort.name;
            let value = move |position: u64| Value::Index(name, u32::try_from(position).unwrap_or(u32::MAX));
            sort.constants
                .iter()
                .map(move |(function, position)| (*function, value(*position)))
        });
        constants.collect()
    }

    /// The decoder of a slot of this sort.
    fn reading(&self, sort: Sort, instance: &Instance, slot: usize) -> SlotDecoder {
        let instance_type = instance.slots[slot].ty;
        let count = instance.bounds(instance_type).1;
        let table = |value: &dyn Fn(u32) -> Value| {
            let pairs = (0..count).filter_map(|number| Some((number, value(u32::try_from(number).ok()?))));
            SlotDecoder::Table(pairs.collect::<BTreeMap<i64, Value>>())
        };
        match (sort, &instance.types[instance_type]) {
            (Sort::Int, _) => SlotDecoder::Integer,
            (Sort::Real, instance::Type::Real { scale, .. }) => SlotDecoder::Real(*scale),
            (Sort::Bool, _) => table(&|number| Value::Bool(number != 0)),
            (Sort::Enum(sort), _) => table(&|number| Value::Enumerator(sort, number)),
            (Sort::Index(name), _) => table(&|number| Value::Index(name, number)),
            // `compile` produces neither lists nor reals of another form.
            _ => SlotDecoder::Table(BTreeMap::new()),
        }
    }

    /// Which elements are processes. No slot stores this; the entries decode every value of some slot to the same
    /// answer.
    fn process_entries(&self, instance: &Instance, shape: &Shape) -> Vec<Entry> {
        let is_process_valued = |slot: &instance::Slot| slot.ty == shape.process_type();
        let slot = instance.slots.iter().position(is_process_valued);
        let (Some(function), Some(slot)) = (self.is_process, slot) else {
            return Vec::new();
        };
        let elements = shape.processes + shape.outsiders;
        let entry = |element: i64| Entry {
            slot,
            function,
            arguments: vec![process(element)],
            reading: SlotDecoder::Table(
                (0..elements)
                    .map(|n| (n, Value::Bool(element < shape.processes)))
                    .collect(),
            ),
        };
        (0..elements).map(entry).collect()
    }
}

fn process(number: i64) -> Value {
    Value::Index(Name::new("proc"), u32::try_from(number).unwrap_or(u32::MAX))
}
