//! A reference explorer, as simple as possible: it walks the trees of the instance and stores whole states in a map,
//! without any of the real explorer's optimisations.

use std::collections::{BTreeSet, VecDeque};
use system::instance::{
    Argument, Base, Binary, Expression, Fold, Instance, Parameter, Place, Range, Rule, Statement, Type, UNDEFINED,
    Unary,
};

#[derive(Default, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) states: BTreeSet<Vec<i64>>,
    pub(crate) fired: u64,
    /// The number of rules before the first failure.
    pub(crate) failure: Option<usize>,
}

/// Explores until the first failure; `None` if there are more than `limit` states.
pub(crate) fn explore(instance: &Instance, limit: usize) -> Option<Found> {
    let mut found = Found::default();
    let mut queue = VecDeque::new();
    let blank = vec![UNDEFINED; instance.slots.len()];
    for start in &instance.starts {
        for values in all_values(&start.parameters) {
            if successors(instance, start, &values, &blank, &mut found, &mut queue, 0).is_err() {
                found.failure = Some(0);
                return Some(found);
            }
        }
    }
    found.fired = 0;
    while let Some((state, depth)) = queue.pop_front() {
        if found.states.len() > limit {
            return None;
        }
        let level = level(instance, &state);
        if level.is_err() {
            found.failure = Some(depth + 1);
            return Some(found);
        }
        for rule in instance.rules.iter().filter(|rule| level == Ok(Some(rule.priority))) {
            for values in all_values(&rule.parameters) {
                if successors(instance, rule, &values, &state, &mut found, &mut queue, depth + 1).is_err() {
                    found.failure = Some(depth + 1);
                    return Some(found);
                }
            }
        }
    }
    Some(found)
}

/// The least priority of the enabled rules; an error if a guard fails.
fn level(instance: &Instance, state: &[i64]) -> Result<Option<i64>, ()> {
    let mut level = None;
    for rule in &instance.rules {
        for values in all_values(&rule.parameters) {
            let mut machine = Machine::new(instance, state, rule.frame, &values, Vec::new());
            let guard = machine.run(&rule.prologue).and_then(|_| machine.evaluate(&rule.guard));
            assert!(machine.choices.is_empty(), "guards here do not choose");
            match guard {
                Ok(0) | Err(Stop::Dropped) => {}
                Ok(_) => level = Some(level.map_or(rule.priority, |least: i64| least.min(rule.priority))),
                Err(Stop::Fault) => return Err(()),
            }
        }
    }
    Ok(level)
}

type Queue = VecDeque<(Vec<i64>, usize)>;

/// Fires one instance with all choices.
fn successors(
    instance: &Instance,
    rule: &Rule,
    values: &[i64],
    state: &[i64],
    found: &mut Found,
    queue: &mut Queue,
    depth: usize,
) -> Result<(), ()> {
    let mut choices: Vec<(i64, i64)> = Vec::new();
    loop {
        let mut machine = Machine::new(instance, state, rule.frame, values, std::mem::take(&mut choices));
        match machine.fire(rule) {
            Ok(false) | Err(Stop::Dropped) => {}
            Err(Stop::Fault) => return Err(()),
            Ok(true) => {
                found.fired += 1;
                let next = machine.memory[..state.len()].to_vec();
                let mut checker = Machine::new(instance, &next, 16, &[], Vec::new());
                for property in &instance.properties {
                    if !matches!(checker.evaluate(&property.condition), Ok(value) if value != 0) {
                        return Err(());
                    }
                }
                if found.states.insert(next.clone()) {
                    queue.push_back((next, depth));
                }
            }
        }
        choices = machine.choices;
        while let Some((taken, count)) = choices.pop() {
            if taken + 1 < count {
                choices.push((taken + 1, count));
                break;
            }
        }
        if choices.is_empty() {
            return Ok(());
        }
    }
}

