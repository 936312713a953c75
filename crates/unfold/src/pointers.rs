//! Pointers as terms.
//!
//! Pointers are integers on one line: null is zero, an integer cast to a pointer keeps its value, and objects have
//! addresses beyond all machine integers. The integer value of an object's address is unknown but fixed.
//!
//! An integer in the range of an object whose address became an integer is cast to a pointer into that object; shortly
//! before and behind it, the cast yields an arbitrary pointer. So two pointers are equal where their integers are.

use crate::machine::{ChoiceKind, Machine, equal, is_unnamed, less, less_equal};
use crate::numbers::{constant, wrap, wrap_once};
use crate::objects::{NEAR, ObjectId, ObjectOrigin, Objects, inside};
use crate::touching::Touch;
use crate::values::is_constant;
use analysis::points_to::Object as Target;
use logic::{Kind, Term, term};
use std::collections::BTreeSet;
use system::program::{Comparison, Integer, Place, Root, Scalar, Selector, Type, TypeId, Value};

/// A pointer that may point at more objects is cast to an arbitrary integer.
const MAX_CAST_TARGETS: usize = 8;

/// Integers this close to an object may result from arithmetic on its address.
const FRINGE: i128 = 1 << 12;

/// How deep if-then-else between pointers is searched.
const MAX_DEPTH: usize = 12;

impl Machine<'_, '_> {
    /// The integer type of pointer width.
    fn number_type(&self) -> Integer {
        Integer::new(self.program.types.pointer_bits, false)
    }

    /// Whether a pointer is a plain integer and not the address of an object.
    fn is_number(&self, pointer: Term) -> Term {
        let most = term::int(self.number_type().greatest());
        term::and([less_equal(term::int(0), pointer), less_equal(pointer, most)])
    }

    /// The objects that a pointer may point into, and whether it may be a plain integer.
    fn pointees(&self, pointer: &Value) -> (BTreeSet<Target>, bool) {
        let targets = self.contexts.points_to.value(self.program, pointer);
        let mut objects: BTreeSet<Target> = targets.into_iter().map(|target| target.object).collect();
        let is_open = objects.is_empty() | objects.remove(&Target::Number);
        (objects, is_open)
    }

    /// A pointer moved by a number of bytes. Plain integers wrap around.
    pub(crate) fn offset_pointer(&self, pointer: &Value, start: Term, by: Term) -> Term {
        let may_be_number = constant(start).is_some() || self.pointees(pointer).1;
        match may_be_number {
            true => self.offset_integer(start, by, 0),
            false => term::add([start, by]),
        }
    }

    fn offset_integer(&self, start: Term, by: Term, depth: usize) -> Term {
        let (moved, integer) = (term::add([start, by]), self.number_type());
        if constant(by) == Some(0) {
            return start;
        }
        match start.kind() {
            Kind::Int(address) if (0..=integer.greatest()).contains(address) => wrap(moved, integer),
            Kind::Int(_) => moved,
            Kind::Ite(condition, then, otherwise) if depth < MAX_DEPTH => {
                let then = self.offset_integer(*then, by, depth + 1);
                term::ite(*condition, then, self.offset_integer(*otherwise, by, depth + 1))
            }
            _ => {
                let is_short = constant(by).is_some_and(|by| by.unsigned_abs() < 1 << integer.bits);
                let wrapped = if is_short {
                    wrap_once(moved, integer)
                } else {
                    wrap(moved, integer)
                };
                term::ite(self.is_number(start), wrapped, moved)
            }
        }
    }

    /// The distance of two pointers in bytes. Between objects, it is the distance of their integer values.
    pub(crate) fn distance(&mut self, left: &Value, right: &Value) -> Term {
        let (a, b) = (self.value(left), self.value(right));
        self.note_order([left, right], [a, b]);
        if self.share_object(left, right, a, b) {
            return term::subtract(a, b);
        }
        if constant(a).is_some() || constant(b).is_some() {
            let (first, second) = (self.number(left, a), self.number(right, b));
            let distance = term::subtract(first, second);
            if self.is_object(a) && self.is_object(b) {
                // Adding the distance to a pointer must lead to the other object.
                let truth = Some(Scalar::Integer(Integer::new(1, false)));
                let leads_there = equal(self.choose(truth, ChoiceKind::Approximation), term::int(1));
                return term::ite(leads_there, term::subtract(a, b), distance);
            }
            return distance;
        }
        let any = self.choose(None, ChoiceKind::Approximation);
        term::ite(self.are_comparable(a, b), term::subtract(a, b), any)
    }

