//! Compilation of automata.

use crate::code::{
    Address, Argument, ArgumentType, Body, Branch, ByteSource, Call, Callee, Choice, Choose, Code, EdgeOrigin, Frame,
    Home, Node, Number, Operation, Parameter, Register, Scalar, Target,
};
use crate::homes::{self, VariableHome};
use crate::outcome::Unsupported;
use crate::values::{PlaceForm, Values};
use system::program::{
    self, Automaton, Edge, Location, LocationId, Procedure, ProcedureId, Program, Reason, Step, TypeId, Types, Value,
    VariableKind,
};

/// Compiles a program.
pub(crate) fn compile(program: &Program) -> Code {
    let mut code = Code {
        nodes: Vec::new(),
        edges: Vec::new(),
        frames: program.procedures.iter().map(frame).collect(),
        globals: Vec::new(),
        global_scalars: Vec::new(),
        global_objects: Vec::new(),
    };
    let homes = homes::assign(program, &mut code);
    let local = |variable: program::VariableId| match homes.get(variable.index()) {
        Some(VariableHome::Local(home)) => *home,
        _ => Home::Nowhere,
    };
    for (index, procedure) in program.procedures.iter().enumerate() {
        let parameters = procedure.parameters.iter().map(|variable| Parameter {
            home: local(*variable),
            type_id: program[*variable].type_id,
            scalar: program.types.scalar(program[*variable].type_id),
        });
        code.frames[index].parameters = parameters.collect();
        code.frames[index].result = procedure.result.map(|result| (local(result), program[result].type_id));
    }
    for (index, variable) in program.variables.iter().enumerate() {
        if let Some(procedure) = variable.procedure
            && variable.kind != VariableKind::Local
            && let VariableHome::Local(Home::Object(register)) = homes[index]
            && let Some(frame) = code.frames.get_mut(procedure.index())
        {
            let id = program::VariableId(u32::try_from(index).unwrap_or(u32::MAX));
            let size = program.types.size(variable.type_id).unwrap_or(0);
            frame.whole_call.push((register, id, size));
        }
    }
    for (index, procedure) in program.procedures.iter().enumerate() {
        let id = ProcedureId(u32::try_from(index).unwrap_or(u32::MAX));
        if let program::Body::Automaton(automaton) = &procedure.body {
            let registers = code.frames[index].registers;
            let mut compiler = Compiler {
                values: Values::new(program, &homes, registers),
                code: &mut code,
                procedure: id,
                first: 0,
            };
            compiler.automaton(automaton);
            let registers = compiler.values.registers;
            code.frames[index].registers = registers;
        }
    }
    code
}

fn frame(procedure: &Procedure) -> Frame {
    Frame {
        registers: 0,
        scalars: Vec::new(),
        objects: Vec::new(),
        parameters: Vec::new(),
        whole_call: Vec::new(),
        result: None,
        body: match &procedure.body {
            // The entry is set once the nodes are known.
            program::Body::Automaton(_) | program::Body::Unknown => Body::Unknown,
            program::Body::Library(library) => Body::Library(*library),
        },
        is_variadic: procedure.is_variadic,
    }
}

struct Compiler<'a> {
    values: Values<'a>,
    code: &'a mut Code,
    procedure: ProcedureId,
    /// The node of the first location of the current procedure.
    first: usize,
}

