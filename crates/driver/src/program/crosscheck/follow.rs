//! A run of the second reading, followed in the system: each step, and each rule between two cut points.
//!
//! What cells hold is read from the bytes of the run. A step of the system must be possible there, and must lead to
//! what the bytes hold afterwards; what the system chooses may be anything in its range. No byte may change that the
//! step does not write.

use interpret::flat::{BlockOrigin as Bytes, Flat, Memory, Stop};
use logic::substitute::functions_of;
use logic::{Function, Kind, Substitution, Term, term};
use smt::{Answer, Purpose, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::program::Scalar;
use system::transition::TransitionSystem;
use unfold::stepwise::{CellInfo, Site, Stepwise, SymbolicStep};
use unfold::{ContextId, Node, ObjectOrigin, Unfolded};

/// How many steps may need a check of the solver, and how hard each may be.
const SOLVED: usize = 24;
const RESOURCES: u32 = 400_000;
/// How many rules are compared, of these how many of random runs, and how many times the same in a run.
const RULES: usize = 60;
const RULES_AT_RANDOM: usize = 16;
const SAME_RULE: usize = 2;

/// What was compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CrossChecked {
    /// Single steps of runs.
    pub steps: u64,
    /// Rules between two cut points.
    pub rules: u64,
    /// Runs whose inputs the solver chose, to get where no other run was.
    pub led: u64,
    /// Places of the program that some run passed, and how many there are.
    pub passed: usize,
    pub places: usize,
    /// Steps of which nothing follows: the solver did not decide, or they are beyond what is compared.
    pub undecided: u64,
}

/// What cells hold; none where that is not known.
type Values = BTreeMap<Function, Option<Term>>;

/// What is kept between runs.
pub(super) struct Follower<'u> {
    pub(super) unfolded: &'u Unfolded<'u>,
    system: &'u TransitionSystem,
    stepwise: Stepwise<'u>,
    solvers: Solvers,
    solved: usize,
    /// Of the run at hand, how often each rule was compared.
    rules: BTreeMap<(usize, usize), usize>,
    rules_left: usize,
    pub(super) checked: CrossChecked,
    pub(super) passed: BTreeSet<Node>,
    /// The cut points on the way of some run to each that was passed: the shortest way that was seen, and the shortest
    /// after which a run left its loop.
    pub(super) ways: BTreeMap<usize, Vec<usize>>,
    pub(super) ways_out: BTreeMap<usize, Vec<usize>>,
}

/// Where a run is in the system.
#[derive(Default)]
struct Position {
    contexts: Vec<(ContextId, u64)>,
    /// Calls that returned, too: pointers to their variables are still pointers.
    of_call: BTreeMap<u64, ContextId>,
    /// What was allocated, by its serial number, and how often each step of each context did so.
    allocated: BTreeMap<u64, ObjectOrigin>,
    times: BTreeMap<(ContextId, Site), u32>,
    /// The last cut point, with what cells held there.
    cut: Option<(usize, Values)>,
    way: Vec<usize>,
}

