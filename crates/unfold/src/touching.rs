//! Equality of pointers into different objects.
//!
//! A pointer past the end of one object may equal a pointer to the beginning of another (C11 6.5.9p6), and gcc's
//! programs make use of it. Objects without bytes may lie anywhere. A literal may share the end of another one
//! (6.4.5p7), since linkers merge them.

use crate::allocated::bytes;
use crate::machine::{Machine, is_unnamed, less, less_equal};
use crate::numbers::constant;
use crate::objects::{NEAR, ObjectId, ObjectOrigin, Objects, inside};
use analysis::points_to::{Site, edge};
use logic::{Term, term};
use std::collections::BTreeSet;
use system::program::{Body, Callee, Initial, Library, Program, Step, Value, VariableId, VariableKind};

/// For pointers that may point into more objects, the ends of the objects are not compared one by one.
const MAX_OBJECTS: usize = 40;

/// When two pointers into different objects may be equal.
pub(crate) enum Touch {
    Never,
    /// Where the integer values of their addresses are.
    ByNumbers,
    /// Possibly, under this condition.
    When(Term),
}

/// The size of an object in bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Bytes(u64),
    /// A lower bound.
    AtLeast(u64),
}

impl Machine<'_, '_> {
    /// When pointers into different objects may be equal: the end of one object is the beginning of another.
    pub(crate) fn touch(&mut self, [left, right]: [&Value; 2], [a, b]: [Term; 2]) -> Touch {
        if let (Some(left), Some(right)) = (constant(a), constant(b)) {
            return self.touch_of_known(left, right);
        }
        let (firsts, seconds) = (self.candidates(left, a), self.candidates(right, b));
        let are_one = firsts.len() == 1 && firsts == seconds;
        if are_one || firsts.is_empty() || seconds.is_empty() {
            return Touch::Never;
        }
        let apart = term::subtract(a, b);
        let near = term::and([less_equal(term::int(-NEAR), apart), less_equal(apart, term::int(NEAR))]);
        let far = term::not(near);
        if firsts.len() > MAX_OBJECTS || seconds.len() > MAX_OBJECTS {
            return Touch::When(far);
        }
        let ends = |objects: &BTreeSet<ObjectId>, pointer: Term| {
            term::or(
                objects
                    .iter()
                    .map(|object| self.is_end(*object, pointer))
                    .collect::<Vec<Term>>(),
            )
        };
        let begins = |objects: &BTreeSet<ObjectId>, pointer: Term| {
            let is_begin = |object: &ObjectId| term::equal(pointer, term::int(Objects::address(*object)));
            // Nothing is known of an unnamed object.
            term::or(
                objects
                    .iter()
                    .map(is_begin)
                    .chain([is_unnamed(pointer)])
                    .collect::<Vec<Term>>(),
            )
        };
        let mut ways = vec![
            term::and([ends(&firsts, a), begins(&seconds, b)]),
            term::and([begins(&firsts, a), ends(&seconds, b)]),
        ];
        for first in &firsts {
            for second in seconds
                .iter()
                .filter(|second| self.objects.share_literals(self.program, *first, **second))
            {
                let into = |pointer, object| inside(pointer, Objects::address(object));
                ways.push(term::and([into(a, *first), into(b, *second)]));
            }
        }
        let condition = term::and([term::or(ways), far]);
        match condition.is_false() {
            true => Touch::Never,
            false => Touch::When(condition),
        }
    }

    /// As [`Self::touch`], for two known addresses.
    fn touch_of_known(&self, left: i128, right: i128) -> Touch {
        let (Some((first, from)), Some((second, to))) = (self.objects.at(left), self.objects.at(right)) else {
            return Touch::Never;
        };
        if first == second {
            return Touch::Never;
        }
        let any = Touch::When(term::bool(true));
        if self.objects.share_literals(self.program, first, second) {
            return any;
        }
        let is_end = |object: ObjectId, address: i128| self.is_end(object, term::int(address)).is_true();
        let ends = (to == 0 && is_end(first, left)) || (from == 0 && is_end(second, right));
        let is_plain = |object: ObjectId| matches!(self.objects.extent(self.program, object), Some(Extent::Bytes(1..)));
        match (ends, is_plain(first) && is_plain(second)) {
            (false, _) => Touch::Never,
            (true, true) => Touch::ByNumbers,
            (true, false) => any,
        }
    }

