//! The initial states: all values that `init` permits for all tuples of processes.
//!
//! Equalities between slots, or between a slot and a value, are solved at compile time, so that only unconstrained
//! slots are chosen; every other conjunct is checked as soon as all slots that it reads have values.

use super::code::Code;
use super::{Compiler, MAXIMAL_SIZE};
use crate::check::keyword;
use crate::model::*;
use std::collections::BTreeMap;
use system::instance::{self, Base, Expression, Instance, Place, Statement};
use system::{Diagnostic, Span};

/// Each needs more memory than a solved equation.
const MAXIMAL_CONDITIONS: usize = 200_000;

/// One side of an equation that can be solved.
#[derive(Clone, Copy)]
enum Side {
    Slot(usize),
    Value(i64),
}

/// Slots that are equal in every initial state.
struct Classes {
    /// A slot with a smaller index in the same class, or the slot itself.
    parents: Vec<usize>,
    values: BTreeMap<usize, i64>,
    /// Whether two different values must be equal: there is no initial state.
    contradiction: bool,
}

impl Classes {
    fn root(&self, slot: usize) -> usize {
        let mut slot = slot;
        while self.parents[slot] != slot {
            slot = self.parents[slot];
        }
        slot
    }

    /// The root, with path compression.
    fn shorten(&mut self, slot: usize) -> usize {
        let root = self.root(slot);
        let mut slot = slot;
        while slot != root {
            slot = std::mem::replace(&mut self.parents[slot], root);
        }
        root
    }

    fn unite(&mut self, a: Side, b: Side) {
        match (a, b) {
            (Side::Value(a), Side::Value(b)) => self.contradiction |= a != b,
            (Side::Slot(slot), Side::Value(value)) | (Side::Value(value), Side::Slot(slot)) => {
                let root = self.shorten(slot);
                let before = *self.values.entry(root).or_insert(value);
                self.contradiction |= before != value;
            }
            (Side::Slot(a), Side::Slot(b)) => {
                let (a, b) = (self.shorten(a), self.shorten(b));
                let (low, high) = (a.min(b), a.max(b));
                if low == high {
                    return;
                }
                self.parents[high] = low;
                if let Some(value) = self.values.remove(&high) {
                    self.unite(Side::Slot(low), Side::Value(value));
                }
            }
        }
    }
}

impl Compiler<'_> {
    /// The start, and whether it chooses numbers.
    pub(super) fn start(&mut self) -> (Vec<instance::Rule>, bool) {
        let block = &self.model.init;
        let mut code = Code::new(self.layout, block.locals.len(), block.variables);
        let slots = self.layout.slots.len();
        let mut classes = Classes {
            parents: (0..slots).collect(),
            values: BTreeMap::new(),
            contradiction: false,
        };
        let mut conditions: Vec<(usize, Expression)> = Vec::new();
        for conjunct in block.formula.conjuncts() {
            self.conjunct(conjunct, block, &mut code, &mut classes, &mut conditions);
        }
        let (frame, diagnostics) = (code.frame, code.diagnostics);
        self.diagnostics.extend(diagnostics);
        let (body, chosen) = if classes.contradiction {
            let never = Statement::Assume {
                condition: Expression::Constant(0),
            };
            (vec![never], false)
        } else {
            self.assignments(&classes, conditions)
        };
        let start = instance::Rule {
            name: "init".to_owned(),
            priority: 0,
            parameters: Vec::new(),
            prologue: Vec::new(),
            guard: Expression::Constant(1),
            body,
            frame,
            span: block.span,
        };
        (vec![start], chosen)
    }

    /// Instantiates a conjunct for all values of its process variables.
    fn conjunct(
        &mut self,
        conjunct: &Formula,
        block: &Block,
        code: &mut Code<'_>,
        classes: &mut Classes,
        conditions: &mut Vec<(usize, Expression)>,
    ) {
        let variables: Vec<usize> = match has_other(conjunct) {
            true => (0..block.variables).collect(),
            false => used_variables(conjunct, block.variables),
        };
        let tuples = self.layout.shape.cells(variables.len());
        if tuples > MAXIMAL_SIZE || conditions.len() > MAXIMAL_CONDITIONS {
            return self.too_large(conjunct);
        }
        for tuple in 0..tuples {
            for (variable, value) in variables
                .iter()
                .zip(self.layout.shape.cell_indices(tuple, variables.len()))
            {
                code.fixed[*variable] = Some(value);
            }
            if let FormulaKind::Compare(Comparison::Equal, left, right) = &conjunct.kind
                && let (Some(left), Some(right)) = (side(code, left), side(code, right))
            {
                classes.unite(left, right);
                continue;
            }
            let condition = code.formula(conjunct);
            conditions.push((last_slot(code, conjunct), condition));
            if conditions.len() > MAXIMAL_CONDITIONS {
                self.too_large(conjunct);
                break;
            }
        }
        for variable in variables {
            code.fixed[variable] = None;
        }
    }

    fn too_large(&mut self, conjunct: &Formula) {
        let message = format!(
            "an instance with {} processes is too large",
            self.layout.shape.processes
        );
        let diagnostic = Diagnostic::error(conjunct.span, message).label("for too many tuples of processes");
        self.diagnostics.push(diagnostic);
    }

    /// Assigns every slot in order, and checks each condition as soon as it can be evaluated.
    fn assignments(&self, classes: &Classes, mut conditions: Vec<(usize, Expression)>) -> (Vec<Statement>, bool) {
        let mut body = Vec::new();
        let mut chosen = false;
        // A stack; conditions of one slot stay in source order.
        conditions.reverse();
        conditions.sort_by_key(|(slot, _)| std::cmp::Reverse(*slot));
        for (slot, ty) in self.layout.slots.iter().map(|slot| slot.ty).enumerate() {
            let root = classes.root(slot);
            let value = match classes.values.get(&root) {
                Some(value) => Some(Expression::Constant(*value)),
                None if root != slot => Some(Expression::Load(state_place(root))),
                None => None,
            };
            body.push(match value {
                Some(value) => Statement::Assign {
                    place: state_place(slot),
                    value,
                    ty,
                    span: self.model.init.span,
                },
                None => {
                    let ty_is_number = matches!(
                        self.layout.types[ty],
                        instance::Type::Integer { .. } | instance::Type::Real { .. }
                    );
                    chosen |= ty_is_number;
                    Statement::Choose {
                        place: state_place(slot),
                        ty,
                    }
                }
            });
            while conditions.last().is_some_and(|(last, _)| *last <= slot) {
                body.extend(conditions.pop().map(|(_, condition)| Statement::Assume { condition }));
            }
        }
        body.extend(
            conditions
                .into_iter()
                .rev()
                .map(|(_, condition)| Statement::Assume { condition }),
        );
        (body, chosen)
    }
}

