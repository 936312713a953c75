//! Relates the slots of the compiled instance to the functions of the lowered system.
//!
//! This follows the state layout of `compile`: variables in order, then uninterpreted symbols; records field by field,
//! arrays index by index, multisets element by element with a presence mark before each.

use super::shape::{Case, Index, Role, Scalar, Shapes};
use super::{Lowered, Origin, defined, parametric_types};
use crate::model::*;
use logic::evaluate::Value;
use logic::{Function, Sort};
use std::collections::{BTreeMap, BTreeSet};
use system::correspondence::{Correspondence, Entry, RuleMatch, SlotDecoder};
use system::instance::Instance;
use system::transition::TransitionSystem;

/// The correspondence for an instance compiled from this model.
pub(super) fn correspondence(lowered: &Lowered, model: &Model, instance: &Instance) -> Correspondence {
    let mut table = Table {
        model,
        shapes: &Shapes::new(model, defined::tracked_types(model, lowered.asserts_reads)),
        instance,
        correspondence: Correspondence {
            asserts_reads: lowered.asserts_reads,
            ..Correspondence::default()
        },
        next: 0,
    };
    table.sorts(&lowered.system);
    for (variable, functions) in model.variables.iter().zip(&lowered.variables) {
        table.variable(variable.ty, &[], functions);
    }
    for (symbol, function) in model.uninterpreted.iter().zip(&lowered.uninterpreted) {
        table.symbol(&symbol.parameters, &mut Vec::new(), symbol.result, *function);
    }
    table.correspondence.starts = table.rules(&model.starts, &lowered.starts, &instance.starts);
    table.correspondence.rules = table.rules(&model.rules, &lowered.rules, &instance.rules);
    let mut number = 0;
    for property in &model.properties {
        let is_invariant = property.kind == PropertyKind::Invariant;
        table.correspondence.properties.push(is_invariant.then_some(number));
        number += usize::from(is_invariant);
    }
    // Marks that always hold are no functions of the system.
    let state = lowered.system.state.iter().chain(&lowered.system.rigid);
    let known: BTreeSet<Function> = state.map(|symbol| symbol.function).collect();
    table
        .correspondence
        .entries
        .retain(|entry| known.contains(&entry.function));
    table.correspondence
}

struct Table<'t> {
    model: &'t Model,
    shapes: &'t Shapes<'t>,
    instance: &'t Instance,
    correspondence: Correspondence,
    /// The next slot.
    next: usize,
}

