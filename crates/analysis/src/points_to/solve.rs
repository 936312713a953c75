//! The least solution: every step is looked at until none finds anything new.

use super::memory::{Memory, Object, Offset, Target, anywhere, extent};
use super::{Site, Targets, edge, sites};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use system::program::{Argument, Body, Callee, Library, Place, ProcedureId, Program, Root, Selector, Step, Value};

type Calls = BTreeMap<Site, BTreeSet<ProcedureId>>;

pub(super) fn solve(program: &Program) -> (Memory, Calls) {
    let sites = sites(program);
    let mut solver = Solver {
        program,
        memory: Memory::default(),
        calls: Calls::new(),
        readers: BTreeMap::new(),
        changed: BTreeSet::new(),
    };
    let mut waiting: VecDeque<usize> = (0..sites.len()).collect();
    let mut is_waiting = vec![true; sites.len()];
    while let Some(number) = waiting.pop_front() {
        is_waiting[number] = false;
        let mut reads = BTreeSet::new();
        if let Some(edge) = edge(program, sites[number]) {
            solver.step(sites[number], &edge.step, &mut reads);
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
    (solver.memory, solver.calls)
}

struct Solver<'a> {
    program: &'a Program,
    memory: Memory,
    calls: Calls,
    /// The steps that have looked into an object.
    readers: BTreeMap<Object, BTreeSet<usize>>,
    /// The objects that the current step has found something new about.
    changed: BTreeSet<Object>,
}

impl Solver<'_> {
    fn step(&mut self, site: Site, step: &Step, reads: &mut BTreeSet<Object>) {
        match step {
            Step::Skip | Step::Assume { .. } | Step::Enter(_) | Step::Leave(_) | Step::Violate(_) => {}
            // What is made from a number points at nothing.
            Step::Choose { .. } => {}
            Step::Assign { target, value } => {
                let targets = self.value(value, reads);
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

    /// Also agrees on how far elements of allocated objects are apart.
    fn value(&mut self, value: &Value, reads: &mut BTreeSet<Object>) -> Targets {
        self.strides(value, reads);
        self.memory.value(self.program, value, reads)
    }

    fn place(&mut self, place: &Place, reads: &mut BTreeSet<Object>) -> Targets {
        self.strides_of_place(place, reads);
        self.memory.place(self.program, place, reads)
    }

    fn strides(&mut self, value: &Value, reads: &mut BTreeSet<Object>) {
        match value {
            Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => {}
            Value::Read { place, .. } | Value::Address(place) => self.strides_of_place(place, reads),
            Value::Unary { operand, .. } => self.strides(operand, reads),
            Value::Convert { value, .. } => self.strides(value, reads),
            Value::Binary { left, right, .. }
            | Value::Compare { left, right, .. }
            | Value::Distance { left, right, .. } => {
                self.strides(left, reads);
                self.strides(right, reads);
            }
            Value::Offset { pointer, index, bytes } => {
                self.strides(pointer, reads);
                self.strides(index, reads);
                if matches!(**index, Value::Integer { value: 0, .. }) {
                    return;
                }
                for target in self.memory.value(self.program, pointer, reads) {
                    // Of what may be anywhere nothing is asked.
                    let matters = matches!(target.object, Object::Allocated(_)) && target.offset != Offset::Any;
                    if matters && self.memory.agree_on_stride(target.object, *bytes) {
                        self.changed.insert(target.object);
                    }
                    reads.insert(target.object);
                }
            }
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
        if self.memory.write(self.program, target, size, targets) {
            self.changed.insert(target.object);
        }
    }

    fn copy(&mut self, from: &Targets, to: &Targets, size: Option<u64>, reads: &mut BTreeSet<Object>) {
        for source in from {
            reads.insert(source.object);
            for target in to {
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
        let procedures: Vec<ProcedureId> = match callee {
            Callee::Procedure(procedure) => vec![*procedure],
            Callee::Pointer(pointer) => {
                let targets = self.value(pointer, reads);
                let called = targets.iter().filter_map(|target| match target.object {
                    Object::Procedure(procedure) => Some(procedure),
                    _ => None,
                });
                let called: Vec<ProcedureId> = called.collect();
                self.calls.entry(site).or_default().extend(&called);
                if targets.iter().any(|target| target.object == Object::External) {
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
                    let targets = self.value(value, reads);
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
            Library::MemoryCopy | Library::MemoryMove | Library::StringCopy => {
                let (to, from) = (argument(self, 0), argument(self, 1));
                self.copy(&from, &to, None, reads);
                to
            }
            Library::MemorySet => argument(self, 0),
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
            Library::Input
            | Library::Assume
            | Library::Abort
            | Library::Exit
            | Library::Free
            | Library::MemoryCompare
            | Library::StringLength
            | Library::StringCompare
            | Library::Print
            | Library::PutLine
            | Library::PutCharacter
            | Library::VariadicEnd
            | Library::Unreachable => Targets::new(),
        };
        if let Some(place) = result {
            self.assign(place, &returned, reads);
        }
    }

    /// A procedure that nobody knows keeps all that it is given and all that this leads to, writes all that it has
    /// into all that it has, returns any of it, and may call the procedures among it.
    fn unknown(&mut self, arguments: &[Argument], result: Option<&Place>, reads: &mut BTreeSet<Object>) {
        let external = Target {
            object: Object::External,
            offset: Offset::Any,
        };
        reads.insert(Object::External);
        let mut known = Targets::from([external]);
        for argument in arguments {
            match argument {
                Argument::Scalar(value) => known.extend(self.value(value, reads)),
                Argument::Record(place) => {
                    for target in self.place(place, reads) {
                        reads.insert(target.object);
                        known.extend(self.memory.everything(target.object));
                    }
                }
            }
        }
        known.extend(self.memory.everything(Object::External));
        let mut pending: Vec<Object> = known.iter().map(|target| target.object).collect();
        let mut seen: BTreeSet<Object> = pending.iter().copied().collect();
        while let Some(object) = pending.pop() {
            reads.insert(object);
            for target in self.memory.everything(object) {
                known.insert(target);
                if seen.insert(target.object) {
                    pending.push(target.object);
                }
            }
        }
        let known = anywhere(known);
        for object in seen {
            match object {
                Object::Procedure(procedure) => {
                    for parameter in &self.program[procedure].parameters {
                        let parameter = Target::start(Object::Variable(*parameter));
                        self.write(parameter, 1, &known);
                    }
                    if let Some(variable) = self.program[procedure].result {
                        reads.insert(Object::Variable(variable));
                        let returned = self.memory.everything(Object::Variable(variable));
                        self.write(external, 1, &returned);
                    }
                }
                Object::Variable(variable) if self.program[variable].is_constant => {}
                _ => self.write(
                    Target {
                        object,
                        offset: Offset::Any,
                    },
                    1,
                    &known,
                ),
            }
        }
        if let Some(place) = result {
            self.assign(place, &known, reads);
        }
    }
}