impl Compiler<'_> {
    fn automaton(&mut self, automaton: &Automaton) {
        self.first = self.code.nodes.len();
        // One node for each location first, so that targets are known; further nodes are appended.
        let stay = Node {
            operation: Operation::Stay,
            to: 0,
            edge: 0,
        };
        self.code.nodes.resize(self.first + automaton.locations.len(), stay);
        for (index, location) in automaton.locations.iter().enumerate() {
            let id = LocationId(u32::try_from(index).unwrap_or(u32::MAX));
            let node = self.location(automaton, id, location);
            self.place(self.first + index, node);
        }
        let entry = self.target(automaton.entry);
        self.code.frames[self.procedure.index()].body = Body::Entry(entry);
    }

    /// Stores a node at its position, behind the nodes that compute parts of its values.
    fn place(&mut self, position: usize, node: Node) {
        let mut position = position;
        for part in std::mem::take(&mut self.values.before) {
            let next = self.code.nodes.len();
            let edge = node.edge;
            self.code.nodes.push(Node {
                operation: Operation::Stay,
                to: 0,
                edge,
            });
            self.code.nodes[position] = Node {
                operation: Operation::Part(Box::new(part)),
                to: u32::try_from(next).unwrap_or(u32::MAX),
                edge,
            };
            position = next;
        }
        self.code.nodes[position] = node;
    }

    fn target(&self, location: LocationId) -> u32 {
        u32::try_from(self.first + location.index()).unwrap_or(u32::MAX)
    }

    fn edge(&mut self, location: LocationId, edge: Option<usize>) -> u32 {
        self.code.edges.push(EdgeOrigin {
            procedure: self.procedure,
            location,
            edge: edge.and_then(|edge| u32::try_from(edge).ok()),
        });
        u32::try_from(self.code.edges.len() - 1).unwrap_or(u32::MAX)
    }

    fn location(&mut self, automaton: &Automaton, id: LocationId, location: &Location) -> Node {
        match location.edges.as_slice() {
            [] => Node {
                operation: if id == automaton.exit {
                    Operation::Return
                } else {
                    Operation::Stay
                },
                to: 0,
                edge: self.edge(id, None),
            },
            [edge] => Node {
                edge: self.edge(id, Some(0)),
                operation: self.operation(id, edge),
                to: self.target(edge.to),
            },
            edges => self.branch(id, edges),
        }
    }

    fn branch(&mut self, id: LocationId, edges: &[Edge]) -> Node {
        let mut numbers = Vec::new();
        for (index, edge) in edges.iter().enumerate() {
            numbers.push((self.edge(id, Some(index)), self.target(edge.to)));
        }
        let first = numbers.first().map_or(0, |(edge, _)| *edge);
        let node = |operation| Node {
            operation,
            to: 0,
            edge: first,
        };
        if let [one, other] = edges
            && let (Some((condition, holds)), Some((other, not))) = (assumed(&one.step), assumed(&other.step))
            && holds != not
            && condition == other
        {
            let [(edge, to), (other_edge, other_to)] = [numbers[0], numbers[1]];
            let choice = |edge, to| Choice {
                condition: Number::Constant(1),
                holds: true,
                to,
                edge,
            };
            let choices = [choice(edge, to), choice(other_edge, other_to)];
            let [yes, no] = if holds {
                choices
            } else {
                let [no, yes] = choices;
                [yes, no]
            };
            let condition = self.values.truth(condition);
            return node(Operation::Branch(Box::new(Branch { condition, yes, no })));
        }
        let choices = edges.iter().zip(numbers).map(|(edge, (number, to))| {
            let (condition, holds) = match assumed(&edge.step) {
                Some((condition, holds)) => (self.values.truth(condition), holds),
                None => (Number::Unsupported(Unsupported::Step), true),
            };
            Choice {
                condition,
                holds,
                to,
                edge: number,
            }
        });
        node(Operation::Select(choices.collect()))
    }

    fn operation(&mut self, id: LocationId, edge: &Edge) -> Operation {
        match &edge.step {
            Step::Skip => Operation::Skip,
            Step::Assume {
                condition,
                holds,
                reason: Reason::Assumption,
            } => Operation::Assume(Box::new((self.values.truth(condition), *holds))),
            Step::Assume { condition, holds, .. } => {
                let condition = self.values.truth(condition);
                let number = self.edge(id, Some(0));
                let to = self.target(edge.to);
                Operation::Select(Box::new([Choice {
                    condition,
                    holds: *holds,
                    to,
                    edge: number,
                }]))
            }
            Step::Assign { target, value } => self.assign(target, value),
            Step::Copy { target, source } => {
                let bytes = self
                    .values
                    .program
                    .types
                    .size(self.values.program.type_of(target))
                    .unwrap_or(0);
                let (target, source) = (self.values.address(target), self.values.address(source));
                Operation::Copy(Box::new((target, source, bytes)))
            }
            Step::Choose { target, name } => Operation::Choose(Box::new(Choose {
                type_id: self.values.program.type_of(target),
                target: self.values.target(target),
                name: name.clone(),
            })),
            Step::Call {
                callee,
                arguments,
                result,
            } => self.call(callee, arguments, result.as_ref()),
            Step::Enter(variable) => match self.values.home(*variable) {
                Some(VariableHome::Local(Home::Object(register))) => Operation::Enter {
                    register,
                    variable: *variable,
                    bytes: self.values.size_of(*variable),
                },
                Some(VariableHome::Local(Home::Register(register))) => Operation::EnterRegister(register),
                _ => Operation::Skip,
            },
            Step::Leave(variable) => match self.values.home(*variable) {
                Some(VariableHome::Local(Home::Object(register))) => Operation::Leave(register),
                Some(VariableHome::Local(Home::Register(register))) => Operation::LeaveRegister(register),
                _ => Operation::Skip,
            },
            Step::Violate(property) => Operation::Violate(*property),
        }
    }

    fn assign(&mut self, target: &program::Place, value: &Value) -> Operation {
        if let Some(source) = self.byte_source(target, value) {
            return Operation::AssignByte(Box::new((self.values.target(target), source)));
        }
        let value = self.values.scalar_for(target, value);
        let target = self.values.target(target);
        if let (Some(to), Some(from)) = (register_of_target(&target), register_of_value(&value)) {
            return Operation::Move(to, from);
        }
        match (target, value) {
            (Target::Local(register), Scalar::Number(number)) => Operation::SetLocal(register, number),
            (Target::Local(register), Scalar::Pointer(pointer)) => Operation::SetLocalPointer(register, pointer),
            (Target::Number { address, format }, Scalar::Number(number)) => {
                Operation::Store(Box::new((address, format, number)))
            }
            (target, value) => Operation::Assign(Box::new((target, value))),
        }
    }

    /// A byte that is only copied may be uninitialized.
    fn byte_source(&mut self, target: &program::Place, value: &Value) -> Option<ByteSource> {
        let program = self.values.program;
        let byte = |place: &program::Place| match program.types.scalar(program.type_of(place)) {
            Some(program::Scalar::Integer(integer)) if integer.bits == 8 => Some(integer),
            _ => None,
        };
        let target = byte(target)?;
        let Value::Read { place, .. } = value else { return None };
        if byte(place)? != target {
            return None;
        }
        match self.values.place(place) {
            PlaceForm::Local(register) => Some(ByteSource::Local(register)),
            PlaceForm::Global(register) => Some(ByteSource::Global(register)),
            PlaceForm::Memory { bits: Some(_), .. } => None,
            PlaceForm::Memory { address, .. } => Some(ByteSource::Memory(address, crate::word::Kind::new(target))),
        }
    }

    fn call(
        &mut self,
        callee: &program::Callee,
        arguments: &[program::Argument],
        result: Option<&program::Place>,
    ) -> Operation {
        let callee = match callee {
            program::Callee::Procedure(procedure) => Callee::Procedure(*procedure),
            program::Callee::Pointer(pointer) => Callee::Pointer(self.values.pointer(pointer)),
        };
        let arguments = arguments.iter().map(|argument| match argument {
            program::Argument::Scalar(value) => (
                Argument::Scalar(self.values.scalar(value)),
                ArgumentType::Scalar(value.scalar()),
            ),
            program::Argument::Record(place) => {
                let size = self
                    .values
                    .program
                    .types
                    .size(self.values.program.type_of(place))
                    .unwrap_or(0);
                (Argument::Record(self.values.address(place)), ArgumentType::Record(size))
            }
        });
        let arguments = arguments.collect();
        let result = result.map(|place| (self.values.target(place), self.values.program.type_of(place)));
        let mut call = Call {
            callee,
            arguments,
            result,
            fits: false,
        };
        if let Callee::Procedure(procedure) = &call.callee
            && let Some(frame) = self.code.frames.get(procedure.index())
        {
            call.fits = fits(&self.values.program.types, frame, &call);
        }
        Operation::Call(Box::new(call))
    }
}

