//! Pointers as terms.
//!
//! All pointers are on one line of integers: null is zero, a number that became a pointer is itself, and objects have
//! addresses beyond all numbers. Which number the address of an object is nobody knows, but it is always the same.
//!
//! A number in the range of an object whose address became a number is a pointer into that object; just before and
//! behind it, it may be any pointer. So two pointers are equal where their numbers are.

use crate::machine::{Chosen, Machine, equal, is_further, less, less_equal};
use crate::numbers::{constant, wrap, wrap_once};
use crate::objects::{NEAR, ObjectId, Objects, Origin, inside};
use crate::touching::Touch;
use crate::values::is_constant;
use analysis::points_to::Object as Target;
use logic::{Kind, Term, term};
use std::collections::BTreeSet;
use system::program::{Comparison, Integer, Place, Root, Scalar, Selector, Type, TypeId, Value};

/// A pointer that may point at more objects becomes any number.
const MOST_NUMBERED: usize = 8;

/// Numbers this close to an object may be pointers that arithmetic made of one into it.
const FRINGE: i128 = 1 << 12;

/// How deep choices between pointers are looked into.
const DEEPEST: usize = 12;

impl Machine<'_, '_> {
    /// The type of the number that a pointer is.
    fn number_type(&self) -> Integer {
        Integer::new(self.program.types.pointer_bits, false)
    }

    /// Whether a pointer is a number, and no address of an object.
    fn is_number(&self, pointer: Term) -> Term {
        let most = term::int(self.number_type().greatest());
        term::and([less_equal(term::int(0), pointer), less_equal(pointer, most)])
    }

    /// The objects that a pointer may point into, and whether it may be a number.
    fn pointees(&self, pointer: &Value) -> (BTreeSet<Target>, bool) {
        let targets = self.contexts.points_to.value(self.program, pointer);
        let mut objects: BTreeSet<Target> = targets.into_iter().map(|target| target.object).collect();
        let is_open = objects.is_empty() | objects.remove(&Target::Number);
        (objects, is_open)
    }

    /// A pointer so many bytes further on. Numbers wrap around.
    pub(crate) fn moved(&self, pointer: &Value, start: Term, by: Term) -> Term {
        let may_be_number = constant(start).is_some() || self.pointees(pointer).1;
        match may_be_number {
            true => self.moved_number(start, by, 0),
            false => term::add([start, by]),
        }
    }

