//! Where the values come from that a program does not compute.

use crate::asked::Purpose;
use system::Span;
use system::program::{Integer, Scalar};

/// What a program asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<'a> {
    /// The procedure that the user asked for it, or a reason of the front end.
    pub name: &'a str,
    pub scalar: Scalar,
    /// What for and where, unless the input is asked for only when its value is used.
    pub place: Option<(Purpose, Span)>,
    /// The value that it has in a plan.
    pub planned: Option<i128>,
}

/// Whether an allocation fails: one where it does.
pub(crate) const FAILURE: Scalar = Scalar::Integer(Integer::new(1, false));

/// A pointer that is an input and has this value points at an object of its own, whose bytes are inputs, too.
pub const OUTSIDE: i128 = -1;
/// How large that object is, and where in it the pointer points: nobody says that it is the beginning. It may be a
/// member of a record, or an element with others before it.
pub const OUTSIDE_BYTES: u64 = 5120;
pub const OUTSIDE_START: u64 = 1024;

/// Gives values. Integers are wrapped into the type that was asked for. A float is the bits of a double. A pointer is a
/// number: zero is null, [`OUTSIDE`] is an object of its own where what nobody has written is an input; any other
/// points at nothing, unless it is the address of an object.
pub trait Inputs {
    /// None where there are no more: the run ends.
    fn next(&mut self, request: Request<'_>) -> Option<i128>;
}

/// Given values, one after the other.
#[derive(Clone, Debug)]
pub struct Given {
    values: std::vec::IntoIter<i128>,
}

impl Given {
    pub fn new(values: Vec<i128>) -> Given {
        Given {
            values: values.into_iter(),
        }
    }
}

impl Inputs for Given {
    fn next(&mut self, _: Request<'_>) -> Option<i128> {
        self.values.next()
    }
}

/// Random values by a seed. Small numbers, numbers that were suggested, and extremes are more frequent than others.
#[derive(Clone, Debug)]
pub struct Random {
    generator: oorandom::Rand64,
    suggested: Vec<i128>,
    /// Most pointers point at objects of their own.
    has_objects: bool,
}

impl Random {
    pub fn new(seed: u64, suggested: Vec<i128>) -> Random {
        Random {
            generator: oorandom::Rand64::new(u128::from(seed)),
            suggested,
            has_objects: false,
        }
    }

    /// The same, where most pointers point at objects of their own.
    #[must_use]
    pub fn with_objects(self, has_objects: bool) -> Random {
        Random { has_objects, ..self }
    }
}

impl Inputs for Random {
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

/// Every sequence of values from a small domain, one after the other: run, [`Enumerated::advance`], run again.
#[derive(Clone, Debug)]
pub struct Enumerated {
    domain: Vec<i128>,
    /// Of each input of the last run, which value it had, and how many there were.
    choices: Vec<(usize, usize)>,
    position: usize,
}

impl Enumerated {
    pub fn new(domain: Vec<i128>) -> Enumerated {
        Enumerated {
            domain,
            choices: Vec::new(),
            position: 0,
        }
    }

    /// Goes to the next sequence. There is none after the last.
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

impl Inputs for Enumerated {
    fn next(&mut self, request: Request<'_>) -> Option<i128> {
        let mut values: Vec<i128> = self.domain.clone();
        match request.scalar {
            Scalar::Integer(integer) => values.iter_mut().for_each(|value| *value = integer.wrap(*value)),
            // Floats are told by their bits, and pointers to nothing are all alike.
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

/// Passes on what another gives, and remembers it.
#[derive(Clone, Debug)]
pub struct Recorded<I> {
    inner: I,
    pub values: Vec<i128>,
}

impl<I: Inputs> Recorded<I> {
    pub fn new(inner: I) -> Recorded<I> {
        Recorded {
            inner,
            values: Vec::new(),
        }
    }
}

impl<I: Inputs> Inputs for Recorded<I> {
    fn next(&mut self, request: Request<'_>) -> Option<i128> {
        let value = self.inner.next(request)?;
        self.values.push(value);
        Some(value)
    }
}
