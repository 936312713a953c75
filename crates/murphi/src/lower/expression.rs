//! Symbolic evaluation of expressions.
//!
//! Evaluation may change the state (functions may have side effects) and adds assertions for possible errors, under the
//! condition that evaluation reaches them: the right operand of `a & b` is evaluated only if `a` holds.

use super::execute::{Binding, Executor, Place, PlaceRoot};
use super::meaning::{self, Meaning};
use super::shape::Role;
use crate::model::*;
use logic::{Kind, Sort, Term, Variable, term};
use std::collections::HashMap;
use system::Span;
use system::transition::AssertionKind;

/// Memoised bounds of terms.
type Seen = HashMap<Term, Option<(i64, i64)>>;

impl Executor<'_, '_> {
    /// The value of an expression of a type with one component.
    pub(crate) fn scalar(&mut self, expression: &Expression) -> Term {
        match self.evaluate(expression).first() {
            Some(lambda) => lambda.body,
            // Reachable only after a reported error.
            None => term::bool(true),
        }
    }

    /// The value in the given type: a literal may denote an element of a parametric type.
    pub(crate) fn evaluate_as(&mut self, expression: &Expression, ty: TypeId) -> Meaning {
        if expression.ty == ty {
            return self.evaluate(expression);
        }
        match &expression.kind {
            ExpressionKind::Literal(value) => match self.lowering.shapes.literal(ty, *value) {
                Some(literal) => vec![meaning::constant(literal)],
                None => self.evaluate(expression),
            },
            ExpressionKind::EmptyList => self.empty_list(ty),
            ExpressionKind::If(condition, then, otherwise) => {
                let condition = self.scalar(condition);
                let (then, otherwise) =
                    self.branch(condition, |e| e.evaluate_as(then, ty), |e| e.evaluate_as(otherwise, ty));
                meaning::choose(condition, &then, &otherwise)
            }
            ExpressionKind::Append(list, element) => self.append(list, element, ty),
            _ => self.evaluate(expression),
        }
    }

    pub(crate) fn evaluate(&mut self, expression: &Expression) -> Meaning {
        let span = expression.span;
        let one = |term| vec![meaning::constant(term)];
        match &expression.kind {
            ExpressionKind::Literal(value) => one(self
                .lowering
                .shapes
                .literal(expression.ty, *value)
                .unwrap_or_else(|| term::int((*value).into()))),
            ExpressionKind::EmptyList => self.empty_list(expression.ty),
            ExpressionKind::Read(_) | ExpressionKind::Call { .. } => {
                let (value, mark) = self.copied_value(expression, expression.ty);
                self.require_defined(mark, span);
                value
            }
            ExpressionKind::Convert(inner) => {
                let value = self.evaluate(inner);
                self.convert(value, inner, expression.ty, span)
            }
            ExpressionKind::Unary(operator, operand) => {
                let value = self.scalar(operand);
                one(match operator {
                    Unary::Not => term::not(value),
                    Unary::Negate => term::negate(value),
                    Unary::Plus => value,
                    // In two's complement.
                    Unary::BitNot => term::subtract(term::negate(value), term::int(1)),
                })
            }
            ExpressionKind::Binary(operator, left, right) => one(self.binary(*operator, left, right, span)),
            ExpressionKind::If(condition, then, otherwise) => {
                let condition = self.scalar(condition);
                let (then, otherwise) = self.branch(
                    condition,
                    |e| e.evaluate_as(then, expression.ty),
                    |e| e.evaluate_as(otherwise, expression.ty),
                );
                meaning::choose(condition, &then, &otherwise)
            }
            ExpressionKind::Quantified {
                quantifier,
                binder,
                body,
            } => one(self.quantified(*quantifier, binder, body, span)),
            ExpressionKind::Apply { symbol, arguments } => one(self.apply(*symbol, arguments)),
            ExpressionKind::IsUndefined(designator) => {
                let place = self.place(designator);
                one(term::not(self.read_marked(&place, designator.ty).1))
            }
            ExpressionKind::IsMember(value, member) => one(self.is_member(value, *member)),
            ExpressionKind::MultisetCount {
                local,
                multiset,
                condition,
            } => one(self.multiset_count(*local, multiset, condition)),
            ExpressionKind::Head(list) => {
                let parts = self.take_from(list, span, term::head);
                self.check_element(expression.ty, &parts, span);
                let (value, mark) = self.divided(expression.ty, parts);
                self.require_defined(mark, span);
                value
            }
            ExpressionKind::Tail(list) => self.take_from(list, span, term::tail),
            ExpressionKind::Append(list, element) => self.append(list, element, expression.ty),
            ExpressionKind::Length(list) => one(term::length(self.scalar(list))),
            ExpressionKind::Error => one(term::bool(true)),
        }
    }

