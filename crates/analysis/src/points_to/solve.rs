//! The least fixed point: steps are processed until none adds a target.

use super::memory::{EXTERNAL, Memory, NUMBER, Object, Offset, Target, address_in, anywhere, constant, extent};
use super::{PointsTo, Site, Targets, edge, sites};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use system::program::{
    Argument, Body, Callee, Initial, Library, Place, ProcedureId, Program, Root, Scalar, Selector, Step, Value,
};

type Calls = BTreeMap<Site, BTreeSet<ProcedureId>>;

pub(super) fn solve(program: &Program) -> PointsTo {
    let sites = sites(program);
    let mut solver = Solver {
        program,
        memory: Memory::default(),
        calls: Calls::new(),
        readers: BTreeMap::new(),
        changed: BTreeSet::new(),
        shown: BTreeSet::new(),
        live: BTreeSet::new(),
        is_live: false,
    };
    // After all steps: the closure of what external procedures know.
    let showing = sites.len();
    let mut waiting: VecDeque<usize> = (0..=showing).collect();
    let mut is_waiting = vec![true; sites.len() + 1];
    loop {
        let Some(number) = waiting.pop_front() else {
            if std::mem::replace(&mut solver.memory.is_lost_number, true) {
                break;
            }
            // From now on, dereferenced pointers without targets count as cast from integers.
            solver.live = solver.reached();
            waiting.extend(0..=showing);
            is_waiting.fill(true);
            continue;
        };
        is_waiting[number] = false;
        let mut reads = BTreeSet::new();
        match sites.get(number) {
            None => solver.show_all(&mut reads),
            Some(site) => {
                solver.is_live = solver.live.contains(&site.procedure);
                if let Some(edge) = edge(program, *site) {
                    solver.step(*site, &edge.step, &mut reads);
                }
            }
        }
        for object in reads {
            solver.readers.entry(object).or_default().insert(number);
        }
        for object in std::mem::take(&mut solver.changed) {
            for reader in solver.readers.get(&object).into_iter().flatten() {
                if !std::mem::replace(&mut is_waiting[*reader], true) {
                    waiting.push_back(*reader);
                }
            }
        }
    }
    PointsTo {
        memory: solver.memory,
        calls: solver.calls,
        shown: solver.shown,
    }
}

struct Solver<'a> {
    program: &'a Program,
    memory: Memory,
    calls: Calls,
    /// The steps that have read an object.
    readers: BTreeMap<Object, BTreeSet<usize>>,
    /// The objects that the current step has changed.
    changed: BTreeSet<Object>,
    /// The objects that external procedures know.
    shown: BTreeSet<Object>,
    /// The procedures that the program may call, once known.
    live: BTreeSet<ProcedureId>,
    /// Whether the current step is in one of them.
    is_live: bool,
}

