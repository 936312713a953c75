//! Specialisation of expressions.

use super::{BUDGET, INLINE_DEPTH, Specialiser, Written, malformed, narrow};
use crate::arithmetic;
use crate::code::{self, Cell};
use crate::fault::{Fault, FaultKind};
use crate::inspect;
use system::Span;
use system::instance::{
    Argument, Binary, Expression, Fold, Instance, Place, Procedure, Range, TypeId, UNDEFINED, Unary,
};

use code::Expression as Code;

/// An inlined call: code that prepares the frame, then the body.
pub(super) struct Inlined {
    pub(super) entry: Vec<code::Statement>,
    pub(super) body: Vec<code::Statement>,
    /// Whether there is no `Return` except as the last statement.
    pub(super) straight: bool,
}

impl Specialiser<'_> {
    pub(super) fn expression(&mut self, expression: &Expression) -> Code {
        self.size += 1;
        match expression {
            Expression::Constant(value) => Code::Constant(*value),
            Expression::Load(place) => self.load(place),
            Expression::LoadRaw(place) => self.load_raw(place),
            Expression::IsUndefined(place, length) => {
                let place = self.place(place);
                match self.known(&place).filter(|_| *length == 1) {
                    Some(value) => Code::Constant(i64::from(value == UNDEFINED)),
                    None => Code::IsUndefined(Box::new(place), narrow(*length)),
                }
            }
            Expression::Address(place) => {
                let place = self.place(place);
                self.expose(&place);
                match place {
                    code::Place::Fixed(address) => Code::Constant(i64::from(address)),
                    place => Code::Address(Box::new(place)),
                }
            }
            Expression::Unary(operator, a) => self.unary(*operator, a),
            Expression::Binary(Binary::And, a, b, _) => self.connective(a, b, true),
            Expression::Binary(Binary::Or, a, b, _) => self.connective(a, b, false),
            Expression::Binary(Binary::Implies, a, b, _) => {
                let left = self.expression(a);
                self.connective_after(not(left), b, false)
            }
            Expression::Binary(operator, a, b, span) => {
                let (a, b) = (self.expression(a), self.expression(b));
                binary(*operator, a, b, *span)
            }
            Expression::If(condition, a, b) => self.conditional(condition, a, b),
            Expression::Fold {
                fold,
                slot,
                range,
                body,
            } => self.fold(*fold, *slot, range, body),
            Expression::SameBlock(a, b, length) => {
                let places = (self.place(a), self.place(b));
                Code::SameBlock(Box::new(places), narrow(*length))
            }
            Expression::Call(function, arguments, span) => self.call(*function, arguments, *span),
            Expression::Sequence(statements, value) => {
                let statements = self.block(statements);
                let value = self.expression(value);
                if statements.is_empty() {
                    value
                } else {
                    Code::Sequence(Box::new((statements, value)))
                }
            }
            Expression::InRange {
                value,
                low,
                high,
                ty,
                span,
            } => {
                let value = self.expression(value);
                in_range(value, (*low, *high), *ty, *span, self.instance)
            }
            Expression::EmptyList => Code::Constant(crate::lists::EMPTY),
            Expression::Append(list, element) => {
                let parts = (self.expression(list), self.expression(element));
                Code::Append(Box::new(parts), Span::default())
            }
            Expression::Head(list, span) => Code::Head(Box::new(self.expression(list)), *span),
            Expression::Tail(list, span) => Code::Tail(Box::new(self.expression(list)), *span),
            Expression::Length(list) => Code::Length(Box::new(self.expression(list))),
        }
    }

    fn load(&mut self, place: &Place) -> Code {
        let span = place.span;
        let place = self.place(place);
        match self.known(&place) {
            Some(UNDEFINED) => Code::Fail(Box::new(Fault::new(
                FaultKind::UndefinedRead,
                span,
                "read of an undefined local variable",
            ))),
            Some(value) => Code::Constant(value),
            None => match place {
                code::Place::Fixed(slot) => Code::Slot(slot, span),
                place => Code::Load(Box::new(place), span),
            },
        }
    }

    fn load_raw(&mut self, place: &Place) -> Code {
        let place = self.place(place);
        match self.known(&place) {
            Some(value) => Code::Constant(value),
            None => match place {
                code::Place::Fixed(slot) => Code::RawSlot(slot),
                place => Code::LoadRaw(Box::new(place)),
            },
        }
    }

    fn unary(&mut self, operator: Unary, a: &Expression) -> Code {
        let a = self.expression(a);
        match (operator, a) {
            (Unary::Not, a) => not(a),
            (operator, Code::Constant(value)) => match arithmetic::unary(operator, value) {
                Ok(value) => Code::Constant(value),
                Err(kind) => Code::Fail(Box::new(Fault::arithmetic(kind, Span::default()))),
            },
            (operator, a) => Code::Unary(operator, Box::new(a), Span::default()),
        }
    }

    /// `And` for `unit` true, `Or` for false.
    fn connective(&mut self, a: &Expression, b: &Expression, unit: bool) -> Code {
        let left = self.expression(a);
        self.connective_after(left, b, unit)
    }

    fn connective_after(&mut self, left: Code, b: &Expression, unit: bool) -> Code {
        if let Code::Constant(value) = left {
            return if (value != 0) == unit {
                self.expression(b)
            } else {
                Code::Constant(i64::from(!unit))
            };
        }
        if inspect::is_pure(b) {
            let right = self.expression(b);
            return join(vec![left, right], unit);
        }
        // The right operand is evaluated conditionally.
        let without = self.knowledge.clone();
        let right = self.expression(b);
        self.knowledge.join_paths(&without);
        join(vec![left, right], unit)
    }

    fn conditional(&mut self, condition: &Expression, a: &Expression, b: &Expression) -> Code {
        let condition = self.expression(condition);
        if let Code::Constant(value) = condition {
            return self.expression(if value != 0 { a } else { b });
        }
        let before = self.knowledge.clone();
        let a = self.expression(a);
        let after = std::mem::replace(&mut self.knowledge, before);
        let b = self.expression(b);
        self.knowledge.join_paths(&after);
        Code::If(Box::new((condition, a, b)))
    }

    pub(super) fn range(&mut self, range: &Range) -> code::Range {
        code::Range {
            low: self.expression(&range.low),
            high: self.expression(&range.high),
            step: self.expression(&range.step),
            windowed: range.windowed,
        }
    }

    /// The values of a range that is constant and may be unrolled.
    pub(super) fn constant_range(&self, range: &code::Range, size: usize) -> Option<Vec<i64>> {
        let (Code::Constant(low), Code::Constant(high), Code::Constant(step)) = (&range.low, &range.high, &range.step)
        else {
            return None;
        };
        // Leaving a window must be noticed when the loop runs.
        let rounds = arithmetic::rounds(*low, *high, *step);
        if range.windowed || !self.unrolls(rounds, size) {
            return None;
        }
        // The values are representable, even if their distance from the first one is not.
        let value = |round: i64| low.wrapping_add(round.wrapping_mul(*step));
        Some((0..rounds.cast_signed()).map(value).collect())
    }

    fn fold(&mut self, fold: Fold, slot: usize, range: &Range, body: &Expression) -> Code {
        let range = self.range(range);
        let cell = self.cell(slot);
        if let Some(values) = self.constant_range(&range, inspect::source_size(body)) {
            return self.unrolled_fold(fold, slot, &values, body);
        }
        let mut written = Written {
            ranges: vec![(slot, 1)],
            ..Written::default()
        };
        written.expression(body);
        self.forget_written(&written);
        let before = self.knowledge.clone();
        let body = self.expression(body);
        self.knowledge.join_paths(&before);
        Code::Fold(Box::new(code::FoldLoop {
            fold,
            slot: cell,
            range,
            body,
        }))
    }

    fn unrolled_fold(&mut self, fold: Fold, slot: usize, values: &[i64], body: &Expression) -> Code {
        let cell = self.cell(slot);
        let mut parts = Vec::new();
        for value in values {
            let before = self.knowledge.clone();
            self.knowledge.set(self.frame + slot, Some(*value));
            let mut part = self.expression(body);
            if let Cell::Fixed(address) | Cell::Framed(address) = cell
                && inspect::may_read_frame(&part, address, self.instance.slots.len())
            {
                let set = store(cell, Code::Constant(*value));
                part = Code::Sequence(Box::new((vec![set], part)));
            }
            self.knowledge.join_paths(&before);
            self.knowledge.forget(self.frame + slot, 1);
            let decided = match (fold, &part) {
                (Fold::Forall, Code::Constant(value)) => *value == 0,
                (Fold::Exists, Code::Constant(value)) => *value != 0,
                _ => false,
            };
            parts.push(part);
            if decided {
                break;
            }
        }
        match fold {
            Fold::Forall => join(parts, true),
            Fold::Exists => join(parts, false),
            Fold::Count => parts.into_iter().fold(Code::Constant(0), |sum, part| {
                binary(Binary::Add, sum, part, Span::default())
            }),
        }
    }

    fn call(&mut self, function: usize, arguments: &[Argument], span: Span) -> Code {
        let Some(inlined) = self.inline(function, arguments) else {
            return Code::Call(Box::new(self.plain_call(function, arguments, span)));
        };
        let Inlined {
            mut entry,
            mut body,
            straight,
        } = inlined;
        if straight && matches!(body.last(), Some(code::Statement::Return(Some(_)))) {
            let Some(code::Statement::Return(Some(value))) = body.pop() else {
                return Code::Fail(malformed(span, "no result"));
            };
            entry.append(&mut body);
            inspect::drop_dead_stores(&mut entry, Some(&value), self.dead_from());
            return if entry.is_empty() {
                value
            } else {
                Code::Sequence(Box::new((entry, value)))
            };
        }
        entry.append(&mut body);
        inspect::drop_dead_stores(&mut entry, None, self.dead_from());
        Code::Inline(Box::new(code::Inline {
            body: entry,
            function,
            span,
        }))
    }

    pub(super) fn plain_call(&mut self, function: usize, arguments: &[Argument], span: Span) -> code::Call {
        self.needed.insert(function);
        let arguments = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Value(value) => code::Argument::Value(self.expression(value)),
                Argument::Block(place, length) => code::Argument::Block(self.place(place), narrow(*length)),
            })
            .collect();
        self.knowledge.forget_exposed();
        code::Call {
            function,
            arguments,
            span,
        }
    }

    /// `None` if the function must be called: recursion, or code that would grow too large.
    pub(super) fn inline(&mut self, function: usize, arguments: &[Argument]) -> Option<Inlined> {
        let procedure: &Procedure = self.instance.functions.get(function)?;
        let too_deep = self.inlining.len() >= INLINE_DEPTH || self.inlining.contains(&function);
        if too_deep || self.sizes[function] > BUDGET.saturating_sub(self.size) / 2 {
            return None;
        }
        let frame = self.top;
        self.top += procedure.frame;
        self.highest = self.highest.max(self.top);
        let entry = self.enter(frame, procedure.frame, arguments);
        let caller = std::mem::replace(&mut self.frame, frame);
        self.inlining.push(function);
        self.returns.push(Vec::new());
        let body = self.block(&procedure.body);
        let returns = self.returns.pop().unwrap_or_default();
        let falls_through = self.knowledge.reachable;
        let straight = returns.is_empty()
            || (returns.len() == 1 && !falls_through && matches!(body.last(), Some(code::Statement::Return(_))));
        for knowledge in &returns {
            self.knowledge.join_paths(knowledge);
        }
        // Code after a call that always fails is dead, but must still be generated.
        self.knowledge.reachable = true;
        self.inlining.pop();
        self.frame = caller;
        self.top = frame;
        Some(Inlined { entry, body, straight })
    }

    /// Fills the frame of an inlined function.
    fn enter(&mut self, frame: usize, length: usize, arguments: &[Argument]) -> Vec<code::Statement> {
        let mut entry = Vec::new();
        let mut slot = frame;
        let cell = |this: &Self, slot: usize| this.cell(slot - this.frame);
        for argument in arguments {
            match argument {
                Argument::Value(value) => {
                    let value = self.expression(value);
                    self.knowledge.set(slot, constant(&value));
                    entry.push(store(cell(self, slot), value));
                    slot += 1;
                }
                Argument::Block(place, size) => {
                    let from = self.place(place);
                    let to = fixed(cell(self, slot));
                    self.knowledge.fill(slot, *size, None);
                    entry.push(super::statement::copy(to, from, *size));
                    slot += size;
                }
            }
        }
        let end = frame + length;
        if slot < end {
            self.knowledge.fill(slot, end - slot, Some(UNDEFINED));
            entry.push(super::statement::undefine(fixed(cell(self, slot)), end - slot));
        }
        entry
    }
}

