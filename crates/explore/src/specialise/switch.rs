//! Turns chains of tests of one slot into jump tables.

use crate::code::{Cell, Expression, Place, Statement, Switch};
use system::Span;
use system::instance::Binary;

/// The maximum number of entries of a table, and of branches.
const TABLE: i64 = 4096;
const BRANCHES: usize = 4096;

/// A statement that runs one of two blocks.
pub(super) fn branch(condition: Expression, then: Vec<Statement>, mut otherwise: Vec<Statement>) -> Statement {
    let of_one_slot = match (cases(&condition), &otherwise[..]) {
        (Some(first), [next]) if first.goes_with(next) => Some(first),
        _ => None,
    };
    let switch = of_one_slot.and_then(|first| match otherwise.pop() {
        Some(Statement::Switch(switch)) => Some((first, *switch)),
        Some(Statement::If(parts)) => {
            let second = cases(&parts.0)?;
            let mut switch = Switch {
                slot: second.slot,
                raw: second.raw,
                span: second.span,
                low: 0,
                table: Box::default(),
                branches: vec![parts.2],
            };
            add(&mut switch, &second, parts.1);
            Some((first, switch))
        }
        _ => None,
    });
    match switch {
        Some((first, mut switch)) => {
            add(&mut switch, &first, then);
            Statement::Switch(Box::new(switch))
        }
        None => Statement::If(Box::new((condition, then, otherwise))),
    }
}

/// A condition that only tests whether a slot has one of some values.
struct Cases {
    slot: Cell,
    raw: bool,
    span: Span,
    values: Vec<i64>,
}

impl Cases {
    /// The least and the greatest value.
    fn range(&self) -> Option<(i64, i64)> {
        Some((*self.values.iter().min()?, *self.values.iter().max()?))
    }

    /// Whether these cases and those of a statement fit one table.
    fn goes_with(&self, next: &Statement) -> bool {
        let Some((low, high)) = self.range() else {
            return false;
        };
        let (slot, other) = match next {
            Statement::Switch(switch) if switch.branches.len() < BRANCHES => (
                (switch.slot, switch.raw),
                Some((switch.low, switch.low + switch.table.len() as i64 - 1)),
            ),
            Statement::If(parts) => match cases(&parts.0) {
                Some(cases) => ((cases.slot, cases.raw), cases.range()),
                None => return false,
            },
            _ => return false,
        };
        let fits = |other: (i64, i64)| high.max(other.1).saturating_sub(low.min(other.0)) < TABLE;
        slot == (self.slot, self.raw) && other.is_some_and(fits)
    }
}

fn cases(condition: &Expression) -> Option<Cases> {
    let one = |slot: Cell, raw: bool, span: Span, value: i64| Cases {
        slot,
        raw,
        span,
        values: vec![value],
    };
    match condition {
        Expression::SlotEquals {
            slot,
            raw,
            span,
            constant,
        } => Some(one(Cell::Fixed(*slot), *raw, *span, *constant)),
        Expression::SlotIn {
            slot,
            raw,
            span,
            low,
            members,
        } => Some(Cases {
            slot: Cell::Fixed(*slot),
            raw: *raw,
            span: *span,
            values: (0..64)
                .filter(|bit| members >> bit & 1 == 1)
                .map(|bit| low.wrapping_add(bit))
                .collect(),
        }),
        Expression::Binary(Binary::Equal, parts, _) => match &**parts {
            (Expression::Load(place, span), Expression::Constant(value))
            | (Expression::Constant(value), Expression::Load(place, span)) => match **place {
                Place::Framed(slot) => Some(one(Cell::Framed(slot), false, *span, *value)),
                _ => None,
            },
            (Expression::LoadRaw(place), Expression::Constant(value))
            | (Expression::Constant(value), Expression::LoadRaw(place)) => match **place {
                Place::Framed(slot) => Some(one(Cell::Framed(slot), true, Span::default(), *value)),
                _ => None,
            },
            _ => None,
        },
        Expression::Or(parts) => {
            let mut parts = parts.iter().map(cases);
            let mut all = parts.next()??;
            for part in parts {
                let part = part?;
                if (part.slot, part.raw) != (all.slot, all.raw) {
                    return None;
                }
                all.values.extend(part.values);
            }
            Some(all)
        }
        _ => None,
    }
}

/// Prepends a case to a switch whose table has room for it.
fn add(switch: &mut Switch, cases: &Cases, then: Vec<Statement>) {
    let Some((mut low, mut high)) = cases.range() else {
        return;
    };
    if !switch.table.is_empty() {
        low = low.min(switch.low);
        high = high.max(switch.low + switch.table.len() as i64 - 1);
    }
    let mut table = vec![0; (high - low + 1) as usize];
    for (value, branch) in (switch.low..).zip(&switch.table) {
        table[(value - low) as usize] = *branch;
    }
    for value in &cases.values {
        table[(value - low) as usize] = switch.branches.len() as u16;
    }
    switch.low = low;
    switch.table = table.into();
    switch.span = cases.span;
    switch.branches.push(then);
}

/// Combines a disjunction of tests of one slot into a single test.
pub(super) fn any_of(parts: &[Expression]) -> Option<Expression> {
    let (mut first, mut values) = (None, Vec::new());
    for part in parts {
        if !matches!(part, Expression::SlotEquals { .. } | Expression::SlotIn { .. }) {
            return None;
        }
        let part = cases(part)?;
        let (slot, raw, _) = *first.get_or_insert((part.slot, part.raw, part.span));
        if (slot, raw) != (part.slot, part.raw) {
            return None;
        }
        values.extend(part.values);
    }
    let ((Cell::Fixed(slot), raw, span), low) = (first?, *values.iter().min()?) else {
        return None;
    };
    let bit = |value: &i64| u32::try_from(value.checked_sub(low)?).ok().filter(|bit| *bit < 64);
    let members = values
        .iter()
        .try_fold(0u64, |members, value| Some(members | 1 << bit(value)?))?;
    Some(Expression::SlotIn {
        slot,
        raw,
        span,
        low,
        members,
    })
}