    /// The objects that a pointer may point into, among those with a name.
    fn candidates(&mut self, pointer: &Value, address: Term) -> BTreeSet<ObjectId> {
        match constant(address) {
            Some(address) => self.objects.at(address).map(|(object, _)| object).into_iter().collect(),
            None => {
                let targets = self.contexts.points_to.value(self.program, pointer);
                let targets: BTreeSet<_> = targets.into_iter().map(|target| target.object).collect();
                targets.into_iter().flat_map(|target| self.instances(target)).collect()
            }
        }
    }

    /// Whether a pointer points past the end of an object.
    fn is_end(&self, object: ObjectId, pointer: Term) -> Term {
        let address = Objects::address(object);
        match self.objects.extent(self.program, object) {
            None => term::bool(false),
            Some(Extent::Bytes(bytes)) => term::equal(pointer, term::int(address + i128::from(bytes))),
            Some(Extent::AtLeast(bytes)) => term::and([
                less_equal(term::int(address + i128::from(bytes)), pointer),
                less(pointer, term::int(address + NEAR)),
            ]),
        }
    }
}

impl Objects {
    /// None for procedures, which have no end.
    fn extent(&self, program: &Program, object: ObjectId) -> Option<Extent> {
        Some(match self[object].origin {
            ObjectOrigin::Procedure(_) => return None,
            ObjectOrigin::Variable(_, variable) => match program[variable].kind {
                VariableKind::Given => Extent::AtLeast(1),
                _ => Extent::Bytes(self.size(program, object)),
            },
            ObjectOrigin::Allocated(_, site, _) => {
                let least = u64::from(!is_local(program, site));
                match bytes(program, site) {
                    Some(bytes) => Extent::Bytes(bytes.max(least)),
                    None => Extent::AtLeast(least),
                }
            }
        })
    }

    /// Whether both objects are literals and one may be stored in the end of the other.
    fn share_literals(&self, program: &Program, first: ObjectId, second: ObjectId) -> bool {
        let literal = |object: ObjectId| match self[object].origin {
            ObjectOrigin::Variable(_, variable) => literal(program, variable),
            _ => None,
        };
        let is_end = |(one, other): (&[u8], &[u8])| one.ends_with(other) || other.ends_with(one);
        first != second && literal(first).zip(literal(second)).is_some_and(is_end)
    }

    /// The minimum distance from the beginning of an object to that of an object behind it; none where they may
    /// overlap.
    pub(crate) fn kept_apart(&self, program: &Program, first: ObjectId, second: ObjectId) -> Option<i128> {
        let bytes = |object| match self.extent(program, object) {
            None => 1,
            Some(Extent::Bytes(bytes) | Extent::AtLeast(bytes)) => bytes,
        };
        let are_apart = bytes(first) > 0 && bytes(second) > 0 && !self.share_literals(program, first, second);
        are_apart.then(|| i128::from(bytes(first)))
    }
}

/// The bytes of a constant literal.
fn literal(program: &Program, variable: VariableId) -> Option<&[u8]> {
    let variable = &program[variable];
    match &variable.initial {
        Initial::Bytes(bytes) if variable.kind == VariableKind::Literal && variable.is_constant => Some(bytes),
        _ => None,
    }
}

/// Whether a step allocates on the stack (`alloca`): such an object may have no bytes.
fn is_local(program: &Program, site: Site) -> bool {
    let Some(Step::Call {
        callee: Callee::Procedure(callee),
        ..
    }) = edge(program, site).map(|edge| &edge.step)
    else {
        return false;
    };
    matches!(program[*callee].body, Body::Library(Library::AllocateLocal))
}