pub(super) fn constant(code: &Code) -> Option<i64> {
    match code {
        Code::Constant(value) => Some(*value),
        _ => None,
    }
}

pub(super) fn fixed(cell: Cell) -> code::Place {
    match cell {
        Cell::Fixed(address) => code::Place::Fixed(address),
        Cell::Framed(slot) => code::Place::Framed(slot),
    }
}

pub(super) fn store(cell: Cell, value: Code) -> code::Statement {
    match (cell, value) {
        (Cell::Fixed(slot), Code::Constant(value)) => code::Statement::SetConstant { slot, value },
        (Cell::Fixed(slot), value) => code::Statement::SetSlot { slot, value },
        (cell, value) => code::Statement::Store(Box::new((fixed(cell), value))),
    }
}

pub(super) fn not(a: Code) -> Code {
    match a {
        Code::Constant(value) => Code::Constant(i64::from(value == 0)),
        Code::SlotEquals {
            slot,
            raw,
            span,
            constant,
        } => Code::SlotDiffers {
            slot,
            raw,
            span,
            constant,
        },
        Code::SlotDiffers {
            slot,
            raw,
            span,
            constant,
        } => Code::SlotEquals {
            slot,
            raw,
            span,
            constant,
        },
        // Values of Boolean type are 0 or 1, so a Boolean slot is false if it equals 0.
        Code::Slot(slot, span) => Code::SlotEquals {
            slot,
            raw: false,
            span,
            constant: 0,
        },
        Code::Not(inner) => *inner,
        a => Code::Not(Box::new(a)),
    }
}

