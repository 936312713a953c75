//! Inputs: requesting and storing them.

use crate::code::Target;
use crate::environment::InputPurpose;
use crate::inputs::{OUTSIDE, OUTSIDE_BYTES, OUTSIDE_START, Request};
use crate::memory::MemoryOrigin;
use crate::observe::edge_of;
use crate::outcome::{Fault, Limit, Uninitialized, Unsupported};
use crate::run::Machine;
use crate::values::format;
use crate::word::{Kind, Word};
use system::program::{Bits, Float, Integer, Scalar, Type, TypeId};

impl Machine<'_> {
    /// Requests an input of a type that fits into a register.
    pub(crate) fn input(&mut self, scalar: Scalar, name: &str, purpose: InputPurpose) -> Result<Word, Fault> {
        let number = self.given.len();
        // A large array of inputs counts towards the step limit.
        self.steps += 1;
        if self.steps > self.limits.steps {
            return Err(Fault::Limit(Limit::Steps));
        }
        if self.limits.trace > 0 {
            self.input_name = Some(name.to_owned());
            let procedure = self.calls.last().map(|call| call.procedure);
            self.purposes.push((purpose, self.span(), procedure));
        }
        if self.is_lazy {
            let origin = self.origin();
            if let Some(planning) = &mut self.planning {
                planning.ask(origin.map(|origin| (origin.procedure, origin.location)));
            }
            self.given.push((scalar, None, 0));
            return Ok(Word::pending(number));
        }
        let value = self
            .inputs
            .next(Request {
                name,
                scalar,
                place: Some((purpose, self.span())),
                planned: None,
            })
            .ok_or(Fault::InputsExhausted)?;
        self.given.push((scalar, None, value));
        self.input_word(scalar, value)
    }

    /// Requests an input whose value is used at once.
    pub(crate) fn eager_input(&mut self, scalar: Scalar, name: &str, purpose: InputPurpose) -> Result<Word, Fault> {
        let word = self.input(scalar, name, purpose)?;
        match word.as_pending() {
            Some(input) => self.resolved(input),
            None => Ok(word),
        }
    }

    /// The value of an input, requested on demand.
    pub(crate) fn resolved(&mut self, input: usize) -> Result<Word, Fault> {
        let Some((scalar, word, _)) = self.given.get(input).copied() else {
            return Err(Fault::InputsExhausted);
        };
        if let Some(word) = word {
            return Ok(word);
        }
        let planning = self.planning.as_ref();
        let planned = planning.and_then(|planning| planning.suggested.get(input).copied().flatten());
        let value = self
            .inputs
            .next(Request {
                name: "",
                scalar,
                place: None,
                planned,
            })
            .ok_or(Fault::InputsExhausted)?;
        let word = self.input_word(scalar, value)?;
        self.used.push(input);
        self.given[input] = (scalar, Some(word), value);
        Ok(word)
    }

    fn input_word(&mut self, scalar: Scalar, value: i128) -> Result<Word, Fault> {
        let unsigned = |bits| Kind::new(Integer::new(bits, false)).bits_of(value);
        Ok(match scalar {
            Scalar::Integer(integer) => Word::number(Kind::new(integer).bits_of(value)),
            Scalar::Float(Float::Extended { .. }) => return Err(Fault::Unsupported(Unsupported::ExtendedFloat)),
            #[allow(clippy::cast_possible_truncation)]
            Scalar::Float(Float::Single) => Word::number(f64::from(f64::from_bits(unsigned(64)) as f32).to_bits()),
            Scalar::Float(Float::Double) => Word::number(unsigned(64)),
            Scalar::Pointer if value == OUTSIDE && self.limits.uninitialised == Uninitialized::Input => {
                self.outside += 1;
                let object = self.memory.allocate(OUTSIDE_BYTES, false, MemoryOrigin::Outside)?;
                object.at(OUTSIDE_START)
            }
            Scalar::Pointer => self.memory.pointer_of(unsigned(self.program.types.pointer_bits)),
        })
    }

    /// Assigns inputs to a place of any type.
    pub(crate) fn give(&mut self, target: &Target, type_id: TypeId, name: &str) -> Result<(), Fault> {
        let purpose = InputPurpose::Choice {
            edge: self.origin().as_ref().and_then(edge_of),
        };
        match (target, self.program.types.scalar(type_id)) {
            (Target::Whole { address, .. }, None) => {
                let address = self.pointer(address)?;
                self.fill(address, type_id, name, &|_, _| purpose)
            }
            (target, Some(scalar)) => {
                let value = self.input(scalar, name, purpose)?;
                self.assign(target, value)
            }
            _ => Err(Fault::Unsupported(Unsupported::Step)),
        }
    }

    /// Fills memory with inputs according to its type; the purpose depends on the offset.
    pub(crate) fn fill(
        &mut self,
        address: Word,
        type_id: TypeId,
        name: &str,
        why: &dyn Fn(u64, Option<Bits>) -> InputPurpose,
    ) -> Result<(), Fault> {
        let program = self.program;
        match &program.types[type_id] {
            Type::Void | Type::Procedure { .. } => Ok(()),
            Type::Pointer(_) => {
                let pointer = self.eager_input(Scalar::Pointer, name, why(address.offset(), None))?;
                self.memory.write_pointer(address, pointer)
            }
            Type::Integer(_) | Type::Float(_) => {
                let Some(scalar) = program.types.scalar(type_id) else {
                    return Ok(());
                };
                let number = self.eager_input(scalar, name, why(address.offset(), None))?;
                self.store_at(address, format(scalar, None), number.bits())
            }
            Type::Array { element, length } => {
                let size = program.types.size(*element).unwrap_or(0);
                for index in 0..length.unwrap_or(0) {
                    self.fill(address.plus(index.wrapping_mul(size)), *element, name, why)?;
                }
                Ok(())
            }
            Type::Record(record) if program.types[*record].is_union => {
                let byte = Scalar::Integer(Integer::new(8, false));
                for offset in 0..program.types[*record].size.unwrap_or(0) {
                    let at = address.plus(offset);
                    let number = self.eager_input(byte, name, why(at.offset(), None))?;
                    self.memory.write(at, 1, number.bits())?;
                }
                Ok(())
            }
            Type::Record(record) => {
                for field in &program.types[*record].fields {
                    let place = address.plus(field.offset);
                    match (field.bits, program.types.scalar(field.type_id)) {
                        (Some(bits), Some(scalar)) => {
                            let number = self.eager_input(scalar, name, why(place.offset(), Some(bits)))?;
                            self.store_at(place, format(scalar, Some(bits)), number.bits())?;
                        }
                        _ => self.fill(place, field.type_id, name, why)?,
                    }
                }
                Ok(())
            }
        }
    }
}
