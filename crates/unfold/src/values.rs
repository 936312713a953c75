//! Values as terms.

use crate::Undefinedness;
use crate::machine::{Chosen, INT, Machine, equal, less, less_equal};
use crate::numbers::{
    bit_by_bit, constant, exact, in_range, masked, may_be, possible_bits, unbounded, wrap, wrap_once,
};
use crate::objects::{ObjectId, Objects, inside};
use analysis::points_to::Object as Target;
use logic::{Kind, Term, term, truncated_quotient, truncated_remainder};
use system::program::{BinaryOperator, Comparison, Integer, Place, Scalar, UnaryOperator, Undefined, Value};

/// A pointer that may point at more objects becomes any number.
const MOST_NUMBERED: usize = 8;

/// Bits that two unknowns may share, and that are looked at one by one also where products are not.
const MOST_BITS: u32 = 8;

/// Whether a compiler computes it.
fn is_constant(value: &Value) -> bool {
    match value {
        Value::Integer { .. } => true,
        Value::Convert { value, .. } => is_constant(value),
        _ => false,
    }
}

impl Machine<'_, '_> {
    /// Whether a value is not zero.
    pub(crate) fn truth(&mut self, value: &Value) -> Term {
        match value {
            Value::Compare {
                comparison,
                left,
                right,
                ..
            } => self.compare(*comparison, left, right),
            Value::Convert { to, value } if self.keeps_truth(*to, value) => self.truth(value),
            _ if matches!(value.scalar(), Scalar::Float(_)) => {
                let chosen = self.choose(Some(Scalar::Integer(Integer::new(1, false))), Chosen::Approximation);
                term::equal(chosen, term::int(1))
            }
            _ => {
                let value = self.value(value);
                term::not(equal(value, term::int(0)))
            }
        }
    }

    /// A conversion to at least as many bits makes nothing zero.
    fn keeps_truth(&self, to: Scalar, value: &Value) -> bool {
        match (to, value.scalar()) {
            (Scalar::Integer(to), Scalar::Integer(from)) => to.bits >= from.bits,
            _ => false,
        }
    }

    pub(crate) fn value(&mut self, value: &Value) -> Term {
        match value {
            Value::Integer { value, .. } => term::int(*value),
            Value::Float { .. } => self.choose(None, Chosen::Approximation),
            Value::Read { place, scalar } => self.read(place, *scalar),
            Value::Address(place) => self.address(place),
            Value::Procedure(procedure) => self.address_of_procedure(*procedure),
            Value::Unary { operator, operand } => self.unary(*operator, operand),
            Value::Binary { operator, left, right } => self.binary(*operator, left, right),
            Value::Compare { .. } => {
                let truth = self.truth(value);
                term::ite(truth, term::int(1), term::int(0))
            }
            Value::Offset { pointer, index, bytes } => {
                let (pointer, index) = (self.value(pointer), self.index(index));
                term::add([pointer, term::multiply(term::int(i128::from(*bytes)), index)])
            }
            Value::Distance {
                left,
                right,
                bytes,
                integer,
            } => {
                let (left, right) = (self.value(left), self.value(right));
                let distance = term::divide(term::subtract(left, right), term::int(i128::from(*bytes).max(1)));
                wrap(distance, *integer)
            }
            Value::Convert { to, value } => self.convert(*to, value),
        }
    }

    fn index(&mut self, index: &Value) -> Term {
        let scalar = index.scalar();
        let index = self.value(index);
        self.stepped(index, scalar)
    }

