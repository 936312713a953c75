//! Evaluation of expressions.

use super::{CALL_DEPTH, Flow, MEMORY, Machine, Stop};
use crate::arithmetic;
use crate::code::{Argument, Call, Expression, FoldLoop, InRange, Inline, Place, Range};
use crate::fault::{Fault, FaultKind};
use system::Span;
use system::instance::{Binary, Fold, UNDEFINED, Unary};

impl Machine<'_> {
    /// Evaluates a condition. The most frequent ones are inlined into the caller.
    #[inline(always)]
    pub(crate) fn test(&mut self, code: &Expression) -> Result<bool, Stop> {
        match code {
            Expression::SlotEquals {
                slot,
                raw,
                span,
                constant,
            } => {
                let value = self.read(*slot as usize);
                if value == UNDEFINED && !raw {
                    self.fail_undefined(*slot as usize, *span)
                } else {
                    Ok(value == *constant)
                }
            }
            Expression::SlotDiffers {
                slot,
                raw,
                span,
                constant,
            } => {
                let value = self.read(*slot as usize);
                if value == UNDEFINED && !raw {
                    self.fail_undefined(*slot as usize, *span)
                } else {
                    Ok(value != *constant)
                }
            }
            code => self.test_rest(code),
        }
    }

    #[inline(never)]
    fn test_rest(&mut self, code: &Expression) -> Result<bool, Stop> {
        match code {
            Expression::SlotIn {
                slot,
                raw,
                span,
                low,
                members,
            } => {
                let value = self.read(*slot as usize);
                if value == UNDEFINED && !raw {
                    self.fail_undefined(*slot as usize, *span)
                } else {
                    let distance = value.wrapping_sub(*low).cast_unsigned();
                    Ok(distance < 64 && members >> distance & 1 == 1)
                }
            }
            Expression::And(parts) => {
                for part in parts {
                    if !self.test(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expression::Or(parts) => {
                for part in parts {
                    if self.test(part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expression::Not(a) => Ok(!self.test(a)?),
            Expression::Binary(operator, parts, span) => {
                let a = self.evaluate(&parts.0)?;
                let b = self.evaluate(&parts.1)?;
                match operator {
                    Binary::Equal => Ok(a == b),
                    Binary::NotEqual => Ok(a != b),
                    Binary::Less => Ok(a < b),
                    Binary::LessEqual => Ok(a <= b),
                    operator => Ok(self.arithmetic(*operator, a, b, *span)? != 0),
                }
            }
            Expression::IsUndefined(place, length) => self.is_undefined(place, *length),
            Expression::SameBlock(places, length) => self.is_same(&places.0, &places.1, *length),
            code => Ok(self.evaluate(code)? != 0),
        }
    }

    #[inline(never)]
    fn is_undefined(&mut self, place: &Place, length: u32) -> Result<bool, Stop> {
        let block = self.block(place, length)?;
        self.read_block(&block);
        Ok(self.memory[block].iter().all(|value| *value == UNDEFINED))
    }

    #[inline(never)]
    fn is_same(&mut self, a: &Place, b: &Place, length: u32) -> Result<bool, Stop> {
        let a = self.block(a, length)?;
        let b = self.block(b, length)?;
        self.read_block(&a);
        self.read_block(&b);
        Ok(self.memory[a] == self.memory[b])
    }

    /// Evaluates an expression. The most frequent ones are inlined into the caller.
    #[inline(always)]
    pub(crate) fn evaluate(&mut self, code: &Expression) -> Result<i64, Stop> {
        match code {
            Expression::Constant(value) => Ok(*value),
            Expression::Slot(slot, span) => {
                let value = self.read(*slot as usize);
                if value == UNDEFINED {
                    self.fail_undefined(*slot as usize, *span)
                } else {
                    Ok(value)
                }
            }
            Expression::RawSlot(slot) => Ok(self.read(*slot as usize)),
            code => self.evaluate_rest(code),
        }
    }

    #[inline(never)]
    fn evaluate_rest(&mut self, code: &Expression) -> Result<i64, Stop> {
        match code {
            Expression::Constant(_) | Expression::Slot(..) | Expression::RawSlot(_) => self.evaluate(code),
            Expression::Load(place, span) => {
                let address = self.address(place)?;
                self.load(address, *span)
            }
            Expression::LoadRaw(place) => {
                let address = self.address(place)?;
                self.load_raw(address)
            }
            Expression::Binary(operator, parts, span) => {
                let a = self.evaluate(&parts.0)?;
                let b = self.evaluate(&parts.1)?;
                self.arithmetic(*operator, a, b, *span)
            }
            Expression::Unary(operator, a, span) => {
                let a = self.evaluate(a)?;
                self.unary(*operator, a, *span)
            }
            Expression::If(parts) => {
                if self.test(&parts.0)? {
                    self.evaluate(&parts.1)
                } else {
                    self.evaluate(&parts.2)
                }
            }
            Expression::InRange(check) => self.in_range(check),
            Expression::Address(place) => {
                let address = self.address(place)?;
                Ok(i64::try_from(address).unwrap_or(i64::MAX))
            }
            Expression::Fold(fold) => self.fold(fold),
            Expression::Call(call) => match self.call(call)? {
                Some(value) => Ok(value),
                None => self.no_result(call.function, call.span),
            },
            Expression::Inline(inline) => self.inline(inline),
            Expression::Sequence(parts) => {
                self.run(&parts.0)?;
                self.evaluate(&parts.1)
            }
            Expression::Append(..) | Expression::Head(..) | Expression::Tail(..) | Expression::Length(_) => {
                self.list(code)
            }
            Expression::Fail(fault) => self.fail((**fault).clone()),
            Expression::SlotEquals { .. }
            | Expression::SlotDiffers { .. }
            | Expression::SlotIn { .. }
            | Expression::And(_)
            | Expression::Or(_)
            | Expression::Not(_)
            | Expression::IsUndefined(..)
            | Expression::SameBlock(..) => Ok(i64::from(self.test(code)?)),
        }
    }

    #[inline]
    fn load(&mut self, address: usize, span: Span) -> Result<i64, Stop> {
        if address >= self.memory.len() {
            return self.fail_malformed(span, "an address outside memory");
        }
        match self.read(address) {
            UNDEFINED => self.fail_undefined(address, span),
            value => Ok(value),
        }
    }

    fn load_raw(&mut self, address: usize) -> Result<i64, Stop> {
        if address >= self.memory.len() {
            return self.fail_malformed(Span::default(), "an address outside memory");
        }
        Ok(self.read(address))
    }

    #[inline]
    fn arithmetic(&mut self, operator: Binary, a: i64, b: i64, span: Span) -> Result<i64, Stop> {
        match arithmetic::binary(operator, a, b) {
            Ok(value) => Ok(value),
            Err(kind) => self.fail(Fault::arithmetic(kind, span)),
        }
    }

    #[inline(never)]
    fn unary(&mut self, operator: Unary, a: i64, span: Span) -> Result<i64, Stop> {
        match arithmetic::unary(operator, a) {
            Ok(value) => Ok(value),
            Err(kind) => self.fail(Fault::arithmetic(kind, span)),
        }
    }

    /// Undefined values pass: where they must not, the load has already failed.
    #[inline]
    pub(super) fn in_range(&mut self, check: &InRange) -> Result<i64, Stop> {
        let value = self.evaluate(&check.value)?;
        if (value < check.low || value > check.high) && value != UNDEFINED {
            return self.fail(check.fault(value, self.instance));
        }
        Ok(value)
    }

    /// The first value, the step and the number of iterations.
    pub(super) fn range(&mut self, range: &Range) -> Result<(i64, i64, u64), Stop> {
        let low = self.evaluate(&range.low)?;
        let high = self.evaluate(&range.high)?;
        let step = self.evaluate(&range.step)?;
        self.windowed |= range.windowed;
        Ok((low, step, arithmetic::rounds(low, high, step)))
    }

    #[inline(never)]
    fn fold(&mut self, fold: &FoldLoop) -> Result<i64, Stop> {
        let (mut value, step, rounds) = self.range(&fold.range)?;
        let slot = self.cell(fold.slot);
        let mut count = 0;
        for _ in 0..rounds {
            self.burn(Span::default())?;
            self.write(slot, value);
            let holds = self.test(&fold.body)?;
            match fold.fold {
                Fold::Forall if !holds => return Ok(0),
                Fold::Exists if holds => return Ok(1),
                _ => count += i64::from(holds),
            }
            value = value.wrapping_add(step);
        }
        Ok(match fold.fold {
            Fold::Forall => 1,
            Fold::Exists => 0,
            Fold::Count => count,
        })
    }

    #[inline(never)]
    fn inline(&mut self, inline: &Inline) -> Result<i64, Stop> {
        let flow = self.run(&inline.body)?;
        match self.result.take() {
            Some(value) if flow == Flow::Return => Ok(value),
            _ => self.no_result(inline.function, inline.span),
        }
    }

    fn no_result(&mut self, function: usize, span: Span) -> Result<i64, Stop> {
        let name = self
            .instance
            .functions
            .get(function)
            .map_or("", |function| function.name.as_str());
        let message = format!("the end of function {name} was reached without a result");
        self.fail(Fault::new(FaultKind::NoResult, span, message))
    }

    /// The result, if the function returned one.
    #[inline(never)]
    pub(super) fn call(&mut self, call: &Call) -> Result<Option<i64>, Stop> {
        self.burn(call.span)?;
        let functions = self.functions;
        let Some(function) = functions.get(call.function) else {
            return self.fail_malformed(call.span, "a call of no function");
        };
        let (frame, length) = (
            function.place.map_or(self.top, |place| place as usize),
            function.frame as usize,
        );
        let top = frame + length;
        if self.depth >= CALL_DEPTH || top > MEMORY {
            let message = format!(
                "more than {CALL_DEPTH} calls of {} and others inside each other",
                function.name
            );
            return self.fail(Fault::new(FaultKind::RecursionLimit, call.span, message));
        }
        if self.memory.len() < top {
            self.memory.resize(top, UNDEFINED);
            if self.tracer.on {
                self.tracer.grow(top);
            }
        }
        // Evaluating the arguments may call the same function.
        let first = self.arguments.len();
        if let Err(stop) = self.find_arguments(&call.arguments) {
            self.drop_arguments(first);
            return Err(stop);
        }
        let count = self.arguments.len() - first;
        if count > length {
            self.drop_arguments(first);
            return self.fail_malformed(call.span, "more arguments than the frame holds");
        }
        self.memory[frame..frame + count].copy_from_slice(&self.arguments[first..]);
        self.memory[frame + count..top].fill(UNDEFINED);
        if self.tracer.on {
            self.tracer.entered(first, frame..top);
        }
        self.arguments.truncate(first);
        let (caller, below) = (self.frame, self.top);
        if function.place.is_none() {
            (self.frame, self.top) = (frame, top);
        }
        self.depth += 1;
        let flow = self.run(&function.body)?;
        self.depth -= 1;
        (self.frame, self.top) = (caller, below);
        let result = self.result.take();
        Ok(if flow == Flow::Return { result } else { None })
    }

    fn drop_arguments(&mut self, first: usize) {
        self.arguments.truncate(first);
        self.tracer.drop_arguments(first);
    }

    fn find_arguments(&mut self, arguments: &[Argument]) -> Result<(), Stop> {
        for argument in arguments {
            match argument {
                Argument::Value(value) => {
                    let value = self.evaluate(value)?;
                    self.arguments.push(value);
                    if self.tracer.on {
                        self.tracer.pass(None);
                    }
                }
                Argument::Block(place, length) => {
                    let from = self.block(place, *length)?;
                    self.arguments.extend_from_slice(&self.memory[from.clone()]);
                    if self.tracer.on {
                        self.tracer.pass(Some(from));
                    }
                }
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn list(&mut self, code: &Expression) -> Result<i64, Stop> {
        let (result, span) = match code {
            Expression::Append(parts, span) => {
                let list = self.evaluate(&parts.0)?;
                let element = self.evaluate(&parts.1)?;
                match self.lists.append(list, element) {
                    Some(list) => return Ok(list),
                    None => return self.fail(Fault::new(FaultKind::Overflow, *span, "too many different lists")),
                }
            }
            Expression::Head(list, span) => {
                let list = self.evaluate(list)?;
                (self.lists.head(list), *span)
            }
            Expression::Tail(list, span) => {
                let list = self.evaluate(list)?;
                (self.lists.tail(list), *span)
            }
            Expression::Length(list) => {
                let list = self.evaluate(list)?;
                return Ok(self.lists.length(list));
            }
            _ => (None, Span::default()),
        };
        match result {
            Some(value) => Ok(value),
            None => {
                let part = if matches!(code, Expression::Head(..)) {
                    "head"
                } else {
                    "tail"
                };
                self.fail(Fault::new(
                    FaultKind::EmptyList,
                    span,
                    format!("{part} of the empty list"),
                ))
            }
        }
    }

    /// Stores a value. Only a malformed instance has places outside memory.
    pub(super) fn store(&mut self, place: &Place, value: i64) -> Result<(), Stop> {
        let address = self.address(place)?;
        if address >= self.memory.len() {
            return self.fail_malformed(Span::default(), "an address outside memory");
        }
        self.write(address, value);
        Ok(())
    }
}
