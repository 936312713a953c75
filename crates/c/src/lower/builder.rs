//! Construction of the automaton of a procedure.

use super::Lowering;
use super::scopes::{ScopeId, Scopes};
use crate::tree::{FunctionId, LabelId};
use crate::types::LengthId;
use std::collections::HashMap;
use system::Span;
use system::program::{
    Automaton, Edge, Integer, Location, LocationId, Place, ProcedureId, Reason, Scalar, Step, Type, TypeId, Value,
    VariableId, VariableKind,
};

/// The state of the procedure under construction.
pub(super) struct Frame {
    pub(super) procedure: ProcedureId,
    /// None for generated procedures.
    pub(super) function: Option<FunctionId>,
    locations: Vec<Location>,
    /// The location of the next step.
    pub(super) current: LocationId,
    pub(super) exit: LocationId,
    pub(super) scopes: Scopes,
    pub(super) labels: Vec<Option<(LocationId, ScopeId)>>,
    /// Jumps to labels, some of which are not placed yet.
    pub(super) gotos: Vec<Goto>,
    pub(super) cases: Vec<Option<(LocationId, ScopeId)>>,
    pub(super) breaks: Vec<(LocationId, ScopeId)>,
    pub(super) continues: Vec<(LocationId, ScopeId)>,
    pub(super) lengths: HashMap<LengthId, VariableId>,
    temporaries: u32,
}

pub(super) struct Goto {
    pub(super) from: LocationId,
    pub(super) scope: ScopeId,
    pub(super) label: LabelId,
    pub(super) span: Span,
}

pub(super) struct Builder<'l, 'u> {
    pub(super) lowering: &'l mut Lowering<'u>,
    pub(super) frame: Frame,
}

impl Frame {
    pub(super) fn new(procedure: ProcedureId, span: Span, labels: usize, cases: usize) -> Frame {
        let location = || Location {
            edges: Vec::new(),
            label: None,
            span,
        };
        Frame {
            procedure,
            function: None,
            locations: vec![location(), location()],
            current: LocationId(0),
            exit: LocationId(1),
            scopes: Scopes::new(),
            labels: vec![None; labels],
            gotos: Vec::new(),
            cases: vec![None; cases],
            breaks: Vec::new(),
            continues: Vec::new(),
            lengths: HashMap::new(),
            temporaries: 0,
        }
    }

    /// Removes skips and unreachable locations.
    pub(super) fn finish(self) -> Automaton {
        let targets: Vec<LocationId> = (0..self.locations.len())
            .map(|index| self.behind_skips(index))
            .collect();
        let mut order = Vec::new();
        let mut numbers: Vec<Option<LocationId>> = vec![None; self.locations.len()];
        let mut open = vec![targets[0]];
        while let Some(location) = open.pop() {
            if numbers[location.index()].is_some() {
                continue;
            }
            numbers[location.index()] = Some(LocationId(u32::try_from(order.len()).unwrap_or(u32::MAX)));
            order.push(location);
            let edges = &self.locations[location.index()].edges;
            open.extend(edges.iter().rev().map(|edge| targets[edge.to.index()]));
        }
        // The exit always exists, reachable or not.
        if numbers[self.exit.index()].is_none() {
            numbers[self.exit.index()] = Some(LocationId(u32::try_from(order.len()).unwrap_or(u32::MAX)));
            order.push(self.exit);
        }
        let number = |old: LocationId| numbers[targets[old.index()].index()].unwrap_or(LocationId(0));
        let locations = order.iter().map(|old| {
            let mut location = self.locations[old.index()].clone();
            for edge in &mut location.edges {
                edge.to = number(edge.to);
            }
            location
        });
        Automaton {
            locations: locations.collect(),
            entry: number(LocationId(0)),
            exit: numbers[self.exit.index()].unwrap_or(LocationId(0)),
        }
    }

    /// The target of a chain of skips. Labels of the user stay.
    fn behind_skips(&self, index: usize) -> LocationId {
        let start = LocationId(u32::try_from(index).unwrap_or(u32::MAX));
        let mut at = start;
        // An empty endless loop stays as it is.
        for _ in 0..self.locations.len() {
            let location = &self.locations[at.index()];
            match location.edges.as_slice() {
                [
                    Edge {
                        step: Step::Skip, to, ..
                    },
                ] if location.label.is_none() && *to != at => at = *to,
                _ => return at,
            }
        }
        start
    }
}