impl<'u> Follower<'u> {
    pub(super) fn new(unfolded: &'u Unfolded<'u>, system: &'u TransitionSystem, solvers: &Solvers) -> Follower<'u> {
        Follower {
            unfolded,
            system,
            stepwise: Stepwise::new(unfolded),
            solvers: solvers.with_resources(RESOURCES),
            solved: 0,
            rules: BTreeMap::default(),
            rules_left: RULES,
            checked: CrossChecked::default(),
            passed: BTreeSet::default(),
            ways: BTreeMap::new(),
            ways_out: BTreeMap::new(),
        }
    }

    /// Follows a run for so many steps. What the system cannot do is told.
    pub(super) fn follow(&mut self, flat: &mut Flat, most: usize) -> Result<(), String> {
        self.rules.clear();
        let mut position = Position {
            contexts: vec![(ContextId::FIRST, flat.frames.first().map_or(0, |frame| frame.serial))],
            ..Position::default()
        };
        position
            .of_call
            .extend(position.contexts.iter().map(|(context, serial)| (*serial, *context)));
        for _ in 0..most {
            let (Some((context, _)), Some(frame)) = (position.contexts.last().copied(), flat.frames.last()) else {
                break;
            };
            if self.unfolded.context(context).is_by_contract {
                break;
            }
            let node = Node::At(context, frame.location);
            self.passed.insert(node);
            self.at_cut(node, &mut position, &flat.memory)?;
            let steps = self.stepwise.steps(node);
            let mentioned = steps.iter().flat_map(|(_, step)| mentioned(step));
            let mut before: Values = BTreeMap::default();
            for function in mentioned {
                before
                    .entry(function)
                    .or_insert_with(|| self.value(function, &position, &flat.memory));
            }
            let taken = match flat.step() {
                Ok(taken) => taken,
                Err(Stop::Violated(property)) => {
                    return self.arrive(Node::Violated(property), &mut position, None);
                }
                Err(_) => break,
            };
            self.fill(&mut before, &position, flat);
            let edge = taken.edge.map(|edge| (edge, taken.callee));
            let is_this = |known: &unfold::stepwise::StepEdge| match (known, edge) {
                (Some((number, callee)), Some((taken, called))) => {
                    *number == taken && (callee.is_none() || *callee == called)
                }
                (None, None) => true,
                _ => false,
            };
            let step = steps.iter().find(|(known, _)| is_this(known));
            let Some((_, step)) = step else {
                return Err(format!(
                    "no step of the system leaves {} there",
                    self.unfolded.name(node)
                ));
            };
            if step.to == Some(Node::TooDeep) {
                break;
            }
            if !self.moved(&mut position, flat, taken.location, edge) {
                break;
            }
            self.compare(node, step, &before, &position, &flat.memory)?;
        }
        Ok(())
    }

    /// Whether the run is still one of the unfolded program.
    fn moved(
        &self,
        position: &mut Position,
        flat: &Flat,
        location: system::program::LocationId,
        edge: unfold::stepwise::StepEdge,
    ) -> bool {
        let Some((context, _)) = position.contexts.last().copied() else {
            return false;
        };
        if let (Some((edge, _)), Some(Bytes::Allocated(serial))) = (edge, flat.allocated) {
            let procedure = self.unfolded.context(context).procedure;
            let site = Site {
                procedure,
                location,
                edge,
            };
            let times = position.times.entry((context, site)).or_default();
            let origin = ObjectOrigin::Allocated(context, site, *times);
            *times += 1;
            if self.stepwise.address(origin).is_some() {
                position.allocated.insert(serial, origin);
            }
        }
        if flat.frames.len() < position.contexts.len() {
            position.contexts.pop();
        } else if flat.frames.len() > position.contexts.len() {
            let (Some(frame), Some((edge, _))) = (flat.frames.last(), edge) else {
                return false;
            };
            let Some(child) = self.unfolded.child(context, location, edge, frame.procedure) else {
                return false;
            };
            position.contexts.push((child, frame.serial));
            position.of_call.insert(frame.serial, child);
        }
        true
    }

    /// Whether the step that was taken is one of the system.
    fn compare(
        &mut self,
        node: Node,
        step: &SymbolicStep,
        before: &Values,
        position: &Position,
        memory: &Memory,
    ) -> Result<(), String> {
        self.checked.steps += 1;
        // What is chosen is mostly written as it is.
        let mut known = before.clone();
        let mut written = Vec::new();
        for (cell, value) in &step.updates {
            let Some(held) = self.stepwise.cell_info(*cell) else {
                continue;
            };
            let Some(after) = self.holds(held, position, memory) else {
                continue;
            };
            written.push((*value, after));
            let chosen = step.choices.iter().find(|(function, _)| function.apply([]) == *value);
            if let Some((function, _)) = chosen {
                known.insert(*function, Some(after));
            }
        }
        let put = substitution(&known);
        let mut formulas = vec![put.apply(step.condition)];
        formulas.extend(step.choices.iter().map(|(_, range)| put.apply(*range)));
        formulas.extend(written.into_iter().map(|(value, after)| same(put.apply(value), after)));
        if let Some(name) = self.changed_besides(step, position, memory) {
            let place = self.unfolded.name(node);
            return Err(format!(
                "a step at {place} changes {name}, and in the system it does not"
            ));
        }
        let what = || format!("a step at {} is none of the system", self.unfolded.name(node));
        self.possible(formulas).unwrap_or(true).then_some(()).ok_or_else(what)
    }

    /// A cell that holds something else now, and that the step of the system does not write.
    fn changed_besides(&self, step: &SymbolicStep, position: &Position, memory: &Memory) -> Option<String> {
        for (address, old) in &memory.changed {
            let Some((block, offset)) = memory.block_at(*address) else {
                continue;
            };
            let (Ok(offset), Some(origin)) = (u64::try_from(offset), system_of(block, position)) else {
                continue;
            };
            for cell in self.stepwise.cells_in(origin, offset, 1) {
                let Some(held) = self.stepwise.cell_info(cell) else {
                    continue;
                };
                if step.updates.contains_key(&cell) || held.constant.is_some() {
                    continue;
                }
                // Of fields in one byte, only those count that have a bit that changed.
                let is_other = match (held.bits, old) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some(bits), Some(old)) => {
                        let mask = ((1u128 << bits.width) - 1) << bits.first >> (8 * (offset - held.offset).min(15));
                        let new = memory.look(*address, 1).map_or(*old, |(new, _)| new.to_le_bytes()[0]);
                        u128::from(old ^ new) & mask != 0
                    }
                };
                if is_other {
                    return Some(held.function.name().to_string());
                }
            }
        }
        None
    }

    /// Whether formulas can hold together; none where that is not known.
    fn possible(&mut self, formulas: Vec<Term>) -> Option<bool> {
        let all = logic::simplify(term::and(formulas));
        if all.is_true() {
            return Some(true);
        }
        if all.is_false() {
            return Some(false);
        }
        if self.solved >= SOLVED {
            self.checked.undecided += 1;
            return None;
        }
        self.solved += 1;
        self.asked(all)
    }

    fn asked(&mut self, formula: Term) -> Option<bool> {
        let formula = logic::simplify(formula);
        if formula.is_false() {
            return Some(false);
        }
        let mut solver = self.solvers.solver().ok()?;
        solver.assert(formula).ok()?;
        match solver.check(Purpose::Bounded) {
            Ok(Answer::Sat) => Some(true),
            Ok(Answer::Unsat) => Some(false),
            Ok(Answer::Unknown(_)) | Err(_) => {
                self.checked.undecided += 1;
                None
            }
        }
    }

    /// At a cut point, the run since the last one must be a rule of the system.
    fn at_cut(&mut self, node: Node, position: &mut Position, memory: &Memory) -> Result<(), String> {
        let Some(number) = self.unfolded.nodes.iter().position(|known| *known == node) else {
            return Ok(());
        };
        if let Some(last) = position.way.last().copied().filter(|last| *last != number) {
            keep_shorter(&mut self.ways_out, last, &position.way);
        }
        position.way.push(number);
        keep_shorter(&mut self.ways, number, &position.way);
        self.arrive(node, position, Some(memory))
    }

    fn arrive(&mut self, node: Node, position: &mut Position, memory: Option<&Memory>) -> Result<(), String> {
        let Some(to) = self.unfolded.nodes.iter().position(|known| *known == node) else {
            return Ok(());
        };
        let before = position.cut.take();
        let state = self.system.state.iter().map(|symbol| symbol.function);
        let now: Values = match memory {
            Some(memory) => state
                .map(|function| (function, self.value(function, position, memory)))
                .collect(),
            None => Values::default(),
        };
        let result = match before {
            Some((from, before)) => self.compare_rule(from, to, &before, &now, position, memory),
            None => Ok(()),
        };
        if self.rules_left
            > if self.checked.led > 0 {
                0
            } else {
                RULES - RULES_AT_RANDOM
            }
        {
            position.cut = Some((to, now));
        }
        result
    }

    fn compare_rule(
        &mut self,
        from: usize,
        to: usize,
        before: &Values,
        after: &Values,
        position: &Position,
        memory: Option<&Memory>,
    ) -> Result<(), String> {
        let times = self.rules.entry((from, to)).or_default();
        *times += 1;
        if *times > SAME_RULE {
            return Ok(());
        }
        self.rules_left = self.rules_left.saturating_sub(1);
        let unfolded = self.unfolded;
        let name = format!("{from} to {to}");
        let Some(here) = unfolded.nodes.get(from).and_then(|node| unfolded.at(*node)) else {
            return Ok(());
        };
        let mut ways = Vec::new();
        for rule in self.system.rules.iter().filter(|rule| rule.name == name) {
            // A symbol that stands for the number of an object never changes.
            let mut values = before.clone();
            for function in functions_of(rule.guard) {
                if let (None, Some(memory)) = (values.get(&function), memory) {
                    values.insert(function, self.value(function, position, memory));
                }
            }
            let put = substitution(&values);
            let mut formulas = vec![put.apply(rule.guard)];
            for (function, after) in after {
                let Some(after) = after else { continue };
                match rule.updates.iter().find(|update| update.function == *function) {
                    Some(update) => formulas.push(same(put.apply(update.value), *after)),
                    None => formulas.extend(
                        values
                            .get(function)
                            .copied()
                            .flatten()
                            .map(|old| term::equal(old, *after)),
                    ),
                }
            }
            ways.push(term::and(formulas));
        }
        self.checked.rules += 1;
        match self.asked(term::and([here, term::or(ways)])) {
            Some(false) => {
                let places = [from, to].map(|number| unfolded.name(unfolded.nodes[number]));
                Err(format!(
                    "no rule of the system leads from {} to {} there",
                    places[0], places[1]
                ))
            }
            _ => Ok(()),
        }
    }

    /// What a symbol of the system is, as a run has it.
    fn value(&self, function: Function, position: &Position, memory: &Memory) -> Option<Term> {
        if let Some(origin) = self.stepwise.numbered(function) {
            let base = memory.base_of(bytes_of(origin, position)?)?;
            return Some(term::int(i128::from(base)));
        }
        let held = self.stepwise.cell_info(self.stepwise.cell_of(function)?)?;
        self.holds(held, position, memory)
    }

    /// What a cell holds; none where nobody has written it, or where it is not known to the run.
    fn holds(&self, held: CellInfo, position: &Position, memory: &Memory) -> Option<Term> {
        if held.is_counter {
            let ObjectOrigin::Allocated(context, site, _) = held.origin else {
                return None;
            };
            let times = position.times.get(&(context, site)).copied().unwrap_or(0);
            let known = |time: &u32| {
                self.stepwise
                    .address(ObjectOrigin::Allocated(context, site, *time))
                    .is_some()
            };
            let times = (0..times).take_while(known).count();
            return Some(term::int(i128::try_from(times).ok()?));
        }
        let origin = bytes_of(held.origin, position)?;
        if !memory.is_alive(origin) {
            return None;
        }
        let address = memory.base_of(origin)?.checked_add(held.offset)?;
        let (number, _) = memory.look(address, held.bytes)?;
        self.number(held, number, position, memory)
    }

    fn number(&self, held: CellInfo, number: u64, position: &Position, memory: &Memory) -> Option<Term> {
        match (held.scalar, held.bits) {
            (Scalar::Integer(integer), bits) => {
                let shifted = bits.map_or(number, |bits| number >> bits.first);
                Some(term::int(integer.wrap(i128::from(shifted))))
            }
            (Scalar::Pointer, _) => self.pointer(number, position, memory).map(term::int),
            (Scalar::Float(_), _) => None,
        }
    }

    /// A pointer of the system.
    fn pointer(&self, address: u64, position: &Position, memory: &Memory) -> Option<i128> {
        match memory.block_at(address) {
            Some((block, offset)) => Some(self.stepwise.address(system_of(block, position)?)? + offset),
            None => Some(self.stepwise.pointer_of_number(address)),
        }
    }

    /// What the step itself gave a value when it was read.
    fn fill(&self, before: &mut Values, position: &Position, flat: &Flat) {
        for (address, size, number) in &flat.lazily {
            let Some((block, Some(offset))) = flat
                .memory
                .block_at(*address)
                .map(|(of, by)| (of, u64::try_from(by).ok()))
            else {
                continue;
            };
            let Some(origin) = system_of(block, position) else {
                continue;
            };
            for cell in self.stepwise.cells_in(origin, offset, *size) {
                let Some(held) = self.stepwise.cell_info(cell) else {
                    continue;
                };
                let is_whole = held.offset == offset && held.bytes == *size && held.bits.is_none();
                if let (true, Some(None)) = (is_whole, before.get(&held.function)) {
                    before.insert(held.function, self.number(held, *number, position, &flat.memory));
                }
            }
        }
    }
}

