//! Compiles formulas and terms to code over the slots.

use super::layout::Layout;
use crate::model::*;
use system::instance::{self, Base, Expression, Fold, Place, Range, Subscript, Unary};
use system::{Diagnostic, Span};

/// Generates the code of one transition, property or start.
pub(super) struct Code<'a> {
    pub(super) layout: &'a Layout,
    /// The number of locals that are parameters, which `forall_other` excludes.
    parameters: usize,
    /// Locals with a constant value; the others are in the frame, at the slot of their index.
    pub(super) fixed: Vec<Option<i64>>,
    /// The size of the frame.
    pub(super) frame: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Code<'a> {
    pub(super) fn new(layout: &'a Layout, locals: usize, parameters: usize) -> Code<'a> {
        Code {
            layout,
            parameters,
            fixed: vec![None; locals],
            frame: locals,
            diagnostics: Vec::new(),
        }
    }

    /// Conditions stating that the first locals are pairwise distinct.
    pub(super) fn pairwise_distinct(&self, count: usize) -> Vec<Expression> {
        let mut conditions = Vec::new();
        for second in 1..count {
            for first in 0..second {
                conditions.push(self.different(LocalId(first), LocalId(second)));
            }
        }
        conditions
    }

    fn different(&self, a: LocalId, b: LocalId) -> Expression {
        binary(instance::Binary::NotEqual, self.local(a), self.local(b))
    }

    fn local(&self, id: LocalId) -> Expression {
        match self.fixed[id.0] {
            Some(value) => Expression::Constant(value),
            None => Expression::Load(frame_place(id.0)),
        }
    }

    pub(super) fn process(&self, process: Process) -> Expression {
        match process {
            Process::Local(id) => self.local(id),
            Process::Constant(number) => Expression::Constant(i64::from(number)),
        }
    }

    /// The slot of a variable or cell.
    pub(super) fn place(&self, symbol: SymbolId, indices: &[Process], span: Span) -> Place {
        let mut offset = self.layout.offsets[symbol.0];
        let mut subscripts = Vec::new();
        for (position, index) in indices.iter().enumerate() {
            let stride = self.layout.shape.cells(indices.len() - position - 1);
            match self.process(*index) {
                Expression::Constant(value) => offset += usize::try_from(value).unwrap_or(0) * stride,
                index => subscripts.push(Subscript {
                    index,
                    low: 0,
                    high: self.layout.shape.processes - 1,
                    stride,
                    windowed: false,
                }),
            }
        }
        Place {
            base: Base::State(offset),
            offset: 0,
            subscripts,
            span,
        }
    }

    /// A number in its stored form.
    pub(super) fn number(&mut self, term: &Term) -> Option<i64> {
        let TermKind::Number(value) = &term.kind else {
            return None;
        };
        let scaled = match term.ty {
            Type::Real => value.numerator.checked_mul(i128::from(self.layout.scale)),
            _ => Some(value.numerator),
        };
        let stored = scaled
            .map(|scaled| scaled / value.denominator)
            .and_then(|n| i64::try_from(n).ok());
        // The least number marks undefined slots.
        let stored = stored.filter(|n| *n != instance::UNDEFINED);
        if stored.is_none() {
            self.too_large(term.span);
        }
        stored
    }

    fn too_large(&mut self, span: Span) {
        let message = "this number is too large to be explored";
        self.diagnostics
            .push(Diagnostic::error(span, message).label("does not fit into 64 bits"));
    }

    pub(super) fn term(&mut self, term: &Term) -> Expression {
        match &term.kind {
            TermKind::Process(process) => self.process(*process),
            TermKind::Boolean(value) => Expression::Constant(i64::from(*value)),
            TermKind::Constructor(position) => Expression::Constant(i64::try_from(*position).unwrap_or(0)),
            TermKind::Number(_) => Expression::Constant(self.number(term).unwrap_or(0)),
            TermKind::Read(symbol, indices) => Expression::Load(self.place(*symbol, indices, term.span)),
            TermKind::Multiple(factor, symbol) => {
                let factor = i64::try_from(*factor).unwrap_or_else(|_| {
                    self.too_large(term.span);
                    0
                });
                let constant = Expression::Load(self.place(*symbol, &[], term.span));
                spanned(
                    instance::Binary::Multiply,
                    Expression::Constant(factor),
                    constant,
                    term.span,
                )
            }
            TermKind::Sum(base, addend) => {
                let base = self.term(base);
                let addend = self.term(addend);
                spanned(instance::Binary::Add, base, addend, term.span)
            }
            // Models with errors are not compiled.
            TermKind::Error => Expression::Constant(0),
        }
    }

    pub(super) fn formula(&mut self, formula: &Formula) -> Expression {
        match &formula.kind {
            FormulaKind::Boolean(value) => Expression::Constant(i64::from(*value)),
            FormulaKind::Compare(comparison, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                let (operator, left, right) = match comparison {
                    Comparison::Equal => (instance::Binary::Equal, left, right),
                    Comparison::NotEqual => (instance::Binary::NotEqual, left, right),
                    Comparison::Less => (instance::Binary::Less, left, right),
                    Comparison::LessEqual => (instance::Binary::LessEqual, left, right),
                    Comparison::Greater => (instance::Binary::Less, right, left),
                    Comparison::GreaterEqual => (instance::Binary::LessEqual, right, left),
                };
                spanned(operator, left, right, formula.span)
            }
            FormulaKind::Not(a) => Expression::Unary(Unary::Not, Box::new(self.formula(a))),
            FormulaKind::And(operands) => conjunction(operands.iter().map(|f| self.formula(f)).collect()),
            FormulaKind::Or(operands) => {
                let operands: Vec<Expression> = operands.iter().map(|f| self.formula(f)).collect();
                chain(instance::Binary::Or, operands, 0)
            }
            FormulaKind::Implies(a, b) => {
                let a = self.formula(a);
                binary(instance::Binary::Implies, a, self.formula(b))
            }
            FormulaKind::Iff(a, b) => {
                let a = self.formula(a);
                binary(instance::Binary::Equal, a, self.formula(b))
            }
            FormulaKind::If(a, b, c) => {
                let (a, b, c) = (self.formula(a), self.formula(b), self.formula(c));
                Expression::If(Box::new(a), Box::new(b), Box::new(c))
            }
            FormulaKind::Quantified {
                quantifier,
                other,
                variables,
                body,
            } => self.quantified(*quantifier, *other, variables, body),
            FormulaKind::Error => Expression::Constant(0),
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, other: bool, variables: &[LocalId], body: &Formula) -> Expression {
        let mut conditions = Vec::new();
        for (number, variable) in variables.iter().enumerate() {
            if other {
                conditions.extend((0..self.parameters).map(|parameter| self.different(LocalId(parameter), *variable)));
            }
            conditions.extend(
                variables[..number]
                    .iter()
                    .map(|before| self.different(*before, *variable)),
            );
        }
        let body = self.formula(body);
        let (fold, mut expression) = match quantifier {
            Quantifier::Forall if conditions.is_empty() => (Fold::Forall, body),
            Quantifier::Forall => (
                Fold::Forall,
                binary(instance::Binary::Implies, conjunction(conditions), body),
            ),
            Quantifier::Exists => {
                conditions.push(body);
                (Fold::Exists, conjunction(conditions))
            }
        };
        for variable in variables.iter().rev() {
            expression = Expression::Fold {
                fold,
                slot: variable.0,
                range: Box::new(self.all_processes()),
                body: Box::new(expression),
            };
        }
        expression
    }

    pub(super) fn all_processes(&self) -> Range {
        Range {
            low: Expression::Constant(0),
            high: Expression::Constant(self.layout.shape.processes - 1),
            step: Expression::Constant(1),
            windowed: false,
        }
    }

    /// The first branch whose condition holds, otherwise the default.
    pub(super) fn value(&mut self, value: &Value) -> Expression {
        let mut expression = self.term(&value.default);
        for (condition, term) in value.branches.iter().rev() {
            let then = self.term(term);
            let condition = self.formula(condition);
            expression = Expression::If(Box::new(condition), Box::new(then), Box::new(expression));
        }
        expression
    }
}

pub(super) fn frame_place(slot: usize) -> Place {
    Place {
        base: Base::Frame(slot),
        offset: 0,
        subscripts: Vec::new(),
        span: Span::default(),
    }
}

fn spanned(operator: instance::Binary, left: Expression, right: Expression, span: Span) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right), span)
}

fn binary(operator: instance::Binary, left: Expression, right: Expression) -> Expression {
    spanned(operator, left, right, Span::default())
}

pub(super) fn conjunction(operands: Vec<Expression>) -> Expression {
    chain(instance::Binary::And, operands, 1)
}

/// Joins the operands in a balanced tree; `unit` if there are none.
fn chain(operator: instance::Binary, operands: Vec<Expression>, unit: i64) -> Expression {
    let mut level: Vec<Expression> = operands;
    while level.len() > 1 {
        let mut next = Vec::new();
        let mut rest = level.into_iter();
        while let Some(left) = rest.next() {
            next.push(match rest.next() {
                Some(right) => binary(operator, left, right),
                None => left,
            });
        }
        level = next;
    }
    level.pop().unwrap_or(Expression::Constant(unit))
}