    fn apply(&mut self, symbol: UninterpretedId, arguments: &[Expression]) -> Term {
        let parameters = &self.lowering.model.uninterpreted[symbol.0].parameters;
        let mut terms = Vec::new();
        for (argument, ty) in arguments.iter().zip(parameters) {
            let value = self.evaluate_as(argument, *ty);
            if let Some(scalar) = self.lowering.shapes.scalar(*ty) {
                self.check_bounds(argument, value[0].body, scalar.bounds, "the argument");
            }
            terms.extend(value.iter().map(|l| l.body));
        }
        self.lowering.uninterpreted[symbol.0].apply(terms)
    }

    // ---- operators ----

    fn binary(&mut self, operator: Binary, left: &Expression, right: &Expression, span: Span) -> Term {
        match operator {
            Binary::And | Binary::Or | Binary::Implies => {
                let a = self.scalar(left);
                let look = if operator == Binary::Or { term::not(a) } else { a };
                let (b, _) = self.branch(look, |e| e.scalar(right), |_| term::bool(true));
                return match operator {
                    Binary::And => term::and([a, b]),
                    Binary::Or => term::or([a, b]),
                    _ => term::implies(a, b),
                };
            }
            Binary::Equal | Binary::NotEqual => {
                let same = self.equal(left, right);
                return if operator == Binary::Equal {
                    same
                } else {
                    term::not(same)
                };
            }
            _ => {}
        }
        let a = self.scalar(left);
        let b = self.scalar(right);
        let less = |a: Term, b: Term| match a.sort() {
            Sort::Index(_) => self.lowering.shapes.less(a.sort()).apply([a, b]),
            _ => term::less(a, b),
        };
        let less_equal = |a: Term, b: Term| match a.sort() {
            Sort::Index(_) => term::not(less(b, a)),
            _ => term::less_equal(a, b),
        };
        match operator {
            Binary::Less => less(a, b),
            Binary::LessEqual => less_equal(a, b),
            Binary::Greater => less(b, a),
            Binary::GreaterEqual => less_equal(b, a),
            Binary::Add => term::add([a, b]),
            Binary::Subtract => term::subtract(a, b),
            Binary::Multiply => term::multiply(a, b),
            Binary::Divide | Binary::Modulo => self.division(operator, (left, a), (right, b), span),
            _ => self.bits(operator, (left, a), (right, b), span),
        }
    }

