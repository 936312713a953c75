//! Compiles statements.

use system::Span;
use system::instance::{Base, Expression, Output, Place, Statement, UNDEFINED};

use super::Compiler;
use super::expression::and_then;
use super::layout::Leaf;
use super::unit::{ReturnKind, Storage, Unit, frame_place, frame_value, is_fixed, reference_place, set_frame};
use super::walk::contains_call;
use crate::model::{
    AliasTarget, Binder, Designator, Expression as ModelExpression, ExpressionKind, LocalId,
    Statement as ModelStatement, StatementKind, TypeId, TypeKind,
};

impl<'m> Compiler<'m> {
    pub(super) fn statements(&mut self, unit: &mut Unit<'m>, statements: &'m [ModelStatement]) -> Vec<Statement> {
        let mut code = Vec::with_capacity(statements.len());
        for statement in statements {
            self.statement(unit, statement, &mut code);
        }
        code
    }

    fn statement(&mut self, unit: &mut Unit<'m>, statement: &'m ModelStatement, code: &mut Vec<Statement>) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Assign { target, value } => self.assign(unit, target, value, span, code),
            StatementKind::If { branches, otherwise } => self.branches(unit, branches, otherwise, code),
            StatementKind::Switch {
                subject,
                cases,
                otherwise,
            } => self.switch(unit, subject, cases, otherwise, code),
            StatementKind::For { binder, body } => self.for_loop(unit, binder, body, span, code),
            StatementKind::While { condition, body } => {
                let condition = self.expression(unit, condition);
                let body = self.statements(unit, body);
                code.push(Statement::While { condition, body, span });
            }
            StatementKind::Alias { aliases, body } => {
                for (local, target) in aliases {
                    self.bind_alias(unit, *local, target, code);
                }
                for statement in body {
                    self.statement(unit, statement, code);
                }
            }
            StatementKind::Call { subprogram, arguments } => {
                let result = self.model.subprograms[subprogram.0].result;
                if let Some(ty) = result.filter(|ty| !self.layout.is_simple(*ty)) {
                    // The record is unused, but the function needs a place to store it.
                    let slot = self.allocate_value(unit, ty, span);
                    return self.call_into(unit, *subprogram, arguments, frame_place(slot, span), span, code);
                }
                let arguments = self.arguments(unit, *subprogram, arguments, code);
                code.push(Statement::Call {
                    function: subprogram.0,
                    arguments,
                    span,
                });
            }
            StatementKind::Return(value) => self.return_statement(unit, value.as_ref(), code),
            StatementKind::Error(message) => code.push(Statement::Error {
                message: message.clone(),
                span,
            }),
            StatementKind::Assert { condition, message } => code.push(Statement::Assert {
                condition: self.expression(unit, condition),
                message: message.clone(),
                span,
            }),
            StatementKind::Assume { condition } => code.push(Statement::Assume {
                condition: self.expression(unit, condition),
            }),
            StatementKind::PutText(text) => code.push(Statement::Put(vec![Output::Text(text.clone())])),
            StatementKind::Put(value) => self.put(unit, value, code),
            _ => self.bulk_statement(unit, statement, code),
        }
    }

    /// Statements on whole variables: `clear`, `undefine`, `havoc`, and multiset operations.
    fn bulk_statement(&mut self, unit: &mut Unit<'m>, statement: &'m ModelStatement, code: &mut Vec<Statement>) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Clear(target) => self.clear(unit, target, code),
            StatementKind::Undefine(target) => code.push(Statement::Undefine {
                place: self.place(unit, target),
                length: self.layout.size(target.ty),
            }),
            StatementKind::Havoc { targets, constraint } => self.havoc(unit, targets, constraint.as_ref(), code),
            StatementKind::MultisetAdd { element, multiset } => {
                let shape = self.shape(multiset.ty);
                let from = self.element_block(unit, element, shape.element, code);
                code.push(Statement::MultisetAdd {
                    place: self.place(unit, multiset),
                    capacity: shape.capacity,
                    stride: shape.stride,
                    from,
                    span,
                });
            }
            StatementKind::MultisetRemove { index, multiset } => {
                let shape = self.shape(multiset.ty);
                code.push(Statement::MultisetRemove {
                    place: self.place(unit, multiset),
                    capacity: shape.capacity,
                    stride: shape.stride,
                    index: self.expression(unit, index),
                    span,
                });
            }
            StatementKind::MultisetRemoveIf {
                local,
                multiset,
                condition,
            } => {
                let slot = unit.allocate(1);
                unit.place_at(*local, Storage::Frame(slot));
                let (present, shape) = self.presence(unit, multiset, frame_value(slot));
                let condition = and_then(present, self.expression(unit, condition));
                code.push(Statement::MultisetRemoveIf {
                    place: self.place(unit, multiset),
                    capacity: shape.capacity,
                    stride: shape.stride,
                    slot,
                    condition,
                });
            }
            _ => {}
        }
    }

    fn assign(
        &mut self,
        unit: &mut Unit<'m>,
        target: &'m Designator,
        value: &'m ModelExpression,
        span: Span,
        code: &mut Vec<Statement>,
    ) {
        self.link(target.ty, value.ty);
        if self.layout.is_simple(target.ty) {
            let checked = self.needs_check(unit, value, target.ty) && !self.cmurphi;
            let value = match self.cmurphi {
                true => self.passed_value(unit, value, target.ty),
                false => self.expression(unit, value),
            };
            let ty = self.layout.simple_type(&mut self.instance, target.ty);
            let place = self.place(unit, target);
            code.push(match checked {
                true => Statement::Assign { place, value, ty, span },
                false => Statement::Store { place, value },
            });
            return;
        }
        let to = self.place(unit, target);
        if let ExpressionKind::Call { subprogram, arguments } = &value.kind
            && is_fixed(&to)
        {
            // The function writes its result last, so it may write directly to the target.
            return self.call_into(unit, *subprogram, arguments, to, span, code);
        }
        let from = self.block(unit, value, code);
        code.push(Statement::CopyBlock {
            to,
            from,
            length: self.layout.size(target.ty),
        });
    }

    fn branches(
        &mut self,
        unit: &mut Unit<'m>,
        branches: &'m [(ModelExpression, Vec<ModelStatement>)],
        otherwise: &'m [ModelStatement],
        code: &mut Vec<Statement>,
    ) {
        let compiled: Vec<_> = branches
            .iter()
            .map(|(condition, body)| (self.expression(unit, condition), self.statements(unit, body)))
            .collect();
        let otherwise = self.statements(unit, otherwise);
        code.extend(long_chain(unit, compiled, otherwise));
    }

    fn switch(
        &mut self,
        unit: &mut Unit<'m>,
        subject: &'m ModelExpression,
        cases: &'m [(Vec<ModelExpression>, Vec<ModelStatement>)],
        otherwise: &'m [ModelStatement],
        code: &mut Vec<Statement>,
    ) {
        let slot = unit.allocate(1);
        let value = self.expression(unit, subject);
        code.push(set_frame(slot, value));
        let mut compiled = Vec::with_capacity(cases.len());
        for (labels, body) in cases {
            let mut condition = None;
            for label in labels {
                self.link(subject.ty, label.ty);
                let label = self.expression(unit, label);
                let matches = binary(system::instance::Binary::Equal, frame_value(slot), label);
                condition = Some(match condition {
                    None => matches,
                    Some(before) => binary(system::instance::Binary::Or, before, matches),
                });
            }
            let condition = condition.unwrap_or(Expression::Constant(0));
            compiled.push((condition, self.statements(unit, body)));
        }
        let otherwise = self.statements(unit, otherwise);
        code.extend(long_chain(unit, compiled, otherwise));
    }

    fn for_loop(
        &mut self,
        unit: &mut Unit<'m>,
        binder: &'m Binder,
        body: &'m [ModelStatement],
        span: Span,
        code: &mut Vec<Statement>,
    ) {
        let range = self.range(unit, &binder.domain, span, code);
        let slot = unit.allocate(1);
        unit.place_at(binder.local, Storage::Frame(slot));
        let body = self.statements(unit, body);
        code.push(Statement::For { slot, range, body });
    }

    /// Binds an alias to a place, whose subscripts are evaluated now, or to a value.
    pub(super) fn bind_alias(
        &mut self,
        unit: &mut Unit<'m>,
        local: LocalId,
        target: &'m AliasTarget,
        code: &mut Vec<Statement>,
    ) {
        let storage = match target {
            AliasTarget::Place(designator) => {
                let (storage, statement) = self.bind_place(unit, designator);
                code.extend(statement);
                storage
            }
            AliasTarget::Value(value) if self.layout.is_simple(value.ty) => {
                let slot = unit.allocate(1);
                code.push(set_frame(slot, self.expression(unit, value)));
                Storage::Frame(slot)
            }
            AliasTarget::Value(value) => {
                let slot = self.allocate_value(unit, value.ty, value.span);
                let from = self.block(unit, value, code);
                code.push(Statement::CopyBlock {
                    to: frame_place(slot, value.span),
                    from,
                    length: self.layout.size(value.ty),
                });
                Storage::Frame(slot)
            }
        };
        unit.place_at(local, storage);
    }

    fn return_statement(&mut self, unit: &mut Unit<'m>, value: Option<&'m ModelExpression>, code: &mut Vec<Statement>) {
        let Some(value) = value else {
            return code.push(Statement::Return(None));
        };
        let ReturnKind::Block { address, ty } = unit.outcome else {
            let value = match unit.outcome {
                ReturnKind::Value(ty) if self.cmurphi && self.is_number(ty) => self.value_within(unit, value, ty),
                ReturnKind::Value(ty) if self.cmurphi => self.passed_value(unit, value, ty),
                _ => self.expression(unit, value),
            };
            return code.push(Statement::Return(Some(value)));
        };
        self.link(ty, value.ty);
        let from = self.block(unit, value, code);
        code.push(Statement::CopyBlock {
            to: reference_place(address, value.span),
            from,
            length: self.layout.size(ty),
        });
        code.push(Statement::Return(Some(Expression::Constant(1))));
    }

    fn put(&mut self, unit: &mut Unit<'m>, value: &'m ModelExpression, code: &mut Vec<Statement>) {
        let output = match &value.kind {
            ExpressionKind::Read(designator) => Output::Block {
                name: self.designator_text(unit, designator),
                place: self.place(unit, designator),
                types: self.slot_types(designator.ty),
            },
            _ if self.layout.is_simple(value.ty) => {
                let ty = self.layout.simple_type(&mut self.instance, value.ty);
                Output::Value(self.expression(unit, value), ty)
            }
            _ => Output::Block {
                name: String::new(),
                place: self.block(unit, value, code),
                types: self.slot_types(value.ty),
            },
        };
        code.push(Statement::Put(vec![output]));
    }

    fn slot_types(&mut self, ty: TypeId) -> Vec<system::instance::TypeId> {
        let mut types = Vec::new();
        for leaf in self.layout.leaves(ty) {
            types.push(self.layout.leaf_type(&mut self.instance, leaf));
        }
        types
    }

    /// Assigns the first value of its type to every simple component; multisets and lists become empty.
    fn clear(&mut self, unit: &mut Unit<'m>, target: &'m Designator, code: &mut Vec<Statement>) {
        let leaves = self.layout.leaves(target.ty);
        let is_list = |leaf: &Leaf| match leaf {
            Leaf::Simple { ty, lists } => *lists > 0 || matches!(self.model.kind(*ty), TypeKind::List { .. }),
            _ => false,
        };
        let first = |leaf: &Leaf| match leaf {
            Leaf::Simple { ty, .. } if *self.model.kind(*ty) == TypeKind::Integer => 0,
            Leaf::Simple { ty, .. } => self.layout.bounds(*ty).low,
            Leaf::Presence | Leaf::Element { .. } => UNDEFINED,
        };
        let values: Vec<i64> = leaves.iter().map(first).collect();
        let lists: Vec<usize> = (0..leaves.len()).filter(|leaf| is_list(&leaves[*leaf])).collect();
        let place = self.steady_place(unit, target, lists.len() + 1, code);
        if lists.len() < leaves.len() {
            code.push(Statement::Fill {
                place: place.clone(),
                values,
            });
        }
        for leaf in lists {
            code.push(Statement::Store {
                place: moved(&place, leaf),
                value: Expression::EmptyList,
            });
        }
    }

    /// Havocs the simple components of the targets one by one, and prunes as soon as the constraint is false for the
    /// choices so far.
    fn havoc(
        &mut self,
        unit: &mut Unit<'m>,
        targets: &'m [Designator],
        constraint: Option<&'m ModelExpression>,
        code: &mut Vec<Statement>,
    ) {
        // Subscripts are evaluated before anything changes.
        let mut places = Vec::with_capacity(targets.len());
        for target in targets {
            let leaves = self.layout.leaves(target.ty);
            places.push((self.steady_place(unit, target, leaves.len() + 1, code), leaves));
        }
        let mut choices = Vec::new();
        for (target, (place, leaves)) in targets.iter().zip(places) {
            code.push(Statement::Undefine {
                place: place.clone(),
                length: leaves.len(),
            });
            for (position, leaf) in leaves.iter().enumerate() {
                match leaf {
                    Leaf::Simple { ty, lists: 0 } if self.is_choosable(*ty) => {
                        self.instance.windowed |= self.layout.bounds(*ty).windowed;
                        let ty = self.layout.simple_type(&mut self.instance, *ty);
                        let place = moved(&place, position);
                        choices.push(Statement::Choose { place, ty });
                    }
                    _ => return self.report_unchoosable(target.span),
                }
            }
        }
        let Some(constraint) = constraint else {
            return code.extend(choices);
        };
        let condition = self.expression(unit, constraint);
        let prune = (!contains_call(constraint)).then(|| condition.clone());
        code.extend(choose_in_turn(choices, prune.as_slice()));
        code.push(Statement::Assume { condition });
    }

    /// A place that several statements use: its subscripts are evaluated once.
    fn steady_place(
        &mut self,
        unit: &mut Unit<'m>,
        target: &'m Designator,
        uses: usize,
        code: &mut Vec<Statement>,
    ) -> Place {
        let place = self.place(unit, target);
        if uses <= 1 || place.subscripts.is_empty() {
            return place;
        }
        let slot = unit.allocate(1);
        code.push(set_frame(slot, Expression::Address(place)));
        reference_place(slot, target.span)
    }

    /// A place that holds the element to be added to a multiset.
    fn element_block(
        &mut self,
        unit: &mut Unit<'m>,
        element: &'m ModelExpression,
        ty: TypeId,
        code: &mut Vec<Statement>,
    ) -> Place {
        self.link(element.ty, ty);
        if !self.layout.is_simple(ty) {
            return self.block(unit, element, code);
        }
        let slot = unit.allocate(1);
        let value = self.value_within(unit, element, ty);
        code.push(set_frame(slot, value));
        frame_place(slot, element.span)
    }
}