impl Builder<'_, '_> {
    pub(super) fn location(&mut self, span: Span) -> LocationId {
        self.frame.locations.push(Location {
            edges: Vec::new(),
            label: None,
            span,
        });
        LocationId(u32::try_from(self.frame.locations.len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn name_location(&mut self, location: LocationId, label: &str) {
        self.frame.locations[location.index()].label = Some(label.to_owned());
    }

    fn edge(&mut self, step: Step, to: LocationId, span: Span) {
        let from = self.frame.current.index();
        self.frame.locations[from].edges.push(Edge { step, to, span });
    }

    /// Appends a step.
    pub(super) fn step(&mut self, step: Step, span: Span) {
        let to = self.location(span);
        self.edge(step, to, span);
        self.frame.current = to;
    }

    /// Continues at a location, and connects the preceding code to it.
    pub(super) fn join(&mut self, at: LocationId, span: Span) {
        self.go(at, span);
        self.frame.current = at;
    }

    /// Jumps to a location. The code that follows is reachable by labels only.
    pub(super) fn go(&mut self, to: LocationId, span: Span) {
        self.edge(Step::Skip, to, span);
        self.frame.current = self.location(span);
    }

    /// A two-way branch.
    pub(super) fn split(&mut self, condition: Value, yes: LocationId, no: LocationId, span: Span) {
        let assume = |holds| Step::Assume {
            condition: condition.clone(),
            holds,
            reason: Reason::Branch,
        };
        let (positive, negative) = (assume(true), assume(false));
        self.edge(positive, yes, span);
        self.edge(negative, no, span);
        self.frame.current = self.location(span);
    }

    /// A generated variable.
    pub(super) fn temporary(&mut self, type_id: TypeId, span: Span) -> VariableId {
        self.frame.temporaries += 1;
        let name = format!("${}", self.frame.temporaries);
        let procedure = self.frame.procedure;
        self.lowering
            .own_variable(procedure, name, type_id, VariableKind::Temporary, span)
    }

    /// Saves a value in a temporary, unless nothing that follows can change it.
    pub(super) fn save(&mut self, value: Value, of: crate::types::Type, span: Span) -> Value {
        if self.is_stable(&value) {
            return value;
        }
        let mut type_id = self.lowering.type_id(of);
        let scalar = value.scalar();
        // A bit-field has fewer bits than its type.
        if let Scalar::Integer(integer) = scalar
            && self.lowering.program.types.scalar(type_id) != Some(scalar)
        {
            type_id = self.lowering.add_type(Type::Integer(integer));
        }
        let variable = self.temporary(type_id, span);
        let target = Place::variable(variable);
        self.step(
            Step::Assign {
                target: target.clone(),
                value,
            },
            span,
        );
        Value::Read {
            place: Box::new(target),
            scalar,
        }
    }

    /// Whether no step can change the value.
    pub(super) fn is_stable(&self, value: &Value) -> bool {
        use system::program::{Root, Selector};
        match value {
            Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => true,
            Value::Read { place, .. } => match place.root {
                Root::Variable(variable) => {
                    place.selectors.is_empty() && self.lowering.program[variable].kind == VariableKind::Temporary
                }
                Root::Dereference { .. } => false,
            },
            Value::Address(place) => {
                let is_fixed = match &place.root {
                    Root::Variable(_) => true,
                    Root::Dereference { pointer, .. } => self.is_stable(pointer),
                };
                is_fixed
                    && place.selectors.iter().all(|selector| match selector {
                        Selector::Field(_) => true,
                        Selector::Index(index) => self.is_stable(index),
                    })
            }
            Value::Unary { operand, .. } | Value::Convert { value: operand, .. } => self.is_stable(operand),
            Value::Binary { left, right, .. }
            | Value::Compare { left, right, .. }
            | Value::Distance { left, right, .. }
            | Value::Offset {
                pointer: left,
                index: right,
                ..
            } => self.is_stable(left) && self.is_stable(right),
        }
    }

    pub(super) fn size_integer(&self) -> Integer {
        Integer::new(self.lowering.program.types.pointer_bits, false)
    }

    pub(super) fn read(&self, place: Place, of: crate::types::Type) -> Value {
        let scalar = self.lowering.scalar(of);
        self.read_scalar(place, scalar)
    }

    pub(super) fn read_scalar(&self, place: Place, otherwise: Scalar) -> Value {
        let type_id = self.lowering.program.type_of(&place);
        let scalar = self.lowering.program.types.scalar(type_id).unwrap_or(otherwise);
        Value::Read {
            place: Box::new(place),
            scalar,
        }
    }
}
