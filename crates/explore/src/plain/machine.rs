//! A second interpreter for instances, as simple as possible: it walks the front end's trees, which are all it shares
//! with the search. No specialisation, packing, symmetry or filters.

use crate::fault::FaultKind;
use std::collections::HashMap;
use std::rc::Rc;
use system::instance::{
    Argument, Base, Binary, Expression, Fold, Instance, Output, Place, Range, Statement, Type, TypeId, UNDEFINED, Unary,
};

/// Iterations and calls of one rule: more than the search permits, so that both stop at the same rules.
const FUEL: u64 = 40_000_000;
/// The maximum call depth.
const CALL_DEPTH: u32 = 2_000;

/// Why execution stopped early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    Fault(FaultKind),
    Assumption,
    Cut,
}

type Outcome<T> = Result<T, Stop>;

/// The lists of all states of a run, by number.
#[derive(Default)]
pub(super) struct ListTable {
    numbers: HashMap<Rc<[i64]>, i64>,
    lists: Vec<Rc<[i64]>>,
}

impl ListTable {
    fn number(&mut self, elements: &[i64]) -> i64 {
        if let Some(number) = self.numbers.get(elements) {
            return *number;
        }
        let number = self.lists.len() as i64;
        let elements: Rc<[i64]> = elements.into();
        self.lists.push(Rc::clone(&elements));
        self.numbers.insert(elements, number);
        number
    }

    pub(super) fn elements(&self, number: i64) -> Rc<[i64]> {
        let found = usize::try_from(number).ok().and_then(|number| self.lists.get(number));
        found.map_or_else(|| Rc::from([]), Rc::clone)
    }

    /// The display form of a value.
    pub(super) fn text(&self, instance: &Instance, ty: TypeId, value: i64) -> String {
        match &instance.types[ty] {
            Type::List { element } if value != UNDEFINED => {
                let elements = self.elements(value);
                let texts: Vec<String> = elements.iter().map(|e| self.text(instance, *element, *e)).collect();
                format!("[{}]", texts.join(", "))
            }
            _ => instance.value_name(ty, value),
        }
    }
}

/// The choices of an execution: first the given values, then all others in turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    given: Vec<i64>,
    /// For each choice, the number of alternatives and the index of the one taken.
    taken: Vec<(u64, u64)>,
    position: usize,
}

impl Choices {
    pub(super) fn new(given: Vec<i64>) -> Choices {
        Choices {
            given,
            ..Choices::default()
        }
    }

    /// Advances to the next vector of choices; false if there is none.
    pub(super) fn next(&mut self) -> bool {
        while let Some((count, taken)) = self.taken.pop() {
            if taken + 1 < count {
                self.taken.push((count, taken + 1));
                return true;
            }
        }
        false
    }

    fn choose(&mut self, low: i64, count: u64) -> Option<i64> {
        let position = self.position;
        self.position += 1;
        if let Some(value) = self.given.get(position) {
            let offset = i128::from(*value) - i128::from(low);
            return (0..i128::from(count)).contains(&offset).then_some(*value);
        }
        let position = position - self.given.len();
        if position == self.taken.len() {
            self.taken.push((count, 0));
        }
        let taken = self.taken.get(position)?.1;
        Some(low.wrapping_add(taken.cast_signed()))
    }
}

pub(super) struct Machine<'i, 'l> {
    instance: &'i Instance,
    lists: &'l mut ListTable,
    /// The state, followed by the frames.
    pub(super) memory: Vec<i64>,
    frame: usize,
    depth: u32,
    fuel: u64,
    result: Option<i64>,
    pub(super) choices: Choices,
}

impl<'i, 'l> Machine<'i, 'l> {
    pub(super) fn new(
        instance: &'i Instance,
        lists: &'l mut ListTable,
        state: &[i64],
        (frame, parameters): (usize, &[i64]),
        mut choices: Choices,
    ) -> Machine<'i, 'l> {
        choices.position = 0;
        let mut memory = state.to_vec();
        memory.extend_from_slice(parameters);
        memory.resize(state.len() + frame.max(parameters.len()), UNDEFINED);
        Machine {
            instance,
            lists,
            memory,
            frame: state.len(),
            depth: 0,
            fuel: FUEL,
            result: None,
            choices,
        }
    }