/// Makes choices in sequence, and prunes by the conditions after each but the last.
pub(super) fn choose_in_turn(choices: Vec<Statement>, conditions: &[Expression]) -> Vec<Statement> {
    let mut code = Vec::new();
    let last = choices.len().saturating_sub(1);
    for (position, choice) in choices.into_iter().enumerate() {
        code.push(choice);
        if position < last {
            code.extend(
                conditions
                    .iter()
                    .cloned()
                    .map(|condition| Statement::Prune { condition }),
            );
        }
    }
    code
}

/// `if`, `elsif`, ..., `else`.
fn chain(branches: Vec<(Expression, Vec<Statement>)>, otherwise: Vec<Statement>) -> Vec<Statement> {
    let add = |otherwise, (condition, then)| {
        vec![Statement::If {
            condition,
            then,
            otherwise,
        }]
    };
    branches.into_iter().rev().fold(otherwise, add)
}

/// A chain of any length with bounded nesting: each part that takes no branch records this in a frame slot, and the
/// next part is then tried.
fn long_chain(
    unit: &mut Unit<'_>,
    mut branches: Vec<(Expression, Vec<Statement>)>,
    otherwise: Vec<Statement>,
) -> Vec<Statement> {
    const PART: usize = 64;
    if branches.len() <= PART {
        return chain(branches, otherwise);
    }
    let open = unit.allocate(1);
    let mut code = vec![set_frame(open, Expression::Constant(1))];
    while branches.len() > PART {
        let rest = branches.split_off(PART);
        let part = std::mem::replace(&mut branches, rest);
        code.push(part_of_chain(
            open,
            part,
            vec![set_frame(open, Expression::Constant(1))],
        ));
    }
    code.push(part_of_chain(open, branches, otherwise));
    code
}

fn part_of_chain(open: usize, branches: Vec<(Expression, Vec<Statement>)>, otherwise: Vec<Statement>) -> Statement {
    let mut then = vec![set_frame(open, Expression::Constant(0))];
    then.extend(chain(branches, otherwise));
    Statement::If {
        condition: frame_value(open),
        then,
        otherwise: Vec::new(),
    }
}

fn binary(operator: system::instance::Binary, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right), Span::default())
}

/// The place shifted by a number of slots.
pub(super) fn moved(place: &Place, slots: usize) -> Place {
    Place {
        offset: place.offset + slots,
        ..place.clone()
    }
}

/// A place in the state.
pub(super) fn state_place(slot: usize, span: Span) -> Place {
    Place {
        base: Base::State(slot),
        offset: 0,
        subscripts: Vec::new(),
        span,
    }
}