    /// The terms to compare for two pointers: their addresses within one object or if both are plain integers;
    /// otherwise their integer values.
    pub(crate) fn compared(&mut self, comparison: Comparison, left: &Value, right: &Value) -> (Term, Term) {
        let (a, b) = (self.value(left), self.value(right));
        let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if !is_equality {
            self.note_order([left, right], [a, b]);
        }
        let is_null = |pointer| constant(pointer) == Some(0);
        if is_equality && !is_null(a) && !is_null(b) {
            self.note_use(left, a);
            self.note_use(right, b);
        }
        // In a walk all pointers are known, but not the integer values of their objects.
        let is_followed = self.walk.as_ref().is_some_and(|walk| walk.replay.is_none());
        if is_equality {
            match self.touch([left, right], [a, b]) {
                Touch::Never => return (a, b),
                Touch::ByNumbers => {}
                Touch::When(_) if is_followed => return (a, b),
                Touch::When(condition) => {
                    let any = self.choose(None, ChoiceKind::Approximation);
                    return (term::ite(condition, any, a), b);
                }
            }
        }
        if !is_equality && (is_null(a) || is_null(b) || self.share_object(left, right, a, b)) {
            return (a, b);
        }
        if is_followed && self.is_object(a) && self.is_object(b) {
            return (a, b);
        }
        if constant(a).is_some() || constant(b).is_some() {
            return (self.number(left, a), self.number(right, b));
        }
        let any = self.choose(None, ChoiceKind::Approximation);
        let are_comparable = self.are_comparable(a, b);
        (term::ite(are_comparable, a, any), b)
    }

    fn is_object(&self, pointer: Term) -> bool {
        constant(pointer).is_some_and(|address| self.objects.at(address).is_some())
    }

    /// Whether two pointers certainly point into one object, or both are plain integers. Ordering any other pointers is
    /// undefined, unless integers were cast to pointers.
    fn share_object(&self, left: &Value, right: &Value, a: Term, b: Term) -> bool {
        let (first, second) = (self.pointees(left), self.pointees(right));
        match (constant(a), constant(b)) {
            (Some(a), Some(b)) => {
                let object = |address| self.objects.at(address).map(|(object, _)| object);
                object(a) == object(b)
            }
            _ => !first.1 && !second.1 && first.0.intersection(&second.0).next().is_some(),
        }
    }

    /// Whether the difference and the order of two terms are those of the pointers. Addresses of unnamed objects are
    /// arbitrary, so any order of them is possible.
    fn are_comparable(&self, left: Term, right: Term) -> Term {
        let apart = term::subtract(left, right);
        let near = [less_equal(term::int(-NEAR), apart), less_equal(apart, term::int(NEAR))];
        let numbers = [self.is_number(left), self.is_number(right)];
        let unnamed = [is_unnamed(left), is_unnamed(right)];
        term::or([term::and(near), term::and(numbers), term::and(unnamed)])
    }

    /// The integer value of a pointer.
    fn number(&mut self, pointer: &Value, address: Term) -> Term {
        let targets: Vec<Target> = self.pointees(pointer).0.into_iter().collect();
        self.number_of_pointer(address, self.number_type(), &targets)
    }

    pub(crate) fn pointer_to_number(&mut self, pointer: &Value, to: Integer) -> Term {
        let address = self.value(pointer);
        if to.bits > 1 {
            self.note_use(pointer, address);
        }
        let targets: Vec<Target> = self.pointees(pointer).0.into_iter().collect();
        self.number_of_pointer(address, to, &targets)
    }

