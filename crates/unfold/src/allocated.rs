//! Dynamically allocated memory.
//!
//! An allocation site outside of loops has one named object; a site in a loop has a few, one for each of its first
//! allocations. Later allocations yield unnamed objects with arbitrary contents.

use crate::contexts::ContextId;
use crate::machine::{ChoiceKind, Machine, equal, is_unnamed};
use crate::numbers::constant;
use crate::objects::{MAX_ARRAY_LENGTH, ObjectId, ObjectOrigin, Objects};
use analysis::points_to::{Object as Target, PointsTo, Site, edge, sites};
use logic::{Term, term};
use std::collections::{BTreeMap, BTreeSet};
use system::program::{
    Argument, BinaryOperator, Body, Callee, Integer, Library, LocationId, Place, ProcedureId, Program, Root, Scalar,
    Step, TypeId, Value,
};

/// The length of an array of unknown size with small elements; accesses beyond it are out of bounds.
const DEFAULT_LENGTH: u64 = 16;
/// The maximum size of a small element in bytes.
const SMALL_ELEMENT: u64 = 16;
/// The number of named objects of a site in a loop, and the maximum length of their arrays.
const OBJECTS_PER_LOOP_SITE: u32 = 4;
const MAX_LENGTH_IN_LOOP: u64 = 4;

/// The object that a step allocates, as an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Allocated {
    /// The element type.
    pub(crate) type_id: TypeId,
    /// The number of elements.
    pub(crate) count: u64,
    /// Whether the program text determines the count.
    is_known: bool,
}

impl Allocated {
    /// A single element.
    pub(crate) fn one(type_id: TypeId) -> Allocated {
        Allocated {
            type_id,
            count: 1,
            is_known: true,
        }
    }
}

/// The allocation sites, each with an array of the largest type by which its objects are accessed.
pub(crate) fn allocated(program: &Program, points_to: &PointsTo) -> BTreeMap<Site, Allocated> {
    let mut types: BTreeMap<Site, TypeId> = BTreeMap::new();
    let mut note = |pointer: &Value, type_id: TypeId| {
        for target in points_to.value(program, pointer) {
            if let Target::Allocated(site) = target.object {
                let size = |id: &TypeId| program.types.size(*id).unwrap_or(0);
                let known = types.entry(site).or_insert(type_id);
                if size(known) < size(&type_id) {
                    *known = type_id;
                }
            }
        }
    };
    let mut place = |place: &Place| {
        if let Root::Dereference { pointer, type_id } = &place.root {
            note(pointer, *type_id);
        }
    };
    for site in sites(program) {
        let Some(edge) = edge(program, site) else { continue };
        let mut step = edge.step.clone();
        match &edge.step {
            Step::Assign { target, .. } | Step::Choose { target, .. } => place(target),
            Step::Copy { target, source } => {
                place(target);
                place(source);
            }
            Step::Call { arguments, result, .. } => {
                result.iter().for_each(&mut place);
                for argument in arguments {
                    if let Argument::Record(of) = argument {
                        place(of);
                    }
                }
            }
            _ => {}
        }
        step.for_each_value_mut(&mut |value| {
            if let Value::Read { place: of, .. } | Value::Address(of) = value {
                place(of);
            }
        });
    }
    let allocated = types.into_iter().map(|(site, type_id)| {
        let size = program.types.size(type_id).filter(|size| *size > 0);
        let bytes = bytes(program, site);
        let count = match (bytes, size) {
            (Some(bytes), Some(size)) => Some(bytes / size).filter(|count| (1..=MAX_ARRAY_LENGTH).contains(count)),
            (None, Some(..=SMALL_ELEMENT)) => Some(DEFAULT_LENGTH),
            _ => None,
        };
        let row = Allocated {
            type_id,
            count: count.unwrap_or(1),
            is_known: bytes.is_some(),
        };
        (site, row)
    });
    allocated.collect()
}

/// The number of bytes that a step allocates, if it is a constant expression.
pub(crate) fn bytes(program: &Program, site: Site) -> Option<u64> {
    let Step::Call {
        callee: Callee::Procedure(callee),
        arguments,
        ..
    } = &edge(program, site)?.step
    else {
        return None;
    };
    let argument = |position: usize| match arguments.get(position)? {
        Argument::Scalar(value) => number(value),
        Argument::Record(_) => None,
    };
    match program[*callee].body {
        Body::Library(Library::Allocate | Library::AllocateLocal) => argument(0),
        Body::Library(Library::AllocateZero) => argument(0)?.checked_mul(argument(1)?),
        _ => None,
    }
}

/// The value of a constant expression of literals, products and sums.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Integer { value, .. } => u64::try_from(*value).ok(),
        Value::Convert { value, .. } => number(value).filter(|number| *number < 1 << 31),
        Value::Binary { operator, left, right } => {
            let (left, right) = (number(left)?, number(right)?);
            let result = match operator {
                BinaryOperator::Multiply => left.checked_mul(right),
                BinaryOperator::Add => left.checked_add(right),
                _ => None,
            };
            result.filter(|result| *result < 1 << 31)
        }
        _ => None,
    }
}

impl Machine<'_, '_> {
    pub(crate) fn allocates(&self, site: Site) -> bool {
        let callees = self.contexts.points_to.callees(self.program, site);
        let is_allocator = |callee: &ProcedureId| {
            matches!(
                self.program[*callee].body,
                Body::Library(Library::Allocate | Library::AllocateZero | Library::AllocateLocal)
            )
        };
        callees.iter().any(is_allocator)
    }

