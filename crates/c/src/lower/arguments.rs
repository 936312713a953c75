//! The environment's call of `main`: any number of arguments, and environment variables.
//!
//! A run has up to [`MOST`] arguments after the program name, each of up to two characters. A proof covers all: there
//! may be more arguments ([`Library::Unspecified`] is zero in runs and arbitrary in proofs), and the strings are so
//! long that their contents are havocked in proofs.
//!
//! ```text
//! few = any % 3;  more = unspecified;  assume(more >= 0 && (more == 0 || few == 2));
//! argc = 1 + few + more;
//! argv = { "program", text, text, text };  argv[1 + few] = more ? text : NULL;
//! ```

use super::builder::Builder;
use super::values;
use system::Span;
use system::program::arguments::{CHARACTERS, MOST, NUMBER, character};
use system::program::{
    Argument, BinaryOperator, Comparison, Initial, Integer, Library, Place, ProcedureId, Scalar, Selector, Step,
    Type as Made, TypeId, Value, Variable, VariableId, VariableKind,
};

/// The contents of arrays of this length are havocked in proofs.
const LONG: usize = 64;
const BYTE: Integer = Integer::new(8, false);

impl Builder<'_, '_> {
    /// Parameters that `main` ignores are not modelled.
    pub(super) fn arguments_of_main(
        &mut self,
        main: ProcedureId,
        parameters: &[VariableId],
        span: Span,
    ) -> Vec<Argument> {
        let used: Vec<bool> = parameters
            .iter()
            .map(|variable| self.is_read(main, *variable))
            .collect();
        let has_arguments = used.iter().take(2).any(|is_used| *is_used);
        let counts = has_arguments.then(|| self.counts_of_arguments(span));
        let mut arguments = Vec::new();
        for (position, (parameter, is_used)) in parameters.iter().zip(used).enumerate() {
            let type_id = self.lowering.program[*parameter].type_id;
            let scalar = self.lowering.program.types.scalar(type_id).unwrap_or(Scalar::Pointer);
            let value = match (position, scalar, &counts) {
                (0, Scalar::Integer(_), Some(counts)) => values::convert(counts.all.clone(), scalar),
                (0, Scalar::Integer(_), None) => values::convert(values::int(1), scalar),
                (1, Scalar::Pointer, Some(counts)) if is_used => self.argument_vector(counts, span),
                (2, Scalar::Pointer, _) if is_used => self.environment(span),
                _ if !is_used => values::zero(scalar),
                // No system passes more.
                _ => {
                    let place = Place::variable(self.temporary(type_id, span));
                    self.step(
                        Step::Choose {
                            target: place.clone(),
                            name: format!("argument {} of `main`", position + 1),
                        },
                        span,
                    );
                    self.read_scalar(place, scalar)
                }
            };
            arguments.push(Argument::Scalar(value));
        }
        arguments
    }

    /// Whether a procedure reads a variable, or takes its address.
    fn is_read(&self, procedure: ProcedureId, variable: VariableId) -> bool {
        let Some(automaton) = self.lowering.program[procedure].body.automaton() else {
            return true;
        };
        let mut is_read = false;
        for edge in automaton.locations.iter().flat_map(|location| &location.edges) {
            edge.step.clone().for_each_value_mut(&mut |value| {
                is_read |= matches!(value, Value::Read { place, .. } | Value::Address(place)
                    if place.root == system::program::Root::Variable(variable));
            });
        }
        is_read
    }

    fn counts_of_arguments(&mut self, span: Span) -> Counts {
        let int = self.lowering.add_type(Made::Integer(super::INT));
        let byte = self.lowering.add_type(Made::Integer(BYTE));
        let any = Place::variable(self.temporary(byte, span));
        let target = any.clone();
        self.step(
            Step::Choose {
                target,
                name: NUMBER.to_owned(),
            },
            span,
        );
        let any = values::convert(
            self.read_scalar(any, Scalar::Integer(BYTE)),
            Scalar::Integer(super::INT),
        );
        let few = values::binary(BinaryOperator::Remainder, any, values::int(i128::from(MOST) + 1));
        let few = self.held(int, few, span);
        let unspecified = self
            .lowering
            .hidden(Library::Unspecified, "__cubist_unspecified", &[], int);
        let more = Place::variable(self.temporary(int, span));
        self.call_hidden(unspecified, Vec::new(), Some(more.clone()), span);
        let more = self.read_scalar(more, Scalar::Integer(super::INT));
        let compare =
            |comparison, value: &Value, number| values::compare(comparison, value.clone(), values::int(number));
        let greatest = super::INT.greatest() - i128::from(MOST) - 1;
        let is_none = compare(Comparison::Equal, &more, 0);
        let is_most = compare(Comparison::Equal, &few, i128::from(MOST));
        for condition in [
            compare(Comparison::GreaterOrEqual, &more, 0),
            compare(Comparison::LessOrEqual, &more, greatest),
            values::binary(BinaryOperator::Or, is_none, is_most),
        ] {
            self.assume(condition, span);
        }
        let last = values::binary(BinaryOperator::Add, values::int(1), few);
        let all = values::binary(BinaryOperator::Add, last.clone(), more.clone());
        Counts {
            all: self.held(int, all, span),
            last,
            has_more: compare(Comparison::NotEqual, &more, 0),
        }
    }

