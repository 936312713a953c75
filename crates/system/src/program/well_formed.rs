//! Well-formedness of programs: the invariants that engines rely on and every front end must establish.
//!
//! Operand types match, edges lead to locations, exactly one of several outgoing edges can be taken, and a procedure
//! does not access variables of another.

use super::{
    Argument, Automaton, BinaryOperator, Body, Callee, Initial, Place, ProcedureId, Program, Root, Scalar, Selector,
    Step, Type, TypeId, Value, VariableId, VariableKind,
};

/// A violation of well-formedness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    pub procedure: Option<ProcedureId>,
    /// The index of the location.
    pub location: Option<usize>,
    pub what: String,
}

impl Program {
    /// All violations; empty for a well-formed program.
    pub fn malformed(&self) -> Vec<Malformed> {
        let mut checker = Checker {
            program: self,
            procedure: None,
            location: None,
            found: Vec::new(),
        };
        checker.variables();
        checker.procedures();
        checker.found
    }
}

struct Checker<'p> {
    program: &'p Program,
    procedure: Option<ProcedureId>,
    location: Option<usize>,
    found: Vec<Malformed>,
}

impl Checker<'_> {
    fn report(&mut self, what: String) {
        self.found.push(Malformed {
            procedure: self.procedure,
            location: self.location,
            what,
        });
    }

    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.report(what());
        }
    }

    fn variables(&mut self) {
        for variable in &self.program.variables {
            let size = self.program.types.size(variable.type_id);
            let is_global = matches!(
                variable.kind,
                VariableKind::Global | VariableKind::Literal | VariableKind::Given
            );
            self.require(is_global == variable.procedure.is_none(), || {
                format!("`{}` belongs to the wrong procedure for its kind", variable.name)
            });
            match &variable.initial {
                Initial::Bytes(bytes) => self.require(size == Some(bytes.len() as u64), || {
                    format!("`{}` has {} initial bytes, but {size:?}", variable.name, bytes.len())
                }),
                Initial::Zero | Initial::Undefined => {}
            }
            self.require(is_global || variable.initial == Initial::Undefined, || {
                format!("`{}` has an initial value, but belongs to a procedure", variable.name)
            });
        }
    }

    fn procedures(&mut self) {
        let start = &self.program[self.program.start];
        self.require(start.parameters.is_empty(), || "the start has parameters".to_owned());
        for (index, procedure) in self.program.procedures.iter().enumerate() {
            let id = ProcedureId(u32::try_from(index).unwrap_or(u32::MAX));
            self.procedure = Some(id);
            self.location = None;
            let own = procedure
                .parameters
                .iter()
                .map(|parameter| (*parameter, VariableKind::Parameter));
            let result = procedure.result.map(|result| (result, VariableKind::Result));
            for (variable, kind) in own.chain(result) {
                let variable = &self.program[variable];
                self.require(variable.kind == kind && variable.procedure == Some(id), || {
                    format!("`{}` is no parameter or result of `{}`", variable.name, procedure.name)
                });
            }
            if let Body::Automaton(automaton) = &procedure.body {
                self.automaton(automaton);
            }
        }
    }

    fn automaton(&mut self, automaton: &Automaton) {
        let count = automaton.locations.len();
        self.require(automaton.entry.index() < count, || {
            "the entry is no location".to_owned()
        });
        self.require(automaton.exit.index() < count, || "the exit is no location".to_owned());
        for (index, location) in automaton.locations.iter().enumerate() {
            self.location = Some(index);
            let is_exit = index == automaton.exit.index();
            self.require(!is_exit || location.edges.is_empty(), || {
                "edges lead out of the exit".to_owned()
            });
            self.require(is_one_of(location.edges.iter().map(|edge| &edge.step)), || {
                "not exactly one of the edges can be taken".to_owned()
            });
            for edge in &location.edges {
                self.require(edge.to.index() < count, || "an edge leads nowhere".to_owned());
                self.step(&edge.step);
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Skip => {}
            Step::Assume { condition, .. } => {
                self.value(condition);
                let scalar = condition.scalar();
                self.require(matches!(scalar, Scalar::Integer(_)), || {
                    "a condition is no integer".to_owned()
                });
            }
            Step::Assign { target, value } => {
                self.value(value);
                let type_id = self.place(target);
                let scalar = self.program.types.scalar(type_id);
                self.require(scalar == Some(value.scalar()), || {
                    format!("{:?} is assigned to {scalar:?}", value.scalar())
                });
            }
            Step::Copy { target, source } => {
                let (to, from) = (self.place(target), self.place(source));
                let same = to == from;
                self.require(same && self.program.types.size(to).is_some(), || {
                    let names = (self.program.type_text(from), self.program.type_text(to));
                    format!("a copy of `{}` to `{}`", names.0, names.1)
                });
            }
            Step::Choose { target, .. } => {
                let type_id = self.place(target);
                let scalar = self.program.types.scalar(type_id);
                self.require(scalar.is_some(), || "a choice that is no scalar".to_owned());
            }
            Step::Call {
                callee,
                arguments,
                result,
            } => self.call(callee, arguments, result.as_ref()),
            Step::Enter(variable) | Step::Leave(variable) => {
                self.variable(*variable);
                let kind = self
                    .program
                    .variables
                    .get(variable.index())
                    .map(|variable| variable.kind);
                self.require(kind == Some(VariableKind::Local), || {
                    "the life of what is no local variable".to_owned()
                });
            }
            Step::Violate(property) => {
                let is_known = property.index() < self.program.properties.len();
                self.require(is_known, || "no such property".to_owned());
            }
        }
    }

    /// Arguments of a known procedure match its parameters in kind; there may be too few, which is undefined behaviour.
    fn call(&mut self, callee: &Callee, arguments: &[Argument], result: Option<&Place>) {
        for argument in arguments {
            match argument {
                Argument::Scalar(value) => self.value(value),
                Argument::Record(place) => {
                    let type_id = self.place(place);
                    let has_size = self.program.types.size(type_id).is_some();
                    self.require(has_size, || "an argument without a size".to_owned());
                }
            }
        }
        let wanted = result.map(|place| self.place(place));
        match callee {
            Callee::Pointer(pointer) => {
                self.value(pointer);
                let scalar = pointer.scalar();
                self.require(scalar == Scalar::Pointer, || "what is called is no pointer".to_owned());
            }
            Callee::Procedure(id) => {
                let Some(procedure) = self.program.procedures.get(id.index()) else {
                    self.report("a call of no procedure".to_owned());
                    return;
                };
                let too_many = arguments.len() > procedure.parameters.len() && !procedure.is_variadic;
                self.require(!too_many, || format!("too many arguments for `{}`", procedure.name));
                let given = procedure.result.map(|result| self.program[result].type_id);
                if let Some(wanted) = wanted {
                    let scalars = given.map(|given| self.program.types.scalar(given));
                    let fits = given == Some(wanted) || scalars == Some(self.program.types.scalar(wanted));
                    self.require(fits, || {
                        format!("the result of `{}` does not fit its place", procedure.name)
                    });
                }
            }
        }
    }

    fn variable(&mut self, id: VariableId) {
        let Some(variable) = self.program.variables.get(id.index()) else {
            self.report("no such variable".to_owned());
            return;
        };
        let is_own = variable.procedure.is_none() || variable.procedure == self.procedure;
        self.require(is_own, || format!("`{}` belongs to another procedure", variable.name));
    }

    fn place(&mut self, place: &Place) -> TypeId {
        match &place.root {
            Root::Variable(variable) => self.variable(*variable),
            Root::Dereference { pointer, .. } => {
                self.value(pointer);
                let scalar = pointer.scalar();
                self.require(scalar == Scalar::Pointer, || {
                    "what is dereferenced is no pointer".to_owned()
                });
            }
        }
        let mut part = Place {
            root: place.root.clone(),
            selectors: Vec::new(),
        };
        for selector in &place.selectors {
            let whole = self.program.type_of(&part);
            match (selector, &self.program.types[whole]) {
                (Selector::Field(field), Type::Record(record)) => {
                    let count = self.program.types[*record].fields.len();
                    self.require(*field < count, || format!("no field {field}"));
                    if *field >= count {
                        return whole;
                    }
                }
                (Selector::Index(index), Type::Array { .. }) => {
                    self.value(index);
                    let scalar = index.scalar();
                    self.require(matches!(scalar, Scalar::Integer(_)), || {
                        "an index is no integer".to_owned()
                    });
                }
                _ => {
                    let name = self.program.type_text(whole);
                    self.report(format!("`{name}` has no such part"));
                    return whole;
                }
            }
            part.selectors.push(selector.clone());
        }
        self.program.type_of(&part)
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Integer { value, integer } => {
                self.require(integer.contains(*value), || format!("{value} is outside of its type"));
            }
            Value::Float { .. } => {}
            Value::Procedure(id) => {
                let is_known = id.index() < self.program.procedures.len();
                self.require(is_known, || "no such procedure".to_owned());
            }
            Value::Read { place, scalar } => {
                let type_id = self.place(place);
                let own = self.program.types.scalar(type_id);
                self.require(own == Some(*scalar), || format!("{own:?} is read as {scalar:?}"));
            }
            Value::Address(place) => {
                self.place(place);
            }
            Value::Unary { operand, .. } => self.value(operand),
            Value::Convert { value: operand, to } => {
                self.value(operand);
                let has_fraction = |scalar| matches!(scalar, Scalar::Float(_));
                let pair = (operand.scalar(), *to);
                let is_odd = (has_fraction(pair.0) && pair.1 == Scalar::Pointer)
                    || (has_fraction(pair.1) && pair.0 == Scalar::Pointer);
                self.require(!is_odd, || "a conversion between a pointer and a fraction".to_owned());
            }
            Value::Binary { operator, left, right } => self.binary(*operator, left, right),
            Value::Compare { left, right, .. } => {
                self.value(left);
                self.value(right);
                let pair = (left.scalar(), right.scalar());
                self.require(pair.0 == pair.1, || {
                    format!("{:?} is compared with {:?}", pair.0, pair.1)
                });
            }
            Value::Offset { pointer, index, .. } => {
                self.value(pointer);
                self.value(index);
                let fits = pointer.scalar() == Scalar::Pointer && matches!(index.scalar(), Scalar::Integer(_));
                self.require(fits, || "an offset of what is no pointer, or by no integer".to_owned());
            }
            Value::Distance { left, right, bytes, .. } => {
                self.value(left);
                self.value(right);
                let fits = left.scalar() == Scalar::Pointer && right.scalar() == Scalar::Pointer && *bytes > 0;
                self.require(fits, || "a distance of what is no pointer".to_owned());
            }
        }
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Value, right: &Value) {
        self.value(left);
        self.value(right);
        let pair = (left.scalar(), right.scalar());
        let fits = match (operator, pair.0, pair.1) {
            (BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, Scalar::Integer(_), Scalar::Integer(_)) => true,
            (_, Scalar::Integer(ours), Scalar::Integer(theirs)) => ours == theirs,
            (
                BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply | BinaryOperator::Divide,
                Scalar::Float(ours),
                Scalar::Float(theirs),
            ) => ours == theirs,
            _ => false,
        };
        self.require(fits, || format!("{operator:?} of {:?} and {:?}", pair.0, pair.1));
    }
}

