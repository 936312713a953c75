//! Compiles expressions: simple values are computed; records and arrays are blocks of slots that calls leave in the
//! frame.

use system::Span;
use system::instance::{self, Argument, Base, Expression, Fold, Place, Statement, Subscript};

use super::Compiler;
use super::layout::Bounds;
use super::unit::{Storage, Unit, frame_place, frame_value, reference_place, sequence, set_frame};
use super::walk::contains_call;
use crate::model::{
    Argument as ModelArgument, Binary, Binder, Designator, Expression as ModelExpression, ExpressionKind, LocalId,
    LocalKind, Quantifier, Root, SubprogramId, TypeId, TypeKind, Unary, UninterpretedId,
};

impl<'m> Compiler<'m> {
    /// Compiles an expression of a simple type.
    pub(super) fn expression(&mut self, unit: &mut Unit<'m>, node: &'m ModelExpression) -> Expression {
        match &node.kind {
            ExpressionKind::Literal(value) => Expression::Constant(*value),
            ExpressionKind::EmptyList => Expression::EmptyList,
            ExpressionKind::Read(designator) => self.read(unit, designator),
            ExpressionKind::Convert(inner) => self.convert(unit, inner, node.ty, node.span),
            ExpressionKind::Unary(operator, operand) => self.unary(unit, *operator, operand),
            ExpressionKind::Binary(operator, left, right) => self.binary(unit, *operator, left, right, node.span),
            ExpressionKind::If(condition, then, otherwise) => {
                self.link(then.ty, otherwise.ty);
                let condition = Box::new(self.expression(unit, condition));
                let then = Box::new(self.expression(unit, then));
                Expression::If(condition, then, Box::new(self.expression(unit, otherwise)))
            }
            ExpressionKind::Quantified {
                quantifier,
                binder,
                body,
            } => self.quantified(unit, *quantifier, binder, body, node.span),
            ExpressionKind::Call { subprogram, arguments } => {
                let result = self.call(unit, *subprogram, arguments, node.span);
                if !self.may_return_undefined(node.ty) {
                    return result;
                }
                let slot = unit.allocate(1);
                sequence(
                    vec![set_frame(slot, result)],
                    Expression::Load(frame_place(slot, node.span)),
                )
            }
            ExpressionKind::Apply { symbol, arguments } => {
                Expression::Load(self.application(unit, *symbol, arguments, node.span))
            }
            ExpressionKind::IsUndefined(designator) => {
                let length = self.layout.size(designator.ty);
                Expression::IsUndefined(self.place(unit, designator), length)
            }
            ExpressionKind::IsMember(value, member) => self.is_member(unit, value, *member),
            ExpressionKind::MultisetCount {
                local,
                multiset,
                condition,
            } => self.multiset_count(unit, *local, multiset, condition),
            ExpressionKind::Head(list) => Expression::Head(Box::new(self.expression(unit, list)), node.span),
            ExpressionKind::Tail(list) => Expression::Tail(Box::new(self.expression(unit, list)), node.span),
            ExpressionKind::Append(list, element) => {
                let ty = match self.model.kind(node.ty) {
                    TypeKind::List { element } => *element,
                    _ => element.ty,
                };
                let list = Box::new(self.expression(unit, list));
                Expression::Append(list, Box::new(self.value_within(unit, element, ty)))
            }
            ExpressionKind::Length(list) => self.length(unit, list),
            ExpressionKind::Error => Expression::Constant(0),
        }
    }

    fn read(&mut self, unit: &mut Unit<'m>, designator: &'m Designator) -> Expression {
        let place = self.place(unit, designator);
        match designator.root {
            // Variables of loops and aliases of values are always defined.
            Root::Local(local)
                if designator.selectors.is_empty()
                    && matches!(unit.local(local).kind, LocalKind::Bound | LocalKind::AliasValue) =>
            {
                Expression::LoadRaw(place)
            }
            _ => Expression::Load(place),
        }
    }

