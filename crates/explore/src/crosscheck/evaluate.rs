//! Evaluates compiled formulas in a state: true, false, or unknown if the truth depends on undefined slots (S. C.
//! Kleene's strong three-valued logic). A formula that is false here is false for all values of undefined slots.

use super::compile::{Code, Decode, Domain, NodeId, Operation};
use super::values::{Interned, UNKNOWN};
use crate::lists::Lists;
use logic::term::ListOperation;
use logic::{Quantifier, Rational};
use system::instance::UNDEFINED;

const FALSE: i64 = 0;
const TRUE: i64 = 1;

pub(super) struct Evaluator<'c> {
    code: &'c Code,
    interned: Interned,
    /// The decoded value of each entry in the current state.
    values: Vec<i64>,
    /// The values of bound variables.
    bound: Vec<i64>,
    /// A stamp for each level, renewed whenever its variable takes another value; the first is that of the state.
    stamps: Vec<u64>,
    last_stamp: u64,
    /// The outermost levels that [`Evaluator::bind`] has bound in the current state.
    fixed: usize,
    /// The state that was loaded last; empty at first.
    state: Vec<i64>,
    /// For shared nodes: the value, and the stamp of its level when it was computed.
    kept: Vec<(u64, i64)>,
    /// The number of operations evaluated so far.
    pub(super) operations: u64,
}

impl<'c> Evaluator<'c> {
    pub(super) fn new(code: &'c Code, interned: Interned) -> Evaluator<'c> {
        Evaluator {
            values: vec![UNKNOWN; code.entries.len()],
            bound: vec![UNKNOWN; code.levels],
            stamps: vec![0; code.levels + 1],
            last_stamp: 0,
            fixed: 0,
            state: Vec::new(),
            kept: vec![(0, UNKNOWN); code.nodes.len()],
            code,
            interned,
            operations: 0,
        }
    }

    /// Loads a state, and reports the entries whose values differ from those in the state before.
    pub(super) fn load(&mut self, state: &[i64], lists: &Lists, changed: &mut dyn FnMut(usize)) {
        let entries = self.code.entries.iter().zip(&mut self.values).enumerate();
        for (entry, ((slot, decode), value)) in entries {
            let number = state.get(*slot).copied().unwrap_or(UNDEFINED);
            if self.state.get(*slot) == Some(&number) {
                continue;
            }
            let new = read(decode, number, lists, &mut self.interned);
            if new != *value {
                *value = new;
                changed(entry);
            }
        }
        self.state.clear();
        self.state.extend_from_slice(state);
        self.stamp(0);
        self.fixed = 0;
    }

    /// Binds the variables of the outermost loops to these values.
    pub(super) fn bind(&mut self, values: &[i64]) {
        let bound = self.bound.iter().zip(values).take(self.fixed);
        let unchanged = bound.take_while(|(bound, value)| bound == value).count();
        for (level, value) in values.iter().enumerate().skip(unchanged) {
            self.bound[level] = *value;
            self.stamp(level + 1);
        }
        self.fixed = values.len();
    }

    /// Whether the formula is false for all values of undefined slots.
    pub(super) fn is_false(&mut self, formula: NodeId) -> bool {
        self.value(formula) == FALSE
    }

    fn stamp(&mut self, level: usize) {
        self.last_stamp += 1;
        self.stamps[level] = self.last_stamp;
    }

    fn value(&mut self, number: NodeId) -> i64 {
        let (index, code) = (number as usize, self.code);
        let node = &code.nodes[index];
        match node.operation {
            Operation::Constant(value) => return value,
            Operation::Bound(level) => return self.bound[level],
            Operation::Entry(entry) => return self.values[entry],
            _ => {}
        }
        if !node.shared {
            return self.apply(&node.operation);
        }
        let stamp = self.stamps[node.level];
        if self.kept[index].0 == stamp {
            return self.kept[index].1;
        }
        let value = self.apply(&node.operation);
        self.kept[index] = (stamp, value);
        value
    }

    fn apply(&mut self, operation: &Operation) -> i64 {
        self.operations += 1;
        match operation {
            Operation::Constant(value) => *value,
            Operation::Bound(level) => self.bound[*level],
            Operation::Entry(entry) => self.values[*entry],
            Operation::Lookup(table, arguments) => self.lookup(*table, arguments),
            Operation::Not(a) => match self.value(*a) {
                UNKNOWN => UNKNOWN,
                value => TRUE - value,
            },
            Operation::And(operands) => self.connective(operands, FALSE),
            Operation::Or(operands) => self.connective(operands, TRUE),
            Operation::Equal(a, b) => self.compare(*a, *b, |a, b| a == b),
            Operation::Less(a, b) => self.compare(*a, *b, |a, b| a < b),
            Operation::LessEqual(a, b) => self.compare(*a, *b, |a, b| a <= b),
            Operation::EqualLists(a, b) => self.equal_lists(*a, *b),
            Operation::Ite(condition, then, otherwise) => match self.value(*condition) {
                TRUE => self.value(*then),
                FALSE => self.value(*otherwise),
                _ => {
                    let value = self.value(*then);
                    if value == self.value(*otherwise) {
                        value
                    } else {
                        UNKNOWN
                    }
                }
            },
            Operation::Add(operands) => self.fold(operands, i64::checked_add),
            Operation::Multiply(a, b) => self.fold(&[*a, *b], i64::checked_mul),
            Operation::Divide(a, b) => self.fold(&[*a, *b], i64::checked_div_euclid),
            Operation::Modulo(a, b) => self.fold(&[*a, *b], i64::checked_rem_euclid),
            Operation::LessReal(a, b) => self.compare_reals(*a, *b, |a, b| a < b),
            Operation::LessEqualReal(a, b) => self.compare_reals(*a, *b, |a, b| a <= b),
            Operation::AddReal(operands) => self.fold_reals(operands, Rational::checked_add),
            Operation::MultiplyReal(a, b) => self.fold_reals(&[*a, *b], Rational::checked_mul),
            Operation::DivideReal(a, b) => self.fold_reals(&[*a, *b], Rational::checked_div),
            Operation::List(operation, operands) => self.list(*operation, operands).unwrap_or(UNKNOWN),
            Operation::Loop(quantifier, level, domain, body) => self.quantified(*quantifier, *level, *domain, *body),
        }
    }

    fn lookup(&mut self, table: usize, arguments: &[NodeId]) -> i64 {
        let mut values = [UNKNOWN; 4];
        if arguments.len() > values.len() {
            let values: Vec<i64> = arguments.iter().map(|a| self.value(*a)).collect();
            let known = |position: usize| values.get(position).copied().filter(|value| *value != UNKNOWN);
            return self.code.tables[table]
                .entry(known)
                .map_or(UNKNOWN, |entry| self.values[entry]);
        }
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = self.value(*argument);
            if *value == UNKNOWN {
                return UNKNOWN;
            }
        }
        let entry = self.code.tables[table].entry(|position| values.get(position).copied());
        entry.map_or(UNKNOWN, |entry| self.values[entry])
    }