fn keep_shorter(ways: &mut BTreeMap<usize, Vec<usize>>, cut: usize, way: &[usize]) {
    if ways.get(&cut).is_none_or(|known| known.len() > way.len()) {
        ways.insert(cut, way.to_vec());
    }
}

/// Whether a value of the system is what a run has. A pointer into an object may be the number that it is, too.
fn same(value: Term, held: Term) -> Term {
    let numbers = 1 << 64;
    let is_same = term::equal(value, held);
    match held.kind() {
        Kind::Int(address) if *address > numbers => {
            let is_number = term::and([term::less(term::int(0), value), term::less(value, term::int(numbers))]);
            term::or([is_same, is_number])
        }
        _ => is_same,
    }
}

fn mentioned(step: &SymbolicStep) -> Vec<Function> {
    let mut all = functions_of(step.condition);
    step.updates.values().for_each(|value| all.extend(functions_of(*value)));
    all.into_iter().collect()
}

fn substitution(values: &Values) -> Substitution {
    let known = values
        .iter()
        .filter_map(|(function, value)| Some((*function, (*value)?)));
    let known: BTreeMap<Function, Term> = known.collect();
    Substitution::of_constants(known)
}

/// The object of the system that a block is.
fn system_of(block: Bytes, position: &Position) -> Option<ObjectOrigin> {
    match block {
        Bytes::Global(variable) => Some(ObjectOrigin::Variable(None, variable)),
        Bytes::Local(serial, variable) => {
            let context = position.of_call.get(&serial)?;
            Some(ObjectOrigin::Variable(Some(*context), variable))
        }
        Bytes::Allocated(serial) => position.allocated.get(&serial).copied(),
        Bytes::Procedure(procedure) => Some(ObjectOrigin::Procedure(procedure)),
    }
}

/// The block that an object of the system is now.
fn bytes_of(origin: ObjectOrigin, position: &Position) -> Option<Bytes> {
    match origin {
        ObjectOrigin::Variable(None, variable) => Some(Bytes::Global(variable)),
        ObjectOrigin::Variable(Some(context), variable) => {
            let call = position.contexts.iter().rev().find(|(open, _)| *open == context)?;
            Some(Bytes::Local(call.1, variable))
        }
        ObjectOrigin::Allocated(..) => {
            let mut known = position.allocated.iter();
            let (serial, _) = known.find(|(_, known)| **known == origin)?;
            Some(Bytes::Allocated(*serial))
        }
        ObjectOrigin::Procedure(procedure) => Some(Bytes::Procedure(procedure)),
    }
}
