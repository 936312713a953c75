//! Expressions: their types, conversions between unions and members made explicit, operations on literals folded.

use system::{Diagnostic, Span};

use super::constants::{SymbolicSize, fold_binary, written};
use super::designators::Resolved;
use super::{BOOLEAN, Checker, EMPTY_LIST, ERROR, INTEGER, Owner, ReadOnly};
use crate::model::{Binder, Domain, Expression, ExpressionKind, LocalKind, Quantifier, TypeId, TypeKind};
use crate::syntax::{self, Binary, Unary};

/// Who binds a name, and thus what its domain may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BinderUse {
    Quantifier,
    Loop,
    Ruleset,
}

impl Checker<'_> {
    pub(super) fn expression(&mut self, expression: &syntax::Expression) -> Expression {
        let span = expression.span;
        match &expression.kind {
            syntax::ExpressionKind::Number(number) => self.literal(*number, INTEGER, span),
            syntax::ExpressionKind::Boolean(value) => self.literal(i64::from(*value), BOOLEAN, span),
            syntax::ExpressionKind::Name(_)
            | syntax::ExpressionKind::Field(..)
            | syntax::ExpressionKind::Index(..) => match self.resolve(expression) {
                Resolved::Place(place) => Expression {
                    ty: place.ty,
                    kind: ExpressionKind::Read(place),
                    span,
                },
                Resolved::Value(value) => value,
                Resolved::Wrong => self.wrong(ERROR, span),
            },
            syntax::ExpressionKind::Call { name, arguments } => self.call_expression(name, arguments, span),
            syntax::ExpressionKind::Unary(operator, operand) => self.unary(*operator, operand, span),
            syntax::ExpressionKind::Binary(..) => self.binary_chain(expression),
            syntax::ExpressionKind::If(condition, then, otherwise) => self.choice(condition, then, otherwise, span),
            syntax::ExpressionKind::Quantified {
                quantifier,
                binder,
                body,
            } => self.quantified(*quantifier, binder, body, span),
            syntax::ExpressionKind::IsUndefined(operand) => self.is_undefined(operand, span),
            syntax::ExpressionKind::IsMember(operand, member) => self.is_member(operand, member, span),
            syntax::ExpressionKind::MultisetCount {
                name,
                multiset,
                condition,
            } => self.multiset_count(name, multiset, condition, span),
            syntax::ExpressionKind::EmptyList => Expression {
                kind: ExpressionKind::EmptyList,
                ty: EMPTY_LIST,
                span,
            },
            syntax::ExpressionKind::Undefined => {
                self.report(
                    Diagnostic::error(span, "`undefined` is not a value")
                        .label("it can only be assigned or be an argument")
                        .help("ask by `isundefined(...)`"),
                );
                self.wrong(ERROR, span)
            }
            syntax::ExpressionKind::Error => self.wrong(ERROR, span),
        }
    }

    /// An expression that must be true or false; `what` says what it is, as in "the guard of a rule".
    pub(super) fn condition(&mut self, expression: &syntax::Expression, what: &str) -> Expression {
        let value = self.expression(expression);
        match self.model.kind(value.ty) {
            TypeKind::Boolean => value,
            _ if self.is_wrong(&value) => self.wrong(BOOLEAN, value.span),
            _ => {
                let found = self.describe(value.ty);
                self.report(
                    Diagnostic::error(value.span, format!("{what} must be true or false"))
                        .label(format!("this is {found}")),
                );
                self.wrong(BOOLEAN, value.span)
            }
        }
    }

    /// An expression that must have (or convert to) a type; `what` says what for, as in "the index of `a`".
    pub(super) fn expression_of(&mut self, expression: &syntax::Expression, ty: TypeId, what: &str) -> Expression {
        let value = self.expression(expression);
        self.coerce_or_report(value, ty, what)
    }

    pub(super) fn coerce_or_report(&mut self, value: Expression, ty: TypeId, what: &str) -> Expression {
        let span = value.span;
        if self.is_wrong(&value) {
            return self.wrong(ty, span);
        }
        match self.convert(value, ty) {
            Ok(value) => {
                self.warn_out_of_range(&value, ty, what);
                self.warn_mixed_scalarsets(value.ty, ty, span);
                value
            }
            Err(value) => {
                let (expected, found) = (self.describe(ty), self.describe(value.ty));
                self.report(
                    Diagnostic::error(span, format!("{what} must be {expected}")).label(format!("this is {found}")),
                );
                self.wrong(ty, span)
            }
        }
    }

    /// The value with the given type, where that is possible: numbers go to numbers, members to unions and back. A
    /// literal (also in the branches of a choice) takes the type of its place.
    pub(super) fn convert(&self, mut value: Expression, ty: TypeId) -> Result<Expression, Expression> {
        if value.ty == ty || self.is_error(ty) {
            return Ok(value);
        }
        if self.is_number(value.ty) && self.is_number(ty) {
            self.retype_literals(&mut value, ty);
            return Ok(value);
        }
        if value.ty == EMPTY_LIST || matches!(value.kind, ExpressionKind::EmptyList) {
            return self.convert_empty_list(value, ty);
        }
        if self.member_of(ty, value.ty).is_some() || self.member_of(value.ty, ty).is_some() {
            let span = value.span;
            return Ok(Expression {
                kind: ExpressionKind::Convert(Box::new(value)),
                ty,
                span,
            });
        }
        if self.same_type(value.ty, ty) { Ok(value) } else { Err(value) }
    }

    fn retype_literals(&self, value: &mut Expression, ty: TypeId) {
        let TypeKind::Range { low, high } = self.model.kind(ty) else {
            return;
        };
        match &mut value.kind {
            // Only a literal without a type of its own (the constants of enumerations never come here).
            ExpressionKind::Literal(number) if value.ty == INTEGER && (*low..=*high).contains(number) => value.ty = ty,
            ExpressionKind::If(_, then, otherwise) if value.ty == INTEGER => {
                self.retype_literals(then, ty);
                self.retype_literals(otherwise, ty);
                if then.ty == ty && otherwise.ty == ty {
                    value.ty = ty;
                }
            }
            _ => {}
        }
    }

    fn convert_empty_list(&self, mut value: Expression, ty: TypeId) -> Result<Expression, Expression> {
        let TypeKind::List { element } = self.model.kind(ty) else {
            return Err(value);
        };
        match value.kind {
            ExpressionKind::Append(list, last) => {
                let span = value.span;
                let rebuild = |list, last, ty| Expression {
                    kind: ExpressionKind::Append(Box::new(list), Box::new(last)),
                    ty,
                    span,
                };
                let list = self.convert(*list, ty);
                let last = self.convert(*last, *element);
                match (list, last) {
                    (Ok(list), Ok(last)) => Ok(rebuild(list, last, ty)),
                    (Ok(list) | Err(list), Ok(last) | Err(last)) => Err(rebuild(list, last, EMPTY_LIST)),
                }
            }
            ExpressionKind::If(condition, then, otherwise) => {
                let (then, otherwise) = (self.convert(*then, ty)?, self.convert(*otherwise, ty)?);
                Ok(Expression {
                    kind: ExpressionKind::If(condition, Box::new(then), Box::new(otherwise)),
                    ty,
                    span: value.span,
                })
            }
            _ => {
                value.ty = ty;
                Ok(value)
            }
        }
    }

    /// A literal that its place cannot hold: never right, but no matter of types. Not said where the range depends on
    /// a constant, since the size of an instance may then be the reason.
    fn warn_out_of_range(&mut self, value: &Expression, ty: TypeId, what: &str) {
        let (ExpressionKind::Literal(number), TypeKind::Range { low, high }) = (&value.kind, self.model.kind(ty)) else {
            return;
        };
        if (*low..=*high).contains(number) || self.depends_on_constant(ty) {
            return;
        }
        let message = format!("{what} is always out of range");
        let label = format!("{number} is not in {low}..{high}");
        self.report(Diagnostic::warning(value.span, message).label(label));
    }

    pub(super) fn depends_on_constant(&self, ty: TypeId) -> bool {
        self.sizes.get(&ty).is_some_and(|size| !size.mentions.is_empty())
    }

    fn unary(&mut self, operator: Unary, operand: &syntax::Expression, span: Span) -> Expression {
        if operator == Unary::Not {
            let operand = self.condition(operand, "the operand of `!`");
            if let ExpressionKind::Literal(value) = operand.kind {
                return self.literal(i64::from(value == 0), BOOLEAN, span);
            }
            return Expression {
                kind: ExpressionKind::Unary(operator, Box::new(operand)),
                ty: BOOLEAN,
                span,
            };
        }
        let operand = self.expression(operand);
        let symbol = match operator {
            Unary::Negate => "-",
            Unary::Plus => "+",
            _ => "~",
        };
        if !self.require_number(&operand, symbol) {
            return self.wrong(INTEGER, span);
        }
        if let ExpressionKind::Literal(value) = operand.kind {
            let folded = match operator {
                Unary::Negate => value.checked_neg(),
                Unary::Plus => Some(value),
                _ => Some(!value),
            };
            match folded {
                Some(folded) => return self.literal(folded, INTEGER, span),
                None if self.cannot_compute("this number is too large", span) => return self.wrong(INTEGER, span),
                None => {}
            }
        }
        if operator == Unary::Plus {
            return operand;
        }
        Expression {
            kind: ExpressionKind::Unary(operator, Box::new(operand)),
            ty: INTEGER,
            span,
        }
    }

    /// Whether it is a number; reported where it is not, unless something was wrong with it already.
    fn require_number(&mut self, operand: &Expression, symbol: &str) -> bool {
        if self.is_wrong(operand) {
            return false;
        }
        if !self.is_number(operand.ty) {
            let found = self.describe(operand.ty);
            let mut diagnostic = Diagnostic::error(operand.span, format!("`{symbol}` works on numbers only"))
                .label(format!("this is {found}"));
            if matches!(self.model.kind(operand.ty), TypeKind::Scalarset { .. }) {
                diagnostic = diagnostic.help("the elements of a scalarset can only be compared by `=` and `!=`");
            }
            self.report(diagnostic);
            return false;
        }
        true
    }

    /// Operators associate to the left, so that a long conjunction is deep on its left: walked without recursion.
    fn binary_chain(&mut self, expression: &syntax::Expression) -> Expression {
        let mut chain = Vec::new();
        let mut first = expression;
        while let syntax::ExpressionKind::Binary(operator, left, right) = &first.kind {
            chain.push((*operator, right, first.span));
            first = left;
        }
        let mut value = self.expression(first);
        for (operator, right, span) in chain.into_iter().rev() {
            let right = self.expression(right);
            value = self.binary(operator, value, right, span);
        }
        value
    }

    fn binary(&mut self, written: Binary, left: Expression, right: Expression, span: Span) -> Expression {
        let operator = self.resolve_operator(written, &left, &right);
        if matches!(operator, Binary::Equal | Binary::NotEqual) {
            return self.equality(operator, left, right, span);
        }
        let logical = matches!(operator, Binary::Implies | Binary::Or | Binary::And);
        let ordering = matches!(
            operator,
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual
        );
        let ty = if logical || ordering { BOOLEAN } else { INTEGER };
        if self.is_wrong(&left) || self.is_wrong(&right) {
            return self.wrong(ty, span);
        }
        let fits = |checker: &Checker, operand: &Expression| match logical {
            true => matches!(checker.model.kind(operand.ty), TypeKind::Boolean),
            false => checker.is_number(operand.ty),
        };
        // One message for both operands.
        let Some(misfit) = [&left, &right].into_iter().find(|operand| !fits(self, operand)) else {
            return self.fold(operator, left, right, ty, span);
        };
        if matches!(written, Binary::BitAnd | Binary::BitOr) && (fits(self, &left) || fits(self, &right)) {
            let (first, second) = (self.describe(left.ty), self.describe(right.ty));
            self.report(
                Diagnostic::error(
                    right.span,
                    format!("the operands of `{}` must be both booleans or both numbers", symbol(written)),
                )
                .label(format!("this is {second}"))
                .related(left.span, format!("this is {first}")),
            );
        } else if logical {
            let found = self.describe(misfit.ty);
            let message = format!("the operands of `{}` must be true or false", symbol(written));
            self.report(Diagnostic::error(misfit.span, message).label(format!("this is {found}")));
        } else {
            self.require_number(misfit, symbol(written));
        }
        self.wrong(ty, span)
    }

    fn fold(&mut self, operator: Binary, left: Expression, right: Expression, ty: TypeId, span: Span) -> Expression {
        let problem = match (operator, &left.kind, &right.kind) {
            (Binary::Divide | Binary::Modulo, _, ExpressionKind::Literal(0)) => Some("division by zero"),
            (_, ExpressionKind::Literal(first), ExpressionKind::Literal(second)) => {
                match fold_binary(operator, *first, *second) {
                    Some(value) => return self.literal(value, ty, span),
                    None => Some("this number is too large"),
                }
            }
            _ => None,
        };
        if let Some(problem) = problem
            && self.cannot_compute(problem, span)
        {
            return self.wrong(ty, span);
        }
        Expression {
            kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
            ty,
            span,
        }
    }

    /// Reports what has no value: as an error (and true) in declarations, as a warning elsewhere, where it is wrong
    /// only if the model ever comes there, as in Rumur.
    fn cannot_compute(&mut self, message: &str, span: Span) -> bool {
        let is_error = self.frame.owner == Owner::Declaration;
        self.report(if is_error {
            Diagnostic::error(span, message).label("cannot be computed")
        } else {
            Diagnostic::warning(span, message).label("an error where the model comes here")
        });
        is_error
    }

    /// `&` and `|` are logical on booleans and bitwise on numbers, as in Rumur.
    fn resolve_operator(&self, operator: Binary, left: &Expression, right: &Expression) -> Binary {
        let is = |kind: &TypeKind| {
            self.model.kind(left.ty) == kind || self.is_error(left.ty) && self.model.kind(right.ty) == kind
        };
        match operator {
            Binary::BitAnd if is(&TypeKind::Boolean) => Binary::And,
            Binary::BitOr if is(&TypeKind::Boolean) => Binary::Or,
            Binary::BitXor if is(&TypeKind::Boolean) => Binary::NotEqual,
            operator => operator,
        }
    }

    fn equality(&mut self, operator: Binary, left: Expression, right: Expression, span: Span) -> Expression {
        if self.is_wrong(&left) || self.is_wrong(&right) {
            return self.wrong(BOOLEAN, span);
        }
        match self.common_type(left, right) {
            Ok((left, right)) => {
                if left.ty == EMPTY_LIST && right.ty == EMPTY_LIST {
                    return self.unknown_element(span, BOOLEAN);
                }
                self.warn_disjoint(operator, &left, &right, span);
                self.warn_mixed_scalarsets(left.ty, right.ty, span);
                self.fold(operator, left, right, BOOLEAN, span)
            }
            Err((left, right)) => {
                let (first, second) = (self.describe(left.ty), self.describe(right.ty));
                self.report(
                    Diagnostic::error(span, format!("cannot compare {first} with {second}"))
                        .label("values of different types are never equal"),
                );
                self.wrong(BOOLEAN, span)
            }
        }
    }

    /// Both with a common type: a literal takes the type of the other, a member of a union becomes a union value.
    fn common_type(
        &self,
        left: Expression,
        right: Expression,
    ) -> Result<(Expression, Expression), (Expression, Expression)> {
        let is_union = |ty| matches!(self.model.kind(ty), TypeKind::Union { .. });
        let is_plain = |value: &Expression| value.ty == INTEGER || value.ty == EMPTY_LIST;
        if is_union(left.ty) || is_plain(&right) && !is_union(right.ty) {
            let ty = left.ty;
            match self.convert(right, ty) {
                Ok(right) => Ok((left, right)),
                Err(right) => Err((left, right)),
            }
        } else {
            let ty = right.ty;
            match self.convert(left, ty) {
                Ok(left) => Ok((left, right)),
                Err(left) => Err((left, right)),
            }
        }
    }

    /// A comparison of numbers that can never be equal. Not said where a constant decides.
    fn warn_disjoint(&mut self, operator: Binary, left: &Expression, right: &Expression, span: Span) {
        let bounds = |value: &Expression| match (&value.kind, self.model.kind(value.ty)) {
            (ExpressionKind::Literal(number), TypeKind::Integer) => Some((*number, *number)),
            (_, TypeKind::Range { low, high }) if !self.depends_on_constant(value.ty) => Some((*low, *high)),
            _ => None,
        };
        let is_literal = |value: &Expression| matches!(value.kind, ExpressionKind::Literal(_));
        let (Some(first), Some(second)) = (bounds(left), bounds(right)) else {
            return;
        };
        if is_literal(left) && is_literal(right) || first.0 <= second.1 && second.0 <= first.1 {
            return;
        }
        let answer = if operator == Binary::Equal { "false" } else { "true" };
        let show = |(low, high): (i64, i64)| {
            if low == high { low.to_string() } else { format!("{low}..{high}") }
        };
        let label = format!("{} and {} have no value in common", show(first), show(second));
        self.report(Diagnostic::warning(span, format!("this comparison is always {answer}")).label(label));
    }

    /// Rumur lets scalarsets of the same size mix; it is hardly ever meant.
    pub(super) fn warn_mixed_scalarsets(&mut self, left: TypeId, right: TypeId, span: Span) {
        if left != right
            && matches!(self.model.kind(left), TypeKind::Scalarset { .. })
            && matches!(self.model.kind(right), TypeKind::Scalarset { .. })
        {
            let message = format!("`{}` and `{}` are different scalarsets", self.short(left), self.short(right));
            self.report(Diagnostic::warning(span, message).label("mixed because they have the same size"));
        }
    }

    fn choice(
        &mut self,
        condition: &syntax::Expression,
        then: &syntax::Expression,
        otherwise: &syntax::Expression,
        span: Span,
    ) -> Expression {
        let condition = self.condition(condition, "the condition of `?`");
        let then = self.expression(then);
        let otherwise = self.expression(otherwise);
        if self.is_wrong(&then) || self.is_wrong(&otherwise) {
            return self.wrong(ERROR, span);
        }
        let (then, otherwise) = match self.common_type(then, otherwise) {
            Ok(branches) => branches,
            Err((then, otherwise)) => {
                let (first, second) = (self.describe(then.ty), self.describe(otherwise.ty));
                self.report(
                    Diagnostic::error(otherwise.span, "both values of `?` must have the same type")
                        .label(format!("this is {second}"))
                        .related(then.span, format!("this is {first}")),
                );
                return self.wrong(ERROR, span);
            }
        };
        let ty = if then.ty == otherwise.ty || !self.is_number(then.ty) || self.same_type(then.ty, otherwise.ty) {
            then.ty
        } else {
            INTEGER
        };
        match condition.kind {
            ExpressionKind::Literal(0) if matches!(otherwise.kind, ExpressionKind::Literal(_)) => otherwise,
            ExpressionKind::Literal(1) if matches!(then.kind, ExpressionKind::Literal(_)) => then,
            _ => Expression {
                kind: ExpressionKind::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
                ty,
                span,
            },
        }
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        binder: &syntax::Binder,
        body: &syntax::Expression,
        span: Span,
    ) -> Expression {
        self.scopes.push(Default::default());
        let binder = self.binder(binder, BinderUse::Quantifier);
        let body = self.condition(body, "the body of a quantifier");
        self.scopes.pop();
        Expression {
            kind: ExpressionKind::Quantified {
                quantifier,
                binder: Box::new(binder),
                body: Box::new(body),
            },
            ty: BOOLEAN,
            span,
        }
    }

    /// Declares the bound name in the innermost scope.
    pub(super) fn binder(&mut self, binder: &syntax::Binder, usage: BinderUse) -> Binder {
        let (domain, ty) = match &binder.domain {
            syntax::BinderDomain::Type(definition) => {
                let mut ty = self.type_expression(definition);
                let complaint = match self.model.kind(ty) {
                    TypeKind::Integer if usage == BinderUse::Loop => Some("all integers are too many for a loop"),
                    _ if !self.is_simple(ty) => Some("only simple types can be gone through"),
                    _ => None,
                };
                if let Some(complaint) = complaint {
                    let found = self.short(ty);
                    self.report(
                        Diagnostic::error(
                            definition.span,
                            format!("`{}` cannot range over `{found}`", binder.name.text),
                        )
                        .label(complaint),
                    );
                    ty = ERROR;
                }
                (Domain::Type(ty), ty)
            }
            syntax::BinderDomain::Range { low, high, step } => {
                self.range_domain(low, high, step.as_ref(), usage)
            }
        };
        let read_only = match usage {
            BinderUse::Quantifier => ReadOnly::Bound,
            BinderUse::Loop | BinderUse::Ruleset => ReadOnly::Loop,
        };
        let local = self.declare_local(&binder.name, ty, LocalKind::Bound, Some(read_only));
        Binder { local, domain }
    }

    /// `low to high by step`. Constant bounds in order and in steps of one are the same as a range type, and are made
    /// one, so that the parametric analysis and the engines see one thing.
    fn range_domain(
        &mut self,
        low: &syntax::Expression,
        high: &syntax::Expression,
        step: Option<&syntax::Expression>,
        usage: BinderUse,
    ) -> (Domain, TypeId) {
        let before = self.constant_uses.len();
        let first = self.expression_of(low, INTEGER, "the first value");
        let last = self.expression_of(high, INTEGER, "the last value");
        let mentions = self.constant_uses.split_off(before);
        let step = step.map(|step| self.expression_of(step, INTEGER, "the step"));
        if let Some(Expression {
            kind: ExpressionKind::Literal(0),
            span,
            ..
        }) = &step
        {
            let span = *span;
            self.report(Diagnostic::error(span, "the step must not be 0").label("this would never end"));
        }
        let unit = step.as_ref().is_none_or(|step| matches!(step.kind, ExpressionKind::Literal(1)));
        if let (ExpressionKind::Literal(from), ExpressionKind::Literal(to)) = (&first.kind, &last.kind) {
            let (from, to) = (*from, *to);
            if unit && from <= to {
                let ty = self.bounds_type(from, to, low.span.to(high.span));
                let size = SymbolicSize {
                    low: self.linear(low),
                    high: self.linear(high),
                    mentions,
                    text: format!("{}..{}", written(low), written(high)),
                };
                self.sizes.insert(ty, size);
                return (Domain::Type(ty), ty);
            }
            self.constant_uses.extend(mentions);
            let ty = self.bounds_type(from.min(to), from.max(to), low.span.to(high.span));
            let domain = Domain::Range {
                low: first,
                high: last,
                step,
            };
            return (domain, ty);
        }
        self.constant_uses.extend(mentions);
        if usage == BinderUse::Ruleset
            && let Some(unknown) = [&first, &last]
                .into_iter()
                .find(|bound| !matches!(bound.kind, ExpressionKind::Literal(_) | ExpressionKind::Error))
        {
            let span = unknown.span;
            self.report(
                Diagnostic::error(span, "the bounds of a ruleset must be constant")
                    .label("this is known only when the model runs"),
            );
        }
        let domain = Domain::Range {
            low: first,
            high: last,
            step,
        };
        (domain, INTEGER)
    }

    fn bounds_type(&mut self, low: i64, high: i64, span: Span) -> TypeId {
        self.add_type(TypeKind::Range { low, high }, span)
    }
}

/// How an operator is written.
pub(super) fn symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::Implies => "->",
        Binary::Or => "||",
        Binary::And => "&&",
        Binary::BitOr => "|",
        Binary::BitAnd => "&",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "=",
        Binary::NotEqual => "!=",
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Modulo => "%",
        Binary::BitXor => "^",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
    }
}