    /// Pointers wrap around: the greatest number as wide as one is a step back.
    pub(crate) fn stepped(&self, index: Term, scalar: Scalar) -> Term {
        let bits = self.program.types.pointer_bits;
        let is_wide = scalar == Scalar::Integer(Integer::new(bits, false));
        match self.undefined {
            Undefinedness::Wraps if is_wide => wrap_once(index, Integer::new(bits, true)),
            _ => index,
        }
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Value) -> Term {
        let Scalar::Integer(integer) = operand.scalar() else {
            self.value(operand);
            return self.choose(None, Chosen::Approximation);
        };
        let operand = self.value(operand);
        let exact = match operator {
            UnaryOperator::Negate => term::negate(operand),
            // ~a = -a - 1
            UnaryOperator::Complement => term::subtract(term::int(-1), operand),
        };
        if self.undefined == Undefinedness::Unbounded {
            return exact;
        }
        if integer.is_signed {
            self.require(Undefined::Overflow, in_range(exact, integer));
        }
        wrap_once(exact, integer)
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Value, right: &Value) -> Term {
        let scalar = left.scalar();
        let shared = possible_bits(left) & possible_bits(right);
        let (left, right) = (self.value(left), self.value(right));
        let Scalar::Integer(integer) = scalar else {
            return self.choose(None, Chosen::Approximation);
        };
        if matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder) {
            self.require(Undefined::DivisionByZero, term::not(equal(right, term::int(0))));
        }
        if matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight) {
            return self.shift(operator, left, right, integer);
        }
        if self.undefined == Undefinedness::Unbounded {
            let exact = unbounded(operator, left, right, integer)
                .or_else(|| self.product(operator, left, right).map(|(exact, _)| exact));
            return exact.unwrap_or_else(|| self.roughly(operator, left, right, integer));
        }
        let product = match exact(operator, left, right, integer) {
            None => match operator {
                BinaryOperator::And | BinaryOperator::Or | BinaryOperator::ExclusiveOr => {
                    let bits = self.bits(operator, left, right, shared, integer);
                    bits.map(|exact| (exact, true))
                }
                _ => self.product(operator, left, right),
            },
            linear => linear,
        };
        let Some((exact, is_near)) = product else {
            return self.roughly(operator, left, right, integer);
        };
        let overflows = matches!(
            operator,
            BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply | BinaryOperator::Divide
        );
        if integer.is_signed && overflows {
            self.require(Undefined::Overflow, in_range(exact, integer));
        }
        match operator {
            // Never outside of the range.
            BinaryOperator::Remainder | BinaryOperator::And | BinaryOperator::Or | BinaryOperator::ExclusiveOr => exact,
            BinaryOperator::Divide if !integer.is_signed => exact,
            _ if self.undefined == Undefinedness::Absent && integer.is_signed && overflows => exact,
            _ if is_near => wrap_once(exact, integer),
            _ => wrap(exact, integer),
        }
    }

    /// Anything that the result may be by what is linear in it.
    fn roughly(&mut self, operator: BinaryOperator, left: Term, right: Term, integer: Integer) -> Term {
        let any = self.choose(Some(Scalar::Integer(integer)), Chosen::Approximation);
        // Nothing is always among it.
        let rest = term::ite(may_be(operator, left, right, any), any, term::int(0));
        let cases = match self.undefined {
            // Numbers without end have no bits that are the last.
            Undefinedness::Unbounded => Vec::new(),
            Undefinedness::Wraps | Undefinedness::Absent => masked(operator, left, right, integer),
        };
        cases
            .into_iter()
            .rev()
            .fold(rest, |rest, (condition, value)| term::ite(condition, value, rest))
    }

    /// By too many bits or by fewer than none, a machine does something else than to shift by these.
    fn shift(&mut self, operator: BinaryOperator, left: Term, right: Term, integer: Integer) -> Term {
        let (least, greatest) = (term::int(0), term::int(i128::from(integer.bits)));
        let fits = term::and([less_equal(least, right), less(right, greatest)]);
        self.require(Undefined::Shift, fits);
        let any = |machine: &mut Self| machine.choose(Some(Scalar::Integer(integer)), Chosen::Approximation);
        let Some((exact, _)) = exact(operator, left, right, integer) else {
            return any(self);
        };
        let shifted = match operator {
            BinaryOperator::ShiftRight => exact,
            _ if self.undefined == Undefinedness::Unbounded => exact,
            _ => wrap(exact, integer),
        };
        match self.undefined {
            Undefinedness::Absent | Undefinedness::Unbounded => shifted,
            Undefinedness::Wraps if fits.is_true() => shifted,
            Undefinedness::Wraps => {
                let any = any(self);
                term::ite(fits, shifted, any)
            }
        }
    }

    /// Bits of two unknowns. Many of them are as hard for solvers as products are.
    fn bits(
        &mut self,
        operator: BinaryOperator,
        left: Term,
        right: Term,
        shared: u128,
        integer: Integer,
    ) -> Option<Term> {
        if shared.count_ones() > MOST_BITS {
            self.has_products = true;
            if !self.exact_products {
                return None;
            }
        }
        bit_by_bit(operator, left, right, shared, integer)
    }

    /// What is not linear: only where that is asked for, since solvers seldom know what follows from it.
    fn product(&mut self, operator: BinaryOperator, left: Term, right: Term) -> Option<(Term, bool)> {
        let exact = match operator {
            BinaryOperator::Multiply => (term::multiply(left, right), false),
            BinaryOperator::Divide => (truncated_quotient(left, right), true),
            BinaryOperator::Remainder => (truncated_remainder(left, right), true),
            _ => return None,
        };
        self.has_products = true;
        self.exact_products.then_some(exact)
    }

    fn compare(&mut self, comparison: Comparison, left: &Value, right: &Value) -> Term {
        let scalar = left.scalar();
        if matches!(scalar, Scalar::Float(_)) {
            let chosen = self.choose(Some(Scalar::Integer(Integer::new(1, false))), Chosen::Approximation);
            return term::equal(chosen, term::int(1));
        }
        let (left, right) = (self.value(left), self.value(right));
        match comparison {
            Comparison::Equal => equal(left, right),
            Comparison::NotEqual => term::not(equal(left, right)),
            Comparison::Less => less(left, right),
            Comparison::LessOrEqual => less_equal(left, right),
            Comparison::Greater => less(right, left),
            Comparison::GreaterOrEqual => less_equal(right, left),
        }
    }

    fn convert(&mut self, to: Scalar, value: &Value) -> Term {
        match (value.scalar(), to) {
            // Constants are as the compiler has them.
            (Scalar::Integer(_), Scalar::Integer(to))
                if self.undefined == Undefinedness::Unbounded && to.bits > 1 && !is_constant(value) =>
            {
                self.value(value)
            }
            (Scalar::Integer(from), Scalar::Integer(to)) => {
                let is_wider = to.least() <= from.least() && from.greatest() <= to.greatest();
                let value = self.value(value);
                match (is_wider, from.bits == to.bits) {
                    (true, _) => value,
                    (false, true) => wrap_once(value, to),
                    (false, false) => wrap(value, to),
                }
            }
            (Scalar::Pointer, Scalar::Pointer) => self.value(value),
            (Scalar::Integer(from), Scalar::Pointer) => self.pointer_of_number(from, value),
            (Scalar::Pointer, Scalar::Integer(to)) => {
                let targets = self.contexts.points_to.value(self.program, value);
                // What is allocated may be allocated more than once.
                let is_one = |object: &Target| self.contexts.is_apart || matches!(object, Target::Variable(_));
                let targets: Vec<Target> = targets.iter().map(|target| target.object).filter(is_one).collect();
                let pointer = self.value(value);
                self.number_of_pointer(pointer, to, &targets)
            }
            (_, to) => {
                self.value(value);
                let scalar = Some(to).filter(|to| matches!(to, Scalar::Integer(_)));
                self.choose(scalar, Chosen::Approximation)
            }
        }
    }

    /// What is no object has its number; of an object nobody knows it, but it is always the same.
    /// Where only the analysis knows what is pointed at, that is chosen among.
    fn number_of_pointer(&mut self, pointer: Term, to: Integer, targets: &[Target]) -> Term {
        let fitted = |number: Term, bits: u32| match to.bits >= bits && !to.is_signed {
            true => number,
            false => wrap(number, to),
        };
        let bits = self.program.types.pointer_bits;
        match pointer.kind() {
            Kind::Int(address) => match self.objects.at(*address) {
                Some((object, offset)) => {
                    let start = self.objects.number(object);
                    let start = match &mut self.walk {
                        Some(walk) => {
                            if let Some(replay) = &mut walk.replay {
                                replay.is_approximate = true;
                            }
                            term::int((walk.given)(start))
                        }
                        None => start.apply([]),
                    };
                    fitted(term::add([start, term::int(offset)]), bits)
                }
                None => wrap(term::negate(pointer), to),
            },
            Kind::Ite(condition, then, otherwise) => {
                let then = self.number_of_pointer(*then, to, targets);
                let otherwise = self.number_of_pointer(*otherwise, to, targets);
                term::ite(*condition, then, otherwise)
            }
            _ => {
                let mut known = self.choose(Some(Scalar::Integer(to)), Chosen::Approximation);
                let objects: Vec<ObjectId> = targets.iter().flat_map(|target| self.instances(*target)).collect();
                // A run that is followed has known pointers; and a long choice would help nobody.
                let is_short = self.walk.is_none() && objects.len() <= MOST_NUMBERED;
                for object in objects.into_iter().filter(|_| self.contexts.is_apart || is_short) {
                    let (start, address) = (self.objects.number(object).apply([]), Objects::address(object));
                    let offset = term::subtract(pointer, term::int(address));
                    let number = fitted(term::add([start, offset]), bits);
                    known = term::ite(inside(pointer, address), number, known);
                }
                let number = wrap(term::negate(pointer), to);
                term::ite(less_equal(pointer, term::int(0)), number, known)
            }
        }
    }

    /// A number may be one that a pointer was made.
    fn pointer_of_number(&mut self, from: Integer, value: &Value) -> Term {
        // There and back again.
        if let Value::Convert { value: inner, .. } = value
            && inner.scalar() == Scalar::Pointer
            && from.bits >= self.program.types.pointer_bits
        {
            return self.value(inner);
        }
        let targets = self.contexts.points_to.value(self.program, value);
        let number = self.value(value);
        let unsigned = Integer::new(self.program.types.pointer_bits, false);
        if targets.is_empty() || constant(number) == Some(0) {
            return term::negate(wrap(number, unsigned));
        }
        let number = match !from.is_signed && from.bits <= unsigned.bits {
            true => number,
            false => wrap(number, unsigned),
        };
        let is_one = |object: &Target| self.contexts.is_apart || matches!(object, Target::Variable(_));
        let targets: Vec<Target> = targets.iter().map(|target| target.object).filter(is_one).collect();
        self.pointer_into(number, &targets)
    }

    /// What points at the byte with a number: into the object that has it, or at anything.
    fn pointer_into(&mut self, number: Term, targets: &[Target]) -> Term {
        let mut pointer = self.choose(None, Chosen::Approximation);
        let objects: Vec<ObjectId> = targets.iter().flat_map(|target| self.instances(*target)).collect();
        // As where pointers become numbers.
        if self.walk.as_ref().is_some_and(|walk| walk.replay.is_some()) || objects.len() > MOST_NUMBERED {
            return pointer;
        }
        for object in objects {
            let size = term::int(i128::from(self.objects.size(self.program, object)));
            let start = self.objects.number(object);
            let start = match &self.walk {
                Some(walk) => term::int((walk.given)(start)),
                None => start.apply([]),
            };
            let offset = term::subtract(number, start);
            let is_inside = term::and([less_equal(term::int(0), offset), less(offset, size)]);
            let inside = term::add([term::int(Objects::address(object)), offset]);
            pointer = term::ite(is_inside, inside, pointer);
        }
        pointer
    }

    /// A pointer to a place. Nothing is read.
    fn address(&mut self, place: &Place) -> Term {
        let (start, rest) = self.address_of_root(place);
        self.selected(place, start, rest)
    }

    fn address_of_root(&mut self, place: &Place) -> (Term, system::program::TypeId) {
        match &place.root {
            system::program::Root::Variable(variable) => {
                let object = self.variable(*variable);
                (term::int(Objects::address(object)), self.program[*variable].type_id)
            }
            system::program::Root::Dereference { pointer, type_id } => (self.value(pointer), *type_id),
        }
    }

    fn selected(&mut self, place: &Place, start: Term, type_id: system::program::TypeId) -> Term {
        use system::program::{Selector, Type};
        let (mut address, mut type_id) = (start, type_id);
        for selector in &place.selectors {
            match (selector, &self.program.types[type_id]) {
                (Selector::Field(field), Type::Record(record)) => {
                    let field = &self.program.types[*record].fields[*field];
                    address = term::add([address, term::int(i128::from(field.offset))]);
                    type_id = field.type_id;
                }
                (Selector::Index(index), Type::Array { element, .. }) => {
                    let index = self.index(index);
                    let size = self.program.types.size(*element).unwrap_or(0);
                    address = term::add([address, term::multiply(term::int(i128::from(size)), index)]);
                    type_id = *element;
                }
                _ => {}
            }
        }
        address
    }
}

/// Truth values are of this type where nothing else is said.
pub(crate) fn integer_of(scalar: Scalar) -> Integer {
    match scalar {
        Scalar::Integer(integer) => integer,
        Scalar::Float(_) | Scalar::Pointer => INT,
    }
}