    /// `decisive` if some operand is.
    fn connective(&mut self, operands: &[NodeId], decisive: i64) -> i64 {
        let mut result = TRUE - decisive;
        for operand in operands {
            match self.value(*operand) {
                value if value == decisive => return decisive,
                UNKNOWN => result = UNKNOWN,
                _ => {}
            }
        }
        result
    }

    fn quantified(&mut self, quantifier: Quantifier, level: usize, domain: Domain, body: NodeId) -> i64 {
        let decisive = match quantifier {
            Quantifier::Forall => FALSE,
            Quantifier::Exists => TRUE,
        };
        // A shared node may bind at a level at which a loop around it binds, too.
        let (outer, stamp) = (self.bound[level], self.stamps[level + 1]);
        let mut result = if domain.whole { TRUE - decisive } else { UNKNOWN };
        for value in domain.low..domain.low + domain.count {
            self.bound[level] = value;
            self.stamp(level + 1);
            match self.value(body) {
                value if value == decisive => {
                    result = decisive;
                    break;
                }
                UNKNOWN => result = UNKNOWN,
                _ => {}
            }
        }
        (self.bound[level], self.stamps[level + 1]) = (outer, stamp);
        result
    }

    fn compare(&mut self, a: NodeId, b: NodeId, holds: impl Fn(i64, i64) -> bool) -> i64 {
        let a = self.value(a);
        if a == UNKNOWN {
            return UNKNOWN;
        }
        match self.value(b) {
            UNKNOWN => UNKNOWN,
            b => i64::from(holds(a, b)),
        }
    }

