//! Specialisation of statements.

use super::expression::{Inlined, constant, in_range, store};
use super::{Specialiser, Written, malformed, narrow, switch};
use crate::code::{self, Cell};
use crate::fault::{Fault, FaultKind};
use crate::inspect;
use system::Span;
use system::instance::{Argument, Expression, Output, Place, Range, Statement, Type, TypeId, UNDEFINED};

use code::Expression as Value;
use code::Statement as Code;

impl Specialiser<'_> {
    pub(super) fn block(&mut self, statements: &[Statement]) -> Vec<Code> {
        let mut made = Vec::with_capacity(statements.len());
        for statement in statements {
            if !self.knowledge.reachable {
                break;
            }
            self.statement(statement, &mut made);
        }
        made
    }

    fn statement(&mut self, statement: &Statement, made: &mut Vec<Code>) {
        self.size += 1;
        match statement {
            Statement::Assign { .. }
            | Statement::Store { .. }
            | Statement::CopyBlock { .. }
            | Statement::Undefine { .. }
            | Statement::Fill { .. }
            | Statement::Choose { .. } => made.push(self.simple(statement)),
            Statement::If {
                condition,
                then,
                otherwise,
            } => self.conditional_block(condition, then, otherwise, made),
            Statement::For { slot, range, body } => self.for_loop(*slot, range, body, made),
            Statement::While { condition, body, span } => made.push(self.while_loop(condition, body, *span)),
            Statement::Call {
                function,
                arguments,
                span,
            } => self.call_statement(*function, arguments, *span, made),
            Statement::Return(value) => {
                let value = value.as_ref().map(|value| self.expression(value));
                made.push(Code::Return(value));
                if let Some(returns) = self.returns.last_mut() {
                    returns.push(self.knowledge.clone());
                }
                self.knowledge.reachable = false;
            }
            Statement::Assert {
                condition,
                message,
                span,
            } => {
                let condition = self.expression(condition);
                if constant(&condition).is_none_or(|value| value == 0) {
                    let message = format!("assertion failed: {message}");
                    made.push(Code::Assert(Box::new((
                        condition,
                        Fault::new(FaultKind::Assertion, *span, message),
                    ))));
                }
            }
            Statement::Assume { condition } => {
                let condition = self.expression(condition);
                made.push(Code::Assume(condition));
            }
            Statement::Prune { condition } => {
                // It may stop at any point in between.
                let before = self.knowledge.clone();
                let condition = self.expression(condition);
                self.knowledge.join_paths(&before);
                made.push(Code::Prune(condition));
            }
            Statement::Error { message, span } => {
                made.push(Code::Fail(Box::new(Fault::new(
                    FaultKind::Error,
                    *span,
                    message.clone(),
                ))));
                self.knowledge.reachable = false;
            }
            Statement::Put(outputs) => {
                let outputs = outputs.iter().map(|output| self.output(output)).collect();
                made.push(Code::Put(outputs));
            }
            Statement::MultisetAdd { .. } | Statement::MultisetRemove { .. } | Statement::MultisetRemoveIf { .. } => {
                made.push(self.multiset(statement));
            }
        }
    }

    /// Statements that store to a place.
    fn simple(&mut self, statement: &Statement) -> Code {
        match statement {
            Statement::Assign { place, value, ty, span } => self.assign(place, value, *ty, *span),
            Statement::Store { place, value } => {
                let value = self.expression(value);
                let place = self.place(place);
                self.wrote(&place, 1, constant(&value));
                store_at(place, value)
            }
            Statement::CopyBlock { to, from, length } => {
                let from = self.place(from);
                let to = self.place(to);
                self.wrote(&to, *length, None);
                copy(to, from, *length)
            }
            Statement::Undefine { place, length } => {
                let place = self.place(place);
                self.wrote(&place, *length, Some(UNDEFINED));
                undefine(place, *length)
            }
            Statement::Fill { place, values } => {
                let place = self.place(place);
                self.wrote(&place, values.len(), values.first().copied());
                fill(place, values)
            }
            Statement::Choose { place, ty } => self.choose(place, *ty),
            _ => Code::Fail(malformed(Span::default(), "not a simple statement")),
        }
    }

    fn assign(&mut self, place: &Place, value: &Expression, ty: TypeId, span: Span) -> Code {
        let value = self.expression(value);
        let place = self.place(place);
        self.wrote(&place, 1, constant(&value));
        let Some((low, high)) = self.limits(ty) else {
            return store_at(place, value);
        };
        match (place, in_range(value, (low, high), Some(ty), span, self.instance)) {
            (code::Place::Fixed(slot), Value::InRange(check)) => Code::AssignSlot { slot, check },
            (place, Value::InRange(check)) => Code::Assign(Box::new((place, *check))),
            (place, value) => store_at(place, value),
        }
    }

    fn choose(&mut self, place: &Place, ty: TypeId) -> Code {
        let place = self.place(place);
        self.wrote(&place, 1, None);
        let (low, count, windowed) = match &self.instance.types[ty] {
            Type::Integer { window } | Type::Real { window, .. } => {
                let count = i128::from(window.1) - i128::from(window.0) + 1;
                (window.0, u64::try_from(count).unwrap_or(0), true)
            }
            // Of all lists, only the empty one is tried.
            Type::List { .. } => (crate::lists::EMPTY, 1, true),
            _ => {
                let (low, count) = self.instance.bounds(ty);
                (low, u64::try_from(count).unwrap_or(0), false)
            }
        };
        Code::Choose(Box::new(code::Choice {
            place,
            low,
            count,
            windowed,
        }))
    }

    fn conditional_block(
        &mut self,
        condition: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
        made: &mut Vec<Code>,
    ) {
        let condition = self.expression(condition);
        if let Some(value) = constant(&condition) {
            for statement in if value != 0 { then } else { otherwise } {
                if !self.knowledge.reachable {
                    break;
                }
                self.statement(statement, made);
            }
            return;
        }
        let before = self.knowledge.clone();
        let then = self.block(then);
        let after = std::mem::replace(&mut self.knowledge, before);
        let otherwise = self.block(otherwise);
        self.knowledge.join_paths(&after);
        if then.is_empty() && otherwise.is_empty() {
            made.push(Code::Evaluate(condition));
        } else {
            made.push(switch::branch(condition, then, otherwise));
        }
    }

    fn for_loop(&mut self, slot: usize, range: &Range, body: &[Statement], made: &mut Vec<Code>) {
        let range = self.range(range);
        let cell = self.cell(slot);
        if let Some(values) = self.constant_range(&range, inspect::source_size_of_block(body)) {
            for value in values {
                if !self.knowledge.reachable {
                    return;
                }
                made.push(store(cell, Value::Constant(value)));
                self.knowledge.set(self.frame + slot, Some(value));
                for statement in body {
                    if !self.knowledge.reachable {
                        return;
                    }
                    self.statement(statement, made);
                }
            }
            return;
        }
        let mut written = Written {
            ranges: vec![(slot, 1)],
            ..Written::default()
        };
        written.statements(body);
        self.forget_written(&written);
        let before = self.knowledge.clone();
        let body = self.block(body);
        self.knowledge.join_paths(&before);
        made.push(Code::For(Box::new(code::ForLoop {
            slot: cell,
            range,
            body,
        })));
    }

    fn while_loop(&mut self, condition: &Expression, body: &[Statement], span: Span) -> Code {
        let mut written = Written::default();
        written.expression(condition);
        written.statements(body);
        self.forget_written(&written);
        let condition = self.expression(condition);
        let before = self.knowledge.clone();
        let body = self.block(body);
        self.knowledge.join_paths(&before);
        Code::While(Box::new((condition, body, span)))
    }

    fn call_statement(&mut self, function: usize, arguments: &[Argument], span: Span, made: &mut Vec<Code>) {
        let Some(Inlined {
            mut entry,
            mut body,
            straight,
        }) = self.inline(function, arguments)
        else {
            let call = self.plain_call(function, arguments, span);
            made.push(Code::Call(Box::new(call)));
            return;
        };
        if straight {
            if let Some(Code::Return(value)) = body.last_mut() {
                let value = value.take();
                body.pop();
                body.extend(value.filter(|value| constant(value).is_none()).map(Code::Evaluate));
            }
            entry.append(&mut body);
            self.sweep(&mut entry);
            made.append(&mut entry);
        } else {
            entry.append(&mut body);
            self.sweep(&mut entry);
            made.push(Code::Block(entry));
        }
    }

    /// Drops stores that only served an inlined function; done once for nested ones.
    fn sweep(&self, code: &mut Vec<Code>) {
        if self.inlining.is_empty() {
            inspect::drop_dead_stores(code, None, self.dead_from());
        }
    }

    fn output(&mut self, output: &Output) -> code::Output {
        match output {
            Output::Text(text) => code::Output::Text(text.clone()),
            Output::Value(value, ty) => code::Output::Value(self.expression(value), *ty),
            Output::Block { name, place, types } => code::Output::Block {
                name: name.clone(),
                place: self.place(place),
                types: types.clone().into(),
            },
        }
    }

    fn multiset(&mut self, statement: &Statement) -> Code {
        match statement {
            Statement::MultisetAdd {
                place,
                capacity,
                stride,
                from,
                span,
            } => {
                let from = self.place(from);
                let place = self.place(place);
                self.wrote(&place, capacity * (stride + 1), None);
                let (capacity, stride, span) = (narrow(*capacity), narrow(*stride), *span);
                Code::MultisetAdd(Box::new(code::MultisetAdd {
                    place,
                    capacity,
                    stride,
                    from,
                    span,
                }))
            }
            Statement::MultisetRemove {
                place,
                capacity,
                stride,
                index,
                span,
            } => {
                let index = self.expression(index);
                let place = self.place(place);
                self.wrote(&place, capacity * (stride + 1), None);
                let (capacity, stride, span) = (narrow(*capacity), narrow(*stride), *span);
                Code::MultisetRemove(Box::new(code::MultisetRemove {
                    place,
                    capacity,
                    stride,
                    index,
                    span,
                }))
            }
            Statement::MultisetRemoveIf {
                place,
                capacity,
                stride,
                slot,
                condition,
            } => {
                let place = self.place(place);
                let cell = self.cell(*slot);
                let mut written = Written {
                    ranges: vec![(*slot, 1)],
                    ..Written::default()
                };
                written.expression(condition);
                self.wrote(&place, capacity * (stride + 1), None);
                self.forget_written(&written);
                let before = self.knowledge.clone();
                let condition = self.expression(condition);
                self.knowledge.join_paths(&before);
                let (capacity, stride) = (narrow(*capacity), narrow(*stride));
                Code::MultisetRemoveIf(Box::new(code::MultisetRemoveIf {
                    place,
                    capacity,
                    stride,
                    slot: cell,
                    condition,
                }))
            }
            _ => Code::Fail(malformed(Span::default(), "not a multiset statement")),
        }
    }
}

fn store_at(place: code::Place, value: Value) -> Code {
    match place {
        code::Place::Fixed(slot) => store(Cell::Fixed(slot), value),
        place => Code::Store(Box::new((place, value))),
    }
}

pub(super) fn copy(to: code::Place, from: code::Place, length: usize) -> Code {
    let length = narrow(length);
    match (to, from) {
        (code::Place::Fixed(to), code::Place::Fixed(from)) => Code::CopyFixed { to, from, length },
        places => Code::Copy(Box::new(places), length),
    }
}

pub(super) fn undefine(place: code::Place, length: usize) -> Code {
    match place {
        code::Place::Fixed(slot) if length == 1 => Code::SetConstant { slot, value: UNDEFINED },
        code::Place::Fixed(slot) => Code::UndefineFixed {
            slot,
            length: narrow(length),
        },
        place => Code::Undefine(Box::new(place), narrow(length)),
    }
}

fn fill(place: code::Place, values: &[i64]) -> Code {
    match (place, values) {
        (code::Place::Fixed(slot), [value]) => Code::SetConstant { slot, value: *value },
        (place, values) => Code::Fill(Box::new((place, values.into()))),
    }
}