impl Solver<'_> {
    /// The procedures that the program may call.
    fn reached(&self) -> BTreeSet<ProcedureId> {
        let mut called: BTreeMap<ProcedureId, Vec<ProcedureId>> = BTreeMap::new();
        for site in sites(self.program) {
            if let Some(Step::Call { callee, .. }) = edge(self.program, site).map(|edge| &edge.step) {
                let known = self.calls.get(&site).into_iter().flatten().copied();
                let direct = match callee {
                    Callee::Procedure(procedure) => Some(*procedure),
                    Callee::Pointer(_) => None,
                };
                called.entry(site.procedure).or_default().extend(known.chain(direct));
            }
        }
        let mut reached = BTreeSet::from([self.program.start]);
        // External procedures may call these.
        reached.extend(self.shown.iter().filter_map(|object| match object {
            Object::Procedure(procedure) => Some(*procedure),
            _ => None,
        }));
        let mut pending: Vec<ProcedureId> = reached.iter().copied().collect();
        while let Some(procedure) = pending.pop() {
            let callees = called.get(&procedure).into_iter().flatten();
            pending.extend(callees.copied().filter(|callee| reached.insert(*callee)));
        }
        reached
    }

    fn step(&mut self, site: Site, step: &Step, reads: &mut BTreeSet<Object>) {
        match step {
            Step::Skip | Step::Enter(_) | Step::Leave(_) | Step::Violate(_) => {}
            Step::Assume { condition, .. } => self.strides(condition, reads),
            // An input pointer is cast from an integer.
            Step::Choose { target, .. } => self.assign(target, &Targets::from([NUMBER]), reads),
            Step::Assign { target, value } => {
                let targets = self.stored(value, reads);
                self.assign(target, &targets, reads);
            }
            Step::Copy { target, source } => {
                let size = self.program.types.size(self.program.type_of(target));
                let [to, from] = [target, source].map(|place| self.place(place, reads));
                self.copy(&from, &to, size, reads);
            }
            Step::Call {
                callee,
                arguments,
                result,
            } => self.call(site, callee, arguments, result.as_ref(), reads),
        }
    }

    /// Evaluates a value and records the strides of its pointer arithmetic.
    fn value(&mut self, value: &Value, reads: &mut BTreeSet<Object>) -> Targets {
        self.strides(value, reads);
        self.memory.value(self.program, value, reads)
    }

    /// The targets of bytes in which a value is stored; those of an integer are unknown bytes.
    fn stored(&mut self, value: &Value, reads: &mut BTreeSet<Object>) -> Targets {
        let mut targets = self.value(value, reads);
        targets.extend(self.may_be_of_address(value).then_some(NUMBER));
        targets
    }

    /// Whether an integer may be an untracked address, or some bytes of one.
    fn may_be_of_address(&self, value: &Value) -> bool {
        let Scalar::Integer(integer) = value.scalar() else {
            return false;
        };
        match constant(value) {
            // No named object lies at a literal address.
            Some(number) => number != 0 && integer.bits < self.program.types.pointer_bits,
            None => true,
        }
    }

    fn place(&mut self, place: &Place, reads: &mut BTreeSet<Object>) -> Targets {
        self.strides_of_place(place, reads);
        self.memory.place(self.program, place, reads)
    }

    fn strides(&mut self, value: &Value, reads: &mut BTreeSet<Object>) {
        self.numbers(value, reads);
        match value {
            Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => {}
            Value::Read { place, .. } | Value::Address(place) => self.strides_of_place(place, reads),
            Value::Unary { operand, .. } => self.strides(operand, reads),
            // A pointer that is cast to an integer and back.
            Value::Convert {
                to: Scalar::Pointer,
                value,
            } => self.strides(address_in(self.program, value).unwrap_or(value), reads),
            Value::Convert { value, .. } => self.strides(value, reads),
            Value::Binary { left, right, .. } => {
                self.strides(left, reads);
                self.strides(right, reads);
            }
            Value::Distance { left, right, .. } => {
                self.strides(left, reads);
                self.strides(right, reads);
                self.subtracted(left, right, reads);
            }
            Value::Compare { left, right, .. } => {
                self.strides(left, reads);
                self.strides(right, reads);
                self.compared(left, right, reads);
            }
            Value::Offset { pointer, index, bytes } => {
                self.strides(pointer, reads);
                self.strides(index, reads);
                if matches!(**index, Value::Integer { value: 0, .. }) {
                    return;
                }
                for target in self.memory.value(self.program, pointer, reads) {
                    // Unknown offsets have no stride.
                    let matters = matches!(target.object, Object::Allocated(_)) && target.offset != Offset::Any;
                    if matters && self.memory.agree_on_stride(target.object, *bytes) {
                        self.changed.insert(target.object);
                    }
                    reads.insert(target.object);
                }
            }
        }
    }

    /// Finds addresses that become integers: by a cast, or because bytes of pointers are read as integers.
    fn numbers(&mut self, value: &Value, reads: &mut BTreeSet<Object>) {
        let pointer = match value {
            // A comparison with null reveals nothing else.
            Value::Convert {
                to: Scalar::Integer(integer),
                ..
            } if integer.bits == 1 => return,
            Value::Convert { to, value } if *to != Scalar::Pointer && value.scalar() == Scalar::Pointer => value,
            Value::Read { scalar, .. } if *scalar != Scalar::Pointer => value,
            _ => return,
        };
        let targets = self.memory.value(self.program, pointer, reads);
        self.number(&targets);
    }

    /// Whether the current step is reachable; in procedures that are never called, all pointers are empty.
    fn is_followed(&self) -> bool {
        self.is_live || !self.memory.is_lost_number
    }

    fn number(&mut self, targets: &Targets) {
        if self.memory.number(targets) {
            self.changed.insert(Object::Number);
        }
    }

    /// The distance of two objects is an integer that leads from one to the other.
    fn subtracted(&mut self, left: &Value, right: &Value, reads: &mut BTreeSet<Object>) {
        let [left, right] = [left, right].map(|value| self.memory.value(self.program, value, reads));
        let is_in = |object: Object| object != Object::Number && left.iter().any(|target| target.object == object);
        if !right.is_empty() && !right.iter().any(|target| is_in(target.object)) {
            self.number(&left);
            self.number(&right);
        }
    }

    /// Comparing a pointer cast from an integer with an address reveals that integer.
    fn compared(&mut self, left: &Value, right: &Value, reads: &mut BTreeSet<Object>) {
        let is_fixed = |value: &Value| matches!(value, Value::Convert { value, .. } if constant(value).is_some());
        if left.scalar() != Scalar::Pointer || is_fixed(left) || is_fixed(right) {
            return;
        }
        let [left, right] = [left, right].map(|value| self.memory.value(self.program, value, reads));
        let is_open = |targets: &Targets| targets.contains(&NUMBER) || targets.contains(&EXTERNAL);
        if is_open(&left) || is_open(&right) {
            self.number(&left);
            self.number(&right);
        }
    }

    fn strides_of_place(&mut self, place: &Place, reads: &mut BTreeSet<Object>) {
        if let Root::Dereference { pointer, .. } = &place.root {
            self.strides(pointer, reads);
        }
        for selector in &place.selectors {
            if let Selector::Index(index) = selector {
                self.strides(index, reads);
            }
        }
    }

    fn assign(&mut self, place: &Place, targets: &Targets, reads: &mut BTreeSet<Object>) {
        let size = extent(self.program, place).unwrap_or(1);
        for target in self.place(place, reads) {
            self.write(target, size, targets);
        }
    }

    fn write(&mut self, target: Target, size: u64, targets: &Targets) {
        // Anyone who knows the integer finds the address there.
        if target.object == Object::Number && self.is_followed() {
            self.number(targets);
        }
        if self.memory.write(self.program, target, size, targets) {
            self.changed.insert(target.object);
        }
    }

    fn copy(&mut self, from: &Targets, to: &Targets, size: Option<u64>, reads: &mut BTreeSet<Object>) {
        for source in from {
            reads.insert(source.object);
            for target in to {
                if target.object == Object::Number && self.is_followed() {
                    let held = self.memory.everything(source.object);
                    self.number(&held);
                }
                if self.memory.copy(self.program, *source, *target, size) {
                    self.changed.insert(target.object);
                }
            }
        }
    }

    fn call(
        &mut self,
        site: Site,
        callee: &Callee,
        arguments: &[Argument],
        result: Option<&Place>,
        reads: &mut BTreeSet<Object>,
    ) {
        for argument in arguments {
            match argument {
                Argument::Scalar(value) => self.strides(value, reads),
                Argument::Record(place) => self.strides_of_place(place, reads),
            }
        }
        let procedures: Vec<ProcedureId> = match callee {
            Callee::Procedure(procedure) => vec![*procedure],
            Callee::Pointer(pointer) => {
                let targets = self.value(pointer, reads);
                let is_unknown = targets.contains(&EXTERNAL);
                let mut objects: BTreeSet<Object> = targets.iter().map(|target| target.object).collect();
                if is_unknown {
                    reads.insert(Object::External);
                    objects.extend(&self.shown);
                }
                // For function pointers that are cast from integers.
                reads.insert(Object::Number);
                objects.extend(self.memory.numbered());
                let called = objects.iter().filter_map(|object| match object {
                    Object::Procedure(procedure) => Some(*procedure),
                    _ => None,
                });
                let called: Vec<ProcedureId> = called.collect();
                self.calls.entry(site).or_default().extend(&called);
                if is_unknown {
                    self.unknown(arguments, result, reads);
                }
                called
            }
        };
        for procedure in procedures {
            match &self.program[procedure].body {
                Body::Automaton(_) => self.enter(procedure, arguments, result, reads),
                Body::Library(library) => self.library(site, *library, arguments, result, reads),
                Body::Unknown => self.unknown(arguments, result, reads),
            }
        }
    }

    fn enter(
        &mut self,
        procedure: ProcedureId,
        arguments: &[Argument],
        result: Option<&Place>,
        reads: &mut BTreeSet<Object>,
    ) {
        let called = &self.program[procedure];
        for (number, argument) in arguments.iter().enumerate() {
            let (to, size) = match called.parameters.get(number) {
                Some(parameter) => (
                    Target::start(Object::Variable(*parameter)),
                    self.program.types.size(self.program[*parameter].type_id),
                ),
                None => (
                    Target {
                        object: Object::Variadic(procedure),
                        offset: Offset::Any,
                    },
                    None,
                ),
            };
            match argument {
                Argument::Scalar(value) => {
                    let targets = self.stored(value, reads);
                    self.write(to, size.unwrap_or(1), &targets);
                }
                Argument::Record(place) => {
                    let from = self.place(place, reads);
                    self.copy(&from, &Targets::from([to]), size, reads);
                }
            }
        }
        if let (Some(place), Some(variable)) = (result, called.result) {
            let size = self.program.types.size(self.program[variable].type_id);
            let from = Targets::from([Target::start(Object::Variable(variable))]);
            let to = self.place(place, reads);
            self.copy(&from, &to, size, reads);
        }
    }

    fn library(
        &mut self,
        site: Site,
        library: Library,
        arguments: &[Argument],
        result: Option<&Place>,
        reads: &mut BTreeSet<Object>,
    ) {
        let mut argument = |solver: &mut Self, number: usize| match arguments.get(number) {
            Some(Argument::Scalar(value)) => solver.value(value, reads),
            _ => Targets::new(),
        };
        let made = Targets::from([Target::start(Object::Allocated(site))]);
        let returned = match library {
            Library::Allocate | Library::AllocateZero | Library::AllocateLocal => made,
            Library::Reallocate => {
                let old = argument(self, 0);
                self.copy(&old, &made, None, reads);
                made
            }
            Library::MemoryCopy | Library::MemoryMove => {
                let (to, from) = (argument(self, 0), argument(self, 1));
                self.copy(&from, &to, None, reads);
                to
            }
            Library::MemorySet => {
                let to = argument(self, 0);
                let is_number = matches!(arguments.get(1), Some(Argument::Scalar(byte)) if constant(byte) != Some(0));
                for target in to.iter().filter(|_| is_number) {
                    self.write(target.any(), 1, &Targets::from([NUMBER]));
                }
                to
            }
            Library::VariadicStart => {
                let list = argument(self, 0);
                let variadic = Targets::from([Target {
                    object: Object::Variadic(site.procedure),
                    offset: Offset::Any,
                }]);
                for target in list {
                    self.write(target, u64::from(self.program.types.pointer_bits / 8), &variadic);
                }
                Targets::new()
            }
            // An input may be any integer.
            Library::Input => Targets::from([NUMBER]),
            Library::Print => {
                self.printed(arguments, reads);
                Targets::new()
            }
            Library::Assume
            | Library::Abort
            | Library::Exit
            | Library::Free
            | Library::PutLine
            | Library::PutCharacter
            | Library::VariadicEnd
            | Library::Unreachable
            | Library::Unspecified => Targets::new(),
        };
        if let Some(place) = result {
            self.assign(place, &returned, reads);
        }
    }

    /// A printed address may come back as an input.
    fn printed(&mut self, arguments: &[Argument], reads: &mut BTreeSet<Object>) {
        let program = self.program;
        let shows = |target: &Target| match target.object {
            Object::Variable(variable) => match &program[variable].initial {
                Initial::Bytes(bytes) if program[variable].is_constant => bytes.windows(2).any(|text| text == b"%p"),
                _ => true,
            },
            _ => true,
        };
        let mut formats = Targets::new();
        let mut printed = Targets::new();
        for (number, argument) in arguments.iter().enumerate() {
            if let Argument::Scalar(value) = argument {
                let targets = self.value(value, reads);
                if number == 0 { &mut formats } else { &mut printed }.extend(targets);
            }
        }
        if formats.iter().any(shows) {
            self.number(&printed);
        }
    }

    /// Calls an external procedure: it remembers everything that it is given, and returns anything that any of them
    /// knows.
    fn unknown(&mut self, arguments: &[Argument], result: Option<&Place>, reads: &mut BTreeSet<Object>) {
        let mut known = Targets::from([EXTERNAL]);
        for argument in arguments {
            match argument {
                Argument::Scalar(value) => known.extend(anywhere(self.stored(value, reads))),
                Argument::Record(place) => {
                    for target in self.place(place, reads) {
                        reads.insert(target.object);
                        known.extend(anywhere(self.memory.everything(target.object)));
                    }
                }
            }
        }
        if self.memory.external().is_none() {
            // It may store what it knows at an integer address.
            self.changed.insert(Object::Number);
        }
        self.write(EXTERNAL, 1, &known);
        if let Some(place) = result {
            self.assign(place, &Targets::from([EXTERNAL]), reads);
        }
    }

    /// Closes the knowledge of external procedures: they know everything reachable from what they know, may store all
    /// of it in all of it, and may call the procedures in it. Integers lead to every object whose address became one.
    fn show_all(&mut self, reads: &mut BTreeSet<Object>) {
        reads.insert(Object::External);
        let mut known = self.memory.external().cloned().unwrap_or_default();
        let mut pending: Vec<Object> = known.iter().map(|target| target.object).collect();
        let mut seen: BTreeSet<Object> = pending.iter().copied().collect();
        while let Some(object) = pending.pop() {
            for held in self.shown_by(object, reads) {
                known.insert(held);
                if seen.insert(held.object) {
                    pending.push(held.object);
                }
            }
        }
        self.write(EXTERNAL, 1, &known);
        let before = self.shown.len();
        self.shown
            .extend(seen.into_iter().filter(|object| *object != Object::Number));
        if self.shown.len() > before {
            self.changed.insert(Object::External);
        }
    }

    /// The targets that an object makes known to external procedures.
    fn shown_by(&mut self, object: Object, reads: &mut BTreeSet<Object>) -> Targets {
        let mut held = Targets::new();
        if let Object::Procedure(procedure) = object {
            for parameter in &self.program[procedure].parameters {
                self.show(Object::Variable(*parameter));
            }
            if let Some(variable) = self.program[procedure].result {
                reads.insert(Object::Variable(variable));
                held = self.memory.written(Object::Variable(variable));
            }
        } else if object == Object::Number {
            held = self.memory.written(object);
            held.extend(self.memory.made_from_number(reads));
        } else {
            reads.insert(object);
            held = self.memory.written(object);
            let is_constant = matches!(object, Object::Variable(variable) if self.program[variable].is_constant);
            if object != Object::External && !is_constant {
                self.show(object);
            }
        }
        anywhere(held)
    }

    fn show(&mut self, object: Object) {
        if self.memory.show(object) {
            self.changed.insert(object);
        }
    }
}
