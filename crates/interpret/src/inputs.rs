//! Sources of nondeterministic values.

use crate::environment::InputPurpose;
use system::Span;
use system::program::{Integer, Scalar};

/// A request for an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<'a> {
    /// The function that the user's program called, or the reason that the front end gave.
    pub name: &'a str,
    pub scalar: Scalar,
    /// The purpose and the source location, unless the request is lazy.
    pub place: Option<(InputPurpose, Span)>,
    /// The planned value.
    pub planned: Option<i128>,
}

/// The type of the input that decides whether an allocation fails; one means failure.
pub(crate) const FAILURE: Scalar = Scalar::Integer(Integer::new(1, false));

/// The value of an input pointer that points at an object of its own, whose bytes are inputs, too.
pub const OUTSIDE: i128 = -1;
/// The size of such an object, and the offset of the pointer in it: the pointer may point at a member of a record, or
/// at an array element with others before it.
pub const OUTSIDE_BYTES: u64 = 5120;
pub const OUTSIDE_START: u64 = 1024;

/// Supplies inputs. Integers are wrapped into the requested type. A float is given by the bits of a double. A pointer
/// is given by an integer: zero is null, and [`OUTSIDE`] is an object of its own with uninitialized content as inputs;
/// any other value is dangling, unless it is the address of an object.
pub trait Inputs {
    /// None where there are no more inputs, which ends the run.
    fn next(&mut self, request: Request<'_>) -> Option<i128>;
}

/// A fixed sequence of values.
#[derive(Clone, Debug)]
pub struct FixedInputs {
    values: std::vec::IntoIter<i128>,
}

impl FixedInputs {
    pub fn new(values: Vec<i128>) -> FixedInputs {
        FixedInputs {
            values: values.into_iter(),
        }
    }
}

impl Inputs for FixedInputs {
    fn next(&mut self, _: Request<'_>) -> Option<i128> {
        self.values.next()
    }
}

/// Pseudorandom values. Small integers, suggested ones, and extremes are more frequent than others.
#[derive(Clone, Debug)]
pub struct RandomInputs {
    generator: oorandom::Rand64,
    suggested: Vec<i128>,
    /// Most pointers point at objects of their own.
    has_objects: bool,
}

impl RandomInputs {
    pub fn new(seed: u64, suggested: Vec<i128>) -> RandomInputs {
        RandomInputs {
            generator: oorandom::Rand64::new(u128::from(seed)),
            suggested,
            has_objects: false,
        }
    }

    /// Sets whether most pointers point at objects of their own.
    #[must_use]
    pub fn with_objects(self, has_objects: bool) -> RandomInputs {
        RandomInputs { has_objects, ..self }
    }
}

impl Inputs for RandomInputs {
    fn next(&mut self, request: Request<'_>) -> Option<i128> {
        let number = self.generator.rand_u64();
        let choice = self.generator.rand_range(0..8);
        let pick = |count: usize| usize::try_from(number % (count.max(1) as u64)).unwrap_or(0);
        Some(match request.scalar {
            Scalar::Pointer if self.has_objects && choice > 0 => OUTSIDE,
            Scalar::Pointer => 0,
            Scalar::Float(_) => {
                let small = f64::from(i32::try_from(number % 2001).unwrap_or(0) - 1000) / 8.0;
                i128::from(if choice == 0 { number } else { small.to_bits() })
            }
            Scalar::Integer(integer) => match choice {
                0 | 1 => i128::from(number % 2),
                2 => i128::from(number % 17) - 8,
                3 => [integer.least(), integer.greatest()][pick(2)],
                4 => i128::from(number),
                _ if self.suggested.is_empty() => i128::from(number % 4) - 1,
                _ => self.suggested[pick(self.suggested.len())],
            },
        })
    }
}

/// All sequences of values from a small domain: run, [`EnumeratedInputs::advance`], run again.
#[derive(Clone, Debug)]
pub struct EnumeratedInputs {
    domain: Vec<i128>,
    /// For each input of the last run, the index of its value and the number of values.
    choices: Vec<(usize, usize)>,
    position: usize,
}

impl EnumeratedInputs {
    pub fn new(domain: Vec<i128>) -> EnumeratedInputs {
        EnumeratedInputs {
            domain,
            choices: Vec::new(),
            position: 0,
        }
    }

    /// Advances to the next sequence; false after the last.
    pub fn advance(&mut self) -> bool {
        self.choices.truncate(self.position);
        self.position = 0;
        while let Some((choice, count)) = self.choices.pop() {
            if choice + 1 < count {
                self.choices.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

impl Inputs for EnumeratedInputs {
    fn next(&mut self, request: Request<'_>) -> Option<i128> {
        let mut values: Vec<i128> = self.domain.clone();
        match request.scalar {
            Scalar::Integer(integer) => values.iter_mut().for_each(|value| *value = integer.wrap(*value)),
            // Zero is the only representative for floats and pointers.
            Scalar::Float(_) | Scalar::Pointer => values = vec![0],
        }
        values.sort_unstable();
        values.dedup();
        if self.position >= self.choices.len() {
            self.choices.push((0, values.len()));
        }
        let (choice, _) = *self.choices.get(self.position)?;
        self.position += 1;
        values.get(choice).copied()
    }
}

/// Records the values of another source.
#[derive(Clone, Debug)]
pub struct RecordingInputs<I> {
    inner: I,
    pub values: Vec<i128>,
}

impl<I: Inputs> RecordingInputs<I> {
    pub fn new(inner: I) -> RecordingInputs<I> {
        RecordingInputs {
            inner,
            values: Vec::new(),
        }
    }
}

impl<I: Inputs> Inputs for RecordingInputs<I> {
    fn next(&mut self, request: Request<'_>) -> Option<i128> {
        let value = self.inner.next(request)?;
        self.values.push(value);
        Some(value)
    }
}