/// Whether the types of a call match those of the procedure.
pub(crate) fn fits(types: &Types, frame: &Frame, call: &Call) -> bool {
    let fits = |given: ArgumentType, type_id: TypeId| match (given, types.scalar(type_id)) {
        (ArgumentType::Scalar(program::Scalar::Integer(given)), Some(program::Scalar::Integer(expected))) => {
            given.bits == expected.bits
        }
        (ArgumentType::Scalar(given), Some(expected)) => given == expected,
        (ArgumentType::Record(size), None) => types.size(type_id) == Some(size),
        _ => false,
    };
    let result_fits = match (&call.result, frame.result) {
        (Some((_, wanted)), Some((_, given))) => match (types.scalar(*wanted), types.scalar(given)) {
            (Some(program::Scalar::Integer(wanted)), Some(program::Scalar::Integer(given))) => {
                wanted.bits == given.bits
            }
            (Some(wanted), Some(given)) => wanted == given,
            (None, None) => types.size(*wanted) == types.size(given),
            _ => false,
        },
        // Library procedures check their results themselves.
        (Some(_), None) => matches!(frame.body, Body::Library(_)),
        (None, _) => true,
    };
    let (given, expected) = (call.arguments.len(), frame.parameters.len());
    let mut pairs = call.arguments.iter().zip(&frame.parameters);
    result_fits
        && (given == expected || given > expected && frame.is_variadic)
        && pairs.all(|((_, given), parameter)| fits(*given, parameter.type_id))
}

fn register_of_target(target: &Target) -> Option<Register> {
    match target {
        Target::Local(register) => Some(Register::Local(*register)),
        Target::Global(register) => Some(Register::Global(*register)),
        Target::Number { .. } | Target::Pointer(_) | Target::Whole { .. } => None,
    }
}

pub(crate) fn register_of_value(value: &Scalar) -> Option<Register> {
    match value {
        Scalar::Number(Number::Local(register)) | Scalar::Pointer(Address::Local(register)) => {
            Some(Register::Local(*register))
        }
        Scalar::Number(Number::Global(register)) | Scalar::Pointer(Address::Global(register)) => {
            Some(Register::Global(*register))
        }
        _ => None,
    }
}

fn assumed(step: &Step) -> Option<(&Value, bool)> {
    match step {
        Step::Assume { condition, holds, .. } => Some((condition, *holds)),
        _ => None,
    }
}