fn all_values(parameters: &[Parameter]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for p in parameters {
        let extend = |done: &Vec<i64>| {
            (p.low..=p.high)
                .map(|v| [done.clone(), vec![v]].concat())
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}

enum Stop {
    Fault,
    Dropped,
}

struct Machine<'i> {
    instance: &'i Instance,
    memory: Vec<i64>,
    frame: usize,
    choices: Vec<(i64, i64)>,
    position: usize,
    result: Option<i64>,
}

impl<'i> Machine<'i> {
    fn new(
        instance: &'i Instance,
        state: &[i64],
        frame: usize,
        values: &[i64],
        choices: Vec<(i64, i64)>,
    ) -> Machine<'i> {
        let mut memory = state.to_vec();
        memory.extend(values);
        memory.resize(state.len() + frame.max(values.len()), UNDEFINED);
        Machine {
            instance,
            memory,
            frame: state.len(),
            choices,
            position: 0,
            result: None,
        }
    }

    fn fire(&mut self, rule: &Rule) -> Result<bool, Stop> {
        self.run(&rule.prologue)?;
        if self.evaluate(&rule.guard)? == 0 {
            return Ok(false);
        }
        self.run(&rule.body)?;
        Ok(true)
    }

    fn address(&mut self, place: &Place) -> Result<usize, Stop> {
        let mut address = match place.base {
            Base::State(slot) => slot,
            Base::Frame(slot) => self.frame + slot,
            Base::Reference(slot) => usize::try_from(self.memory[self.frame + slot]).map_err(|_| Stop::Fault)?,
        };
        address += place.offset;
        for subscript in &place.subscripts {
            let index = self.evaluate(&subscript.index)?;
            if !(subscript.low..=subscript.high).contains(&index) {
                return Err(Stop::Fault);
            }
            address += usize::try_from(index - subscript.low).map_err(|_| Stop::Fault)? * subscript.stride;
        }
        Ok(address)
    }

    fn range(&mut self, range: &Range) -> Result<Vec<i64>, Stop> {
        let (low, high) = (self.evaluate(&range.low)?, self.evaluate(&range.high)?);
        Ok((low..=high).collect())
    }

    fn evaluate(&mut self, expression: &Expression) -> Result<i64, Stop> {
        match expression {
            Expression::Constant(value) => Ok(*value),
            Expression::Load(place) => {
                let address = self.address(place)?;
                Some(self.memory[address])
                    .filter(|value| *value != UNDEFINED)
                    .ok_or(Stop::Fault)
            }
            Expression::LoadRaw(place) => {
                let address = self.address(place)?;
                Ok(self.memory[address])
            }
            Expression::IsUndefined(place, length) => {
                let address = self.address(place)?;
                Ok(i64::from(
                    self.memory[address..address + length].iter().all(|v| *v == UNDEFINED),
                ))
            }
            Expression::Address(place) => Ok(self.address(place)? as i64),
            Expression::Unary(Unary::Not, a) => Ok(i64::from(self.evaluate(a)? == 0)),
            Expression::Binary(operator, a, b, _) => {
                let a = self.evaluate(a)?;
                match (operator, a != 0) {
                    (Binary::And, false) => return Ok(0),
                    (Binary::Or, true) | (Binary::Implies, false) => return Ok(1),
                    _ => {}
                }
                let b = self.evaluate(b)?;
                Ok(match operator {
                    Binary::Add => a + b,
                    Binary::Subtract => a - b,
                    Binary::Equal => i64::from(a == b),
                    Binary::NotEqual => i64::from(a != b),
                    Binary::Less => i64::from(a < b),
                    Binary::LessEqual => i64::from(a <= b),
                    Binary::And | Binary::Or | Binary::Implies => b,
                    other => panic!("{other:?} is not in the reference"),
                })
            }
            Expression::If(condition, a, b) => {
                if self.evaluate(condition)? != 0 {
                    self.evaluate(a)
                } else {
                    self.evaluate(b)
                }
            }
            Expression::Fold {
                fold,
                slot,
                range,
                body,
            } => {
                let mut count = 0;
                for value in self.range(range)? {
                    let frame = self.frame;
                    self.memory[frame + slot] = value;
                    let holds = self.evaluate(body)? != 0;
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
            Expression::Call(function, arguments, _) => {
                self.call(*function, arguments)?;
                self.result.take().ok_or(Stop::Fault)
            }
            other => panic!("{other:?} is not in the reference"),
        }
    }

    fn call(&mut self, function: usize, arguments: &[Argument]) -> Result<(), Stop> {
        let procedure = &self.instance.functions[function];
        let mut frame = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Value(value) => frame.push(self.evaluate(value)?),
                Argument::Block(place, length) => {
                    let address = self.address(place)?;
                    frame.extend_from_slice(&self.memory[address..address + length]);
                }
            }
        }
        frame.resize(procedure.frame, UNDEFINED);
        let caller = self.frame;
        self.frame = self.memory.len();
        self.memory.extend(frame);
        self.result = None;
        self.run(&procedure.body)?;
        self.memory.truncate(self.frame);
        self.frame = caller;
        Ok(())
    }

    /// True if the code returned.
    fn run(&mut self, statements: &[Statement]) -> Result<bool, Stop> {
        for statement in statements {
            if self.step(statement)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn step(&mut self, statement: &Statement) -> Result<bool, Stop> {
        match statement {
            Statement::Assign { place, value, ty, .. } => {
                let value = self.evaluate(value)?;
                let address = self.address(place)?;
                let (low, count) = self.instance.bounds(*ty);
                if !(low..low + count).contains(&value) {
                    return Err(Stop::Fault);
                }
                self.memory[address] = value;
            }
            Statement::Store { place, value } => {
                let value = self.evaluate(value)?;
                let address = self.address(place)?;
                self.memory[address] = value;
            }
            Statement::CopyBlock { to, from, length } => {
                let from = self.address(from)?;
                let to = self.address(to)?;
                self.memory.copy_within(from..from + length, to);
            }
            Statement::Undefine { place, length } => {
                let address = self.address(place)?;
                self.memory[address..address + length].fill(UNDEFINED);
            }
            Statement::Choose { place, ty } => {
                let (low, count) = self.instance.bounds(*ty);
                assert!(!matches!(self.instance.types[*ty], Type::Integer { .. }));
                if self.position == self.choices.len() {
                    self.choices.push((0, count));
                }
                let value = low + self.choices[self.position].0;
                self.position += 1;
                let address = self.address(place)?;
                self.memory[address] = value;
            }
            Statement::If {
                condition,
                then,
                otherwise,
            } => {
                let branch = if self.evaluate(condition)? != 0 {
                    then
                } else {
                    otherwise
                };
                return self.run(branch);
            }
            Statement::For { slot, range, body } => {
                for value in self.range(range)? {
                    let frame = self.frame;
                    self.memory[frame + slot] = value;
                    if self.run(body)? {
                        return Ok(true);
                    }
                }
            }
            Statement::Call {
                function, arguments, ..
            } => {
                self.call(*function, arguments)?;
                self.result = None;
            }
            Statement::Return(value) => {
                self.result = match value {
                    Some(value) => Some(self.evaluate(value)?),
                    None => None,
                };
                return Ok(true);
            }
            Statement::Assume { condition } => {
                if self.evaluate(condition)? == 0 {
                    return Err(Stop::Dropped);
                }
            }
            Statement::Assert { condition, .. } => {
                if self.evaluate(condition)? == 0 {
                    return Err(Stop::Fault);
                }
            }
            other => panic!("{other:?} is not in the reference"),
        }
        Ok(false)
    }
}