impl Table<'_> {
    fn sorts(&mut self, system: &TransitionSystem) {
        // The system may have been lowered at a different size: the model determines the number of elements.
        for (sort, (_, _, (_, size))) in system.index_sorts.iter().zip(parametric_types(self.model)) {
            let size = u32::try_from(size).unwrap_or(1);
            self.correspondence.sizes.push((sort.name, size));
            for (constant, position) in &sort.constants {
                let value = Value::Index(sort.name, u32::try_from(*position).unwrap_or(0));
                self.correspondence.constants.push((*constant, value));
            }
        }
        for constant in &system.arbitrary {
            if let Sort::Index(name) = constant.result() {
                self.correspondence.constants.push((*constant, Value::Index(name, 0)));
            }
        }
    }

    fn entry(&mut self, function: Function, arguments: &[Value], reading: SlotDecoder) {
        let entry = Entry {
            slot: self.next,
            function,
            arguments: arguments.to_vec(),
            reading,
        };
        self.correspondence.entries.push(entry);
    }

    /// Visits the slots of a variable, whose components are `functions`.
    fn variable(&mut self, ty: TypeId, arguments: &[Value], functions: &[Function]) {
        let model = self.model;
        let shapes = self.shapes;
        let with = |value: Value| arguments.iter().cloned().chain([value]).collect::<Vec<_>>();
        match model.kind(ty) {
            TypeKind::Record { fields } => {
                let mut offset = 0;
                for field in fields {
                    let width = shapes.width(field.ty);
                    self.variable(field.ty, arguments, &functions[offset..offset + width]);
                    offset += width;
                }
            }
            TypeKind::Array { index, element } => match shapes.index(*index) {
                Index::Parameter(_) => {
                    for value in self.values(*index) {
                        self.variable(*element, &with(value), functions);
                    }
                }
                Index::Union(union) => {
                    let width = shapes.width(*element);
                    for (case, payload) in self.union_values(union) {
                        let part = &functions[case * width..(case + 1) * width];
                        match payload {
                            Some(value) => self.variable(*element, &with(value), part),
                            None => self.variable(*element, arguments, part),
                        }
                    }
                }
            },
            TypeKind::Multiset { capacity, element } => {
                for number in 0..*capacity {
                    let arguments = with(Value::Int(i128::from(number)));
                    self.entry(functions[0], &arguments, SlotDecoder::IsOne);
                    self.next += 1;
                    self.variable(*element, &arguments, &functions[1..]);
                }
            }
            TypeKind::List { element } => {
                if let (Some(mark), true) = (functions.last(), shapes.tracked.contains(&ty)) {
                    self.entry(*mark, arguments, SlotDecoder::Defined);
                }
                self.list(*element, 1, arguments, functions);
            }
            _ => {
                let components = shapes.components(ty).unwrap_or_default();
                for (number, (component, function)) in components.iter().zip(functions).enumerate() {
                    let reading = match component.role {
                        Role::Defined => SlotDecoder::Defined,
                        _ => self.reading(ty, number),
                    };
                    self.entry(*function, arguments, reading);
                }
                self.next += 1;
            }
        }
    }

    /// A list of records is one list for each simple component; `depth` is the number of enclosing lists.
    fn list(&mut self, element: TypeId, depth: usize, arguments: &[Value], functions: &[Function]) {
        let shapes = self.shapes;
        match self.model.kind(element) {
            TypeKind::Record { fields } => {
                let mut offset = 0;
                for field in fields {
                    let width = shapes.width(field.ty);
                    self.list(field.ty, depth, arguments, &functions[offset..offset + width]);
                    offset += width;
                }
                return;
            }
            TypeKind::List { element } => return self.list(*element, depth + 1, arguments, functions),
            _ => {}
        }
        let components = shapes.components(element).unwrap_or_default();
        for (number, (component, function)) in components.iter().zip(functions).enumerate() {
            let reading = match component.role {
                Role::Defined => SlotDecoder::Defined,
                _ => self.reading(element, number),
            };
            let reading = (0..depth).fold(reading, |reading, _| SlotDecoder::List(Box::new(reading)));
            self.entry(*function, arguments, reading);
        }
        self.next += 1;
    }

    fn symbol(&mut self, parameters: &[TypeId], arguments: &mut Vec<Value>, result: TypeId, function: Function) {
        match parameters.split_first() {
            None => {
                let reading = self.reading(result, 0);
                self.entry(function, arguments, reading);
                self.next += 1;
            }
            Some((first, rest)) => {
                for value in self.values(*first) {
                    arguments.push(value);
                    self.symbol(rest, arguments, result, function);
                    arguments.pop();
                }
            }
        }
    }

    /// The decoder of a slot of a simple type or union for one of its components.
    fn reading(&self, ty: TypeId, component: usize) -> SlotDecoder {
        let shapes = self.shapes;
        if let Some(union) = shapes.union(ty) {
            let mut table = BTreeMap::new();
            for (number, (case, payload)) in self.union_values(ty).into_iter().enumerate() {
                let value = match (component, union.cases[case]) {
                    (0, _) => Some(Value::Enumerator(union.tag, case as u32)),
                    (_, Case::Payload { payload: of, .. }) if of + 1 == component => payload,
                    _ => None,
                };
                table.extend(value.map(|v| (number as i64, v)));
            }
            return SlotDecoder::Table(table);
        }
        match shapes.scalar(ty) {
            Some(Scalar { sort: Sort::Int, .. }) => SlotDecoder::Integer,
            _ => SlotDecoder::Table(self.numbers(ty).into_iter().zip(self.values(ty)).collect()),
        }
    }

    /// The decoder of a rule parameter, where an irrelevant payload has a fixed value: the first.
    fn parameter_reading(&self, ty: TypeId, component: usize) -> SlotDecoder {
        let mut reading = self.reading(ty, component);
        if let (Some(union), SlotDecoder::Table(table)) = (self.shapes.union(ty), &mut reading)
            && let Some(payload) = component.checked_sub(1)
            && let Some(first) = self.values(union.payloads[payload].0).first()
        {
            for number in 0..self.union_values(ty).len() {
                table.entry(number as i64).or_insert_with(|| first.clone());
            }
        }
        reading
    }

    /// The numbers that represent the values of a simple type in the instance.
    fn numbers(&self, ty: TypeId) -> Vec<i64> {
        match self.model.kind(ty) {
            TypeKind::Boolean => vec![0, 1],
            TypeKind::Range { low, high } => (*low..=*high).collect(),
            TypeKind::Enum { values } => (0..values.len() as i64).collect(),
            TypeKind::Scalarset { size } => (0..*size).collect(),
            // The instance covers only a window of the integers.
            _ => self
                .window()
                .map_or_else(Vec::new, |(low, high)| (low..=high).collect()),
        }
    }

    fn window(&self) -> Option<(i64, i64)> {
        self.instance.types.iter().find_map(|ty| match ty {
            system::instance::Type::Integer { window } => Some(*window),
            _ => None,
        })
    }

    /// The values of a simple type, in the order of their numbers.
    fn values(&self, ty: TypeId) -> Vec<Value> {
        let low = self.numbers(ty).first().copied().unwrap_or(0);
        let value = |number: i64| match self.shapes.scalar(ty)?.sort {
            Sort::Bool => Some(Value::Bool(number != 0)),
            Sort::Int => Some(Value::Int(i128::from(number))),
            Sort::Enum(sort) => Some(Value::Enumerator(sort, u32::try_from(number).ok()?)),
            Sort::Index(name) => Some(Value::Index(name, u32::try_from(number - low).ok()?)),
            Sort::Real | Sort::BitVector(_) | Sort::List(_) => None,
        };
        self.numbers(ty).into_iter().filter_map(value).collect()
    }

    /// For each number of a union: its case and payload.
    fn union_values(&self, ty: TypeId) -> Vec<(usize, Option<Value>)> {
        let mut values = Vec::new();
        if let Some(union) = self.shapes.union(ty) {
            for (number, case) in union.cases.iter().enumerate() {
                match case {
                    Case::Fixed { .. } => values.push((number, None)),
                    Case::Payload { member, .. } => {
                        values.extend(self.values(*member).into_iter().map(|v| (number, Some(v))));
                    }
                }
            }
        }
        values
    }

    fn rules(&self, model: &[Rule], origins: &[Origin], compiled: &[system::instance::Rule]) -> Vec<RuleMatch> {
        let mut matches = Vec::new();
        for ((rule, origin), compiled) in model.iter().zip(origins).zip(compiled) {
            let mut parameters = Vec::new();
            for context in &rule.context {
                let (local, ty) = match context {
                    Context::Parameter(Binder {
                        local,
                        domain: Domain::Type(ty),
                    }) => (*local, Some(*ty)),
                    Context::Parameter(Binder { local, .. }) | Context::Choose { local, .. } => (*local, None),
                    Context::Alias(..) => continue,
                };
                let name = &rule.locals[local.0].name;
                let position = compiled.parameters.iter().position(|p| p.name == *name).unwrap_or(0);
                let width = match ty.map(|ty| self.shapes.union(ty)) {
                    Some(Some(union)) => 1 + union.payloads.len(),
                    _ => 1,
                };
                for component in 0..width {
                    let reading = ty.map_or(SlotDecoder::Integer, |ty| self.parameter_reading(ty, component));
                    parameters.push((position, reading));
                }
            }
            matches.push(RuleMatch {
                rule: origin.step,
                errors: origin.errors.clone(),
                parameters,
            });
        }
        matches
    }
}
