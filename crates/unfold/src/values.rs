//! Expressions as terms.

use crate::Undefinedness;
use crate::machine::{ChoiceKind, INT, Machine, equal, less, less_equal};
use crate::numbers::{
    bit_by_bit, exact, in_range, mask_cases, possible_bits, result_constraints, unbounded, wrap, wrap_once,
};
use logic::{Term, term, truncated_quotient, truncated_remainder};
use system::program::{BinaryOperator, Comparison, Integer, Scalar, UnaryOperator, Undefined, Value};

/// Bitwise operations on two unknowns are encoded bit by bit if at most this many bits may be one in both.
const MAX_SHARED_BITS: u32 = 8;

/// Whether a value is a compile-time constant.
pub(crate) fn is_constant(value: &Value) -> bool {
    match value {
        Value::Integer { .. } => true,
        Value::Convert { value, .. } => is_constant(value),
        _ => false,
    }
}

impl Machine<'_, '_> {
    /// The formula that a value is not zero.
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
                let chosen = self.choose(Some(Scalar::Integer(Integer::new(1, false))), ChoiceKind::Approximation);
                term::equal(chosen, term::int(1))
            }
            _ => {
                let value = self.value(value);
                term::not(equal(value, term::int(0)))
            }
        }
    }

    /// A conversion to at least as many bits maps no nonzero value to zero.
    fn keeps_truth(&self, to: Scalar, value: &Value) -> bool {
        match (to, value.scalar()) {
            (Scalar::Integer(to), Scalar::Integer(from)) => to.bits >= from.bits,
            _ => false,
        }
    }

    pub(crate) fn value(&mut self, value: &Value) -> Term {
        match value {
            Value::Integer { value, .. } => term::int(*value),
            Value::Float { .. } => self.choose(None, ChoiceKind::Approximation),
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
                let (start, index) = (self.value(pointer), self.index(index));
                let by = term::multiply(term::int(i128::from(*bytes)), index);
                self.offset_pointer(pointer, start, by)
            }
            Value::Distance {
                left,
                right,
                bytes,
                integer,
            } => {
                let distance = self.distance(left, right);
                wrap(term::divide(distance, term::int(i128::from(*bytes).max(1))), *integer)
            }
            Value::Convert { to, value } => self.convert(*to, value),
        }
    }

    pub(crate) fn index(&mut self, index: &Value) -> Term {
        let scalar = index.scalar();
        let index = self.value(index);
        self.stepped(index, scalar)
    }

    /// Interprets an index as signed: adding the greatest unsigned integer of pointer width is a step back.
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
            return self.choose(None, ChoiceKind::Approximation);
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
            return self.choose(None, ChoiceKind::Approximation);
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
            // Always in range.
            BinaryOperator::Remainder | BinaryOperator::And | BinaryOperator::Or | BinaryOperator::ExclusiveOr => exact,
            BinaryOperator::Divide if !integer.is_signed => exact,
            _ if self.undefined == Undefinedness::Absent && integer.is_signed && overflows => exact,
            _ if is_near => wrap_once(exact, integer),
            _ => wrap(exact, integer),
        }
    }

    /// An arbitrary result that satisfies the linear constraints of the operation.
    fn roughly(&mut self, operator: BinaryOperator, left: Term, right: Term, integer: Integer) -> Term {
        let any = self.choose(Some(Scalar::Integer(integer)), ChoiceKind::Approximation);
        // Zero always satisfies them.
        let rest = term::ite(result_constraints(operator, left, right, any), any, term::int(0));
        let cases = match self.undefined {
            // Unbounded integers have no last bit.
            Undefinedness::Unbounded => Vec::new(),
            Undefinedness::Wraps | Undefinedness::Absent => mask_cases(operator, left, right, integer),
        };
        cases
            .into_iter()
            .rev()
            .fold(rest, |rest, (condition, value)| term::ite(condition, value, rest))
    }

    /// Shifts; for amounts out of range, the result is arbitrary.
    fn shift(&mut self, operator: BinaryOperator, left: Term, right: Term, integer: Integer) -> Term {
        let (least, greatest) = (term::int(0), term::int(i128::from(integer.bits)));
        let fits = term::and([less_equal(least, right), less(right, greatest)]);
        self.require(Undefined::Shift, fits);
        let any = |machine: &mut Self| machine.choose(Some(Scalar::Integer(integer)), ChoiceKind::Approximation);
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

    /// Bitwise operations on two unknowns. With many shared bits they are as hard for solvers as products.
    fn bits(
        &mut self,
        operator: BinaryOperator,
        left: Term,
        right: Term,
        shared: u128,
        integer: Integer,
    ) -> Option<Term> {
        if shared.count_ones() > MAX_SHARED_BITS {
            self.has_products = true;
            if !self.exact_products {
                return None;
            }
        }
        bit_by_bit(operator, left, right, shared, integer)
    }

    /// Nonlinear operations, encoded exactly only on demand, since solvers rarely reason about them well.
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
            let chosen = self.choose(Some(Scalar::Integer(Integer::new(1, false))), ChoiceKind::Approximation);
            return term::equal(chosen, term::int(1));
        }
        let (left, right) = match scalar {
            Scalar::Pointer => self.compared(comparison, left, right),
            _ => (self.value(left), self.value(right)),
        };
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
            // Constants convert as the compiler does it.
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
            (Scalar::Pointer, Scalar::Integer(to)) => self.pointer_to_number(value, to),
            (_, to) => {
                self.value(value);
                let scalar = Some(to).filter(|to| matches!(to, Scalar::Integer(_)));
                self.choose(scalar, ChoiceKind::Approximation)
            }
        }
    }
}

/// The integer type of a scalar; `int` for others.
pub(crate) fn integer_of(scalar: Scalar) -> Integer {
    match scalar {
        Scalar::Integer(integer) => integer,
        Scalar::Float(_) | Scalar::Pointer => INT,
    }
}
