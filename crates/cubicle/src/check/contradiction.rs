//! Detects trivially unsatisfiable initial conditions.
//!
//! The variables of `init` range over all tuples of processes, so they may all be equal. After substituting one process
//! for all of them, the equalities among the conjuncts must not equate two different values, and no term may differ
//! from itself or be less than itself. Subtler contradictions are left to a solver.

use crate::model::*;
use std::collections::BTreeMap;
use system::{Diagnostic, Span};

/// A term up to renaming all processes to one; distinct values are distinct keys.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Process,
    ProcessConstant(u32),
    Boolean(bool),
    Constructor(usize),
    /// Numerator and denominator.
    Number(i128, i128),
    Read(SymbolId, Vec<Process>),
}

impl Key {
    fn is_value(&self) -> bool {
        !matches!(self, Key::Read(..) | Key::Process)
    }
}

/// At most one warning.
pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let mut classes = Classes::default();
    for conjunct in model.init.formula.conjuncts() {
        if matches!(conjunct.kind, FormulaKind::Boolean(false)) {
            return Some(warning(conjunct.span, "never true"));
        }
        let FormulaKind::Compare(Comparison::Equal, left, right) = &conjunct.kind else {
            continue;
        };
        let (Some(left), Some(right)) = (key(left), key(right)) else {
            continue;
        };
        if let Some(before) = classes.unite(left, right, conjunct.span) {
            let diagnostic = warning(conjunct.span, "this contradicts what is asked for elsewhere");
            return Some(match before {
                Some(before) => diagnostic.related(before, "with this"),
                None => diagnostic,
            });
        }
    }
    for conjunct in model.init.formula.conjuncts() {
        let FormulaKind::Compare(comparison, left, right) = &conjunct.kind else {
            continue;
        };
        let (Some(left), Some(right)) = (key(left), key(right)) else {
            continue;
        };
        let irreflexive = matches!(comparison, Comparison::NotEqual | Comparison::Less);
        if irreflexive && classes.root(left) == classes.root(right) {
            return Some(warning(
                conjunct.span,
                "false where the variables stand for the same process",
            ));
        }
    }
    None
}

fn warning(span: Span, label: &str) -> Diagnostic {
    Diagnostic::warning(span, "there is no initial state: `init` contradicts itself")
        .label(label)
        .help("every property holds of a system that cannot start; `init` asks for all tuples of processes, equal ones too")
}

/// `None` for sums.
fn key(term: &Term) -> Option<Key> {
    let same = |process: &Process| match process {
        Process::Local(_) => Process::Local(LocalId(0)),
        constant => *constant,
    };
    match &term.kind {
        TermKind::Process(Process::Local(_)) => Some(Key::Process),
        TermKind::Process(Process::Constant(number)) => Some(Key::ProcessConstant(*number)),
        TermKind::Boolean(value) => Some(Key::Boolean(*value)),
        TermKind::Constructor(position) => Some(Key::Constructor(*position)),
        TermKind::Number(value) => Some(Key::Number(value.numerator, value.denominator)),
        TermKind::Read(symbol, processes) => Some(Key::Read(*symbol, processes.iter().map(same).collect())),
        TermKind::Multiple(..) | TermKind::Sum(..) | TermKind::Error => None,
    }
}

/// Equivalence classes of terms. The representative of a class with a value is the value.
#[derive(Default)]
struct Classes {
    parents: BTreeMap<Key, (Key, Span)>,
}

impl Classes {
    fn root(&self, key: Key) -> Key {
        let mut key = key;
        while let Some((parent, _)) = self.parents.get(&key) {
            key = parent.clone();
        }
        key
    }

    /// On equating two values, the place of an earlier equation that contributes, if there is one.
    fn unite(&mut self, left: Key, right: Key, span: Span) -> Option<Option<Span>> {
        let (a, b) = (self.root(left.clone()), self.root(right.clone()));
        if a == b {
            return None;
        }
        if a.is_value() && b.is_value() {
            let edge = self.parents.get(&left).or_else(|| self.parents.get(&right));
            return Some(edge.map(|(_, span)| *span));
        }
        let (child, parent) = if a.is_value() { (b, a) } else { (a, b) };
        self.parents.insert(child, (parent, span));
        None
    }
}