    /// The named objects of an allocation site in this context, in the order of allocation.
    pub(crate) fn objects_of(&mut self, context: ContextId, site: Site) -> Vec<ObjectId> {
        let mut row = self.allocated.get(&site).copied();
        let mut times = 1;
        if self.is_repeated(context, site) {
            if let Some(row) = row.as_mut().filter(|row| !row.is_known) {
                row.count = row.count.min(MAX_LENGTH_IN_LOOP);
            }
            let is_short = row.is_none_or(|row| row.count <= MAX_LENGTH_IN_LOOP);
            times = if is_short { OBJECTS_PER_LOOP_SITE } else { 1 };
        }
        let name = format!("allocated in {}.{}", self.program[site.procedure].name, site.location.0);
        let objects = (0..times).map(|time| {
            let origin = ObjectOrigin::Allocated(context, site, time);
            let name = match time {
                0 => name.clone(),
                _ => format!("{name}, {}", time + 1),
            };
            self.objects.allocated(self.program, origin, row, &name)
        });
        objects.collect()
    }

    /// Whether a step may be taken more than once: it is in a loop, or a call around it is.
    fn is_repeated(&self, context: ContextId, site: Site) -> bool {
        if self.contexts.is_per_procedure || !self.contexts.roots.is_empty() {
            return false;
        }
        let mut around = Some((site.procedure, site.location, self.contexts[context].caller));
        while let Some((procedure, location, caller)) = around {
            if is_in_loop(self.program, procedure, location) {
                return true;
            }
            around = caller.map(|(caller, location, _)| {
                let caller = &self.contexts[caller];
                (caller.procedure, location, caller.caller)
            });
        }
        false
    }

    /// Allocates: a named object each of the first times, unnamed objects from then on.
    pub(crate) fn allocate(
        &mut self,
        (context, location, number): (ContextId, LocationId, usize),
        is_zero: bool,
    ) -> Term {
        let site = self.contexts.site(context, location, number);
        let objects = self.objects_of(context, site);
        let Some(times) = objects.first().and_then(|first| self.objects[*first].times) else {
            return self.choose(None, ChoiceKind::Approximation);
        };
        let before = self.get(times);
        let all = i128::try_from(objects.len()).unwrap_or(i128::MAX);
        let is_time: Vec<Term> = (0..all).map(|time| equal(before, term::int(time))).collect();
        for (object, is_this) in objects.iter().zip(&is_time) {
            self.clear(*object, *is_this, is_zero);
        }
        let after = is_time
            .iter()
            .rev()
            .zip(0..)
            .fold(term::int(all), |after, (is_time, left)| {
                term::ite(*is_time, term::int(all - left), after)
            });
        self.set(times, after);
        let known = |object: &ObjectId| term::int(Objects::address(*object));
        if let Some((object, _)) = objects.iter().zip(&is_time).find(|(_, is_time)| is_time.is_true()) {
            return known(object);
        }
        let further = self.choose(None, ChoiceKind::Approximation);
        let among = is_time.iter().copied().chain([is_unnamed(further)]);
        self.requirements.push(term::or(among));
        let choices = objects.iter().zip(&is_time).rev();
        choices.fold(further, |pointer, (object, is_time)| {
            term::ite(*is_time, known(object), pointer)
        })
    }

    /// Whether an allocation succeeds: memory never runs out, but no object takes half of the address space.
    pub(crate) fn can_be_allocated(&mut self, library: Library, sizes: [Option<Term>; 2]) -> Term {
        let most = term::int((1 << (self.program.types.pointer_bits - 1)) - 1);
        match (library, sizes) {
            (Library::Allocate, [Some(size), _]) => term::less_equal(size, most),
            (Library::AllocateZero, [Some(count), Some(size)]) => match (constant(count), constant(size)) {
                (None, None) => {
                    let any = self.choose(Some(Scalar::Integer(Integer::new(1, false))), ChoiceKind::Approximation);
                    equal(any, term::int(1))
                }
                _ => term::less_equal(term::multiply(count, size), most),
            },
            _ => term::bool(true),
        }
    }

    /// Initialises an object, under the condition that it is the one allocated.
    fn clear(&mut self, object: ObjectId, is_this: Term, is_zero: bool) {
        for (cell, _) in self.objects.overlapping(object, 0, None) {
            match is_zero {
                true => self.set_if(is_this, cell, term::int(0)),
                false => {
                    self.havoc_if(is_this, cell, ChoiceKind::Uninitialized);
                    if let (Some(walk), true) = (&mut self.walk, is_this.is_true()) {
                        walk.uninitialized.insert(cell);
                    }
                }
            }
        }
    }
}

/// Whether a location leads back to itself.
fn is_in_loop(program: &Program, procedure: ProcedureId, location: LocationId) -> bool {
    let Some(automaton) = program[procedure].body.automaton() else {
        return true;
    };
    let next = |location: LocationId| automaton.locations[location.index()].edges.iter().map(|edge| edge.to);
    let mut reached: BTreeSet<LocationId> = next(location).collect();
    let mut pending: Vec<LocationId> = reached.iter().copied().collect();
    while let Some(here) = pending.pop() {
        pending.extend(next(here).filter(|to| reached.insert(*to)));
    }
    reached.contains(&location)
}