    fn burn(&mut self) -> Outcome<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fault(FaultKind::LoopLimit))?;
        Ok(())
    }

    fn get(&self, address: usize) -> Outcome<i64> {
        let value = self.memory.get(address).copied();
        value.ok_or(Stop::Fault(FaultKind::Malformed))
    }

    fn set(&mut self, address: usize, value: i64) -> Outcome<()> {
        let slot = self.memory.get_mut(address).ok_or(Stop::Fault(FaultKind::Malformed))?;
        *slot = value;
        Ok(())
    }

    fn block(&self, address: usize, length: usize) -> Outcome<Vec<i64>> {
        let block = self.memory.get(address..address + length);
        block.map(<[i64]>::to_vec).ok_or(Stop::Fault(FaultKind::Malformed))
    }

    fn set_block(&mut self, address: usize, values: &[i64]) -> Outcome<()> {
        let block = self.memory.get_mut(address..address + values.len());
        block.ok_or(Stop::Fault(FaultKind::Malformed))?.copy_from_slice(values);
        Ok(())
    }

    fn address(&mut self, place: &Place) -> Outcome<usize> {
        let base = match place.base {
            Base::State(slot) => slot,
            Base::Frame(slot) => self.frame + slot,
            Base::Reference(slot) => {
                let address = self.get(self.frame + slot)?;
                usize::try_from(address).map_err(|_| Stop::Fault(FaultKind::Malformed))?
            }
        };
        let mut address = base + place.offset;
        for subscript in &place.subscripts {
            let index = self.evaluate(&subscript.index)?;
            if index < subscript.low || index > subscript.high {
                return Err(match subscript.windowed {
                    true => Stop::Cut,
                    false => Stop::Fault(FaultKind::IndexOutOfBounds),
                });
            }
            let distance = usize::try_from(index.wrapping_sub(subscript.low));
            address += distance.map_err(|_| Stop::Fault(FaultKind::Malformed))? * subscript.stride;
        }
        Ok(address)
    }

    pub(super) fn test(&mut self, condition: &Expression) -> Outcome<bool> {
        Ok(self.evaluate(condition)? != 0)
    }

    fn evaluate(&mut self, expression: &Expression) -> Outcome<i64> {
        match expression {
            Expression::Constant(value) => Ok(*value),
            Expression::Load(place) => {
                let address = self.address(place)?;
                match self.get(address)? {
                    UNDEFINED => Err(Stop::Fault(FaultKind::UndefinedRead)),
                    value => Ok(value),
                }
            }
            Expression::LoadRaw(place) => {
                let address = self.address(place)?;
                self.get(address)
            }
            Expression::IsUndefined(place, length) => {
                let address = self.address(place)?;
                Ok(i64::from(self.block(address, *length)?.iter().all(|v| *v == UNDEFINED)))
            }
            Expression::Address(place) => Ok(self.address(place)? as i64),
            Expression::Unary(operator, a) => unary(*operator, self.evaluate(a)?),
            Expression::Binary(operator, a, b, _) => self.binary(*operator, a, b),
            Expression::If(condition, then, otherwise) => match self.test(condition)? {
                true => self.evaluate(then),
                false => self.evaluate(otherwise),
            },
            Expression::Fold {
                fold,
                slot,
                range,
                body,
            } => self.fold(*fold, *slot, range, body),
            Expression::SameBlock(a, b, length) => {
                let (a, b) = (self.address(a)?, self.address(b)?);
                Ok(i64::from(self.block(a, *length)? == self.block(b, *length)?))
            }
            Expression::Call(function, arguments, _) => {
                let result = self.call(*function, arguments)?;
                result.ok_or(Stop::Fault(FaultKind::NoResult))
            }
            Expression::Sequence(statements, value) => {
                self.run(statements)?;
                self.evaluate(value)
            }
            Expression::InRange { value, low, high, .. } => {
                let value = self.evaluate(value)?;
                within(value, *low, *high)
            }
            _ => self.list(expression),
        }
    }

    fn list(&mut self, expression: &Expression) -> Outcome<i64> {
        match expression {
            Expression::EmptyList => Ok(self.lists.number(&[])),
            Expression::Append(list, element) => {
                let list = self.evaluate(list)?;
                let element = self.evaluate(element)?;
                let elements: Vec<i64> = self.lists.elements(list).iter().copied().chain([element]).collect();
                Ok(self.lists.number(&elements))
            }
            Expression::Head(list, _) => {
                let list = self.evaluate(list)?;
                let first = self.lists.elements(list).first().copied();
                first.ok_or(Stop::Fault(FaultKind::EmptyList))
            }
            Expression::Tail(list, _) => {
                let list = self.evaluate(list)?;
                match self.lists.elements(list).split_first() {
                    Some((_, rest)) => Ok(self.lists.number(rest)),
                    None => Err(Stop::Fault(FaultKind::EmptyList)),
                }
            }
            Expression::Length(list) => {
                let list = self.evaluate(list)?;
                Ok(self.lists.elements(list).len() as i64)
            }
            _ => Err(Stop::Fault(FaultKind::Malformed)),
        }
    }

    fn binary(&mut self, operator: Binary, a: &Expression, b: &Expression) -> Outcome<i64> {
        let a = self.evaluate(a)?;
        match (operator, a != 0) {
            (Binary::And, false) => return Ok(0),
            (Binary::Or, true) | (Binary::Implies, false) => return Ok(1),
            _ => {}
        }
        let b = self.evaluate(b)?;
        let result = match operator {
            Binary::Add => a.checked_add(b),
            Binary::Subtract => a.checked_sub(b),
            Binary::Multiply => a.checked_mul(b),
            Binary::Divide | Binary::Modulo if b == 0 => return Err(Stop::Fault(FaultKind::DivisionByZero)),
            Binary::Divide => a.checked_div(b),
            Binary::Modulo => a.checked_rem(b),
            Binary::Equal => Some(i64::from(a == b)),
            Binary::NotEqual => Some(i64::from(a != b)),
            Binary::Less => Some(i64::from(a < b)),
            Binary::LessEqual => Some(i64::from(a <= b)),
            Binary::And | Binary::Or | Binary::Implies => Some(i64::from(b != 0)),
            Binary::BitAnd => Some(a & b),
            Binary::BitOr => Some(a | b),
            Binary::BitXor => Some(a ^ b),
            Binary::ShiftLeft => Some(shifted(a, i128::from(b))),
            Binary::ShiftRight => Some(shifted(a, -i128::from(b))),
        };
        number(result)
    }

    /// The values of a range in order.
    fn range(&mut self, range: &Range) -> Outcome<impl Iterator<Item = i64> + use<>> {
        let low = i128::from(self.evaluate(&range.low)?);
        let high = i128::from(self.evaluate(&range.high)?);
        let step = i128::from(self.evaluate(&range.step)?);
        let goes_on = move |value: &i128| match step.signum() {
            1 => *value <= high,
            -1 => *value >= high,
            _ => false,
        };
        let next = move |value: &i128| Some(value + step);
        let values = std::iter::successors(Some(low), next).take_while(goes_on);
        Ok(values.map(|value| value as i64))
    }

    fn fold(&mut self, fold: Fold, slot: usize, range: &Range, body: &Expression) -> Outcome<i64> {
        let mut count = 0;
        for value in self.range(range)? {
            self.burn()?;
            self.set(self.frame + slot, value)?;
            let holds = self.test(body)?;
            match fold {
                Fold::Forall if !holds => return Ok(0),
                Fold::Exists if holds => return Ok(1),
                _ => count += i64::from(holds),
            }
        }
        Ok(match fold {
            Fold::Forall => 1,
            Fold::Exists => 0,
            Fold::Count => count,
        })
    }

    /// The result, if the function returns one.
    fn call(&mut self, function: usize, arguments: &[Argument]) -> Outcome<Option<i64>> {
        self.burn()?;
        let instance = self.instance;
        let procedure = instance
            .functions
            .get(function)
            .ok_or(Stop::Fault(FaultKind::Malformed))?;
        if self.depth >= CALL_DEPTH {
            return Err(Stop::Fault(FaultKind::RecursionLimit));
        }
        // Allocated before the arguments are evaluated, since these may contain calls.
        let frame = self.memory.len();
        self.memory.resize(frame + procedure.frame, UNDEFINED);
        let mut slot = frame;
        for argument in arguments {
            let values = match argument {
                Argument::Value(value) => vec![self.evaluate(value)?],
                Argument::Block(place, length) => {
                    let address = self.address(place)?;
                    self.block(address, *length)?
                }
            };
            self.set_block(slot, &values)?;
            slot += values.len();
        }
        let caller = std::mem::replace(&mut self.frame, frame);
        self.depth += 1;
        self.result = None;
        let returned = self.run(&procedure.body)?;
        self.depth -= 1;
        self.frame = caller;
        self.memory.truncate(frame);
        let result = self.result.take();
        Ok(result.filter(|_| returned))
    }

    /// True if the code returned.
    pub(super) fn run(&mut self, statements: &[Statement]) -> Outcome<bool> {
        for statement in statements {
            if self.step(statement)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn step(&mut self, statement: &Statement) -> Outcome<bool> {
        match statement {
            Statement::Assign { place, value, ty, .. } => {
                let value = self.evaluate(value)?;
                if let Some((low, high)) = limits(self.instance, *ty) {
                    within(value, low, high)?;
                }
                let address = self.address(place)?;
                self.set(address, value)?;
            }
            Statement::Store { place, value } => {
                let value = self.evaluate(value)?;
                let address = self.address(place)?;
                self.set(address, value)?;
            }
            Statement::If {
                condition,
                then,
                otherwise,
            } => {
                let branch = if self.test(condition)? { then } else { otherwise };
                return self.run(branch);
            }
            Statement::For { .. } | Statement::While { .. } => return self.rounds(statement),
            Statement::Call {
                function, arguments, ..
            } => {
                self.call(*function, arguments)?;
            }
            Statement::Return(value) => {
                self.result = value.as_ref().map(|value| self.evaluate(value)).transpose()?;
                return Ok(true);
            }
            Statement::Assert { condition, .. } => {
                if !self.test(condition)? {
                    return Err(Stop::Fault(FaultKind::Assertion));
                }
            }
            Statement::Assume { condition } => {
                if !self.test(condition)? {
                    return Err(Stop::Assumption);
                }
            }
            Statement::Prune { condition } => self.prune(condition)?,
            Statement::Error { .. } => return Err(Stop::Fault(FaultKind::Error)),
            Statement::Put(outputs) => self.put(outputs)?,
            _ => self.change(statement)?,
        }
        Ok(false)
    }

    /// True if the code returned.
    fn rounds(&mut self, statement: &Statement) -> Outcome<bool> {
        match statement {
            Statement::For { slot, range, body } => {
                for value in self.range(range)? {
                    self.burn()?;
                    self.set(self.frame + slot, value)?;
                    if self.run(body)? {
                        return Ok(true);
                    }
                }
            }
            Statement::While { condition, body, .. } => {
                while self.test(condition)? {
                    self.burn()?;
                    if self.run(body)? {
                        return Ok(true);
                    }
                }
            }
            _ => {}
        }
        Ok(false)
    }

    /// Statements that change several slots, or choose.
    fn change(&mut self, statement: &Statement) -> Outcome<()> {
        match statement {
            Statement::CopyBlock { to, from, length } => {
                // Copies after both places are known: evaluating the second may change the first.
                let (from, to) = (self.address(from)?, self.address(to)?);
                let values = self.block(from, *length)?;
                self.set_block(to, &values)
            }
            Statement::Undefine { place, length } => {
                let address = self.address(place)?;
                self.set_block(address, &vec![UNDEFINED; *length])
            }
            Statement::Fill { place, values } => {
                let address = self.address(place)?;
                self.set_block(address, values)
            }
            Statement::Choose { place, ty } => {
                let (low, count) = self.values(*ty);
                if count == 0 {
                    return Err(Stop::Assumption);
                }
                let value = self.choices.choose(low, count);
                let value = value.ok_or(Stop::Fault(FaultKind::Malformed))?;
                let address = self.address(place)?;
                self.set(address, value)
            }
            _ => self.multiset(statement),
        }
    }

    fn multiset(&mut self, statement: &Statement) -> Outcome<()> {
        match statement {
            Statement::MultisetAdd {
                place,
                capacity,
                stride,
                from,
                ..
            } => {
                let (from, base) = (self.address(from)?, self.address(place)?);
                let element = self.block(from, *stride)?;
                for number in 0..*capacity {
                    let start = base + number * (stride + 1);
                    if self.get(start)? != 1 {
                        self.set(start, 1)?;
                        return self.set_block(start + 1, &element);
                    }
                }
                Err(Stop::Fault(FaultKind::MultisetFull))
            }
            Statement::MultisetRemove {
                place,
                capacity,
                stride,
                index,
                ..
            } => {
                let index = usize::try_from(self.evaluate(index)?).unwrap_or(usize::MAX);
                let base = self.address(place)?;
                if index >= *capacity || self.get(base + index * (stride + 1))? != 1 {
                    return Err(Stop::Fault(FaultKind::MultisetAbsent));
                }
                self.set(base + index * (stride + 1), 0)
            }
            Statement::MultisetRemoveIf {
                place,
                capacity,
                stride,
                slot,
                condition,
            } => {
                let base = self.address(place)?;
                for number in 0..*capacity {
                    let start = base + number * (stride + 1);
                    if self.get(start)? == 1 {
                        self.set(self.frame + slot, number as i64)?;
                        if self.test(condition)? {
                            self.set(start, 0)?;
                        }
                    }
                }
                Ok(())
            }
            _ => Err(Stop::Fault(FaultKind::Malformed)),
        }
    }

    /// The least alternative, and the number of alternatives.
    fn values(&self, ty: TypeId) -> (i64, u64) {
        match &self.instance.types[ty] {
            Type::Integer { window } | Type::Real { window, .. } => {
                let count = i128::from(window.1) - i128::from(window.0) + 1;
                (window.0, u64::try_from(count).unwrap_or(0))
            }
            _ => match limits(self.instance, ty) {
                Some((low, high)) => {
                    let count = i128::from(high) - i128::from(low) + 1;
                    (low, u64::try_from(count).unwrap_or(0))
                }
                None => (0, 0),
            },
        }
    }

    /// Does nothing if the condition cannot be evaluated yet.
    fn prune(&mut self, condition: &Expression) -> Outcome<()> {
        let (frame, depth, length) = (self.frame, self.depth, self.memory.len());
        match self.test(condition) {
            Ok(true) => Ok(()),
            Ok(false) | Err(Stop::Assumption) => Err(Stop::Assumption),
            Err(Stop::Fault(_) | Stop::Cut) => {
                (self.frame, self.depth) = (frame, depth);
                self.memory.truncate(length);
                Ok(())
            }
        }
    }

    /// Prints nothing, but evaluates the outputs, which may fail.
    fn put(&mut self, outputs: &[Output]) -> Outcome<()> {
        for output in outputs {
            match output {
                Output::Text(_) => {}
                Output::Value(value, _) => {
                    self.evaluate(value)?;
                }
                Output::Block { place, types, .. } => {
                    let address = self.address(place)?;
                    self.block(address, types.len())?;
                }
            }
        }
        Ok(())
    }
}

/// The least and the greatest value of a type that has both.
pub(super) fn limits(instance: &Instance, ty: TypeId) -> Option<(i64, i64)> {
    match &instance.types[ty] {
        Type::Range { low, high } => Some((*low, *high)),
        Type::Integer { .. } | Type::Real { .. } | Type::List { .. } => None,
        _ => {
            let (low, count) = instance.bounds(ty);
            Some((low, low + count - 1))
        }
    }
}

/// Undefined values pass: where they must not, reading them has already failed.
fn within(value: i64, low: i64, high: i64) -> Outcome<i64> {
    match value == UNDEFINED || (low..=high).contains(&value) {
        true => Ok(value),
        false => Err(Stop::Fault(FaultKind::OutOfRange)),
    }
}

/// The least 64-bit number marks undefined slots and is no valid result.
fn number(result: Option<i64>) -> Outcome<i64> {
    let result = result.filter(|value| *value != UNDEFINED);
    result.ok_or(Stop::Fault(FaultKind::Overflow))
}

fn unary(operator: Unary, a: i64) -> Outcome<i64> {
    match operator {
        Unary::Not => Ok(i64::from(a == 0)),
        Unary::Negate => number(a.checked_neg()),
        Unary::BitNot => Ok(!a),
    }
}

/// Shifts left by positive counts; counts of 64 or more give 0.
fn shifted(a: i64, count: i128) -> i64 {
    match count {
        -63..=-1 => a >> -count,
        0..=63 => a << count,
        _ => 0,
    }
}