    fn held(&mut self, type_id: TypeId, value: Value, span: Span) -> Value {
        let scalar = value.scalar();
        let target = Place::variable(self.temporary(type_id, span));
        let place = target.clone();
        self.step(Step::Assign { target, value }, span);
        self.read_scalar(place, scalar)
    }

    fn argument_vector(&mut self, counts: &Counts, span: Span) -> Value {
        let most = usize::from(MOST);
        let mut texts = vec![self.text("program name", b"program", span)];
        for argument in 1..=most + 1 {
            let text = self.text(&format!("argument {argument}"), b"", span);
            for position in (0..CHARACTERS).filter(|_| argument <= most) {
                let target = Place::variable(text).select(element(position));
                let name = character(argument, position);
                self.step(Step::Choose { target, name }, span);
            }
            texts.push(text);
        }
        let vector = self.pointers("arguments", &texts, span);
        // Null follows the last argument of a run; in a proof there may be more arguments.
        let ends = self.pointers("end of the arguments", &texts[most..], span);
        let pointer = |place| Value::Read {
            place: Box::new(place),
            scalar: Scalar::Pointer,
        };
        let null = Place::variable(ends).select(element(0));
        let value = values::zero(Scalar::Pointer);
        self.step(Step::Assign { target: null, value }, span);
        let end = Place::variable(ends).select(Selector::Index(Box::new(counts.has_more.clone())));
        let target = Place::variable(vector).select(Selector::Index(Box::new(counts.last.clone())));
        self.step(
            Step::Assign {
                target,
                value: pointer(end),
            },
            span,
        );
        Value::Address(Box::new(Place::variable(vector).select(element(0))))
    }

    /// Runs have one environment variable; its content is arbitrary in proofs.
    fn environment(&mut self, span: Span) -> Value {
        let text = self.text("environment variable", b"CUBIST=1", span);
        let pointer = self.text_type();
        let vector_type = self.lowering.add_type(Made::Array {
            element: pointer,
            length: Some(LONG as u64),
        });
        let vector = self.global("environment", vector_type, Initial::Zero, span);
        self.point(vector, 0, text, span);
        Value::Address(Box::new(Place::variable(vector).select(element(0))))
    }

    fn text_type(&mut self) -> TypeId {
        let character = self.lowering.add_type(Made::Integer(Integer::new(8, true)));
        self.lowering.add_type(Made::Pointer(character))
    }

    /// An array of pointers to strings.
    fn pointers(&mut self, name: &str, texts: &[VariableId], span: Span) -> VariableId {
        let element = self.text_type();
        let type_id = self.lowering.add_type(Made::Array {
            element,
            length: Some(texts.len() as u64),
        });
        let vector = self.global(name, type_id, Initial::Zero, span);
        for (position, text) in texts.iter().enumerate() {
            self.point(vector, position, *text, span);
        }
        vector
    }

    fn point(&mut self, vector: VariableId, position: usize, text: VariableId, span: Span) {
        let target = Place::variable(vector).select(element(position));
        let value = Value::Address(Box::new(Place::variable(text).select(element(0))));
        self.step(Step::Assign { target, value }, span);
    }

    fn text(&mut self, name: &str, text: &[u8], span: Span) -> VariableId {
        let mut bytes = text.to_vec();
        bytes.resize(LONG, 0);
        let character = self.lowering.add_type(Made::Integer(Integer::new(8, true)));
        let type_id = self.lowering.add_type(Made::Array {
            element: character,
            length: Some(LONG as u64),
        });
        self.global(name, type_id, Initial::Bytes(bytes), span)
    }

    fn global(&mut self, name: &str, type_id: TypeId, initial: Initial, span: Span) -> VariableId {
        self.lowering.add_variable(Variable {
            name: name.to_owned(),
            type_id,
            kind: VariableKind::Given,
            procedure: None,
            initial,
            is_constant: false,
            span,
        })
    }
}

/// The numbers of arguments.
struct Counts {
    /// Including the program name.
    all: Value,
    /// The index after the arguments of runs.
    last: Value,
    /// Whether there are more than in runs.
    has_more: Value,
}

fn element(index: usize) -> Selector {
    Selector::Index(Box::new(values::int(i128::try_from(index).unwrap_or(0))))
}
