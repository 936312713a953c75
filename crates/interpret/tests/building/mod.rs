//! Programs by hand.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use system::Span;
use system::program::{
    Argument, Automaton, BinaryOperator, Body, Callee, Comparison, Edge, Field, Initial, Integer, Library, Location,
    LocationId, Place, Procedure, ProcedureId, Program, Property, PropertyId, PropertyKind, Reason, Record, Scalar,
    Selector, Step, Type, TypeId, Types, Value, Variable, VariableId, VariableKind,
};

pub const INT: Integer = Integer::new(32, true);
pub const CHAR: Integer = Integer::new(8, true);
pub const UNSIGNED: Integer = Integer::new(32, false);

pub struct Builder {
    pub program: Program,
    known: Vec<(Type, TypeId)>,
}

/// An automaton that is written down step by step.
pub struct Writer {
    locations: Vec<Location>,
    edges: u32,
}

fn span(number: u32) -> Span {
    Span {
        start: number,
        end: number + 1,
        ..Span::default()
    }
}

impl Builder {
    pub fn new(pointer_bits: u32) -> Builder {
        let procedure = Procedure {
            name: "start".to_owned(),
            parameters: Vec::new(),
            is_variadic: false,
            result: None,
            body: Body::Unknown,
            is_library: false,
            span: Span::default(),
        };
        let mut builder = Builder {
            program: Program {
                types: Types::new(pointer_bits),
                variables: Vec::new(),
                procedures: vec![procedure],
                start: ProcedureId(0),
                properties: Vec::new(),
            },
            known: Vec::new(),
        };
        builder.type_of(Type::Integer(INT));
        builder.property("error");
        let result = builder.variable("result", TypeId(0), VariableKind::Result, Some(ProcedureId(0)));
        builder.program.procedures[0].result = Some(result);
        builder
    }

    pub fn property(&mut self, name: &str) -> PropertyId {
        self.program.properties.push(Property {
            name: name.to_owned(),
            kind: PropertyKind::ErrorCall,
            span: Span::default(),
        });
        PropertyId(self.program.properties.len() as u32 - 1)
    }

    pub fn type_of(&mut self, wanted: Type) -> TypeId {
        if let Some((_, id)) = self.known.iter().find(|(known, _)| *known == wanted) {
            return *id;
        }
        let id = self.program.types.add(wanted.clone());
        self.known.push((wanted, id));
        id
    }

    pub fn int(&mut self) -> TypeId {
        self.type_of(Type::Integer(INT))
    }

    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.type_of(Type::Pointer(to))
    }

    pub fn array(&mut self, element: TypeId, length: u64) -> TypeId {
        self.type_of(Type::Array {
            element,
            length: Some(length),
        })
    }

    pub fn record(&mut self, is_union: bool, fields: Vec<Field>, size: u64) -> TypeId {
        let record = self.program.types.add_record(Record {
            name: "struct s".to_owned(),
            is_union,
            fields,
            size: Some(size),
            alignment: 8,
            span: Span::default(),
        });
        self.type_of(Type::Record(record))
    }

    pub fn variable(
        &mut self,
        name: &str,
        type_id: TypeId,
        kind: VariableKind,
        procedure: Option<ProcedureId>,
    ) -> VariableId {
        self.program.variables.push(Variable {
            name: name.to_owned(),
            type_id,
            kind,
            procedure,
            initial: Initial::Zero,
            is_constant: false,
            span: Span::default(),
        });
        VariableId(self.program.variables.len() as u32 - 1)
    }

    /// A variable of the first procedure that lives as long as it runs.
    pub fn local(&mut self, name: &str, type_id: TypeId) -> VariableId {
        self.variable(name, type_id, VariableKind::Temporary, Some(ProcedureId(0)))
    }

    pub fn global(&mut self, name: &str, type_id: TypeId, initial: Initial) -> VariableId {
        let id = self.variable(name, type_id, VariableKind::Global, None);
        self.program.variables[id.index()].initial = initial;
        id
    }

    pub fn literal(&mut self, text: &str) -> VariableId {
        let character = self.type_of(Type::Integer(CHAR));
        let type_id = self.array(character, text.len() as u64 + 1);
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let id = self.global("literal", type_id, Initial::Bytes(bytes));
        self.program.variables[id.index()].is_constant = true;
        id
    }

    pub fn library(&mut self, library: Library, parameters: &[TypeId], result: Option<TypeId>) -> ProcedureId {
        let id = ProcedureId(self.program.procedures.len() as u32);
        let parameters = parameters
            .iter()
            .map(|type_id| self.variable("p", *type_id, VariableKind::Parameter, Some(id)))
            .collect();
        let result = result.map(|type_id| self.variable("r", type_id, VariableKind::Result, Some(id)));
        self.program.procedures.push(Procedure {
            name: format!("{library:?}"),
            parameters,
            is_variadic: library == Library::Print,
            result,
            body: Body::Library(library),
            is_library: false,
            span: Span::default(),
        });
        id
    }

    pub fn procedure(&mut self, name: &str, is_variadic: bool) -> ProcedureId {
        self.program.procedures.push(Procedure {
            name: name.to_owned(),
            parameters: Vec::new(),
            is_variadic,
            result: None,
            body: Body::Unknown,
            is_library: false,
            span: Span::default(),
        });
        ProcedureId(self.program.procedures.len() as u32 - 1)
    }

    pub fn parameter(&mut self, procedure: ProcedureId, type_id: TypeId) -> VariableId {
        let id = self.variable("p", type_id, VariableKind::Parameter, Some(procedure));
        self.program.procedures[procedure.index()].parameters.push(id);
        id
    }

    pub fn result(&mut self, procedure: ProcedureId, type_id: TypeId) -> VariableId {
        let id = self.variable("r", type_id, VariableKind::Result, Some(procedure));
        self.program.procedures[procedure.index()].result = Some(id);
        id
    }

    pub fn body(&mut self, procedure: ProcedureId, writer: Writer) {
        let exit = LocationId(writer.locations.len() as u32 - 1);
        self.program.procedures[procedure.index()].body = Body::Automaton(Automaton {
            locations: writer.locations,
            entry: LocationId(0),
            exit,
        });
    }

    /// The variable that the status comes from.
    pub fn status(&self) -> VariableId {
        self.program.procedures[0].result.unwrap()
    }

    pub fn read(&self, place: Place) -> Value {
        let scalar = self.program.types.scalar(self.program.type_of(&place)).unwrap();
        Value::Read {
            place: Box::new(place),
            scalar,
        }
    }

    pub fn get(&self, variable: VariableId) -> Value {
        self.read(Place::variable(variable))
    }

    pub fn element(&self, variable: VariableId, index: Value) -> Place {
        Place::variable(variable).select(Selector::Index(Box::new(index)))
    }

    pub fn at(&self, pointer: VariableId, type_id: TypeId) -> Place {
        Place::at(self.get(pointer), type_id)
    }
}

