//! Type checking of expressions: makes conversions between unions and members explicit, and folds operations on
//! literals.

use system::instance::UNDEFINED;
use system::{Diagnostic, Span};

use super::constants::{SymbolicSize, fold_binary, written};
use super::designators::Resolved;
use super::{BOOLEAN, Checker, EMPTY_LIST, ERROR, INTEGER, Owner, ReadOnly};
use crate::model::{Binder, Domain, Expression, ExpressionKind, LocalKind, Quantifier, TypeId, TypeKind};
use crate::syntax::{self, Binary, Unary};

/// The construct that binds a name, which restricts its domain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BinderUse {
    Quantifier,
    Loop,
    Ruleset,
}

impl Checker {
    pub(super) fn expression(&mut self, expression: &syntax::Expression) -> Expression {
        let span = expression.span;
        match &expression.kind {
            // This literal is the marker of undefined slots.
            syntax::ExpressionKind::Number(UNDEFINED) => {
                let least = i64::MIN + 1;
                let label = format!("numbers begin at {least}");
                self.report(Diagnostic::error(span, "this number is too small").label(label));
                self.wrong(INTEGER, span)
            }
            syntax::ExpressionKind::Number(number) => self.literal(*number, INTEGER, span),
            syntax::ExpressionKind::Boolean(value) => self.literal(i64::from(*value), BOOLEAN, span),
            syntax::ExpressionKind::Name(_) | syntax::ExpressionKind::Field(..) | syntax::ExpressionKind::Index(..) => {
                match self.resolve(expression) {
                    Resolved::Place(place) => Expression {
                        ty: place.ty,
                        kind: ExpressionKind::Read(place),
                        span,
                    },
                    Resolved::Value(value) => value,
                    Resolved::Wrong => self.wrong(ERROR, span),
                }
            }
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

    /// Checks a Boolean expression; `what` describes it, as in "the guard of a rule".
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

    /// Checks an expression of the given type or convertible to it; `what` describes its use, as in "the index of `a`".
    pub(super) fn expression_of(&mut self, expression: &syntax::Expression, ty: TypeId, what: &str) -> Expression {
        let value = self.expression(expression);
        self.coerce_or_report(value, ty, what)
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
            match folded.filter(|value| *value != UNDEFINED) {
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

    /// Reports a non-number, unless an error was reported for it already.
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

    /// Operators associate to the left, so a long conjunction is deep on its left: traversed without recursion.
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
                    format!(
                        "the operands of `{}` must be both booleans or both numbers",
                        symbol(written)
                    ),
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

    /// Reports an operation without a value: as an error (and returns true) in declarations, as a warning elsewhere,
    /// where it only matters if the model ever evaluates it, as in Rumur.
    fn cannot_compute(&mut self, message: &str, span: Span) -> bool {
        let is_error = self.frame.owner == Owner::Declaration;
        self.report(if is_error {
            Diagnostic::error(span, message).label("cannot be computed")
        } else {
            Diagnostic::warning(span, message).label("an error where the model comes here")
        });
        is_error
    }

    /// `&` and `|` are logical on Booleans and bitwise on numbers, as in Rumur.
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
        let (left, right, fits) = self.common_type(left, right);
        if !fits {
            let (first, second) = (self.describe(left.ty), self.describe(right.ty));
            self.report(
                Diagnostic::error(span, format!("cannot compare {first} with {second}"))
                    .label("values of different types are never equal"),
            );
            return self.wrong(BOOLEAN, span);
        }
        if left.ty == EMPTY_LIST && right.ty == EMPTY_LIST {
            return self.unknown_element(span, BOOLEAN);
        }
        if self.has_multiset(left.ty) {
            let found = self.describe(left.ty);
            let help = "compare what `multisetcount` counts";
            self.report(
                Diagnostic::error(span, "multisets cannot be compared")
                    .label(format!("both sides are {found}"))
                    .help(help),
            );
            return self.wrong(BOOLEAN, span);
        }
        self.warn_disjoint(operator, &left, &right, span);
        self.warn_mixed_scalarsets(left.ty, right.ty, span);
        self.fold(operator, left, right, BOOLEAN, span)
    }

    fn has_multiset(&self, ty: TypeId) -> bool {
        match self.model.kind(ty) {
            TypeKind::Multiset { .. } => true,
            TypeKind::Record { fields } => fields.iter().any(|field| self.has_multiset(field.ty)),
            TypeKind::Array { element, .. } | TypeKind::List { element } => self.has_multiset(*element),
            _ => false,
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
        let (then, otherwise, fits) = self.common_type(then, otherwise);
        if !fits {
            let (first, second) = (self.describe(then.ty), self.describe(otherwise.ty));
            self.report(
                Diagnostic::error(otherwise.span, "both values of `?` must have the same type")
                    .label(format!("this is {second}"))
                    .related(then.span, format!("this is {first}")),
            );
            return self.wrong(ERROR, span);
        }
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
            syntax::BinderDomain::Range { low, high, step } => self.range_domain(low, high, step.as_ref(), usage),
        };
        let read_only = match usage {
            BinderUse::Quantifier => ReadOnly::Bound,
            BinderUse::Loop | BinderUse::Ruleset => ReadOnly::Loop,
        };
        let local = self.declare_local(&binder.name, ty, LocalKind::Bound, Some(read_only));
        Binder { local, domain }
    }

    /// `low to high by step`. Constant ascending bounds with step one are normalised to a range type, so that the
    /// parametricity analysis and the engines handle one form.
    fn range_domain(
        &mut self,
        low: &syntax::Expression,
        high: &syntax::Expression,
        step: Option<&syntax::Expression>,
        usage: BinderUse,
    ) -> (Domain, TypeId) {
        let before = self.constant_uses.len();
        let (first, last) = (self.expression(low), self.expression(high));
        let elements = self
            .range_of_elements(&first, &last)
            .filter(|_| usage != BinderUse::Ruleset);
        let number = elements.unwrap_or(INTEGER);
        let first = self.coerce_or_report(first, number, "the first value");
        let last = self.coerce_or_report(last, number, "the last value");
        let mentions = self.constant_uses.split_off(before);
        let step = step.map(|step| self.expression_of(step, INTEGER, "the step"));
        let step_value = step.as_ref().map(|step| step.kind.clone());
        if let (Some(step), Some(ExpressionKind::Literal(0))) = (&step, &step_value) {
            self.report(Diagnostic::error(step.span, "the step must not be 0").label("this would never end"));
        }
        let span = low.span.to(high.span);
        let ty = match (&first.kind, &last.kind, step_value) {
            _ if elements.is_some() => number,
            (ExpressionKind::Literal(from), ExpressionKind::Literal(to), None | Some(ExpressionKind::Literal(1)))
                if from <= to =>
            {
                let range = TypeKind::Range { low: *from, high: *to };
                let ty = self.add_type(range, span);
                let size = SymbolicSize {
                    low: self.linear(low),
                    high: self.linear(high),
                    mentions,
                    text: format!("{}..{}", written(low), written(high)),
                };
                self.sizes.insert(ty, size);
                return (Domain::Type(ty), ty);
            }
            (ExpressionKind::Literal(from), ExpressionKind::Literal(to), _) => {
                let (low, high) = (*from.min(to), *from.max(to));
                self.add_type(TypeKind::Range { low, high }, span)
            }
            _ => INTEGER,
        };
        self.constant_uses.extend(mentions);
        if usage == BinderUse::Ruleset {
            self.require_constant_bounds([&first, &last]);
        }
        let (low, high) = (first, last);
        (Domain::Range { low, high, step }, ty)
    }

    /// The type of a range between elements: CMurphi iterates over enumerators and scalarsets like numbers.
    fn range_of_elements(&self, first: &Expression, last: &Expression) -> Option<TypeId> {
        (self.model.kind(first.ty).is_element() && self.same_type(first.ty, last.ty)).then_some(first.ty)
    }

    fn require_constant_bounds(&mut self, bounds: [&Expression; 2]) {
        let is_open = |bound: &&Expression| !matches!(bound.kind, ExpressionKind::Literal(_) | ExpressionKind::Error);
        if let Some(open) = bounds.into_iter().find(is_open) {
            self.report(
                Diagnostic::error(open.span, "the bounds of a ruleset must be constant")
                    .label("this is known only when the model runs"),
            );
        }
    }
}

/// The source form of an operator.
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
