//! Tracing: each step is recorded with its changes.

use crate::code::{Argument, ArgumentType, Call, Callee, Format, Node, Operation, Register, Target};
use crate::outcome::{End, Fault};
use crate::run::Machine;
use crate::trace::{ChangedPlace, Member, TraceChange, TraceEvent, TraceValue};
use crate::word::{Kind, Word};
use system::program::{Body, Edge, LocationId, Place, ProcedureId, Root, Scalar, Step, TypeId};

/// A place that is about to change.
struct Pending {
    place: ChangedPlace,
    holder: Holder,
    type_id: TypeId,
    /// The previous content of its parts.
    before: Vec<(Vec<Member>, TraceValue)>,
}

enum Holder {
    Local(u32),
    Global(u32),
    Number(Word, Format),
    Pointer(Word),
    Whole(Word),
}

impl Machine<'_> {
    /// Executes one step and records it.
    pub(crate) fn traced(&mut self, node: &Node) -> Result<Option<End>, Fault> {
        let mut event = self.event();
        let depth = self.calls.len();
        self.input_name = None;
        let is_return = matches!(node.operation, Operation::Return);
        if let Operation::Call(call) = &node.operation {
            event.call = self.noted_call(call);
        }
        let pending = self.pending(node, &event);
        let call = self.calls.last().map_or(0, |activation| activation.call);
        let result = self.step(node);
        if result.is_ok() && self.calls.len() == depth {
            event.change = pending.map(|pending| self.changed(&pending));
        }
        event.edge = self.taken(node, event.edge);
        event.input = self.input_name.take();
        event.is_return = is_return;
        if is_return && self.calls.len() < depth {
            event.change = self.returned_change(call);
        }
        let most = self.limits.trace;
        self.trace.push(event, most);
        result
    }

    /// Records the end of a run, unless [`Machine::traced`] did.
    pub(crate) fn note_end(&mut self) {
        let event = self.event();
        let is_noted = self.trace.events.back().is_some_and(|last| {
            last.location == event.location && last.procedure == event.procedure && last.edge == event.edge
        });
        if !is_noted {
            let most = self.limits.trace;
            self.trace.push(event, most);
        }
    }

    fn event(&self) -> TraceEvent {
        let origin = self.origin();
        TraceEvent {
            depth: self.calls.len().saturating_sub(1),
            procedure: origin.map_or(ProcedureId(0), |origin| origin.procedure),
            location: origin.map_or(LocationId(0), |origin| origin.location),
            edge: origin.and_then(|origin| origin.edge),
            span: self.span(),
            change: None,
            call: None,
            input: None,
            is_return: false,
        }
    }

    /// The edge that a branch took.
    fn taken(&self, node: &Node, edge: Option<u32>) -> Option<u32> {
        let choices = match &node.operation {
            Operation::Branch(branch) => vec![&branch.yes, &branch.no],
            Operation::Select(choices) => choices.iter().collect(),
            _ => return edge,
        };
        let choice = choices.into_iter().find(|choice| choice.to == self.position)?;
        self.code.edges.get(choice.edge as usize)?.edge
    }

    fn noted_call(&mut self, call: &Call) -> Option<(ProcedureId, Vec<TraceValue>)> {
        let callee = match &call.callee {
            Callee::Procedure(procedure) => *procedure,
            Callee::Pointer(pointer) => self.pointer(pointer).ok()?.as_procedure()?,
        };
        let mut arguments = Vec::new();
        for (argument, argument_type) in &call.arguments {
            arguments.push(match (argument, argument_type) {
                (Argument::Scalar(value), ArgumentType::Scalar(scalar)) => match self.scalar(value) {
                    Ok(word) => self.known(word, *scalar),
                    Err(_) => TraceValue::Undefined,
                },
                _ => TraceValue::Whole,
            });
        }
        Some((callee, arguments))
    }

    fn pending(&mut self, node: &Node, event: &TraceEvent) -> Option<Pending> {
        let (root, type_id) = event_place(self, event)?;
        match &node.operation {
            Operation::SetLocal(register, _) | Operation::SetLocalPointer(register, _) => {
                pending_register(&root, type_id, Holder::Local(*register))
            }
            Operation::Move(Register::Local(register), _) => pending_register(&root, type_id, Holder::Local(*register)),
            Operation::Move(Register::Global(register), _) => {
                pending_register(&root, type_id, Holder::Global(*register))
            }
            Operation::Store(store) => {
                let address = self.pointer(&store.0).ok()?;
                self.pending_memory(address, type_id, Holder::Number(address, store.1))
            }
            Operation::Assign(assign) => self.pending_target(&assign.0, &root, type_id),
            Operation::AssignByte(assign) => self.pending_target(&assign.0, &root, type_id),
            Operation::Choose(choose) => self.pending_target(&choose.target, &root, type_id),
            Operation::Copy(copy) => {
                let address = self.pointer(&copy.0).ok()?;
                self.pending_memory(address, type_id, Holder::Whole(address))
            }
            Operation::Call(call) => self.pending_target(&call.result.as_ref()?.0, &root, type_id),
            _ => None,
        }
    }

    fn pending_target(&mut self, target: &Target, root: &Root, type_id: TypeId) -> Option<Pending> {
        match target {
            Target::Local(register) => pending_register(root, type_id, Holder::Local(*register)),
            Target::Global(register) => pending_register(root, type_id, Holder::Global(*register)),
            Target::Number { address, format } => {
                let address = self.pointer(address).ok()?;
                self.pending_memory(address, type_id, Holder::Number(address, *format))
            }
            Target::Pointer(address) => {
                let address = self.pointer(address).ok()?;
                self.pending_memory(address, type_id, Holder::Pointer(address))
            }
            Target::Whole { address, .. } => {
                let address = self.pointer(address).ok()?;
                self.pending_memory(address, type_id, Holder::Whole(address))
            }
        }
    }

    fn pending_memory(&mut self, address: Word, type_id: TypeId, holder: Holder) -> Option<Pending> {
        let before = match holder {
            Holder::Whole(address) => self.members(address, type_id),
            _ => Vec::new(),
        };
        Some(Pending {
            before,
            place: ChangedPlace::Object {
                origin: self.memory.origin(address)?,
                offset: address.offset(),
            },
            holder,
            type_id,
        })
    }

    fn changed(&mut self, pending: &Pending) -> TraceChange {
        let word = match &pending.holder {
            Holder::Local(register) => self.local(*register),
            Holder::Global(register) => self.globals.get(*register as usize).copied().unwrap_or(Word::UNDEFINED),
            Holder::Number(address, format) => self.load_at(*address, *format).map_or(Word::UNDEFINED, Word::number),
            Holder::Pointer(address) => self.memory.read_pointer(*address, false).unwrap_or(Word::UNDEFINED),
            Holder::Whole(_) => Word::UNDEFINED,
        };
        let mut members = match pending.holder {
            Holder::Whole(address) => self.members(address, pending.type_id),
            _ => Vec::new(),
        };
        members.retain(|member| !pending.before.contains(member));
        TraceChange {
            members,
            place: pending.place,
            type_id: pending.type_id,
            value: match self.program.types.scalar(pending.type_id) {
                Some(scalar) => self.known(word, scalar),
                None => TraceValue::Whole,
            },
        }
    }

    /// The change in the caller by the call of this node.
    fn returned_change(&mut self, call: u32) -> Option<TraceChange> {
        let code = self.code;
        let node = code.nodes.get(call as usize)?;
        let origin = code.edges.get(node.edge as usize)?;
        let event = TraceEvent {
            procedure: origin.procedure,
            location: origin.location,
            edge: origin.edge,
            ..self.event()
        };
        let pending = Pending {
            // The change has already happened.
            before: Vec::new(),
            ..self.pending(node, &event)?
        };
        Some(self.changed(&pending))
    }

    pub(crate) fn known(&self, word: Word, scalar: Scalar) -> TraceValue {
        match scalar {
            _ if word.is_open() => TraceValue::Undefined,
            Scalar::Integer(integer) => TraceValue::Integer(Kind::new(integer).value(word.bits())),
            Scalar::Float(_) => TraceValue::Float(f64::from_bits(word.bits())),
            Scalar::Pointer if word.is_null() => TraceValue::Null,
            Scalar::Pointer if word.is_number() => TraceValue::Number(word.bits()),
            Scalar::Pointer => match (word.as_procedure(), self.memory.origin(word)) {
                (Some(procedure), _) => TraceValue::Procedure(procedure),
                (None, Some(origin)) => TraceValue::Object {
                    origin,
                    offset: word.offset(),
                },
                (None, None) => TraceValue::Dead,
            },
        }
    }
}

fn pending_register(root: &Root, type_id: TypeId, holder: Holder) -> Option<Pending> {
    match root {
        Root::Variable(variable) => Some(Pending {
            place: ChangedPlace::Variable(*variable),
            holder,
            type_id,
            before: Vec::new(),
        }),
        Root::Dereference { .. } => None,
    }
}

/// The place that the step of an event changes.
fn event_place(machine: &Machine, event: &TraceEvent) -> Option<(Root, TypeId)> {
    let place = match &edge_of(machine, event)?.step {
        Step::Assign { target, .. } | Step::Copy { target, .. } | Step::Choose { target, .. } => target,
        Step::Call { result, .. } => result.as_ref()?,
        _ => return None,
    };
    let place: &Place = place;
    Some((place.root.clone(), machine.program.type_of(place)))
}

fn edge_of<'a>(machine: &Machine<'a>, event: &TraceEvent) -> Option<&'a Edge> {
    let Body::Automaton(automaton) = &machine.program[event.procedure].body else {
        return None;
    };
    automaton
        .locations
        .get(event.location.index())?
        .edges
        .get(event.edge? as usize)
}