    /// A bit operation, as a table over all values of the operand types.
    fn bits(
        &mut self,
        operator: Binary,
        (left, a): (&Expression, Term),
        (right, b): (&Expression, Term),
        span: Span,
    ) -> Term {
        let size = |(low, high): (i64, i64)| high.checked_sub(low).is_some_and(|size| size < 64);
        let bounds = self
            .bounds(left)
            .filter(|b| size(*b))
            .zip(self.bounds(right).filter(|b| size(*b)));
        let Some((lefts, rights)) = bounds else {
            let help = "`cubist explore` runs it; for a proof use small subranges, arithmetic or arrays of Booleans";
            self.unsupported(
                span,
                "this bit operation cannot be lowered to a transition system",
                help,
            );
            return term::int(0);
        };
        let number = |v: i64| term::int(i128::from(v));
        let mut result = number(0);
        for x in (lefts.0..=lefts.1).rev() {
            let mut row = number(0);
            for y in (rights.0..=rights.1).rev() {
                row = term::ite(term::equal(b, number(y)), number(bit_operation(operator, x, y)), row);
            }
            result = term::ite(term::equal(a, number(x)), row, result);
        }
        result
    }

    /// Division truncates towards zero, as in C; SMT-LIB's agrees if nothing is negative.
    fn division(
        &mut self,
        operator: Binary,
        (left, a): (&Expression, Term),
        (right, b): (&Expression, Term),
        span: Span,
    ) -> Term {
        let zero = term::int(0);
        self.require(
            AssertionKind::Operation,
            term::distinct(b, zero),
            "division by zero",
            span,
        );
        let positive =
            self.bounds(left).is_some_and(|(low, _)| low >= 0) && self.bounds(right).is_some_and(|(low, _)| low >= 0);
        if positive {
            return if operator == Binary::Divide {
                term::divide(a, b)
            } else {
                term::modulo(a, b)
            };
        }
        match operator {
            Binary::Divide => logic::truncated_quotient(a, b),
            _ => logic::truncated_remainder(a, b),
        }
    }

    /// Asserts that a number is within bounds, unless its type implies it.
    pub(crate) fn check_bounds(
        &mut self,
        expression: &Expression,
        value: Term,
        bounds: Option<(i64, i64)>,
        what: &str,
    ) {
        let Some((low, high)) = bounds else { return };
        if self
            .bounds(expression)
            .is_some_and(|(least, greatest)| low <= least && greatest <= high)
        {
            return;
        }
        let within = super::within(value, (low, high));
        self.require(
            AssertionKind::Range,
            within,
            format!("{what} is not in {low}..{high}"),
            expression.span,
        );
    }