/// A single step or none; or an assumption and its negation.
fn is_one_of<'a>(steps: impl Iterator<Item = &'a Step>) -> bool {
    let steps: Vec<&Step> = steps.collect();
    match steps.as_slice() {
        [] | [_] => true,
        [
            Step::Assume {
                condition: ours,
                holds: first,
                ..
            },
            Step::Assume {
                condition: theirs,
                holds: second,
                ..
            },
        ] => ours == theirs && first != second,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Edge, Integer, Location, LocationId, Procedure, Reason, Types, Variable};
    use super::*;
    use crate::Span;

    const INT: Integer = Integer::new(32, true);

    /// One global number, and a procedure that executes these steps in sequence.
    fn program(steps: Vec<Step>) -> Program {
        let mut types = Types::new(32);
        let type_id = types.add(Type::Integer(INT));
        let location = |edges| Location {
            edges,
            label: None,
            span: Span::default(),
        };
        let mut locations = Vec::new();
        for (index, step) in steps.into_iter().enumerate() {
            let to = LocationId(u32::try_from(index + 1).unwrap());
            let span = Span::default();
            locations.push(location(vec![Edge { step, to, span }]));
        }
        locations.push(location(Vec::new()));
        let exit = LocationId(u32::try_from(locations.len() - 1).unwrap());
        Program {
            types,
            variables: vec![Variable {
                name: "x".to_owned(),
                type_id,
                kind: VariableKind::Global,
                procedure: None,
                initial: Initial::Zero,
                is_constant: false,
                span: Span::default(),
            }],
            procedures: vec![Procedure {
                name: "start".to_owned(),
                parameters: Vec::new(),
                is_variadic: false,
                result: None,
                body: Body::Automaton(Automaton {
                    locations,
                    entry: LocationId(0),
                    exit,
                }),
                is_library: false,
                span: Span::default(),
            }],
            start: ProcedureId(0),
            properties: Vec::new(),
        }
    }

    fn x() -> Place {
        Place::variable(VariableId(0))
    }

    fn assign(value: Value) -> Step {
        Step::Assign { target: x(), value }
    }

    #[test]
    fn what_fits_is_well_formed_and_what_does_not_is_told() {
        let one = Value::integer(1, INT);
        assert_eq!(program(vec![Step::Skip, assign(one.clone())]).malformed(), []);
        let wide = Integer::new(64, true);
        let sum = Value::Binary {
            operator: BinaryOperator::Add,
            left: Box::new(one),
            right: Box::new(Value::integer(1, wide)),
        };
        let wrong = [
            assign(Value::integer(1, wide)),
            assign(Value::integer(1 << 40, INT)),
            assign(sum),
            Step::Violate(super::super::PropertyId(0)),
            Step::Enter(VariableId(0)),
            Step::Assign {
                target: x().select(Selector::Field(0)),
                value: Value::integer(1, INT),
            },
        ];
        for step in wrong {
            assert_eq!(program(vec![step.clone()]).malformed().len(), 1, "{step:?}");
        }
    }

    #[test]
    fn of_two_edges_one_can_be_taken() {
        let assume = |holds, value| Step::Assume {
            condition: Value::integer(value, INT),
            holds,
            reason: Reason::Branch,
        };
        let with = |second: Step| {
            let mut program = program(vec![assume(true, 1)]);
            if let Body::Automaton(automaton) = &mut program.procedures[0].body {
                let edge = automaton.locations[0].edges[0].clone();
                automaton.locations[0].edges.push(Edge { step: second, ..edge });
            }
            program.malformed().len()
        };
        assert_eq!(with(assume(false, 1)), 0);
        assert_eq!(with(assume(true, 1)), 1);
        assert_eq!(with(assume(false, 2)), 1);
        assert_eq!(with(Step::Skip), 1);
    }

    #[test]
    fn a_step_is_told_in_words() {
        let program = program(Vec::new());
        assert_eq!(program.step_text(&assign(Value::integer(-3, INT))), "x = -3");
        assert_eq!(program.declared(program.variables[0].type_id, "x"), "i32 x");
    }
}
