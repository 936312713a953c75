//! Procedures without a body.

use super::memory::BlockOrigin;
use super::value::{FlatValue, Spot};
use super::{Flat, Stop};
use system::program::{Argument, Integer, Library, Place, ProcedureId, Scalar, Type, Undefined};

impl<'p> Flat<'p> {
    pub(super) fn library(
        &mut self,
        library: Library,
        callee: ProcedureId,
        arguments: &'p [Argument],
        result: Option<&'p Place>,
    ) -> Result<(), Stop> {
        let mut numbers = Vec::new();
        for argument in arguments {
            match argument {
                // Output has no effect on the state.
                _ if matches!(library, Library::Print | Library::PutLine | Library::PutCharacter) => {}
                Argument::Scalar(value) if matches!(value.scalar(), Scalar::Float(_)) => {}
                Argument::Scalar(value) => numbers.push(self.value(value)?.integer()?),
                Argument::Record(_) => return Err(Stop::Beyond("a record for the library")),
            }
        }
        let number = |position: usize| {
            let number = numbers.get(position).copied().unwrap_or(0);
            u64::try_from(number).map_err(|_| Stop::Beyond("a negative size"))
        };
        let value = match library {
            Library::Input => {
                if let Some(place) = result {
                    let spot = self.spot(place)?;
                    let scalar = self
                        .program
                        .types
                        .scalar(spot.type_id)
                        .ok_or(Stop::Beyond("an input"))?;
                    let value = self.input(scalar, &self.program[callee].name.clone())?;
                    self.store(spot, scalar, value)?;
                }
                return Ok(());
            }
            Library::Assume if number(0) == Ok(0) => return Err(Stop::AssumptionFailed),
            Library::Assume | Library::VariadicEnd => return Ok(()),
            Library::Abort | Library::Exit => return Err(Stop::Exited),
            Library::Unreachable => return Err(Stop::Undefined(Undefined::Unreachable)),
            Library::Allocate => self.allocate(number(0)?, false)?,
            Library::AllocateZero => {
                let size = number(0)?.checked_mul(number(1)?).ok_or(Stop::Beyond("memory"))?;
                self.allocate(size, true)?
            }
            Library::AllocateLocal | Library::Reallocate | Library::VariadicStart => {
                return Err(Stop::Beyond("this function of the library"));
            }
            Library::Free if number(0)? == 0 => return Ok(()),
            Library::Free => return self.memory.free(number(0)?),
            Library::MemorySet => {
                let byte = numbers.get(1).copied().unwrap_or(0) & 0xff;
                for at in 0..number(2)?.min(1 << 20) {
                    self.memory
                        .write(number(0)?.wrapping_add(at), 1, u64::try_from(byte).unwrap_or(0), false)?;
                }
                number(0)?
            }
            Library::MemoryCopy | Library::MemoryMove => {
                self.memory.copy(number(0)?, number(1)?, number(2)?)?;
                number(0)?
            }
            Library::Unspecified => 0,
            Library::Print | Library::PutLine | Library::PutCharacter => {
                return if result.is_some() {
                    Err(Stop::Beyond("what was printed"))
                } else {
                    Ok(())
                };
            }
        };
        let Some(place) = result else { return Ok(()) };
        let spot = self.spot(place)?;
        let scalar = self
            .program
            .types
            .scalar(spot.type_id)
            .ok_or(Stop::Beyond("a result"))?;
        self.store(spot, scalar, FlatValue::Integer(i128::from(value)))
    }

    fn allocate(&mut self, size: u64, is_zero: bool) -> Result<u64, Stop> {
        self.serial += 1;
        let origin = BlockOrigin::Allocated(self.serial);
        let base = self.memory.make(origin, size)?;
        if is_zero {
            self.memory.set(base, &[]);
        }
        self.allocated = Some(origin);
        Ok(base)
    }

    /// Calls an external procedure: its result and what its arguments point at become inputs.
    pub(super) fn unknown(
        &mut self,
        callee: ProcedureId,
        arguments: &'p [Argument],
        result: Option<&'p Place>,
    ) -> Result<(), Stop> {
        let program = self.program;
        let mut passed = Vec::new();
        for argument in arguments {
            passed.push(match argument {
                Argument::Scalar(value) => match self.value(value)? {
                    FlatValue::Integer(number) => u64::try_from(number).unwrap_or(0),
                    FlatValue::Float(_) => 0,
                },
                Argument::Record(_) => return Err(Stop::Beyond("a record for an unknown function")),
            });
        }
        for (parameter, address) in program[callee].parameters.iter().zip(passed) {
            let Type::Pointer(pointee) = program.types[program[*parameter].type_id] else {
                continue;
            };
            let size = program.types.size(pointee).unwrap_or(0);
            if size > 0 && self.memory.room(address) >= size && !self.is_constant(address) {
                let spot = Spot {
                    address,
                    type_id: pointee,
                    bits: None,
                };
                self.fill(spot, &program[callee].name)?;
            }
        }
        let Some(place) = result else { return Ok(()) };
        let spot = self.spot(place)?;
        self.fill(spot, &program[callee].name)
    }

    fn is_constant(&self, address: u64) -> bool {
        match self.memory.block_at(address) {
            Some((BlockOrigin::Global(variable), _)) => self.program[variable].is_constant,
            Some((BlockOrigin::Procedure(_), _)) => true,
            _ => false,
        }
    }

    /// Assigns inputs to a place of any type.
    pub(super) fn fill(&mut self, spot: Spot, name: &str) -> Result<(), Stop> {
        let program = self.program;
        if let Some(scalar) = program.types.scalar(spot.type_id) {
            let value = self.input(scalar, name)?;
            return self.store(spot, scalar, value);
        }
        let part = |offset: u64, type_id, bits| Spot {
            address: spot.address.wrapping_add(offset),
            type_id,
            bits,
        };
        match &program.types[spot.type_id] {
            Type::Array { element, length } => {
                let size = program.types.size(*element).unwrap_or(0);
                for index in 0..length.unwrap_or(0).min(1 << 16) {
                    self.fill(part(index * size, *element, None), name)?;
                }
            }
            Type::Record(record) if program.types[*record].is_union => {
                let byte = Scalar::Integer(Integer::new(8, false));
                for offset in 0..program.types[*record].size.unwrap_or(0) {
                    let value = self.input(byte, name)?;
                    self.store(part(offset, spot.type_id, None), byte, value)?;
                }
            }
            Type::Record(record) => {
                for field in &program.types[*record].fields {
                    self.fill(part(field.offset, field.type_id, field.bits), name)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