    /// Whether an abstract object represents a single object.
    fn is_one(&self, object: &Target) -> bool {
        // An allocation site may create several.
        self.contexts.is_per_procedure || matches!(object, Target::Variable(_))
    }

    /// The integer value of a pointer: itself for plain integers, unknown but fixed for addresses of objects. For other
    /// terms, a case split over the objects that the pointer may point into.
    fn number_of_pointer(&mut self, pointer: Term, to: Integer, targets: &[Target]) -> Term {
        let bits = self.program.types.pointer_bits;
        let fitted = |number: Term| match to.bits >= bits && !to.is_signed {
            true => number,
            false => wrap(number, to),
        };
        match pointer.kind() {
            Kind::Int(address) => match self.objects.at(*address) {
                Some((object, offset)) => {
                    let number = term::add([self.object_integer(object), term::int(offset)]);
                    let size = i128::from(self.objects.size(self.program, object));
                    if (0..=size).contains(&offset) {
                        fitted(number)
                    } else {
                        wrap(number, to)
                    }
                }
                None => wrap(pointer, to),
            },
            Kind::Ite(condition, then, otherwise) => {
                let then = self.number_of_pointer(*then, to, targets);
                let otherwise = self.number_of_pointer(*otherwise, to, targets);
                term::ite(*condition, then, otherwise)
            }
            _ => {
                let mut known = self.choose(Some(Scalar::Integer(to)), ChoiceKind::Approximation);
                let single: Vec<Target> = targets.iter().copied().filter(|target| self.is_one(target)).collect();
                let objects: Vec<ObjectId> = single.iter().flat_map(|target| self.instances(*target)).collect();
                // In a walk, pointers are known; and a long case split does not pay.
                let is_short = self.walk.is_none() && objects.len() <= MAX_CAST_TARGETS;
                for object in objects
                    .into_iter()
                    .filter(|_| self.contexts.is_per_procedure || is_short)
                {
                    let (start, address) = (self.objects.number(object).apply([]), Objects::address(object));
                    let size = i128::from(self.objects.size(self.program, object));
                    let offset = term::subtract(pointer, term::int(address));
                    let number = term::add([start, offset]);
                    let is_in = term::and([less_equal(term::int(0), offset), less_equal(offset, term::int(size))]);
                    let outside = term::ite(inside(pointer, address), wrap(number, to), known);
                    known = term::ite(is_in, fitted(number), outside);
                }
                term::ite(self.is_number(pointer), fitted(pointer), known)
            }
        }
    }

    /// The integer value of the address of an object.
    fn object_integer(&mut self, object: ObjectId) -> Term {
        let start = self.objects.number(object);
        match &mut self.walk {
            Some(walk) => {
                if let Some(replay) = &mut walk.replay {
                    replay.is_approximate = true;
                }
                term::int(walk.given(start))
            }
            None => start.apply([]),
        }
    }

    /// Casts an integer to a pointer.
    pub(crate) fn pointer_of_number(&mut self, from: Integer, value: &Value) -> Term {
        // A pointer that was cast to an integer.
        if let Value::Convert { value: inner, .. } = value
            && inner.scalar() == Scalar::Pointer
            && from.bits >= self.program.types.pointer_bits
        {
            return self.value(inner);
        }
        let (number, integer) = (self.value(value), self.number_type());
        let number = match (from.is_signed, from.bits <= integer.bits) {
            (false, true) if self.undefined != crate::Undefinedness::Unbounded => number,
            (true, true) if self.undefined != crate::Undefinedness::Unbounded => wrap_once(number, integer),
            _ => wrap(number, integer),
        };
        // No named object lies at a fixed address.
        if constant(number) == Some(0) || is_constant(value) {
            return number;
        }
        let mut targets = self.pointees(value).0;
        targets.extend(self.contexts.points_to.numbered());
        // Memory of external procedures is covered by arbitrary pointers.
        targets.remove(&Target::External);
        let targets: Vec<Target> = targets.into_iter().collect();
        match targets.is_empty() {
            true => number,
            false => self.pointer_into(number, &targets),
        }
    }

