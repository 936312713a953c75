//! Which frame slots the code of a loop may write: their values are unknown inside the loop.

use std::collections::BTreeSet;
use system::instance::{Argument, Base, Expression, Instance, Output, Place, Range, Statement};

/// Frame slots, relative to the start of the current frame.
#[derive(Default, Debug)]
pub(super) struct Written {
    pub(super) ranges: Vec<(usize, usize)>,
    /// Writes through addresses or inside called functions: any slot may change.
    pub(super) anything: bool,
    /// The called functions.
    pub(super) calls: BTreeSet<usize>,
}

impl Written {
    pub(super) fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { place, value, .. } | Statement::Store { place, value } => {
                self.expression(value);
                self.target(place, 1);
            }
            Statement::CopyBlock { to, from, length } => {
                self.place(from);
                self.target(to, *length);
            }
            Statement::Undefine { place, length } => self.target(place, *length),
            Statement::Fill { place, values } => self.target(place, values.len()),
            Statement::Choose { place, .. } => self.target(place, 1),
            Statement::If {
                condition,
                then,
                otherwise,
            } => {
                self.expression(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            Statement::For { slot, range, body } => {
                self.ranges.push((*slot, 1));
                self.range(range);
                self.statements(body);
            }
            Statement::While { condition, body, .. } => {
                self.expression(condition);
                self.statements(body);
            }
            Statement::Call {
                function, arguments, ..
            } => self.call(*function, arguments),
            Statement::Return(None) | Statement::Error { .. } => {}
            Statement::Return(Some(value)) => self.expression(value),
            Statement::Assert { condition, .. } | Statement::Assume { condition } | Statement::Prune { condition } => {
                self.expression(condition);
            }
            Statement::Put(outputs) => outputs.iter().for_each(|output| match output {
                Output::Text(_) => {}
                Output::Value(value, _) => self.expression(value),
                Output::Block { place, .. } => self.place(place),
            }),
            Statement::MultisetAdd {
                place,
                capacity,
                stride,
                from,
                ..
            } => {
                self.place(from);
                self.target(place, capacity * (stride + 1));
            }
            Statement::MultisetRemove {
                place,
                capacity,
                stride,
                index,
                ..
            } => {
                self.expression(index);
                self.target(place, capacity * (stride + 1));
            }
            Statement::MultisetRemoveIf {
                place,
                capacity,
                stride,
                slot,
                condition,
            } => {
                self.ranges.push((*slot, 1));
                self.expression(condition);
                self.target(place, capacity * (stride + 1));
            }
        }
    }

    pub(super) fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Constant(_) | Expression::EmptyList => {}
            Expression::Load(place)
            | Expression::LoadRaw(place)
            | Expression::IsUndefined(place, _)
            | Expression::Address(place) => self.place(place),
            Expression::Unary(_, a)
            | Expression::Head(a, _)
            | Expression::Tail(a, _)
            | Expression::Length(a)
            | Expression::InRange { value: a, .. } => self.expression(a),
            Expression::Binary(_, a, b, _) | Expression::Append(a, b) => {
                self.expression(a);
                self.expression(b);
            }
            Expression::If(a, b, c) => [a, b, c].into_iter().for_each(|part| self.expression(part)),
            Expression::Fold { slot, range, body, .. } => {
                self.ranges.push((*slot, 1));
                self.range(range);
                self.expression(body);
            }
            Expression::SameBlock(a, b, _) => {
                self.place(a);
                self.place(b);
            }
            Expression::Call(function, arguments, _) => self.call(*function, arguments),
            Expression::Sequence(statements, value) => {
                self.statements(statements);
                self.expression(value);
            }
        }
    }

    fn call(&mut self, function: usize, arguments: &[Argument]) {
        self.anything = true;
        self.calls.insert(function);
        arguments.iter().for_each(|argument| match argument {
            Argument::Value(value) => self.expression(value),
            Argument::Block(place, _) => self.place(place),
        });
    }

    fn range(&mut self, range: &Range) {
        [&range.low, &range.high, &range.step]
            .into_iter()
            .for_each(|part| self.expression(part));
    }

    fn place(&mut self, place: &Place) {
        place
            .subscripts
            .iter()
            .for_each(|subscript| self.expression(&subscript.index));
    }

    fn target(&mut self, place: &Place, length: usize) {
        self.place(place);
        match place.base {
            Base::State(_) => {}
            Base::Reference(_) => self.anything = true,
            Base::Frame(slot) => self.ranges.push((slot + place.offset, extent(place, length))),
        }
    }
}

/// The number of slots from its base that a place of some length may touch.
fn extent(place: &Place, length: usize) -> usize {
    place.subscripts.iter().fold(length, |extent, subscript| {
        let width = usize::try_from(subscript.high.saturating_sub(subscript.low)).unwrap_or(0);
        extent.saturating_add(width.saturating_mul(subscript.stride))
    })
}

/// Which functions may be called, directly or indirectly, while they run.
pub(crate) fn recursive_functions(instance: &Instance) -> Vec<bool> {
    let mut calls: Vec<BTreeSet<usize>> = Vec::new();
    for function in &instance.functions {
        let mut written = Written::default();
        written.statements(&function.body);
        calls.push(written.calls);
    }
    let is_recursive = |function: usize| {
        let mut reached = BTreeSet::new();
        let mut next: Vec<usize> = calls[function].iter().copied().collect();
        while let Some(called) = next.pop() {
            if reached.insert(called) {
                next.extend(calls.get(called).into_iter().flatten());
            }
        }
        reached.contains(&function)
    };
    (0..calls.len()).map(is_recursive).collect()
}