    fn moved_number(&self, start: Term, by: Term, depth: usize) -> Term {
        let (moved, integer) = (term::add([start, by]), self.number_type());
        if constant(by) == Some(0) {
            return start;
        }
        match start.kind() {
            Kind::Int(address) if (0..=integer.greatest()).contains(address) => wrap(moved, integer),
            Kind::Int(_) => moved,
            Kind::Ite(condition, then, otherwise) if depth < DEEPEST => {
                let then = self.moved_number(*then, by, depth + 1);
                term::ite(*condition, then, self.moved_number(*otherwise, by, depth + 1))
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

    /// How many bytes lie between two pointers. Between objects, that is the distance of their numbers.
    pub(crate) fn distance(&mut self, left: &Value, right: &Value) -> Term {
        let (a, b) = (self.value(left), self.value(right));
        self.note_order([left, right], [a, b]);
        if self.are_in_one(left, right, a, b) {
            return term::subtract(a, b);
        }
        if constant(a).is_some() || constant(b).is_some() {
            let (first, second) = (self.number(left, a), self.number(right, b));
            let distance = term::subtract(first, second);
            if self.is_object(a) && self.is_object(b) {
                // Whoever adds it to a pointer comes to the other object.
                let truth = Some(Scalar::Integer(Integer::new(1, false)));
                let leads_there = equal(self.choose(truth, Chosen::Approximation), term::int(1));
                return term::ite(leads_there, term::subtract(a, b), distance);
            }
            return distance;
        }
        let any = self.choose(None, Chosen::Approximation);
        term::ite(self.are_comparable(a, b), term::subtract(a, b), any)
    }

    /// What stands for two pointers that are compared: addresses in one object or numbers; of different objects the
    /// order of their numbers.
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
        // In a run that is followed all pointers are known, and nothing is known of the numbers of their objects.
        let is_followed = self.walk.as_ref().is_some_and(|walk| walk.replay.is_none());
        if is_equality {
            match self.touch([left, right], [a, b]) {
                Touch::Never => return (a, b),
                Touch::ByNumbers => {}
                Touch::When(_) if is_followed => return (a, b),
                Touch::When(condition) => {
                    let any = self.choose(None, Chosen::Approximation);
                    return (term::ite(condition, any, a), b);
                }
            }
        }
        if !is_equality && (is_null(a) || is_null(b) || self.are_in_one(left, right, a, b)) {
            return (a, b);
        }
        if is_followed && self.is_object(a) && self.is_object(b) {
            return (a, b);
        }
        if constant(a).is_some() || constant(b).is_some() {
            return (self.number(left, a), self.number(right, b));
        }
        let any = self.choose(None, Chosen::Approximation);
        let are_comparable = self.are_comparable(a, b);
        (term::ite(are_comparable, a, any), b)
    }

    fn is_object(&self, pointer: Term) -> bool {
        constant(pointer).is_some_and(|address| self.objects.at(address).is_some())
    }

    /// Whether two pointers are surely arithmetic in one object, or both numbers: everything else is undefined, unless
    /// numbers became pointers.
    fn are_in_one(&self, left: &Value, right: &Value, a: Term, b: Term) -> bool {
        let (first, second) = (self.pointees(left), self.pointees(right));
        match (constant(a), constant(b)) {
            (Some(a), Some(b)) => {
                let object = |address| self.objects.at(address).map(|(object, _)| object);
                object(a) == object(b)
            }
            _ => !first.1 && !second.1 && first.0.intersection(&second.0).next().is_some(),
        }
    }

    /// Whether the difference and the order of two terms are those of the pointers. Addresses of objects without a name
    /// are any, so those in their order are among them.
    fn are_comparable(&self, left: Term, right: Term) -> Term {
        let apart = term::subtract(left, right);
        let near = [less_equal(term::int(-NEAR), apart), less_equal(apart, term::int(NEAR))];
        let numbers = [self.is_number(left), self.is_number(right)];
        let unnamed = [is_further(left), is_further(right)];
        term::or([term::and(near), term::and(numbers), term::and(unnamed)])
    }

    /// The number that a pointer is.
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

    /// What an analysis knows of as one object.
    fn is_one(&self, object: &Target) -> bool {
        // What is allocated may be allocated more than once.
        self.contexts.is_apart || matches!(object, Target::Variable(_))
    }

    /// What is no object has its number; of an object nobody knows it, but it is always the same.
    /// Where only the analysis knows what is pointed at, that is chosen among.
    fn number_of_pointer(&mut self, pointer: Term, to: Integer, targets: &[Target]) -> Term {
        let bits = self.program.types.pointer_bits;
        let fitted = |number: Term| match to.bits >= bits && !to.is_signed {
            true => number,
            false => wrap(number, to),
        };
        match pointer.kind() {
            Kind::Int(address) => match self.objects.at(*address) {
                Some((object, offset)) => {
                    let number = term::add([self.start_of(object), term::int(offset)]);
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
                let mut known = self.choose(Some(Scalar::Integer(to)), Chosen::Approximation);
                let single: Vec<Target> = targets.iter().copied().filter(|target| self.is_one(target)).collect();
                let objects: Vec<ObjectId> = single.iter().flat_map(|target| self.instances(*target)).collect();
                // A run that is followed has known pointers; and a long choice would help nobody.
                let is_short = self.walk.is_none() && objects.len() <= MOST_NUMBERED;
                for object in objects.into_iter().filter(|_| self.contexts.is_apart || is_short) {
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

    /// The number that the beginning of an object is.
    fn start_of(&mut self, object: ObjectId) -> Term {
        let start = self.objects.number(object);
        match &mut self.walk {
            Some(walk) => {
                if let Some(replay) = &mut walk.replay {
                    replay.is_approximate = true;
                }
                term::int((walk.given)(start))
            }
            None => start.apply([]),
        }
    }

    /// A number may be one that a pointer was made.
    pub(crate) fn pointer_of_number(&mut self, from: Integer, value: &Value) -> Term {
        // There and back again.
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
        // Nothing that the program has a name for lies at a fixed address.
        if constant(number) == Some(0) || is_constant(value) {
            return number;
        }
        let mut targets = self.pointees(value).0;
        targets.extend(self.contexts.points_to.numbered());
        // What procedures have that nobody knows is among the targets by itself.
        targets.remove(&Target::External);
        let targets: Vec<Target> = targets.into_iter().collect();
        match targets.is_empty() {
            true => number,
            false => self.pointer_into(number, &targets),
        }
    }

    /// What points at the byte with a number: into the object that has it, or at nothing that has a name.
    fn pointer_into(&mut self, number: Term, targets: &[Target]) -> Term {
        let objects: Vec<Vec<ObjectId>> = targets.iter().map(|target| self.instances(*target)).collect();
        let are_known = |(target, objects): (&Target, &Vec<ObjectId>)| self.is_one(target) && !objects.is_empty();
        let is_complete = targets.iter().zip(&objects).all(are_known);
        let single = targets.iter().zip(objects).filter(|(target, _)| self.is_one(target));
        let objects: Vec<ObjectId> = single.flat_map(|(_, objects)| objects).collect();
        let any = self.choose(None, Chosen::Approximation);
        let null = equal(number, term::int(0));
        // As where pointers become numbers.
        if self.walk.as_ref().is_some_and(|walk| walk.replay.is_some()) || objects.len() > MOST_NUMBERED {
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
            let offset = term::subtract(number, self.start_of(object));
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

    /// A pointer to a place. Nothing is read.
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
                self.moved(pointer, start, by)
            }
        }
    }

    /// How many bytes selectors lead away from where a place begins.
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

    /// Where a pointer that nobody knows may lead as well: into objects whose addresses became numbers.
    pub(crate) fn found_out(&mut self, pointer: Term, known: &[Target]) -> Vec<(ObjectId, Term)> {
        let points_to = self.contexts.points_to;
        let mut targets: BTreeSet<Target> = points_to.numbered().clone();
        if known.is_empty() {
            targets.extend(points_to.all_shown());
        }
        let others: Vec<Target> = targets.into_iter().filter(|target| !known.contains(target)).collect();
        let objects: Vec<ObjectId> = others.into_iter().flat_map(|target| self.instances(target)).collect();
        let is_data = |object: &ObjectId| {
            let origin = self.objects.objects[object.0 as usize].origin;
            !matches!(origin, Origin::Procedure(_))
        };
        let objects = objects.into_iter().filter(is_data);
        objects
            .map(|object| (object, inside(pointer, Objects::address(object))))
            .collect()
    }
}