    /// The bounds of a number that follow from types alone.
    pub(crate) fn bounds(&self, expression: &Expression) -> Option<(i64, i64)> {
        match &expression.kind {
            ExpressionKind::Literal(value) => Some((*value, *value)),
            ExpressionKind::Binary(operator, left, right) => {
                let (a, b) = (self.bounds(left)?, self.bounds(right)?);
                match operator {
                    Binary::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
                    Binary::Subtract => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
                    Binary::Multiply if a.0 >= 0 && b.0 >= 0 => Some((a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?)),
                    Binary::Modulo if a.0 >= 0 && b.0 > 0 => Some((0, b.1 - 1)),
                    Binary::Divide | Binary::ShiftRight if a.0 >= 0 && b.0 > 0 => Some((0, a.1)),
                    Binary::BitAnd if a.0 >= 0 && b.0 >= 0 => Some((0, a.1.min(b.1))),
                    Binary::ShiftLeft if a.0 >= 0 && (0..32).contains(&b.0) && b.1 < 32 && a.1 < 1 << 31 => {
                        Some((a.0 << b.0, a.1 << b.1))
                    }
                    _ => None,
                }
            }
            ExpressionKind::If(_, then, otherwise) => {
                let (a, b) = (self.bounds(then)?, self.bounds(otherwise)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            ExpressionKind::Read(designator) => match self.aliased_value(designator) {
                Some(bounds) => bounds,
                None => self.lowering.shapes.scalar(expression.ty)?.bounds,
            },
            ExpressionKind::Convert(inner) => self.number_bounds(inner.ty).or_else(|| self.bounds(inner)),
            _ => None,
        }
    }

    /// The bounds of an alias of a numeric value. Function results are not checked against their types, as in Rumur, so
    /// the type implies no bounds. Everything else was checked when it was written.
    fn aliased_value(&self, designator: &Designator) -> Option<Option<(i64, i64)>> {
        let Root::Local(LocalId(local)) = designator.root else {
            return None;
        };
        let top = self.state.frames.len() - 1;
        let (frame, local, is_whole) = match self.state.frames[top].locals.get(local)? {
            Some(Binding::Place(Place {
                root: PlaceRoot::Local { frame, local },
                steps,
            })) => (*frame, *local, steps.is_empty()),
            Some(Binding::Place(_)) => return None,
            _ => (top, local, true),
        };
        if self.local_of(frame, local).kind != LocalKind::AliasValue {
            return None;
        }
        let bounds = self.state.frames[frame].bounds.get(local).copied().flatten();
        Some(bounds.filter(|_| is_whole && designator.selectors.is_empty()))
    }

    /// The bounds of a computed number that follow from the types of the variables.
    pub(crate) fn term_bounds(&self, number: Term) -> Option<(i64, i64)> {
        self.known_bounds(number, &mut HashMap::new())
    }

    /// Memoised, since terms share sub-terms.
    fn known_bounds(&self, number: Term, seen: &mut Seen) -> Option<(i64, i64)> {
        if let Some(known) = seen.get(&number) {
            return *known;
        }
        let mut sum = |(low, high): (i64, i64), operand: &Term| {
            let (least, most) = self.known_bounds(*operand, seen)?;
            Some((low.checked_add(least)?, high.checked_add(most)?))
        };
        let bounds = match number.kind() {
            Kind::Int(value) => i64::try_from(*value).ok().map(|value| (value, value)),
            Kind::Add(operands) => operands.iter().try_fold((0, 0), &mut sum),
            Kind::Apply(function, _) => self.lowering.bounds.borrow().get(function).copied(),
            Kind::Ite(_, then, otherwise) => {
                let sides = self.known_bounds(*then, seen).zip(self.known_bounds(*otherwise, seen));
                sides.map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)))
            }
            _ => None,
        };
        seen.insert(number, bounds);
        bounds
    }

    // ---- lists ----

    fn empty_list(&self, ty: TypeId) -> Meaning {
        let element = |sort| if let Sort::List(element) = sort { *element } else { sort };
        let components = self.components(ty);
        components
            .iter()
            .filter(|c| c.role == Role::Value)
            .map(|c| meaning::constant(term::empty_list(element(c.value.sort))))
            .collect()
    }

    /// A list of records and the record are read after both are evaluated, as everywhere.
    fn append(&mut self, list: &Expression, element: &Expression, ty: TypeId) -> Meaning {
        let (list, element) = match self.lowering.model.kind(ty) {
            TypeKind::List { element: element_type } if self.is_block(ty) => {
                let (list, element) = (self.block(list, ty), self.block(element, *element_type));
                (self.contents(&list, ty), self.contents(&element, *element_type))
            }
            TypeKind::List { element: element_type } => (
                self.evaluate_as(list, ty),
                self.read_as(element, *element_type, "the element"),
            ),
            _ => (self.evaluate_as(list, ty), self.evaluate(element)),
        };
        let parts = list.iter().zip(&element);
        parts
            .map(|(list, element)| meaning::constant(term::append(list.body, element.body)))
            .collect()
    }

    fn take_from(&mut self, list: &Expression, span: Span, take: fn(Term) -> Term) -> Meaning {
        let value = self.evaluate(list);
        if let Some(first) = value.first() {
            let filled = term::less(term::int(0), term::length(first.body));
            self.require(AssertionKind::Operation, filled, "the list is empty", span);
        }
        value.iter().map(|list| meaning::constant(take(list.body))).collect()
    }

    /// No fact states that the elements of a list are within their ranges, so each rule that takes a compound element
    /// must prove it. Numbers are checked at their destination.
    fn check_element(&mut self, ty: TypeId, parts: &Meaning, span: Span) {
        let shapes = &self.lowering.shapes;
        if shapes.scalar(ty).is_some() {
            return;
        }
        let Ok(components) = shapes.components(ty) else { return };
        for (component, part) in components.iter().zip(parts) {
            if let Some((low, high)) = component.value.bounds {
                let message = format!("`{}` of the element is not in {low}..{high}", component.suffix);
                self.require(
                    AssertionKind::Range,
                    super::within(part.body, (low, high)),
                    message,
                    span,
                );
            }
        }
    }

    /// The least value of a type, which `clear` assigns. If a parametric type has no least element, it is arbitrary.
    pub(crate) fn least(&mut self, ty: TypeId) -> Meaning {
        let model = self.lowering.model;
        let shapes = &self.lowering.shapes;
        let mut meaning = match model.kind(ty) {
            TypeKind::Record { fields } => {
                let types: Vec<TypeId> = fields.iter().map(|f| f.ty).collect();
                return types.into_iter().flat_map(|ty| self.least(ty)).collect();
            }
            TypeKind::List { .. } => self.empty_list(ty),
            TypeKind::Multiset { .. } => return self.arbitrary(ty, "cleared", false),
            TypeKind::Array { element, .. } => {
                let element = self.least(*element);
                return self.everywhere(ty, &element);
            }
            TypeKind::Union { members } => {
                let first = members.first().copied();
                let inner = first.and_then(|m| shapes.scalar(m)).map(|s| self.lowering.any_of(&s));
                self.injected(ty, 0, inner)
            }
            kind => {
                let low = if let TypeKind::Range { low, .. } = kind {
                    *low
                } else {
                    0
                };
                match shapes.literal(ty, low) {
                    Some(least) if has_least(model, ty, low) => vec![meaning::constant(least)],
                    _ => self.arbitrary(ty, "cleared", true).into_iter().take(1).collect(),
                }
            }
        };
        if shapes.tracked.contains(&ty) {
            meaning.push(meaning::constant(term::bool(true)));
        }
        meaning
    }

    /// The array with the same element everywhere.
    fn everywhere(&self, ty: TypeId, element: &[logic::Lambda]) -> Meaning {
        let mut array: Meaning = Vec::new();
        let mut elements = element.iter().cycle();
        for component in self.components(ty) {
            let parameters: Vec<Variable> = component
                .parameters
                .iter()
                .enumerate()
                .map(|(n, p)| meaning::parameter(n, p.sort))
                .collect();
            // The element's own indices come last.
            if let Some(element) = elements.next() {
                let outer = parameters.len() - element.parameters.len();
                let arguments: Vec<Term> = parameters[outer..].iter().map(|p| p.term()).collect();
                array.push(logic::Lambda {
                    body: element.apply(&arguments),
                    parameters,
                });
            }
        }
        array
    }
}

/// Whether a type has its least value at every size as well.
fn has_least(model: &Model, ty: TypeId, low: i64) -> bool {
    model.types[ty.0]
        .parametric
        .as_ref()
        .is_none_or(|parametric| parametric.literals.contains(&low))
}

/// 64-bit; a negative distance shifts in the opposite direction, and bits shifted out are lost.
fn bit_operation(operator: Binary, x: i64, y: i64) -> i64 {
    let left = |x: i64, distance: u64| if distance < 64 { x << distance } else { 0 };
    let right = |x: i64, distance: u64| if distance < 64 { x >> distance } else { 0 };
    match operator {
        Binary::BitAnd => x & y,
        Binary::BitOr => x | y,
        Binary::BitXor => x ^ y,
        Binary::ShiftLeft if y < 0 => right(x, y.unsigned_abs()),
        Binary::ShiftLeft => left(x, y.unsigned_abs()),
        Binary::ShiftRight if y < 0 => left(x, y.unsigned_abs()),
        _ => right(x, y.unsigned_abs()),
    }
}