    /// Overflow of 64 bits and division by zero are unknown.
    fn fold(&mut self, operands: &[NodeId], operation: impl Fn(i64, i64) -> Option<i64>) -> i64 {
        let mut result: Option<i64> = None;
        for operand in operands {
            let value = self.value(*operand);
            let next = match result {
                _ if value == UNKNOWN => None,
                None => Some(value),
                Some(result) => operation(result, value),
            };
            match next {
                Some(next) => result = Some(next),
                None => return UNKNOWN,
            }
        }
        result.unwrap_or(UNKNOWN)
    }

    fn real(&mut self, node: NodeId) -> Option<Rational> {
        let number = self.value(node);
        self.interned.real_of(number)
    }

    fn compare_reals(&mut self, a: NodeId, b: NodeId, holds: impl Fn(Rational, Rational) -> bool) -> i64 {
        match (self.real(a), self.real(b)) {
            (Some(a), Some(b)) => i64::from(holds(a, b)),
            _ => UNKNOWN,
        }
    }

    fn fold_reals(&mut self, operands: &[NodeId], operation: impl Fn(Rational, Rational) -> Option<Rational>) -> i64 {
        let mut result: Option<Rational> = None;
        for operand in operands {
            let Some(value) = self.real(*operand) else {
                return UNKNOWN;
            };
            result = match result {
                None => Some(value),
                Some(result) => operation(result, value),
            };
            if result.is_none() {
                return UNKNOWN;
            }
        }
        result.map_or(UNKNOWN, |value| self.interned.real(value))
    }

    fn equal_lists(&mut self, a: NodeId, b: NodeId) -> i64 {
        let (a, b) = (self.value(a), self.value(b));
        let (Some(a), Some(b)) = (self.interned.list_of(a), self.interned.list_of(b)) else {
            return UNKNOWN;
        };
        let known = |(a, b): (&i64, &i64)| *a != UNKNOWN && *b != UNKNOWN && a != b;
        if a.len() != b.len() || a.iter().zip(b).any(known) {
            return FALSE;
        }
        if a.contains(&UNKNOWN) || b.contains(&UNKNOWN) {
            return UNKNOWN;
        }
        TRUE
    }

    fn list(&mut self, operation: ListOperation, operands: &[NodeId]) -> Option<i64> {
        let list = self.value(*operands.first()?);
        let mut elements = self.interned.list_of(list)?.to_vec();
        match operation {
            ListOperation::Length => i64::try_from(elements.len()).ok(),
            ListOperation::Head => elements.first().copied(),
            ListOperation::Tail => {
                if !elements.is_empty() {
                    elements.remove(0);
                }
                Some(self.interned.list(elements))
            }
            ListOperation::Append => {
                let mut element = self.value(*operands.get(1)?);
                let is_list = self
                    .interned
                    .list_of(element)
                    .is_some_and(|list| list.contains(&UNKNOWN));
                if is_list {
                    element = UNKNOWN;
                }
                elements.push(element);
                Some(self.interned.list(elements))
            }
        }
    }
}

fn read(decode: &Decode, number: i64, lists: &Lists, interned: &mut Interned) -> i64 {
    match decode {
        Decode::Defined => return i64::from(number != UNDEFINED),
        Decode::IsOne => return i64::from(number == 1),
        _ if number == UNDEFINED => return UNKNOWN,
        _ => {}
    }
    match decode {
        Decode::Table { low, values } => {
            let offset = number.checked_sub(*low).and_then(|offset| usize::try_from(offset).ok());
            offset.and_then(|offset| values.get(offset)).copied().unwrap_or(UNKNOWN)
        }
        Decode::Real(scale) => {
            let value = Rational::new(i128::from(number), i128::from(*scale));
            value.map_or(UNKNOWN, |value| interned.real(value))
        }
        Decode::List(element) => {
            let elements = lists.elements(number).into_iter();
            let elements = elements
                .map(|number| nested(element, number, lists, interned))
                .collect();
            interned.list(elements)
        }
        Decode::Integer | Decode::Defined | Decode::IsOne => number,
    }
}

/// Decodes an element of a list.
fn nested(decode: &Decode, number: i64, lists: &Lists, interned: &mut Interned) -> i64 {
    let Decode::List(element) = decode else {
        return read(decode, number, lists, interned);
    };
    if number == UNDEFINED {
        return UNKNOWN;
    }
    let elements = lists.elements(number).into_iter();
    let elements = elements
        .map(|number| nested(element, number, lists, interned))
        .collect();
    interned.element(elements)
}
