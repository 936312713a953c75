//! Decides whether a model needs values of type `proc` that are no processes.
//!
//! In Cubicle, a variable of type `proc` that is not constrained to be a process may hold anything: the FLASH models
//! test `Home <> p` for all processes p. The type therefore has *outsiders*: values without array cells, over which no
//! variable ranges.
//!
//! They are omitted if they make no difference to any property, for one of these reasons:
//!
//! - No variable can hold one.
//! - No comparison distinguishes an outsider from a process: every comparison with a variable that may hold one is a
//!   positive equality, such as `Turn = x` in a guard. Replacing all outsiders in a run by the first process then gives
//!   a run.
//! - A run with outsiders is simulated by one in which they are additional processes that start as copies of some
//!   process and that no transition needs. This requires that the number of processes is not limited, that `init` uses
//!   its process variables as indices only (so that a copy satisfies it), and that additional processes falsify nothing
//!   (there is no universal quantifier). The simulation relates runs with different numbers of processes, all of which
//!   a proof covers.

use crate::model::*;
use std::collections::BTreeSet;

pub(super) fn needed(model: &Model) -> bool {
    let outside = may_hold_outsider(model);
    let further_processes = model.processes == Processes::Any && !init_tells_apart(model) && !has_universal(model);
    !outside.is_empty() && !further_processes && tells_apart(model, &outside)
}

/// Whether a comparison with one of these symbols could hold for an outsider but not for a process.
fn tells_apart(model: &Model, outside: &BTreeSet<SymbolId>) -> bool {
    let sees = Sees { outside };
    let blocks = model.unsafes.iter().chain([&model.init]);
    let in_value = |value: &Value| value.branches.iter().any(|(condition, _)| sees.anywhere(condition));
    let in_update = |update: &Update| match &update.kind {
        UpdateKind::Variable(value) | UpdateKind::All(_, value) => in_value(value),
        UpdateKind::Arbitrary | UpdateKind::Cell(..) => false,
    };
    blocks
        .map(|block| &block.formula)
        .any(|formula| sees.difference(formula, true))
        || model
            .transitions
            .iter()
            .any(|transition| sees.difference(&transition.guard, true) || transition.updates.iter().any(in_update))
}

/// Searches for comparisons with symbols that may hold outsiders.
struct Sees<'a> {
    outside: &'a BTreeSet<SymbolId>,
}

impl Sees<'_> {
    fn touches(&self, term: &Term) -> bool {
        matches!(&term.kind, TermKind::Read(symbol, _) if self.outside.contains(symbol))
    }

    fn anywhere(&self, formula: &Formula) -> bool {
        let mut found = false;
        formula.for_each_term(&mut |term| found |= self.touches(term));
        found
    }

    /// Comparisons other than positive equalities; `positive` is false under a negation.
    fn difference(&self, formula: &Formula, positive: bool) -> bool {
        match &formula.kind {
            FormulaKind::Compare(comparison, left, right) => {
                let harmless = if positive {
                    Comparison::Equal
                } else {
                    Comparison::NotEqual
                };
                *comparison != harmless && (self.touches(left) || self.touches(right))
            }
            FormulaKind::Not(a) => self.difference(a, !positive),
            FormulaKind::Implies(a, b) => self.difference(a, !positive) || self.difference(b, positive),
            FormulaKind::Iff(..) => self.anywhere(formula),
            FormulaKind::If(a, b, c) => {
                self.anywhere(a) || self.difference(b, positive) || self.difference(c, positive)
            }
            _ => formula.children().iter().any(|f| self.difference(f, positive)),
        }
    }
}

fn init_tells_apart(model: &Model) -> bool {
    let formula = &model.init.formula;
    let mut compared = formula.has_quantifier();
    formula.for_each_term(&mut |term| compared |= matches!(term.kind, TermKind::Process(_)));
    compared
}

fn has_universal(model: &Model) -> bool {
    let in_values = |value: &Value| value.branches.iter().any(|(condition, _)| condition.has_quantifier());
    let in_transitions = model.transitions.iter().any(|transition| {
        universal(&transition.guard, true)
            || transition.updates.iter().any(|update| match &update.kind {
                UpdateKind::Variable(value) | UpdateKind::All(_, value) => in_values(value),
                UpdateKind::Arbitrary | UpdateKind::Cell(..) => false,
            })
    });
    in_transitions || model.unsafes.iter().any(|block| universal(&block.formula, true))
}

/// Whether a quantifier in the formula is universal; `positive` is false under a negation.
fn universal(formula: &Formula, positive: bool) -> bool {
    match &formula.kind {
        FormulaKind::Quantified { quantifier, body, .. } => {
            (*quantifier == Quantifier::Forall) == positive || universal(body, positive)
        }
        FormulaKind::Not(a) => universal(a, !positive),
        FormulaKind::Implies(a, b) => universal(a, !positive) || universal(b, positive),
        FormulaKind::Iff(a, b) => a.has_quantifier() || b.has_quantifier(),
        FormulaKind::If(a, b, c) => a.has_quantifier() || universal(b, positive) || universal(c, positive),
        _ => formula.children().iter().any(|f| universal(f, positive)),
    }
}

/// The variables, constants and arrays of type `proc` that may hold an outsider in some state.
fn may_hold_outsider(model: &Model) -> BTreeSet<SymbolId> {
    let symbols = (0..model.symbols.len()).map(SymbolId);
    let processes = symbols.filter(|id| model.symbol(*id).ty == Type::Process);
    let mut inside: BTreeSet<SymbolId> = initially_inside(model);
    // Fixpoint: a target of an assignment whose source may be outside may be outside as well.
    loop {
        let before = inside.len();
        for update in model.transitions.iter().flat_map(|transition| &transition.updates) {
            let stays = match &update.kind {
                UpdateKind::Arbitrary => false,
                UpdateKind::Cell(_, term) => is_inside(term, &inside),
                UpdateKind::Variable(value) | UpdateKind::All(_, value) => {
                    is_inside(&value.default, &inside)
                        && value.branches.iter().all(|(_, term)| is_inside(term, &inside))
                }
            };
            if !stays {
                inside.remove(&update.symbol);
            }
        }
        if inside.len() == before {
            break;
        }
    }
    processes.filter(|id| !inside.contains(id)).collect()
}

fn is_inside(term: &Term, inside: &BTreeSet<SymbolId>) -> bool {
    match &term.kind {
        TermKind::Process(_) => true,
        TermKind::Read(symbol, _) => inside.contains(symbol),
        _ => false,
    }
}

/// Symbols that `init` makes equal to a process in every cell: `T = #1`, `A[z] = z`.
fn initially_inside(model: &Model) -> BTreeSet<SymbolId> {
    let mut inside = BTreeSet::new();
    for conjunct in model.init.formula.conjuncts() {
        let FormulaKind::Compare(Comparison::Equal, left, right) = &conjunct.kind else {
            continue;
        };
        for (cell, value) in [(left, right), (right, left)] {
            if let (TermKind::Read(symbol, indices), TermKind::Process(_)) = (&cell.kind, &value.kind)
                && covers_all_cells(indices)
            {
                inside.insert(*symbol);
            }
        }
    }
    inside
}

/// Whether the indices are distinct variables, so that they range over every cell.
pub(crate) fn covers_all_cells(indices: &[Process]) -> bool {
    let distinct: BTreeSet<&Process> = indices.iter().collect();
    distinct.len() == indices.len() && indices.iter().all(|index| matches!(index, Process::Local(_)))
}