fn binary(operator: Binary, a: Code, b: Code, span: Span) -> Code {
    match (operator, &a, &b) {
        (_, Code::Constant(x), Code::Constant(y)) => match arithmetic::binary(operator, *x, *y) {
            Ok(value) => Code::Constant(value),
            Err(kind) => Code::Fail(Box::new(Fault::arithmetic(kind, span))),
        },
        (Binary::Add, Code::Constant(0), _) => b,
        (Binary::Equal | Binary::NotEqual, Code::Constant(constant), slot)
        | (Binary::Equal | Binary::NotEqual, slot, Code::Constant(constant)) => match tested_slot(slot) {
            Some((slot, raw, span)) => {
                let equal = Code::SlotEquals {
                    slot,
                    raw,
                    span,
                    constant: *constant,
                };
                if operator == Binary::Equal { equal } else { not(equal) }
            }
            None => Code::Binary(operator, Box::new((a, b)), span),
        },
        _ => Code::Binary(operator, Box::new((a, b)), span),
    }
}

/// The slot whose value an expression is, whether it is read raw, and its span.
fn tested_slot(code: &Code) -> Option<(u32, bool, Span)> {
    match code {
        Code::Slot(slot, span) => Some((*slot, false, *span)),
        Code::RawSlot(slot) => Some((*slot, true, Span::default())),
        _ => None,
    }
}

