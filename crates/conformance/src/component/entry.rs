//! Closing a procedure: its parameters are arbitrary, and routines with an abstraction lose their bodies.

use std::collections::BTreeSet;
use system::Span;
use system::program::{
    Argument, Automaton, Body, Callee, Comparison, Edge, Initial, Integer, Location, LocationId, Place, ProcedureId,
    Program, Reason, Root, Scalar, Selector, Step, Type, TypeId, Value, Variable, VariableId, VariableKind,
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

/// The program in which a procedure starts with arbitrary arguments and routines of these names have no bodies,
/// together with the assumptions about the environment.
pub fn opened(
    program: &Program,
    entry: ProcedureId,
    assumed: &BTreeSet<String>,
) -> Result<(Program, Vec<String>), NoComponent> {
    let mut program = program.clone();
    for procedure in &mut program.procedures {
        // The front end gives functions that the specification names no built-in meaning. Only the user's bodies are
        // removed: library functions and compiler built-ins merely share names with them.
        let is_users = matches!(procedure.body, Body::Automaton(_)) && !procedure.is_library;
        if is_users && assumed.contains(&procedure.name) {
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
    without_arguments(&program, &mut automaton);
    let rows = rows(&mut program);
    let mut opening = Opening {
        call: std::mem::take(&mut automaton.locations[site].edges),
        program,
        automaton,
        here: LocationId(u32::try_from(site).unwrap_or(u32::MAX)),
        assumptions: Vec::new(),
        pointers: Vec::new(),
        rows,
    };
    let mut arguments = Vec::new();
    let parameters = opening.program[entry].parameters.clone();
    parameters.iter().for_each(|parameter| opening.make_own(*parameter));
    for parameter in parameters {
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

/// Removes the front end's choices for the arguments, which are chosen anew.
fn without_arguments(program: &Program, automaton: &mut Automaton) {
    let is_own = |place: &Place| match place.root {
        Root::Variable(variable) => program[variable].kind == VariableKind::Temporary,
        Root::Dereference { .. } => false,
    };
    let edges = automaton.locations.iter_mut().flat_map(|location| &mut location.edges);
    for edge in edges {
        if let Step::Choose { target, .. } | Step::Assign { target, .. } = &edge.step
            && is_own(target)
        {
            edge.step = Step::Skip;
        }
    }
}

/// The element sizes of pointer arithmetic in the program.
fn rows(program: &mut Program) -> BTreeSet<u64> {
    let mut sizes = BTreeSet::new();
    for procedure in &mut program.procedures {
        let Body::Automaton(automaton) = &mut procedure.body else {
            continue;
        };
        let edges = automaton.locations.iter_mut().flat_map(|location| &mut location.edges);
        for edge in edges {
            edge.step.for_each_value_mut(&mut |value| {
                if let Value::Offset { bytes, .. } | Value::Distance { bytes, .. } = value {
                    sizes.insert(*bytes);
                }
            });
        }
    }
    sizes
}

struct Opening {
    program: Program,
    automaton: Automaton,
    call: Vec<Edge>,
    /// The location where the next step is appended.
    here: LocationId,
    assumptions: Vec<String>,
    /// The pointer parameters.
    pointers: Vec<Pointer>,
    /// The element sizes of pointer arithmetic in the program: such objects form arrays.
    rows: BTreeSet<u64>,
}

/// A pointer parameter.
struct Pointer {
    parameter: VariableId,
    name: String,
    pointee: TypeId,
    /// The chosen value.
    value: Option<Value>,
    /// The fresh objects that it may point at: one object, or an array.
    own: Vec<Place>,
}

/// The maximum number of existing places that a parameter may point at.
const MOST_PLACES: usize = 64;
/// The size of the array that a parameter gets, in bytes.
const OWN_BYTES: u64 = 16;

impl Opening {
    fn any_argument(&mut self, parameter: VariableId) -> Result<Value, NoComponent> {
        let Variable {
            name, type_id, span, ..
        } = self.program[parameter].clone();
        let Some(scalar) = self.program.types.scalar(type_id) else {
            return Err(NoComponent::Record(name));
        };
        let place = Place::variable(self.add(&name, type_id, span));
        let value = Value::Read {
            place: Box::new(place.clone()),
            scalar,
        };
        match self.pointers.iter().position(|pointer| pointer.parameter == parameter) {
            Some(number) => {
                self.any_pointer(&place, number, span);
                self.pointers[number].value = Some(value.clone());
            }
            None => self.choose(place, &name, span),
        }
        Ok(value)
    }

    /// Creates the fresh objects of a parameter.
    fn make_own(&mut self, parameter: VariableId) {
        let Variable {
            name, type_id, span, ..
        } = self.program[parameter].clone();
        if let Type::Pointer(pointee) = self.program.types[type_id] {
            let own = self.own_objects(pointee, &name, span);
            self.pointers.push(Pointer {
                parameter,
                name,
                pointee,
                value: None,
                own,
            });
        }
    }

    /// Creates fresh objects with arbitrary content: one; or an array, where the program does arithmetic on pointers to
    /// this type. Empty where such an object cannot be created.
    fn own_objects(&mut self, pointee: TypeId, name: &str, span: Span) -> Vec<Place> {
        let types = &self.program.types;
        let is_data = match &types[pointee] {
            Type::Void | Type::Procedure { .. } => false,
            Type::Record(record) => types[*record].size.is_some(),
            Type::Array { length, .. } => length.is_some(),
            Type::Integer(_) | Type::Float(_) | Type::Pointer(_) => true,
        };
        let Some(size) = types.size(pointee).filter(|size| is_data && *size > 0) else {
            return Vec::new();
        };
        if !self.rows.contains(&size) {
            let place = Place::variable(self.add(&format!("*{name}"), pointee, span));
            self.choose(place.clone(), name, span);
            return vec![place];
        }
        let length = (OWN_BYTES / size).max(2);
        let row = self.program.types.add(Type::Array {
            element: pointee,
            length: Some(length),
        });
        let place = Place::variable(self.add(&format!("*{name}"), row, span));
        self.choose(place.clone(), name, span);
        let element = |number: u64| {
            let index = Value::Integer {
                value: i128::from(number),
                integer: INT,
            };
            place.clone().select(Selector::Index(Box::new(index)))
        };
        (0..length).map(element).collect()
    }

    /// An arbitrary pointer: null, or to a fresh object with arbitrary content, to a part of a variable that has its
    /// type, to where an earlier parameter points, or into a fresh object of an earlier parameter.
    fn any_pointer(&mut self, target: &Place, number: usize, span: Span) {
        let Pointer { name, pointee, own, .. } = &self.pointers[number];
        let (name, pointee) = (name.clone(), *pointee);
        let address = |place: &Place| Value::Address(Box::new(place.clone()));
        let mut values: Vec<Value> = own.first().map(address).into_iter().collect();
        let null = Value::Convert {
            to: Scalar::Pointer,
            value: Box::new(Value::Integer { value: 0, integer: INT }),
        };
        let (what, otherwise) = match own.len() {
            // Without a candidate, the pointer is chosen freely.
            0 => {
                let (target, name) = (target.clone(), name.clone());
                let what = "something that no variable of the program is".to_owned();
                (what, Step::Choose { target, name })
            }
            count => {
                let (target, value) = (target.clone(), null);
                let what = match count {
                    1 => "an object of its own".to_owned(),
                    count => format!("the first of {count} objects of its own"),
                };
                (what, Step::Assign { target, value })
            }
        };
        let (places, is_all) = self.places_of(pointee);
        let mut words: Vec<String> = places.iter().map(|(words, _)| format!("`{words}`")).collect();
        values.extend(places.iter().map(|(_, place)| address(place)));
        for other in self.pointers.iter().filter(|other| other.name != name) {
            if let (Some(value), true) = (&other.value, self.is_alike(other.pointee, pointee)) {
                words.push(format!("what `{}` points at", other.name));
                values.push(value.clone());
            }
            let (further, places) = self.parts_of_own(other, pointee);
            words.extend(further);
            values.extend(places.iter().map(address));
        }
        let mut what = format!("`{name}` is null, or points at {what}");
        if !words.is_empty() {
            what = format!("{what}, or at {}", words.join(", "));
        }
        if !is_all {
            what.push_str(", but at none of the further variables");
        }
        self.assumptions.push(what);
        match values.is_empty() {
            true => self.step(otherwise, span),
            false => self.choose_among(target, values, otherwise, (&name, span)),
        }
    }

    /// The parts of the fresh objects of a parameter that another parameter may point at, apart from the target itself:
    /// their descriptions and places.
    fn parts_of_own(&self, other: &Pointer, pointee: TypeId) -> (Vec<String>, Vec<Place>) {
        let mut found = Vec::new();
        for (number, own) in other.own.iter().enumerate() {
            let words = match number {
                0 => format!("(*{})", other.name),
                number => format!("{}[{number}]", other.name),
            };
            self.parts(other.pointee, pointee, &words, own.clone(), &mut found);
        }
        found.truncate(MOST_PLACES);
        found.retain(|(_, place)| Some(place) != other.own.first());
        let words = match (found.as_slice(), self.is_alike(other.pointee, pointee)) {
            ([], _) => Vec::new(),
            (_, true) => vec![format!("a later one of the objects of `{}`", other.name)],
            (found, false) => found.iter().map(|(words, _)| format!("`{words}`")).collect(),
        };
        (words, found.into_iter().map(|(_, place)| place).collect())
    }

    /// Assigns one of these values to the target, or takes the other step.
    fn choose_among(&mut self, target: &Place, values: Vec<Value>, otherwise: Step, (name, span): (&str, Span)) {
        let int = self.program.types.add(Type::Integer(INT));
        let which = format!("where {name} points");
        let chosen = Place::variable(self.add(&which, int, span));
        self.choose(chosen.clone(), &which, span);
        let after = self.location(span);
        for (number, value) in (1..).zip(values) {
            let [is_it, is_other] = [(); 2].map(|()| self.location(span));
            let condition = Value::Compare {
                comparison: Comparison::Equal,
                left: Box::new(Value::Read {
                    place: Box::new(chosen.clone()),
                    scalar: Scalar::Integer(INT),
                }),
                right: Box::new(Value::Integer {
                    value: number,
                    integer: INT,
                }),
                integer: INT,
            };
            for (holds, to) in [(true, is_it), (false, is_other)] {
                let assume = Step::Assume {
                    condition: condition.clone(),
                    holds,
                    reason: Reason::Branch,
                };
                self.edge(self.here, assume, to, span);
            }
            let assign = Step::Assign {
                target: target.clone(),
                value,
            };
            self.edge(is_it, assign, after, span);
            self.here = is_other;
        }
        self.edge(self.here, otherwise, after, span);
        self.here = after;
    }

    /// Variables and parts of them that a pointer to this type may point at, and whether these are all. Constants are
    /// omitted: a fresh object may have the same content.
    fn places_of(&self, pointee: TypeId) -> (Vec<(String, Place)>, bool) {
        let mut found = Vec::new();
        for (number, variable) in (0..).zip(&self.program.variables) {
            if variable.kind == VariableKind::Global && !variable.is_constant {
                let place = Place::variable(VariableId(number));
                self.parts(variable.type_id, pointee, &variable.name, place, &mut found);
            }
        }
        let is_all = found.len() <= MOST_PLACES;
        found.truncate(MOST_PLACES);
        (found, is_all)
    }

    fn parts(&self, whole: TypeId, pointee: TypeId, words: &str, place: Place, found: &mut Vec<(String, Place)>) {
        if found.len() > MOST_PLACES {
            return;
        }
        let types = &self.program.types;
        if self.is_alike(whole, pointee) {
            found.push((words.to_owned(), place.clone()));
            if !matches!(types[pointee], Type::Record(_)) {
                return;
            }
        }
        match &types[whole] {
            Type::Array { element, length } => {
                for number in 0..length.unwrap_or(0).min(MOST_PLACES as u64 + 1) {
                    let index = Value::Integer {
                        value: i128::from(number),
                        integer: INT,
                    };
                    let part = place.clone().select(Selector::Index(Box::new(index)));
                    self.parts(*element, pointee, &format!("{words}[{number}]"), part, found);
                }
            }
            Type::Record(record) => {
                for (number, field) in types[*record].fields.iter().enumerate() {
                    if field.bits.is_none() {
                        let part = place.clone().select(Selector::Field(number));
                        self.parts(field.type_id, pointee, &format!("{words}.{}", field.name), part, found);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a pointer to the second type may point at an object of the first (C11 6.5p7). Bytes and `void` are part
    /// of every object.
    fn is_alike(&self, object: TypeId, pointee: TypeId) -> bool {
        let types = &self.program.types;
        match (&types[object], &types[pointee]) {
            (_, Type::Void) => true,
            (_, Type::Integer(byte)) if byte.bits == 8 => true,
            (Type::Integer(own), Type::Integer(other)) => own.bits == other.bits,
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (own, other) => own == other,
        }
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
        let name = name.to_owned();
        self.step(Step::Choose { target, name }, span);
    }

    fn step(&mut self, step: Step, span: Span) {
        let to = self.location(span);
        self.edge(self.here, step, to, span);
        self.here = to;
    }

    fn edge(&mut self, from: LocationId, step: Step, to: LocationId, span: Span) {
        self.automaton.locations[from.index()]
            .edges
            .push(Edge { step, to, span });
    }
}

/// A cycle of procedures with bodies in the call graph, reachable from this one.
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