    /// The pointer with this integer value: into the object that contains it, or at unnamed memory.
    fn pointer_into(&mut self, number: Term, targets: &[Target]) -> Term {
        let objects: Vec<Vec<ObjectId>> = targets.iter().map(|target| self.instances(*target)).collect();
        let are_known = |(target, objects): (&Target, &Vec<ObjectId>)| self.is_one(target) && !objects.is_empty();
        let is_complete = targets.iter().zip(&objects).all(are_known);
        let single = targets.iter().zip(objects).filter(|(target, _)| self.is_one(target));
        let objects: Vec<ObjectId> = single.flat_map(|(_, objects)| objects).collect();
        let any = self.choose(None, ChoiceKind::Approximation);
        let null = equal(number, term::int(0));
        // As in `number_of_pointer`.
        if self.walk.as_ref().is_some_and(|walk| walk.replay.is_some()) || objects.len() > MAX_CAST_TARGETS {
            return term::ite(null, number, any);
        }
        let mut pointer = if is_complete {
            number
        } else {
            term::ite(null, number, any)
        };
        let mut found = Vec::new();
        for object in objects {
            let size = i128::from(self.objects.size(self.program, object));
            let offset = term::subtract(number, self.object_integer(object));
            let is_in =
                |from: i128, end: i128| term::and([less_equal(term::int(from), offset), less(offset, term::int(end))]);
            let inside = term::add([term::int(Objects::address(object)), offset]);
            found.push((is_in(0, size), inside));
            pointer = term::ite(is_in(-FRINGE, size + FRINGE), term::ite(null, number, any), pointer);
        }
        let found = found.into_iter();
        found.fold(pointer, |pointer, (condition, inside)| {
            term::ite(condition, inside, pointer)
        })
    }

    /// The address of a place. Nothing is read.
    pub(crate) fn address(&mut self, place: &Place) -> Term {
        match &place.root {
            Root::Variable(variable) => {
                let object = self.variable(*variable);
                let by = self.selected(place, self.program[*variable].type_id);
                term::add([term::int(Objects::address(object)), by])
            }
            Root::Dereference { pointer, type_id } => {
                let start = self.value(pointer);
                let by = self.selected(place, *type_id);
                self.offset_pointer(pointer, start, by)
            }
        }
    }

    /// The byte offset of the selectors of a place.
    fn selected(&mut self, place: &Place, type_id: TypeId) -> Term {
        let (mut by, mut type_id) = (term::int(0), type_id);
        for selector in &place.selectors {
            match (selector, &self.program.types[type_id]) {
                (Selector::Field(field), Type::Record(record)) => {
                    let field = &self.program.types[*record].fields[*field];
                    by = term::add([by, term::int(i128::from(field.offset))]);
                    type_id = field.type_id;
                }
                (Selector::Index(index), Type::Array { element, .. }) => {
                    let index = self.index(index);
                    let size = self.program.types.size(*element).unwrap_or(0);
                    by = term::add([by, term::multiply(term::int(i128::from(size)), index)]);
                    type_id = *element;
                }
                _ => {}
            }
        }
        by
    }

    /// Where an unknown pointer may point in addition: into objects whose addresses became integers.
    pub(crate) fn cast_targets(&mut self, pointer: Term, known: &[Target]) -> Vec<(ObjectId, Term)> {
        let points_to = self.contexts.points_to;
        let mut targets: BTreeSet<Target> = points_to.numbered().clone();
        if known.is_empty() {
            targets.extend(points_to.all_shown());
        }
        let others: Vec<Target> = targets.into_iter().filter(|target| !known.contains(target)).collect();
        let objects: Vec<ObjectId> = others.into_iter().flat_map(|target| self.instances(target)).collect();
        let is_data = |object: &ObjectId| {
            let origin = self.objects[*object].origin;
            !matches!(origin, ObjectOrigin::Procedure(_))
        };
        let objects = objects.into_iter().filter(is_data);
        objects
            .map(|object| (object, inside(pointer, Objects::address(object))))
            .collect()
    }
}
