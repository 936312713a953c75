//! The library procedures.

use crate::call::Passed;
use crate::code::Call;
use crate::environment::InputPurpose;
use crate::inputs::FAILURE;
use crate::memory::MemoryOrigin;
use crate::outcome::{End, Fault, Limit, Unsupported};
use crate::run::Machine;
use crate::word::{Kind, Word};
use system::program::{Library, ProcedureId, Scalar, Undefined};

impl Machine<'_> {
    /// Executes a library procedure and assigns its result. Some of them end the run.
    pub(crate) fn library(
        &mut self,
        library: Library,
        callee: ProcedureId,
        passed: &[Passed],
        call: &Call,
    ) -> Result<Option<End>, Fault> {
        let argument = |index: usize| passed.get(index).map_or(Word::UNDEFINED, |(word, _)| *word);
        let (first, second, third) = (argument(0), argument(1), argument(2));
        let result = match library {
            Library::Input => {
                let program = self.program;
                let Some((_, type_id)) = &call.result else {
                    return Ok(None);
                };
                let Some(scalar) = program.types.scalar(*type_id) else {
                    return Err(Fault::Unsupported(Unsupported::Step));
                };
                let purpose = InputPurpose::Result {
                    call: self.note_unknown(callee),
                };
                Some(self.input(scalar, &program[callee].name, purpose)?)
            }
            Library::Assume if first.is_null() => return Ok(Some(End::AssumptionFailed)),
            Library::Assume | Library::VariadicEnd => None,
            Library::Abort => return Ok(Some(End::Aborted)),
            Library::Exit => return Ok(Some(End::Exited(u8::try_from(first.bits() & 0xff).unwrap_or(0)))),
            Library::Unreachable => return Err(Fault::Undefined(Undefined::Unreachable)),
            library @ (Library::Print | Library::PutLine | Library::PutCharacter) => Some(self.print(library, passed)?),
            Library::Unspecified => {
                self.note_unknown(self.outermost_library());
                Some(Word::number(0))
            }
            Library::VariadicStart => {
                let further = self.calls.last().map_or(Word::UNDEFINED, |call| call.further);
                if further.is_undefined() {
                    return Err(Fault::Unsupported(Unsupported::Step));
                }
                self.memory.write_pointer(first, further)?;
                None
            }
            library => self.memory_procedure(library, first, second, third)?,
        };
        self.give_back(result, call)?;
        Ok(None)
    }

    fn print(&mut self, library: Library, passed: &[Passed]) -> Result<Word, Fault> {
        let first = passed.first().map_or(Word::UNDEFINED, |(word, _)| *word);
        let (text, result) = match library {
            Library::Print => {
                let text = self.formatted(passed)?;
                let length = text.len() as u64;
                (text, length)
            }
            Library::PutLine => {
                let mut text = self.memory.string(first, u64::MAX, self.wraps)?.to_vec();
                text.push(b'\n');
                let length = text.len() as u64;
                (text, length)
            }
            _ => (first.bits().to_le_bytes()[..1].to_vec(), first.bits() & 0xff),
        };
        self.put(&text)?;
        Ok(Word::number(result))
    }

    /// The procedures that operate on memory.
    fn memory_procedure(
        &mut self,
        library: Library,
        first: Word,
        second: Word,
        third: Word,
    ) -> Result<Option<Word>, Fault> {
        let size = match library {
            Library::Allocate => first,
            Library::AllocateZero | Library::Reallocate => second,
            _ => third,
        };
        if !size.is_open() {
            // Large operations count towards the step limit.
            self.steps = self.steps.saturating_add((size.bits() >> 10).min(1 << 20));
        }
        Ok(match library {
            Library::Allocate => Some(self.allocate(first.bits(), false)?),
            Library::AllocateZero => match first.bits().checked_mul(second.bits()) {
                Some(size) => Some(self.allocate(size, true)?),
                None => Some(Word::NULL),
            },
            Library::Reallocate => Some(self.reallocate(first, second.bits())?),
            Library::AllocateLocal => {
                let object = self.memory.allocate(first.bits(), false, MemoryOrigin::Call)?;
                self.call_objects.push(object);
                Some(object)
            }
            Library::Free => {
                self.free(first)?;
                None
            }
            Library::MemorySet => {
                self.memory.fill(first, second.bits().to_le_bytes()[0], third.bits())?;
                Some(first)
            }
            Library::MemoryCopy | Library::MemoryMove => {
                self.memory.copy(first, second, third.bits())?;
                Some(first)
            }
            _ => return Err(Fault::Unsupported(Unsupported::Step)),
        })
    }

    fn give_back(&mut self, result: Option<Word>, call: &Call) -> Result<(), Fault> {
        let Some((target, type_id)) = &call.result else {
            return Ok(());
        };
        let word = match (result, self.program.types.scalar(*type_id)) {
            (Some(word), Some(Scalar::Integer(integer))) if word.is_number() => {
                Word::number(Kind::new(integer).wrap(word.bits()))
            }
            (Some(word), _) => word,
            (None, _) => Word::UNDEFINED,
        };
        self.assign(target, word)
    }

    fn put(&mut self, text: &[u8]) -> Result<(), Fault> {
        if self.output.len().saturating_add(text.len()) > self.limits.output {
            return Err(Fault::Limit(Limit::Output));
        }
        self.output.extend_from_slice(text);
        Ok(())
    }

    fn allocate(&mut self, size: u64, is_zero: bool) -> Result<Word, Fault> {
        if self.limits.allocation_may_fail && self.eager_input(FAILURE, "malloc", InputPurpose::Allocation)?.bits() == 1
        {
            return Ok(Word::NULL);
        }
        // No object takes half of the address space.
        let most = if self.memory.pointer_bytes() == 4 {
            u64::from(u32::MAX >> 1)
        } else {
            u64::MAX >> 1
        };
        if size > most {
            return Ok(Word::NULL);
        }
        self.memory.allocate(size, is_zero, MemoryOrigin::Allocated)
    }

    fn reallocate(&mut self, old: Word, size: u64) -> Result<Word, Fault> {
        if old.is_null() {
            return self.allocate(size, false);
        }
        let before = self.freeable(old)?;
        let new = if size == 0 {
            Word::NULL
        } else {
            self.allocate(size, false)?
        };
        if size != 0 && new.is_null() {
            return Ok(new);
        }
        self.memory.copy(new, old, before.min(size))?;
        self.memory.release(old);
        Ok(new)
    }

    fn free(&mut self, pointer: Word) -> Result<(), Fault> {
        if !pointer.is_null() {
            self.freeable(pointer)?;
            self.memory.release(pointer);
        }
        Ok(())
    }

    /// The size of an object that may be freed.
    fn freeable(&self, pointer: Word) -> Result<u64, Fault> {
        let is_allocated = self.memory.origin(pointer) == Some(MemoryOrigin::Allocated) && pointer.offset() == 0;
        match self.memory.size(pointer) {
            Some(size) if is_allocated => Ok(size),
            _ => Err(Fault::Undefined(Undefined::Free)),
        }
    }
}
