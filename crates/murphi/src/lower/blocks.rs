//! Records, arrays and other compound values as operands.
//!
//! Compound operands are read last, as in the code that Rumur generates and in the compiled instance: first the
//! functions that return such values are called, one operand after the other; then the places of the other operands are
//! resolved; then all of them are read. This order is observable if functions have side effects.

use super::execute::{Binding, Executor, Place};
use super::meaning::{self, Meaning};
use crate::model::*;
use logic::Term;

/// A compound operand.
pub(crate) enum Block<'e> {
    /// A place that is not resolved yet.
    Unlocated(&'e Designator),
    Located(Place, TypeId),
    Value(Meaning),
    Either(Term, Box<Block<'e>>, Box<Block<'e>>),
}

impl Executor<'_, '_> {
    /// Calls the functions of an operand with the expected type.
    pub(crate) fn block<'e>(&mut self, expression: &'e Expression, ty: TypeId) -> Block<'e> {
        match &expression.kind {
            ExpressionKind::Read(designator) => Block::Unlocated(designator),
            ExpressionKind::Convert(inner) => self.block(inner, ty),
            ExpressionKind::If(condition, then, otherwise) => {
                let condition = self.scalar(condition);
                let side = |e: &mut Self, expression: &'e Expression| {
                    let block = e.block(expression, ty);
                    Box::new(e.located(block))
                };
                let (then, otherwise) = self.branch(condition, |e| side(e, then), |e| side(e, otherwise));
                Block::Either(condition, then, otherwise)
            }
            _ => Block::Value(self.copy_value(expression, ty, "the value")),
        }
    }

    /// Resolves the place of an operand.
    pub(crate) fn located<'e>(&mut self, block: Block<'e>) -> Block<'e> {
        match block {
            Block::Unlocated(designator) => Block::Located(self.place(designator), designator.ty),
            located => located,
        }
    }

    /// Reads an operand as a value of this type.
    pub(crate) fn contents(&mut self, block: &Block<'_>, ty: TypeId) -> Meaning {
        match block {
            Block::Unlocated(designator) => {
                let place = self.place(designator);
                self.contents(&Block::Located(place, designator.ty), ty)
            }
            Block::Located(place, from) => {
                let (value, mark) = self.read_marked(place, *from);
                self.marked(ty, value, mark)
            }
            Block::Value(value) => value.clone(),
            Block::Either(condition, then, otherwise) => {
                let (then, otherwise) = (self.contents(then, ty), self.contents(otherwise, ty));
                meaning::choose(*condition, &then, &otherwise)
            }
        }
    }

    /// The arguments of a call: functions that return compound values are called first, then all arguments are
    /// evaluated from left to right.
    pub(crate) fn arguments(&mut self, types: &[TypeId], arguments: &[Argument]) -> Vec<Binding> {
        let mut blocks = Vec::new();
        for (argument, ty) in arguments.iter().zip(types) {
            blocks.push(match argument {
                Argument::Value(expression) if self.is_block(*ty) => Some(self.block(expression, *ty)),
                _ => None,
            });
        }
        let mut bindings = Vec::new();
        for ((argument, ty), block) in arguments.iter().zip(types).zip(blocks) {
            bindings.push(match (argument, block) {
                (_, Some(block)) => Binding::Value(self.contents(&block, *ty)),
                (Argument::Reference(designator), None) => Binding::Place(self.place(designator)),
                (Argument::Value(expression), None) => Binding::Value(self.argument_value(expression, *ty)),
            });
        }
        bindings
    }

    /// Whether two operands are equal, component by component; `same` defines equality of components.
    pub(crate) fn equal_blocks(&mut self, left: &Expression, right: &Expression, ty: TypeId) -> Term {
        let (left, right) = (self.block(left, ty), self.block(right, ty));
        let (left, right) = (self.located(left), self.located(right));
        let (left, right) = (self.contents(&left, ty), self.contents(&right, ty));
        // Compares the components, not the mark of the whole.
        let ((left, _), (right, _)) = (self.divided(ty, left), self.divided(ty, right));
        self.same(ty, &left, &right)
    }
}
