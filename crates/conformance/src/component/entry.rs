//! A procedure as a component: its parameters may be anything, and routines with an abstraction do what that says.

use std::collections::BTreeSet;
use system::Span;
use system::program::{
    Argument, Automaton, Body, Callee, Edge, Initial, Integer, Location, LocationId, Place, ProcedureId, Program,
    Reason, Scalar, Step, Type, TypeId, Value, Variable, VariableId, VariableKind,
};

const INT: Integer = Integer::new(32, true);

/// Why a procedure cannot be a component.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoComponent {
    #[error("`{0}` is never called at the start of the program")]
    NoStart(String),
    #[error("the parameter `{0}` is a record: components are given numbers and pointers only")]
    Record(String),
    #[error("{} call each other: recursion is beyond the analysis of components", listed(.0))]
    Recursion(Vec<String>),
}

fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" and ")
}

/// The program in which a procedure begins with any arguments, and routines of these names have no bodies. Beside it,
/// what is taken for granted.
pub fn opened(
    program: &Program,
    entry: ProcedureId,
    assumed: &BTreeSet<String>,
) -> Result<(Program, Vec<String>), NoComponent> {
    let mut program = program.clone();
    for procedure in &mut program.procedures {
        if assumed.contains(&procedure.name) {
            procedure.body = Body::Unknown;
        }
    }
    let start = program.start;
    let calls = |edge: &Edge| matches!(&edge.step, Step::Call { callee: Callee::Procedure(id), .. } if *id == entry);
    let Body::Automaton(mut automaton) = program[start].body.clone() else {
        return Err(NoComponent::NoStart(program[entry].name.clone()));
    };
    let found = automaton
        .locations
        .iter()
        .position(|location| location.edges.iter().any(calls));
    let Some(site) = found else {
        return Err(NoComponent::NoStart(program[entry].name.clone()));
    };
    let mut opening = Opening {
        call: std::mem::take(&mut automaton.locations[site].edges),
        program,
        automaton,
        here: LocationId(u32::try_from(site).unwrap_or(u32::MAX)),
        assumptions: Vec::new(),
    };
    let mut arguments = Vec::new();
    for parameter in opening.program[entry].parameters.clone() {
        arguments.push(Argument::Scalar(opening.any_argument(parameter)?));
    }
    if let Some(Edge {
        step: Step::Call { arguments: given, .. },
        ..
    }) = opening.call.first_mut()
    {
        *given = arguments;
    }
    let here = opening.here;
    opening.automaton.locations[here.index()].edges = opening.call;
    opening.program.procedures[start.index()].body = Body::Automaton(opening.automaton);
    Ok((opening.program, opening.assumptions))
}

struct Opening {
    program: Program,
    automaton: Automaton,
    call: Vec<Edge>,
    /// Where the next step is put.
    here: LocationId,
    assumptions: Vec<String>,
}

impl Opening {
    fn any_argument(&mut self, parameter: VariableId) -> Result<Value, NoComponent> {
        let Variable {
            name, type_id, span, ..
        } = self.program[parameter].clone();
        let Some(scalar) = self.program.types.scalar(type_id) else {
            return Err(NoComponent::Record(name));
        };
        let place = Place::variable(self.add(&name, type_id, span));
        let pointee = match &self.program.types[type_id] {
            Type::Pointer(pointee) => match &self.program.types[*pointee] {
                Type::Record(record) if self.program.types[*record].size.is_some() => Some(*pointee),
                _ => None,
            },
            _ => None,
        };
        match pointee {
            None => self.choose(place.clone(), &name, span),
            Some(pointee) => self.null_or_object(&place, pointee, &name, span),
        }
        Ok(Value::Read {
            place: Box::new(place),
            scalar,
        })
    }

    /// A pointer to a record is null, or it points at a record of its own that holds anything.
    fn null_or_object(&mut self, target: &Place, pointee: TypeId, name: &str, span: Span) {
        let what = format!("`{name}` is null, or points at an object that no other parameter points at");
        self.assumptions.push(what);
        let object = self.add(&format!("*{name}"), pointee, span);
        self.choose(Place::variable(object), name, span);
        let int = self.program.types.add(Type::Integer(INT));
        let flag = Place::variable(self.add(&format!("{name} is an object"), int, span));
        self.choose(flag.clone(), &format!("{name} is an object"), span);
        let [is_object, is_null, after] = [(); 3].map(|()| self.location(span));
        let condition = Value::Read {
            place: Box::new(flag),
            scalar: Scalar::Integer(INT),
        };
        for (holds, to, value) in [
            (true, is_object, Value::Address(Box::new(Place::variable(object)))),
            (
                false,
                is_null,
                Value::Convert {
                    to: Scalar::Pointer,
                    value: Box::new(Value::Integer { value: 0, integer: INT }),
                },
            ),
        ] {
            let assume = Step::Assume {
                condition: condition.clone(),
                holds,
                reason: Reason::Branch,
            };
            self.automaton.locations[self.here.index()]
                .edges
                .push(Edge { step: assume, to, span });
            let assign = Step::Assign {
                target: target.clone(),
                value,
            };
            self.automaton.locations[to.index()].edges.push(Edge {
                step: assign,
                to: after,
                span,
            });
        }
        self.here = after;
    }

    fn add(&mut self, name: &str, type_id: TypeId, span: Span) -> VariableId {
        self.program.variables.push(Variable {
            name: name.to_owned(),
            type_id,
            kind: VariableKind::Literal,
            procedure: None,
            initial: Initial::Zero,
            is_constant: false,
            span,
        });
        VariableId(u32::try_from(self.program.variables.len() - 1).unwrap_or(u32::MAX))
    }

    fn location(&mut self, span: Span) -> LocationId {
        self.automaton.locations.push(Location {
            edges: Vec::new(),
            label: None,
            span,
        });
        LocationId(u32::try_from(self.automaton.locations.len() - 1).unwrap_or(u32::MAX))
    }

    fn choose(&mut self, target: Place, name: &str, span: Span) {
        let to = self.location(span);
        let step = Step::Choose {
            target,
            name: name.to_owned(),
        };
        self.automaton.locations[self.here.index()]
            .edges
            .push(Edge { step, to, span });
        self.here = to;
    }
}

/// Procedures that call each other, from this one on, as long as they have bodies.
pub fn recursion(
    program: &Program,
    entry: ProcedureId,
    callees: &dyn Fn(ProcedureId) -> Vec<ProcedureId>,
) -> Option<NoComponent> {
    fn visit(
        program: &Program,
        here: ProcedureId,
        callees: &dyn Fn(ProcedureId) -> Vec<ProcedureId>,
        chain: &mut Vec<ProcedureId>,
        finished: &mut BTreeSet<ProcedureId>,
    ) -> Option<NoComponent> {
        if let Some(first) = chain.iter().position(|id| *id == here) {
            let names = chain[first..].iter().map(|id| program[*id].name.clone());
            return Some(NoComponent::Recursion(names.collect()));
        }
        if finished.contains(&here) || program[here].body.automaton().is_none() {
            return None;
        }
        chain.push(here);
        let found = callees(here)
            .into_iter()
            .find_map(|callee| visit(program, callee, callees, chain, finished));
        chain.pop();
        finished.insert(here);
        found
    }
    visit(program, entry, callees, &mut Vec::new(), &mut BTreeSet::new())
}