impl Writer {
    pub fn new() -> Writer {
        Writer {
            locations: vec![location()],
            edges: 0,
        }
    }

    pub fn here(&self) -> LocationId {
        LocationId(self.locations.len() as u32 - 1)
    }

    pub fn step(&mut self, step: Step) {
        self.locations.push(location());
        let to = self.here();
        self.edge(LocationId(to.0 - 1), step, to);
    }

    pub fn edge(&mut self, from: LocationId, step: Step, to: LocationId) {
        self.edges += 1;
        self.locations[from.index()].edges.push(Edge {
            step,
            to,
            span: span(self.edges),
        });
    }

    /// Goes on where the condition holds; where not, from the location that is returned.
    pub fn branch(&mut self, condition: Value) -> LocationId {
        let from = self.here();
        self.locations.push(location());
        let no = self.here();
        self.locations.push(location());
        let yes = self.here();
        for (holds, to) in [(true, yes), (false, no)] {
            let step = Step::Assume {
                condition: condition.clone(),
                holds,
                reason: Reason::Branch,
            };
            self.edge(from, step, to);
        }
        no
    }

    /// Goes to a location, and on from another that leads nowhere yet.
    pub fn jump(&mut self, to: LocationId, onward: LocationId) {
        let here = self.here();
        self.edge(here, Step::Skip, to);
        self.locations.push(location());
        let next = self.here();
        self.edge(onward, Step::Skip, next);
    }

    pub fn assign(&mut self, place: Place, value: Value) {
        self.step(Step::Assign { target: place, value });
    }

    pub fn set(&mut self, variable: VariableId, value: Value) {
        self.assign(Place::variable(variable), value);
    }

    pub fn call(&mut self, procedure: ProcedureId, arguments: Vec<Value>, result: Option<VariableId>) {
        self.step(Step::Call {
            callee: Callee::Procedure(procedure),
            arguments: arguments.into_iter().map(Argument::Scalar).collect(),
            result: result.map(Place::variable),
        });
    }
}

fn location() -> Location {
    Location {
        edges: Vec::new(),
        label: None,
        span: Span::default(),
    }
}

pub fn int(value: i128) -> Value {
    Value::integer(value, INT)
}

pub fn binary(operator: BinaryOperator, left: Value, right: Value) -> Value {
    Value::Binary {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    }
}

pub fn add(left: Value, right: Value) -> Value {
    binary(BinaryOperator::Add, left, right)
}

pub fn compare(comparison: Comparison, left: Value, right: Value) -> Value {
    Value::Compare {
        comparison,
        left: Box::new(left),
        right: Box::new(right),
        integer: INT,
    }
}

pub fn address(place: Place) -> Value {
    Value::Address(Box::new(place))
}

pub fn offset(pointer: Value, index: Value, bytes: u64) -> Value {
    Value::Offset {
        pointer: Box::new(pointer),
        index: Box::new(index),
        bytes,
    }
}

pub fn convert(to: Scalar, value: Value) -> Value {
    Value::Convert {
        to,
        value: Box::new(value),
    }
}

pub fn field(place: Place, field: usize) -> Place {
    place.select(Selector::Field(field))
}
