//! Compiles updates. All right-hand sides read the pre-state.
//!
//! A new value is computed in the frame first if another update still reads the old one, or if an array reads its other
//! cells.

use super::code::{Code, frame_place};
use crate::model::*;
use std::collections::BTreeSet;
use system::instance::{Place, Statement, Subscript};

impl Code<'_> {
    pub(super) fn updates(&mut self, updates: &[Update]) -> Vec<Statement> {
        let needed = needed_before(updates);
        let (mut prepared, mut direct, mut last) = (Vec::new(), Vec::new(), Vec::new());
        for update in updates {
            if needed.contains(&update.symbol) {
                self.through_frame(update, &mut prepared, &mut last);
            } else {
                self.in_place(update, &mut direct);
            }
        }
        prepared.extend(direct);
        prepared.extend(last);
        prepared
    }

    fn in_place(&mut self, update: &Update, code: &mut Vec<Statement>) {
        match &update.kind {
            UpdateKind::Arbitrary => code.push(self.choose(update)),
            UpdateKind::Variable(value) => {
                let value = self.value(value);
                let place = self.place(update.symbol, &[], update.span);
                code.push(self.assign(update, place, value));
            }
            UpdateKind::Cell(indices, term) => {
                let value = self.term(term);
                let place = self.place(update.symbol, indices, update.span);
                code.push(self.assign(update, place, value));
            }
            UpdateKind::All(variables, value) => {
                let indices: Vec<Process> = variables.iter().map(|id| Process::Local(*id)).collect();
                let value = self.value(value);
                let place = self.place(update.symbol, &indices, update.span);
                let assign = self.assign(update, place, value);
                code.push(self.for_all(variables, assign));
            }
        }
    }

    fn through_frame(&mut self, update: &Update, first: &mut Vec<Statement>, last: &mut Vec<Statement>) {
        let start = self.frame;
        let (indices, value) = match &update.kind {
            UpdateKind::Arbitrary => return last.push(self.choose(update)),
            UpdateKind::Variable(value) => (Vec::new(), self.value(value)),
            UpdateKind::Cell(indices, term) => (indices.clone(), self.term(term)),
            UpdateKind::All(variables, value) => {
                let value = self.value(value);
                let (place, length) = self.frame_array(variables);
                first.push(self.for_all(variables, Statement::Store { place, value }));
                let to = Place {
                    subscripts: Vec::new(),
                    ..self.place(update.symbol, &[], update.span)
                };
                return last.push(Statement::CopyBlock {
                    to,
                    from: frame_place(start),
                    length,
                });
            }
        };
        self.frame += 1;
        first.push(Statement::Store {
            place: frame_place(start),
            value,
        });
        let place = self.place(update.symbol, &indices, update.span);
        let value = system::instance::Expression::Load(frame_place(start));
        last.push(self.assign(update, place, value));
    }

    /// Allocates a frame copy of a whole array; returns the place of the cell that the variables select.
    fn frame_array(&mut self, variables: &[LocalId]) -> (Place, usize) {
        let start = self.frame;
        let length = self.layout.shape.cells(variables.len());
        self.frame += length;
        let subscript = |(position, variable): (usize, &LocalId)| Subscript {
            index: self.process(Process::Local(*variable)),
            low: 0,
            high: self.layout.shape.processes - 1,
            stride: self.layout.shape.cells(variables.len() - position - 1),
            windowed: false,
        };
        let subscripts = variables.iter().enumerate().map(subscript).collect();
        (
            Place {
                subscripts,
                ..frame_place(start)
            },
            length,
        )
    }

    fn for_all(&self, variables: &[LocalId], statement: Statement) -> Statement {
        variables.iter().rev().fold(statement, |body, variable| Statement::For {
            slot: variable.0,
            range: self.all_processes(),
            body: vec![body],
        })
    }

    fn choose(&self, update: &Update) -> Statement {
        let place = self.place(update.symbol, &[], update.span);
        let ty = self.layout.slots[self.layout.offsets[update.symbol.0]].ty;
        Statement::Choose { place, ty }
    }

    fn assign(&self, update: &Update, place: Place, value: system::instance::Expression) -> Statement {
        let ty = self.layout.slots[self.layout.offsets[update.symbol.0]].ty;
        Statement::Assign {
            place,
            value,
            ty,
            span: update.span,
        }
    }
}

/// The updated symbols whose old values are read during the update: by another update, or by another cell of the same
/// array.
fn needed_before(updates: &[Update]) -> BTreeSet<SymbolId> {
    let mut needed = BTreeSet::new();
    for update in updates {
        let own: Option<Vec<Process>> = match &update.kind {
            UpdateKind::All(variables, _) => Some(variables.iter().map(|id| Process::Local(*id)).collect()),
            _ => None,
        };
        update.for_each_term(&mut |term| {
            read_symbols(term, &mut |symbol, indices| {
                // A cell is read before it is changed; likewise a single slot by its own update.
                let itself = symbol == update.symbol && own.as_deref().is_none_or(|own| own == indices);
                if !itself {
                    needed.insert(symbol);
                }
            });
        });
    }
    needed
}

fn read_symbols(term: &Term, visit: &mut dyn FnMut(SymbolId, &[Process])) {
    match &term.kind {
        TermKind::Read(symbol, indices) => visit(*symbol, indices),
        TermKind::Multiple(_, symbol) => visit(*symbol, &[]),
        TermKind::Sum(base, addend) => {
            read_symbols(base, visit);
            read_symbols(addend, visit);
        }
        _ => {}
    }
}