pub(super) fn in_range(
    value: Code,
    (low, high): (i64, i64),
    ty: Option<TypeId>,
    span: Span,
    instance: &Instance,
) -> Code {
    let check = |value| code::InRange {
        value,
        low,
        high,
        ty,
        span,
    };
    match value {
        Code::Constant(value) if value == UNDEFINED || (low..=high).contains(&value) => Code::Constant(value),
        Code::Constant(value) => Code::Fail(Box::new(check(Code::Constant(value)).fault(value, instance))),
        value => Code::InRange(Box::new(check(value))),
    }
}

/// Conjunction for `unit` true, disjunction for false; flattened, and truncated after a decisive operand.
pub(super) fn join(parts: Vec<Code>, unit: bool) -> Code {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Code::Constant(value) if (value != 0) == unit => {}
            Code::Constant(_) => {
                flat.push(Code::Constant(i64::from(!unit)));
                break;
            }
            Code::And(inner) if unit => flat.extend(inner.into_vec()),
            Code::Or(inner) if !unit => flat.extend(inner.into_vec()),
            part => flat.push(part),
        }
    }
    match flat.len() {
        0 => Code::Constant(i64::from(unit)),
        1 => flat.remove(0),
        _ if unit => Code::And(flat.into()),
        _ => super::switch::any_of(&flat).unwrap_or_else(|| Code::Or(flat.into())),
    }
}
