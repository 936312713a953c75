//! Expressions: side effects become steps, and a value without side effects remains.
//!
//! C leaves the order of evaluation of operands and arguments unspecified. Here it is that of gcc, which compiles the
//! runs: left to right, except that arguments are evaluated right to left; that the right operand of `+=` comes before
//! the left one; that an assigned value comes before its destination unless it is a call; and that a variable is read
//! after the other operand of a commutative operator.

use super::builder::Builder;
use super::values;
use crate::tree::{Expression, ExpressionKind, Update};
use crate::types::Type;
use system::Span;
use system::program::{BinaryOperator, Comparison, Float, Integer, Place, Root, Scalar, Step, Value};

impl Builder<'_, '_> {
    /// The value of a scalar expression, after the steps of its side effects.
    pub(super) fn value(&mut self, expression: &Expression) -> Value {
        let value = self.value_inside(expression);
        self.shallow(value, expression.expression_type, expression.span)
    }

    fn value_inside(&mut self, expression: &Expression) -> Value {
        let own = expression.expression_type;
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Integer(value) => self.number(*value, own),
            ExpressionKind::Float(value) => self.float(*value, own),
            ExpressionKind::Load(place) => {
                let place = self.place(place);
                self.read(place, own)
            }
            ExpressionKind::Decay(array) => self.decayed(array),
            ExpressionKind::Address(place) => self.address(place),
            ExpressionKind::Convert(operand) => {
                let value = self.value(operand);
                self.converted(value, own)
            }
            ExpressionKind::Negate(operand) => values::negate(self.value(operand)),
            ExpressionKind::Complement(operand) => values::complement(self.value(operand)),
            ExpressionKind::Not(operand) => {
                let value = self.value(operand);
                let zero = values::zero(value.scalar());
                values::compare(Comparison::Equal, value, zero)
            }
            ExpressionKind::Binary { operator, left, right } => {
                let (left, right) = match is_commutative(*operator) {
                    true => self.exchangeable(left, right),
                    false => self.operands(left, right),
                };
                values::binary(*operator, left, right)
            }
            ExpressionKind::Compare {
                comparison,
                left,
                right,
            } => {
                let (left, right) = self.exchangeable(left, right);
                values::compare(*comparison, left, right)
            }
            ExpressionKind::PointerOffset {
                pointer,
                index,
                is_back,
            } => {
                let target = self
                    .lowering
                    .unit
                    .types
                    .target_of(pointer.expression_type)
                    .unwrap_or(own);
                let (pointer, index) = self.operands(pointer, index);
                self.pointer_offset(pointer, index, target, *is_back)
            }
            ExpressionKind::PointerDifference { left, right } => self.pointer_difference(left, right, own),
            ExpressionKind::And(..) | ExpressionKind::Or(..) => self.truth_value(expression),
            ExpressionKind::VariableSize(of) => self.variable_size(*of),
            ExpressionKind::VariadicArgument(list) => {
                let place = self.variadic_argument(list, own, span);
                let value = self.read(place, own);
                self.save(value, own, span)
            }
            _ => self.effect_value(expression),
        }
    }

    /// The value of an expression with side effects of its own.
    fn effect_value(&mut self, expression: &Expression) -> Value {
        let own = expression.expression_type;
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Conditional {
                condition,
                then,
                otherwise,
            } => self.conditional_value(condition, then, otherwise, own, span),
            ExpressionKind::ConditionalSame { condition, otherwise } => {
                self.conditional_same(condition, otherwise, own, span)
            }
            ExpressionKind::Comma(left, right) => {
                self.effect(left);
                self.value(right)
            }
            ExpressionKind::Assign { target, value } => {
                let (place, value) = self.assigned(target, value, span);
                let value = self.save(value, own, span);
                self.assign(place, value.clone(), span);
                value
            }
            ExpressionKind::Update {
                target,
                update,
                value,
                gives_old,
            } => self.update(target, *update, value, Some(*gives_old), span),
            ExpressionKind::Call { function, arguments } => self.call_value(function, arguments, own, span),
            ExpressionKind::Statements { block, result } => {
                self.enter_block(block);
                self.statements(&block.statements);
                let value = match result {
                    Some(result) => {
                        let value = self.value(result);
                        self.save(value, own, span)
                    }
                    None => values::int(0),
                };
                self.leave_scope();
                value
            }
            // No other expression is a scalar value.
            _ => {
                self.effect(expression);
                values::int(0)
            }
        }
    }

    /// The side effects of an expression.
    pub(super) fn effect(&mut self, expression: &Expression) {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Assign { target, value } => self.assignment(target, value, span),
            ExpressionKind::Update {
                target, update, value, ..
            } => {
                self.update(target, *update, value, None, span);
            }
            ExpressionKind::Call { function, arguments } => self.call_effect(function, arguments, span),
            ExpressionKind::Comma(left, right) => {
                self.effect(left);
                self.effect(right);
            }
            ExpressionKind::Convert(operand) if self.is_void(expression) => self.effect(operand),
            ExpressionKind::Conditional {
                condition,
                then,
                otherwise,
            } => self.conditional_effect(condition, Some(then), otherwise, span),
            ExpressionKind::ConditionalSame { condition, otherwise } => {
                self.conditional_effect(condition, None, otherwise, span);
            }
            ExpressionKind::Statements { block, result } => {
                self.enter_block(block);
                self.statements(&block.statements);
                if let Some(result) = result {
                    self.effect(result);
                }
                self.leave_scope();
            }
            ExpressionKind::VariadicStart(list) => self.variadic_start(list, span),
            ExpressionKind::VariadicEnd(list) => self.variadic_end(list, span),
            ExpressionKind::VariadicCopy(to, from) => self.variadic_copy(to, from, span),
            ExpressionKind::VariadicArgument(list) => {
                self.variadic_argument(list, expression.expression_type, span);
            }
            _ if self.is_void(expression) && expression.is_place() => {
                self.place(expression);
            }
            _ if self.is_void(expression) => {}
            _ if self.is_record(expression.expression_type) => {
                self.record(expression);
            }
            _ if self.has_effects(expression) => {
                self.value(expression);
            }
            // An unused value without side effects.
            _ => {}
        }
    }

    fn is_void(&self, expression: &Expression) -> bool {
        self.lowering.unit.types.is_void(expression.expression_type)
    }

    pub(super) fn is_record(&self, of: Type) -> bool {
        let types = &self.lowering.unit.types;
        types.record_of(of).is_some() || types.is_array(of)
    }

    fn number(&self, value: i128, own: Type) -> Value {
        match self.lowering.scalar(own) {
            Scalar::Integer(integer) => Value::integer(integer.wrap(value), integer),
            scalar => values::convert(Value::integer(value, self.size_integer()), scalar),
        }
    }

    fn float(&self, value: f64, own: Type) -> Value {
        let float = match self.lowering.scalar(own) {
            Scalar::Float(float) => float,
            _ => Float::Double,
        };
        #[allow(clippy::cast_possible_truncation)]
        let value = if float == Float::Single {
            f64::from(value as f32)
        } else {
            value
        };
        Value::Float {
            bits: value.to_bits(),
            float,
        }
    }

    /// Both values. The first is saved where the second has side effects.
    fn operands(&mut self, left: &Expression, right: &Expression) -> (Value, Value) {
        let value = self.value(left);
        let value = match self.has_effects(right) {
            true => self.save(value, left.expression_type, left.span),
            false => value,
        };
        (value, self.value(right))
    }

    /// As `operands`, for a commutative operator: gcc reads a variable after an operand with side effects.
    fn exchangeable(&mut self, left: &Expression, right: &Expression) -> (Value, Value) {
        if !self.has_effects(right) || !self.is_variable(left) {
            return self.operands(left, right);
        }
        let right = self.value(right);
        (self.value(left), right)
    }

    /// Whether an expression is the content of a variable, converted at most between types of the same width.
    fn is_variable(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Load(place) => matches!(place.kind, ExpressionKind::Variable(_)),
            ExpressionKind::Convert(operand) => self.is_as_wide(operand, expression) && self.is_variable(operand),
            _ => false,
        }
    }

    fn is_as_wide(&self, operand: &Expression, converted: &Expression) -> bool {
        let types = &self.lowering.unit.types;
        let is_scalar = [operand, converted]
            .iter()
            .all(|expression| types.is_scalar(expression.expression_type));
        if !is_scalar {
            return false;
        }
        let [from, to] = [operand, converted].map(|expression| self.lowering.scalar(expression.expression_type));
        match (from, to) {
            (Scalar::Integer(from), Scalar::Integer(to)) => from.bits == to.bits,
            (from, to) => from == to,
        }
    }

    fn pointer_difference(&mut self, left: &Expression, right: &Expression, own: Type) -> Value {
        let unit = self.lowering.unit;
        let target = unit.types.target_of(left.expression_type).unwrap_or(own);
        let is_variable = unit.types.is_variable_array(target);
        let bytes = match is_variable {
            true => 1,
            false => crate::constant::step_size(unit, left.expression_type)
                .unwrap_or(1)
                .max(1),
        };
        let (left, right) = self.operands(left, right);
        let integer = Integer::new(unit.types.data_model.pointer_bits(), true);
        let distance = Value::Distance {
            left: Box::new(left),
            right: Box::new(right),
            bytes,
            integer,
        };
        if !is_variable {
            return distance;
        }
        let size = values::convert(self.variable_size(target), Scalar::Integer(integer));
        values::binary(system::program::BinaryOperator::Divide, distance, size)
    }

    /// The destination of an assignment, evaluated before the value.
    fn target(&mut self, target: &Expression, value: &Expression, span: Span) -> Place {
        let place = self.place(target);
        self.stable_before(place, &[value], span)
    }

    /// `=` whose value is unused.
    fn assignment(&mut self, target: &Expression, value: &Expression, span: Span) {
        if self.is_record(target.expression_type) {
            self.record_assignment(target, value, span);
        } else if self.comes_first(value) || self.late_call(value).is_some_and(|_| !self.is_plain(target)) {
            let (place, value) = self.assigned(target, value, span);
            self.assign(place, value, span);
        } else {
            let place = self.target(target, value, span);
            self.assign_from(place, value, span);
        }
    }

    /// Whether the assigned value is evaluated before its destination; calls are not.
    fn comes_first(&self, value: &Expression) -> bool {
        let is_call = match &value.kind {
            ExpressionKind::Call { .. } | ExpressionKind::VariadicArgument(_) => true,
            ExpressionKind::Convert(operand) => self.is_same(operand, value) && !self.comes_first(operand),
            ExpressionKind::Statements { block, result } => {
                block.statements.is_empty() && result.as_ref().is_some_and(|result| !self.comes_first(result))
            }
            // Records that are built in their destination.
            ExpressionKind::Conditional { .. } => self.is_record(value.expression_type),
            ExpressionKind::Load(place) => {
                let is_literal = matches!(place.kind, ExpressionKind::CompoundLiteral { .. });
                is_literal && self.is_record(value.expression_type)
            }
            _ => false,
        };
        !is_call && self.has_effects(value)
    }

    /// Whether a conversion is the identity.
    pub(super) fn is_same(&self, operand: &Expression, converted: &Expression) -> bool {
        let is_scalar = |of: &Expression| self.lowering.unit.types.is_scalar(of.expression_type);
        let scalar = |of: &Expression| self.lowering.scalar(of.expression_type);
        is_scalar(operand) && is_scalar(converted) && scalar(operand) == scalar(converted)
    }

    /// The destination and the value of a scalar assignment.
    fn assigned(&mut self, target: &Expression, value: &Expression, span: Span) -> (Place, Value) {
        if let ExpressionKind::Comma(left, right) = &value.kind {
            self.effect(left);
            return self.assigned(target, right, span);
        }
        if let Some(call) = self.late_call(value).filter(|_| !self.is_plain(target)) {
            let (place, held) = self.call_for(target, call, span);
            return (place, self.read(held, call.2));
        }
        if !self.comes_first(value) {
            let place = self.target(target, value, span);
            return (place, self.value(value));
        }
        let mut held = self.value(value);
        if self.has_effects(target) {
            held = self.save(held, value.expression_type, value.span);
        }
        (self.place(target), held)
    }

    /// The destination of a record assignment.
    fn record_assignment(&mut self, target: &Expression, value: &Expression, span: Span) -> Place {
        if let ExpressionKind::Comma(left, right) = &value.kind {
            self.effect(left);
            return self.record_assignment(target, right, span);
        }
        if let Some(call) = self.late_call(value).filter(|_| !self.is_plain(target)) {
            return self.call_for(target, call, span).0;
        }
        // No copy is needed where the order does not matter.
        if !self.comes_first(value) || self.is_plain(target) {
            let place = self.target(target, value, span);
            self.copy_into(place.clone(), value, span);
            return place;
        }
        let source = self.record(value);
        let source = self.stable_before(source, &[target], span);
        let place = self.place(target);
        let step = Step::Copy {
            target: place.clone(),
            source,
        };
        self.step(step, span);
        place
    }

    /// A variable, or a part of one at a constant offset.
    fn is_plain(&self, place: &Expression) -> bool {
        match &place.kind {
            ExpressionKind::Variable(_) => true,
            ExpressionKind::Member { operand, .. } => self.is_plain(operand),
            _ => false,
        }
    }

    /// Stores the result of a call directly where the destination is a variable of its type.
    pub(super) fn assign_from(&mut self, place: Place, value: &Expression, span: Span) {
        let is_variable = matches!(place.root, Root::Variable(_)) && place.selectors.is_empty();
        let given = self.without_pointer_conversion(value);
        if let (true, ExpressionKind::Call { function, arguments }) = (is_variable, &given.kind) {
            self.call_into(&place, function, arguments, given.expression_type, span);
            return;
        }
        let value = self.value(value);
        self.assign(place, value, span);
    }

    /// All pointer types have the same values.
    fn without_pointer_conversion<'e>(&self, value: &'e Expression) -> &'e Expression {
        let types = &self.lowering.unit.types;
        match &value.kind {
            ExpressionKind::Convert(inner)
                if types.is_pointer(value.expression_type) && types.is_pointer(inner.expression_type) =>
            {
                self.without_pointer_conversion(inner)
            }
            _ => value,
        }
    }

    /// The value already has the type of the place; only bit-fields of `_Bool` are narrower.
    pub(super) fn assign(&mut self, target: Place, value: Value, span: Span) {
        let type_id = self.lowering.program.type_of(&target);
        let scalar = self.lowering.program.types.scalar(type_id).unwrap_or(value.scalar());
        let value = values::convert(value, scalar);
        self.step(Step::Assign { target, value }, span);
    }

    /// `+=`, `++` and similar operators. The target is evaluated once. With `gives_old`, the result is the old value.
    fn update(
        &mut self,
        target: &Expression,
        update: Update,
        value: &Expression,
        gives_old: Option<bool>,
        span: Span,
    ) -> Value {
        let own = target.expression_type;
        let early = self.has_effects(value).then(|| {
            let operand = self.value(value);
            match self.has_effects(target) {
                true => self.save(operand, value.expression_type, span),
                false => operand,
            }
        });
        let place = self.place(target);
        let operand = early.unwrap_or_else(|| self.value(value));
        let mut old = self.read(place.clone(), own);
        if gives_old == Some(true) {
            old = self.save(old, own, span);
        }
        let new = match update {
            Update::Arithmetic(operator, computed) => {
                let left = self.converted(old.clone(), computed);
                let result = values::binary(operator, left, operand);
                self.converted(result, own)
            }
            Update::Forward | Update::Back => {
                let target = self.lowering.unit.types.target_of(own).unwrap_or(own);
                self.pointer_offset(old.clone(), operand, target, matches!(update, Update::Back))
            }
        };
        let result = match gives_old {
            None => values::int(0),
            Some(true) => old,
            Some(false) => self.save(new.clone(), own, span),
        };
        let stored = if gives_old == Some(false) { result.clone() } else { new };
        self.assign(place, stored, span);
        result
    }

    /// A place that holds the value of a record. Only its owner writes to it.
    pub(super) fn record(&mut self, expression: &Expression) -> Place {
        let own = expression.expression_type;
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Load(place) => self.place(place),
            ExpressionKind::Member { .. } => self.place(expression),
            ExpressionKind::Comma(left, right) => {
                self.effect(left);
                self.record(right)
            }
            ExpressionKind::Assign { target, value } => self.record_assignment(target, value, span),
            ExpressionKind::VariadicArgument(list) => self.variadic_argument(list, own, span),
            ExpressionKind::Convert(operand) => self.record(operand),
            _ => {
                let type_id = self.lowering.type_id(own);
                let place = Place::variable(self.temporary(type_id, span));
                self.copy_into(place.clone(), expression, span);
                place
            }
        }
    }

    /// Copies a record into a place of its type.
    pub(super) fn copy_into(&mut self, target: Place, value: &Expression, span: Span) {
        match &value.kind {
            ExpressionKind::Call { function, arguments } => {
                self.call_into(&target, function, arguments, value.expression_type, span);
            }
            ExpressionKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                let (yes, no, end) = (
                    self.location(then.span),
                    self.location(otherwise.span),
                    self.location(span),
                );
                self.branch(condition, yes, no);
                self.frame.current = yes;
                self.copy_into(target.clone(), then, span);
                self.go(end, span);
                self.frame.current = no;
                self.copy_into(target, otherwise, span);
                self.join(end, span);
            }
            ExpressionKind::Statements { block, result } => {
                self.enter_block(block);
                self.statements(&block.statements);
                if let Some(result) = result {
                    self.copy_into(target, result, span);
                }
                self.leave_scope();
            }
            _ => {
                let source = self.record(value);
                if source != target {
                    self.step(Step::Copy { target, source }, span);
                }
            }
        }
    }

    /// Whether evaluation has observable effects.
    pub(super) fn has_effects(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Assign { .. }
            | ExpressionKind::Update { .. }
            | ExpressionKind::Call { .. }
            | ExpressionKind::Statements { .. }
            | ExpressionKind::VariadicStart(_)
            | ExpressionKind::VariadicEnd(_)
            | ExpressionKind::VariadicCopy(..)
            | ExpressionKind::VariadicArgument(_) => true,
            ExpressionKind::CompoundLiteral { initialiser, .. } => initialiser.is_some(),
            ExpressionKind::Error
            | ExpressionKind::Integer(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Literal(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Function(_)
            | ExpressionKind::VariableSize(_) => false,
            ExpressionKind::Dereference(operand)
            | ExpressionKind::Member { operand, .. }
            | ExpressionKind::Load(operand)
            | ExpressionKind::Decay(operand)
            | ExpressionKind::Address(operand)
            | ExpressionKind::Convert(operand)
            | ExpressionKind::Negate(operand)
            | ExpressionKind::Complement(operand)
            | ExpressionKind::Not(operand) => self.has_effects(operand),
            ExpressionKind::Binary { left, right, .. }
            | ExpressionKind::Compare { left, right, .. }
            | ExpressionKind::PointerOffset {
                pointer: left,
                index: right,
                ..
            }
            | ExpressionKind::PointerDifference { left, right }
            | ExpressionKind::And(left, right)
            | ExpressionKind::Or(left, right)
            | ExpressionKind::ConditionalSame {
                condition: left,
                otherwise: right,
            }
            | ExpressionKind::Comma(left, right) => self.has_effects(left) || self.has_effects(right),
            ExpressionKind::Conditional {
                condition,
                then,
                otherwise,
            } => self.has_effects(condition) || self.has_effects(then) || self.has_effects(otherwise),
        }
    }
}

/// Whether the order of the operands is irrelevant.
fn is_commutative(operator: BinaryOperator) -> bool {
    use BinaryOperator::{Add, And, ExclusiveOr, Multiply, Or};
    matches!(operator, Add | Multiply | And | Or | ExclusiveOr)
}