/// With more combinations of free values, the search would not get beyond the initial states.
const MANY_STARTS: i64 = 1_000_000;

/// Warns if `init` leaves too much unconstrained to explore, and names it.
pub(super) fn warning(model: &Model, instance: &Instance) -> Option<Diagnostic> {
    let mut combinations = 1_i64;
    let mut open: Vec<&str> = Vec::new();
    for statement in instance.starts.iter().flat_map(|start| &start.body) {
        let Statement::Choose { place, ty } = statement else {
            continue;
        };
        combinations = combinations.saturating_mul(match &instance.types[*ty] {
            instance::Type::Integer { window } | instance::Type::Real { window, .. } => {
                window.1.saturating_sub(window.0).saturating_add(1)
            }
            _ => instance.bounds(*ty).1,
        });
        // Families are in symbol order.
        if let Base::State(slot) = place.base {
            let name = model.symbols[instance.slots[slot].family].name.as_str();
            if open.last() != Some(&name) {
                open.push(name);
            }
        }
    }
    let message = format!("`init` leaves {combinations} combinations of values open");
    (combinations > MANY_STARTS).then(|| {
        Diagnostic::warning(keyword(model.init.span, "init"), message)
            .label("too many to explore all that follows from them")
            .help(format!("say where these start: {}", open.join(", ")))
    })
}

fn state_place(slot: usize) -> Place {
    Place {
        base: Base::State(slot),
        offset: 0,
        subscripts: Vec::new(),
        span: Span::default(),
    }
}

/// A slot or a value, if the term is one.
fn side(code: &mut Code<'_>, term: &Term) -> Option<Side> {
    match &term.kind {
        TermKind::Number(_) => code.number(term).map(Side::Value),
        TermKind::Process(_) | TermKind::Boolean(_) | TermKind::Constructor(_) | TermKind::Read(..) => {
            match code.term(term) {
                Expression::Constant(value) => Some(Side::Value(value)),
                Expression::Load(Place {
                    base: Base::State(slot),
                    subscripts,
                    ..
                }) if subscripts.is_empty() => Some(Side::Slot(slot)),
                _ => None,
            }
        }
        TermKind::Multiple(..) | TermKind::Sum(..) | TermKind::Error => None,
    }
}

fn has_other(formula: &Formula) -> bool {
    matches!(formula.kind, FormulaKind::Quantified { other: true, .. })
        || formula.children().iter().any(|f| has_other(f))
}

/// The first locals that occur in the formula, in order.
fn used_variables(formula: &Formula, variables: usize) -> Vec<usize> {
    let mut used = vec![false; variables];
    let mut note = |process: &Process| {
        if let Process::Local(id) = process
            && id.0 < variables
        {
            used[id.0] = true;
        }
    };
    formula.for_each_term(&mut |term| processes_in(term, &mut note));
    (0..variables).filter(|variable| used[*variable]).collect()
}

fn processes_in(term: &Term, visit: &mut dyn FnMut(&Process)) {
    match &term.kind {
        TermKind::Process(process) => visit(process),
        TermKind::Read(_, indices) => indices.iter().for_each(visit),
        TermKind::Sum(base, addend) => {
            processes_in(base, visit);
            processes_in(addend, visit);
        }
        _ => {}
    }
}

/// The last slot that the formula can read.
fn last_slot(code: &Code<'_>, formula: &Formula) -> usize {
    let mut last = 0;
    formula.for_each_term(&mut |term| last = last.max(last_slot_of(code, term)));
    last
}

fn last_slot_of(code: &Code<'_>, term: &Term) -> usize {
    match &term.kind {
        TermKind::Read(symbol, indices) => {
            let place = code.place(*symbol, indices, term.span);
            match (place.base, place.subscripts.is_empty()) {
                (Base::State(slot), true) => slot,
                // Under a quantifier: any cell of the array.
                _ => code.layout.offsets[symbol.0] + code.layout.shape.cells(indices.len()) - 1,
            }
        }
        TermKind::Multiple(_, symbol) => code.layout.offsets[symbol.0],
        TermKind::Sum(base, addend) => last_slot_of(code, base).max(last_slot_of(code, addend)),
        _ => 0,
    }
}