    fn unary(&mut self, unit: &mut Unit<'m>, operator: Unary, operand: &'m ModelExpression) -> Expression {
        let operand = self.expression(unit, operand);
        let operator = match operator {
            Unary::Plus => return operand,
            Unary::Not => instance::Unary::Not,
            Unary::Negate => instance::Unary::Negate,
            Unary::BitNot => instance::Unary::BitNot,
        };
        match (operator, &operand) {
            (instance::Unary::Negate, Expression::Constant(value)) if *value != i64::MIN => {
                Expression::Constant(-value)
            }
            _ => Expression::Unary(operator, Box::new(operand)),
        }
    }

    fn binary(
        &mut self,
        unit: &mut Unit<'m>,
        operator: Binary,
        left: &'m ModelExpression,
        right: &'m ModelExpression,
        span: Span,
    ) -> Expression {
        match operator {
            Binary::Equal => return self.equal(unit, left, right, span),
            Binary::NotEqual if !self.layout.is_simple(left.ty) => return negate(self.equal(unit, left, right, span)),
            _ => {}
        }
        self.link(left.ty, right.ty);
        let boolean = *self.model.kind(left.ty) == TypeKind::Boolean;
        let (left, right) = match operator {
            Binary::NotEqual => (self.compared_value(unit, left), self.compared_value(unit, right)),
            _ => (self.expression(unit, left), self.expression(unit, right)),
        };
        let make = |operator, left, right| Expression::Binary(operator, Box::new(left), Box::new(right), span);
        let operator = match operator {
            Binary::Implies => instance::Binary::Implies,
            Binary::Or => instance::Binary::Or,
            Binary::And => instance::Binary::And,
            // On Booleans, `&` and `|` mean the same as `&&` and `||`.
            Binary::BitOr if boolean => instance::Binary::Or,
            Binary::BitAnd if boolean => instance::Binary::And,
            Binary::BitXor if boolean => instance::Binary::NotEqual,
            Binary::Less => instance::Binary::Less,
            Binary::LessEqual => instance::Binary::LessEqual,
            // The left operand is evaluated first here as well.
            Binary::Greater => return negate(make(instance::Binary::LessEqual, left, right)),
            Binary::GreaterEqual => return negate(make(instance::Binary::Less, left, right)),
            Binary::Equal => instance::Binary::Equal,
            Binary::NotEqual => instance::Binary::NotEqual,
            Binary::Add => instance::Binary::Add,
            Binary::Subtract => instance::Binary::Subtract,
            Binary::Multiply => instance::Binary::Multiply,
            Binary::Divide => instance::Binary::Divide,
            Binary::Modulo => instance::Binary::Modulo,
            Binary::BitAnd => instance::Binary::BitAnd,
            Binary::BitOr => instance::Binary::BitOr,
            Binary::BitXor => instance::Binary::BitXor,
            Binary::ShiftLeft => instance::Binary::ShiftLeft,
            Binary::ShiftRight => instance::Binary::ShiftRight,
        };
        make(operator, left, right)
    }

    /// Records and arrays are equal if all slots are, undefined ones included, as in Rumur.
    pub(super) fn equal(
        &mut self,
        unit: &mut Unit<'m>,
        left: &'m ModelExpression,
        right: &'m ModelExpression,
        span: Span,
    ) -> Expression {
        self.link(left.ty, right.ty);
        if self.layout.is_simple(left.ty) {
            let (left, right) = (self.compared_value(unit, left), self.compared_value(unit, right));
            return Expression::Binary(instance::Binary::Equal, Box::new(left), Box::new(right), span);
        }
        if let Some(code) = self.equal_lists(unit, left, right, span) {
            return code;
        }
        let length = self.layout.size(left.ty);
        let mut before = Vec::new();
        let left = self.block(unit, left, &mut before);
        let right = self.block(unit, right, &mut before);
        sequence(before, Expression::SameBlock(left, right, length))
    }

    fn quantified(
        &mut self,
        unit: &mut Unit<'m>,
        quantifier: Quantifier,
        binder: &'m Binder,
        body: &'m ModelExpression,
        span: Span,
    ) -> Expression {
        let mut before = Vec::new();
        let range = Box::new(self.range(unit, &binder.domain, span, &mut before));
        let slot = unit.allocate(1);
        unit.place_at(binder.local, Storage::Frame(slot));
        let fold = match quantifier {
            Quantifier::Forall => Fold::Forall,
            Quantifier::Exists => Fold::Exists,
        };
        let body = Box::new(self.expression(unit, body));
        sequence(
            before,
            Expression::Fold {
                fold,
                slot,
                range,
                body,
            },
        )
    }

