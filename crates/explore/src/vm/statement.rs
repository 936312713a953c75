//! Execution of statements.

use super::{Flow, Machine, Stop};
use crate::code::{Expression, ForLoop, MultisetAdd, MultisetRemove, MultisetRemoveIf, Output, Statement, Switch};
use crate::fault::{Fault, FaultKind};
use system::Span;
use system::instance::UNDEFINED;

impl Machine<'_> {
    pub(crate) fn run(&mut self, code: &[Statement]) -> Result<Flow, Stop> {
        for statement in code {
            if self.step(statement)? == Flow::Return {
                return Ok(Flow::Return);
            }
        }
        Ok(Flow::Next)
    }

    #[inline(always)]
    fn step(&mut self, code: &Statement) -> Result<Flow, Stop> {
        match code {
            Statement::SetConstant { slot, value } => self.write(*slot as usize, *value),
            Statement::SetSlot {
                slot,
                value: Expression::RawSlot(from),
            } => {
                let from = *from as usize;
                self.memory[*slot as usize] = self.memory[from];
                if self.tracer.on {
                    self.tracer.copied(from..from + 1, *slot as usize);
                }
            }
            Statement::SetSlot { slot, value } => {
                let value = self.evaluate(value)?;
                self.write(*slot as usize, value);
            }
            Statement::AssignSlot { slot, check } => {
                let value = self.in_range(check)?;
                self.write(*slot as usize, value);
            }
            Statement::If(parts) => {
                let branch = if self.test(&parts.0)? { &parts.1 } else { &parts.2 };
                return self.run(branch);
            }
            Statement::Switch(switch) => return self.switch(switch),
            Statement::Store(parts) => {
                let value = self.evaluate(&parts.1)?;
                self.store(&parts.0, value)?;
            }
            Statement::Assign(parts) => {
                let value = self.in_range(&parts.1)?;
                self.store(&parts.0, value)?;
            }
            code => return self.step_rarely(code),
        }
        Ok(Flow::Next)
    }

    fn switch(&mut self, switch: &Switch) -> Result<Flow, Stop> {
        let slot = self.cell(switch.slot);
        let value = self.read(slot);
        if value == UNDEFINED && !switch.raw {
            return self.fail_undefined(slot, switch.span);
        }
        let distance = usize::try_from(value.wrapping_sub(switch.low)).ok();
        let branch = distance.and_then(|distance| switch.table.get(distance));
        self.run(&switch.branches[branch.map_or(0, |branch| *branch as usize)])
    }

    #[inline(never)]
    fn step_rarely(&mut self, code: &Statement) -> Result<Flow, Stop> {
        match code {
            Statement::CopyFixed { .. }
            | Statement::Copy(..)
            | Statement::UndefineFixed { .. }
            | Statement::Undefine(..)
            | Statement::Fill(_) => self.move_block(code)?,
            Statement::Choose(choice) => {
                if choice.count == 0 {
                    return Err(Stop::Assumption);
                }
                self.windowed |= choice.windowed;
                let value = self.choose(choice.low, choice.count);
                self.store(&choice.place, value)?;
            }
            Statement::For(round) => return self.for_loop(round),
            Statement::While(parts) => {
                while self.test(&parts.0)? {
                    self.burn(parts.2)?;
                    if self.run(&parts.1)? == Flow::Return {
                        return Ok(Flow::Return);
                    }
                }
            }
            Statement::Call(call) => {
                self.call(call)?;
            }
            Statement::Block(body) => {
                self.run(body)?;
                self.result = None;
            }
            Statement::Return(value) => {
                self.result = match value {
                    Some(value) => Some(self.evaluate(value)?),
                    None => None,
                };
                return Ok(Flow::Return);
            }
            Statement::Assert(parts) => {
                if !self.test(&parts.0)? {
                    return self.fail(parts.1.clone());
                }
            }
            Statement::Assume(condition) => {
                if !self.test(condition)? {
                    return Err(Stop::Assumption);
                }
            }
            Statement::Prune(condition) => {
                let (frame, top, depth) = (self.frame, self.top, self.depth);
                match self.test(condition) {
                    Ok(true) => {}
                    Ok(false) | Err(Stop::Assumption) => return Err(Stop::Assumption),
                    Err(Stop::Fault | Stop::Cut) => {
                        // The condition cannot be evaluated yet; unwind any calls.
                        (self.frame, self.top, self.depth) = (frame, top, depth);
                        self.fault = None;
                    }
                }
            }
            Statement::Fail(fault) => return self.fail((**fault).clone()),
            Statement::Put(outputs) => self.put(outputs)?,
            Statement::MultisetAdd(add) => self.multiset_add(add)?,
            Statement::MultisetRemove(remove) => self.multiset_remove(remove)?,
            Statement::MultisetRemoveIf(remove) => self.multiset_remove_if(remove)?,
            Statement::Evaluate(value) => {
                self.evaluate(value)?;
            }
            Statement::SetConstant { .. }
            | Statement::SetSlot { .. }
            | Statement::AssignSlot { .. }
            | Statement::If(_)
            | Statement::Switch(_)
            | Statement::Store(_)
            | Statement::Assign(_) => return self.step(code),
        }
        Ok(Flow::Next)
    }

    fn move_block(&mut self, code: &Statement) -> Result<(), Stop> {
        match code {
            Statement::CopyFixed { to, from, length } => {
                let (to, from, length) = (*to as usize, *from as usize, *length as usize);
                if to.max(from) + length > self.memory.len() {
                    return self.fail_malformed(Span::default(), "a block outside memory");
                }
                self.copy(from..from + length, to);
            }
            Statement::Copy(places, length) => {
                let from = self.block(&places.1, *length)?;
                let to = self.block(&places.0, *length)?;
                self.copy(from, to.start);
            }
            Statement::UndefineFixed { slot, length } => {
                let place = crate::code::Place::Fixed(*slot);
                let block = self.block(&place, *length)?;
                self.memory[block.clone()].fill(UNDEFINED);
                self.wrote_block(block);
            }
            Statement::Undefine(place, length) => {
                let block = self.block(place, *length)?;
                self.memory[block.clone()].fill(UNDEFINED);
                self.wrote_block(block);
            }
            Statement::Fill(parts) => {
                let length = u32::try_from(parts.1.len()).unwrap_or(u32::MAX);
                let block = self.block(&parts.0, length)?;
                self.memory[block.clone()].copy_from_slice(&parts.1);
                self.wrote_block(block);
            }
            _ => {}
        }
        Ok(())
    }

    fn for_loop(&mut self, round: &ForLoop) -> Result<Flow, Stop> {
        let (mut value, step, rounds) = self.range(&round.range)?;
        let slot = self.cell(round.slot);
        for _ in 0..rounds {
            self.burn(Span::default())?;
            self.write(slot, value);
            if self.run(&round.body)? == Flow::Return {
                return Ok(Flow::Return);
            }
            value = value.wrapping_add(step);
        }
        Ok(Flow::Next)
    }

    /// Outputs are evaluated even if nothing collects them, so that faults do not depend on it.
    fn put(&mut self, outputs: &[Output]) -> Result<(), Stop> {
        let listening = self.output.is_some();
        let mut line = String::new();
        for output in outputs {
            match output {
                Output::Value(value, _) if !listening => {
                    self.evaluate(value)?;
                }
                Output::Block { place, types, .. } if !listening => {
                    self.block(place, u32::try_from(types.len()).unwrap_or(u32::MAX))?;
                }
                Output::Text(_) if !listening => {}
                Output::Text(text) => line.push_str(text),
                Output::Value(value, ty) => {
                    let value = self.evaluate(value)?;
                    line.push_str(&self.lists.text(self.instance, *ty, value));
                }
                Output::Block { name, place, types } => {
                    let block = self.block(place, u32::try_from(types.len()).unwrap_or(u32::MAX))?;
                    let texts: Vec<String> = self.memory[block]
                        .iter()
                        .zip(types)
                        .map(|(value, ty)| self.lists.text(self.instance, *ty, *value))
                        .collect();
                    line.push_str(&format!("{name}: {}", texts.join(", ")));
                }
            }
        }
        if let Some(lines) = &mut self.output {
            lines.push(line);
        }
        Ok(())
    }

    fn multiset_add(&mut self, add: &MultisetAdd) -> Result<(), Stop> {
        let from = self.block(&add.from, add.stride)?;
        let width = add.stride + 1;
        let region = self.block(&add.place, add.capacity.saturating_mul(width))?;
        for start in region.step_by(width as usize) {
            if self.read(start) != 1 {
                self.write(start, 1);
                self.copy(from, start + 1);
                return Ok(());
            }
        }
        let message = format!("the multiset is full: it holds {} elements", add.capacity);
        self.fail(Fault::new(FaultKind::MultisetFull, add.span, message))
    }

    fn multiset_remove(&mut self, remove: &MultisetRemove) -> Result<(), Stop> {
        let index = self.evaluate(&remove.index)?;
        let width = remove.stride + 1;
        let region = self.block(&remove.place, remove.capacity.saturating_mul(width))?;
        let element = usize::try_from(index)
            .ok()
            .filter(|index| *index < remove.capacity as usize);
        match element.map(|element| region.start + element * width as usize) {
            Some(start) if self.read(start) == 1 => {
                self.write(start, 0);
                Ok(())
            }
            _ => {
                let message = format!("the multiset has no element {index}");
                self.fail(Fault::new(FaultKind::MultisetAbsent, remove.span, message))
            }
        }
    }

    fn multiset_remove_if(&mut self, remove: &MultisetRemoveIf) -> Result<(), Stop> {
        let width = remove.stride + 1;
        let region = self.block(&remove.place, remove.capacity.saturating_mul(width))?;
        let slot = self.cell(remove.slot);
        for (number, start) in region.step_by(width as usize).enumerate() {
            if self.read(start) == 1 {
                self.write(slot, i64::try_from(number).unwrap_or(i64::MAX));
                if self.test(&remove.condition)? {
                    self.write(start, 0);
                }
            }
        }
        Ok(())
    }
}