    fn multiset_count(
        &mut self,
        unit: &mut Unit<'m>,
        local: LocalId,
        multiset: &'m Designator,
        condition: &'m ModelExpression,
    ) -> Expression {
        let slot = unit.allocate(1);
        unit.place_at(local, Storage::Frame(slot));
        let (present, shape) = self.presence(unit, multiset, frame_value(slot));
        let condition = self.expression(unit, condition);
        Expression::Fold {
            fold: Fold::Count,
            slot,
            range: Box::new(super::loops::constant_range(0, shape.capacity as i64 - 1)),
            body: Box::new(and_then(present, condition)),
        }
    }

    /// A block of slots with the value of a record or array; `before` receives the statements that fill it.
    pub(super) fn block(
        &mut self,
        unit: &mut Unit<'m>,
        node: &'m ModelExpression,
        before: &mut Vec<Statement>,
    ) -> Place {
        match &node.kind {
            ExpressionKind::Read(designator) => self.place(unit, designator),
            ExpressionKind::Call { subprogram, arguments } => {
                let slot = self.allocate_value(unit, node.ty, node.span);
                let place = frame_place(slot, node.span);
                self.call_into(unit, *subprogram, arguments, place.clone(), node.span, before);
                place
            }
            ExpressionKind::If(condition, then, otherwise) => {
                self.link(then.ty, otherwise.ty);
                let slot = unit.allocate(1);
                let condition = self.expression(unit, condition);
                let branch = |compiler: &mut Self, unit: &mut Unit<'m>, node| {
                    let mut code = Vec::new();
                    let place = compiler.block(unit, node, &mut code);
                    code.push(set_frame(slot, Expression::Address(place)));
                    code
                };
                let then = branch(self, unit, then);
                let otherwise = branch(self, unit, otherwise);
                before.push(Statement::If {
                    condition,
                    then,
                    otherwise,
                });
                reference_place(slot, node.span)
            }
            ExpressionKind::Convert(inner) => self.block(unit, inner, before),
            ExpressionKind::EmptyList
            | ExpressionKind::Head(_)
            | ExpressionKind::Tail(_)
            | ExpressionKind::Append(..) => self.list_block(unit, node, before),
            // Reachable only in a model with errors.
            _ => frame_place(0, node.span),
        }
    }

    /// Calls a function with a simple result.
    fn call(
        &mut self,
        unit: &mut Unit<'m>,
        subprogram: SubprogramId,
        arguments: &'m [ModelArgument],
        span: Span,
    ) -> Expression {
        let mut before = Vec::new();
        let arguments = self.arguments(unit, subprogram, arguments, &mut before);
        sequence(before, Expression::Call(subprogram.0, arguments, span))
    }

    /// Calls a function with a record or array result, which it stores in `out`.
    pub(super) fn call_into(
        &mut self,
        unit: &mut Unit<'m>,
        subprogram: SubprogramId,
        arguments: &'m [ModelArgument],
        out: Place,
        span: Span,
        before: &mut Vec<Statement>,
    ) {
        let mut arguments = self.arguments(unit, subprogram, arguments, before);
        arguments.push(Argument::Value(Expression::Address(out)));
        before.push(Statement::Call {
            function: subprogram.0,
            arguments,
            span,
        });
    }

    pub(super) fn arguments(
        &mut self,
        unit: &mut Unit<'m>,
        subprogram: SubprogramId,
        arguments: &'m [ModelArgument],
        before: &mut Vec<Statement>,
    ) -> Vec<Argument> {
        let callee = &self.model.subprograms[subprogram.0];
        let parameters = callee.parameters.iter().map(|local| callee.locals[local.0].ty);
        let mut code = Vec::with_capacity(arguments.len() + 1);
        for (argument, ty) in arguments.iter().zip(parameters) {
            code.push(match argument {
                ModelArgument::Reference(designator) => {
                    self.link(designator.ty, ty);
                    Argument::Value(Expression::Address(self.place(unit, designator)))
                }
                ModelArgument::Value(value) if self.layout.is_simple(ty) => {
                    Argument::Value(self.argument_value(unit, value, ty))
                }
                ModelArgument::Value(value) => {
                    self.link(value.ty, ty);
                    Argument::Block(self.block(unit, value, before), self.layout.size(ty))
                }
            });
        }
        code
    }

    /// Rumur passes undefined variables silently, and only reading the parameter is an error. CMurphi does so as well,
    /// unless they are numbers of a different type than the parameter: those it converts, and thus reads.
    fn argument_value(&mut self, unit: &mut Unit<'m>, value: &'m ModelExpression, ty: TypeId) -> Expression {
        let is_variable = matches!(value.kind, ExpressionKind::Read(_));
        let is_passed = match self.cmurphi {
            false => is_variable,
            true => !self.is_number(ty) || (is_variable && value.ty == ty),
        };
        match is_passed {
            true => self.passed_value(unit, value, ty),
            false => self.value_within(unit, value, ty),
        }
    }

    /// CMurphi returns undefined values that are no numbers, and only reading the result is an error.
    fn may_return_undefined(&self, ty: TypeId) -> bool {
        self.cmurphi && !self.is_number(ty)
    }

    pub(super) fn is_number(&self, ty: TypeId) -> bool {
        matches!(self.model.kind(ty), TypeKind::Range { .. } | TypeKind::Integer)
    }

    /// The value of an expression, undefined if it is an undefined variable; with a run-time check that it is in the
    /// type.
    pub(super) fn passed_value(&mut self, unit: &mut Unit<'m>, value: &'m ModelExpression, ty: TypeId) -> Expression {
        match &value.kind {
            ExpressionKind::Call { subprogram, arguments } if self.may_return_undefined(value.ty) => {
                self.link(value.ty, ty);
                self.call(unit, *subprogram, arguments, value.span)
            }
            // Subscripts must not be evaluated twice.
            _ if contains_call(value) => self.value_within(unit, value, ty),
            ExpressionKind::Read(designator) if !self.needs_check(unit, value, ty) => {
                self.link(value.ty, ty);
                Expression::LoadRaw(self.place(unit, designator))
            }
            ExpressionKind::Read(designator) => self.unless_undefined(unit, designator, value, ty),
            ExpressionKind::Convert(inner) => match &inner.kind {
                ExpressionKind::Read(designator) => self.unless_undefined(unit, designator, value, ty),
                _ => self.value_within(unit, value, ty),
            },
            ExpressionKind::If(condition, then, otherwise) => {
                let condition = Box::new(self.expression(unit, condition));
                let then = Box::new(self.passed_value(unit, then, ty));
                Expression::If(condition, then, Box::new(self.passed_value(unit, otherwise, ty)))
            }
            _ => self.value_within(unit, value, ty),
        }
    }

    fn unless_undefined(
        &mut self,
        unit: &mut Unit<'m>,
        designator: &'m Designator,
        value: &'m ModelExpression,
        ty: TypeId,
    ) -> Expression {
        let place = self.place(unit, designator);
        let defined = self.value_within(unit, value, ty);
        Expression::If(
            Box::new(Expression::IsUndefined(place.clone(), 1)),
            Box::new(Expression::LoadRaw(place)),
            Box::new(defined),
        )
    }

    /// An operand of `=` or `!=`.
    fn compared_value(&mut self, unit: &mut Unit<'m>, value: &'m ModelExpression) -> Expression {
        let may_be_undefined = matches!(
            self.model.kind(value.ty),
            TypeKind::Scalarset { .. } | TypeKind::Union { .. }
        );
        match self.cmurphi && may_be_undefined {
            true => self.passed_value(unit, value, value.ty),
            false => self.expression(unit, value),
        }
    }

    /// The value of an expression, with a run-time check that it is in the type.
    pub(super) fn value_within(&mut self, unit: &mut Unit<'m>, value: &'m ModelExpression, ty: TypeId) -> Expression {
        self.link(value.ty, ty);
        let code = self.expression(unit, value);
        if !self.needs_check(unit, value, ty) {
            return code;
        }
        let bounds = self.layout.bounds(ty);
        Expression::InRange {
            value: Box::new(code),
            low: bounds.low,
            high: bounds.high,
            ty: None,
            span: value.span,
        }
    }

    /// Whether the value may be outside the type. Only numbers can be; a function does not check its result, so its
    /// type gives no bounds.
    pub(super) fn needs_check(&self, unit: &Unit<'m>, value: &ModelExpression, ty: TypeId) -> bool {
        match self.model.kind(ty) {
            TypeKind::Range { .. } => match self.static_bounds(unit, value) {
                Some(bounds) => !self.layout.bounds(ty).contains(bounds),
                None => true,
            },
            _ => false,
        }
    }

    /// Static bounds of a number.
    pub(super) fn static_bounds(&self, unit: &Unit<'m>, value: &ModelExpression) -> Option<Bounds> {
        let known = |low, high| Bounds {
            low,
            high,
            windowed: false,
        };
        match &value.kind {
            ExpressionKind::Literal(value) => Some(known(*value, *value)),
            ExpressionKind::Read(read) => match (read.root, self.model.kind(read.ty)) {
                // It may be the result of a function.
                (Root::Local(local), _) if unit.local(local).kind == LocalKind::AliasValue => None,
                (_, TypeKind::Range { low, high }) => Some(known(*low, *high)),
                _ => None,
            },
            ExpressionKind::Convert(inner) if matches!(self.model.kind(inner.ty), TypeKind::Union { .. }) => {
                self.number_bounds(inner.ty)
            }
            ExpressionKind::Convert(inner) => self.static_bounds(unit, inner),
            ExpressionKind::Binary(Binary::Add, left, right) => {
                let (left, right) = (self.static_bounds(unit, left)?, self.static_bounds(unit, right)?);
                Some(known(
                    left.low.checked_add(right.low)?,
                    left.high.checked_add(right.high)?,
                ))
            }
            ExpressionKind::Binary(Binary::Subtract, left, right) => {
                let (left, right) = (self.static_bounds(unit, left)?, self.static_bounds(unit, right)?);
                Some(known(
                    left.low.checked_sub(right.high)?,
                    left.high.checked_sub(right.low)?,
                ))
            }
            ExpressionKind::If(_, then, otherwise) => {
                let (then, otherwise) = (self.static_bounds(unit, then)?, self.static_bounds(unit, otherwise)?);
                Some(known(then.low.min(otherwise.low), then.high.max(otherwise.high)))
            }
            _ => None,
        }
    }

    /// The slot that holds an uninterpreted symbol's value for these arguments.
    fn application(
        &mut self,
        unit: &mut Unit<'m>,
        symbol: UninterpretedId,
        arguments: &'m [ModelExpression],
        span: Span,
    ) -> Place {
        let mut stride = self.layout.symbol_size(symbol);
        let mut subscripts = Vec::with_capacity(arguments.len());
        let parameters = &self.model.uninterpreted[symbol.0].parameters;
        for (argument, ty) in arguments.iter().zip(parameters) {
            self.link(argument.ty, *ty);
            let bounds = self.layout.bounds(*ty);
            stride /= usize::try_from(bounds.count()).unwrap_or(1).max(1);
            self.instance.windowed |= bounds.windowed;
            subscripts.push(Subscript {
                index: self.expression(unit, argument),
                low: bounds.low,
                high: bounds.high,
                stride,
                windowed: bounds.windowed,
            });
        }
        Place {
            base: Base::State(self.layout.symbol(symbol)),
            offset: 0,
            subscripts,
            span,
        }
    }
}

pub(super) fn negate(value: Expression) -> Expression {
    Expression::Unary(instance::Unary::Not, Box::new(value))
}

/// Conjunction that evaluates the second operand only if the first holds.
pub(super) fn and_then(first: Expression, second: Expression) -> Expression {
    Expression::Binary(
        instance::Binary::And,
        Box::new(first),
        Box::new(second),
        Span::default(),
    )
}
